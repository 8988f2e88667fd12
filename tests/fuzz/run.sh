#!/bin/sh
# The fuzzers of tests/fuzz.
#
#     run.sh              each from its corpus for FUZZ_SECONDS, two side by side; what breaks an invariant
#                         ends up in build/fuzz/finds, what is new in build/fuzz/new
#     run.sh NAME...      these alone
#     run.sh replay       no search: each runs over its corpus once, built by the usual compiler
#     run.sh merge        after a search: few of the inputs, new or not, that together execute what all
#                         of them execute, become the corpora
#     run.sh merge NAME...
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh
seconds=${FUZZ_SECONDS:-60}
all_names="obj mesh cholesky lbfgsb ccd world drape"
corpus=tests/fuzz/corpus
mkdir -p build/fuzz

# What is longer is cut. Worlds need many bytes, others are found sooner with few.
length_of() {
    case $1 in
    obj | cholesky) echo 1500 ;;
    world | drape) echo 800 ;;
    *) echo 500 ;;
    esac
}

# In plain C: clang needs many minutes for kernels unrolled and instrumented.
options="-std=c99 -O1 -DDC_PLAIN_C -Wall -Wextra -Wno-unused-function"
kinds=address,undefined,float-cast-overflow
sources="tests/fuzz/all.c examples/common/files.c"
build() {
    # shellcheck disable=SC2086
    clang $options -gline-tables-only $FUZZ_FLAGS -fsanitize=fuzzer,$kinds -fno-sanitize-recover=all \
        -fno-omit-frame-pointer -o build/fuzz/all $sources -lm
}

# search NAME: lengths may be any from the start; what is quick is preferred
search() {
    mkdir -p "build/fuzz/new/$1" build/fuzz/finds "$corpus/$1"
    FUZZ_TARGET=$1 build/fuzz/all -max_total_time="$seconds" -max_len="$(length_of "$1")" \
        -len_control=0 -entropic_scale_per_exec_time=1 -timeout=60 -print_final_stats=1 \
        -artifact_prefix="build/fuzz/finds/$1-" "build/fuzz/new/$1" "$corpus/$1"
}

# finished NAME STATUS LOG
finished() {
    runs=$(sed -n 's/^stat::number_of_executed_units: //p' "$3")
    if [ "$2" -eq 0 ] && [ -n "$runs" ]; then
        pass
        echo "$1: $runs inputs in $seconds s"
    else
        grep -a -e 'broken:' -e 'ERROR' -e 'error:' -e '^ *#[0-9] .*devcloth' -e 'Test unit' "$3" \
            >"$work/why"
        fail "fuzz_$1" "$work/why"
    fi
}

search_all() {
    while [ $# -gt 0 ]; do
        first=$1
        second=${2:-}
        shift
        [ $# -eq 0 ] || shift
        search "$first" >"$work/first" 2>&1 &
        first_id=$!
        second_status=0
        [ -z "$second" ] || search "$second" >"$work/second" 2>&1 || second_status=$?
        first_status=0
        wait $first_id || first_status=$?
        finished "$first" $first_status "$work/first"
        [ -z "$second" ] || finished "$second" $second_status "$work/second"
    done
}

# The corpora are tests for any compiler. Each input says nothing if all is well.
build_replay() {
    # shellcheck disable=SC2086
    ${CC:-cc} $options $FUZZ_FLAGS -o "$work/replay" tests/fuzz/replay.c $sources -lm
}

# merge NAME
merge() {
    rm -rf "$work/merged"
    mkdir -p "$work/merged" "build/fuzz/new/$1" "$corpus/$1"
    FUZZ_TARGET=$1 build/fuzz/all -set_cover_merge=1 -use_counters=0 -max_len="$(length_of "$1")" \
        "$work/merged" "$corpus/$1" "build/fuzz/new/$1" && rm -rf "${corpus:?}/$1" &&
        mv "$work/merged" "$corpus/$1"
}

echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n > 9; }' >"$work/empty.c"
case ${1:-} in
replay)
    accepts "building the fuzzers" build_replay
    for name in $all_names; do
        accepts "corpus of fuzz_$name" "$work/replay" "$name" "$corpus/$name"
    done
    ;;
merge)
    shift
    # shellcheck disable=SC2048
    for name in ${*:-$all_names}; do accepts "corpus of fuzz_$name" merge "$name"; done
    ;;
*)
    if have clang && clang -fsanitize=fuzzer,$kinds -o "$work/empty" "$work/empty.c" 2>"$work/log"; then
        accepts "building the fuzzers" build
        # shellcheck disable=SC2048,SC2086
        [ "$failed" -gt 0 ] || search_all ${*:-$all_names}
    else
        echo "fuzzers: skipped"
    fi
    ;;
esac
finish
