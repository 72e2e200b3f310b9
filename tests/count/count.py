"""Counts what stored sessions say without replaylint, and compares it with what replaylint reads.

`count.py [--corpus DIR] [-v] [FORMAT …]`; exits with 1 on a difference that nothing explains. See README.md.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import table
from readers import codex, storage
from said import text

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("REPLAYLINT", ROOT / "target" / "debug" / "replaylint"))

# Losses of `convert`: each names one thing that was left out, or added.
LEFT_OUT = ("RL902", "RL903", "RL909")
ADDED = ("RL910",)
# Ids of entries that repeat, and parents in a cycle: which of them count is a matter of choice, and `check` says that.
TANGLED = {"RL602", "RL603"}
# Only the entries after a missing parent are sent, and `check` says so.
CUT_OFF = "RL601"
# Nothing was written, as the API would reject it.
NOT_CONVERTED = "RL912"


def run(*arguments):
    done = subprocess.run([BINARY, *arguments, "--isolated"], capture_output=True, text=True)
    if done.returncode not in (0, 1, 2) or "panicked" in done.stderr:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr[-400:]}")
    return done


def converted(path):
    """What the requests say that `convert` writes, and its losses."""
    with tempfile.TemporaryDirectory() as folder:
        losses, out = Path(folder) / "losses.json", Path(folder) / "out"
        out.mkdir()
        done = run("convert", "--to", "responses", "--allow-empty", "--output-format", f"json={losses}", "-o", f"{out}/", path)
        if not losses.exists():
            raise RuntimeError(done.stderr.strip()[-300:])
        report = json.loads(losses.read_text())
        written = "\n".join(file.read_text() for file in sorted(out.rglob("*")) if file.is_file())
    said = Counter()
    for request in requests(written):
        if request.get("instructions"):
            said[text(request["instructions"])] += 1
        given = request.get("input") or []
        if isinstance(given, str):
            said[text(given)] += 1
            continue
        for item in given:
            said.update(codex.item(item))
    return said, report


def requests(written):
    """The JSON values in a text: one, or lines."""
    decoder, at = json.JSONDecoder(), 0
    while at < len(written):
        if written[at].isspace():
            at += 1
            continue
        value, at = decoder.raw_decode(written, at)
        yield value


def told(said):
    """Without the texts that say nothing."""
    return Counter({key: number for key, number in said.items() if key[0] != "text" or key[1].strip()})


def notes(found, counted):
    """With the texts that begin as a note that was counted does as that note."""
    beginnings = [what for kind, what in counted if kind == "note"]
    named = Counter()
    for (kind, what), number in found.items():
        beginning = next((beginning for beginning in beginnings if kind == "text" and what.startswith(beginning)), None)
        named[("note", beginning) if beginning else (kind, what)] += number
    return named


def compare(path, reader):
    if reader is None:
        report = json.loads(run("check", "--output-format", "json", path).stdout)
        read = [seen["format"] for seen in report["inputs"] if seen.get("format")]
        return ("unread", "") if not read else ("differs", f"read as {read[0]}, though nothing is to be read")
    counted = Counter()
    for history in reader(path):
        counted.update(history)
    found, report = converted(path)
    counted, found = told(counted), notes(told(found), counted)
    if counted == found:
        return "equal", sum(counted.values())
    missing, more = counted - found, found - counted
    why = Counter(loss["rule"] for loss in report["diagnostics"])
    left_out, added = sum(why[rule] for rule in LEFT_OUT), sum(why[rule] for rule in ADDED)
    names = ", ".join(f"{number} {rule}" for rule, number in sorted(why.items()))
    # A call without a result gets one; a block may be written as a text instead.
    results = sum(number for (kind, _), number in more.items() if kind == "result")
    others = sum(more.values()) - results
    if sum(missing.values()) <= left_out and results <= added and others <= left_out:
        return "explained", f"{short(missing)} not read; {short(more)} more; {names}"
    checked = json.loads(run("check", "--output-format", "json", path).stdout)
    tangled = sorted({found["rule"] for found in checked["diagnostics"]} & TANGLED)
    if tangled:
        return "explained", ", ".join(tangled)
    calls = sum(number for (kind, _), number in counted.items() if kind != "text")
    is_cut_off = any(found["rule"] == CUT_OFF for found in checked["diagnostics"])
    if why[NOT_CONVERTED] and not more and (is_cut_off or checked["summary"]["items"] >= calls):
        return "explained", f"{short(missing)} not read; {short(more)} more; {names}"
    return "differs", f"{short(missing)} not read; {short(more)} more; losses: {names or 'none'}"


def short(said):
    shown = [f"{number} {kind} {json.dumps(what[:50])}" for (kind, what), number in list(said.items())[:4]]
    rest = len(said) - len(shown)
    return (", ".join(shown) or "nothing") + (f" and {rest} others" if rest > 0 else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=ROOT.parent / "shared" / "corpus")
    parser.add_argument("-v", "--verbose", action="store_true", help="name each file")
    parser.add_argument("format", nargs="*")
    arguments = parser.parse_args()
    entries = [json.loads(line) for line in (arguments.corpus / "manifest.jsonl").read_text().splitlines()]
    wanted = arguments.format or table.FORMATS
    jobs = [(entry["format"], arguments.corpus / entry["path"], table.reader(entry)) for entry in entries if entry["format"] in wanted]

    def attempt(job):
        try:
            return compare(*job[1:])
        except Exception as error:
            return "differs", f"{type(error).__name__}: {error}"

    with ThreadPoolExecutor(2) as pool, tempfile.TemporaryDirectory() as folder:
        if "opencode" in wanted:
            # The files of a storage are unread one by one, and a session together.
            tree = Path(folder) / "storage"
            storage.gather(sorted(arguments.corpus.glob(f"opencode/*/*{storage.SUFFIX}")), tree)
            jobs.append(("opencode", tree, storage.read))
        outcomes = list(pool.map(attempt, jobs))
    kinds = ("equal", "explained", "unread", "differs")
    numbers = {}
    for (name, path, _), (kind, why) in zip(jobs, outcomes):
        numbers.setdefault(name, Counter())[kind] += 1
        if kind == "differs" or arguments.verbose:
            print(f"{kind}: {path}: {why}")
    print(f"{'format':26}{'files':>7}" + "".join(f"{kind:>11}" for kind in kinds))
    for name, counts in sorted(numbers.items()):
        print(f"{name:26}{sum(counts.values()):>7}" + "".join(f"{counts[kind]:>11}" for kind in kinds))
    differing = sum(counts["differs"] for counts in numbers.values())
    print(f"{len(jobs)} files, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
