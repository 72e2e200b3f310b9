//! Bodies of HTTP requests: those that a guard is about to send, and those that a recording holds.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use replaylint::Options;
use replaylint::internals::commands::evidence::answer::{self, Answer};
use replaylint::internals::source::recordings;
use replaylint::internals::targets::hosts::{ApiUrl, ENDPOINTS};

use super::report::Report;
use super::{Error, run};

/// A body as it is to be sent, or `None` for the given one, and what was found in its conversations.
type Checked<'py> = (&'static str, Option<Bound<'py, PyBytes>>, Vec<Report>);

/// A recorded exchange: method, URL, body, and `accepted`, `refused` or `other`.
type Exchange<'py> = (String, String, Bound<'py, PyBytes>, &'static str);

/// Options, read once for all requests of a client.
#[pyclass(frozen, module = "replaylint._native")]
pub struct RequestChecker {
    options: Options,
    repairs: bool,
}

#[pymethods]
impl RequestChecker {
    #[new]
    fn new(repairs: bool, kwargs: &Bound<'_, PyDict>) -> PyResult<Self> {
        for known in ["format", "dialect", "usage", "pointer", "name"] {
            if kwargs.get_item(known)?.is_some_and(|value| !value.is_none()) {
                let why = format!("'{known}' is no option of a guard: the URL of a request says it");
                return Err(PyTypeError::new_err(why));
            }
        }
        Ok(RequestChecker { options: super::options::options(kwargs)?, repairs })
    }

    /// What is to be said about a request; `None` if it is to be sent as it is.
    fn check<'py>(&self, url: &str, body: &Bound<'py, PyBytes>) -> PyResult<Option<Checked<'py>>> {
        let (py, bytes) = (body.py(), body.as_bytes());
        let found = run(py, || replaylint::check_request(url, bytes, self.repairs, &self.options))?;
        Ok(found.map(|checked| {
            let reports = checked.found.into_iter().map(|one| match one.changes.is_empty() {
                true => Report::new(one.report),
                false => Report::fixed(one.report, one.changes, one.fixed),
            });
            (checked.endpoint, checked.body.map(|text| PyBytes::new(py, &text)), reports.collect())
        }))
    }
}

/// The endpoints that take conversations: their names, and their dialects.
#[pyfunction]
pub fn endpoints() -> Vec<(&'static str, &'static str)> {
    ENDPOINTS.iter().map(|endpoint| (endpoint.name(), endpoint.dialect)).collect()
}

/// The name of the endpoint of a URL; `None` if no conversation is sent there.
#[pyfunction]
pub fn endpoint(url: &str) -> Option<&'static str> {
    ApiUrl::of_conversations(url).map(|api| api.endpoint.name())
}

/// The exchanges of a recording.
#[pyfunction]
pub fn exchanges<'py>(recording: &Bound<'py, PyBytes>) -> PyResult<Vec<Exchange<'py>>> {
    let (py, bytes) = (recording.py(), recording.as_bytes());
    let all = py.detach(|| recordings::read(bytes)).map_err(|error| Error::new_err(error.to_string()))?;
    let exchange = |exchange: recordings::Exchange| {
        let answer = match answer::of(&exchange) {
            Answer::Accepted => "accepted",
            Answer::Refused { .. } => "refused",
            Answer::Other => "other",
        };
        (exchange.method, exchange.url, PyBytes::new(py, &exchange.request), answer)
    };
    Ok(all.into_iter().map(exchange).collect())
}

/// True if the start of a file may be that of a recording.
#[pyfunction]
pub fn may_be_recording(head: &Bound<'_, PyBytes>) -> bool {
    recordings::may_be_recording(head.as_bytes())
}
