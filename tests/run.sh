#!/bin/sh
# Runs the parts of the tests, two side by side, and adds up what they say. Called by the Makefile.
#
#     run.sh GROUP         all parts of a group: test long compilers sanitizers ports fuzz
#     run.sh GROUP PART    one of them
#     run.sh check         all groups but test, and but those that the variable SKIP names
cd "$(dirname "$0")/.." || exit 1
passed=0
failed=0
count=0
programs=
begun=$(date +%s)
logs=build/test_parts
rm -rf "$logs"
mkdir -p "$logs"

# group NAME: whether its parts are to run
group() {
    group=$1
    case $asked in
    check) case " test ${SKIP:-} " in *" $1 "*) return 1 ;; esac ;;
    *) [ "$asked" = "$1" ] ;;
    esac
}

# part NAME PROGRAMS COMMAND...: one that ends with "N passed, N failed", and what make builds for it
part() {
    [ -z "$asked_part" ] || [ "$asked_part" = "$1" ] || return 0
    count=$((count + 1))
    echo "$group-$1" >"$logs/$count.name"
    programs="$programs $2"
    shift 2
    echo "$*" >"$logs/$count.command"
}

# Takes part after part that no other worker has. What it does is told on stderr at once, what came of
# it at the end.
work() {
    i=1
    while [ $i -le $count ]; do
        if mkdir "$logs/$i.taken" 2>/dev/null; then
            name=$(cat "$logs/$i.name")
            echo "   $name begins" >&2
            from=$(date +%s)
            sh "$logs/$i.command" >"$logs/$i.log" 2>&1
            echo $? >"$logs/$i.status"
            echo $(($(date +%s) - from)) >"$logs/$i.seconds"
            set -- "$logs"/*.seconds
            echo "   $name ends: $(sed -n '$p' "$logs/$i.log") ($# of $count)" >&2
        fi
        i=$((i + 1))
    done
}

# tell NUMBER: what a part said, and counts it
tell() {
    name=$(cat "$logs/$1.name")
    log=$logs/$1.log
    status=$(cat "$logs/$1.status")
    seconds=$(cat "$logs/$1.seconds")
    counts=$(sed -n '$s/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed$/\1 \2/p' "$log")
    echo "== $name"
    if [ -z "$counts" ]; then
        cat "$log"
        echo "FAILED: $name ended without a count (status $status)"
        failed=$((failed + 1))
        return
    fi
    sed '$d' "$log"
    # shellcheck disable=SC2086
    set -- $counts
    echo "   $1 passed, $2 failed, $seconds s"
    passed=$((passed + $1))
    failed=$((failed + $2))
    if [ "$2" -eq 0 ] && [ "$status" -ne 0 ]; then
        echo "FAILED: $name counted no failure and ended with status $status"
        failed=$((failed + 1))
    fi
}

asked=${1:-test}
asked_part=${2:-}
hash="build/hash build/hash_single"
in_all="env CHECK_ALL=1 sh" # compilers, precisions and configurations
# In each group the longest come first, so that both workers end at about the same time.
if group test; then
    part double build/tests build/tests
    part single build/tests_single build/tests_single
    part bits "$hash" sh tests/ports/hashes.sh
    part scenes build/tests_scenes build/tests_scenes sphere shell
    part units "" sh tests/compile/units.sh
    part corpora "" sh tests/fuzz/run.sh replay
    part documents "" sh tests/compile/documents.sh
    part warnings "" sh tests/compile/warnings.sh
    part parts "" sh tests/compile/parts.sh
    part symbols "" sh tests/compile/symbols.sh
    part statuses build/tests sh tests/compile/statuses.sh
    part drapes build/tests_drapes build/tests_drapes I.b I.d I.f II.a II.b II.e III.b III.f
    part ribbons build/tests_ribbons build/tests_ribbons
    part worlds build/tests_worlds build/tests_worlds 5 60
    part worlds_small build/tests_worlds build/tests_worlds 10 1 small
    part tool build/devcloth sh tests/tool/input.sh
    for each in ct10 eb08 wan12 phb15 lbfgsb; do
        part $each build/tests_$each build/tests_$each
    done
    part form "" sh tests/compile/form.sh
fi
if group long; then
    part double build/tests build/tests --long
    part single build/tests_single build/tests_single --long
    part scenes build/tests_scenes build/tests_scenes
    part worlds build/tests_worlds build/tests_worlds
    part worlds_small build/tests_worlds build/tests_worlds 200 1 small
    part drapes build/tests_drapes build/tests_drapes
    # All scenes pass; these take a quarter of the time.
    part scenes_single build/tests_scenes_single build/tests_scenes_single sphere five tied
    part drapes_single build/tests_drapes_single build/tests_drapes_single
    part ribbons_single build/tests_ribbons_single build/tests_ribbons_single
fi
if group compilers; then
    part bits "$hash" sh tests/ports/hashes.sh compilers
    part fused "" "$in_all" tests/compile/fused.sh
    part units "" "$in_all" tests/compile/units.sh
    part warnings "" "$in_all" tests/compile/warnings.sh
    part parts "" "$in_all" tests/compile/parts.sh
    part symbols "" "$in_all" tests/compile/symbols.sh
    part float "" "$in_all" tests/compile/float_check.sh
    part documents "" "$in_all" tests/compile/documents.sh
fi
if group sanitizers; then
    for each in tests scenes memory threads valgrind; do
        part $each "$hash" sh tests/ports/sanitize.sh $each
    done
fi
if group ports; then
    for each in aarch64 arm riscv64 s390x ppc64 i686 refused; do
        part $each "$hash" sh tests/ports/cross.sh $each
    done
fi
if group fuzz; then
    for each in world drape cholesky ccd mesh obj; do
        part $each build/fuzz/search sh tests/fuzz/run.sh search $each
    done
fi
if [ $count -eq 0 ]; then
    echo "there is no part ${asked_part:-of $asked} ${asked_part:+of $asked}"
    exit 2
fi

[ -z "${programs# }" ] || echo "   building what $count parts need" >&2
# shellcheck disable=SC2086
[ -z "${programs# }" ] || ${MAKE:-make} -s -j2 $(printf '%s\n' $programs | sort -u) || exit
work &
work
wait
i=1
while [ $i -le $count ]; do
    tell $i
    i=$((i + 1))
done
echo "$asked${asked_part:+-$asked_part}: $(($(date +%s) - begun)) s"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
