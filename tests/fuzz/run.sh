#!/bin/sh
# The fuzzers of tests/fuzz.
#
#     run.sh replay         no search: each runs over its corpus once, under the address and
#                           undefined-behaviour sanitizers where the usual compiler has them
#     run.sh build          builds the searching program, build/fuzz/search: clang with libFuzzer
#     run.sh search NAME    searches from the corpus for FUZZ_SECONDS, beginning at FUZZ_SEED; what
#                           breaks an invariant, or takes longer than SLOW, ends up in
#                           build/fuzz/finds, what is new in build/fuzz/new
#     run.sh merge          after a search: few of the inputs, new or not, that together execute what
#                           all of them execute, become the corpora
#     run.sh merge NAME...
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh
seconds=${FUZZ_SECONDS:-60}
seed=${FUZZ_SEED:-1}
slow=60 # [s] an input that takes longer tells that work is not bounded: a find, no failure
all_names="obj mesh cholesky ccd world drape"
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
options="-std=c99 -O1 -g1 -DDC_PLAIN_C -Wall -Wextra -Wno-unused-function"
watched="-fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all
    -fno-omit-frame-pointer"
sources="tests/fuzz/all.c examples/common/files.c"

# links COMMAND...: whether it makes a program of an empty fuzzer
echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n > 9; }' >"$work/empty.c"
links() { "$@" -o "$work/empty" "$work/empty.c" 2>"$work/log"; }

# search NAME: lengths may be any from the start; what is quick is preferred
search() {
    mkdir -p "build/fuzz/new/$1" build/fuzz/finds
    FUZZ_TARGET=$1 build/fuzz/search -seed="$seed" -max_total_time="$seconds" \
        -max_len="$(length_of "$1")" -len_control=0 -entropic_scale_per_exec_time=1 \
        -timeout=$slow -timeout_exitcode=70 -print_final_stats=1 \
        -artifact_prefix="build/fuzz/finds/$1-" "build/fuzz/new/$1" "$corpus/$1" >"$work/said" 2>&1
    status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: //p' "$work/said")
    echo "$1: ${runs:-some} inputs from seed $seed"
    if [ $status -eq 70 ]; then
        echo "$1: an input takes more than $slow s: $(ls -t build/fuzz/finds/"$1"-timeout-* | head -n 1)"
        pass
    elif [ $status -eq 0 ] && [ -n "$runs" ]; then
        pass
    else
        grep -a -e 'broken:' -e 'ERROR' -e 'error:' -e '^ *#[0-9] .*devcloth' -e 'Test unit' \
            "$work/said" >"$work/why"
        fail "fuzz_$1" "$work/why"
    fi
}

# merge NAME
merge() {
    rm -rf "$work/merged"
    mkdir -p "$work/merged" "build/fuzz/new/$1" "$corpus/$1"
    FUZZ_TARGET=$1 build/fuzz/search -set_cover_merge=1 -use_counters=0 -max_len="$(length_of "$1")" \
        "$work/merged" "$corpus/$1" "build/fuzz/new/$1" && rm -rf "${corpus:?}/$1" &&
        mv "$work/merged" "$corpus/$1"
}

case ${1:-replay} in
replay)
    echo 'int main(void) { return 0; }' >"$work/empty.c"
    # shellcheck disable=SC2086
    links ${CC:-cc} $watched || { echo "sanitizers: skipped" && watched=; }
    # shellcheck disable=SC2086
    accepts "building the fuzzers" ${CC:-cc} $options $watched -o "$work/replay" tests/fuzz/replay.c \
        $sources -lm
    for name in $all_names; do
        accepts "corpus of fuzz_$name" "$work/replay" "$name" "$corpus/$name"
    done
    ;;
build)
    # shellcheck disable=SC2086
    have clang && links clang -fsanitize=fuzzer $watched || exit 0
    # shellcheck disable=SC2086
    clang $options -fsanitize=fuzzer $watched -o build/fuzz/search $sources -lm
    exit
    ;;
search)
    if [ -x build/fuzz/search ]; then search "$2"; else echo "libFuzzer: skipped"; fi
    ;;
merge)
    shift
    # shellcheck disable=SC2048
    for name in ${*:-$all_names}; do accepts "corpus of fuzz_$name" merge "$name"; done
    ;;
esac
finish
