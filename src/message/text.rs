//! JSON that is copied and seldom read: texts with their escapes, values as they stand.

use std::borrow::Cow;

use crate::json::{Str, Val, string};

use super::spill::{Held, Store};

/// A text as it stands between the quotes of a JSON string: escapes are kept, so that it can be written again, and
/// joined with others, without being read.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Text(Held);

impl Text {
    /// Of a plain text.
    pub fn new(plain: &str) -> Self {
        Text::of_raw(string::escaped(plain).into_bytes())
    }

    /// Of what already is between quotes.
    pub fn of_raw(raw: impl Into<Box<[u8]>>) -> Self {
        Text(Held::Here(raw.into()))
    }

    /// Of a string.
    pub fn of(text: Str<'_>) -> Self {
        Text::of_raw(text.raw)
    }

    /// Of a value, if it is a string.
    pub fn of_val(val: Val<'_>) -> Option<Self> {
        val.as_str().map(Text::of)
    }

    /// The text between the quotes.
    pub fn raw(&self) -> Cow<'_, [u8]> {
        self.0.bytes()
    }

    /// What it says.
    pub fn plain(&self) -> Cow<'_, [u8]> {
        let raw = self.raw();
        match memchr::memchr(b'\\', &raw) {
            Some(_) => Cow::Owned(string::decode(&raw)),
            None => raw,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.size() == 0
    }

    /// It stands there as this.
    pub fn is(&self, raw: &str) -> bool {
        *self.raw() == *raw.as_bytes()
    }

    /// Bytes between the quotes.
    pub fn size(&self) -> usize {
        self.0.size()
    }

    /// Holds nothing but white space.
    pub fn is_blank(&self) -> bool {
        let Held::Here(raw) = &self.0 else { return false };
        let shown = raw.first().is_some_and(|b| !b.is_ascii_whitespace() && *b != b'\\');
        !shown && self.plain().trim_ascii().is_empty()
    }

    /// Several texts as one, with `between` (as it stands in JSON) between them.
    pub fn join<'t>(texts: impl IntoIterator<Item = &'t Text>, between: &str) -> Text {
        let mut joined = Vec::new();
        for (n, text) in texts.into_iter().enumerate() {
            if n > 0 {
                joined.extend_from_slice(between.as_bytes());
            }
            joined.extend_from_slice(&text.raw());
        }
        Text::of_raw(joined)
    }

    /// Puts a long text into a store.
    pub fn put_away(&mut self, store: &Store) {
        // What is put away says something, so that nobody has to look.
        if !self.is_blank() {
            self.0.put_away(store);
        }
    }
}

/// The text of any JSON value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Raw(Held);

impl Raw {
    pub fn of(val: Val<'_>) -> Self {
        Raw::new(val.raw())
    }

    pub fn new(json: impl Into<Box<[u8]>>) -> Self {
        Raw(Held::Here(json.into()))
    }

    pub fn bytes(&self) -> Cow<'_, [u8]> {
        self.0.bytes()
    }

    /// It is this literal.
    pub fn is(&self, json: &str) -> bool {
        *self.bytes() == *json.as_bytes()
    }

    /// The first byte.
    pub fn first(&self) -> Option<u8> {
        self.0.first()
    }

    pub fn size(&self) -> usize {
        self.0.size()
    }

    /// The number that it is.
    pub fn number(&self) -> Option<f64> {
        std::str::from_utf8(&self.bytes()).ok()?.parse().ok()
    }

    /// Puts a long value into a store.
    pub fn put_away(&mut self, store: &Store) {
        self.0.put_away(store);
    }
}
