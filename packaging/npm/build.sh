#!/bin/sh
# Builds the npm package: the library as WebAssembly, its JavaScript, and replaylint-VERSION.tgz in packaging/npm/dist.
# Needs the Rust target wasm32-unknown-unknown, wasm-bindgen of the version below, and npm; --quick skips all that makes it small.
set -eu
cd "$(dirname "$0")"
bindgen=0.2.130
profile=release
[ "${1:-}" = --quick ] && profile=quick

rustc --print target-libdir --target wasm32-unknown-unknown | xargs test -d || {
    echo "the target is missing: rustup target add wasm32-unknown-unknown" >&2
    exit 2
}
[ "$(wasm-bindgen --version 2>/dev/null)" = "wasm-bindgen $bindgen" ] || {
    echo "wasm-bindgen $bindgen is missing: cargo install wasm-bindgen-cli --version $bindgen" >&2
    exit 2
}

# The paths of the machine that builds it are nobody's business.
RUSTFLAGS="${RUSTFLAGS:-} --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src= --remap-path-prefix=$(cd ../.. && pwd)=." \
    cargo build --profile "$profile" --target wasm32-unknown-unknown
mkdir -p dist
wasm-bindgen --target web --no-typescript --remove-name-section --remove-producers-section --out-dir dist --out-name replaylint \
    "target/wasm32-unknown-unknown/$profile/replaylint_wasm.wasm"
# What a fault of the code leaves behind is in no known state: the next call begins with a new instance.
cat >>dist/replaylint.js <<'END'
export function forget() { wasm = undefined; }
END
if [ "$profile" = release ] && command -v wasm-opt >/dev/null; then
    wasm-opt -Oz --strip-debug --strip-producers dist/replaylint_bg.wasm -o dist/replaylint_bg.wasm
fi
cp ../../LICENSE-MIT ../../LICENSE-APACHE .
npm pack --silent --pack-destination dist
ls -l dist
