//! Edits of the members of one value. A rule describes its edit as data where that is enough, else as a function;
//! a finding refers to it. This module knows nothing of conversations.

use crate::place::Edit;

use super::edit::{RecordBase, WrongKind, add_element, add_member, remove_members};
use super::string;
use super::tape::Val;

/// The reason why a value cannot be edited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EditRefusal(pub &'static str);

impl From<WrongKind> for EditRefusal {
    fn from(wrong: WrongKind) -> Self {
        EditRefusal(wrong.reason())
    }
}

/// A function that appends edits of a value.
pub type EditFn = fn(Val<'_>, RecordBase<'_>, &mut Vec<Edit>) -> Result<(), EditRefusal>;

/// An edit on a value.
#[derive(Debug)]
pub struct ValueEdit {
    /// Keys from the value down to what is edited.
    path: &'static [&'static str],
    how: EditKind,
    /// True if signatures that cover the value remain valid.
    pub keeps_signatures: bool,
}

#[derive(Debug)]
enum EditKind {
    /// Set a member to this JSON text; add it if it is missing.
    Put(&'static str, &'static str),
    /// Remove the members with these keys.
    Strip(&'static [&'static str]),
    /// Change the key of a member.
    Rename(&'static str, &'static str),
    /// Append this JSON text to a list.
    Append(&'static str),
    By(EditFn),
}

impl ValueEdit {
    const fn new(how: EditKind) -> ValueEdit {
        ValueEdit { path: &[], how, keeps_signatures: false }
    }

    pub const fn put(key: &'static str, json: &'static str) -> ValueEdit {
        ValueEdit::new(EditKind::Put(key, json))
    }

    pub const fn strip(keys: &'static [&'static str]) -> ValueEdit {
        ValueEdit::new(EditKind::Strip(keys))
    }

    pub const fn rename(key: &'static str, to: &'static str) -> ValueEdit {
        ValueEdit::new(EditKind::Rename(key, to))
    }

    pub const fn append(json: &'static str) -> ValueEdit {
        ValueEdit::new(EditKind::Append(json))
    }

    pub const fn by(function: EditFn) -> ValueEdit {
        ValueEdit::new(EditKind::By(function))
    }

    /// The same edit on a value further down.
    pub const fn at(self, path: &'static [&'static str]) -> ValueEdit {
        ValueEdit { path, how: self.how, keeps_signatures: self.keeps_signatures }
    }

    pub const fn keeping_signatures(self) -> ValueEdit {
        ValueEdit { path: self.path, how: self.how, keeps_signatures: true }
    }

    pub fn edit(&self, root: Val<'_>, base: RecordBase<'_>, out: &mut Vec<Edit>) -> Result<(), EditRefusal> {
        let val = root.at(self.path).ok_or(NO_FIELD)?;
        match self.how {
            EditKind::Put(key, json) => put_member(val, key, json.as_bytes(), base, out)?,
            EditKind::Strip(keys) => remove_members(val, keys, base, out)?,
            EditKind::Rename(key, to) => {
                let member = val.member(key).ok_or(NO_FIELD)?;
                let key = base.place(member.key_start, member.key_start + member.key.raw.len() as u32 + 2);
                out.push(Edit::replace(key, string::quoted(to)));
            }
            EditKind::Append(json) => add_element(val, json.as_bytes().to_vec(), base, out)?,
            EditKind::By(function) => function(val, base, out)?,
        }
        Ok(())
    }
}

/// Two rules may describe the same edit, which is then made once.
impl PartialEq for ValueEdit {
    fn eq(&self, other: &ValueEdit) -> bool {
        let same = match (&self.how, &other.how) {
            (EditKind::Put(a, b), EditKind::Put(c, d)) | (EditKind::Rename(a, b), EditKind::Rename(c, d)) => {
                (a, b) == (c, d)
            }
            (EditKind::Strip(a), EditKind::Strip(b)) => a == b,
            (EditKind::Append(a), EditKind::Append(b)) => a == b,
            _ => false,
        };
        std::ptr::eq(self, other) || same && self.path == other.path
    }
}

impl Eq for ValueEdit {}

const NO_FIELD: EditRefusal = EditRefusal("the item has no such field");

/// Sets a member of an object to `json`, or adds it.
pub fn put_member(
    object: Val<'_>,
    key: &str,
    json: &[u8],
    base: RecordBase<'_>,
    out: &mut Vec<Edit>,
) -> Result<(), WrongKind> {
    match object.get(key) {
        Some(old) => out.push(Edit::replace(base.of(old), json)),
        None => add_member(object, [&*string::quoted(key), b":", json].concat(), base, out)?,
    }
    Ok(())
}
