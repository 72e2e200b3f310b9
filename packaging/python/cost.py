"""What a guard costs, beside `json.dumps` of the same body in the same run: a share, since machines differ.

    python packaging/python/cost.py

The client writes the body with `json.dumps` for each request anyway.
"""

import json
import statistics
import time

from replaylint._repair import Repairer

URL = "https://api.openai.com/v1/"
ROUNDS = 25


def responses(turns):
    """A conversation with a call of a tool in each turn, about 1 KB a turn."""
    items = []
    for n in range(turns):
        call = {"call_id": f"call_{n}", "name": "search", "arguments": json.dumps({"query": "weather " * 8, "page": n})}
        items += [
            {"role": "user", "content": f"Question {n}: " + "what does the report of the station say? " * 4},
            {"type": "function_call", **call},
            {"type": "function_call_output", "call_id": f"call_{n}", "output": "The station says \"sunny\".\n" * 12},
            {"role": "assistant", "content": "It is sunny, with a light wind from the south. " * 5},
        ]
    return "responses", {"model": "gpt-5", "input": [*items, {"role": "user", "content": "And tomorrow?"}]}


def chat(turns):
    messages = []
    for item in responses(turns)[1]["input"]:
        if item.get("type") == "function_call":
            function = {"name": item["name"], "arguments": item["arguments"]}
            calls = [{"id": item["call_id"], "type": "function", "function": function}]
            messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        elif item.get("type") == "function_call_output":
            messages.append({"role": "tool", "tool_call_id": item["call_id"], "content": item["output"]})
        else:
            messages.append(item)
    return "chat/completions", {"model": "gpt-5", "messages": messages}


def anthropic(turns):
    messages = []
    for item in responses(turns)[1]["input"]:
        if item.get("type") == "function_call":
            use = {"type": "tool_use", "id": item["call_id"], "name": item["name"], "input": json.loads(item["arguments"])}
            messages.append({"role": "assistant", "content": [use]})
        elif item.get("type") == "function_call_output":
            result = {"type": "tool_result", "tool_use_id": item["call_id"], "content": item["output"]}
            messages.append({"role": "user", "content": [result]})
        else:
            messages.append(item)
    return "messages", {"model": "claude-sonnet-5", "max_tokens": 100, "messages": messages}


def seconds(*works):
    """The fastest of several rounds of each, in turn, about 10 ms a round: what disturbs a machine only makes it slower."""
    times = []
    for work in works:
        start = time.perf_counter()
        work()
        times.append(max(1, int(0.01 / max(time.perf_counter() - start, 1e-7))))
    best = [float("inf")] * len(works)
    for _ in range(ROUNDS):
        for n, work in enumerate(works):
            start = time.perf_counter()
            for _ in range(times[n]):
                work()
            best[n] = min(best[n], (time.perf_counter() - start) / times[n])
    return best


def main():
    repairer = Repairer()
    shares = []
    print(f"{'endpoint':<18}{'bytes':>10}{'json.dumps':>14}{'guard':>12}{'share':>8}")
    for make in (responses, chat, anthropic):
        for turns in (1, 30, 300, 3000):
            endpoint, body = make(turns)
            text = json.dumps(body).encode()
            assert repairer.body(URL + endpoint, text) is None
            dumps, guard = seconds(lambda: json.dumps(body), lambda: repairer.body(URL + endpoint, text))
            shares.append(guard / dumps)
            print(f"{endpoint:<18}{len(text):>10,}{dumps * 1e6:>11,.0f} us{guard * 1e6:>9,.0f} us{guard / dumps:>8.2f}")
    print(f"median share: {statistics.median(shares):.2f}")


if __name__ == "__main__":
    main()
