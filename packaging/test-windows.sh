#!/bin/sh
# Builds the program for Windows and tries it under Wine: repairs in place, backups, files in use, read-only files, long
# paths, drives and backslashes, databases, folders. Where a repair cannot be made, nothing may be left beside the file.
# What the machine lacks is named and left out.
#
#     packaging/test-windows.sh [PROGRAM.exe]
#
# It needs rustup, a MinGW compiler for x86_64 and Wine; for databases and open files also Python.
set -eu
checkout=$(cd "$(dirname "$0")/.." && pwd)
. "$checkout/packaging/scratch.sh"

needs "the program for Windows was not built" x86_64-w64-mingw32-gcc
target=x86_64-pc-windows-gnu
program=${1:-}
if [ -z "$program" ]; then
    needs "the program for Windows was not built" cargo rustup
    if ! rustup target add $target >"$scratch/out" 2>&1; then
        echo "rustup cannot install $target: the program for Windows was not built"
        exit 0
    fi
    (cd "$checkout" && CARGO_TARGET_DIR=target/windows cargo build --quiet --target $target)
    program=$checkout/target/windows/$target/debug/replaylint.exe
fi
needs "the program was built for Windows, and not tried" wine

mkdir "$scratch/bin"
cp "$program" "$scratch/bin/replaylint.exe"
# Old versions of Wine lack the library from which Rust takes random numbers.
cat >"$scratch/stub.c" <<'STUB'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);
__declspec(dllexport) BOOL ProcessPrng(PBYTE buffer, SIZE_T length) { return SystemFunction036(buffer, (ULONG)length); }
STUB
x86_64-w64-mingw32-gcc -shared -o "$scratch/bin/bcryptprimitives.dll" "$scratch/stub.c" -ladvapi32
# A program that has a file open, which others may read and write, but neither remove nor rename, until its input ends.
cat >"$scratch/hold.c" <<'HOLD'
#include <windows.h>
#include <stdio.h>
int main(int argc, char **argv) {
    HANDLE file = CreateFileA(argv[1], GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE) return 1;
    puts("open");
    fflush(stdout);
    getchar();
    return 0;
}
HOLD
x86_64-w64-mingw32-gcc -o "$scratch/bin/hold.exe" "$scratch/hold.c"

export WINEPREFIX="$scratch/wine" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="
export NO_COLOR=1
wine wineboot --init >/dev/null 2>&1 || true
# The prefix is removed at the end, once nothing runs in it any more.
trap 'wineserver -k >/dev/null 2>&1 || true; wineserver -w >/dev/null 2>&1 || true; rm -rf "$scratch"' EXIT

# exits CODE ARGUMENT...: the program, in the folder $work.
work=$scratch/work
mkdir "$work"
cd "$work"
exits() {
    code=$1 && shift
    got=0
    wine "$scratch/bin/replaylint.exe" "$@" >"$scratch/out" 2>&1 </dev/null || got=$?
    [ "$got" = "$code" ] || fail "exit code $got instead of $code: replaylint $*"
}
# holds NAME...: the folder has these files, and no others.
holds() {
    printf '%s\n' "$@" | LC_ALL=C sort >"$scratch/wanted"
    find . -type f | sed 's|^\./||' | LC_ALL=C sort >"$scratch/found"
    cmp -s "$scratch/wanted" "$scratch/found" || { cp "$scratch/found" "$scratch/out"; fail "the folder should have: $*"; }
}
# A request with an output that no call is for, written long enough ago; and a folder without anything else.
broken='{"model":"gpt-5","input":[{"role":"user","content":"hi"},{"type":"function_call_output","call_id":"call_1","output":"x"}]}'
fresh() {
    chmod -R u+w . && find . -mindepth 1 -delete
    printf '%s' "$broken" >a.json
    touch -d '2020-01-01' a.json
}
unchanged() {
    [ "$(cat "$1")" = "$broken" ] || fail "$1 was changed"
}

fresh
exits 1 check a.json
said 'RL102'
exits 0 fix -o b.json a.json
holds a.json b.json
exits 0 convert --to anthropic -o c.json b.json
holds a.json b.json c.json
echo "Windows: check, fix -o and convert -o work"

fresh
exits 0 fix -w a.json
holds a.json a.json.bak a.json.bak.json
unchanged a.json.bak
exits 0 check a.json
exits 0 fix -w a.json
holds a.json a.json.bak a.json.bak.json
printf '%s' "$broken" >a.json
exits 0 fix -w a.json
holds a.json a.json.bak a.json.bak.json a.json.bak.1 a.json.bak.1.json
exits 0 fix --undo a.json
holds a.json a.json.bak a.json.bak.json
unchanged a.json
echo "Windows: fix -w replaces a file, and keeps every backup; fix --undo puts one back"

fresh
mkfifo "$scratch/end"
wine "$scratch/bin/hold.exe" a.json <"$scratch/end" >"$scratch/held" 2>/dev/null &
holder=$!
exec 3>"$scratch/end"
for _ in $(seq 100); do
    grep -q open "$scratch/held" && break
    sleep 0.1
done
exits 1 check a.json
exits 2 fix -w a.json
said 'another program may have it open'
exec 3>&-
wait $holder || true
holds a.json
unchanged a.json
echo "Windows: a file that another program has open is left alone, and nothing beside it"

fresh
chmod a-w a.json
exits 2 fix -w a.json
said 'is read-only'
holds a.json
unchanged a.json
exits 0 fix -o b.json a.json
exits 2 fix -o a.json --force b.json
said 'is read-only'
holds a.json b.json
echo "Windows: a read-only file is left alone, and nothing beside it"

fresh
deep=$(printf 'folder-with-a-long-name/%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14)
mkdir -p "$deep"
mv a.json "$deep"
exits 0 fix -w "$deep"a.json
holds "${deep}a.json" "${deep}a.json.bak" "${deep}a.json.bak.json"
exits 0 check .
echo "Windows: paths of more than 260 characters work"

fresh
mkdir sub
cp -p a.json sub/b.json
windows=$(winepath -w "$work")
exits 0 fix -w "$windows\\sub\\b.json"
said 'backup: [A-Z]:\\'
holds a.json sub/b.json sub/b.json.bak sub/b.json.bak.json
exits 1 check --output-format concise "$windows"
said 'a.json:1:'
exits 1 check --output-format sarif 'sub\..\a.json'
exits 0 fix -w .
holds a.json a.json.bak a.json.bak.json sub/b.json sub/b.json.bak sub/b.json.bak.json
exits 0 check .
echo "Windows: drives, backslashes and folders work"

if ! command -v python3 >/dev/null 2>&1 || ! python3 -c 'import sqlite3' 2>/dev/null; then
    echo "no Python with sqlite3: databases were not tried on Windows"
    exit 0
fi
fresh
rm a.json
python3 - <<'SQL'
import sqlite3
db = sqlite3.connect("agents.db")
db.executescript("""
CREATE TABLE agent_sessions (session_id TEXT PRIMARY KEY, created_at TIMESTAMP, updated_at TIMESTAMP);
CREATE TABLE agent_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL, message_data TEXT NOT NULL, created_at TIMESTAMP);
INSERT INTO agent_sessions VALUES ('s', '2020-01-01', '2020-01-01');
""")
for item in ['{"role":"user","content":"hi"}', '{"type":"function_call_output","call_id":"call_1","output":"x"}']:
    db.execute("INSERT INTO agent_messages (session_id, message_data) VALUES ('s', ?)", (item,))
db.commit()
SQL
touch -d '2020-01-01' agents.db
exits 1 check agents.db
exits 0 fix -w agents.db
holds agents.db agents.db.bak agents.db.bak.json
exits 0 check agents.db
exits 0 fix -w --force agents.db
holds agents.db agents.db.bak agents.db.bak.json
echo "Windows: a database is repaired"
