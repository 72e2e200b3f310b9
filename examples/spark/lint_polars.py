"""The same on Polars: findings by rule of a folder of Parquet files."""

import sys

import polars as pl
import replaylint


def rules(transcripts: pl.Series) -> pl.Series:
    reports = replaylint.check_many(transcripts.to_list())
    return pl.Series([list(report.counts()) for report in reports], dtype=pl.List(pl.String))


found = pl.scan_parquet(f"{sys.argv[1]}/*.parquet").select(
    pl.col("transcript").map_batches(rules, return_dtype=pl.List(pl.String)).alias("rule")
)
for rule, count in found.explode("rule").drop_nulls().group_by("rule").len().sort("rule").collect().iter_rows():
    print(rule, count)
