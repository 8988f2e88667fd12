#!/bin/sh
# What the tuned constants do. Each is halved and doubled in a copy of the library, and a scene of
# tests/ports/hash.c is run with it.
#
#     constants.sh          prints tests/tables/constants.md
#     constants.sh check    whether each constant of the table is one of the library
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Constant, scene and what is counted in it.
rows() {
    grep -v '^$' <<'END'
DCI_CONTACT_ROW_MOTION_TOL steered newton
DCI_CONTACT_ROW_TOL_MIN squeezed newton
DCI_CONTACT_ROW_TOL_MAX pressed newton
DCI_CONTACT_ROW_FORCE_TOL steered newton
DCI_CONTACT_ROW_ITERATIONS steered newton
DCI_CONTACT_ROW_YIELD pressed newton
END
}

# value NAME: as the library has it
value() {
    sed -n -e "s|^#define $1 ||p" -e "s|.*\b$1 = \([0-9]*\).*|\1|p" devcloth_impl.h |
        sed -e 's| */\*.*||' -e 's|DCI_R(\([^)]*\))|\1|g' -e 's|sizeof(dc_real) == 4|float|' | head -1
}

# count NAME FACTOR SCENE FIELD: with FACTOR, as 1 / 2, times the constant
count() {
    mkdir -p "$work/tests"
    cp -r tests/ports "$work/tests/" && cp devcloth.h "$work/"
    sed -e "s|^\(#define $1 \)\([^/]*\)|\1(DCI_R(1.0) * $2 * (\2))|" \
        -e "s|\b$1 = \([0-9]*\)|$1 = (\1 * $2)|" devcloth_impl.h >"$work/devcloth_impl.h"
    ${CC:-cc} -std=c99 -O2 -w "$work/tests/ports/hash.c" -o "$work/hash" -lm &&
        timeout 300 "$work/hash" 200 "$3" | tail -1 |
        awk -v field="$4" '{ for (i = 1; i < NF; i++) if ($i == field) found = $(i + 1) }
            END { print found == "" ? "fails" : found }'
}

case ${1:-} in
check)
    rows | while read -r name scene field; do
        [ -n "$(value "$name")" ] || { echo "$name, $scene, $field: no such constant"; exit 1; }
    done
    exit
    ;;
esac
cat <<'END'
# The tuned constants

Printed by `make constants-table`. Each constant is halved and doubled, and a scene of
[../ports/hash.c](../ports/hash.c) counts what that costs. Other constants follow from number formats or from
an equation, as the text beside them says.

| constant | value | scene | counts | half | as it is | twice |
| --- | --- | --- | --- | --- | --- | --- |
END
rows | while read -r name scene field; do
    echo "| $name | $(value "$name") | $scene | $field | $(count "$name" "1 / 2" "$scene" "$field") |" \
        "$(count "$name" 1 "$scene" "$field") | $(count "$name" 2 "$scene" "$field") |"
done
