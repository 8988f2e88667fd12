#!/bin/sh
# The documents: what they print compiles as it stands, programs run, links lead somewhere, and
# sentences are short. The README is short as well. The book's paths are as long as they say.
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh

README_LINES=250
SHORT="README.md examples/README.md examples/SPARSE.md examples/papers/README.md tests/tables/README.md"

# ---- Code ----

sed -n '/^ \* THE WHOLE OF IT/,/^ \* INCLUDING IT/s/^ \*  \{0,1\} \{0,1\} \{0,1\} \{0,1\}//p' devcloth.h |
    sed '/^THE WHOLE OF IT$/d; /^INCLUDING IT$/d' >"$work/header.c"

# Each ```c block of a document becomes a file of its own.
for document in README.md examples/SPARSE.md; do
    awk -v file="$work/$(basename "$document" .md)_" '
        /^```c$/ { inside = 1; name = file (++count) ".c"; next }
        /^```/ { inside = 0 }
        inside { print >name }' "$document"
done

# Lines that are no program by themselves are the inside of a function that has what they name.
fragment() {
    cat <<'END'
#include "devcloth.h"
void draw(const dc_vec3 *positions);
void use(dc_mesh_desc mesh, void *memory, size_t memory_bytes);
void use(dc_mesh_desc mesh, void *memory, size_t memory_bytes)
{
    dc_cloth_desc cloth = dc_cloth_defaults();
    dc_world_desc desc = dc_world_defaults();
    dc_plan plan;
    dc_world *world;
    dc_error error;
END
    cat "$1"
    echo "}"
}

# The README's devcloth.c, which the other programs are linked with.
library=$(grep -l DEVCLOTH_IMPLEMENTATION "$work"/README_*.c | head -n 1)
compiled="${CC:-cc} -std=c99 -pedantic -Wall -Wextra -Werror -O1 -I."
for real in $precisions; do
    # shellcheck disable=SC2086
    accepts "devcloth.c, $real" $compiled $real -c -o "$work/devcloth$real.o" "$library"
done

for file in "$work"/header.c "$work"/README_*.c "$work"/SPARSE_*.c; do
    name=$(basename "$file")
    [ "$file" != "$library" ] || continue
    if ! grep -q 'main(' "$file"; then
        fragment "$file" >"$work/fragment.c"
        # shellcheck disable=SC2086
        accepts "$name" $compiled -c -o "$work/fragment.o" "$work/fragment.c"
        continue
    fi
    for real in $precisions; do
        rm -f "$work/a.out"
        object=
        grep -q DEVCLOTH_IMPLEMENTATION "$file" || object="$work/devcloth$real.o"
        # shellcheck disable=SC2086
        accepts "$name, $real" $compiled $real -o "$work/a.out" "$file" $object -lm
        [ -x "$work/a.out" ] || continue
        (cd "$work" && ./a.out) >"$work/said" 2>&1
        if [ $? -eq 0 ] && [ -s "$work/said" ]; then pass; else fail "$name, $real, run" "$work/said"; fi
        echo "$name, $real: $(tail -n 1 "$work/said")"
    done
done

# ---- Prose ----

# is_short FILE...: no sentence is too long
is_short() {
    awk -f tests/compile/prose.awk "$@" >"$work/long"
    cat "$work/long"
    [ ! -s "$work/long" ]
}

# shellcheck disable=SC2086
accepts "sentences of 25 words" is_short $SHORT
printf 'One %s.\nTwo.\n' "$(printf 'word%.0s ' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25)" \
    >"$work/prose.md"
refuses "a sentence of 26 words" "26 words" is_short "$work/prose.md"

lines=$(wc -l <README.md)
if [ "$lines" -le "$README_LINES" ]; then pass; else fail "README.md has $lines lines"; fi

# ---- The book ----

# leads FILE: its paths have chapters that are there, and as many lines as they say
leads() {
    awk -f tests/compile/paths.awk "$1" "$1" >"$work/astray"
    cat "$work/astray"
    [ ! -s "$work/astray" ]
}

accepts "paths of the book" leads devcloth_impl.h
sed 's/^\( \* .* \)2,800  9 10 11/\12,400  9 99 11 10/' devcloth_impl.h >"$work/astray.h"
refuses "a path of too few lines" "should stand there" leads "$work/astray.h"
refuses "a path to nowhere" "no chapter 99" leads "$work/astray.h"
refuses "a path backwards" "10 is out of order" leads "$work/astray.h"

# ---- Links ----

# Relative links, those of pictures too.
for document in README.md examples/*.md examples/*/*.md tests/*.md tests/*/*.md; do
    awk '{
        while (match($0, /\]\([^)# ]*/)) {
            print substr($0, RSTART + 2, RLENGTH - 2)
            $0 = substr($0, RSTART + RLENGTH)
        }
    }' "$document" | sort -u >"$work/links"
    while read -r link; do
        case $link in "" | http*) continue ;; esac
        if [ -e "$(dirname "$document")/$link" ]; then pass; else fail "$document: no file $link"; fi
    done <"$work/links"
done
finish
