#!/bin/sh
# The recorded bits (hashes.txt).
#
#     hashes.sh              the usual compiler gives them, and again where snapshots carry each scene on
#     hashes.sh compilers    all compilers of this machine give the same
#     hashes.sh record       writes them anew, after a change of results on purpose
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh
. tests/ports/targets.sh

# run_references [carry]: what the usual compiler gives
run_references() {
    # shellcheck disable=SC2086
    build/hash ${1:-} $steps >"$work/double" &
    # shellcheck disable=SC2086
    build/hash_single ${1:-} $steps >"$work/single"
    wait
}

# pair DOUBLE SINGLE: two commands, each in one precision, for most of the time goes into compiling
pair() {
    # shellcheck disable=SC2086
    begin double $1
    # shellcheck disable=SC2086
    begin single $2
    settle
    compare "$1" double
    compare "$2" single
}

case ${1:-} in
'')
    for carry in "" carry; do
        run_references $carry
        for precision in double single; do
            grep "^$precision " "$record" >"$work/recorded"
            if cmp -s "$work/recorded" "$work/$precision"; then
                pass
            else
                diff "$work/recorded" "$work/$precision" >"$work/diff"
                fail "results in $precision are not the recorded ones (<) $carry" "$work/diff"
                echo "    If they were meant to change: sh tests/ports/hashes.sh record"
            fi
        done
    done
    ;;
compilers)
    # The reference is gcc -O2. Two levels of gcc, and one of each other compiler.
    steps=50
    pair "gcc -std=c99 -O0" "gcc -std=gnu99 -O3 -march=native"
    pair "clang -O3 -march=native" "clang++ -std=c++11 -x c++ -O2 -Wno-deprecated"
    # tcc 0.9.27 writes over variables where a dc_vec3 of floats is returned.
    pair "tcc" "g++ -std=c++11 -x c++ -O2"
    reads "clang reads the snapshots of gcc" double clang -std=c99 -O2
    ;;
record)
    run_references
    cat "$work/double" "$work/single" >"$record"
    echo "$record is written: commit it together with what changed the results"
    exit
    ;;
esac
finish
