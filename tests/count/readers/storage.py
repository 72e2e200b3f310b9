"""The storage of opencode before its database: a file for each session, message and part. The corpus has them side by side, named by
their paths; they are put where opencode has them."""

import json
import re
import shutil
from pathlib import Path

from said import call, result, text

SUFFIX = ".storage.json"


def gather(files, folder):
    """Makes the folder of a storage of its files."""
    for file in files:
        name, value = file.name.removesuffix(SUFFIX), json.loads(file.read_text())
        if name.startswith("session_"):
            below = f"session/{value['projectID']}"
        elif name.startswith("message_"):
            below = f"message/{value['sessionID']}"
        else:
            below = f"part/{value.get('messageID') or re.match('part_(.*)_[0-9]+$', name)[1]}"
        (folder / below).mkdir(parents=True, exist_ok=True)
        shutil.copy(file, folder / below / f"{value['id']}.json")


def read(folder):
    """The parts of each message that is there, by their names."""
    histories = {}
    for file in sorted(Path(folder).glob("message/*/*.json")):
        said = histories.setdefault(file.parent.name, [])
        for part in sorted((Path(folder) / "part" / file.stem).glob("*.json")):
            value = json.loads(part.read_text())
            if value["type"] == "text":
                said.append(text(value["text"]))
            elif value["type"] == "tool":
                said += [call(value["tool"])]
                said += [result()] if "output" in value["state"] else []
    return list(histories.values())
