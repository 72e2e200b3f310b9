"""A client of an SDK: what it sends is repaired, whichever of its methods sends it."""

import openai

import replaylint


def told(report: replaylint.Report, endpoint: str) -> None:
    for change in report.changes:
        print(f"{endpoint}: {change.rule} at {change.pointer}: {change.what}")


client = openai.OpenAI()
guard = replaylint.Guard(client, orphans="stub", on_change=told)

if __name__ == "__main__":
    history: list[openai.types.responses.ResponseInputItemParam] = [
        {"role": "user", "content": "What is the weather in Rome?"},
        {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": "{}"},
        {"role": "user", "content": "Are you still there?"},
    ]
    print(client.responses.create(model="gpt-5", input=history).output_text)
