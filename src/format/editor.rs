//! In-place repair of stores whose records are translated. The repair is planned on the translated messages; since the
//! origin of each is known, removing, moving and renaming need no code of the store. Only a result that is not stored
//! yet is written by functions of the store.

use crate::dialects::omitted_images::stored_text_part;
use crate::json::Val;
use crate::json::edit::RecordBase;
use crate::place::{Edit, Place};

use super::record::ParsedRecord;

/// The operations by which a store is repaired.
pub struct Editor {
    /// The list of messages in a record; `None` where the record is a message itself.
    pub messages: fn(Val<'_>) -> Option<Val<'_>>,
    pub results: ResultStorage,
    /// The members by which records refer to each other, if they do.
    pub links: Option<&'static LineLinks>,
    /// True if a line refers to a call: a new result is inserted after the last such line.
    pub concerns_call: Option<fn(Val<'_>, &OpenCall<'_>) -> bool>,
    /// Adds missing members of the store's records, for findings whose repair is specific to the store.
    pub fill: Option<MemberFiller>,
    /// Why a document that is one record alone is not edited, where each record of the store is a file.
    pub alone: Option<&'static str>,
    /// The list in which only images and files can be, beside a text.
    pub attachments: Option<Attachments>,
    /// The part with this text that replaces an image; `None` if no text can be there.
    pub text_part: fn(Val<'_>, &str) -> Option<Vec<u8>>,
}

impl Editor {
    /// An editor of a store whose records are messages.
    pub const fn of(results: ResultStorage) -> Editor {
        Editor {
            messages: |_| None,
            results,
            links: None,
            concerns_call: None,
            fill: None,
            alone: None,
            attachments: None,
            text_part: stored_text_part,
        }
    }
}

/// A list of images and files beside a text.
#[derive(Clone, Copy)]
pub struct Attachments {
    /// Its key.
    pub list: &'static str,
    /// The keys of the text: the first that is present counts.
    pub texts: &'static [&'static str],
}

/// Where a store keeps results, and the function that writes a neutral one.
#[derive(Clone, Copy)]
pub enum ResultStorage {
    /// In the call: the function adds the edits that complete it.
    InCall(fn(&OpenCall<'_>, &mut Vec<Edit>) -> Option<()>),
    /// Each in its own message.
    Messages(fn(&OpenCall<'_>) -> Option<Vec<u8>>),
    /// As parts of a message.
    Parts(&'static PartResults),
}

/// Results that are parts of a message.
pub struct PartResults {
    /// The list of parts in a message that can contain results.
    pub list: fn(Val<'_>) -> Option<Val<'_>>,
    pub part: fn(&OpenCall<'_>) -> Option<Vec<u8>>,
    /// A new message with these parts, to be inserted after another one.
    pub message: fn(parts: &[u8], after: Val<'_>) -> Option<Vec<u8>>,
}

/// A stored call without a result.
pub struct OpenCall<'c> {
    pub call: Val<'c>,
    /// The message that contains the call, and the record that contains the message.
    pub message: Val<'c>,
    pub record: Val<'c>,
    pub base: RecordBase<'c>,
}

impl<'c> OpenCall<'c> {
    /// The JSON of the first of these members that the call has; `null` if it has none.
    pub fn raw_member(&self, paths: &[&[&str]]) -> &'c [u8] {
        raw_member(self.call, paths)
    }
}

/// The JSON of the first of these members that is present; `null` if none is.
pub fn raw_member<'v>(val: Val<'v>, paths: &[&[&str]]) -> &'v [u8] {
    paths.iter().find_map(|path| val.at(path)).map_or(b"null", |own| own.raw())
}

/// Adds the edits that insert missing members at some places of a record.
pub type MemberFiller = fn(&ParsedRecord<'_>, &dyn Fn(Place) -> bool, &mut Vec<Edit>);

/// Members by which the lines of a log refer to each other.
pub struct LineLinks {
    /// The member with the id of the line, and the one with the id of the line before it.
    pub name: &'static str,
    pub parent: &'static str,
    /// Other members that refer to a line: a reference to a removed line becomes one to the line before it.
    pub others: &'static [&'static [&'static str]],
    /// The id of a new line, from two numbers that are the same in each run.
    pub new_name: fn(u64, u64) -> String,
}

/// An id in the form of a UUID.
pub fn format_uuid(one: u64, two: u64) -> String {
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        one >> 32,
        one >> 16 & 0xffff,
        one & 0xfff,
        two >> 48 & 0x3fff | 0x8000,
        two & 0xffff_ffff_ffff
    )
}

/// A template with each `$` replaced by one of the values, in order.
pub fn fill_template(template: &str, values: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    for (n, part) in template.split('$').enumerate() {
        let value = n.checked_sub(1).and_then(|n| values.get(n));
        out.extend_from_slice(value.copied().unwrap_or_default());
        out.extend_from_slice(part.as_bytes());
    }
    out
}

/// Writes the replacement for a line that is not JSON; `None` if its id or that of its parent cannot be read.
pub type Placeholder = fn(&[u8]) -> Option<Vec<u8>>;

/// The JSON of a member in a line that is not JSON: a string, or `null`. `None` if it cannot be read, or if there are
/// several that differ. Members in a quoted text do not count: the quotes around their keys are escaped.
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
            // Ids and times need no escapes.
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

/// A template with each `$` replaced by the legible JSON of a member, or `null`. `None` if one of the first two, the id of
/// the line and that of the line before it, cannot be read.
pub fn write_placeholder(line: &[u8], template: &str, keys: &[&str]) -> Option<Vec<u8>> {
    let values: Vec<Option<&[u8]>> = keys.iter().map(|key| legible(line, key)).collect();
    let is_named = values.first().is_some_and(|name| name.is_some_and(|name| name.starts_with(b"\"")));
    let is_linked = values.get(1).is_some_and(Option::is_some);
    let values: Vec<&[u8]> = values.into_iter().map(|value| value.unwrap_or(b"null")).collect();
    (is_named && is_linked).then(|| fill_template(template, &values))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_members_are_ignored() {
        let line = br#"{"uuid":"u1","parentUuid":null,"text":"say \"uuid\":\"x\" and ,"uuid": "u1"#;
        assert_eq!(legible(line, "uuid"), None);
        let line = br#"{"uuid":"u1","parentUuid":null,"text":"say \"uuid\":\"x\" and , "#;
        assert_eq!(legible(line, "uuid"), Some(&b"\"u1\""[..]));
        assert_eq!(legible(line, "parentUuid"), Some(&b"null"[..]));
        assert_eq!(legible(br#"{"uuid":"u1","a":{"uuid":"u2"},"#, "uuid"), None);
        let written = write_placeholder(line, r#"{"uuid":$,"parentUuid":$}"#, &["uuid", "parentUuid"]);
        assert_eq!(written.as_deref(), Some(&br#"{"uuid":"u1","parentUuid":null}"#[..]));
    }
}
