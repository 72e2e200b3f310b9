"""What checking a request costs in a Python program, as a ratio to `json.dumps` of the same request in the same run.

    python benches/compare/request.py        in an environment that has the package `replaylint`

The requests are histories of Responses with reasoning, calls and outputs, of three sizes, as objects and as the JSON that
an HTTP client sends. Each figure is the median of ratios of pairs that were timed one right after the other.
"""

import json
import random
import statistics
import time

import replaylint

PAIRS = 41


def request(turns, output):
    """A legal request of so many turns; `output` is how many characters a tool prints."""
    words = [word.strip(".,") for word in __doc__.split()]
    chosen = random.Random(turns)
    text = lambda size: " ".join(chosen.choice(words) for _ in range(size // 6))
    items = []
    for n in range(turns):
        items += [
            {"role": "user", "content": text(200)},
            {"type": "reasoning", "id": f"rs_{n:048x}", "summary": [], "encrypted_content": "gAAAAAB" + f"{n:064x}" * 8},
            {
                "type": "function_call",
                "id": f"fc_{n:048x}",
                "call_id": f"call_{n:024x}",
                "name": "read_file",
                "arguments": json.dumps({"path": text(60), "limit": n}),
            },
            {"type": "function_call_output", "call_id": f"call_{n:024x}", "output": text(output)},
            {"type": "message", "id": f"msg_{n:048x}", "role": "assistant", "content": [{"type": "output_text", "text": text(400), "annotations": []}]},
        ]
    return {"model": "gpt-5.5", "store": False, "include": ["reasoning.encrypted_content"], "input": items}


def seconds(work, times):
    start = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - start) / times


def ratio(work, base, times):
    return statistics.median(seconds(work, times) / seconds(base, times) for _ in range(PAIRS))


def main():
    print("| request | size | `check` of the object | `check` of its JSON |\n|---|---|---|---|")
    for turns, output in ((4, 500), (40, 2_000), (400, 4_000)):
        body = request(turns, output)
        text = json.dumps(body)
        data = text.encode()
        assert not replaylint.check(body, usage="request").errors
        times = max(1, 2_000_000 // len(text))
        dumps = lambda: json.dumps(body)
        of_object = ratio(lambda: replaylint.check(body, usage="request"), dumps, times)
        of_text = ratio(lambda: replaylint.check(data, usage="request"), dumps, times)
        print(f"| {turns} turns | {len(text) / 1000:,.0f} kB | {of_object:.2f} | {of_text:.2f} |")


main()
