//! A request: a line with a JSON object. Documents in it are kept as the bytes that were sent.

use serde_json::{Map, Value};

use crate::json::{Tape, Val, scan};
use crate::library::{Dialect, Options};
use crate::report::words::to_printable;

use super::rejection::Rejection;

/// The id in the answer to a request without one.
pub const NO_ID: &[u8] = b"null";

/// A request whose line is a JSON object.
pub struct Request<'t> {
    /// The JSON of its id; `null` if it has none.
    pub id: &'t [u8],
    object: Val<'t>,
}

/// A document of a request.
pub enum Document<'t> {
    /// An object or a list; its bytes are a part of the line.
    Json(&'t [u8]),
    /// The text that a string contains: JSON, or JSON Lines.
    Text(String),
}

impl<'t> Request<'t> {
    pub fn parse(line: &'t [u8], tape: &'t mut Tape) -> Result<Self, Rejection> {
        if simdutf8::basic::from_utf8(line).is_err() {
            return Err(Rejection::malformed("the line is not UTF-8"));
        }
        scan(line, tape).map_err(|fault| {
            Rejection::malformed(format!("the line is not JSON: {} (column {})", fault.kind.words(), fault.at + 1))
        })?;
        let tape: &'t Tape = tape;
        let root = tape.root(line).filter(Val::is_object);
        let object = root.ok_or_else(|| Rejection::malformed("the line is not a JSON object"))?;
        Ok(Request { id: object.get("id").map_or(NO_ID, |id| id.raw()), object })
    }

    /// The name of the method.
    pub fn method(&self) -> Result<String, Rejection> {
        self.text("method")
    }

    /// Refuses members that the method does not have, and any that occurs twice.
    pub fn expect_members(&self, method: &str, known: &[&str]) -> Result<(), Rejection> {
        let mut seen: Vec<&str> = Vec::with_capacity(known.len() + 2);
        for key in self.object.members().map(|member| member.key) {
            let Some(name) = ["id", "method"].iter().chain(known).copied().find(|known| key.is(known.as_bytes()))
            else {
                let key = String::from_utf8_lossy(&key.decode()).into_owned();
                let message =
                    format!("`{method}` has no member '{}'; it has: {}", to_printable(&key), known.join(", "));
                return Err(Rejection::invalid(message));
            };
            if seen.contains(&name) {
                return Err(Rejection::invalid(format!("the member '{name}' occurs twice")));
            }
            seen.push(name);
        }
        Ok(())
    }

    /// The member, unless it is missing or `null`.
    fn member(&self, name: &str) -> Option<Val<'t>> {
        self.object.get(name).filter(|val| !val.is_null())
    }

    /// A member that is a text, if there is one.
    pub fn optional_text(&self, name: &str) -> Result<Option<String>, Rejection> {
        let Some(val) = self.member(name) else { return Ok(None) };
        if !val.is_string() {
            return Err(Rejection::invalid(format!("'{name}' is not a string")));
        }
        // An escape without its other half has no UTF-8.
        let text = serde_json::from_slice(val.raw());
        text.map(Some)
            .map_err(|_| Rejection::invalid(format!("'{name}' has a lone surrogate, so it is not a text")))
    }

    /// A member that is `true` or `false`, if there is one.
    pub fn optional_flag(&self, name: &str) -> Result<Option<bool>, Rejection> {
        let Some(val) = self.member(name) else { return Ok(None) };
        val.as_bool().map(Some).ok_or_else(|| Rejection::invalid(format!("'{name}' is not true or false")))
    }

    pub fn text(&self, name: &str) -> Result<String, Rejection> {
        self.optional_text(name)?.ok_or_else(|| Rejection::invalid(format!("'{name}' is missing")))
    }

    pub fn document(&self, name: &str) -> Result<Document<'t>, Rejection> {
        match self.member(name) {
            Some(val) if val.is_object() || val.is_array() => Ok(Document::Json(val.raw())),
            Some(val) if !val.is_string() => {
                Err(Rejection::invalid(format!("'{name}' is not an object, a list or a string")))
            }
            _ => Ok(Document::Text(self.text(name)?)),
        }
    }

    pub fn dialect(&self, name: &str) -> Result<Dialect, Rejection> {
        self.text(name)?.parse().map_err(|error| Rejection::of_options(&error))
    }

    pub fn options(&self) -> Result<Options, Rejection> {
        let Some(val) = self.member("options") else { return Ok(Options::new()) };
        let given: Map<String, Value> = serde_json::from_slice(val.raw())
            .map_err(|error| Rejection::invalid(format!("'options' is not an object of options: {error}")))?;
        Options::from_json(&given).map_err(|error| Rejection::of_options(&error))
    }
}

impl Document<'_> {
    pub fn bytes(&self) -> &[u8] {
        match self {
            Document::Json(bytes) => bytes,
            Document::Text(text) => text.as_bytes(),
        }
    }

    /// Appends another text of the document, as it was sent: a value, or a string.
    pub fn write(&self, text: &[u8], out: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        if matches!(self, Document::Json(_)) && is_inline(text) {
            out.extend_from_slice(text);
            return Ok(());
        }
        serde_json::to_writer(out, &String::from_utf8_lossy(text))
    }
}

/// True if a text can be a part of a line. A repair can give a log of one line a second one.
fn is_inline(text: &[u8]) -> bool {
    !text.iter().any(|byte| matches!(byte, b'\n' | b'\r')) && crate::json::is_json(text)
}
