"""What the tool says of a fault against what was sent: the exit code of `check`, the result of `fix -w`, and the acts that
`replaylint agents` lists."""

from agent import Agent
from faults import Fault
from measure import is_whole

# In a chain of entries these faults are a missing parent too.
BREAK_CHAINS = ("no-result", "no-call", "cut-glued", "quote", "nul-line", "late")


def turn_of(fault: Fault) -> str:
    return "4" if fault.id in ("killed", "open-call") else "2"


def holds(act: str, result: dict, fault: Fault) -> bool | None:
    """Whether requests show an act; None if nothing is known of one of this name."""
    turn, first = turn_of(fault), result["first"]["held"]
    refused, whole = bool(result["refused"]), is_whole(result)
    match act:
        case "answers":
            return not refused and turn in first["call"]
        case "leaves-out":
            gone = {"unanswered-call": "call", "orphan-output": "out"}.get(fault.defect)
            # What remains may be refused without it.
            return not refused and turn not in first[gone] if gone else not result["lost"]
        case "sends":
            return True
        case "sends-once" | "skips-check":
            return not refused
        case "moves":
            return not refused and turn in first["out"]
        case "replaces":
            return not refused and "2" in first["done"]
        case "breaks" | "reads" | "reads-in-order" | "adds-newline" | "joins-lines":
            return whole and not result["parts"]
        case "sends-without":
            return result["first"]["recovered"]
        case "is-refused":
            # Without a request there is nothing to refuse.
            return refused or not first
        case "hangs":
            return not first
        case "loses-line":
            return not whole and "1" in first["ask"]
        case "loses-earlier":
            return "1" not in first["ask"]
        case "loses-later":
            return "1" in first["ask"] and "3" not in first["ask"]
        case "loses-next":
            # Before a line, the record of that line is lost, and what its parent led to.
            lost = any(row.startswith("resume 2") for row in result["lost"])
            return lost and ("1" in first["ask"] or fault.id == "nul-line")
    return None


def version(text: str | None) -> tuple[int, ...] | None:
    return tuple(map(int, text.split("."))) if text else None


def applies(act: dict, agent: Agent) -> bool:
    now, since, until = version(agent.version), version(act["since"]), version(act["until"])
    return (since is None or now >= since) and (until is None or now < until)


def loses_reasoning(fault: Fault, cell: dict) -> bool:
    """What is lost with a truncated record may be reasoning, which is no part of a turn."""
    errors = [code for code in cell["found"] if not code.endswith(" w")]
    return fault.id == "cut-glued" and errors == ["RL009"]


def mismatches(agent: Agent, fault: Fault, cell: dict, acts: dict | None):
    """Sentences, each a claim of the tool that the wire contradicts."""
    result, where = cell["as is"], f"{agent.title} {agent.version}, {fault.title}"
    whole = is_whole(result)
    said = result["refused"] or "; ".join(result["lost"])
    if cell["check"] > 1 and "panicked" in cell["found"][0]:
        yield f"{where}: `check` fails: {cell['found'][0]}"
    elif fault.is_visible and not whole and cell["check"] == 0:
        yield f"{where}: `check` exits 0, but {said}"
    elif whole and not result["parts"] and cell["check"] == 1 and not loses_reasoning(fault, cell):
        yield f"{where}: `check` exits 1 ({', '.join(cell['found'])}), but every turn is sent: {result['cell']}"
    fixed = cell.get("fixed")
    if fixed and cell["fix"] == 0 and not is_whole(fixed):
        yield f"{where}: `fix -w` says \"{cell['fix says']}\", but then {fixed['refused'] or '; '.join(fixed['lost'])}"
    if fault.id == "long" and fixed and "1" in fixed["first"]["held"].get("done", ""):
        yield f"{where}: `fix -w` says \"{cell['fix says']}\", but answer 1 is still sent"
    for act in (acts or {}).get(agent.tool, ()) if cell["acts"] else ():
        if act["defect"] != fault.defect or not applies(act, agent):
            continue
        if agent.links and fault.id in BREAK_CHAINS and fault.defect != "nul-bytes":
            continue
        claim, shown = act["effect"], holds(act["effect"], result, fault)
        if shown is None:
            yield f"{where}: the effect `{claim}` of `replaylint agents` is unknown here"
        elif not shown:
            yield f"{where}: `replaylint agents` says `{claim}` ({act['source']}), the wire: {result['cell']}{details(result)}"
        elif (text := act.get("placeholder")) and text.split("…")[0] not in placeholders(result, fault):
            yield f"{where}: `replaylint agents` says that the placeholder contains {text!r}, the wire: {placeholders(result, fault)!r}"


def placeholders(result: dict, fault: Fault) -> str:
    """The results of calls in the first request that are not those of the command."""
    return "\n".join(text for text in result["first"]["results"] if "out-" not in text)


def details(result: dict) -> str:
    said = [*result["lost"], *result["parts"], *result["healed"]]
    return f" ({'; '.join(said)})" if said else ""


def carry_mismatches(source: str, target: str, cell: dict):
    if "failed" in cell:
        yield f"{source} to {target}: {cell['failed']}"
    elif not is_whole(cell["sent"]):
        yield f"{source} to {target}: `{cell['command']}`: {cell['sent']['refused'] or '; '.join(cell['sent']['lost'])}"
