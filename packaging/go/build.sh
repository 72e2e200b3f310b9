#!/bin/sh
# Builds the engine of the Go module: the library as WebAssembly, packed, in packaging/go/engine. It is not kept in git.
# Needs the Rust target wasm32-wasip1; --quick skips what makes it small and fast. wasm-opt makes it smaller, where it is installed.
set -eu
cd "$(dirname "$0")"
profile=release
[ "${1:-}" = --quick ] && profile=quick

rustc --print target-libdir --target wasm32-wasip1 | xargs test -d || {
    echo "the target is missing: rustup target add wasm32-wasip1" >&2
    exit 2
}
# The paths of the machine that builds it are nobody's business.
(
    cd wasm
    RUSTFLAGS="${RUSTFLAGS:-} --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src= --remap-path-prefix=$(cd ../../.. && pwd)=." \
        CARGO_TARGET_DIR=../../../target/go/wasm cargo build --profile "$profile" --target wasm32-wasip1
)
built=../../target/go/wasm/wasm32-wasip1/$profile/replaylint_plain_wasm.wasm
if [ "$profile" = release ] && command -v wasm-opt >/dev/null; then
    wasm-opt -O2 --strip-debug --strip-producers "$built" -o "$built"
fi
gzip -9 -n -c "$built" >engine/replaylint.wasm.gz
ls -l "$built" engine/replaylint.wasm.gz
