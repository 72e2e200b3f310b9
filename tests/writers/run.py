"""Sessions of the real libraries: written, found clean, broken on purpose, repaired, and read back by who wrote them.

`run.py [NAME …]`; exits with 1 if something is not as it must be. See README.md.
"""

import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from server import Server

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("REPLAYLINT", ROOT / "target" / "debug" / "replaylint"))
WRITERS = ("agents_sdk", "pydantic_messages", "langgraph_thread", "adk_session", "ag2_log", "ai_messages", "pi_session")


def replaylint(*arguments):
    done = subprocess.run([BINARY, *arguments, "--isolated"], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done


def errors(path):
    """The codes of the errors in a file."""
    report = json.loads(replaylint("check", "--output-format", "json", path).stdout)
    return {found["rule"] for found in report["diagnostics"] if found["severity"] == "error"}


def expect(what, found, wanted):
    if found != wanted:
        raise AssertionError(f"{what}: {found or 'nothing'}, not {wanted or 'nothing'}")


def judge(writer, url, folder):
    known = getattr(writer, "KNOWN", set())
    path = folder / writer.FILE
    writer.write(url, path)
    expect("as written", errors(path) - known, set())
    writer.damage(path)
    found = errors(path)
    expect("as broken", writer.FOUND - found, set())
    request = folder / "request.json"
    replaylint("convert", "--to", "chat-completions", "-o", request, path)
    expect("the request that `convert` writes", errors(request), set())
    if hasattr(writer, "update"):
        report = replaylint("fix", "--as", "request", "--output-format", "json", path).stdout
        writer.update(path, json.loads(report))
        expect("as updated", errors(path) - known, set())
        return f"{sorted(found)} found, updated, {writer.resume(url, path)} messages read back"
    if not writer.REPAIRED:
        return f"{sorted(found)} found, converted"
    # Nobody writes to it any more.
    for file in folder.iterdir():
        os.utime(file, (0, 0))
    replaylint("fix", "-w", path)
    expect("as repaired", errors(path) - known, set())
    once = path.read_bytes()
    os.utime(path, (0, 0))
    replaylint("fix", "-w", path)
    if path.read_bytes() != once:
        raise AssertionError("a second run changes the file")
    return f"{sorted(found)} found, repaired, {writer.resume(url, path)} messages read back"


def main(names):
    failed = False
    for name in names or WRITERS:
        folder = Path(tempfile.mkdtemp())
        try:
            with Server() as server:
                print(f"{name}: {judge(importlib.import_module(name), server.url, folder)}")
        except Exception as error:
            failed = True
            print(f"{name}: {type(error).__name__}: {error}")
        finally:
            shutil.rmtree(folder)
    return int(failed)


sys.exit(main(sys.argv[1:]))
