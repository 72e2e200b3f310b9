"""The same on Polars: findings by rule of a folder of Parquet files."""

import sys

import polars as pl
import replaylint


def rules(transcripts: pl.Series) -> pl.Series:
    return pl.DataFrame(replaylint.check_arrow(transcripts))["rules"]


found = pl.scan_parquet(f"{sys.argv[1]}/*.parquet").select(
    pl.col("transcript").map_batches(rules, return_dtype=pl.List(pl.String)).alias("rule")
)
for rule, count in found.explode("rule").drop_nulls().group_by("rule").len().sort("rule").collect().iter_rows():
    print(rule, count)
