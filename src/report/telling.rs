//! Values that are masked and still told apart.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::diff::item::Show;
use crate::json::Val;

use super::changes::Shown;

/// Two strings that differ must not look alike because they are masked.
pub(super) struct Telling<'s> {
    show: &'s Shown,
    /// How a string looks → the strings that look so.
    seen: RefCell<HashMap<String, Vec<Vec<u8>>>>,
}

impl<'s> Telling<'s> {
    pub(super) fn new(show: &'s Shown) -> Self {
        Telling { show, seen: RefCell::default() }
    }

    fn told_apart(&self, looks: String, val: Val<'_>) -> String {
        let mut seen = self.seen.borrow_mut();
        let alike = seen.entry(looks.clone()).or_default();
        let n = alike.iter().position(|own| own == val.raw()).unwrap_or_else(|| {
            alike.push(val.raw().to_vec());
            alike.len() - 1
        });
        if n == 0 { looks } else { format!("{looks} (different, {})", n + 1) }
    }
}

impl Show for Telling<'_> {
    fn string(&self, val: Val<'_>, key: Option<&str>) -> String {
        self.told_apart(self.show.string(val, key), val)
    }

    fn key(&self, key: &str) -> String {
        self.show.key(key)
    }

    fn number(&self, val: Val<'_>) -> String {
        self.told_apart(self.show.number(val), val)
    }
}
