#!/bin/sh
# dc_float_check() is silent in the library's own mode, and finds each thing in a mode that has it.
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh

# Static, so that the compiler drops all that is not used and is done soon.
cat >"$work/check.c" <<'END'
#define DEVCLOTH_STATIC
#define DEVCLOTH_IMPLEMENTATION
#include "devcloth.h"
#include <stdio.h>
int main(void) { printf("%d\n", dc_float_check()); return 0; }
END

# finds BITS COMMAND...: these bits are among those found; 0: nothing is found
finds() {
    bits=$1
    shift
    if ! "$@" -I. -o "$work/check" "$work/check.c" -lm >"$work/log" 2>&1; then
        fail "$*" "$work/log"
        return
    fi
    found=$("$work/check")
    if [ "$bits" -eq 0 ] && [ "$found" = 0 ]; then
        pass
    elif [ "$bits" -gt 0 ] && [ $((found & bits)) -eq "$bits" ]; then
        pass
    else
        fail "$*: found $found, not $bits"
    fi
}
contracted=1 excess=2 reassociated=4 nan_lost=8 flushed=16

for real in -DDC_REAL_IS_DOUBLE -DDEVCLOTH_SINGLE; do
    for cc in gcc clang; do
        have $cc || continue
        finds 0 $cc -std=c99 -O0 $real
        finds 0 $cc -std=c99 -O3 $real
        finds 0 $cc -O3 -march=native $real
        inexact="$cc -O2 $real -DDC_ALLOW_INEXACT"
        finds 0 $inexact -std=c99 -ffp-contract=off
        if grep -q -w fma /proc/cpuinfo; then
            finds $contracted $inexact -std=gnu99 -march=native -ffp-contract=fast
        else
            echo "contraction: skipped, the processor has no fma"
        fi
        finds $((reassociated | nan_lost | flushed)) $inexact -std=c99 -ffast-math
        finds $reassociated $inexact -std=c99 -funsafe-math-optimizations
        finds $nan_lost $inexact -std=c99 -ffinite-math-only
    done
    # These two define no macro by which they could be refused, and no pragma stops clang.
    if have clang; then
        finds $reassociated clang -O2 $real -funsafe-math-optimizations
        finds $nan_lost clang -O2 $real -ffinite-math-only
    fi
    if [ $real = -DDC_REAL_IS_DOUBLE ] && have tcc; then finds 0 tcc $real; fi

    # i686: gcc -m32 where its libraries are installed, else the cross compiler.
    m32="gcc -m32"
    $m32 -o "$work/a.out" "$work/check.c" -I. -lm >/dev/null 2>&1 || m32="i686-linux-gnu-gcc -static"
    if have ${m32%% *}; then
        finds $excess $m32 -std=c99 -mfpmath=387 -O1 $real -DDC_ALLOW_INEXACT
        finds 0 $m32 -std=c99 -msse2 -mfpmath=sse -O1 $real
    fi
done
finish
