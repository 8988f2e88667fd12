#!/bin/sh
# What the object file of the library needs and offers: of libc memcpy, memset, memmove and sqrt, and
# with checks what assert() calls; no writable data; every public function and nothing else.
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh

# none NAME FILE: the file with the exceptions is empty
none() {
    if [ -s "$2" ]; then fail "$1" "$2"; else pass; fi
}

sed -n 's/^DC_API .*[ *]\(dc_[a-z0-9_]*\)(.*/\1/p' devcloth.h | sort >"$work/declared"
[ "$(wc -l <"$work/declared")" -gt 30 ] || fail "the header's functions were not found"

have nm || finish
levels=-O0
[ -z "$all" ] || levels=-O2
for cc in gcc clang; do
    is_asked $cc || continue
    for level in $levels; do
        # Not position-independent: constant tables of pointers stay in read-only data.
        for real in -DDC_REAL_IS_DOUBLE -DDEVCLOTH_SINGLE -DDC_NO_CHECKS; do
            is="$cc $level $real"
            if ! $cc -std=c99 $level $real -fno-pic -c -o "$work/a.o" tests/compile/implementation.c \
                >"$work/log" 2>&1; then
                fail "$is" "$work/log"
                continue
            fi
            root=sqrt
            suffix= # of every public function
            if [ $real = -DDEVCLOTH_SINGLE ]; then
                root=sqrtf
                suffix=_single
            fi
            sed "s/\$/$suffix/" "$work/declared" | sort >"$work/expected"
            checks='__assert_fail|__assert_func'
            [ $real != -DDC_NO_CHECKS ] || checks=none
            nm -P "$work/a.o" >"$work/all"
            awk -v root=$root -v checks="^($checks)\$" '$2 == "U" && $1 != root && $1 !~ checks &&
                $1 !~ /^(memcpy|memset|memmove|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_)$/' \
                "$work/all" >"$work/undefined"
            none "$is: needs more than it says" "$work/undefined"
            awk '$2 !~ /^[UTtRr]$/' "$work/all" >"$work/writable"
            none "$is: writable data" "$work/writable"
            awk '$2 ~ /[A-Z]/ && $2 != "U" { print $1 }' "$work/all" | sort >"$work/defined"
            diff "$work/expected" "$work/defined" >"$work/differences"
            none "$is: public functions declared (<) and defined (>)" "$work/differences"
            # With a dot: tables inside functions, and what compilers make up.
            awk '$2 ~ /[a-z]/ && $1 !~ /^dci_/ && $1 !~ /\./' "$work/all" >"$work/names"
            none "$is: private names without dci_" "$work/names"
        done
    done
done

# Floats on a processor that has no doubles: integers of 64 bits may need help, numbers may not.
if [ -n "$all" ] && have arm-none-eabi-gcc; then
    accepts "arm, single" arm-none-eabi-gcc -std=c99 -Os -DDEVCLOTH_SINGLE -DDC_NO_CHECKS \
        -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard -c -o "$work/arm.o" \
        tests/compile/implementation.c
    arm-none-eabi-nm -P "$work/arm.o" | awk '$2 == "U" &&
        $1 !~ /^(memcpy|memset|memmove|sqrtf|__aeabi_(f2lz|u?l2f|u?ldivmod))$/' >"$work/undefined"
    none "arm, single: needs more than it says" "$work/undefined"
fi
finish
