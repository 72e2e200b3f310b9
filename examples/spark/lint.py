"""Checks and repairs a table of transcripts on Spark.

    lint.py [--target NAME] INPUT OUTPUT

INPUT is a folder of Parquet files with a column `transcript` (JSON as a string) and a column `id`, or of JSON Lines with one
request on each line. Three tables are written below OUTPUT:

    repaired    id, transcript, changed, error       each transcript, repaired as far as it is legal
    findings    id, rule, severity, pointer, ...     what was found before the repair
    dropped     id, rule, pointer, action, ...       what the repair removed or replaced

and the number of findings by rule is printed. Only ids, places and sizes are in `findings` and `dropped`.
"""

import argparse

from pyspark.sql import SparkSession, functions as F

# All three in one pass over the transcripts: the details are rows in the rows.
ALL = """
    id string, transcript string, changed boolean, error string,
    findings array<struct<rule:string,severity:string,pointer:string,message:string,evidence:string>>,
    dropped array<struct<rule:string,pointer:string,action:string,what:string,loss:string,bytes:long>>
"""


def lint(options):
    """A function for mapInPandas: a batch of rows, two calls."""

    def batches(frames):
        # Here, so that the module is not sent to the workers, but loaded by them.
        import pandas as pd
        import replaylint

        for frame in frames:
            transcripts = frame["transcript"].tolist()
            # Spark runs a task on each core: threads in it would be too many.
            reports = replaylint.check_many(transcripts, threads=1, **options)
            fixed = replaylint.fix_many(transcripts, threads=1, **options)
            yield pd.DataFrame([row(*each) for each in zip(frame["id"], transcripts, reports, fixed)])

    def row(id, transcript, report, fixed):
        import replaylint

        failed = next((each for each in (report, fixed) if isinstance(each, replaylint.Error)), None)
        if failed is not None:
            return {"id": id, "transcript": transcript, "changed": False, "error": str(failed), "findings": [], "dropped": []}
        findings = [
            {key: getattr(found, key) for key in ("rule", "severity", "pointer", "message", "evidence")}
            for found in report.diagnostics
            if found.severity != "info"
        ]
        dropped = [
            {key: getattr(change, key) for key in ("rule", "pointer", "action", "what", "loss", "bytes")}
            for change in fixed.report.changes
            if change.loss == "lossy"
        ]
        return {
            "id": id,
            "transcript": fixed.conversation,
            "changed": fixed.report.changed,
            "error": None,
            "findings": findings,
            "dropped": dropped,
        }

    return batches


def read(spark, path):
    """The transcripts of a folder, with ids."""
    if path.rstrip("/").endswith(".jsonl"):
        lines = spark.read.text(path).withColumnRenamed("value", "transcript")
        # The hash of a line is its id, wherever the line is read.
        return lines.withColumn("id", F.sha2("transcript", 256))
    return spark.read.parquet(path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("input")
    parser.add_argument("output")
    parser.add_argument("--target")
    args = parser.parse_args()
    spark = (
        SparkSession.builder.appName("replaylint")
        # Bounds the memory of a batch; a transcript may have megabytes.
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "2000")
        .getOrCreate()
    )
    options = {"target": args.target} if args.target else {}
    table = read(spark, args.input).select("id", "transcript")
    done = table.mapInPandas(lint(options), ALL)
    # Written at once, so that the transcripts are linted one time for the three tables.
    done.write.mode("overwrite").parquet(f"{args.output}/all")
    done = spark.read.parquet(f"{args.output}/all")
    done.select("id", "transcript", "changed", "error").write.mode("overwrite").parquet(f"{args.output}/repaired")
    findings = done.select("id", F.explode("findings").alias("found")).select("id", "found.*")
    findings.write.mode("overwrite").parquet(f"{args.output}/findings")
    dropped = done.select("id", F.explode("dropped").alias("change")).select("id", "change.*")
    dropped.write.mode("overwrite").parquet(f"{args.output}/dropped")
    spark.read.parquet(f"{args.output}/findings").groupBy("rule", "severity").count().orderBy("rule").show(truncate=False)
    spark.stop()


if __name__ == "__main__":
    main()
