"""Sessions that are carried to another agent: converted, installed, and resumed with the command that is printed."""

import re

import tool
from faults import Fault
from measure import judged
from trial import Trial

# What `convert --to` calls the sessions of an agent, by the name of the agent here.
TARGETS = {
    "codex": "codex-session",
    "claude-code": "claude-code-session",
    "opencode": "opencode-export",
    "pi": "pi-session",
    "gemini": "gemini-session",
}
# What an id or a file follows in a command that resumes.
RESUMES = ("resume", "--resume", "--session", "-s", "-r")
# Whose sessions are carried; the first five also to each other.
SOURCES = (*TARGETS, "qwen", "copilot", "kimi-code")
WHOLE = Fault("carried", "carried")


def carry(source: Trial, target: Trial) -> dict:
    """What the target sends, in two resumes, of the session that the source has built."""
    source.load("base")
    origin = source.agent.checked(source.session())
    target.fresh()
    name = TARGETS[target.agent.id]
    place = target.place
    where = ["-o", place.home / "session.json"] if name == "opencode-export" else ["--install"]
    done = tool.replaylint("convert", "--to", name, *where, "--cwd", place.work, origin, home=place.home, variables=target.home_variables())
    said = " ".join((done.stdout + done.stderr).split())
    if done.returncode:
        return {"failed": f"`convert` exits {done.returncode}: {said[-200:]}"}
    commands = re.findall(r"`([^`]*)`", said.split("Import it with")[-1] if name == "opencode-export" else said.split("Resume with")[-1])
    if name == "opencode-export":
        status, output = target.run(["opencode", "import", str(place.home / "session.json")])
        if status:
            return {"failed": f"`opencode import` exits {status}: {output[-200:]}"}
    if not commands:
        return {"failed": f"no command for resuming is printed: {said[-200:]}"}
    words = commands[-1].split()
    key = next((words[at + 1] for at, word in enumerate(words[:-1]) if word in RESUMES), None)
    if name == "opencode-export":
        target.agent.model = words[words.index("-m") + 1] if "-m" in words else ""
    runs = target.resume(key)
    result = judged(runs, WHOLE, calls_tools=False)
    out = {"command": commands[-1], "sent": result}
    if runs[0].turns is None:
        words = re.sub(r"\x1b\[[0-9;]*m", "", runs[0].output).split()
        out["failed"] = f"no request: {' '.join(words)[-160:]}"
    return out


def pairs(trials: dict, report) -> dict:
    """All pairs of agents that were built, by titles."""
    out = {}
    for source in trials.values():
        for id, target in trials.items():
            if id not in TARGETS or target is source:
                continue
            cell = carry(source, target)
            out[source.agent.title, target.agent.title] = cell
            report(source.agent.title, target.agent.title, cell)
    return out
