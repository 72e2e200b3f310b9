"""Databases of agents: opencode, goose, Crush, LangGraph; and the storage of opencode before its database."""

import json

import files
from msgpack import unpack
from readers import blocks
from said import call, result, text, texts


def opencode(path):
    histories = []
    for (session,) in files.rows(path, "SELECT id FROM session"):
        query = f"SELECT p.data FROM part p JOIN message m ON m.id = p.message_id WHERE p.session_id = '{session}' ORDER BY m.time_created, m.id, p.id"
        said = []
        for (data,) in files.rows(path, query):
            part = json.loads(data)
            if part["type"] == "text":
                said.append(text(part["text"]))
            elif part["type"] == "tool":
                said.append(call(part["tool"]))
                said += [result()] if part["state"]["status"] in ("completed", "error") else []
        histories.append(said)
    return histories


def goose(path):
    sessions = files.rows(path, "SELECT id FROM sessions")
    query = "SELECT content_json FROM messages WHERE session_id = '{}' ORDER BY created_timestamp, id"
    return [[said for (content,) in files.rows(path, query.format(session)) for said in blocks.message(json.loads(content))] for (session,) in sessions]


def crush(path):
    histories = []
    for (session,) in files.rows(path, "SELECT id FROM sessions"):
        said = []
        for (parts,) in files.rows(path, f"SELECT parts FROM messages WHERE session_id = '{session}' ORDER BY created_at, rowid"):
            for part in json.loads(parts):
                data = part.get("data", part)
                if part["type"] == "text":
                    said.append(text(data["text"]))
                elif part["type"] == "tool_call":
                    said.append(call(data["name"]))
                elif part["type"] == "tool_result":
                    said.append(result())
        histories.append(said)
    return histories


def langgraph(path):
    query = "SELECT thread_id, checkpoint FROM checkpoints WHERE checkpoint_ns = '' ORDER BY checkpoint_id"
    newest = {thread: data for thread, data in files.rows(path, query)}
    return [messages(unpack(data)["channel_values"]["messages"]) for data in newest.values()]


def messages(values):
    said = []
    for value in values:
        fields = value[2]
        if fields["type"] == "tool":
            said.append(result())
            continue
        said += texts(fields["content"])
        said += [call(made["name"]) for made in fields.get("tool_calls") or []]
    return said
