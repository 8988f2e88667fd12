#!/bin/sh
# The same bits from every compiler of this machine, and the recorded ones (hashes.txt); without
# CHECK_ALL from three of them, two in one precision only.
# `sh tests/ports/hashes.sh record` writes the record anew, after a change of results on purpose.
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh
. tests/ports/targets.sh

make_reference
if [ "${1:-}" = record ]; then
    cat "$work/reference.double" "$work/reference.single" >"$record"
    echo "$record is written: commit it together with what changed the results"
    exit
fi
compare_record

if [ -z "$all" ]; then
    # One precision from each, at the same time: most of the time goes into compiling.
    steps=50
    if have gcc; then
        outcome double "$work/double.out" gcc -std=gnu99 -O3 -march=native &
    fi
    if have clang; then
        outcome single "$work/single.out" clang -std=c99 -O2 &
    fi
    wait
    compare "gcc -O3, the machine's vectors, contraction allowed" double
    compare "clang -O2" single
    finish
fi
target "gcc -O3, the machine's vectors, contraction allowed" gcc -std=gnu99 -O3 -march=native
target "gcc -O2" gcc -std=c99 -O2
target "gcc -flto, contraction allowed" gcc -std=gnu99 -O2 -flto -march=native
target "clang -O2" clang -std=c99 -O2
target "clang -O3, the machine's vectors" clang -O3 -march=native
target "g++ -O2" g++ -std=c++11 -x c++ -O2
target "clang++ -O2" clang++ -std=c++11 -x c++ -O2 -Wno-deprecated

# Without an optimiser the program is ten times as slow.
steps=50
target "gcc -O0" gcc -std=c99 -O0
target "clang -O0" clang -std=c99 -O0
# tcc 0.9.27 writes over variables where a dc_vec3 of floats is returned.
if have tcc; then
    rm -f "$work/single.out"
    outcome double "$work/double.out" tcc
    compare "tcc" double
fi
finish
