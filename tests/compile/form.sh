#!/bin/sh
# The rules of the library's form (form.awk), and that each of them can be broken.
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh

# obeys FILE [AWK-OPTION...]: nothing is complained about
obeys() {
    file=$1
    shift
    awk "$@" -f tests/compile/form.awk "$file" && awk "$@" -f tests/compile/form.awk "$file" |
        awk 'END { exit NR > 0 }'
}

# breaks TEXT CODE: a copy of the implementation with this line at its end is complained about
breaks() {
    cp devcloth_impl.h "$work/broken.h"
    printf '%s\n' "$2" >>"$work/broken.h"
    refuses "form: $2" "$1" obeys "$work/broken.h"
}

accepts "devcloth_impl.h" obeys devcloth_impl.h
accepts "devcloth.h" obeys devcloth.h -v header=1

# named FILE...: functions that the text calls `dci_name()` are there
named() {
    grep -ohE '\bdci?_[a-z0-9_]+\(\)' "$@" | sort -u | sed 's/()//' | while read -r name; do
        grep -qE "(^|[ *])$name\((void|[a-z])" devcloth.h devcloth_impl.h || echo "there is no $name()"
    done >"$work/unnamed"
    cat "$work/unnamed"
    [ ! -s "$work/unnamed" ]
}
accepts "functions that the text names" named devcloth.h devcloth_impl.h README.md tests/README.md examples/*.md
echo "see dci_not_there()" >"$work/text"
refuses "a function that is not there" "there is no dci_not_there" named "$work/text"

# listed FILE...: tests that are written are also in the list of their file
listed() {
    cat "$@" >"$work/tests"
    grep -oE '^static void test_[a-z0-9_]+' "$work/tests" | cut -d' ' -f3 | while read -r name; do
        [ "$(grep -cw "$name" "$work/tests")" -gt 1 ] || echo "$name is not run"
    done >"$work/idle"
    cat "$work/idle"
    [ ! -s "$work/idle" ]
}
accepts "tests that are written are run" listed tests/*.c
echo "static void test_idle(void)" >"$work/text"
refuses "a test that is not run" "test_idle is not run" listed "$work/text"

breaks "ahead of its definition: dci_later" "static dc_real dci_later(const dc_real *x, int i);"
breaks "function helper has the wrong prefix" "static int helper(int i)
{
    return i;
}"
breaks "function dci_open has the wrong prefix" "int dci_open(int i)
{
    return i;
}"
breaks "not constant" "static int dci_calls;"
breaks "not constant" "static const char *dci_name = 0;"
breaks "not constant" "static int dci_table[2] = {1, 2};"
breaks "static variable inside" "static int dci_count(void)
{
    static int calls;
    return calls++;
}"
breaks "type list has the wrong prefix" "typedef struct dci_list { int i; } list;"
breaks "enumerator SIDE has" "enum { DCI_FIRST, SIDE = 3 };"
breaks "macro SIDE has" "#define SIDE 3"
breaks "dc_later does not begin with dci_enter()" "dc_status dc_later(dc_error *error)
{
    return dci_succeed(error);
}"
breaks "they wipe the name" "static dc_status dci_again(dc_error *error)
{
    return dci_succeed(error);
}"
breaks "handed to a public function" "static dc_status dci_again(dc_world *world, dc_error *error)
{
    return dc_world_step(world, 1, NULL, error);
}"
breaks "has 76 lines" "$(
    echo 'static void dci_long(void)'
    echo '{'
    awk 'BEGIN { for (i = 0; i < 73; i++) print "    ;" }'
    echo '}'
)"
finish
