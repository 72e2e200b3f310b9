"""Programs of agents: installed below `target/agents`, run with a time limit, and ended with all that they started."""

import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INSTALLED = ROOT / "target" / "agents"
NODE_22 = "node@22.23.3"
# The variable by which the processes of a run are found.
MARK = "REPLAYLINT_AGENT_RUN"


class NotInstalled(Exception):
    """Why a program is not there: the last line of the installer."""


def folder_of(package: str) -> Path:
    return INSTALLED / package.removeprefix("@").replace("/", "+").replace("==", "-").replace("@", "-")


def npm(package: str) -> Path:
    """The folder of the commands of an npm package, which is installed if it is not there yet."""
    folder = folder_of(package)
    commands = folder / "node_modules" / ".bin"
    if not commands.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        install(folder, ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", folder, package])
    return commands


def pypi(package: str, versions: tuple[str, ...]) -> Path:
    """The folder of the commands of a PyPI package, in a virtual environment of one of these versions of Python."""
    folder = folder_of(package)
    if not (folder / "installed").exists():
        python = next(filter(None, map(interpreter, versions)), None)
        if python is None:
            raise NotInstalled(f"it needs Python {' or '.join(versions)}")
        install(folder, [python, "-m", "venv", folder])
        install(folder, [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", package])
        (folder / "installed").touch()
    return folder / "bin"


def interpreter(version: str) -> str | None:
    """A Python of this version: the one that runs this, one in the path, or one of pyenv."""
    if "%d.%d" % sys.version_info[:2] == version:
        return sys.executable
    found = sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(f"versions/{version}.*/bin/python"))
    return str(found[-1]) if found else shutil.which(f"python{version}")


def install(folder: Path, command: list) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    if done.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        said = (done.stderr or done.stdout).strip().splitlines()
        raise NotInstalled(said[0] if said else f"exit {done.returncode}")


def node_22() -> Path:
    return npm(NODE_22)


def run(command: list, folder: Path, variables: dict, seconds: float, until=None) -> tuple[int | None, str]:
    """The exit status and the output of a program; None if the time limit ended it, or `until` did: a function that is
    asked four times a second whether to end it with a signal that it cannot handle."""
    mark = uuid.uuid4().hex
    with open(folder.parent / "output", "w+b") as out:
        process = subprocess.Popen(
            [str(part) for part in command],
            cwd=folder,
            env=variables | {MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        end, status = time.monotonic() + seconds, None
        try:
            while time.monotonic() < end and not (until and until()):
                try:
                    status = process.wait(0.25)
                    break
                except subprocess.TimeoutExpired:
                    pass
        finally:
            kill(process, mark)
        out.seek(0)
        return status, out.read().decode(errors="replace")


def kill(process: subprocess.Popen, mark: str) -> None:
    """Ends the group of a process, and whatever it has started that left the group (Linux: servers that detach)."""
    for end, id in ((os.killpg, process.pid), *((os.kill, id) for id in marked(mark))):
        try:
            end(id, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
    process.wait()


def marked(mark: str) -> list[int]:
    """The processes that have inherited the mark of a run."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"{MARK}={mark}".encode() in entry.read_bytes():
                found.append(int(entry.parent.name))
        except OSError:
            continue
    return found
