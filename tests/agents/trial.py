"""A session of an agent: four turns, kept as a folder that each trial copies, and resumed to see what is sent."""

import json
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path

import programs
from agent import Place
from server import Server, prompt

SECONDS = 60
TURNS = 4


class Unusable(Exception):
    """Why an agent cannot be tried here."""


@dataclass
class Sent:
    """What a run of an agent asked for first: the turns whose questions and answers the request holds, and whether it was
    refused. `turns` is None if there was no request."""

    turns: str | None = None
    held: dict = field(default_factory=dict)
    begins: str = ""
    refused: str | None = None
    # Whether a refused request was followed by one that was answered.
    recovered: bool = False
    status: int | None = None
    output: str = ""
    results: list = field(default_factory=list)

    def cell(self) -> str:
        if self.turns is None:
            return "no request" if self.status is not None else "hangs"
        said = self.turns or "none"
        if self.begins == "assistant":
            said += ", begins with assistant"
        if self.refused:
            said += ", refused, then sent again" if self.recovered else ", refused"
        return said


def sent(requests, turn: int, status, output) -> Sent:
    asked = [request for request in requests if request.is_main and str(turn) in request.held["ask"]]
    if not asked:
        # A request without the question is one too, if it is all that there is.
        asked = [request for request in requests if request.is_main]
    if not asked:
        return Sent(status=status, output=output[-2000:])
    first = asked[0]
    recovered = bool(first.refused) and any(not request.refused for request in asked)
    # What is kept counts: of a request that was sent again, the last form.
    kept = next((request for request in asked if not request.refused), first)
    turns = "".join(sorted(set(kept.held["ask"]) - {str(turn)}))
    return Sent(turns, kept.held, kept.begins, first.refused, recovered, status, output[-2000:], kept.results)


class Trial:
    """An agent with its server, in a scratch folder. `home` is where it runs now."""

    def __init__(self, agent, folder: Path, server: Server):
        self.agent, self.folder, self.server = agent, folder, server
        self.home = folder / "home"
        self.place = Place(self.home, self.home / "work", server.url)

    def fresh(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        self.place.work.mkdir(parents=True)
        self.agent.configure(self.place)

    def save(self, name: str) -> None:
        shutil.rmtree(self.folder / name, ignore_errors=True)
        # What a program was writing when it was ended may vanish.
        shutil.copytree(self.home, self.folder / name, symlinks=True, ignore=shutil.ignore_patterns("*.tmp"))

    def load(self, name: str) -> None:
        """The home is the same folder each time, since sessions contain paths."""
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.copytree(self.folder / name, self.home, symlinks=True)

    def ask(self, turn: int, session: Path | str | None = None, slow: bool = False) -> Sent:
        """Asks a turn in a session, by its file or by what resumes it, or in a new one. `slow` ends the program in its
        tool call."""
        server = self.server
        server.turn, server.slow, server.calls = turn, slow, slow or self.agent.calls_tools
        start = len(server.requests)
        key = self.agent.key(session) if isinstance(session, Path) else session
        line = self.agent.new(prompt(turn)) if key is None else self.agent.resume(prompt(turn), key)
        since = [None]

        def is_in_call():
            if since[0] is None and any(request.is_main for request in server.requests[start:]):
                since[0] = time.monotonic()
            return since[0] is not None and time.monotonic() - since[0] > 3

        variables = self.agent.environment(self.place)
        status, output = programs.run(line, self.place.work, variables, SECONDS, is_in_call if slow else None)
        server.slow = False
        return sent(server.requests[start:], turn, status, output)

    def home_variables(self) -> dict:
        """The variables of the agent that name folders of its home, which the tool reads too."""
        variables = self.agent.variables(self.place)
        return {key: value for key, value in variables.items() if value.startswith(str(self.home))}

    def run(self, command: list[str]) -> tuple[int | None, str]:
        return programs.run(command, self.place.work, self.agent.environment(self.place), SECONDS)

    def session(self) -> Path:
        return self.agent.session(self.home)

    def build(self, turns: int = TURNS) -> None:
        """The sessions that all faults start from: `base` of all turns, `killed` in the tool call of the last."""
        self.fresh()
        for turn in range(1, turns + 1):
            got = self.ask(turn, self.session() if turn > 1 else None)
            if turn == turns - 1 or turns == 1:
                self.save("short")
            if got.turns is None or got.refused:
                raise Unusable(f"turn {turn}: {got.refused or 'no request'}: {got.output[-300:]}")
        self.save("base")

    def resume(self, session: Path | str | None = None) -> tuple[Sent, Sent]:
        """The next two turns, of the newest session if none is given."""
        first = self.ask(TURNS + 1, session or self.session())
        # A program that hangs before it asks does so again.
        hangs = first.turns is None and first.status is None
        return first, first if hangs else self.ask(TURNS + 2, session or self.session())


def dump(path: Path, value) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1) + "\n")
