"""Columns of Arrow libraries: the answers are those of `check_many` and `fix_many` for the same rows."""

import json
import pathlib

import pytest

import replaylint
from test_module import BODY, ITEMS

pa = pytest.importorskip("pyarrow")

TESTDATA = pathlib.Path(__file__).resolve().parents[3] / "testdata"
FINDING = ("rule", "severity", "pointer", "message", "evidence")
CHANGE = ("rule", "pointer", "action", "what", "loss", "bytes")
CLEAN = {"model": "gpt-5", "input": [{"role": "user", "content": "Grüße aus Köln " * 100}]}
ROWS = [
    json.dumps(CLEAN, ensure_ascii=False),
    json.dumps(BODY),
    None,
    json.dumps({"model": "gpt-5", "input": ITEMS}),
    '{"input": [',
    "",
    "not JSON",
    # A request and a session in one column.
    json.dumps(BODY) + "\n" + json.dumps(CLEAN),
    None,
]
STRINGS = [pa.string(), pa.large_string(), pa.string_view()]
BINARY = [pa.binary(), pa.large_binary(), pa.binary_view()]


def members(items, names):
    return [{name: getattr(item, name) for name in names} for item in items]


def checked(rows, **options):
    """What `check_arrow` must say."""
    for row in rows:
        if row is None:
            yield {"error": None, "rules": None, "findings": None}
            continue
        (report,) = replaylint.check_many([row], **options)
        if isinstance(report, replaylint.Error):
            yield {"error": str(report), "rules": None, "findings": None}
        else:
            yield {"error": None, "rules": list(report.counts()), "findings": members(report.diagnostics, FINDING)}


def fixed(rows, **options):
    """What `fix_arrow` must say."""
    nothing = {"findings": None, "changes": None, "remaining": None}
    for row in rows:
        if row is None:
            yield {"transcript": None, "changed": None, "error": None, **nothing}
            continue
        (report,), (done,) = replaylint.check_many([row], **options), replaylint.fix_many([row], **options)
        failed = next((each for each in (report, done) if isinstance(each, replaylint.Error)), None)
        if failed is not None:
            yield {"transcript": row, "changed": False, "error": str(failed), **nothing}
            continue
        yield {
            "transcript": done.conversation,
            "changed": done.report.changed,
            "error": None,
            "findings": members(report.diagnostics, FINDING),
            "changes": members(done.report.changes, CHANGE),
            "remaining": members(done.report.diagnostics, FINDING),
        }


def agree(column, rows, **options):
    """Compares a column with the same rows one by one."""
    found = pa.table(replaylint.check_arrow(column, **options))
    assert found.column_names == ["error", "rules", "findings"]
    assert found.to_pylist() == list(checked(rows, **options))
    repaired = pa.table(replaylint.fix_arrow(column, **options))
    assert repaired.column_names == ["transcript", "changed", "error", "findings", "changes", "remaining"]
    assert repaired.to_pylist() == list(fixed(rows, **options))
    return found, repaired


@pytest.mark.parametrize("kind", STRINGS + BINARY, ids=str)
def test_every_kind_of_column(kind):
    rows = [None if row is None else row.encode() for row in ROWS] if kind in BINARY else ROWS
    found, repaired = agree(pa.array(rows, kind), rows)
    assert repaired.schema.field("transcript").type == kind
    assert repaired.column("transcript").null_count == 2
    assert found.column("rules")[1].as_py() == ["RL501"] and found.column("rules")[4].as_py() == ["RL001"]
    # Nulls may be at the start, and there may be nothing else.
    agree(pa.array([None, None], kind), [None, None])
    agree(pa.array([None, rows[0]], kind), [None, rows[0]])


@pytest.mark.parametrize("kind", [pa.string(), pa.string_view(), pa.large_binary()], ids=str)
def test_slices_and_chunks(kind):
    rows = [None if row is None else row.encode() for row in ROWS] if kind == pa.large_binary() else ROWS
    column = pa.array(rows, kind)
    for start, length in ((1, 3), (3, 2), (len(rows) - 1, 1), (4, 0)):
        agree(column.slice(start, length), rows[start : start + length])
    chunked = pa.chunked_array([column.slice(1, 3), column.slice(0, 0), column.slice(5)])
    _, repaired = agree(chunked, rows[1:4] + rows[5:])
    assert repaired.column("transcript").num_chunks == 3
    assert len(replaylint.check_arrow(chunked)) == 3 + len(rows) - 5


@pytest.mark.parametrize("kind", STRINGS + BINARY, ids=str)
def test_empty_columns(kind):
    for column in (pa.array([], kind), pa.chunked_array([], kind)):
        found, repaired = agree(column, [])
        assert found.num_rows == repaired.num_rows == 0
        assert repaired.schema.field("transcript").type == kind
        assert found.schema.field("rules").type == pa.list_(pa.string())


def test_binary_that_is_not_utf_8():
    rows = [b"\xff\xfe\x00", json.dumps(BODY).encode().replace(b"Rome", b"R\xf6me"), b'{"input": "\xed\xa0\x80"}', None]
    found, repaired = agree(pa.array(rows, pa.binary()), rows)
    assert all(rules for rules in found.column("rules").to_pylist()[:3])
    # A producer that calls such bytes a string is told, and nothing crashes.
    lies = pa.Array.from_buffers(pa.string(), 4, pa.array(rows, pa.binary()).buffers())
    assert pa.table(replaylint.check_arrow(lies)).column("rules") == found.column("rules")
    with pytest.raises(replaylint.Error, match="(?i)utf-?8"):
        replaylint.fix_arrow(lies)


@pytest.mark.parametrize(
    "options",
    [
        {"target": "openai", "threads": 1},
        {"target": "anthropic"},
        {"select": ["RL101", "RL5"], "threads": 2},
        {"usage": "request", "orphans": "drop"},
        {"lossless": True, "model": "gpt-5"},
        {"format": "responses-request", "name": "a table"},
        {"max_tokens": 50},
    ],
    ids=str,
)
def test_options(options):
    repairs = {name: value for name, value in options.items() if name not in ("orphans", "lossless", "max_tokens")}
    column = pa.array(ROWS)
    assert pa.table(replaylint.check_arrow(column, **repairs)).to_pylist() == list(checked(ROWS, **repairs))
    assert pa.table(replaylint.fix_arrow(column, **options)).to_pylist() == list(fixed(ROWS, **options))


def test_lists_of_items_and_every_sample():
    agree(pa.array([json.dumps(ITEMS), json.dumps(ITEMS[:1])]), [json.dumps(ITEMS), json.dumps(ITEMS[:1])], dialect="responses")
    # What is found before a repair is not asked for again where nothing is repaired: it must be the same.
    samples = [each.read_bytes() for each in sorted((TESTDATA / "formats").rglob("*")) if each.is_file()]
    samples = [each for each in samples if len(each) < 1 << 20]
    assert len(samples) > 100
    agree(pa.array(samples, pa.binary()), samples)


def test_a_row_does_not_depend_on_its_neighbours_or_threads():
    rows = ROWS * 50
    column = pa.array(rows)
    one, two = (pa.table(replaylint.fix_arrow(column, threads=threads)) for threads in (1, 2))
    assert one == two and one.to_pylist() == list(fixed(ROWS)) * 50


def test_an_array_becomes_a_record_batch():
    for answer in (replaylint.check_arrow(pa.array(ROWS)), replaylint.fix_arrow(pa.array(ROWS))):
        assert isinstance(answer, replaylint.Table) and len(answer) == len(ROWS)
        assert pa.table(pa.record_batch(answer)) == pa.table(answer)
        # It is not used up.
        assert pa.record_batch(answer) == pa.record_batch(answer)
        assert pa.schema(answer) == pa.table(answer).schema
    assert not hasattr(replaylint.check_arrow(pa.chunked_array([ROWS])), "__arrow_c_array__")
    assert repr(replaylint.check_arrow(pa.array(ROWS))) == "<Table: 9 rows of error, rules, findings>"


def test_answers_live_longer_than_what_was_asked():
    answers = [replaylint.fix_arrow(pa.array(ROWS * 10)) for _ in range(50)]
    tables = [pa.table(answer) for answer in answers]
    del answers
    assert all(table == tables[0] for table in tables)


def test_polars():
    pl = pytest.importorskip("polars")
    series = pl.Series("transcript", ROWS)
    for column in (series, series.slice(1, 4), series.append(series).slice(3, 9), series.clear()):
        rows = column.to_list()
        assert pl.DataFrame(replaylint.check_arrow(column)).to_dicts() == list(checked(rows))
        repaired = pl.DataFrame(replaylint.fix_arrow(column))
        assert repaired.to_dicts() == list(fixed(rows)) and repaired.schema["transcript"] == pl.String
    binary = series.cast(pl.Binary)
    assert pl.DataFrame(replaylint.fix_arrow(binary))["transcript"].to_list() == [
        row and row["transcript"] for row in fixed(binary.to_list())
    ]


def test_duckdb():
    duckdb = pytest.importorskip("duckdb")
    given = pa.table({"transcript": ROWS * 700})  # noqa: F841: DuckDB finds it by its name
    database = duckdb.connect()

    def rules(column: pa.Array) -> pa.Array:
        return pa.table(replaylint.check_arrow(column, threads=1)).column("rules")

    database.create_function("rules", rules, ["VARCHAR"], "VARCHAR[]", type="arrow", null_handling="special")
    found = [row for (row,) in database.sql("SELECT rules(transcript) FROM given").fetchall()]
    assert found == [row["rules"] for row in checked(ROWS)] * 700
    column = database.sql("SELECT transcript FROM given").to_arrow_table().column(0)
    answer = replaylint.fix_arrow(column)  # noqa: F841
    changed = 700 * sum(bool(row["changed"]) for row in fixed(ROWS))
    assert database.sql("SELECT count(*) FROM answer WHERE changed").fetchall() == [(changed,)]


def test_pandas():
    pd = pytest.importorskip("pandas")
    series = pd.Series(ROWS, dtype="str")
    if not hasattr(series, "__arrow_c_stream__"):
        pytest.skip("this pandas has no PyCapsule interface")
    assert pa.table(replaylint.check_arrow(series)).to_pylist() == list(checked(ROWS))


@pytest.mark.parametrize(
    "column",
    [ROWS[:2], "text", b"bytes", None, 3, pa.array([1, 2]), pa.array([["a"]]), pa.table({"transcript": ROWS}), pa.array([None])],
    ids=lambda column: type(column).__name__,
)
def test_what_is_no_column_of_transcripts(column):
    for function in (replaylint.check_arrow, replaylint.fix_arrow):
        with pytest.raises(TypeError, match="transcripts are an Arrow column of strings or binary, not "):
            function(column)


def test_wrong_options():
    with pytest.raises(replaylint.Error, match="unknown target 'nobody'"):
        replaylint.check_arrow(pa.array(ROWS), target="nobody")
    with pytest.raises(TypeError, match="unexpected keyword argument 'goal'"):
        replaylint.fix_arrow(pa.array(ROWS), goal=1)
