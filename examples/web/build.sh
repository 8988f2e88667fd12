#!/bin/sh
# Builds the page: the module, then one HTML file with everything in it.
#
#     build.sh [OUTPUT]      out/page/devcloth.html, from any directory
#     build.sh --modules     only the modules, double.wasm and single.wasm
#     build.sh --native      only the native program (native.c), native_double and native_single
#
# Modules and programs go to build/page/web; those of a copy, to the directory of its name there.
# CLANG, WASM_LD and CC name the compilers and the linker, where they are called otherwise.
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$root/build/page/$(basename "$here")
output=${1:-$root/out/page/devcloth.html}
clang=${CLANG:-clang}
mkdir -p "$work" || exit

# The scenes solve directly: conjugate gradients are left out.
options="-std=c99 -Wall -Wextra -Wno-unused-function -O3 -DDC_NO_CG"
sources=
for each in page parts drawing scenes vertices rail ../common/figure ../common/shapes ../common/devcloth; do
    sources="$sources $here/$each.c"
done

# native NAME FLAG...: the program native_NAME
native() {
    name=$1
    shift
    # shellcheck disable=SC2086
    ${CC:-cc} $options "$@" -o "$work/native_$name" "$here/native.c" $sources -lm || exit
}

if [ "$output" = --native ]; then
    native double
    native single -DDEVCLOTH_SINGLE
    exit
fi

for each in "$clang" "${WASM_LD:-wasm-ld}"; do
    command -v "$each" >/dev/null && continue
    echo "skipped: the page needs $each"
    exit 0
done

freestanding="--target=wasm32 -ffreestanding -nostdlib -mbulk-memory -msimd128 -I$here/wasm"
linking="-Wl,--no-entry,--strip-all,-z,stack-size=1048576"
sources="$sources $here/wasm/module.c $here/wasm/memory.c"

# module NAME FLAG...: NAME.wasm
module() {
    name=$1
    shift
    # shellcheck disable=SC2086
    "$clang" $freestanding $options "$@" $linking -o "$work/$name.wasm" $sources || exit
}

module double
if [ "$output" = --modules ]; then
    module single -DDEVCLOTH_SINGLE
    exit
fi

# The module as text: compressed, if there is a gzip.
encoding=plain
cp "$work/double.wasm" "$work/module"
if command -v gzip >/dev/null; then
    encoding=gzip
    gzip -9nc "$work/double.wasm" >"$work/module"
fi
base64 "$work/module" >"$work/wasm" || exit

# A line `<!-- NAME -->` of page.html becomes the file of that name.
mkdir -p "$(dirname "$output")" || exit
awk -v here="$here" -v work="$work" -v encoding="$encoding" '
    /^<!-- [a-z.]+ -->$/ {
        file = ($2 == "wasm" ? work : here) "/" $2
        while ((got = (getline line <file)) > 0) print line
        if (got < 0) { print "cannot read " file >"/dev/stderr"; exit 1 }
        next
    }
    { sub(/data-encoding="[a-z]+"/, "data-encoding=\"" encoding "\""); print }' \
    "$here/page.html" >"$output" || exit
echo "wrote $output, $(wc -c <"$output" | tr -d " ") bytes"
