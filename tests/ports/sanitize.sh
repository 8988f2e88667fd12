#!/bin/sh
# The tests and hash.c under the sanitizers of clang, some scenes of hash.c under valgrind as well: memory errors,
# leaks, undefined behaviour, values read before they are set, divisions by zero and integers that
# wrap where nobody meant it. And factorisations on threads under the thread sanitizer of gcc: what
# one thread reads while another writes.
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh
. tests/ports/targets.sh

# Meant: the library makes a NaN to return or to look at, and mixes bits in hashes and random numbers.
# The tests make what they feed it.
cat >"$work/meant" <<'END'
[float-divide-by-zero]
fun:dc_float_check*
fun:dci_sine
fun:dc_acos*
fun:dci_atanh
src:*tests/*.c
src:*tests/support/*
[unsigned-integer-overflow]
fun:dci_mix
fun:dci_cells_bucket
fun:dci_random
fun:dci_hash_reals
src:*tests/*.c
END
kinds=address,undefined,integer,float-divide-by-zero,float-cast-overflow
# In plain C: clang needs many minutes for kernels unrolled and instrumented. Those run in valgrind.
options="-std=c99 -g1 -DDC_PLAIN_C -fno-sanitize-recover=all -fno-omit-frame-pointer"

# all_tests: but the long ones
all_tests() {
    # shellcheck disable=SC2086
    clang $options -O1 -fsanitize=$kinds -fsanitize-ignorelist="$work/meant" \
        -Wno-unused-function -o "$work/tests" tests/all.c -lm && "$work/tests"
}

echo 'int main(void) { return 0; }' >"$work/empty.c"
make_reference
steps=50
scenes=$(all_but_slow) # the tests have those
tests_id=
if have clang && clang -fsanitize=$kinds -o "$work/empty" "$work/empty.c" 2>"$work/log"; then
    all_tests >"$work/tests.out" 2>&1 & # takes as long as all below
    tests_id=$!
    target "sanitizers" clang $options -O1 -fsanitize=$kinds -fsanitize-ignorelist="$work/meant"
    target "memory sanitizer" clang $options -O1 -fsanitize=memory
else
    echo "sanitizers: skipped"
fi

threads="gcc -std=c99 -g1 -O1 -fsanitize=thread"
if have gcc && $threads -o "$work/empty" "$work/empty.c" 2>"$work/log" && "$work/empty"; then
    accepts "thread sanitizer" $threads -DDEVCLOTH_TEST_THREADS -pthread -Wno-unused-function \
        -o "$work/threads" tests/all.c -lm
    accepts "factorisations on threads" "$work/threads" "on threads"
else
    echo "thread sanitizer: skipped"
fi

# What valgrind finds it says in the output, which then differs.
if have valgrind; then
    scenes="cholesky sheet fall ribbons published"
    emulator="valgrind -q --leak-check=full"
    target "valgrind" ${CC:-cc} -std=c99 -O1 -g
fi

if [ -n "$tests_id" ]; then
    wait $tests_id
    last=$(tail -n 1 "$work/tests.out")
    echo "tests: $last"
    case $last in
    [1-9]*" passed, 0 failed") pass ;;
    *)
        grep -a -e 'runtime error' -e 'ERROR:' -e '^ *#[0-9] ' -e '^FAILED' -e 'error:' \
            "$work/tests.out" >"$work/log"
        fail "tests" "$work/log"
        ;;
    esac
fi
finish
