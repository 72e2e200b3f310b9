"""Claude Code, Kode: the lines from the last one to the root, with the lines of the same response and their results. Side chains
are conversations of their own."""

import files
from readers import blocks


def read(path):
    entries, order = {}, []
    for line in files.lines(path):
        if line.get("uuid") and line["uuid"] not in entries:
            entries[line["uuid"]] = line
            order.append(line)
    main = [line for line in order if not line.get("isSidechain")]
    histories = [chain(entries, main)]
    # A side chain begins with a line whose parent is not of it.
    sides = {}
    for line in order:
        if line.get("isSidechain"):
            parent = entries.get(line.get("parentUuid"))
            root = sides.get(parent["uuid"], line["uuid"]) if parent and parent.get("isSidechain") else line["uuid"]
            sides[line["uuid"]] = root
    for root in dict.fromkeys(sides.values()):
        histories.append(chain(entries, [line for line in order if sides.get(line["uuid"]) == root]))
    return [[said for line in history for said in message(line)] for history in histories if history]


def chain(entries, order):
    messages = [line for line in order if line.get("type") in ("user", "assistant")]
    if not messages:
        return []
    kept, at = set(), messages[-1]
    while at and at["uuid"] not in kept:
        kept.add(at["uuid"])
        boundary = at.get("subtype") == "compact_boundary"
        at = None if boundary else entries.get(at.get("parentUuid"))
    responses = {response(line) for line in messages if line["uuid"] in kept} - {None}
    kept |= {line["uuid"] for line in messages if response(line) in responses}
    # Results of the calls of these lines, wherever they hang.
    calls = {block.get("id") for line in messages if line["uuid"] in kept for block in content(line) if block.get("type") == "tool_use"}
    for line in messages:
        if line.get("parentUuid") in kept and any(block.get("tool_use_id") in calls for block in content(line)):
            kept.add(line["uuid"])
    return [line for line in messages if line["uuid"] in kept]


def response(line):
    return line["message"].get("id") if line["type"] == "assistant" else None


def content(line):
    body = line.get("message")
    found = body.get("content") if isinstance(body, dict) else None
    return found if isinstance(found, list) else []


def message(line):
    """Answers that the client made up were never sent."""
    body = line.get("message")
    if not isinstance(body, dict) or line.get("isApiErrorMessage") or body.get("model") == "<synthetic>":
        return []
    return blocks.message(body.get("content"))
