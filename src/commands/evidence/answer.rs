//! What a recorded answer says of the request.

use serde_json::Value;

use crate::source::recordings::Exchange;

/// An answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer<'e> {
    Accepted,
    /// Refused for the request itself, with this body.
    Refused {
        status: u16,
        body: &'e [u8],
    },
    /// Not answered, or for reasons that are not in the request: keys, limits, failures.
    Other,
}

/// Statuses of answers that are about the request.
const REFUSALS: [u16; 4] = [400, 404, 413, 422];

/// The name that OpenAI and Anthropic have for such an error; an error in a stream has no status.
const INVALID_REQUEST: &str = "invalid_request_error";

/// The answer of an exchange.
pub fn of(exchange: &Exchange) -> Answer<'_> {
    let status = match exchange.status {
        Some(200..300) => match reported_status(&exchange.response) {
            None => return Answer::Accepted,
            Some(status) => status,
        },
        Some(status) => status,
        None => return Answer::Other,
    };
    match REFUSALS.contains(&status) {
        true => Answer::Refused { status, body: &exchange.response },
        false => Answer::Other,
    }
}

/// The status of an error that an answer with the status 200 reports: routers do so, and streams. 0 if it has none.
fn reported_status(body: &[u8]) -> Option<u16> {
    if body.trim_ascii_start().starts_with(b"{") {
        return error_status(&serde_json::from_slice(body).ok()?);
    }
    let lines = body.split(|c| *c == b'\n').filter_map(|line| line.strip_prefix(b"data:"));
    let events = lines.filter(|data| data.windows(7).any(|window| window == b"\"error\""));
    events.filter_map(|data| serde_json::from_slice(data).ok()).find_map(|event| error_status(&event))
}

fn error_status(value: &Value) -> Option<u16> {
    let failed = || value.get("response").and_then(|response| response.get("error"));
    let error = value.get("error").or_else(failed).filter(|error| error.is_object() || error.is_string());
    let is_error = value.get("type").is_some_and(|kind| kind == "error");
    let error = error.or(is_error.then_some(value))?;
    let code = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let is_invalid = ["type", "code"].iter().any(|key| error.get(key).is_some_and(|kind| kind == INVALID_REQUEST));
    Some(code.unwrap_or(if is_invalid { 400 } else { 0 }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, body: &str) -> &'static str {
        let exchange = Exchange { status: Some(status), response: body.into(), ..Exchange::default() };
        match of(&exchange) {
            Answer::Accepted => "accepted",
            Answer::Refused { .. } => "refused",
            Answer::Other => "other",
        }
    }

    #[test]
    fn answers_with_status_200_may_be_errors() {
        assert_eq!(answer(200, r#"{"id":"resp_1","error":null}"#), "accepted");
        assert_eq!(answer(200, r#"{"error":{"code":400,"message":"Provider returned error"}}"#), "refused");
        assert_eq!(answer(200, r#"{"error":{"code":502,"message":"Provider returned error"}}"#), "other");
        assert_eq!(answer(200, "event: x\ndata: {\"choices\":[]}\n\ndata: [DONE]\n"), "accepted");
        let overloaded = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n";
        assert_eq!(answer(200, overloaded), "other");
        let invalid = r#"data: {"type":"response.failed","response":{"error":{"code":"invalid_request_error"}}}"#;
        assert_eq!(answer(200, invalid), "refused");
        assert_eq!(answer(200, r#"data: {"type":"response.created","response":{"error":null}}"#), "accepted");
        assert_eq!((answer(400, ""), answer(429, ""), answer(503, "")), ("refused", "other", "other"));
    }
}
