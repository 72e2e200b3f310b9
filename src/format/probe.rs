//! The summary of a record by which formats recognise it, computed once for all of them.

use crate::json::{KeyName, NameSet, Val};

/// The summary of a record for detection.
pub struct Probe<'r> {
    pub val: Val<'r>,
    /// Its top-level keys.
    pub names: NameSet,
    /// Its number of keys; 0 if it is not an object.
    pub count: u32,
}

impl<'r> Probe<'r> {
    /// Summarises a record.
    pub fn new(val: Val<'r>) -> Self {
        Probe { val, names: val.names(), count: if val.is_object() { val.count() } else { 0 } }
    }

    /// True if the record is an object with this key.
    pub fn has(&self, name: KeyName) -> bool {
        self.names.has(name)
    }

    /// A member of the record. Most records lack what a format looks for, which takes no search.
    pub fn get(&self, name: KeyName) -> Option<Val<'r>> {
        self.has(name).then(|| self.val.get(name))?
    }

    /// True if the record has a list under this key.
    pub fn has_list(&self, name: KeyName) -> bool {
        self.get(name).is_some_and(|list| list.is_array())
    }

    /// A string member of the record.
    pub fn text(&self, name: KeyName) -> Option<std::borrow::Cow<'r, [u8]>> {
        self.get(name).and_then(|v| v.text())
    }
}
