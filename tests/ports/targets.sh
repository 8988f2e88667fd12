# Building and running hash.c for a target and comparing what it prints. Sourced after checks.sh.
record=tests/ports/hashes.txt
steps=200
scenes= # all

flag_of() { [ "$1" = double ] || echo -DDEVCLOTH_SINGLE; }

# outcome PRECISION OUTPUT COMMAND...: builds with COMMAND, runs $scenes through $emulator for $steps steps
outcome() {
    precision=$1
    output=$2
    shift 2
    # shellcheck disable=SC2046,SC2086
    "$@" $(flag_of "$precision") -o "$output.exe" tests/ports/hash.c -lm >"$output" 2>&1 &&
        $emulator "$output.exe" "$steps" $scenes >"$output" 2>&1
}

# all_but_slow: the scenes, without the ribbons' that take more than half of the time; emulators and
# sanitizers multiply it
all_but_slow() {
    "$work/reference.double.exe" 0 | grep -v -x -e chains -e bands -e settled -e published | tr '\n' ' '
}

# compare NAME PRECISION: one check of what outcome() has left, if it was run: the reference prints the same
compare() {
    [ -e "$work/$2.out" ] || return 0
    # shellcheck disable=SC2046
    "$work/reference.$2.exe" $(cat "$work/$2.asked") >"$work/expected"
    if cmp -s "$work/expected" "$work/$2.out"; then
        pass
    else
        diff "$work/expected" "$work/$2.out" >"$work/diff"
        fail "$1, $2, differs from the reference (<)" "$work/diff"
    fi
}

# begin PRECISION COMPILER FLAG...: outcome() beside others; compare() after settle() makes one check of it
begun=
begin() {
    rm -f "$work/$1.out"
    have "$2" || return 0
    precision=$1
    shift
    echo "$steps $scenes" >"$work/$precision.asked"
    outcome "$precision" "$work/$precision.out" "$@" &
    begun="$begun $!"
}

# settle: all that was begun has ended
settle() {
    # shellcheck disable=SC2086
    [ -z "$begun" ] || wait $begun
    begun=
}

# target NAME COMPILER FLAG...: one check for each precision, both at the same time
target() {
    name=$1
    shift
    for each in double single; do begin "$each" "$@"; done
    settle
    for each in double single; do compare "$name" "$each"; done
}

# What all others are compared with, and itself with the record.
make_reference() {
    emulator=
    for precision in double single; do
        outcome "$precision" "$work/reference.$precision" ${CC:-cc} -std=c99 -O2 || {
            fail "the reference, $precision, did not run" "$work/reference.$precision"
            finish
        }
    done
}

compare_record() {
    for precision in double single; do
        grep "^$precision " "$record" >"$work/recorded" 2>/dev/null
        if cmp -s "$work/recorded" "$work/reference.$precision"; then
            pass
        else
            diff "$work/recorded" "$work/reference.$precision" >"$work/diff"
            fail "results in $precision are not the recorded ones (<)" "$work/diff"
            echo "    If they were meant to change: sh tests/ports/hashes.sh record"
        fi
    done
}
