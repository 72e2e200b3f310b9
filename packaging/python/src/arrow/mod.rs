//! Columns of transcripts in Arrow's layout: a whole column is checked or repaired without a Python object for any of its
//! rows. Any library that has the PyCapsule interface of Arrow gives them, and takes what comes back.

mod columns;
mod table;
mod transcripts;

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, StringArray};
use arrow_schema::ArrowError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use replaylint::internals::report::contract::Diagnostic;
use replaylint::internals::source::bug;
use replaylint::{Error, Fixed, Options, Report};

use super::options::options;
use super::{message, raise};
use columns::{changes, findings, lists, strings};
use table::refuse;
pub use table::{Batch, Table};
use transcripts::Transcripts;

/// What was found in each row: `error`, `rules`, `findings`.
#[pyfunction]
pub fn check_arrow(
    py: Python<'_>,
    transcripts: Transcripts,
    threads: usize,
    kwargs: &Bound<'_, PyDict>,
) -> PyResult<Py<Table>> {
    let options = options(kwargs)?;
    let table = detached(py, || {
        let rows = transcripts.rows();
        let reports = replaylint::check_many(&documents(&rows), &options, threads);
        Table::new(&rows, reports, checked)
    })?;
    transcripts.answer(py, table)
}

/// Each row after its repair: `transcript`, `changed`, `error`, `findings` before it, `changes`, findings that are `remaining`.
#[pyfunction]
pub fn fix_arrow(
    py: Python<'_>,
    transcripts: Transcripts,
    threads: usize,
    kwargs: &Bound<'_, PyDict>,
) -> PyResult<Py<Table>> {
    let options = options(kwargs)?;
    let table = detached(py, || {
        let rows = transcripts.rows();
        let documents = documents(&rows);
        let repairs = fix_many(&documents, &options, threads);
        Table::new(&rows, repairs, |rows| fixed(rows, &transcripts))
    })?;
    transcripts.answer(py, table)
}

/// Runs without the GIL. A bug is an error of this call.
fn detached<R: Send>(py: Python<'_>, work: impl FnOnce() -> Result<R, ArrowError> + Send) -> PyResult<R> {
    let done = py.detach(|| bug::catch_panic(work));
    done.map_err(|bug| raise(bug.into()))?.map_err(refuse)
}

/// The rows of all chunks that are not null.
fn documents<'t>(rows: &[Vec<Option<&'t [u8]>>]) -> Vec<&'t [u8]> {
    rows.iter().flatten().copied().flatten().collect()
}

/// The columns of `check_arrow`. A row that is null, or that could not be judged, has no lists.
fn checked(rows: &[Option<Result<Report, Error>>]) -> Result<Vec<(&'static str, ArrayRef)>, ArrowError> {
    let reports = || rows.iter().map(|row| row.as_ref()?.as_ref().ok());
    let errors = rows.iter().map(|row| row.as_ref()?.as_ref().err());
    Ok(vec![
        ("error", errors_column(errors)),
        ("rules", lists(reports().map(|report| report.map(rules)), strings)?),
        ("findings", lists(reports().map(|report| Some(report?.diagnostics.iter())), findings)?),
    ])
}

/// The rules of a report, in the order in which it has them.
fn rules(report: &Report) -> Vec<&str> {
    let mut rules: Vec<&str> = Vec::new();
    for Diagnostic { rule, .. } in &report.diagnostics {
        if !rules.contains(&rule.as_str()) {
            rules.push(rule);
        }
    }
    rules
}

/// A row before and after its repair.
struct Repair<'t> {
    before: &'t [u8],
    result: Result<(Found, Fixed<'t>), Error>,
}

/// What was found before a repair.
enum Found {
    /// Nothing was repaired: what is left.
    Left,
    Before(Report),
}

/// Repairs, with what was found before: a document is checked by itself only if it is changed, because the report of a
/// repair tells what was found in any other.
fn fix_many<'t>(documents: &'t [&'t [u8]], options: &Options, threads: usize) -> Vec<Repair<'t>> {
    let fixed = replaylint::fix_many(documents, options, threads);
    let is_changed = |fixed: &Result<Fixed<'_>, Error>| fixed.as_ref().is_ok_and(Fixed::is_changed);
    let changed: Vec<&[u8]> = documents
        .iter()
        .zip(&fixed)
        .filter(|(_, fixed)| is_changed(fixed))
        .map(|(document, _)| *document)
        .collect();
    let mut reports = replaylint::check_many(&changed, options, threads).into_iter();
    let mut found = |fixed: &Fixed<'_>| match fixed.is_changed() {
        true => reports.next().transpose().map(|report| report.map_or(Found::Left, Found::Before)),
        false => Ok(Found::Left),
    };
    let repairs = documents.iter().zip(fixed).map(|(before, fixed)| {
        let result = fixed.and_then(|fixed| Ok((found(&fixed)?, fixed)));
        Repair { before, result }
    });
    repairs.collect()
}

/// The columns of `fix_arrow`. A row that could not be repaired is as it was, and has no lists; nothing is known of a row
/// that is null.
fn fixed(
    rows: &[Option<Repair<'_>>],
    transcripts: &Transcripts,
) -> Result<Vec<(&'static str, ArrayRef)>, ArrowError> {
    let all = || rows.iter().map(Option::as_ref);
    let done = || all().map(|row| row?.result.as_ref().ok());
    let texts = all().map(|row| row.map(|row| row.result.as_ref().map_or(row.before, |(_, fixed)| &fixed.text)));
    let changed = all().map(|row| row.map(|row| row.result.as_ref().is_ok_and(|(_, fixed)| fixed.is_changed())));
    let found = done().map(|done| {
        let (found, fixed) = done?;
        Some(match found {
            Found::Left => fixed.report.diagnostics.iter(),
            Found::Before(report) => report.diagnostics.iter(),
        })
    });
    Ok(vec![
        ("transcript", transcripts.column(texts)?),
        ("changed", Arc::new(changed.collect::<BooleanArray>())),
        ("error", errors_column(all().map(|row| row?.result.as_ref().err()))),
        ("findings", lists(found, findings)?),
        ("changes", lists(done().map(|done| Some(done?.1.changes.iter())), changes)?),
        ("remaining", lists(done().map(|done| Some(done?.1.report.diagnostics.iter())), findings)?),
    ])
}

fn errors_column<'e>(errors: impl Iterator<Item = Option<&'e Error>>) -> ArrayRef {
    Arc::new(errors.map(|error| error.map(message)).collect::<StringArray>())
}
