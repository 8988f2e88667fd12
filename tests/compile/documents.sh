#!/bin/sh
# The documents: what they print compiles as it stands, programs run, links lead somewhere, every
# public function is shown, and sentences are short. The README is short as well. The book's paths are
# as long as they say, and its page is whole.
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh

README_LINES=250
SHORT="README.md examples/README.md examples/SPARSE.md examples/papers/README.md tests/tables/README.md"

# ---- Code ----

sed -n '/^ \* A WHOLE PROGRAM/,/^ \* MEMORY/s/^ \*     //p' devcloth.h >"$work/header.c"

# Each ```c block of a document becomes a file of its own.
for document in README.md examples/README.md examples/SPARSE.md; do
    awk -v file="$work/$(echo "${document%.md}" | tr / _)_" '
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
    dc_world *world;
    dc_error error;
END
    cat "$1"
    echo "}"
}

# Those of the examples' README are the inside of a function that steers what is made already.
steering() {
    cat <<'END'
#include "devcloth.h"
void blur(const dc_vec3 *positions, const dc_vec3 *velocities);
void log_line(const char *line);
int use(dc_world *world, const dc_info *info, const dc_mesh_desc *mesh, dc_drape *drape,
        dc_collider *collider, dc_vec3 *normals, dc_vec2 *coordinates, dc_real *masses,
        const dc_vec3 *before, dc_vec3 *after, dc_vec3 target, uint64_t recorded);
int use(dc_world *world, const dc_info *info, const dc_mesh_desc *mesh, dc_drape *drape,
        dc_collider *collider, dc_vec3 *normals, dc_vec2 *coordinates, dc_real *masses,
        const dc_vec3 *before, dc_vec3 *after, dc_vec3 target, uint64_t recorded)
{
    dc_error error;
END
    cat "$1"
    echo "return 1;"
    echo "}"
}

# The README's devcloth.c, which the other programs are linked with.
library=$(grep -l DEVCLOTH_IMPLEMENTATION "$work"/README_*.c | head -n 1)
compiled="${CC:-cc} -std=c99 -pedantic -Wall -Wextra -Werror -O1 -I."
for real in $precisions; do
    # shellcheck disable=SC2086
    accepts "devcloth.c, $real" $compiled $real -c -o "$work/devcloth$real.o" "$library"
done

for file in "$work"/header*.c "$work"/README_*.c "$work"/examples_*.c; do
    name=$(basename "$file")
    [ "$file" != "$library" ] || continue
    if ! grep -q 'main(' "$file"; then
        case $name in
        examples_*) steering "$file" ;;
        *) fragment "$file" ;;
        esac >"$work/fragment.c"
        # shellcheck disable=SC2086
        accepts "$name" $compiled -Wno-unused-parameter -c -o "$work/fragment.o" "$work/fragment.c"
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

# shown HEADER: its public functions are called in the examples or in what was compiled here
shown() {
    { git ls-files examples 2>/dev/null || find examples; } | grep '\.[ch]p*$' | xargs cat \
        "$work"/header*.c "$work"/README_*.c "$work"/examples_*.c |
        sed 's,/\*.*\*/,,; /^ \*/d; s,//.*,,' >"$work/users"
    sed -n 's/^DC_API .*[ *]\(dc_[a-z0-9_]*\)(.*/\1/p' "$1" | while read -r name; do
        grep -q "\b$name(" "$work/users" || echo "$name() is shown nowhere"
    done >"$work/unseen"
    cat "$work/unseen"
    [ ! -s "$work/unseen" ]
}

accepts "public functions in the examples" shown devcloth.h
sed 's/^\(DC_API .*\)dc_cloth_correct(/\1dc_cloth_mend(/' devcloth.h >"$work/broken.h"
refuses "a function that no example calls" "dc_cloth_mend() is shown nowhere" shown "$work/broken.h"

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

# has_sections FILE: those that the first page of the header lists
has_sections() {
    sed -n '/^ \*     task  /,/^ \*$/s/^ \*     [^ ].*[^ ]   *\([A-Z].*\)/\1/p' "$1" | tr ';' '\n' |
        sed 's/^ *//' >"$work/sections"
    [ "$(wc -l <"$work/sections")" -gt 10 ] || return
    while read -r section; do
        grep -q "^/\* ---- $section [(-]" "$1" || echo "no section $section"
    done <"$work/sections" >"$work/lost"
    cat "$work/lost"
    [ ! -s "$work/lost" ]
}

accepts "sections of the header" has_sections devcloth.h
sed 's/^\/\* ---- Cloth (/\/* ---- Clothes (/' devcloth.h >"$work/broken.h"
refuses "a section that is not there" "no section Cloth" has_sections "$work/broken.h"

# ---- The book ----

# leads FILE: its paths have chapters that are there, and as many lines as they say
leads() {
    awk -f tests/compile/paths.awk "$1" "$1" >"$work/astray"
    cat "$work/astray"
    [ ! -s "$work/astray" ]
}

accepts "constants of the table" sh tests/tables/constants.sh check
accepts "paths of the book" leads devcloth_impl.h
sed 's/^\( \* .* \)[0-9,]*  9 10 11/\11,400  9 99 11 10/' devcloth_impl.h >"$work/astray.h"
refuses "a path of too few lines" "should stand there" leads "$work/astray.h"
refuses "a path to nowhere" "no chapter 99" leads "$work/astray.h"
refuses "a path backwards" "10 is out of order" leads "$work/astray.h"

# The page that `make book` makes.
page="$work/book.html"
awk -f tests/book/book.awk devcloth_impl.h devcloth_impl.h >"$page"

# plain: without the signs of comments, headings in small letters, spaces or empty lines
plain() {
    sed 's/\/\*//g; s/\*\///g; s/---*//g; s/===*//g; s/^[ *]*//; s/  */ /g; s/ $//' |
        tr '[:upper:]' '[:lower:]' | grep -v '^$'
}

# is_whole FILE: the page has all lines of the source, and no others
is_whole() {
    plain <devcloth_impl.h >"$work/source"
    sed '1,/<h1>/d; s/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' "$1" | plain >"$work/text"
    diff "$work/source" "$work/text"
}

# has_contents FILE: its list has all chapters
has_contents() {
    sed -n 's/^ \* \([1-9][0-9]* [A-Z][A-Z, -]*[A-Z]\).*/\1/p' devcloth_impl.h | plain >"$work/chapters"
    sed -n 's/^<li value=\([0-9]*\)><a href="#c\1">\(.*\)<.a><.li>/\1 \2/p' "$1" | plain >"$work/contents"
    [ "$(wc -l <"$work/chapters")" -gt 40 ] && diff "$work/chapters" "$work/contents"
}

# has_targets FILE: no link leads nowhere, and no place has a name twice
has_targets() {
    grep -o '<[^>]* id="*[^">]*' "$1" | sed 's/.*id="*//' | sort >"$work/places"
    grep -o 'href="[^"]*' "$1" | sed 's/href="#*//' | sort -u >"$work/wanted"
    uniq -d "$work/places" | sed 's/^/twice: /' >"$work/lost"
    comm -13 "$work/places" "$work/wanted" | sed 's/^/nowhere: /' >>"$work/lost"
    cat "$work/lost"
    [ -s "$work/wanted" ] && [ ! -s "$work/lost" ]
}

# is_linked FILE: each mention of a chapter is a link, and of an equation that has a place
is_linked() {
    sed 's/<a [^>]*>[^<]*<.a>//g; s/<b [^>]*>[^<]*<.b>//g' "$1" >"$work/unlinked"
    sed -n 's/.*id="e\([0-9]*\)\.\([0-9]*\)".*/[^R](\1[.]\2)/p' "$1" >"$work/mentions"
    echo '[Cc]hapters* [0-9]' >>"$work/mentions"
    ! grep -f "$work/mentions" "$work/unlinked"
}

accepts "text of the book" is_whole "$page"
accepts "contents of the book" has_contents "$page"
accepts "places of the book" has_targets "$page"
accepts "links of the book" is_linked "$page"
accepts "links of the paths" grep -q 'hanging sheet .*<a href="#c22">22<' "$page"
sed '/Cloth bends easily/d' "$page" >"$work/broken.html"
refuses "a line is missing" "cloth bends easily" is_whole "$work/broken.html"
sed '/^<li value=9>/d' "$page" >"$work/broken.html"
refuses "a chapter is not in the contents" "9 sparse" has_contents "$work/broken.html"
sed 's/ id="e9.2"//' "$page" >"$work/broken.html"
refuses "a link to nowhere" "nowhere: e9.2" has_targets "$work/broken.html"
sed 's/<a href="#c10">\(chapter 10\)<.a>/\1/' "$page" >"$work/broken.html"
refuses "a chapter without its link" "chapter 10" is_linked "$work/broken.html"

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
