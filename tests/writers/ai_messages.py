"""The Vercel AI SDK: the messages that an application stores for its window. The SDK runs in Node."""

import json
import subprocess
from pathlib import Path

FILE = "ui-messages.json"
REPAIRED = True
FOUND = {"RL501"}
SCRIPT = Path(__file__).with_name("ai.mjs")


def run(url, *arguments):
    return subprocess.run(["node", SCRIPT, url, *arguments], check=True, capture_output=True, text=True).stdout


def write(url, path):
    run(url, "write", path)


def damage(path):
    """The window was closed while the first tool ran, and a question came after it."""
    messages = json.loads(path.read_text())
    part = next(part for message in messages for part in message["parts"] if part["type"] == "tool-weather")
    part["state"] = "input-available"
    del part["output"]
    path.write_text(json.dumps(messages))


def resume(url, path):
    return int(run(url, "resume", path))
