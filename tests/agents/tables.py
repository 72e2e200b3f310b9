"""The two tables, as Markdown: what is sent of a faulty session, and of a session that was carried to another agent."""

from faults import FAULTS
from measure import is_whole

# Columns of one table.
WIDTH = 5


def described(result: dict | None) -> str:
    if is_whole(result):
        said = ["ok"]
        if result["first"]["recovered"]:
            said.append("refused, then sent again")
    else:
        said = [result["cell"].replace(", refused", ", **400**")]
        said += [f"{rest} lost" for rest in rows(result["lost"]) if not rest.startswith("ask")]
    said += [f"{rest} dropped" for rest in rows(result["healed"])] + [f"{rest} lost" for rest in rows(result["parts"])]
    return ", ".join(said)


def rows(found: list[str]) -> list[str]:
    """Each but once, without the number of the resume, and without the output of the program."""
    return list(dict.fromkeys(row.split(": ")[1].split(" (")[0] for row in found if "no request" not in row))


def cell_text(cell: dict | None) -> str:
    if cell is None:
        return ""
    check = "not read" if cell["check"] > 1 else ", ".join(cell["found"]) or "0"
    text = f"{described(cell['as is'])} → {check}"
    if cell["fixed"]:
        text += f" → fix: {described(cell['fixed'])}"
    return text.replace("|", "\\|")


def fault_tables(measured: dict) -> str:
    """`measured` maps a title to cells by fault. Several tables, since one of all agents is too wide."""
    titles, out = list(measured), []
    for start in range(0, len(titles), WIDTH):
        some = titles[start : start + WIDTH]
        out.append(f"| fault | {' | '.join(some)} |\n|---|{'---|' * len(some)}")
        for fault in FAULTS:
            cells = [cell_text(measured[title].get(fault.id)) for title in some]
            if any(cells):
                out.append(f"| {fault.title} | {' | '.join(cells)} |")
        out.append("")
    return "\n".join(out)


def carry_table(carried: dict) -> str:
    """`carried` maps pairs of titles to what was sent."""
    sources = list(dict.fromkeys(source for source, _ in carried))
    targets = list(dict.fromkeys(target for _, target in carried))
    out = [f"| from \\ to | {' | '.join(targets)} |\n|---|{'---|' * len(targets)}"]
    for source in sources:
        cells = [carried.get((source, target)) for target in targets]
        out.append(f"| {source} | {' | '.join(carry_text(cell) for cell in cells)} |")
    return "\n".join(out)


def carry_text(cell: dict | None) -> str:
    if cell is None:
        return "–"
    if "failed" in cell:
        return cell["failed"].replace("|", "\\|")
    return described(cell["sent"])
