#!/usr/bin/env python3
"""Measures `replaylint serve --stdio`: requests of about 2 KB per second of processor time, the median of five runs.

    benches/serve.py [PROGRAM]        default: target/release/replaylint
"""

import json
import pathlib
import resource
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/replaylint")
SIZE, REQUESTS, RUNS = 2000, 10_000, 5


def body():
    items = [{"role": "user", "content": "What is the weather in Rome and in Oslo today, please?"}]
    while len(json.dumps(items)) < SIZE:
        call = f"call_{len(items)}"
        items += [
            {"type": "function_call", "call_id": call, "name": "weather", "arguments": '{"city":"Rome","unit":"celsius"}'},
            {"type": "function_call_output", "call_id": call, "output": "22 degrees, sunny, with a light wind from the west"},
            {"role": "assistant", "content": "It is sunny in Rome, and 22 degrees."},
            {"role": "user", "content": "And the day after?"},
        ]
    return {"model": "gpt-5", "input": items}


def seconds(request):
    """Processor time of the worker for the requests of one run."""
    line = json.dumps(request).encode() + b"\n"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([PROGRAM, "serve", "--stdio"], input=line * REQUESTS, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    valid, broken = body(), body()
    del broken["input"][2]
    print("| method | document | bytes | requests per second |\n|---|---|---|---|")
    for method, name, document, more in [
        ("check", "valid", valid, {}),
        ("check", "a result is missing", broken, {}),
        ("validate", "a result is missing", broken, {}),
        ("fix", "valid", valid, {}),
        ("fix", "a result is missing", broken, {}),
        ("convert", "valid, to Anthropic", valid, {"to": "anthropic"}),
    ]:
        request = {"id": 1, "method": method, "document": document, **more}
        rate = REQUESTS / statistics.median(seconds(request) for _ in range(RUNS))
        print(f"| `{method}` | {name} | {len(json.dumps(request)):,} | {round(rate, -3):,.0f} |")


if __name__ == "__main__":
    main()
