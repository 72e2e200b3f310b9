"""pi: a session as its own session manager writes it, and builds the context of the next request from it. It runs in Node."""

import json
import subprocess
from pathlib import Path

FILE = "session.jsonl"
REPAIRED = True
FOUND = {"RL531", "RL532"}
SCRIPT = Path(__file__).with_name("pi.mjs")
ROLES = ["user", "assistant", "toolResult", "toolResult", "assistant", "user", "assistant"]


def run(*arguments):
    return subprocess.run(["node", SCRIPT, *arguments], check=True, capture_output=True, text=True).stdout


def write(url, path):
    run("write", path)


def damage(path):
    """A result is there twice, and another one of a call that nobody made: each an entry that the next one follows."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    at = next(n for n, line in enumerate(lines) if line.get("message", {}).get("toolCallId") == "toolu_2")
    again, other = json.loads(json.dumps(lines[at])), json.loads(json.dumps(lines[at]))
    again.update(id="aaaaaaaa", parentId=lines[at]["id"])
    other.update(id="bbbbbbbb", parentId="aaaaaaaa")
    other["message"]["toolCallId"] = "toolu_9"
    lines[at + 1]["parentId"] = "bbbbbbbb"
    lines[at + 1 : at + 1] = [again, other]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def resume(url, path):
    roles = json.loads(run("resume", path))
    assert roles == ROLES, roles
    return len(roles)
