#!/bin/sh
# Builds the program for a system, packs it with its licences, and prints the archive, which is named as `cargo binstall` and
# install.sh expect it: target/release-files/replaylint-TARGET.tar.gz, or .zip for Windows.
#
#   packaging/binary.sh [--quick] TARGET
#
# --quick    little optimisation: for tests
#
# For Linux the program is linked statically, by zig, which pip fetches: it runs on every distribution.
set -eu
cd "$(dirname "$0")/.."
profile=dist folder=dist
if [ "${1:-}" = --quick ]; then
    profile=dev folder=debug && shift
fi
target=${1:?which target}
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target/binary}"
out=target/release-files
build=build
case $target in
*-linux-musl)
    zig=$PWD/target/zig
    [ -x "$zig/bin/python" ] || python3 -m venv "$zig"
    "$zig/bin/python" -m pip install --quiet --disable-pip-version-check cargo-zigbuild==0.24.0 ziglang==0.17.1 >&2
    PATH="$zig/bin:$PATH"
    build=zigbuild
    ;;
esac
# The paths of the machine that builds it are nobody's business.
RUSTFLAGS="${RUSTFLAGS:-} --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}/registry/src= --remap-path-prefix=$PWD=." \
    cargo $build --locked --profile $profile --features images --bin replaylint --target "$target" >&2

mkdir -p "$out"
built=$CARGO_TARGET_DIR/$target/$folder
case $target in
*windows*)
    archive=$out/replaylint-$target.zip
    python3 -m zipfile -c "$archive" "$built/replaylint.exe" LICENSE-MIT LICENSE-APACHE
    ;;
*)
    archive=$out/replaylint-$target.tar.gz
    tar -czf "$archive" -C "$built" replaylint -C "$PWD" LICENSE-MIT LICENSE-APACHE
    ;;
esac
echo "$archive"
