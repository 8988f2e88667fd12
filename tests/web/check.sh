#!/bin/sh
# The page: builds it, and a copy with other scenes, and opens it in a browser without a screen
# (check.js). Skipped, with a word, where clang, wasm-ld, node, npm or chromium is absent.
cd "$(dirname "$0")/../.." || exit 1
web=examples/web
copy=build/page/copy/examples/mine
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser)}
export CHROMIUM

skip() {
    echo "skipped: the page is checked with $1"
    echo "0 passed, 0 failed"
    exit 0
}
for each in "${CLANG:-clang}" "${WASM_LD:-wasm-ld}" node npm; do
    command -v "$each" >/dev/null || skip "$each"
done
[ -n "$CHROMIUM" ] || skip chromium

sh $web/build.sh && sh $web/build.sh --modules && sh $web/build.sh --native || exit

rm -rf build/page/copy
mkdir -p build/page/copy/examples
cp devcloth.h devcloth_impl.h build/page/copy
cp -r examples/common build/page/copy/examples
cp -r $web $copy
cp tests/web/mistakes.c $copy/scenes.c
sh $copy/build.sh || exit
[ -d build/page/node_modules/playwright-core ] ||
    npm install --prefix build/page --no-audit --no-fund --silent playwright-core ||
    skip "playwright-core, which npm could not install"
exec node tests/web/check.js
