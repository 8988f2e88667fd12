#!/bin/sh
# Every status that the header names for a public function is reached by a test, and no other. The
# table tests/statuses.txt says by which: a line is "function STATUS name of the test". build/tests
# prints such lines of the tests in the table.
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh

LC_ALL=C # sort and comm agree
export LC_ALL
table=tests/statuses.txt
awk -f tests/compile/statuses.awk devcloth.h | sort >"$work/named"
[ "$(wc -l <"$work/named")" -gt 100 ] || fail "the header's statuses were not found"

# none NAME FILE: each line of the file is a failure
none() {
    if [ -s "$2" ]; then fail "$1" "$2"; else pass; fi
}

sort $table | uniq -d >"$work/twice"
none "table: lines that stand there twice" "$work/twice"
cut -d ' ' -f 1,2 $table | sort -u >"$work/listed"
comm -23 "$work/named" "$work/listed" >"$work/missing"
none "table: statuses in the header without a test" "$work/missing"
comm -13 "$work/named" "$work/listed" >"$work/unnamed"
none "table: functions or statuses that are not in the header" "$work/unnamed"

cut -d ' ' -f 3- $table | sort -u >"$work/tests"
while read -r name; do
    grep -qF "{\"$name\"," tests/*.c || echo "$name"
done <"$work/tests" >"$work/unknown"
none "table: tests that are not there" "$work/unknown"

set --
while read -r name; do
    set -- "$@" "$name"
done <"$work/tests"
build/tests --statuses "$@" >"$work/said" || fail "tests of the table" "$work/said"
grep '^dc_' "$work/said" | sort -u >"$work/reached"
sort $table | comm -23 - "$work/reached" >"$work/unreached"
none "table: statuses that the test does not reach" "$work/unreached"
cut -d ' ' -f 1,2 "$work/reached" | sort -u | comm -13 "$work/named" - >"$work/surprising"
none "statuses that the header does not name" "$work/surprising"
finish
