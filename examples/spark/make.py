"""Makes transcripts to try lint.py on: requests of a few kilobytes, two in ten of them broken.

    make.py ROWS FOLDER      writes FOLDER/table (Parquet) and FOLDER/lines.jsonl
"""

import json
import pathlib
import sys

import pyarrow as pa
import pyarrow.parquet as pq


def transcript(number):
    items = []
    for turn in range(6):
        items.append({"role": "user", "content": f"Question {turn} of conversation {number}. " * 4})
        call = f"call_{number}_{turn}"
        items.append({"type": "function_call", "call_id": call, "name": "search", "arguments": '{"query": "something"}'})
        items.append({"type": "function_call_output", "call_id": call, "output": "A result, some words long. " * 10})
        items.append({"role": "assistant", "content": "An answer, some words long. " * 6})
    if number % 10 == 0:
        # The last output is missing.
        del items[-2]
    elif number % 10 == 5:
        # The first call is missing.
        del items[1]
    return json.dumps({"model": "gpt-5", "store": False, "input": items})


def main():
    rows, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2])
    (folder / "table").mkdir(parents=True, exist_ok=True)
    transcripts = [transcript(number) for number in range(rows)]
    table = pa.table({"id": [f"conversation-{number}" for number in range(rows)], "transcript": transcripts})
    # Several files, for several tasks.
    for part in range(4):
        first, last = rows * part // 4, rows * (part + 1) // 4
        pq.write_table(table.slice(first, last - first), folder / "table" / f"{part}.parquet")
    (folder / "lines.jsonl").write_text("\n".join(transcripts) + "\n")


if __name__ == "__main__":
    main()
