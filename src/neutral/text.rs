//! JSON that is copied and seldom read: texts with their escapes, values as they stand.

use std::borrow::Cow;

use crate::json::{Str, Val, string};

/// A text as it stands between the quotes of a JSON string: escapes are kept, so that it can be written again, and
/// joined with others, without being read.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Text(Box<[u8]>);

impl Text {
    /// Of a plain text.
    pub fn new(plain: &str) -> Self {
        Text(string::escaped(plain).into_bytes().into())
    }

    /// Of what already is between quotes.
    pub fn of_raw(raw: impl Into<Box<[u8]>>) -> Self {
        Text(raw.into())
    }

    /// Of a string.
    pub fn of(text: Str<'_>) -> Self {
        Text(text.raw.into())
    }

    /// Of a value, if it is a string.
    pub fn of_val(val: Val<'_>) -> Option<Self> {
        val.as_str().map(Text::of)
    }

    /// The text between the quotes.
    pub fn raw(&self) -> &[u8] {
        &self.0
    }

    /// What it says.
    pub fn plain(&self) -> Cow<'_, [u8]> {
        match memchr::memchr(b'\\', &self.0) {
            Some(_) => Cow::Owned(string::decode(&self.0)),
            None => Cow::Borrowed(&self.0),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Holds nothing but white space.
    pub fn is_blank(&self) -> bool {
        let shown = self.0.first().is_some_and(|b| !b.is_ascii_whitespace() && *b != b'\\');
        !shown && self.plain().trim_ascii().is_empty()
    }

    /// Several texts as one, with `between` (as it stands in JSON) between them.
    pub fn join<'t>(texts: impl IntoIterator<Item = &'t Text>, between: &str) -> Text {
        let mut joined = Vec::new();
        for (n, text) in texts.into_iter().enumerate() {
            if n > 0 {
                joined.extend_from_slice(between.as_bytes());
            }
            joined.extend_from_slice(&text.0);
        }
        Text(joined.into())
    }
}

/// The text of any JSON value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Raw(Box<[u8]>);

impl Raw {
    pub fn of(val: Val<'_>) -> Self {
        Raw(val.raw().into())
    }

    pub fn new(json: impl Into<Box<[u8]>>) -> Self {
        Raw(json.into())
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The number that it is.
    pub fn number(&self) -> Option<f64> {
        std::str::from_utf8(&self.0).ok()?.parse().ok()
    }
}
