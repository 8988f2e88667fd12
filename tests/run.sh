#!/bin/sh
# Runs the parts of the tests, two side by side, and adds up what they say. Called by the Makefile, which has
# built the programs.
#
#     run.sh              what `make test` runs
#     run.sh long         what takes longer: long settles, all scenes
#     run.sh compilers    every compiler, configuration and warning
cd "$(dirname "$0")/.." || exit 1
passed=0
failed=0
count=0
logs=build/test_parts
rm -rf "$logs"
mkdir -p "$logs"

# part NAME COMMAND...: one that ends with "N passed, N failed"
part() {
    count=$((count + 1))
    echo "$1" >"$logs/$count.name"
    shift
    echo "$*" >"$logs/$count.command"
}

# Takes part after part that no other worker has.
work() {
    i=1
    while [ $i -le $count ]; do
        if mkdir "$logs/$i.taken" 2>/dev/null; then
            from=$(date +%s)
            sh "$logs/$i.command" >"$logs/$i.log" 2>&1
            echo $? >"$logs/$i.status"
            echo $(($(date +%s) - from)) >"$logs/$i.seconds"
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

# The longest come first, so that both workers end at about the same time.
case ${1:-} in
'')
    part "library, double" build/tests
    part "library, single" build/tests_single
    part "the recorded bits" sh tests/ports/hashes.sh
    part "scenes" build/tests_scenes sphere five shell
    part "warnings" sh tests/compile/warnings.sh
    part "compiling and linking" sh tests/compile/units.sh
    part "printed programs" sh tests/compile/documents.sh
    part "corpora of the fuzzers" sh tests/fuzz/run.sh replay
    part "the tool, meshes good and bad" sh tests/tool/input.sh
    part "statuses of all functions" sh tests/compile/statuses.sh
    part "symbols" sh tests/compile/symbols.sh
    part "drapes" build/tests_drapes
    part "ribbons" build/tests_ribbons
    part "form of the source" sh tests/compile/form.sh
    ;;
long)
    part "library, double, long tests" build/tests --long
    part "library, single, long tests" build/tests_single --long
    part "scenes, double" build/tests_scenes
    part "scenes, single" build/tests_scenes_single sphere five tied # all pass; these take a quarter
    part "drapes, single" build/tests_drapes_single
    part "ribbons, single" build/tests_ribbons_single
    ;;
compilers)
    CHECK_ALL=1
    export CHECK_ALL
    part "the same bits from every compiler" sh tests/ports/hashes.sh
    part "no fused instructions" sh tests/compile/fused.sh
    part "compiling and linking" sh tests/compile/units.sh
    part "warnings" sh tests/compile/warnings.sh
    part "symbols" sh tests/compile/symbols.sh
    part "dc_float_check" sh tests/compile/float_check.sh
    part "printed programs" sh tests/compile/documents.sh
    ;;
esac

work &
work
wait
i=1
while [ $i -le $count ]; do
    tell $i
    i=$((i + 1))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
