//! Answers to requests that have no result.

use serde_json::json;

use crate::library::Error;
use crate::options::UsageError;
use crate::source::bug::Bug;

use super::super::Failure;

/// Why a request has no result.
pub struct Rejection {
    code: RejectionCode,
    message: String,
    /// What to do about it; `None` if there is no hint.
    help: Option<String>,
}

/// What kind of fault it is, for programs.
#[derive(Clone, Copy)]
enum RejectionCode {
    /// The line is not a JSON object in UTF-8.
    Malformed,
    /// The line is longer than a request may be.
    TooLarge,
    /// A method, a member or an option is unknown, missing, or has a wrong value.
    InvalidRequest,
    /// The method cannot process this document.
    Failed,
    /// A bug of this program.
    Internal,
}

impl RejectionCode {
    fn name(self) -> &'static str {
        match self {
            RejectionCode::Malformed => "malformed",
            RejectionCode::TooLarge => "too_large",
            RejectionCode::InvalidRequest => "invalid_request",
            RejectionCode::Failed => "failed",
            RejectionCode::Internal => "internal",
        }
    }
}

impl Rejection {
    fn new(code: RejectionCode, message: impl Into<String>) -> Self {
        Rejection { code, message: message.into(), help: None }
    }

    pub fn malformed(message: impl Into<String>) -> Self {
        Rejection::new(RejectionCode::Malformed, message)
    }

    pub fn too_large(max_size: usize) -> Self {
        let help = "--max-request-size SIZE allows longer ones".to_owned();
        let message = format!("the request is longer than {max_size} bytes");
        Rejection { help: Some(help), ..Rejection::new(RejectionCode::TooLarge, message) }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Rejection::new(RejectionCode::InvalidRequest, message)
    }

    /// An option or a name is invalid.
    pub fn of_options(error: &Error) -> Self {
        Rejection { help: error.help().map(str::to_owned), ..Rejection::invalid(error.to_string()) }
    }

    pub fn internal(bug: &Bug) -> Self {
        Rejection::new(RejectionCode::Internal, bug.to_string())
    }

    /// Appends the answer to the request with this id.
    pub fn write(&self, id: &[u8], out: &mut Vec<u8>) {
        let error = json!({ "code": self.code.name(), "message": self.message, "help": self.help });
        out.extend_from_slice(b"{\"id\":");
        out.extend_from_slice(id);
        out.extend_from_slice(format!(",\"error\":{error}}}\n").as_bytes());
    }
}

impl From<Error> for Rejection {
    fn from(error: Error) -> Self {
        let help = error.help().map(str::to_owned);
        Rejection { help, ..Rejection::new(RejectionCode::Failed, error.to_string()) }
    }
}

impl From<UsageError> for Rejection {
    fn from(error: UsageError) -> Self {
        Rejection { help: error.help, ..Rejection::invalid(error.message) }
    }
}

impl From<Failure> for Rejection {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Usage(error) => error.into(),
            failure => Rejection::new(RejectionCode::Failed, failure.to_string()),
        }
    }
}

impl From<serde_json::Error> for Rejection {
    fn from(error: serde_json::Error) -> Self {
        Rejection::new(RejectionCode::Failed, error.to_string())
    }
}
