#!/bin/sh
# Runs every part of the tests and adds up what they say. Called by `make test`, which has built them.
passed=0
failed=0
log=build/test_part.log

# run NAME COMMAND...: a part that ends with "N passed, N failed"
run() {
    name=$1
    shift
    echo "== $name"
    "$@" >"$log" 2>&1
    status=$?
    last=$(tail -n 1 "$log")
    counts=$(echo "$last" | sed -n 's/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed$/\1 \2/p')
    if [ -z "$counts" ]; then
        cat "$log"
        echo "FAILED: $name ended without a count (status $status)"
        failed=$((failed + 1))
        return
    fi
    sed '$d' "$log"
    set -- $counts
    echo "   $1 passed, $2 failed"
    passed=$((passed + $1))
    failed=$((failed + $2))
}

run "library, double" build/tests
run "library, single" build/tests_single

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
