#!/bin/sh
# The page: builds it, and opens it in a browser without a screen (check.js). Skipped, with a word,
# where clang, wasm-ld, node, npm or chromium is absent.
cd "$(dirname "$0")/../.." || exit 1
web=examples/web
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
[ -d build/page/node_modules/playwright-core ] ||
    npm install --prefix build/page --no-audit --no-fund --silent playwright-core ||
    skip "playwright-core, which npm could not install"
exec node tests/web/check.js
