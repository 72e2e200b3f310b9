"""The examples for Spark, DuckDB and Polars, on a small table. Spark runs in local mode, and needs Java."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples/spark"
ROWS = 400


def run(script, *arguments):
    environment = {
        **os.environ,
        # Workers must import the packages of this Python, and find one another without a network.
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_SUBMIT_ARGS": "--master local[2] --conf spark.ui.enabled=false "
        "--conf spark.driver.host=127.0.0.1 --conf spark.driver.bindAddress=127.0.0.1 pyspark-shell",
    }
    command = [sys.executable, EXAMPLES / script, *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    pytest.importorskip("pyarrow")
    folder = tmp_path_factory.mktemp("spark")
    run("make.py", ROWS, folder)
    return folder


@pytest.mark.parametrize("kind", ["duckdb", "polars"])
def test_databases(made, kind):
    pytest.importorskip(kind)
    assert run(f"lint_{kind}.py", made / "table") == "RL101 40\nRL102 40\n"


@pytest.mark.skipif(shutil.which("java") is None, reason="no Java found")
@pytest.mark.parametrize("source", ["table", "lines.jsonl"])
def test_spark(made, source, tmp_path):
    pytest.importorskip("pyspark")
    parquet = pytest.importorskip("pyarrow.parquet")
    import replaylint

    said = run("lint.py", "--target", "openai", made / source, tmp_path)
    assert "|RL101|error   |40   |" in said and "|RL102|error   |40   |" in said
    tables = {name: parquet.read_table(tmp_path / name).to_pylist() for name in ("repaired", "findings", "dropped")}
    assert len(tables["repaired"]) == ROWS and len({row["id"] for row in tables["repaired"]}) == ROWS
    before = (made / "lines.jsonl").read_text().splitlines()
    after = [row["transcript"] for row in tables["repaired"]]
    assert all(report.ok for report in replaylint.check_many(after))
    assert len(set(before) & set(after)) == ROWS - 80 == sum(not row["changed"] for row in tables["repaired"])
    assert {json.loads(text)["model"] for text in after} == {"gpt-5"}
    # A call without its output gets a placeholder: nothing is dropped for that.
    for name, rules in (("findings", ["RL101"] * 40 + ["RL102"] * 40), ("dropped", ["RL102"] * 40)):
        assert sorted(row["rule"] for row in tables[name]) == rules
    assert {row["loss"] for row in tables["dropped"]} == {"lossy"}
