#!/bin/sh
# Under the sanitizers of clang and gcc, and under valgrind: memory errors, leaks, undefined behaviour,
# values read before they are set, divisions by zero and integers that wrap where nobody meant it, and
# what one thread reads while another writes.
#
#     sanitize.sh tests       the tests, but the long ones
#     sanitize.sh scenes      hash.c, whose results have to be the same as without
#     sanitize.sh memory      the same under the memory sanitizer
#     sanitize.sh threads     factorisations on threads
#     sanitize.sh valgrind    some scenes of hash.c, with the instructions of this machine
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
fun:dci_hash32
fun:dci_cells_bucket
fun:dci_random
fun:dci_hash_byte
src:*tests/*.c
END
kinds=address,undefined,integer,float-divide-by-zero,float-cast-overflow
# In plain C: clang needs many minutes for kernels unrolled and instrumented. Those run in valgrind.
options="-std=c99 -g1 -DDC_PLAIN_C -fno-sanitize-recover=all -fno-omit-frame-pointer"

steps=50
scenes=$(all_but_slow) # the tests have those
echo 'int main(void) { return 0; }' >"$work/empty.c"

# links COMPILER FLAG...: whether the run-time library is there; if not, that is said
links() {
    have "$1" || return 1
    "$@" -o "$work/empty" "$work/empty.c" 2>"$work/log" && "$work/empty" && return 0
    echo "$*: skipped"
    return 1
}

case ${1:-} in
tests)
    links clang -fsanitize=$kinds || finish
    # shellcheck disable=SC2086
    accepts "compiling the tests" clang $options -O1 -fsanitize=$kinds \
        -fsanitize-ignorelist="$work/meant" -Wno-unused-function -o "$work/tests" tests/all.c -lm
    for half in 0 1; do
        "$work/tests" --half $half >"$work/tests$half.out" 2>&1 &
    done
    wait
    for half in 0 1; do
        last=$(tail -n 1 "$work/tests$half.out")
        echo "half of the tests: $last"
        case $last in
        [1-9]*" passed, 0 failed") pass ;;
        *)
            grep -a -e 'runtime error' -e 'ERROR:' -e '^ *#[0-9] ' -e '^FAILED' -e 'error:' \
                "$work/tests$half.out" >"$work/log"
            fail "half of the tests" "$work/log"
            ;;
        esac
    done
    ;;
scenes)
    links clang -fsanitize=$kinds || finish
    # shellcheck disable=SC2086
    target "sanitizers" clang $options -O1 -fsanitize=$kinds -fsanitize-ignorelist="$work/meant"
    ;;
memory)
    links clang -fsanitize=memory || finish
    # shellcheck disable=SC2086
    target "memory sanitizer" clang $options -O1 -fsanitize=memory
    ;;
threads)
    links gcc -fsanitize=thread || finish
    accepts "thread sanitizer" gcc -std=c99 -g1 -O1 -fsanitize=thread -DDEVCLOTH_TEST_THREADS \
        -pthread -Wno-unused-function -o "$work/threads" tests/all.c -lm
    accepts "factorisations on threads" "$work/threads" "on threads"
    ;;
valgrind)
    have valgrind || finish
    # What valgrind finds it says in the output, which then differs.
    scenes="cholesky sheet fall ribbons published"
    emulator="valgrind -q --leak-check=full"
    target "valgrind" "${CC:-cc}" -std=c99 -O1 -g
    ;;
esac
finish
