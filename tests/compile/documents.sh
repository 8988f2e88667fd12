#!/bin/sh
# The programs printed in the header's first comment and in the README compile as they stand, and run.
cd "$(dirname "$0")/../.." || exit 1
. tests/compile/checks.sh

sed -n '/^ \* THE WHOLE OF IT/,/^ \* INCLUDING IT/s/^ \*  \{0,1\} \{0,1\} \{0,1\} \{0,1\}//p' devcloth.h |
    sed '/^THE WHOLE OF IT$/d; /^INCLUDING IT$/d' >"$work/header.c"

# Each ```c block of the README becomes a file of its own.
[ ! -f README.md ] || awk -v dir="$work" '
    /^```c$/ { inside = 1; file = dir "/readme_" ++count ".c"; next }
    /^```/ { inside = 0 }
    inside { print >file }' README.md

# The README's devcloth.c, which its other programs are linked with.
library=$(grep -l DEVCLOTH_IMPLEMENTATION "$work"/readme_*.c | head -n 1)
compiled="${CC:-cc} -std=c99 -pedantic -Wall -Wextra -Werror -O1 -I."
for real in $precisions; do
    # shellcheck disable=SC2086
    accepts "devcloth.c, $real" $compiled $real -c -o "$work/devcloth$real.o" "$library"
done

for file in "$work"/header.c "$work"/readme_*.c; do
    [ -f "$file" ] || continue
    grep -q 'main(' "$file" || continue
    name=$(basename "$file")
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
[ "$passed" -gt 0 ] || [ "$failed" -gt 0 ] || fail "no program was found"
finish
