//! Reports as Python objects. They hold what the library returned, and make Python values of what is asked for: most of
//! a report is never looked at.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList};
use replaylint::internals::report::contract;
use serde::Serialize;

use super::json::{from_json, json};

/// What was found in a conversation, and for `fix` what was changed.
#[pyclass(frozen, eq, module = "replaylint")]
#[derive(PartialEq)]
pub struct Report {
    report: replaylint::Report,
    repair: Option<(Vec<contract::Change>, contract::Repaired)>,
}

/// What `fix --output-format json` prints.
#[derive(Serialize)]
struct Whole<'r> {
    #[serde(flatten)]
    report: &'r replaylint::Report,
    changes: &'r [contract::Change],
    fixed: &'r contract::Repaired,
}

impl Report {
    pub fn new(report: replaylint::Report) -> Self {
        Report { report, repair: None }
    }

    pub fn fixed(report: replaylint::Report, changes: Vec<contract::Change>, fixed: contract::Repaired) -> Self {
        Report { report, repair: Some((changes, fixed)) }
    }

    /// What the first finding says.
    pub fn first_message(&self) -> Option<String> {
        self.report.diagnostics.first().map(|diagnostic| diagnostic.message.clone())
    }

    fn of_severity(&self, severity: &str) -> Vec<Diagnostic> {
        let all = self.report.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity);
        all.cloned().map(Diagnostic).collect()
    }
}

#[pymethods]
impl Report {
    #[getter]
    fn ok(&self) -> bool {
        !self.report.has_errors()
    }

    #[getter]
    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.report.diagnostics.iter().cloned().map(Diagnostic).collect()
    }

    #[getter]
    fn errors(&self) -> Vec<Diagnostic> {
        self.of_severity("error")
    }

    #[getter]
    fn warnings(&self) -> Vec<Diagnostic> {
        self.of_severity("warning")
    }

    #[getter]
    fn changes(&self) -> Vec<Change> {
        self.repair.iter().flat_map(|(changes, _)| changes).cloned().map(Change).collect()
    }

    #[getter]
    fn changed(&self) -> bool {
        self.repair.as_ref().is_some_and(|(changes, _)| !changes.is_empty())
    }

    #[getter]
    fn format(&self) -> Option<&'static str> {
        self.report.inputs.first()?.format
    }

    #[getter]
    fn targets(&self) -> Vec<&'static str> {
        self.report.inputs.first().map_or_else(Vec::new, |input| input.targets.clone())
    }

    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (dict, sum) = (PyDict::new(py), &self.report.summary);
        let counts = [
            ("files", sum.files),
            ("histories", sum.histories),
            ("items", sum.items),
            ("errors", sum.errors),
            ("warnings", sum.warnings),
            ("fixable", sum.fixable),
            ("skipped", sum.skipped),
        ];
        counts.into_iter().try_for_each(|(key, count)| dict.set_item(key, count))?;
        Ok(dict)
    }

    /// How often each rule was found.
    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for diagnostic in &self.report.diagnostics {
            let before: Option<u32> = dict.get_item(&diagnostic.rule)?.map(|n| n.extract()).transpose()?;
            dict.set_item(&diagnostic.rule, before.unwrap_or(0) + 1)?;
        }
        Ok(dict)
    }

    fn __len__(&self) -> usize {
        self.report.diagnostics.len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(
            py,
            self.diagnostics().into_iter().map(|one| Bound::new(py, one)).collect::<PyResult<Vec<_>>>()?,
        )?
        .try_iter()
    }

    fn __bool__(&self) -> PyResult<bool> {
        // It could mean that there are findings, or that there are none.
        Err(PyTypeError::new_err(
            "a Report is neither true nor false: use .ok, or len() for the number of findings",
        ))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((restorer(py, "restore_report")?, (self.to_json()?,)))
    }

    fn to_json(&self) -> PyResult<String> {
        match &self.repair {
            None => json(&self.report),
            Some((changes, fixed)) => json(&Whole { report: &self.report, changes, fixed }),
        }
    }

    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &self.to_json()?)
    }

    fn __repr__(&self) -> String {
        let sum = &self.report.summary;
        let format = self.format().unwrap_or("unknown format");
        let changes = match &self.repair {
            Some((changes, _)) => format!(", {} changes", changes.len()),
            None => String::new(),
        };
        format!("<Report: {format}, {} errors, {} warnings{changes}>", sum.errors, sum.warnings)
    }
}

/// The function that makes an object of its pickled JSON.
fn restorer<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("replaylint._native")?.getattr(name)
}

macro_rules! view {
    ($(#[$doc:meta])* $name:ident, $restore:literal { $($field:ident: $ty:ty = |$this:ident| $value:expr,)* } repr $repr:expr) => {
        $(#[$doc])*
        #[pyclass(frozen, eq, module = "replaylint")]
        #[derive(PartialEq)]
        pub struct $name(pub contract::$name);

        #[pymethods]
        impl $name {
            $(#[getter]
            fn $field(&self) -> $ty {
                let $this = &self.0;
                $value
            })*

            fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                from_json(py, &json(&self.0)?)
            }

            fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
                Ok((restorer(py, $restore)?, (json(&self.0)?,)))
            }

            fn __repr__(&self) -> String {
                ($repr)(&self.0)
            }
        }
    };
}

view! {
    /// A finding.
    Diagnostic, "restore_diagnostic" {
        rule: String = |d| d.rule.clone(),
        name: &'static str = |d| d.name,
        url: String = |d| d.url.clone(),
        severity: &'static str = |d| d.severity,
        message: String = |d| d.message.clone(),
        path: String = |d| d.path.clone(),
        history: Option<u32> = |d| d.history,
        record: u32 = |d| d.record,
        line: u64 = |d| d.line,
        column: u64 = |d| d.column,
        span: (u64, u64) = |d| (d.span.start, d.span.end),
        pointer: String = |d| d.pointer.clone(),
        id: Option<String> = |d| d.id.clone(),
        call_id: Option<String> = |d| d.call_id.clone(),
        api_message: Option<String> = |d| d.api_message.clone(),
        evidence: &'static str = |d| d.evidence,
        target: &'static str = |d| d.target,
        fix: Option<String> = |d| d.fix.as_ref().map(|fix| fix.title.clone()),
        fix_loss: Option<&'static str> = |d| d.fix.as_ref().map(|fix| fix.loss),
        fix_flag: Option<&'static str> = |d| d.fix.as_ref().and_then(|fix| fix.flag),
        no_fix: Option<String> = |d| d.no_fix.clone(),
    }
    repr |d: &contract::Diagnostic| format!("<{} {} at {:?}: {}>", d.severity, d.rule, d.pointer, d.message)
}

view! {
    /// A change that a fix made.
    Change, "restore_change" {
        rule: String = |c| c.rule.clone(),
        path: String = |c| c.path.clone(),
        pointer: String = |c| c.pointer.clone(),
        line: u64 = |c| c.line,
        column: u64 = |c| c.column,
        action: &'static str = |c| c.action,
        what: &'static str = |c| c.what,
        loss: &'static str = |c| c.loss,
        bytes: u32 = |c| c.bytes,
        turn: Option<u32> = |c| c.turn,
    }
    repr |c: &contract::Change| format!("<{} {} at {:?}: {} ({})>", c.action, c.rule, c.pointer, c.what, c.loss)
}
