//! Values of the library as JSON, and JSON as Python objects.

use pyo3::prelude::*;
use serde::Serialize;

use super::Error;

/// A part of the contract as JSON.
pub fn json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| Error::new_err(error.to_string()))
}

/// JSON as Python objects, by Python's own parser.
pub fn from_json<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (json,))
}
