"""How the CPU time of a command grows on inputs of four times the size, in every shape of `tests/it/linear/shapes.rs`.

    REPLAYLINT_SHAPES=DIR cargo test --test it -- --ignored write_shapes
    python3 benches/growth.py target/release/replaylint DIR [PART OF A NAME]

Prints, for each shape and command, the seconds and the growth beyond the size: 1.00 is linear, 4.00 quadratic. Caches and the
allocator make up to 1.3 of it. Each time is the least of three; a run that takes a minute is stopped.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

RUNS = 3
MOST = 60
FACTOR = 4
NOTABLE = 1.15


def seconds(program, command, path):
    best = None
    for _ in range(RUNS):
        arguments = [program, command, "--isolated", "-q", "-j", "1", str(path)]
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
    program, folder = sys.argv[1], Path(sys.argv[2])
    wanted = sys.argv[3] if len(sys.argv) > 3 else ""
    sizes = {}
    for path in folder.iterdir():
        name, size = path.name.rsplit(".", 1)
        if wanted in name:
            sizes.setdefault(name, {})[int(size)] = path
    rows = []
    for name, paths in sorted(sizes.items()):
        few, many = sorted(paths)
        for command in ("check", "fix"):
            small, large = (seconds(program, command, paths[size]) for size in (few, many))
            growth = large / small / FACTOR
            rows.append(growth)
            mark = " !" if growth > NOTABLE else ""
            print(f"{name:70} {command:6} {small:8.3f} {large:8.3f}  {growth:5.2f}{mark}", flush=True)
    rows.sort()
    if rows:
        print(f"{len(rows)} pairs: median {rows[len(rows) // 2]:.2f}, most {rows[-1]:.2f}")


if __name__ == "__main__":
    main()
