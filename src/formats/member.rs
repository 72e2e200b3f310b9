//! String members of records. An empty one counts as absent.

use std::borrow::Cow;

use crate::history::tree::NodeName;
use crate::json::{Val, string};

/// A string member.
pub(super) fn text(val: Val<'_>, key: &str) -> Option<Box<str>> {
    borrowed_text(val, key).map(Box::from)
}

/// The same, borrowed from the record: for what is only compared.
pub(super) fn borrowed_text<'v>(val: Val<'v>, key: &str) -> Option<Cow<'v, str>> {
    non_empty(val.get(key))
}

/// The string at a path.
pub(super) fn text_at(val: Val<'_>, path: &[&str]) -> Option<Box<str>> {
    non_empty(val.at(path)).map(Box::from)
}

/// A string member, as a name that the entries of a tree share.
pub(super) fn node_name(val: Val<'_>, key: &str) -> Option<NodeName> {
    borrowed_text(val, key).map(NodeName::from)
}

/// The same. If it is this one, as nearly always, that is shared.
pub(super) fn shared_name(val: Val<'_>, key: &str, known: Option<&NodeName>) -> Option<NodeName> {
    let text = borrowed_text(val, key)?;
    Some(known.filter(|known| ***known == *text).map_or_else(|| text.into(), NodeName::clone))
}

/// What a string member says, as far as a parser understands it.
pub(super) fn parsed<T>(val: Val<'_>, key: &str, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
    parse(&string::lossy(&val.get(key)?.text()?))
}

fn non_empty(val: Option<Val<'_>>) -> Option<Cow<'_, str>> {
    Some(match val?.text().filter(|text| !text.is_empty())? {
        Cow::Borrowed(text) => string::lossy(text),
        Cow::Owned(text) => Cow::Owned(string::lossy(&text).into_owned()),
    })
}
