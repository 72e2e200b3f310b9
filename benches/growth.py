"""How the CPU time of a command grows on inputs of four times the size, in every shape of `tests/it/linear/shapes.rs`: as one
history, as a log of as many short ones, and in each sample of testdata, copied.

    REPLAYLINT_SHAPES=DIR cargo test --test it -- --ignored write_shapes
    python3 benches/growth.py target/release/replaylint DIR [PART OF A NAME] [--parser target/release/deps/speed-…]

Prints, for each shape and command, the seconds and the growth beyond the size: 1.00 is linear, 4.00 quadratic. Caches and the
allocator make up to 1.3 of it. Each time is the least of three; a run that takes a minute is stopped.

`--parser` names the program of `cargo bench --no-run`: it parses the same files to values and does nothing else, so that its
growth is that of the machine.
"""

import argparse
import os
import resource
import subprocess
from pathlib import Path

RUNS = 3
MOST = 60
FACTOR = 4
NOTABLE = 1.15


def seconds(arguments):
    best = None
    for _ in range(RUNS):
        child = subprocess.Popen(
            arguments,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (MOST, MOST)),
        )
        _, _, used = os.wait4(child.pid, 0)
        time = used.ru_utime + used.ru_stime
        best = time if best is None else min(best, time)
        # A long run varies little.
        if time > 2:
            break
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("part", nargs="?", default="")
    parser.add_argument("--parser")
    given = parser.parse_args()
    options = ["--isolated", "-q", "-j", "1"]
    commands = {name: [given.program, name, *options] for name in ("check", "fix")}
    if given.parser:
        commands["parse"] = [given.parser, "parse"]
    sizes = {}
    for path in given.folder.iterdir():
        name, size = path.name.rsplit(".", 1)
        if given.part in name:
            sizes.setdefault(name, {})[int(size)] = path
    growths = {name: [] for name in commands}
    for name, paths in sorted(sizes.items()):
        few, many = sorted(paths)
        for command, arguments in commands.items():
            small, large = (seconds([*arguments, str(paths[size])]) for size in (few, many))
            growth = large / small / FACTOR
            growths[command].append(growth)
            mark = " !" if growth > NOTABLE else ""
            print(f"{name:70} {command:6} {small:8.3f} {large:8.3f}  {growth:5.2f}{mark}", flush=True)
    for command, rows in growths.items():
        rows.sort()
        if rows:
            mean, notable = sum(rows) / len(rows), sum(growth > NOTABLE for growth in rows)
            print(f"{command}: {len(rows)} shapes, mean {mean:.2f}, {notable} above {NOTABLE}, most {rows[-1]:.2f}")


if __name__ == "__main__":
    main()
