//! `validate` on bytes: what a provider answers to a request.

use crate::convert;
use crate::history::Usage;
use crate::report::contract::ApiError;
use crate::report::{ContentDisplay, diagnose, first_refusal};
use crate::source::{BorrowedBytes, GrowableBytes};
use crate::target::Severity;

use super::error::Error;
use super::options::Options;
use super::report::DOC;

/// The error that the provider would answer a request with, for servers of tests; `None` if it would accept the request.
/// The document is judged as a request, unless the options say otherwise.
///
/// ```
/// use replaylint::{Options, validate};
///
/// # fn main() -> Result<(), replaylint::Error> {
/// let body = br#"{"model": "gpt-5", "input": [
///     {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": "{}"}
/// ]}"#;
/// let refusal = validate(body, &Options::new())?.unwrap();
/// assert_eq!((refusal.status, &*refusal.error.message), (400, "No tool output found for function call call_1."));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`check`](super::check).
pub fn validate(document: &[u8], options: &Options) -> Result<Option<ApiError>, Error> {
    let wrapped = options.list.map(|dialect| dialect.request(document));
    let bytes = GrowableBytes::new(BorrowedBytes(wrapped.as_deref().unwrap_or(document)));
    let mut judging = options.judge.clone();
    judging.read.usage.get_or_insert(Usage::Request);
    let found = convert::check(DOC, &bytes, &judging, 1)?;
    let diagnostics = diagnose(DOC, &options.name, &bytes, &found, ContentDisplay::None)?;
    Ok(first_refusal(&diagnostics, true, Severity::Error).map(ApiError::from))
}
