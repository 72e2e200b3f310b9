//! References to elements that are stored elsewhere: plain JSON, first in the list whose elements they replace,
//! with a version and everything that is needed to find them.
//!
//! - `{"replaylint_ref":{"v":1,"kind":"prefix","record":12,"at":"/input","items":40}}`: the first 40 elements of the list
//!   at `/input` in record 12 (from 1; the line, blank ones not counted, or the element of the array that the file is).
//! - `{"replaylint_ref":{"v":1,"kind":"history","request":11,"items":7}}`: the 7 messages that the request at offset 11
//!   sends, by the events of the same stream.
//!
//! Both have `"bytes":"other"` if the restored text has the same values, but not the same spacing or escapes.
//!
//! - `{"replaylint_ref":{"v":1,"kind":"text","value":…}}`, in place of a string that contains JSON: the value is its
//!   text, and may contain one of the others.

use crate::format::REFERENCE;
use crate::json::{Val, name, string};

/// The version that is written, and the only one that is read.
const VERSION: u64 = 1;

/// A reference to the elements that a list leaves out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reference {
    Prefix { record: u32, at: String, items: u32, exact: bool },
    History { request: u64, items: u32, exact: bool },
}

/// The member of a reference whose elements are restored with other bytes.
const OTHER: &str = ",\"bytes\":\"other\"";

impl Reference {
    pub fn write(&self) -> Vec<u8> {
        let what = match self {
            Reference::Prefix { record, at, items, exact } => {
                let other = if *exact { "" } else { OTHER };
                let at = String::from_utf8_lossy(&string::quoted(at)).into_owned();
                format!("\"prefix\",\"record\":{record},\"at\":{at},\"items\":{items}{other}")
            }
            Reference::History { request, items, exact } => {
                let other = if *exact { "" } else { OTHER };
                format!("\"history\",\"request\":{request},\"items\":{items}{other}")
            }
        };
        format!("{{\"{REFERENCE}\":{{\"v\":{VERSION},\"kind\":{what}}}}}").into_bytes()
    }

    /// Reads a reference; `None` for other values, an error message for an invalid reference.
    pub fn read(val: Val<'_>) -> Option<Result<Reference, &'static str>> {
        let inner = inner(val)?;
        if version(inner) != Some(VERSION) {
            return Some(Err("the reference has an unsupported version"));
        }
        let number = |key: &str| inner.get(key).and_then(|val| val.as_u64());
        let exact = inner.get(name::bytes).is_none_or(|bytes| !bytes.is("other"));
        let small = |key: &str| number(key).and_then(|number| u32::try_from(number).ok());
        let read = || match inner.get(name::kind)?.text()?.as_ref() {
            b"prefix" => Some(Reference::Prefix {
                record: small("record")?,
                at: String::from_utf8_lossy(&inner.get("at")?.text()?).into_owned(),
                items: small("items")?,
                exact,
            }),
            b"history" => Some(Reference::History { request: number("request")?, items: small("items")?, exact }),
            _ => None,
        };
        Some(read().ok_or("the reference is incomplete"))
    }
}

/// The beginning and end of what replaces a string, with its text between.
pub fn text_wrapper() -> (Vec<u8>, &'static [u8]) {
    (format!("{{\"{REFERENCE}\":{{\"v\":{VERSION},\"kind\":\"text\",\"value\":").into_bytes(), b"}}")
}

/// The text of a string that was replaced by its value.
pub fn unwrap_text(val: Val<'_>) -> Option<Val<'_>> {
    let inner = inner(val).filter(|inner| version(*inner) == Some(VERSION))?;
    inner.get(name::kind).filter(|kind| kind.is("text"))?;
    inner.get(name::value)
}

fn inner(val: Val<'_>) -> Option<Val<'_>> {
    if !crate::format::is_reference(val) {
        return None;
    }
    val.get(REFERENCE).filter(|inner| inner.is_object())
}

fn version(inner: Val<'_>) -> Option<u64> {
    inner.get("v").and_then(|version| version.as_u64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Tape, scan};

    fn read(text: &[u8]) -> Option<Result<Reference, &'static str>> {
        let mut tape = Tape::new();
        assert_eq!(scan(text, &mut tape), Ok(()));
        Reference::read(tape.root(text)?)
    }

    #[test]
    fn what_is_written_is_read() {
        let prefix = |exact| Reference::Prefix { record: 12, at: "/a~1b/input".to_owned(), items: 40, exact };
        let history = |exact| Reference::History { request: 11, items: 7, exact };
        for reference in [prefix(true), prefix(false), history(true), history(false)] {
            assert_eq!(read(&reference.write()), Some(Ok(reference)));
        }
        assert_eq!(read(br#"{"role":"user"}"#), None);
        assert!(matches!(read(br#"{"replaylint_ref":{"v":2,"kind":"prefix"}}"#), Some(Err(_))));
        assert!(matches!(read(br#"{"replaylint_ref":{"v":1,"kind":"prefix","items":-1}}"#), Some(Err(_))));
    }
}
