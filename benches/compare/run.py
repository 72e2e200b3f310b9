"""Measures the tools on the files of a folder: `run.py REPLAYLINT FOLDER`. See compare.sh."""

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
RUNS = 3

# The filter for jq and its kin: over all of a rollout, and for each request.
ROLLOUT = (
    '[inputs | select(.type == "response_item") | .payload | select(.type == "function_call" or .type == "function_call_output")'
    ' | "\\(.call_id) \\(.type)"] | unique | group_by(split(" ")[0]) | map(select(length == 1)) | length'
)
REQUESTS = (
    "[inputs | .input | (map(select(.type == \"function_call\").call_id)) as $c | (map(select(.type == \"function_call_output\").call_id)) as $o"
    " | (($c - $o) + ($o - $c))[]] | length"
)
LIBRARIES = ("json", "orjson", "msgspec", "simdjson", "duckdb", "polars")


def tools(replaylint, path, shape):
    """What is measured: a name, and a command."""
    own = [replaylint, "check", "-j1", "--isolated"]
    yield "replaylint, text", [*own, path]
    yield "replaylint, JSON", [*own, "--output-format", "json", path]
    for library in LIBRARIES:
        if subprocess.run([sys.executable, "-c", f"import {library}"], capture_output=True).returncode == 0:
            name = "Python json" if library == "json" else library
            yield name, [sys.executable, HERE / "pairs.py", library, path]
    for name in ("jq", "jaq", "gojq"):
        if shutil.which(name):
            yield name, [name, "-n", ROLLOUT if shape == "rollout" else REQUESTS, path]
    if shutil.which("rg"):
        yield "ripgrep (counts ids)", ["rg", "-j1", "-c", '"call_id"', path]
    yield "wc -l", ["wc", "-l", path]


def seconds(command):
    """CPU time, user and system, of the best of some runs; and what it printed."""
    best, said = None, ""
    environment = {**os.environ, "POLARS_MAX_THREADS": "1"}
    for _ in range(RUNS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode not in (0, 1):
            return None, done.stderr.strip().splitlines()[-1:] or ["failed"]
        time = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        best, said = min(time, best or time), done.stdout.strip().splitlines()[-1:]
    return best, said


def main(replaylint, folder):
    for path in sorted(Path(folder).glob("*.jsonl")):
        shape, faults = path.stem.split("-")
        size = path.stat().st_size / 1e6
        path.read_bytes()
        print(f"\n{shape}, {faults} findings, {size:.0f} MB; one thread, CPU time, best of {RUNS}")
        print(f"{'':<22} {'seconds':>8} {'MB/s':>7} {'of replaylint':>14}  found")
        base = None
        for name, command in tools(replaylint, str(path), shape):
            time, said = seconds(command)
            if time is None:
                print(f"{name:<22} failed: {said[0][:50]}")
                continue
            base = base or time
            found = said[0][:40] if said and not name.startswith("replaylint") else ""
            print(f"{name:<22} {time:>8.2f} {size / time:>7.0f} {time / base:>13.1f}x  {found}")


main(*sys.argv[1:])
