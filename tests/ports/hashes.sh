#!/bin/sh
# The recorded bits (hashes.txt) from the usual compiler, and with CHECK_ALL from all of this machine.
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

[ -n "$all" ] || finish
# Most of the time goes into compiling: each compiler in one precision, two side by side.
steps=50

# pair DOUBLE SINGLE: two commands
pair() {
    # shellcheck disable=SC2086
    begin double $1
    # shellcheck disable=SC2086
    begin single $2
    settle
    compare "$1" double
    compare "$2" single
}
pair "gcc -std=gnu99 -O3 -march=native" "clang -std=c99 -O2"
pair "clang -O3 -march=native" "gcc -std=gnu99 -O3 -march=native"
pair "g++ -std=c++11 -x c++ -O2" "gcc -std=gnu99 -O2 -flto -march=native"
pair "gcc -std=c99 -O0" "clang++ -std=c++11 -x c++ -O2 -Wno-deprecated"
# tcc 0.9.27 writes over variables where a dc_vec3 of floats is returned.
pair "tcc" "clang -std=c99 -O0"
finish
