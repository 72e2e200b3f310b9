//! How a store is repaired where it lies whose records are translated. What becomes of an item is planned on the messages
//! that were made of the records; where each came from is known, so that dropping, moving and renaming needs nothing but
//! these facts. Only what nobody has written yet, a result, is written by the store's own functions.

use crate::json::Val;
use crate::json::edit::Base;
use crate::place::{Edit, Place};

use super::record::Stored;

/// How a store is repaired.
pub struct Editor {
    /// The list of messages in a record; `None` where the record is a message itself.
    pub messages: fn(Val<'_>) -> Option<Val<'_>>,
    pub results: Results,
    /// How records name one another, if they do.
    pub links: Option<&'static Links>,
    /// Whether a line says something of a call: a new result comes after the last such line.
    pub is_about: Option<fn(Val<'_>, &OpenCall<'_>) -> bool>,
    /// Fills in what the store itself lacks: for findings that ask for [`Act::Stored`](crate::history::Act::Stored).
    pub fill: Option<Fill>,
}

impl Editor {
    /// Records are messages, and so are results.
    pub const fn of(results: Results) -> Editor {
        Editor { messages: |_| None, results, links: None, is_about: None, fill: None }
    }
}

/// Where a store keeps results, and how it writes one that claims nothing.
#[derive(Clone, Copy)]
pub enum Results {
    /// In the call: the edits that end it.
    InCall(fn(&OpenCall<'_>, &mut Vec<Edit>) -> Option<()>),
    /// Each in a message of its own.
    Messages(fn(&OpenCall<'_>) -> Option<Vec<u8>>),
    /// As parts of a message.
    Parts(&'static PartResults),
}

/// Results that are parts of a message.
pub struct PartResults {
    /// The parts of a message that may hold results.
    pub list: fn(Val<'_>) -> Option<Val<'_>>,
    pub part: fn(&OpenCall<'_>) -> Option<Vec<u8>>,
    /// The message around new parts, which comes after this one.
    pub message: fn(parts: &[u8], after: Val<'_>) -> Option<Vec<u8>>,
}

/// A call that nobody answered, as it is stored.
pub struct OpenCall<'c> {
    pub call: Val<'c>,
    /// The message that holds it, and the record that holds that.
    pub message: Val<'c>,
    pub record: Val<'c>,
    pub base: Base<'c>,
}

impl<'c> OpenCall<'c> {
    /// A member of the call as it is stored, or the first of these that is there; `null` if there is none.
    pub fn raw(&self, paths: &[&[&str]]) -> &'c [u8] {
        raw(self.call, paths)
    }
}

/// The text of the first of these members that is there; `null` if there is none.
pub fn raw<'v>(val: Val<'v>, paths: &[&[&str]]) -> &'v [u8] {
    paths.iter().find_map(|path| val.at(path)).map_or(b"null", |own| own.raw())
}

/// The edits that fill in what lacks at some places of a record.
pub type Fill = fn(&Stored<'_>, &dyn Fn(Place) -> bool, &mut Vec<Edit>);

/// Members by which the lines of a log name one another.
pub struct Links {
    /// The line's own name, and that of the line before it.
    pub name: &'static str,
    pub parent: &'static str,
    /// Other members that name a line: what named one that goes names the line before it.
    pub others: &'static [&'static [&'static str]],
    /// What a new line is called, by two numbers that are the same in each run.
    pub new_name: fn(u64, u64) -> String,
}

/// A name in the form of a UUID.
pub fn uuid(one: u64, two: u64) -> String {
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        one >> 32,
        one >> 16 & 0xffff,
        one & 0xfff,
        two >> 48 & 0x3fff | 0x8000,
        two & 0xffff_ffff_ffff
    )
}

/// A text in the store's own form: each `$` of the template is one of the values, in order.
pub fn filled(template: &str, values: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    for (n, part) in template.split('$').enumerate() {
        let value = n.checked_sub(1).and_then(|n| values.get(n));
        out.extend_from_slice(value.copied().unwrap_or_default());
        out.extend_from_slice(part.as_bytes());
    }
    out
}

/// Writes a line in the place of one that is not JSON, if that shows what it is called and which one it follows.
pub type Placeholder = fn(&[u8]) -> Option<Vec<u8>>;

/// The text of a member in a line that is not JSON: a string, or `null`. `None` if it cannot be told, or several are there
/// that differ. In a text that is quoted in the line, the quotes around a key are escaped.
pub fn legible<'t>(line: &'t [u8], key: &str) -> Option<&'t [u8]> {
    let quoted = [b"\"", key.as_bytes(), b"\""].concat();
    let mut found: Option<&[u8]> = None;
    for at in memchr::memmem::find_iter(line, &quoted) {
        let is_escaped = at.checked_sub(1).and_then(|before| line.get(before)) == Some(&b'\\');
        let rest = line.get(at + quoted.len()..)?.trim_ascii_start();
        let Some(value) = rest.strip_prefix(b":").map(|rest| rest.trim_ascii_start()).filter(|_| !is_escaped)
        else {
            continue;
        };
        let len = match value.strip_prefix(b"\"") {
            // Names and times need no escapes.
            Some(inner) => memchr::memchr2(b'"', b'\\', inner).filter(|end| inner.get(*end) == Some(&b'"'))? + 2,
            None if value.starts_with(b"null") => 4,
            None => continue,
        };
        let value = value.get(..len)?;
        if found.is_some_and(|before| before != value) {
            return None;
        }
        found = Some(value);
    }
    found
}

/// A line by a template, each `$` of which is the legible text of a member, or `null`; `None` if the first two, its name and
/// that of the line before it, cannot be told.
pub fn placeholder(line: &[u8], template: &str, keys: &[&str]) -> Option<Vec<u8>> {
    let values: Vec<Option<&[u8]>> = keys.iter().map(|key| legible(line, key)).collect();
    let is_named = values.first().is_some_and(|name| name.is_some_and(|name| name.starts_with(b"\"")));
    let is_linked = values.get(1).is_some_and(Option::is_some);
    let values: Vec<&[u8]> = values.into_iter().map(|value| value.unwrap_or(b"null")).collect();
    (is_named && is_linked).then(|| filled(template, &values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_legible_is_told_from_what_is_quoted() {
        let line = br#"{"uuid":"u1","parentUuid":null,"text":"say \"uuid\":\"x\" and ,"uuid": "u1"#;
        assert_eq!(legible(line, "uuid"), None);
        let line = br#"{"uuid":"u1","parentUuid":null,"text":"say \"uuid\":\"x\" and , "#;
        assert_eq!(legible(line, "uuid"), Some(&b"\"u1\""[..]));
        assert_eq!(legible(line, "parentUuid"), Some(&b"null"[..]));
        assert_eq!(legible(br#"{"uuid":"u1","a":{"uuid":"u2"},"#, "uuid"), None);
        let made = placeholder(line, r#"{"uuid":$,"parentUuid":$}"#, &["uuid", "parentUuid"]);
        assert_eq!(made.as_deref(), Some(&br#"{"uuid":"u1","parentUuid":null}"#[..]));
    }
}
