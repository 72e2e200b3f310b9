"""Faults of sessions that are not lines: one JSON document, a database, a folder of events."""

import json
import sqlite3

from agent import Absent
from trial import TURNS


class Store:
    def __init__(self, agent, path):
        self.agent, self.path = agent, path

    def damage(self, fault):
        edit = getattr(self, fault.replace("-", "_"), None)
        if edit is None:
            raise Absent("not a fault of this kind of store")
        edit()

    def clean(self):
        pass

    killed = clean
    long = clean


class ContinueDocument(Store):
    """`history` of Continue: a call and its result are in one item."""

    def edit(self, change):
        value = json.loads(self.path.read_text())
        change(value["history"])
        self.path.write_text(json.dumps(value, indent=2))

    @staticmethod
    def at(history, text):
        return next(n for n, item in enumerate(history) if text in json.dumps(item))

    def no_result(self):
        self.edit(lambda history: history[self.at(history, "out-2")].pop("toolCallStates"))

    def no_call(self):
        self.edit(lambda history: history[self.at(history, "out-2")]["message"].pop("toolCalls"))

    def double(self):
        def change(history):
            at = self.at(history, "out-2")
            history.insert(at, history[at])

        self.edit(change)

    def cut(self):
        text = self.path.read_text()
        self.path.write_text(text[: text.index(f"done-{TURNS}")])

    def nul_line(self):
        self.path.write_bytes(b"\0" * self.path.stat().st_size)

    def edited(self):
        self.path.write_text(self.path.read_text().replace("done-2 is", "done-2 (edited) is"))

    def surrogate(self):
        self.path.write_text(self.path.read_text().replace("done-2 is", "done-2 \\ud83d is"))


class Database(Store):
    def run(self, text, *values):
        base = sqlite3.connect(self.path)
        with base:
            if not base.execute(text, values).rowcount:
                raise Absent("no such row")
        base.execute("pragma wal_checkpoint(truncate)")
        base.close()


class HermesDatabase(Database):
    def no_result(self):
        self.run("delete from messages where role = 'tool' and content like '%out-2%'")

    def no_call(self):
        self.run("update messages set tool_calls = null where tool_calls like '%out-_s 2%'")

    def double(self):
        base = sqlite3.connect(self.path)
        names = [row[1] for row in base.execute("pragma table_info(messages)") if row[1] != "id"]
        base.close()
        columns = ", ".join(names)
        self.run(f"insert into messages ({columns}) select {columns} from messages where role = 'tool' and content like '%out-2%'")

    def quote(self):
        self.run("update messages set tool_calls = rtrim(tool_calls, '}]') where tool_calls like '%out-_s 2%'")

    def edited(self):
        self.run("update messages set content = replace(content, 'done-2 is', 'done-2 (edited) is') where content like '%done-2 is%'")


class OpenCodeDatabase(Database):
    """A call and its result are one part."""

    where = "where data like '%\"tool\"%' and data like '%out-2%'"

    def no_result(self):
        state = "json_object('status', 'running', 'input', json_extract(data, '$.state.input'), 'time', json_object('start', 1))"
        self.run(f"update part set data = json_set(data, '$.state', {state}) {self.where}")

    def no_call(self):
        self.run(f"delete from part {self.where}")

    def quote(self):
        self.run(f"update part set data = rtrim(data, '}}') {self.where}")

    def edited(self):
        self.run("update part set data = replace(data, 'done-2 is', 'done-2 (edited) is') where data like '%done-2 is%'")


class OpenHandsEvents(Store):
    """One file an event, numbered."""

    def files(self):
        return sorted((self.path.parent / "events").glob("event-*.json"))

    def of(self, text, kind):
        return next(file for file in self.files() if text in file.read_text() and f'"{kind}"' in file.read_text())

    def no_result(self):
        self.of("out-2", "ObservationEvent").unlink()

    def no_call(self):
        self.of("out-%s 2", "ActionEvent").unlink()

    def double(self):
        file, last = self.of("out-2", "ObservationEvent"), self.files()[-1]
        event = json.loads(file.read_text()) | {"id": "11111111-2222-4333-8444-555555555555"}
        number = int(last.name[6:11]) + 1
        last.with_name(f"event-{number:05d}-{event['id']}.json").write_text(json.dumps(event, separators=(",", ":")))

    def cut(self):
        file = self.files()[-1]
        file.write_text(file.read_text()[:100])

    def nul_end(self):
        self.files()[-1].write_text("")

    def quote(self):
        file = self.of("out-2", "ObservationEvent")
        file.write_text(file.read_text().replace('"', "", 1))

    def edited(self):
        file = self.of("done-2", "MessageEvent")
        file.write_text(file.read_text().replace("done-2 is", "done-2 (edited) is"))


class VibeSession(Store):
    """Chunks that are named by their digest, and a journal whose records name the digest of the one before."""

    def newest(self):
        """The journal that still gets records."""
        return max((file for file in self.path.parent.glob("journal/*.jsonl") if file.stat().st_size), key=lambda file: file.name)

    def cut(self):
        text = self.newest().read_bytes().rstrip(b"\n")
        self.newest().write_bytes(text[: len(text) - 40])

    def no_newline(self):
        self.newest().write_bytes(self.newest().read_bytes().rstrip(b"\n"))

    def edited(self):
        for file in self.path.parent.glob("chunks/*.json"):
            file.write_text(file.read_text().replace("done-2 is", "done-2 (edited) is"))


STORES = {
    "continue": ContinueDocument,
    "hermes": HermesDatabase,
    "opencode": OpenCodeDatabase,
    "openhands": OpenHandsEvents,
    "vibe": VibeSession,
}
