#!/bin/sh
# Ways to compile and link the library: one and two translation units, C and C++, each configuration
# macro, after macros of other headers, and what must be refused.
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh

dir=tests/compile
strict="-pedantic -Wall -Wextra -Werror"

# builds NAME COMMAND...: compiles a program and runs it
builds() {
    name=$1
    shift
    rm -f "$work/a.out"
    accepts "$name" "$@" -o "$work/a.out" -lm
    [ ! -x "$work/a.out" ] || accepts "$name: run" "$work/a.out"
}

for cc in gcc clang tcc; do
    is_asked $cc || continue
    c99="$cc -std=c99 $strict"
    [ $cc != tcc ] || c99="tcc -Wall -Werror"
    for real in $precisions; do
        [ "$cc $real" != "tcc -DDEVCLOTH_SINGLE" ] || continue
        is="$cc, $real"
        builds "$is, one unit" $c99 $real -DUNIT_MAIN -DDEVCLOTH_IMPLEMENTATION $dir/use.c
        builds "$is, two units" $c99 $real -DUNIT_MAIN $dir/use.c $dir/implementation.c
        builds "$is, overrides" $c99 $real $dir/overrides.c

        # Functions that a unit does not use: it is told so about static ones, unless it looks away.
        static="$c99 $real -Wno-unused-function -DDEVCLOTH_STATIC -DDEVCLOTH_IMPLEMENTATION"
        [ -z "$all" ] || builds "$is, static" $static -DUNIT_MAIN $dir/use.c
        accepts "$is, static, second" $static -DENTRY=second -c -o "$work/second.o" $dir/use.c
        builds "$is, static in two units" $static -DUNIT_MAIN -DSECOND=second $dir/use.c \
            "$work/second.o"
    done
    if [ $cc = tcc ]; then
        refuses "tcc, single" "use double" $c99 -DDEVCLOTH_SINGLE -c -o "$work/a.o" \
            $dir/implementation.c
        continue
    fi
    accepts "$cc, one in single" $c99 -DDEVCLOTH_SINGLE -c -o "$work/single.o" $dir/implementation.c
    refuses "$cc, units that disagree about DEVCLOTH_SINGLE" "dc_world_init" \
        $c99 -DUNIT_MAIN $dir/use.c "$work/single.o" -o "$work/a.out" -lm
done

for cc in gcc clang; do
    is_asked $cc || continue
    accepts "$cc, DC_API" $cc -std=c99 $strict '-DDC_API=__attribute__((visibility("hidden"))) extern' \
        -c -o "$work/a.o" $dir/implementation.c
    builds "$cc, newest C" $cc -std=gnu2x $strict -DUNIT_MAIN -DDEVCLOTH_IMPLEMENTATION $dir/use.c
    refuses "$cc, C89" "devcloth needs C99" $cc -std=c89 -fsyntax-only $dir/implementation.c
    errors=$($cc -std=c90 -fsyntax-only $dir/implementation.c 2>&1 | grep -c 'error:')
    if [ "$errors" -eq 1 ]; then pass; else fail "$cc, C90: $errors errors for one reason"; fi
    refuses "$cc, -ffast-math" "DC_ALLOW_INEXACT" \
        $cc -std=c99 -ffast-math -fsyntax-only $dir/implementation.c
    accepts "$cc, -ffast-math with DC_ALLOW_INEXACT" \
        $cc -std=c99 -ffast-math -DDC_ALLOW_INEXACT -fsyntax-only $dir/implementation.c
    [ -z "$all" ] ||
        accepts "$cc, compiled as C" $cc -std=c99 -c -o "$work/c_$cc.o" $dir/implementation.c
done

# As C++, also as newer standards have it, where arithmetic of numbers and enumerators is an error.
for cxx in g++ clang++; do
    have $cxx || continue
    for std in c++11 c++20 c++2b; do
        # use.c by its name is C.
        as_cxx="$cxx -std=$std $strict -x c++"
        $as_cxx -fsyntax-only /dev/null 2>/dev/null || continue
        for real in $precisions; do
            accepts "$cxx, $std, $real, warnings" $as_cxx $real -Wconversion -Wdouble-promotion -Wshadow \
                -Wcast-align -fsyntax-only $dir/implementation.c
            [ "$std" = c++11 ] || [ -n "$all" ] || continue
            is_asked $cxx || continue
            builds "$cxx, $std, $real" $as_cxx $real -DUNIT_MAIN -DDEVCLOTH_IMPLEMENTATION $dir/use.c
        done
    done
    [ -n "$all" ] || continue
    builds "$cxx, static" $cxx -std=c++11 $strict -x c++ -Wno-unused-function -DUNIT_MAIN \
        -DDEVCLOTH_STATIC -DDEVCLOTH_IMPLEMENTATION $dir/use.c
    [ -f "$work/c_gcc.o" ] || continue
    accepts "$cxx, a user in C++" $cxx -std=c++11 $strict -x c++ -DUNIT_MAIN \
        -c -o "$work/use.o" $dir/use.c
    builds "$cxx, of a library in C" $cxx "$work/use.o" "$work/c_gcc.o"
done

# After headers of platforms and engines, whose macros have the names of ordinary words.
for compiler in "gcc -std=c99" "clang -std=c99" "g++ -std=c++11 -x c++" "clang++ -std=c++11 -x c++"; do
    is_asked "${compiler%% *}" || continue
    for real in $precisions; do
        after="$compiler $real -include $dir/foreign.h -fsyntax-only"
        accepts "$compiler, $real, after foreign headers" $after $dir/implementation.c
        refuses "$compiler, $real, after a macro of a name that is there" "error" \
            $after -Dcorner_of_edge=near $dir/implementation.c
    done
done

# What examples/common offers, called from C++, has the names that C gives it.
if have g++ && have nm; then
    for header in examples/common/*.h; do echo "#include \"$header\""; done >"$work/common.cpp"
    sed -n '/^static/d; s/^[a-z][a-z_0-9 ]*[ *]\([a-z_0-9]*\)(.*/\1/p' examples/common/*.h |
        sort -u | sed '1s/^/void (*used[])(void) = {\n/; s/[a-z_0-9]*$/(void (*)(void))&,/
            $s/$/};/' >>"$work/common.cpp"
    accepts "examples/common in C++" g++ -std=c++11 $strict -Wno-unused-function -Wno-cast-function-type \
        -I. -c -o "$work/common.o" "$work/common.cpp"
    if nm "$work/common.o" | grep ' U _Z' >"$work/log"; then
        fail "examples/common without extern \"C\"" "$work/log"
    else
        pass
    fi
fi

if have gcc; then
    # A broken precondition ends in the user's DC_ASSERT, here exit(99).
    accepts "gcc, DC_ASSERT" gcc -std=c99 -DBREAK_PRECONDITION $dir/overrides.c -o "$work/a.out" -lm
    "$work/a.out" >/dev/null
    if [ $? -eq 99 ]; then pass; else fail "DC_ASSERT was not called"; fi
    # Without one, the program says what is wrong, and aborts, with NDEBUG too.
    accepts "gcc, checks" gcc -std=c99 -DNDEBUG -DBREAK_PRECONDITION -DDEVCLOTH_IMPLEMENTATION \
        -DUNIT_MAIN $dir/use.c -o "$work/a.out" -lm
    (ulimit -c 0 && "$work/a.out") >/dev/null 2>"$work/log"
    if [ $? -gt 128 ] && grep -q 'dc_body_positions' "$work/log"; then
        pass
    else
        fail "a broken precondition was not told" "$work/log"
    fi
    # Without a C library only the headers of the compiler are there, and those two.
    accepts "gcc, freestanding" gcc -std=c99 -ffreestanding -nostdinc -Iexamples/web/wasm \
        -isystem "$(gcc -print-file-name=include)" -fsyntax-only $dir/implementation.c
fi
finish
