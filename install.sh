#!/bin/sh
# Installs replaylint: downloads the program of a release for this system, verifies its checksum, and puts it into a folder.
#
#     sh install.sh [--to FOLDER] [--version X.Y.Z]
#
# --to FOLDER        where the program is put; by default ~/.local/bin
# --version X.Y.Z    which release; by default the newest
#
# It needs curl or wget, and sha256sum, shasum or openssl. REPLAYLINT_DOWNLOADS names another place that has the files of a
# release, such as a mirror. The checksum shows that the file arrived as it was published; who built it is shown by
# `gh attestation verify` (docs/trust.md).
set -eu

# A release writes its address here (packaging/address.py). In a checkout there is none.
repository=""

fail() {
    echo "error: $1" >&2
    [ $# -lt 2 ] || echo "help: $2" >&2
    exit 1
}

has() {
    command -v "$1" >/dev/null 2>&1
}

# The system, as in the names of the archives.
target() {
    system=$(uname -s) machine=$(uname -m)
    # A shell that Rosetta runs says x86_64.
    if [ "$system" = Darwin ] && [ "$(sysctl -n hw.optional.arm64 2>/dev/null || true)" = 1 ]; then
        machine=arm64
    fi
    case $machine in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) machine= ;;
    esac
    case $system in
    Linux) system=unknown-linux-musl ;;
    Darwin) system=apple-darwin ;;
    *) system= ;;
    esac
    if [ -z "$machine" ] || [ -z "$system" ]; then
        fail "no program is built for $(uname -s) on $(uname -m)" \
            "pip install replaylint, npx replaylint, or build it: cargo install --path . in a checkout"
    fi
    echo "$machine-$system"
}

# download URL FILE
download() {
    if has curl; then
        # A server of https must not lead elsewhere.
        case $1 in
        https:*) curl --proto '=https' --tlsv1.2 -fsSL --retry 2 -o "$2" "$1" ;;
        *) curl -fsSL -o "$2" "$1" ;;
        esac
    elif has wget; then
        wget -q -O "$2" "$1"
    else
        fail "no curl and no wget found"
    fi || fail "$1 cannot be downloaded" "is there a network, and such a release?"
}

sha256() {
    if has sha256sum; then
        sha256sum "$1"
    elif has shasum; then
        shasum -a 256 "$1"
    elif has openssl; then
        openssl dgst -sha256 -r "$1"
    else
        fail "no sha256sum, shasum or openssl found: the download cannot be verified"
    fi | cut -d ' ' -f 1
}

# In a function, so that a script that arrives in part does nothing.
main() {
    folder=$HOME/.local/bin version=
    while [ $# -gt 0 ]; do
        case $1 in
        --to) folder=${2:?--to needs a folder} && shift ;;
        --version) version=${2:?--version needs a version} && shift ;;
        *) fail "unknown option $1" "sh install.sh [--to FOLDER] [--version X.Y.Z]" ;;
        esac
        shift
    done
    archive=replaylint-$(target).tar.gz
    release=${version:+download/v$version}
    downloads=${REPLAYLINT_DOWNLOADS:-${repository:+$repository/releases/${release:-latest/download}}}
    if [ -z "$downloads" ]; then
        fail "this copy belongs to no release" "build the program from the checkout: cargo install --path ."
    fi

    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 1' HUP INT TERM
    download "$downloads/SHA256SUMS" "$scratch/SHA256SUMS"
    download "$downloads/$archive" "$scratch/$archive"
    wanted=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]$archive\$/\1/p" "$scratch/SHA256SUMS")
    [ -n "$wanted" ] || fail "SHA256SUMS has no checksum of $archive"
    found=$(sha256 "$scratch/$archive")
    if [ "$found" != "$wanted" ]; then
        fail "$archive has another checksum than the release: nothing was installed" "wanted $wanted, found $found"
    fi
    tar -xzf "$scratch/$archive" -C "$scratch" replaylint
    said=$("$scratch/replaylint" --version) || fail "the program does not run on this system: nothing was installed"

    mkdir -p "$folder"
    # In two steps: a program that runs cannot be written over, but replaced.
    cp "$scratch/replaylint" "$folder/.replaylint.$$"
    chmod 755 "$folder/.replaylint.$$"
    mv -f "$folder/.replaylint.$$" "$folder/replaylint"
    echo "$said is in $folder"
    case :$PATH: in
    *:"$folder":*) ;;
    *) echo "This folder is not in PATH yet: export PATH=\"$folder:\$PATH\"" ;;
    esac
}

main "$@"
