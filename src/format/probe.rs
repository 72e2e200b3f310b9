//! What formats look at to recognise a record: it is summed up once for all of them.

use crate::json::{Name, NameSet, Val};

/// A record summed up for detection.
pub struct Probe<'r> {
    pub val: Val<'r>,
    /// Keys at its top.
    pub names: NameSet,
    /// Number of keys of an object.
    pub count: u32,
}

impl<'r> Probe<'r> {
    pub fn new(val: Val<'r>) -> Self {
        Probe { val, names: val.names(), count: if val.is_object() { val.count() } else { 0 } }
    }

    /// Whether the record is an object that has this key.
    pub fn has(&self, name: Name) -> bool {
        self.names.has(name)
    }

    /// A string member of the record.
    pub fn text(&self, name: Name) -> Option<std::borrow::Cow<'r, [u8]>> {
        self.val.get(name).and_then(|v| v.text())
    }
}
