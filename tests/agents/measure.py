"""One cell: a fault in a session of an agent, what is sent of it, and what the tool says."""

from dataclasses import replace
from pathlib import Path

import tool
from agent import Absent
from faults import BY_ID, Fault, Lines
from stores import STORES
from trial import TURNS, Sent, Trial

STORED = {"ask": b"ask-%d" % TURNS, "call": b"out-%%s %d" % TURNS}
PARTNERS = {"call": "out", "out": "call"}
ASKED = "".join(map(str, range(1, TURNS + 1)))


def damage(trial: Trial, fault: Fault) -> None:
    trial.load("killed" if fault.id == "killed" else "base")
    kind = STORES.get(trial.agent.id, Lines)
    kind(trial.agent, trial.session()).damage(fault.id)


def cell(trial: Trial, fault: Fault) -> dict:
    """Raises `Absent` if the session has nothing for this fault."""
    damage(trial, fault)
    session = trial.session()
    path = trial.agent.checked(session)
    tool.age(path)
    code, found = tool.check(path)
    before = content(path)
    if fault.id == "killed":
        # Some store a question or a call only when it is answered.
        raw = before if isinstance(before, bytes) else b"".join(before.values())
        unsaved = [(marker, str(TURNS)) for marker, text in STORED.items() if text not in raw]
        fault = replace(fault, destroys=(*fault.destroys, *unsaved))
    as_is = judged(trial.resume(), fault, trial.agent.calls_tools)
    damage(trial, fault)
    path = trial.agent.checked(trial.session())
    fixed, said = tool.fix(path, fault.options, trial.home, trial.home_variables())
    # A fault that left nothing of the call says nothing about calls.
    out = {"acts": ("call", str(TURNS)) not in fault.destroys, "check": code, "found": found, "as is": as_is, "fix": fixed, "fix says": last_words(said)}
    now = trial.agent.checked(trial.session())
    if now == path and content(now) == before:
        out["fixed"] = None
    else:
        out["check after fix"] = tool.check(now)[0]
        out["fixed"] = judged(trial.resume(), fault, trial.agent.calls_tools)
    return out


def content(path: Path) -> dict | bytes:
    if path.is_file():
        return path.read_bytes()
    return {str(file): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


def last_words(said: str) -> str:
    rows = [row for row in said.splitlines() if row.startswith(("Fixed", "Nothing", "No ", "Not "))]
    return " ".join(rows)


def judged(runs: tuple[Sent, Sent], fault: Fault, calls_tools: bool = True) -> dict:
    """What two resumes sent, and whether they were refused: `lost` are questions and answers that are in the file and were
    not sent, `parts` calls and results, `healed` calls whose result is gone, and results whose call is."""
    out = {"cell": "; 2: ".join(run.cell() for run in runs), "lost": [], "refused": None, "parts": [], "healed": []}
    for number, run in enumerate(runs):
        turns = ASKED + ("" if number == 0 else str(TURNS + 1))
        if run.turns is None:
            said = " ".join(run.output.split())[-200:] if run.status is not None else "it hangs"
            out["lost"].append(f"resume {number + 1}: no request ({said})")
            continue
        if run.refused and not run.recovered:
            out["refused"] = out["refused"] or run.refused
        for marker in ("ask", "done", "call", "out") if calls_tools else ("ask", "done"):
            # After a refused turn its answer is in no file.
            known = ASKED if runs[0].refused and not runs[0].recovered and marker != "ask" else turns
            # Of a turn that is lost, its question says so.
            known = "".join(turn for turn in known if marker == "ask" or turn in run.held["ask"])
            missing = [turn for turn in known if turn not in run.held[marker] and (marker, turn) not in fault.destroys]
            if missing and marker in ("ask", "done"):
                out["lost"].append(f"resume {number + 1}: {marker} {''.join(missing)}")
            for turn in missing if marker in PARTNERS else ():
                heals = (PARTNERS[marker], turn) in fault.destroys
                out["healed" if heals else "parts"].append(f"resume {number + 1}: {marker} {turn}")
    out["first"], out["second"] = (
        {"held": run.held, "refused": run.refused, "recovered": run.recovered, "results": run.results} for run in runs
    )
    return out


def is_whole(result: dict) -> bool:
    """Whether every question and answer was sent, twice, and the provider took it."""
    return not result["lost"] and not result["refused"]


def measure(trial: Trial, fault_ids: list[str], report) -> None:
    """Builds the sessions of one agent, and reports each cell."""
    trial.build()
    if "killed" in fault_ids:
        trial.load("short")
        trial.ask(TURNS, trial.session(), slow=True)
        trial.save("killed")
    for id in fault_ids:
        try:
            report(id, cell(trial, BY_ID[id]))
        except Absent:
            continue
