"""Tables of transcripts: with Arrow columns (`check_arrow`, `fix_arrow`), and with an object for each row (`check_many`,
`fix_many`), in turn in one run. Prints seconds of processor time and of wall time for each, and their ratios.

    benches/fleet.py [--rows 20000] [--rounds 5] [--spark]

It needs the wheel, pyarrow, and what it finds of duckdb, polars and, with --spark, pyspark and Java. The transcripts are
those of examples/spark/make.py. Each pair has the same work to do, and both do all of it before the next pair is made.
"""

import argparse
import importlib.util
import os
import pathlib
import statistics
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.parquet as pq

import replaylint

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples/spark"
sys.path.insert(0, str(EXAMPLES))
import lint  # noqa: E402
import make  # noqa: E402

FINDING = ("rule", "severity", "pointer", "message", "evidence")
CHANGE = ("rule", "pointer", "action", "what", "loss", "bytes")


def members(items, names):
    return [{name: getattr(item, name) for name in names} for item in items]


def old_check(column):
    """A list of rules for each row."""
    reports = replaylint.check_many(column.to_pylist(), threads=1)
    return pa.array([list(report.counts()) for report in reports], pa.list_(pa.string()))


def new_check(column):
    return pa.table(replaylint.check_arrow(column, threads=1)).column("rules")


def old_row(transcript, report, fixed):
    return {
        "transcript": fixed.conversation,
        "changed": fixed.report.changed,
        "error": None,
        "findings": members(report.diagnostics, FINDING),
        "changes": members(fixed.report.changes, CHANGE),
        "remaining": members(fixed.report.diagnostics, FINDING),
    }


def old_fix(column, threads=1):
    transcripts = column.to_pylist()
    reports = replaylint.check_many(transcripts, threads=threads)
    fixed = replaylint.fix_many(transcripts, threads=threads)
    return pa.Table.from_pylist([old_row(*each) for each in zip(transcripts, reports, fixed)])


def new_fix(column):
    return pa.table(replaylint.fix_arrow(column, threads=1))


def duckdb_ways(folder):
    import duckdb

    def count(rules):
        database = duckdb.connect()
        database.create_function("rules", rules, ["VARCHAR"], "VARCHAR[]", type="arrow")
        query = f"SELECT rule, count(*) FROM (SELECT unnest(rules(transcript)) AS rule FROM '{folder}/*.parquet') GROUP BY rule"
        return sorted(database.sql(query).fetchall())

    def old(transcripts: pa.Array) -> pa.Array:
        # As it was documented: with threads of its own.
        reports = replaylint.check_many(transcripts.to_pylist())
        return pa.array([list(report.counts()) for report in reports], pa.list_(pa.string()))

    return lambda: count(old), lambda: count(new_check)


def polars_ways(folder):
    import polars as pl

    def count(rules):
        column = pl.col("transcript").map_batches(rules, return_dtype=pl.List(pl.String))
        found = pl.scan_parquet(f"{folder}/*.parquet").select(column.alias("rule"))
        return sorted(found.explode("rule").drop_nulls().group_by("rule").len().collect().iter_rows())

    def old(transcripts):
        reports = replaylint.check_many(transcripts.to_list())
        return pl.Series([list(report.counts()) for report in reports], dtype=pl.List(pl.String))

    return lambda: count(old), lambda: count(lambda column: pl.DataFrame(replaylint.check_arrow(column))["rules"])


def spark_ways(folder):
    """What examples/spark/lint.py does with each batch, and did, and what Spark needs to read and move the rows. Nothing
    is written."""
    os.environ.update(PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    # Workers import what is sent to them by name.
    os.environ["PYTHONPATH"] = str(EXAMPLES)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    spark = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "2000").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    table = spark.read.parquet(str(folder)).select("id", "transcript")

    def old(frames):
        import pandas as pd
        import replaylint

        for frame in frames:
            transcripts = frame["transcript"].tolist()
            reports = replaylint.check_many(transcripts, threads=1)
            fixed = replaylint.fix_many(transcripts, threads=1)
            rows = zip(frame["id"], transcripts, reports, fixed)
            yield pd.DataFrame([{"id": name, **old_row(*each)} for name, *each in rows])

    def nothing(batches):
        yield from batches

    def run(done):
        done.write.mode("overwrite").format("noop").save()

    return (
        lambda: run(table.mapInPandas(old, lint.ALL)),
        lambda: run(table.mapInArrow(lint.lint({}), lint.ALL)),
        lambda: run(table.mapInArrow(nothing, "id string, transcript string")),
    )


def processor_time():
    """Of this process and of those it started, with what those started."""
    pid, parents, used = os.getpid(), {}, {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            name, fields = int(stat.parent.name), stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        # The parent; user and system time, and that of children that ended.
        parents[name], used[name] = int(fields[1]), sum(map(int, fields[11:15]))

    def is_ours(process):
        while process not in (pid, 0, None):
            process = parents.get(process)
        return process == pid

    return sum(used[process] for process in used if is_ours(process)) / os.sysconf("SC_CLK_TCK")


def measure(rounds, *ways):
    """Processor and wall time of each way, in turn; a first round is not counted."""
    times = [[] for _ in ways]
    for number in range(rounds + 1):
        answers = []
        for way, its in zip(ways, times):
            used, start = processor_time(), time.perf_counter()
            answers.append(way())
            if number:
                its.append((processor_time() - used, time.perf_counter() - start))
    return answers, times


def show(name, times):
    """A line of the table: two ways, and then what is done without the module."""
    old, new = times[:2]
    medians = [[statistics.median(column) for column in zip(*its)] for its in times]
    ratios = [statistics.median(before[n] / max(after[n], 1e-9) for before, after in zip(old, new)) for n in (0, 1)]
    cells = "".join(f"{cpu:>9.2f}{wall:>9.2f}" for cpu, wall in medians[:2])
    print(f"{name:<24}{cells}{ratios[0]:>9.2f}{ratios[1]:>9.2f}", flush=True)
    for cpu, wall in medians[2:]:
        print(f"{'  without the module':<24}{'':>18}{cpu:>9.2f}{wall:>9.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--spark", action="store_true")
    args = parser.parse_args()
    transcripts = [make.transcript(number) for number in range(args.rows)]
    # In batches as Spark makes them.
    column = pa.chunked_array([transcripts[first : first + 2000] for first in range(0, args.rows, 2000)], pa.string())
    size = sum(map(len, transcripts))
    print(f"{args.rows:,} transcripts, {size / 1e6:,.0f} MB; seconds (processor, wall), medians of {args.rounds} rounds")
    print(f"{'':<24}{'objects':>18}{'Arrow':>18}{'ratios':>18}")

    def batches(way):
        return lambda: [way(chunk) for chunk in column.chunks]

    for name, old, new in (("check", old_check, new_check), ("check and fix", old_fix, new_fix)):
        answers, times = measure(args.rounds, batches(old), batches(new))
        for before, after in zip(*answers):
            assert before.to_pylist() == after.to_pylist()
        show(name, times)
    with tempfile.TemporaryDirectory() as folder:
        names = [f"conversation-{number}" for number in range(args.rows)]
        table = pa.table({"id": names, "transcript": column})
        for part in range(4):
            first, last = args.rows * part // 4, args.rows * (part + 1) // 4
            pq.write_table(table.slice(first, last - first), pathlib.Path(folder) / f"{part}.parquet")
        for name, ways in (("duckdb", duckdb_ways), ("polars", polars_ways)):
            if importlib.util.find_spec(name):
                answers, times = measure(args.rounds, *ways(folder))
                assert answers[0] == answers[1] != []
                show(name, times)
        if args.spark:
            show("spark", measure(args.rounds, *spark_ways(folder))[1])


if __name__ == "__main__":
    main()
