"""Faults of sessions: what programs that are killed, disks that fill up and hands that edit leave in the file.

A fault is an edit of the stored session before it is resumed. Those inside of the session damage turn 2, so that turns
before and after it can be lost; those at its end damage turn 4.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from agent import Absent
from trial import TURNS

# Parents that no entry has.
LOST_PARENT = {"parentId": "ffffffff", "parentUuid": "ffffffff-ffff-4fff-8fff-ffffffffffff"}


@dataclass(frozen=True)
class Fault:
    """`defect` is the name that the tool gives it, or None; `destroys` are the parts of turns that are no longer in the
    file, as `(marker, turn)`."""

    id: str
    title: str
    defect: str | None = None
    destroys: tuple = ()
    # Whether the tool can see it in the file.
    is_visible: bool = True
    # What `fix` is given for it.
    options: tuple = ()


# What is gone once all but the questions and the last two turns are.
SHORTENED = tuple((marker, turn) for turn in "12" for marker in ("note", "call", "out", "done"))

FAULTS = (
    Fault("clean", "clean"),
    Fault("killed", "killed in a tool call", "unanswered-call", (("done", "4"), ("out", "4"))),
    Fault("open-call", "file ends in a call", "unanswered-call", (("done", "4"), ("out", "4"))),
    Fault("no-result", "result deleted", "unanswered-call", (("out", "2"),)),
    Fault("no-call", "call deleted", "orphan-output", (("call", "2"), ("note", "2"))),
    Fault("double", "result twice", "duplicate-output"),
    Fault("late", "result after the next question", "late-output"),
    Fault("cut", "last line cut", "truncated-last-line", (("done", "4"),)),
    Fault("no-newline", "no newline at the end", "missing-last-newline"),
    Fault("glued", "two records on one line", "shared-line"),
    Fault("cut-glued", "cut + whole record on one line", "record-after-truncated-one", (("out", "2"),)),
    Fault("nul-end", "NUL bytes at the end", "nul-bytes"),
    Fault("nul-line", "NUL bytes before a line", "nul-bytes"),
    Fault("quote", "one quote missing", "invalid-line"),
    Fault("parent", "parent that does not exist", "missing-parent"),
    Fault("cycle", "parents in a cycle", "cycle"),
    Fault("reasoning", "reasoning altered", "altered-thinking", (), False, ("--reasoning", "strip")),
    Fault("no-ordinal", "ordinal missing", "broken-ordinals"),
    Fault("double-ordinal", "ordinal twice", "broken-ordinals"),
    Fault("surrogate", "half of a surrogate pair", "lone-surrogate"),
    Fault("edited", "text edited"),
    Fault("long", "too long", None, SHORTENED, False, ("--max-tokens", "1", "--keep", "prompts,last=2")),
)
BY_ID = {fault.id: fault for fault in FAULTS}


class Lines:
    """A session of one record a line."""

    def __init__(self, agent, path: Path):
        self.agent, self.path = agent, path
        self.lines = path.read_bytes().splitlines(keepends=True)

    def damage(self, fault: str) -> None:
        getattr(self, fault.replace("-", "_"))()
        self.path.write_bytes(b"".join(self.lines))

    def find(self, marker: str, turn: int) -> int:
        """The line from which the agent takes this part of a turn."""
        looked = re.compile((r"printf out-%%s %d\b" if marker == "call" else rf"{marker}-%d\b") % turn)
        other = re.compile(rf"out-{turn}\b")
        for at, line in enumerate(self.lines):
            record = json.loads(line)
            if not self.agent.is_sent(record) or not looked.search(line.decode()):
                continue
            if marker != "call" or not other.search(line.decode()):
                return at
        raise Absent(f"no {marker}-{turn} in the session")

    def middle(self) -> int:
        """The line inside of the session that is damaged: the result of turn 2, or its answer if it has none."""
        try:
            return self.find("out", 2)
        except Absent:
            return self.find("done", 2)

    def clean(self):
        pass

    killed = clean
    long = clean

    def open_call(self):
        del self.lines[self.find("call", TURNS) + 1 :]

    def no_result(self):
        del self.lines[self.find("out", 2)]

    def no_call(self):
        del self.lines[self.find("call", 2)]

    def double(self):
        at = self.find("out", 2)
        self.lines.insert(at, self.lines[at])

    def late(self):
        at, after = self.find("out", 2), self.find("ask", 3)
        self.lines.insert(after, self.lines.pop(at))

    def cut(self):
        at = self.find("done", TURNS)
        del self.lines[at + 1 :]
        # In its text, or before it.
        self.lines[at] = self.lines[at][: min(len(self.lines[at]) // 2, self.lines[at].index(b"done-4"))]

    def no_newline(self):
        self.lines[-1] = self.lines[-1].rstrip(b"\r\n")

    def glued(self):
        at = self.middle()
        self.lines[at] = self.lines[at].rstrip(b"\n")

    def cut_glued(self):
        at = self.middle()
        cut = re.search(rb"(out|done)-2", self.lines[at])
        self.lines[at] = self.lines[at][: cut.start()]

    def nul_end(self):
        self.lines.append(b"\0" * 64)

    def nul_line(self):
        at = self.middle()
        self.lines[at] = b"\0" * 64 + self.lines[at]

    def quote(self):
        at = self.middle()
        head, tail = self.lines[at].rsplit(b'"', 1)
        self.lines[at] = head + tail

    def link(self, at: int, parent: str):
        if not self.agent.links:
            raise Absent("no parents")
        key, _ = self.agent.links
        old = json.dumps(json.loads(self.lines[at])[key])
        pattern = re.compile(rb'("%s":\s*)%s' % (key.encode(), re.escape(old.encode())))
        self.lines[at] = pattern.sub(rb'\g<1>"%s"' % parent.encode(), self.lines[at], count=1)

    def parent(self):
        self.link(self.find("ask", 3), LOST_PARENT.get((self.agent.links or ("",))[0], ""))

    def cycle(self):
        self.link(self.find("ask", 3), json.loads(self.lines[self.find("done", 3)]).get((self.agent.links or ("", ""))[1], ""))

    def reasoning(self):
        """One letter of the token of the thought before call 2."""
        for at in range(self.find("call", 2), self.find("ask", 2), -1):
            found = self.agent.is_sent(json.loads(self.lines[at])) and re.search(rb"dGhvdWdodC", self.lines[at])
            if found:
                place = found.end() + 30
                line = bytearray(self.lines[at])
                line[place] = ord("A") if line[place] != ord("A") else ord("B")
                self.lines[at] = bytes(line)
                return
        raise Absent("no token of a thought")

    def no_ordinal(self):
        self.ordinal(lambda line: re.sub(rb'"ordinal":\d+,', b"", line, count=1))

    def double_ordinal(self):
        before = json.loads(self.lines[self.middle() - 1]).get("ordinal")
        self.ordinal(lambda line: re.sub(rb'"ordinal":\d+,', b'"ordinal":%d,' % (before or 0), line, count=1))

    def ordinal(self, edit):
        at = self.middle()
        if b'"ordinal"' not in self.lines[at]:
            raise Absent("no ordinals")
        self.lines[at] = edit(self.lines[at])

    def surrogate(self):
        self.replace(b"done-2 is", rb"done-2 \ud83d is")

    def edited(self):
        self.replace(b"done-2 is", b"done-2 (edited) is")

    def replace(self, old: bytes, new: bytes):
        at = self.find("done", 2)
        self.lines[at] = self.lines[at].replace(old, new)
