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
    build/hash 0 | grep -v -x -e chains -e bands -e settled -e published | tr '\n' ' '
}

# reference_of PRECISION: the program that all others are compared with, and that the record is compared
# with; make has built it
reference_of() { [ "$1" = double ] && echo build/hash || echo build/hash_single; }

# compare NAME PRECISION: one check of what outcome() has left, if it was run: the reference prints the same
compare() {
    [ -e "$work/$2.out" ] || return 0
    # shellcheck disable=SC2046
    "$(reference_of "$2")" $(cat "$work/$2.asked") >"$work/expected"
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

# reads NAME PRECISION COMPILER FLAG...: one check: it goes on from the reference's snapshots
reads() {
    have "$3" || return 0
    read_name=$1
    read_precision=$2
    shift 2
    rm -rf "$work/snapshots"
    mkdir "$work/snapshots"
    # shellcheck disable=SC2046,SC2086
    "$(reference_of "$read_precision")" write "$work/snapshots" $steps $scenes >"$work/expected"
    # shellcheck disable=SC2046,SC2086
    "$@" $(flag_of "$read_precision") -o "$work/reads.exe" tests/ports/hash.c -lm >"$work/reads.out" 2>&1 &&
        $emulator "$work/reads.exe" read "$work/snapshots" $steps $scenes >"$work/reads.out" 2>&1
    if cmp -s "$work/expected" "$work/reads.out"; then
        pass
    else
        diff "$work/expected" "$work/reads.out" >"$work/diff"
        fail "$read_name, $read_precision, differs from the reference (<)" "$work/diff"
    fi
}

# one NAME PRECISION COMPILER FLAG...: one check of it
one() {
    name=$1
    shift
    begin "$@"
    settle
    compare "$name" "$1"
}

${MAKE:-make} -s build/hash build/hash_single || exit
