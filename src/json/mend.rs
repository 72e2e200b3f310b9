//! Mends: what a repair makes of the members of one value. A rule describes its own in its file, as data where that is
//! enough, else as a function; a finding carries a reference to it. It knows no domain.

use crate::place::Edit;

use super::edit::{Base, WrongKind, add_element, add_member, remove_members};
use super::string;
use super::tape::Val;

/// Why a value cannot be changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cannot(pub &'static str);

impl From<WrongKind> for Cannot {
    fn from(wrong: WrongKind) -> Self {
        Cannot(wrong.why())
    }
}

/// The edits that a function makes on a value.
pub type By = fn(Val<'_>, Base<'_>, &mut Vec<Edit>) -> Result<(), Cannot>;

/// An edit on a value.
#[derive(Debug)]
pub struct Mend {
    /// Keys from the value down to what is edited.
    path: &'static [&'static str],
    how: How,
    /// It leaves valid what is signed together with the value.
    pub keeps_signatures: bool,
}

#[derive(Debug)]
enum How {
    /// A member gets this JSON text as its value; it is added if it is missing.
    Put(&'static str, &'static str),
    /// Members with these keys go.
    Strip(&'static [&'static str]),
    /// A member gets another key.
    Rename(&'static str, &'static str),
    /// This JSON text becomes the last element of a list.
    Append(&'static str),
    By(By),
}

impl Mend {
    const fn new(how: How) -> Mend {
        Mend { path: &[], how, keeps_signatures: false }
    }

    pub const fn put(key: &'static str, json: &'static str) -> Mend {
        Mend::new(How::Put(key, json))
    }

    pub const fn strip(keys: &'static [&'static str]) -> Mend {
        Mend::new(How::Strip(keys))
    }

    pub const fn rename(key: &'static str, to: &'static str) -> Mend {
        Mend::new(How::Rename(key, to))
    }

    pub const fn append(json: &'static str) -> Mend {
        Mend::new(How::Append(json))
    }

    pub const fn by(function: By) -> Mend {
        Mend::new(How::By(function))
    }

    /// The same edit on a value further down.
    pub const fn at(self, path: &'static [&'static str]) -> Mend {
        Mend { path, how: self.how, keeps_signatures: self.keeps_signatures }
    }

    pub const fn keeping_signatures(self) -> Mend {
        Mend { path: self.path, how: self.how, keeps_signatures: true }
    }

    pub fn edit(&self, root: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
        let val = root.at(self.path).ok_or(NO_FIELD)?;
        match self.how {
            How::Put(key, json) => put_member(val, key, json.as_bytes(), base, out)?,
            How::Strip(keys) => remove_members(val, keys, base, out)?,
            How::Rename(key, to) => {
                let member = val.member(key).ok_or(NO_FIELD)?;
                let key = base.place(member.key_start, member.key_start + member.key.raw.len() as u32 + 2);
                out.push(Edit::replace(key, string::quoted(to)));
            }
            How::Append(json) => add_element(val, json.as_bytes().to_vec(), base, out)?,
            How::By(function) => function(val, base, out)?,
        }
        Ok(())
    }
}

/// Two rules may describe the same edit, which is then made once.
impl PartialEq for Mend {
    fn eq(&self, other: &Mend) -> bool {
        let same = match (&self.how, &other.how) {
            (How::Put(a, b), How::Put(c, d)) | (How::Rename(a, b), How::Rename(c, d)) => (a, b) == (c, d),
            (How::Strip(a), How::Strip(b)) => a == b,
            (How::Append(a), How::Append(b)) => a == b,
            _ => false,
        };
        std::ptr::eq(self, other) || same && self.path == other.path
    }
}

impl Eq for Mend {}

const NO_FIELD: Cannot = Cannot("the item has no such field");

/// Gives a member of an object another value, or adds it. `json` is the text of the value.
pub fn put_member(
    object: Val<'_>,
    key: &str,
    json: &[u8],
    base: Base<'_>,
    out: &mut Vec<Edit>,
) -> Result<(), WrongKind> {
    match object.get(key) {
        Some(old) => out.push(Edit::replace(base.of(old), json)),
        None => add_member(object, [&*string::quoted(key), b":", json].concat(), base, out)?,
    }
    Ok(())
}
