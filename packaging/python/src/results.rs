//! What `convert` and `diff` return.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::Error;
use super::json::{from_json, json};
use super::report::Report;

/// Conversations as requests of another API.
#[pyclass(frozen, module = "replaylint")]
pub struct Converted {
    text: Vec<u8>,
    histories: u32,
    failed: u32,
    loses: bool,
    losses: Py<Report>,
}

impl Converted {
    pub fn new(py: Python<'_>, converted: replaylint::Converted) -> PyResult<Self> {
        let loses = converted.loses();
        let replaylint::Converted { text, histories, failed, losses } = converted;
        Ok(Converted { text, histories, failed, loses, losses: Py::new(py, Report::new(losses))? })
    }
}

#[pymethods]
impl Converted {
    /// The requests as JSON Lines.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.text)
    }

    #[getter]
    fn requests<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let lines = self.text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| from_json(py, &String::from_utf8_lossy(line))).collect()
    }

    /// The request, where there is one.
    #[getter]
    fn request<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut requests = self.requests(py)?;
        match (requests.pop(), requests.len()) {
            (Some(one), 0) => Ok(one),
            (None, _) => {
                let first = self.losses.get().first_message();
                Err(Error::new_err(first.unwrap_or_else(|| "there is nothing to convert".to_owned())))
            }
            (Some(_), more) => Err(Error::new_err(format!("there are {} requests; use .requests", more + 1))),
        }
    }

    #[getter]
    fn histories(&self) -> u32 {
        self.histories
    }

    #[getter]
    fn failed(&self) -> u32 {
        self.failed
    }

    #[getter]
    fn loses(&self) -> bool {
        self.loses
    }

    #[getter]
    fn losses(&self, py: Python<'_>) -> Py<Report> {
        self.losses.clone_ref(py)
    }

    fn __repr__(&self) -> String {
        format!("<Converted: {} requests, {} failed>", self.histories, self.failed)
    }
}

/// How two conversations differ.
#[pyclass(frozen, module = "replaylint")]
pub struct Diff(replaylint::Diff);

impl Diff {
    pub fn new(diff: replaylint::Diff) -> Self {
        Diff(diff)
    }
}

#[pymethods]
impl Diff {
    #[getter]
    fn is_equal(&self) -> bool {
        !self.0.summary.differs() && !self.0.reordered
    }

    #[getter]
    fn summary<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &json(&self.0.summary)?)
    }

    #[getter]
    fn histories<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &json(&self.0.histories)?)
    }

    fn to_json(&self) -> PyResult<String> {
        json(&self.0)
    }

    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        from_json(py, &self.to_json()?)
    }

    fn __repr__(&self) -> String {
        let sum = &self.0.summary;
        let counts = [
            ("same", sum.same),
            ("changed", sum.changed),
            ("moved", sum.moved),
            ("added", sum.added),
            ("removed", sum.removed),
        ];
        let counts: Vec<String> = counts.iter().map(|(what, n)| format!("{n} {what}")).collect();
        format!("<Diff: {}>", counts.join(", "))
    }
}
