"""What is known of an agent: how it is installed, pointed at the server, asked, and resumed, and where its session is."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

import programs


@dataclass
class Place:
    """Where an agent runs: a scratch home, a working folder in it, and the URL of the server."""

    home: Path
    work: Path
    url: str


class Absent(Exception):
    """The session has no such thing to damage."""


class Agent:
    """One agent in one version. `id` names it in filters; `tool` is what `replaylint agents` calls it."""

    id = tool = title = package = version = ""
    # Whether it needs a newer Node than most.
    needs_node_22 = False
    # Versions of Python with which a package of PyPI works; empty for npm.
    pythons: tuple[str, ...] = ()
    # Where sessions are, from the home.
    sessions = ""
    # Whether turns call a tool.
    calls_tools = True
    # The types of records from which requests are built; empty for all.
    types: tuple[str, ...] = ()
    # The members that name the parent of a record, and the record; empty if records are read in their order.
    links: tuple[str, ...] = ()

    def install(self) -> None:
        if self.pythons:
            self.path = programs.pypi(f"{self.package}=={self.version}", self.pythons)
        else:
            self.path = programs.npm(f"{self.package}@{self.version}")
        self.node = programs.node_22() if self.needs_node_22 else None

    def environment(self, place: Place) -> dict:
        first = [str(path) for path in (self.node, self.path) if path]
        base = {"HOME": str(place.home), "PATH": os.pathsep.join([*first, os.environ["PATH"]]), "TERM": "dumb", "LANG": "C.UTF-8"}
        return base | {"NO_COLOR": "1", "CI": "1"} | self.variables(place)

    def variables(self, place: Place) -> dict:
        return {}

    def configure(self, place: Place) -> None:
        """Writes its settings."""

    def new(self, prompt: str) -> list[str]:
        raise NotImplementedError

    def resume(self, prompt: str, key: str) -> list[str]:
        """`key` is what its command for resuming takes: an id, a file, or what it calls the newest."""
        raise NotImplementedError

    def key(self, session: Path) -> str:
        return session.stem

    def session(self, home: Path) -> Path:
        """The newest session, without backups of repairs."""
        found = (path for path in home.glob(self.sessions) if ".bak" not in path.name)
        return max(found, key=lambda path: path.stat().st_mtime_ns)

    def is_sent(self, record: dict) -> bool:
        """Whether requests are built from a record of the session, or from a copy of what it says."""
        return record.get("type") in self.types if self.types else True

    def checked(self, session: Path) -> Path:
        """What `replaylint` is given."""
        return session


def write(path: Path, value) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, indent=1))
