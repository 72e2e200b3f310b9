"""Real agents, run headless against a server on the loopback: what a resumed session sends, and whether the tool says so.

`run.py [--agent ID …] [--fault ID …] [--carry | --no-carry] [--jobs N] [--keep] [--json FILE]`; exits with 1 if the tool says
something else than the wire. See README.md.
"""

import argparse
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import claims
import programs
import tables
import tool
from agents import AGENTS
from carry import SOURCES, pairs
from faults import BY_ID, FAULTS
from measure import measure
from server import Server
from trial import Trial, Unusable, dump

IDS = [agent.id for agent in AGENTS]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--agent", action="append", choices=IDS, help="only this agent (repeatable)")
    parser.add_argument("--fault", action="append", choices=[fault.id for fault in FAULTS], help="only this fault (repeatable)")
    parser.add_argument("--carry", action="store_true", help="only carry sessions between agents")
    parser.add_argument("--no-carry", action="store_true", help="carry no sessions")
    parser.add_argument("--jobs", type=int, default=1, help="how many agents run at the same time")
    parser.add_argument("--install", action="store_true", help="only install the programs")
    parser.add_argument("--keep", action="store_true", help="keep the scratch homes, and print where they are")
    parser.add_argument("--json", type=Path, default=programs.INSTALLED / "measured.json", help="where to write what was measured")
    return parser.parse_args()


def say(text):
    print(text, file=sys.stderr, flush=True)


def installed(chosen):
    """The agents that can be installed here, and why others cannot."""
    agents, skipped = [], {}
    for kind in chosen:
        agent = kind()
        try:
            agent.install()
            agents.append(agent)
        except programs.NotInstalled as error:
            skipped[agent.title] = f"{agent.package} {agent.version}: {error}"
            say(f"skipped: {agent.title}: {error}")
    return agents, skipped


def trial_of(agent, top, server):
    folder = top / agent.id
    folder.mkdir(parents=True, exist_ok=True)
    return Trial(agent, folder, server)


def main():
    options = arguments()
    agents, skipped = installed([agent for agent in AGENTS if not options.agent or agent.id in options.agent])
    if options.install:
        return 0
    if not os.access(tool.BINARY, os.X_OK):
        say(f"no binary at {tool.BINARY}; run `cargo build`, or set REPLAYLINT")
        return 2
    acts = tool.acts()
    if acts is None:
        say("this replaylint has no command `agents`: what it says of them is not compared")
    top = Path(tempfile.mkdtemp(prefix="agents-"))
    fault_ids = options.fault or [fault.id for fault in FAULTS]
    measured, wrong, trials = {}, [], {}

    def measure_one(agent):
        """The cells of one agent, what is wrong about them, and why it was skipped. Each has a server of its own."""
        cells, found = {}, []

        def report(id, cell):
            cells[id] = cell
            say(f"{agent.title}: {id}: {tables.cell_text(cell)}")
            found.extend(claims.mismatches(agent, BY_ID[id], cell, acts))

        with Server() as server:
            try:
                measure(trial_of(agent, top, server), fault_ids, report)
            except Unusable as error:
                say(f"skipped: {agent.title}: {error}")
                return cells, found, str(error)
            except Exception as error:
                found.append(f"{agent.title} {agent.version}: this test fails: {type(error).__name__}: {error}")
        return cells, found, None

    if not options.carry:
        with ThreadPoolExecutor(options.jobs) as pool:
            for agent, (cells, found, why) in zip(agents, pool.map(measure_one, agents)):
                measured[f"{agent.title} {agent.version}"] = cells
                wrong += found
                if why:
                    skipped[agent.title] = why
    carried = {}
    if not options.no_carry and not options.fault:

        def report_pair(source, target, cell):
            say(f"{source} to {target}: {tables.carry_text(cell)}")
            wrong.extend(claims.carry_mismatches(source, target, cell))

        with Server() as server:
            for agent in agents:
                if agent.id not in SOURCES or agent.title in skipped:
                    continue
                trial = trial_of(agent, top, server)
                try:
                    trial.build()
                    trials[agent.id] = trial
                except Unusable as error:
                    skipped[agent.title] = str(error)
            carried = pairs(trials, report_pair)
    if any(measured.values()):
        print("## Faults, and what is sent\n\n" + tables.fault_tables(measured))
    if carried:
        print("## Carried to another agent\n\n" + tables.carry_table(carried) + "\n")
    for title, why in skipped.items():
        print(f"* skipped: {title}: {why}")
    rows = [{"from": source, "to": target, **cell} for (source, target), cell in carried.items()]
    dump(options.json, {"faults": measured, "carried": rows, "skipped": skipped, "wrong": wrong})
    if options.keep:
        say(f"kept: {top}")
    else:
        shutil.rmtree(top, ignore_errors=True)
    if wrong:
        print(f"\n## {len(wrong)} claims that the wire contradicts\n")
        print("\n".join(f"* {sentence}" for sentence in wrong))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
