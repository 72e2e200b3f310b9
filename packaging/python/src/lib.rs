//! `replaylint._native`: the functions of the library on bytes. What Python objects become bytes, and what comes back,
//! is the business of the Python part of the package.

mod arrow;
mod commands;
mod dump;
mod json;
mod options;
mod report;
mod request;
mod restore;
mod results;

use pyo3::prelude::*;
use replaylint::internals::source::bug;

pyo3::create_exception!(
    replaylint,
    Error,
    pyo3::exceptions::PyValueError,
    "A conversation could not be judged, or an option is not valid."
);

/// The exception for an error of the library.
fn raise(error: replaylint::Error) -> PyErr {
    Error::new_err(message(&error))
}

/// An error of the library, in its words.
fn message(error: &replaylint::Error) -> String {
    match error.help() {
        Some(help) => format!("{error}; {help}"),
        None => error.to_string(),
    }
}

/// Runs an engine without the GIL. A bug of it is an error of this call.
fn run<R: Send>(py: Python<'_>, work: impl FnOnce() -> Result<R, replaylint::Error> + Send) -> PyResult<R> {
    py.detach(|| bug::catch_panic(work).unwrap_or_else(|bug| Err(bug.into()))).map_err(raise)
}

#[pymodule]
mod _native {
    use pyo3::prelude::*;
    use pyo3::types::{PyBytes, PyDict, PyList};
    use replaylint::internals::source::bug;

    use super::options::{dialect, options};
    use super::{raise, run};

    #[pymodule_export]
    use super::Error;
    #[pymodule_export]
    use super::arrow::{Batch, Table, check_arrow, fix_arrow};
    #[pymodule_export]
    use super::commands::{explain_error, explain_rule, formats, rebuild, rules, targets, tree};
    #[pymodule_export]
    use super::options::keywords;
    #[pymodule_export]
    use super::report::{Change, Diagnostic, Report};
    #[pymodule_export]
    use super::request::{RequestChecker, endpoint, endpoints, exchanges, may_be_recording};
    #[pymodule_export]
    use super::restore::{restore_change, restore_diagnostic, restore_report};
    #[pymodule_export]
    use super::results::{Converted, Diff};

    #[pymodule_export]
    const __VERSION__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        // A panic becomes an exception, and what it says may quote content.
        bug::silence_panics();
        Ok(())
    }

    /// An object as JSON.
    #[pyfunction]
    fn dump<'py>(value: &Bound<'py, PyAny>, default: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(value.py(), &super::dump::dump(value, default)?))
    }

    #[pyfunction]
    fn check(document: &Bound<'_, PyBytes>, kwargs: &Bound<'_, PyDict>) -> PyResult<Report> {
        let (bytes, options) = (document.as_bytes(), options(kwargs)?);
        Ok(Report::new(run(document.py(), || replaylint::check(bytes, &options))?))
    }

    /// The repaired document, or `None` if it is as it was.
    #[pyfunction]
    fn fix<'py>(
        document: &Bound<'py, PyBytes>,
        kwargs: &Bound<'py, PyDict>,
    ) -> PyResult<(Option<Bound<'py, PyBytes>>, Report)> {
        let (py, bytes, options) = (document.py(), document.as_bytes(), options(kwargs)?);
        let fixed = run(py, || replaylint::fix(bytes, &options))?;
        Ok(repaired(py, fixed))
    }

    fn repaired<'py>(py: Python<'py>, fixed: replaylint::Fixed<'_>) -> (Option<Bound<'py, PyBytes>>, Report) {
        let text = fixed.is_changed().then(|| PyBytes::new(py, &fixed.text));
        (text, Report::fixed(fixed.report, fixed.changes, fixed.fixed))
    }

    #[pyfunction]
    fn convert(document: &Bound<'_, PyBytes>, to: &str, kwargs: &Bound<'_, PyDict>) -> PyResult<Converted> {
        let (py, bytes, to, options) = (document.py(), document.as_bytes(), dialect(to)?, options(kwargs)?);
        Converted::new(py, run(py, || replaylint::convert(bytes, to, &options))?)
    }

    #[pyfunction]
    fn diff(
        before: &Bound<'_, PyBytes>,
        after: &Bound<'_, PyBytes>,
        kwargs: &Bound<'_, PyDict>,
    ) -> PyResult<Diff> {
        let (old, new, options) = (before.as_bytes(), after.as_bytes(), options(kwargs)?);
        Ok(Diff::new(run(before.py(), || replaylint::diff(old, new, &options))?))
    }

    /// What came of each document, as an object; an error is one of them.
    fn each<'py, T>(
        py: Python<'py>,
        results: Vec<Result<T, replaylint::Error>>,
        object: impl Fn(T) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let objects = results.into_iter().map(|result| match result {
            Ok(done) => object(done),
            Err(error) => Ok(raise(error).into_value(py).into_bound(py).into_any()),
        });
        PyList::new(py, objects.collect::<PyResult<Vec<_>>>()?)
    }

    /// A report or an error for each document.
    #[pyfunction]
    fn check_many<'py>(
        documents: Vec<Bound<'py, PyBytes>>,
        threads: usize,
        kwargs: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (py, options) = (kwargs.py(), options(kwargs)?);
        let bytes: Vec<&[u8]> = documents.iter().map(|document| document.as_bytes()).collect();
        let found = py.detach(|| replaylint::check_many(&bytes, &options, threads));
        each(py, found, |report| Ok(Bound::new(py, Report::new(report))?.into_any()))
    }

    /// What `fix` returns, or an error, for each document.
    #[pyfunction]
    fn fix_many<'py>(
        documents: Vec<Bound<'py, PyBytes>>,
        threads: usize,
        kwargs: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (py, options) = (kwargs.py(), options(kwargs)?);
        let bytes: Vec<&[u8]> = documents.iter().map(|document| document.as_bytes()).collect();
        let fixed = py.detach(|| replaylint::fix_many(&bytes, &options, threads));
        each(py, fixed, |fixed| Ok(repaired(py, fixed).into_pyobject(py)?.into_any()))
    }
}
