#!/bin/sh
# Tries install.sh with a made-up release on the loopback: right and wrong checksums, no network, unknown systems, both ways of
# downloading, an older program that is there already. It needs Python, for the server.
set -eu
checkout=$(cd "$(dirname "$0")/.." && pwd)
. "$checkout/packaging/scratch.sh"
needs "install.sh was not tried" python3 tar sha256sum

# A script instead of the program: only its name, and what it says, matter.
release=$scratch/release
mkdir "$release" "$scratch/tools"
printf '#!/bin/sh\necho replaylint 9.9.9\n' >"$scratch/replaylint"
chmod +x "$scratch/replaylint"
for target in x86_64-unknown-linux-musl aarch64-unknown-linux-musl aarch64-apple-darwin; do
    tar -czf "$release/replaylint-$target.tar.gz" -C "$scratch" replaylint
done
(cd "$release" && sha256sum ./*.tar.gz | sed 's|\./||' >SHA256SUMS)
cp "$release/SHA256SUMS" "$scratch/right"

cat >"$scratch/server.py" <<'PYTHON'
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
print(server.server_port, flush=True)
server.serve_forever()
PYTHON
python3 "$scratch/server.py" "$release" >"$scratch/port" 2>/dev/null &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$scratch"' EXIT
while [ ! -s "$scratch/port" ]; do sleep 0.1; done
address=http://127.0.0.1:$(cat "$scratch/port")

# exits CODE ARGUMENT...: install.sh, in an environment of its own. $system and $machine are what uname says.
system=Linux machine=x86_64 shell=sh downloads=$address
cat >"$scratch/tools/uname" <<'UNAME'
#!/bin/sh
case $1 in -s) echo "$SYSTEM" ;; *) echo "$MACHINE" ;; esac
UNAME
chmod +x "$scratch/tools/uname"
exits() {
    code=$1 && shift
    got=0
    SYSTEM=$system MACHINE=$machine HOME=$scratch/home PATH="$scratch/tools:$PATH" REPLAYLINT_DOWNLOADS=$downloads \
        no_proxy=127.0.0.1 $shell "$script" "$@" >"$scratch/out" 2>&1 </dev/null || got=$?
    [ "$got" = "$code" ] || fail "exit code $got instead of $code: install.sh $*"
}
script=$checkout/install.sh
to=$scratch/bin
nothing() {
    [ ! -e "$to" ] || fail "something was installed"
}
installed() {
    [ "$("$1/replaylint")" = "replaylint 9.9.9" ] || fail "the program was not installed"
    [ "$(ls -A "$1")" = replaylint ] || fail "something else is left in $1"
    rm -r "$1"
}

for shell in sh dash bash "busybox sh"; do
    command -v ${shell%% *} >/dev/null 2>&1 || continue
    exits 0 --to "$to"
    said 'replaylint 9.9.9 is in'
    said 'not in PATH yet'
    installed "$to"
done
shell=sh
exits 0
installed "$scratch/home/.local/bin"
machine=arm64 && exits 0 --to "$to" && installed "$to"
system=Darwin && exits 0 --to "$to" && installed "$to"
echo "install.sh: the program of a system is installed"

for pair in "FreeBSD x86_64" "Linux riscv64" "MINGW64_NT-10.0 x86_64"; do
    system=${pair% *} machine=${pair#* }
    exits 1 --to "$to"
    said "no program is built for $system on $machine"
    nothing
done
system=Linux machine=x86_64

# A program that is there already stays.
old() {
    [ "$(cat "$to/replaylint")" = old ] && [ "$(ls -A "$to")" = replaylint ] || fail "the old program did not stay"
}
mkdir "$to" && echo old >"$to/replaylint"
sed 's/^...../00000/' "$scratch/right" >"$release/SHA256SUMS"
exits 1 --to "$to"
said 'another checksum than the release'
old
grep -v 'x86_64-unknown' "$scratch/right" >"$release/SHA256SUMS"
exits 1 --to "$to"
said 'has no checksum of replaylint-x86_64-unknown-linux-musl.tar.gz'
old
rm "$release/SHA256SUMS"
exits 1 --to "$to"
said 'SHA256SUMS cannot be downloaded'
old
cp "$scratch/right" "$release/SHA256SUMS"
mv "$release/replaylint-x86_64-unknown-linux-musl.tar.gz" "$scratch/archive"
exits 1 --to "$to"
said 'tar.gz cannot be downloaded'
old
# Cut on its way.
head -c 60 "$scratch/archive" >"$release/replaylint-x86_64-unknown-linux-musl.tar.gz"
exits 1 --to "$to"
said 'another checksum than the release'
old
mv "$scratch/archive" "$release/replaylint-x86_64-unknown-linux-musl.tar.gz"
exits 0 --to "$to"
installed "$to"
echo "install.sh: what is not as the release says is not installed"

# Without curl, and without both.
mkdir "$scratch/few"
for tool in sh mktemp rm sed cut sha256sum tar gzip mkdir cp chmod mv wget; do
    if command -v $tool >/dev/null 2>&1; then ln -s "$(command -v $tool)" "$scratch/few/$tool"; fi
done
few() {
    PATH=$scratch/few exits "$@"
}
if [ -e "$scratch/few/wget" ]; then
    few 0 --to "$to" && installed "$to"
    rm "$scratch/few/wget"
else
    echo "no wget found: it was not tried"
fi
few 1 --to "$to"
said 'no curl and no wget'
nothing

# Each beginning of the script does nothing.
lines=$(wc -l <"$checkout/install.sh")
for count in $(seq 1 7 $((lines - 1))); do
    head -n "$count" "$checkout/install.sh" >"$scratch/part.sh"
    script=$scratch/part.sh
    SYSTEM=Linux MACHINE=x86_64 HOME=$scratch/home REPLAYLINT_DOWNLOADS=$downloads sh "$script" --to "$to" >"$scratch/out" 2>&1 || true
    nothing
done
script=$checkout/install.sh

kill $server && wait $server 2>/dev/null || true
exits 1 --to "$to"
said 'SHA256SUMS cannot be downloaded'
said 'is there a network'
nothing
downloads=
exits 1 --to "$to"
said 'belongs to no release'
nothing
exits 1 --into "$to"
said 'unknown option --into'

# What packaging/address.py writes into the script of a release is where it looks.
mkdir -p "$scratch/copy/packaging"
cp "$checkout/install.sh" "$checkout/Cargo.toml" "$scratch/copy/"
cp -r "$checkout/packaging/address.py" "$scratch/copy/packaging/"
mkdir -p "$scratch/copy/packaging/npm" "$scratch/copy/packaging/python" "$scratch/copy/packaging/go"
cp "$checkout/packaging/npm/package.json" "$scratch/copy/packaging/npm/"
cp "$checkout/packaging/python/pyproject.toml" "$scratch/copy/packaging/python/"
cp "$checkout/packaging/go/go.mod" "$checkout/packaging/go/README.md" "$scratch/copy/packaging/go/"
sed -i '/^repository = /d; s|^name = "replaylint"$|&\nrepository = "https://127.0.0.1:1/made/up"|; t' "$scratch/copy/Cargo.toml"
python3 "$scratch/copy/packaging/address.py" --write >"$scratch/out" 2>&1 || fail "address.py"
script=$scratch/copy/install.sh
exits 1 --to "$to"
said 'https://127.0.0.1:1/made/up/releases/latest/download/SHA256SUMS cannot'
exits 1 --to "$to" --version 1.2.3
said 'https://127.0.0.1:1/made/up/releases/download/v1.2.3/SHA256SUMS cannot'
grep -q '^module 127.0.0.1:1/made/up/packaging/go$' "$scratch/copy/packaging/go/go.mod" || fail "go.mod"
python3 - "$scratch/copy/packaging" <<'PYTHON' || fail "packages without the address"
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
assert json.loads((folder / "npm/package.json").read_text())["repository"]["url"] == "git+https://127.0.0.1:1/made/up.git"
assert 'Repository = "https://127.0.0.1:1/made/up"' in (folder / "python/pyproject.toml").read_text()
PYTHON
echo "install.sh: no network, no address, no tools, and part of the script install nothing"
