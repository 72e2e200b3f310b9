//! Members of records that are strings, and say something: one that is empty is like one that is not there.

use std::borrow::Cow;

use crate::history::tree::Name;
use crate::json::Val;

pub(super) fn text(val: Val<'_>, key: &str) -> Option<Box<str>> {
    of(val.get(key))
}

/// The same of a member within members.
pub(super) fn text_at(val: Val<'_>, path: &[&str]) -> Option<Box<str>> {
    of(val.at(path))
}

/// The same as a name that entries of a tree share.
pub(super) fn named(val: Val<'_>, key: &str) -> Option<Name> {
    of(val.get(key))
}

fn of<T: for<'t> From<Cow<'t, str>>>(val: Option<Val<'_>>) -> Option<T> {
    let text = val?.text().filter(|text| !text.is_empty())?;
    Some(String::from_utf8_lossy(&text).into())
}
