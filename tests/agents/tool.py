"""replaylint, as a user runs it: exit codes, repaired files, and what it claims about agents."""

import json
import os
import subprocess
from pathlib import Path

from programs import ROOT

BINARY = Path(os.environ.get("REPLAYLINT", ROOT / "target" / "debug" / "replaylint"))


def replaylint(*arguments, home: Path | None = None, variables: dict | None = None) -> subprocess.CompletedProcess:
    given = {key: value for key, value in os.environ.items() if key in ("PATH", "LANG")}
    given |= variables or {}
    if home:
        given["HOME"] = str(home)
    return subprocess.run([BINARY, *map(str, arguments), "--isolated"], capture_output=True, text=True, env=given, timeout=60)


def age(path: Path) -> None:
    """Nobody writes to it any more: `fix -w` leaves a file alone that has just changed."""
    for file in [path, *(path.rglob("*") if path.is_dir() else ())]:
        os.utime(file, (0, 0))


def check(path: Path) -> tuple[int, list[str]]:
    """The exit code, and the codes of errors and warnings, as `RL101` and `RL003 w`."""
    done = replaylint("check", "--output-format", "json", path)
    if done.returncode > 1:
        return done.returncode, [done.stderr.strip()[-200:]]
    found = json.loads(done.stdout)["diagnostics"]
    codes = {row["rule"] + {"warning": " w", "error": ""}.get(row["severity"], " n") for row in found}
    return done.returncode, sorted(code for code in codes if not code.endswith(" n"))


def fix(path: Path, options: tuple, home: Path, variables: dict) -> tuple[int, str]:
    """Repairs a session where it is; where only a copy can be repaired (Codex), it is installed where the agent finds it.
    Backups stay, as they do for users. The exit code and the words."""
    age(path)
    done = replaylint("fix", "-w", "-y", *options, path)
    if "fix --install" in done.stderr + done.stdout:
        done = replaylint("fix", "--install", "-y", *options, path, home=home, variables=variables)
    return done.returncode, done.stderr + done.stdout


def acts() -> dict | None:
    """What `replaylint agents` says that each agent does about defects, by agent; None if there is no such command."""
    done = subprocess.run([BINARY, "agents", "--output-format", "json"], capture_output=True, text=True, timeout=60)
    if done.returncode:
        return None
    return {agent["id"]: agent["acts"] for agent in json.loads(done.stdout)["agents"]}
