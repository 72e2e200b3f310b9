#!/usr/bin/env python3
"""Writes what `replaylint` prints for every stored file, as hashes: a line a file and command. Two programs that write the same
list do the same, so that a change that must not show can be held against the program before it.

    tests/dump/dump.py BEFORE > before.txt
    tests/dump/dump.py AFTER --against before.txt

The files are those of `testdata`, and of the folders that are named (`--files ../shared/corpus`). Of what differs the command
is printed; it ends with 1 then.
"""
import argparse
import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGETS = ["responses", "chat", "anthropic", "gemini", "bedrock", "claude-code-session", "codex-session"]
# Each is run with the file as its last argument; `{}` stands for another one.
COMMANDS = [
    ["check", "--output-format", "json", "-v"],
    ["fix"],
    ["fix", "--output-format", "json", "--fix-warnings", "--orphans", "stub"],
    ["fix", "-o", "-", "--reasoning", "strip"],
    *(["convert", "--to", target] for target in TARGETS),
    ["tree", "--output-format", "json", "--now", "2026-01-01T00:00:00Z"],
    ["diff", "--output-format", "json", "{}"],
]


def files(folders):
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and path.stat().st_size < 4 << 20:
                yield path


def run(binary, command, path, other):
    args = [str(other) if arg == "{}" else arg for arg in command]
    # Time and ids of new sessions follow the clock.
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "HOME": "/nonexistent", "NO_COLOR": "1"}
    done = subprocess.run(
        [binary, args[0], "--isolated", *args[1:], str(path)], capture_output=True, cwd=ROOT, env=environment
    )
    digest = hashlib.sha256(done.stdout + b"\0" + done.stderr).hexdigest()[:16]
    return f"{digest} {done.returncode} {' '.join(command)} {os.path.relpath(path, ROOT)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("binary", type=Path)
    parser.add_argument("--files", action="append", default=[], help="a folder of further files")
    parser.add_argument("--against", type=Path, help="a list that was written before")
    options = parser.parse_args()
    binary = str(options.binary.resolve())
    every = list(files([ROOT / "testdata", *options.files]))
    tasks = [(binary, command, path, every[at - 1]) for at, path in enumerate(every) for command in COMMANDS]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        lines = list(pool.map(lambda task: run(*task), tasks))
    if not options.against:
        print("\n".join(lines))
        return 0
    before = {line.split(" ", 2)[2]: line for line in options.against.read_text().splitlines()}
    after = {line.split(" ", 2)[2]: line for line in lines}
    changed = [command for command in after if command in before and before[command] != after[command]]
    print(f"{len(after)} outputs, {len(changed)} differ, {len(after.keys() ^ before.keys())} are of one of the two only")
    print("\n".join(changed[:200]))
    return 1 if changed else 0


sys.exit(main())
