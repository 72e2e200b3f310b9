#!/usr/bin/env python3
"""Writes what the fuzz targets start from to fuzz/corpus/TARGET/, made of testdata/ and docs/, and a dictionary of the
words of stored formats to fuzz/corpus/words.dict. From nothing a fuzzer never writes a conversation."""

import hashlib
import json
import pathlib
import re
import tomllib

HOME = pathlib.Path(__file__).resolve().parent
ROOT = HOME.parent
LONGEST = 16 << 10


def stored():
    """Texts of conversations: stored files, broken ones, and the inputs of the cases."""
    for path in sorted((ROOT / "testdata").rglob("*")):
        if path.is_file() and path.suffix in {".json", ".jsonl", ".sse", ".txt", ".ndjson"} and path.stat().st_size <= LONGEST:
            yield path.read_bytes()
    for path in sorted((ROOT / "testdata" / "cases").glob("*.toml")):
        for case in strings(tomllib.loads(path.read_text())):
            if len(case) > 40 and case.lstrip()[:1] in "{[":
                yield case.encode()


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def errors():
    """What providers say, as the pages of the rules quote it, and whole lines of them."""
    page = "\n".join(path.read_text() for path in sorted((ROOT / "docs" / "rules").glob("*.md")))
    yield from (quoted.encode() for quoted in re.findall(r"`([^`\n]{30,400})`", page))
    yield from (line.encode() for line in page.splitlines() if len(line) > 60)


def configs():
    for page in sorted((ROOT / "docs").glob("*.md")):
        yield from (block.encode() for block in re.findall(r"```toml\n(.*?)```", page.read_text(), re.S))
    yield b'target = "openai"\nstore = true\nselect = ["RL1"]\nmax-record-size = "1M"\n[[files]]\npaths = ["a/**"]\nmodel = "m"\n'
    yield b"2026-06-01T10:30:00Z\n64GiB\n1k\n/input/3\nchat\nanthropic\nazure\n"


def damaged(text, n):
    """The text, and the damages that logs have."""
    yield text
    lines = text.split(b"\n")
    half = len(text) // 2
    yield [
        text[: half + n % 7],
        text.replace(b"\n", b"", 1),
        text[:half] + b"\0" * 9 + text[half:],
        text[:half] + b"\n" + text[half:],
        lines[0][: len(lines[0]) // 2] + text,
    ][n % 5]


def write(target, inputs):
    folder = HOME / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for text in inputs:
        (folder / hashlib.sha1(text).hexdigest()).write_bytes(text)
        count += 1
    print(f"{target}: {count} seeds")


def main():
    texts = sorted(set(stored()))
    # The first byte says which options; 0 are the usual ones.
    optioned = [bytes([which]) + text for n, text in enumerate(texts) for which in {0, n % 251}]
    write("scan", texts)
    for target in ("read", "fix", "convert"):
        write(target, optioned)
    write("diff", [a + b"\xff" + b for a, b in zip(texts, texts[1:])] + [a + b"\xff" + a for a in texts[::3]])
    write("recover", [bytes([n % 4]) + text for n, whole in enumerate(texts) for text in damaged(whole, n)])
    write("explain", set(errors()))
    write("config", set(configs()))
    words = sorted(set(re.findall(rb'"([A-Za-z_$][A-Za-z0-9_.:$/-]{1,30})"', b"\n".join(texts))))
    lines = [json.dumps(f'"{word.decode()}"') for word in words]
    (HOME / "corpus" / "words.dict").write_text("\n".join(lines) + "\n")
    print(f"{len(words)} words")


main()
