//! AG2's events: the class, and the fields.

use crate::json::{Str, Val, name};
use crate::message::Text;

/// The prefixes of class paths. The package was renamed; old logs keep the old name.
pub(super) const PREFIXES: [&str; 2] = ["ag2.", "autogen.beta."];

/// An event: its class path, and the object with its fields.
#[derive(Clone, Copy)]
pub struct Ag2Event<'t> {
    /// The class path, unchanged.
    pub path: Str<'t>,
    pub fields: Val<'t>,
}

impl<'t> Ag2Event<'t> {
    /// Reads an event in either form, or inside the envelope of a network.
    pub fn of(val: Val<'t>) -> Option<Self> {
        if let Some(path) = val.get("__event__").and_then(|path| path.as_str()) {
            return Some(Ag2Event { path, fields: val });
        }
        if let Some(fields) = val.get(name::data).filter(Val::is_object)
            && let Some(path) = val.get(name::r#type).and_then(|path| path.as_str())
        {
            return Some(Ag2Event { path, fields });
        }
        val.get(name::event).filter(Val::is_object).and_then(Ag2Event::of)
    }

    /// True if the class path is one of AG2's own.
    pub fn is_own(&self) -> bool {
        PREFIXES.iter().any(|prefix| self.path.raw.starts_with(prefix.as_bytes()))
    }

    /// The last name of the class path.
    pub fn class(&self) -> &'t [u8] {
        self.path.raw.rsplit(|b| *b == b'.').next().unwrap_or(self.path.raw)
    }

    pub fn get(&self, key: &str) -> Option<Val<'t>> {
        self.fields.get(key)
    }

    /// A text or the value of an enum: newer versions mark enums, older ones wrote the plain value.
    pub fn text_of(&self, key: &str) -> Option<Text> {
        let val = self.get(key)?;
        Text::of_val(val.get("value").filter(|_| val.get("__enum__").is_some()).unwrap_or(val))
    }

    pub fn text(&self, key: &str) -> Option<String> {
        self.text_of(key).map(|text| text.to_plain_string())
    }

    /// The provider's item, if it was stored as an object.
    pub fn item(&self) -> Option<Val<'t>> {
        let item = self.get("item")?;
        let inner = item.get("data").filter(|_| item.get("__pydantic__").is_some());
        inner.or(Some(item)).filter(Val::is_object)
    }

    /// The printed form of the item, which older versions stored: it cannot be parsed.
    pub fn printed_item(&self) -> Option<Val<'t>> {
        self.get("item").filter(Val::is_string)
    }

    pub fn list(&self, key: &str) -> impl Iterator<Item = Val<'t>> {
        self.get(key).into_iter().flat_map(|list| list.elements())
    }
}
