"""Prints the calls without an output, and the outputs without a call, of a file with one of several libraries.

`pairs.py LIBRARY FILE`: the least that a script of one's own would do. A file is a rollout (one history, an item in `payload`) or
has a request in each line (a history in `input`).
"""

import sys


def history(items):
    calls, outputs = set(), set()
    for item in items:
        kind = item.get("type")
        if kind == "function_call":
            calls.add(item["call_id"])
        elif kind == "function_call_output":
            outputs.add(item["call_id"])
    return len(calls - outputs) + len(outputs - calls)


def of_values(lines):
    """Each line as a value."""
    found, items = 0, []
    for value in lines:
        if "input" in value:
            found += history(value["input"])
        elif value.get("type") == "response_item":
            payload = value["payload"]
            # Only what is needed is kept.
            items.append({"type": payload.get("type"), "call_id": payload.get("call_id")})
    return found + history(items)


def with_json(path):
    import json

    with open(path, "rb") as file:
        return of_values(map(json.loads, file))


def with_orjson(path):
    import orjson

    with open(path, "rb") as file:
        return of_values(map(orjson.loads, file))


def with_msgspec(path):
    import msgspec

    class Item(msgspec.Struct):
        type: str | None = None
        call_id: str | None = None

        def get(self, key):
            return getattr(self, key)

        def __getitem__(self, key):
            return getattr(self, key)

    class Line(msgspec.Struct):
        type: str | None = None
        payload: Item | None = None
        input: list[Item] | None = None

    decoder = msgspec.json.Decoder(Line)
    found, items = 0, []
    with open(path, "rb") as file:
        for line in file:
            value = decoder.decode(line)
            if value.input is not None:
                found += history(value.input)
            elif value.type == "response_item":
                items.append(value.payload)
    return found + history(items)


def with_simdjson(path):
    import simdjson

    parser, found, items = simdjson.Parser(), 0, []
    with open(path, "rb") as file:
        for line in file:
            value = parser.parse(line)
            if "input" in value:
                found += history([{"type": item.get("type"), "call_id": item.get("call_id")} for item in value["input"]])
            elif value["type"] == "response_item":
                payload = value["payload"]
                items.append({"type": payload.get("type"), "call_id": payload.get("call_id")})
            # The parser takes the next line only when nothing of this one is held.
            del value
            payload = None
    return found + history(items)


SQL = """
WITH lines AS (SELECT row_number() OVER () AS line, json FROM read_ndjson_objects('{path}')),
items AS (
    SELECT 0 AS history, json -> 'payload' AS item FROM lines WHERE (json ->> 'type') = 'response_item'
    UNION ALL
    SELECT line, unnest(CAST((json -> 'input') AS JSON[])) FROM lines WHERE (json -> 'input') IS NOT NULL
),
said AS (SELECT history, (item ->> 'type') AS kind, (item ->> 'call_id') AS id FROM items),
calls AS (SELECT DISTINCT history, id FROM said WHERE kind = 'function_call'),
outputs AS (SELECT DISTINCT history, id FROM said WHERE kind = 'function_call_output')
SELECT (SELECT count(*) FROM calls ANTI JOIN outputs USING (history, id))
     + (SELECT count(*) FROM outputs ANTI JOIN calls USING (history, id))
"""


def with_duckdb(path):
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    return connection.execute(SQL.format(path=path.replace("'", "''"))).fetchone()[0]


def with_polars(path):
    import polars

    item = polars.Struct({"type": polars.String, "call_id": polars.String})
    with open(path, "rb") as file:
        rollout = b'"payload"' in file.readline()
    schema = {"type": polars.String, "payload": item} if rollout else {"input": polars.List(item)}
    lines = polars.scan_ndjson(path, schema=schema, ignore_errors=True).with_row_index("history")
    if rollout:
        said = lines.filter(polars.col("type") == "response_item").select(polars.lit(0).alias("history"), "payload").unnest("payload")
    else:
        said = lines.explode("input").unnest("input")
    said = said.collect()
    calls = said.filter(polars.col("type") == "function_call").select("history", "call_id").unique()
    outputs = said.filter(polars.col("type") == "function_call_output").select("history", "call_id").unique()
    by = ["history", "call_id"]
    return calls.join(outputs, on=by, how="anti").height + outputs.join(calls, on=by, how="anti").height


print(globals()["with_" + sys.argv[1]](sys.argv[2]))
