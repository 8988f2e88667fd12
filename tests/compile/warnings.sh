#!/bin/sh
# The library without a warning as a user would compile it, and everything else of ours likewise.
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh

strict="-std=c99 -pedantic -Wall -Wextra -Wconversion -Wsign-conversion -Wshadow
    -Wdouble-promotion -Wcast-qual -Wundef -Wvla -Werror"

# All that clang knows, but:
everything="-std=c99 -Weverything -Werror
    -Wno-padded
    -Wno-float-equal
    -Wno-comma
    -Wno-unknown-warning-option
    -Wno-unsafe-buffer-usage
    -Wno-declaration-after-statement
    -Wno-switch-default"
# padded: a struct in the user's order costs a few bytes, and that is all.
# float-equal: x - x == 0 asks for finite, and zero is asked for where it is exact.
# comma: "r[0] = x, r[1] = y;" is one line of thought.
# unknown-warning-option: what follows is known to newer versions of clang only:
# unsafe-buffer-usage, declaration-after-statement, switch-default: they forbid C, C99, and a switch
#     whose forgotten cases are found by -Wswitch-enum.

for real in -DDC_REAL_IS_DOUBLE -DDEVCLOTH_SINGLE; do
    if have gcc; then
        # The optimiser sees uninitialised values and bounds that -O0 does not.
        accepts "gcc $real" gcc $strict -O${all:+2} $real -c -o "$work/a.o" tests/compile/implementation.c
        accepts "gcc, a user, $real" gcc $strict $real -fsyntax-only tests/compile/use.c
    fi
    if have clang; then
        accepts "clang -Weverything $real" clang $everything $real -fsyntax-only \
            tests/compile/implementation.c
        accepts "clang -Weverything, a user, $real" clang $everything $real -fsyntax-only \
            tests/compile/use.c
        # The optimiser warns too, where it could not do what a pragma asks for.
        [ -z "$all" ] || accepts "clang -O3 $real" clang -std=c99 -O3 -Wall -Wextra -Werror $real \
            -c -o "$work/a.o" tests/compile/implementation.c
    fi
    # Where enums have no sign.
    if [ -n "$all" ] && have arm-none-eabi-gcc; then
        accepts "arm-none-eabi-gcc $real" arm-none-eabi-gcc -std=c99 -Os -Wall -Wextra -Werror \
            -mcpu=cortex-m4 -mthumb $real -c -o "$work/a.o" tests/compile/implementation.c
    fi
done
for file in examples/*.c examples/papers/*.c examples/common/*.c examples/tool/*.c tests/ports/hash.c tests/compile/overrides.c; do
    have gcc || break
    [ -n "$all" ] || break
    accepts "gcc, $file" gcc $strict -fsyntax-only "$file"
done
for file in examples/*.cpp; do
    [ -n "$all" ] || break
    for compiler in g++ clang++; do
        have $compiler || continue
        accepts "$compiler, $file" $compiler -std=c++11 -pedantic -Wall -Wextra -Werror \
            -fsyntax-only "$file"
    done
done
finish
