#!/bin/sh
# Parts that are left out: each switch alone and sensible combinations compile without a warning, and
# what is left gives the bits that it gives with everything.
#
#     parts.sh           the test
#     parts.sh table     prints tests/tables/parts.md: what each switch saves
#     parts.sh metrics   prints the sizes of three small programs, for build/bench size
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh

switches="DC_NO_DRAPE DC_NO_RIBBONS DC_NO_GLOBAL_IMPACTS DC_NO_COLLISIONS DC_NO_CLOTH DC_NO_DIRECT DC_NO_CG DC_ONLY_SPARSE"
sheet="DC_NO_RIBBONS DC_NO_COLLISIONS DC_NO_CG"
ribbon="DC_NO_CLOTH DC_NO_COLLISIONS DC_NO_DIRECT DC_NO_CG"
cholesky=DC_ONLY_SPARSE

# -D before each of the names
defines() { for each in $1; do printf ' -D%s' "$each"; done; }

# text WANT SWITCHES: bytes of text on a Cortex-M4F of the least program that has this one
text() {
    # shellcheck disable=SC2046
    arm-none-eabi-gcc -std=c99 -Os -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 \
        -ffunction-sections -fdata-sections -Wl,--gc-sections --specs=nosys.specs -DDEVCLOTH_SINGLE \
        -DDC_NO_CHECKS -DWANT_"$1" $(defines "$2") tests/compile/parts.c -o "$work/m4f" -lm 2>"$work/log" || {
        cat "$work/log"
        exit 1
    }
    arm-none-eabi-size "$work/m4f" | awk 'NR == 2 { print $1 }'
}

metrics() {
    have arm-none-eabi-gcc || return
    echo "metric size.m4f.sheet.bytes $(text SHEET "$sheet") bytes"
    echo "metric size.m4f.ribbon.bytes $(text RIBBON "$ribbon") bytes"
    echo "metric size.m4f.cholesky.bytes $(text SPARSE "$cholesky") bytes"
}

# lines SWITCHES: of devcloth_impl.h that are left
lines() { awk -v off="$1" -f tests/compile/parts.awk devcloth_impl.h; }

# Text of everything, as an object file: what nobody calls counts too.
object() {
    # shellcheck disable=SC2046
    arm-none-eabi-gcc -std=c99 -Os -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 \
        -DDEVCLOTH_SINGLE -DDC_NO_CHECKS $(defines "$1") -c tests/compile/implementation.c \
        -o "$work/all.o" &&
        arm-none-eabi-size "$work/all.o" | awk 'NR == 2 { print $1 }'
}

table() {
    cat <<'END'
# What is left out, and what that saves

Printed by `sh tests/compile/parts.sh table`: `arm-none-eabi-gcc -Os` for a Cortex-M4F, floats. First the
whole library as one object file, and its lines, with one switch.

| switch | text, KB | saved, KB | lines of devcloth_impl.h |
| --- | --- | --- | --- |
END
    whole=$(object "")
    for one in "" $switches; do
        bytes=$(object "$one")
        echo "| ${one:-none} | $((bytes / 1000)) | $(((whole - bytes) / 1000)) | $(lines "$one") |"
    done
    cat <<'END'

Then the least programs, linked, sections collected, with what they need of the C library.

| program | switches | text, KB | lines |
| --- | --- | --- | --- |
END
    echo "| a sheet | none | $(($(text SHEET "") / 1000)) | $(lines "") |"
    echo "| a sheet | $sheet | $(($(text SHEET "$sheet") / 1000)) | $(lines "$sheet") |"
    echo "| a ribbon | $ribbon | $(($(text RIBBON "$ribbon") / 1000)) | $(lines "$ribbon") |"
    echo "| Cholesky | $cholesky | $(($(text SPARSE "$cholesky") / 1000)) | $(lines "$cholesky") |"
}

strict="-std=c99 -pedantic -Wall -Wextra -Wconversion -Wshadow -Wdouble-promotion -Wcast-qual -Wundef
    -Werror"
everything="-std=c99 -Weverything -Werror -Wno-padded -Wno-float-equal -Wno-comma
    -Wno-unknown-warning-option -Wno-unsafe-buffer-usage -Wno-declaration-after-statement
    -Wno-switch-default"

# says SWITCHES: the program prints some of the lines that it prints with everything
says() {
    # shellcheck disable=SC2046
    accepts "gcc, $1, $real" gcc $strict -O${all:-0} $real $(defines "$1") tests/compile/parts.c \
        -o "$work/parts" -lm || return
    if "$work/parts" >"$work/said" && ! grep -v -x -F -f "$work/all_$real" "$work/said" >"$work/log"; then
        pass
    else
        fail "$1, $real: other bits" "$work/said"
    fi
}

case ${1:-} in
metrics | table)
    "$1"
    exit
    ;;
esac
for real in $precisions; do
    have gcc || break
    gcc -std=c99 "$real" tests/compile/parts.c -o "$work/parts" -lm && "$work/parts" >"$work/all_$real"
    for one in $switches; do says "$one"; done
    says "$sheet"
    says "$ribbon"
    for some in "DC_NO_RIBBONS DC_NO_DRAPE" "DC_NO_CLOTH DC_NO_RIBBONS DC_NO_DRAPE" \
        "DC_NO_CLOTH DC_NO_DRAPE" "DC_NO_CLOTH DC_NO_RIBBONS" \
        "DC_NO_DIRECT DC_NO_RIBBONS"; do
        [ -z "$all" ] || says "$some"
    done
    # Units may disagree, but not use what is left out.
    gcc -std=c99 "$real" -DDC_NO_RIBBONS -DDC_NO_COLLISIONS -c tests/compile/implementation.c -o "$work/a.o"
    accepts "a user of cloth, $real" gcc -std=c99 "$real" -DUNIT_MAIN tests/compile/use.c "$work/a.o" \
        -o "$work/parts" -lm
    accepts "a user of cloth, $real, run" "$work/parts"
    gcc -std=c99 "$real" -DUNIT_MAIN -DCOLLIDES tests/compile/use.c "$work/a.o" -o "$work/parts" -lm
    refuses "a user of collisions, $real" "refused collides" "$work/parts"
    for one in $switches "$sheet" "$ribbon"; do
        [ -n "$all" ] || [ "$one" = "$sheet" ] || [ "$one" = DC_ONLY_SPARSE ] || continue
        have clang || break
        # shellcheck disable=SC2046
        accepts "clang -Weverything, $one, $real" clang $everything $real $(defines "$one") \
            -fsyntax-only tests/compile/implementation.c
        # shellcheck disable=SC2046
        accepts "g++, $one, $real" g++ -x c++ -std=c++11 -Wall -Wextra -Werror $real $(defines "$one") \
            -fsyntax-only tests/compile/implementation.c
    done
done
finish
