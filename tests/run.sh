#!/bin/sh
# Runs every part of the tests and adds up what they say. Called by `make test`, which has built them.
# `sh tests/run.sh compilers` runs those alone that try compilers, with all there is to them.
cd "$(dirname "$0")/.." || exit 1
passed=0
failed=0
started=0 # parts that run now
logs=build/test_parts
mkdir -p "$logs"

# start NAME COMMAND...: a part that ends with "N passed, N failed"; it runs beside others
start() {
    started=$((started + 1))
    echo "$1" >"$logs/$started.name"
    shift
    (
        from=$(date +%s)
        "$@" >"$logs/$started.log" 2>&1
        echo $? >"$logs/$started.status"
        echo $(($(date +%s) - from)) >"$logs/$started.seconds"
    ) &
}

# collect: waits for what was started, and counts
collect() {
    wait
    part=1
    while [ $part -le $started ]; do
        name=$(cat "$logs/$part.name")
        log=$logs/$part.log
        seconds=$(cat "$logs/$part.seconds")
        status=$(cat "$logs/$part.status")
        counts=$(sed -n '$s/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed$/\1 \2/p' "$log")
        part=$((part + 1))
        echo "== $name"
        if [ -z "$counts" ]; then
            cat "$log"
            echo "FAILED: $name ended without a count (status $status)"
            failed=$((failed + 1))
            continue
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
    done
    started=0
}

# run NAME COMMAND...: a part that has the machine for itself
run() {
    start "$@"
    collect
}

if [ "${1:-}" = compilers ]; then
    CHECK_ALL=1
    export CHECK_ALL
else
    start "library, double" build/tests
    start "library, single" build/tests_single
    collect
    start "scenes, double" build/tests_scenes
    start "scenes, single" build/tests_scenes_single sphere five tied # all pass; these take a quarter
    collect
    start "drapes, double" build/tests_drapes
    start "drapes, single" build/tests_drapes_single
    collect
    start "ribbons, double" build/tests_ribbons
    start "ribbons, single" build/tests_ribbons_single
    collect
fi
start "compiling and linking" sh tests/compile/units.sh
start "warnings" sh tests/compile/warnings.sh
collect
start "symbols" sh tests/compile/symbols.sh
start "printed programs" sh tests/compile/documents.sh
collect
if [ -z "${CHECK_ALL:-}" ]; then
    start "the tool, meshes good and bad" sh tests/tool/input.sh
    start "dc_float_check" sh tests/compile/float_check.sh
    start "form of the source" sh tests/compile/form.sh
    start "every status reached" sh tests/compile/statuses.sh
    start "corpora of the fuzzers" sh tests/fuzz/run.sh replay
    start "no fused instructions" sh tests/compile/fused.sh
    collect
else
    run "no fused instructions" sh tests/compile/fused.sh # two at a time by itself, as the next
fi
run "the same bits from every compiler" sh tests/ports/hashes.sh

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
