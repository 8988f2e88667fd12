#!/bin/sh
# Which chapters of devcloth_impl.h the scenes of hash.c execute, and so have their bits compared: prints
# coverage.txt. Wants gcc and gcov. Not a test: `make hash-coverage` after a change of either.
cd "$(dirname "$0")/../.." || exit 1
steps=200
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

gcc -std=c99 -O0 --coverage -c -o "$work/hash.o" "$PWD/tests/ports/hash.c" || exit
gcc --coverage -o "$work/hash" "$work/hash.o" -lm || exit
list=
for scene in $("$work/hash" 0); do
    rm -f "$work/hash.gcda"
    "$work/hash" $steps "$scene" >/dev/null || exit
    (cd "$work" && gcov hash.gcda >/dev/null && mv devcloth_impl.h.gcov "$scene.gcov") || exit
    list="$list $work/$scene.gcov"
done
echo "Lines of devcloth_impl.h that the scenes of hash.c execute, in double precision and $steps steps."
echo "Written by coverage.sh; most of the lines that are left report errors or give access to results."
echo "Chapter 53 has the fewest, because much of it says what is wrong with a description or a result."
echo
# shellcheck disable=SC2086
awk -f tests/ports/coverage.awk $list
