"""The same on DuckDB: findings by rule of a folder of Parquet files."""

import sys

import duckdb
import pyarrow as pa
import replaylint


def rules(transcripts: pa.StringArray) -> pa.Array:
    # DuckDB calls it from each of its threads.
    return pa.table(replaylint.check_arrow(transcripts, threads=1)).column("rules")


database = duckdb.connect()
database.create_function("rules", rules, ["VARCHAR"], "VARCHAR[]", type="arrow")
for rule, count in database.sql(
    f"SELECT rule, count(*) FROM (SELECT unnest(rules(transcript)) AS rule FROM '{sys.argv[1]}/*.parquet') GROUP BY rule ORDER BY rule"
).fetchall():
    print(rule, count)
