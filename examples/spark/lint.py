"""Checks and repairs a table of transcripts on Spark.

    lint.py [--target NAME] INPUT OUTPUT

INPUT is a folder of Parquet files with a column `transcript` (JSON as a string) and a column `id`, or of JSON Lines with one
request on each line. Three tables are written below OUTPUT:

    repaired    id, transcript, changed, error, ...  each transcript, repaired as far as it is legal, and as lists in
                                                     its row what was found, what was changed, and what remains
    findings    id, rule, severity, pointer, ...     what was found before the repair
    dropped     id, rule, pointer, action, ...       what the repair removed or replaced

and the number of findings by rule is printed. Only ids, places and sizes are in `findings` and `dropped`.
"""

import argparse

from pyspark.sql import SparkSession, functions as F

# All three in one pass over the transcripts: the details are rows in the rows.
FINDINGS = "array<struct<rule:string,severity:string,pointer:string,message:string,evidence:string>>"
CHANGES = "array<struct<rule:string,pointer:string,action:string,what:string,loss:string,bytes:long>>"
ALL = f"""
    id string, transcript string, changed boolean, error string,
    findings {FINDINGS}, changes {CHANGES}, remaining {FINDINGS}
"""


def lint(options):
    """A function for mapInArrow: a batch of rows, one call."""

    def lint_batches(batches):
        # Here, so that the module is not sent to the workers, but loaded by them.
        import pyarrow as pa
        import replaylint

        for batch in batches:
            # Spark runs a task on each core: threads in it would be too many.
            fixed = pa.record_batch(replaylint.fix_arrow(batch.column("transcript"), threads=1, **options))
            yield fixed.add_column(0, "id", batch.column("id"))

    return lint_batches


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
    done = table.mapInArrow(lint(options), ALL)
    # Written first and read again, so that the transcripts are linted one time for the three tables.
    done.write.mode("overwrite").parquet(f"{args.output}/repaired")
    done = spark.read.parquet(f"{args.output}/repaired")
    findings = done.select("id", F.explode("findings").alias("found")).select("id", "found.*")
    findings.where("severity != 'info'").write.mode("overwrite").parquet(f"{args.output}/findings")
    dropped = done.select("id", F.explode("changes").alias("change")).select("id", "change.*")
    dropped.where("loss = 'lossy'").write.mode("overwrite").parquet(f"{args.output}/dropped")
    spark.read.parquet(f"{args.output}/findings").groupBy("rule", "severity").count().orderBy("rule").show(truncate=False)
    spark.stop()


if __name__ == "__main__":
    main()
