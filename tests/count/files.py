"""Files as values: JSON, lines of JSON, databases."""

import gzip
import io
import json
import sqlite3
import subprocess
import zipfile
from pathlib import Path


def raw(path):
    path = Path(path)
    data = path.read_bytes()
    if path.suffix == ".zst":
        data = subprocess.run(["zstd", "-dc", str(path)], capture_output=True, check=True).stdout
    elif path.suffix == ".gz":
        data = gzip.decompress(data)
    return data.decode("utf-8", "replace")


def document(path):
    return json.loads(raw(path))


def lines(path):
    """The records of a file of lines. A line that does not parse is left out."""
    found = []
    for line in raw(path).split("\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def records(path):
    """The records of a file that is one JSON value, a list of records, or lines."""
    try:
        value = document(path)
    except ValueError:
        return lines(path)
    return value if isinstance(value, list) else [value]


def rows(path, query):
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return base.execute(query).fetchall()
    finally:
        base.close()


def members(path):
    """The JSON members of an archive, by name."""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith(".json"):
                yield name, json.load(io.TextIOWrapper(archive.open(name), "utf-8"))
