"""The OpenAI Agents SDK: items in a dump or in SQLite, and RunState."""

import json

import files
from readers.codex import item
from said import text


def dump(path):
    return [[said for value in files.document(path) for said in item(value)]]


def database(path):
    tables = {name for (name,) in files.rows(path, "SELECT name FROM sqlite_master WHERE type = 'table'")}
    histories = []
    for (session,) in files.rows(path, "SELECT session_id FROM agent_sessions"):
        quoted = session.replace("'", "''")
        if "message_structure" in tables:
            query = f"SELECT m.message_data FROM message_structure s JOIN agent_messages m ON m.id = s.message_id WHERE s.session_id = '{quoted}' AND s.branch_id = 'main' ORDER BY s.sequence_number"
        else:
            query = f"SELECT message_data FROM agent_messages WHERE session_id = '{quoted}' ORDER BY id"
        histories.append([said for (data,) in files.rows(path, query) for said in item(json.loads(data))])
    return histories


def of_javascript(value):
    """An item whose type may have another name than in the API."""
    kinds = {"function_call_result": "function_call_output"}
    return item({**value, "type": kinds.get(value.get("type"), value.get("type", "message"))})


def run_state(path):
    state = files.document(path)
    if "originalInput" in state:
        first = state["originalInput"]
        said = [text(first)] if isinstance(first, str) else [found for value in first for found in of_javascript(value)]
        for made in state.get("generatedItems") or []:
            if made["type"] != "tool_approval_item":
                said += of_javascript(made["rawItem"])
        return [said]
    first = state.get("original_input")
    said = [text(first)] if isinstance(first, str) else [found for value in first or [] for found in item(value)]
    owned = {reference["index"] for reference in state.get("nested_history_owned_session_item_refs") or []}
    places = state.get("generated_session_item_indexes") or []
    for number, made in enumerate(state.get("generated_items") or []):
        # A handoff has put it into the input, too.
        repeated = number < len(places) and places[number] in owned
        # What waits for an approval is a call that comes before it.
        if made["type"] != "tool_approval_item" and not repeated:
            said += item(made["raw_item"])
    return [said]
