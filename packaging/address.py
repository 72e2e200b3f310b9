#!/usr/bin/env python3
"""The address of the repository: `repository` in Cargo.toml, the one place that has it.

    packaging/address.py            prints it
    packaging/address.py --write    writes it into what a release needs it in; the changes are not committed

Without an address, it says so, and its exit code is 1.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# A file, a pattern in it, and what replaces it; ADDRESS and MODULE stand for the address, and for it without its scheme.
PLACES = [
    ("install.sh", r'^repository=""$', 'repository="ADDRESS"'),
    ("packaging/npm/package.json", r'^  "type": "module",$', '  "repository": { "type": "git", "url": "git+ADDRESS.git" },\n  "type": "module",'),
    ("packaging/python/pyproject.toml", r"^\[project\.entry-points", '[project.urls]\nRepository = "ADDRESS"\n\n[project.entry-points'),
    ("packaging/go/go.mod", r"^module replaylint/packaging/go$", "module MODULE/packaging/go"),
    ("packaging/go/README.md", r'"replaylint/packaging/go"', '"MODULE/packaging/go"'),
]


def main():
    manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    found = re.search(r'^repository = "(https://[^"]+?)/?"$', manifest, re.MULTILINE)
    if not found:
        sys.exit("error: Cargo.toml sets no `repository`\nhelp: add it to [package]: it is the address that releases have")
    address = found[1]
    if sys.argv[1:] != ["--write"]:
        print(address)
        return
    for name, pattern, text in PLACES:
        path = ROOT / name
        text = text.replace("ADDRESS", address).replace("MODULE", address.removeprefix("https://"))
        filled, places = re.subn(pattern, lambda _: text, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        if places == 0:
            sys.exit(f"error: {name} has no place for the address")
        path.write_text(filled, encoding="utf-8", newline="\n")
        print(f"{name}: {address}")


if __name__ == "__main__":
    main()
