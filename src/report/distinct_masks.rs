//! Masks of values that keep different values distinguishable.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::diff::item::ValuePrinter;
use crate::json::Val;

use super::changes::ValueDisplay;

/// Renders masked values; different values with the same mask are numbered.
pub(super) struct DistinctMasks<'s> {
    show: &'s ValueDisplay,
    /// Mask → the raw values that have it.
    seen: RefCell<HashMap<String, Vec<Vec<u8>>>>,
}

impl<'s> DistinctMasks<'s> {
    pub(super) fn new(show: &'s ValueDisplay) -> Self {
        DistinctMasks { show, seen: RefCell::default() }
    }

    fn distinguish(&self, mask: String, val: Val<'_>) -> String {
        let mut seen = self.seen.borrow_mut();
        let same = seen.entry(mask.clone()).or_default();
        let n = same.iter().position(|own| own == val.raw()).unwrap_or_else(|| {
            same.push(val.raw().to_vec());
            same.len() - 1
        });
        if n == 0 { mask } else { format!("{mask} (different, {})", n + 1) }
    }
}

impl ValuePrinter for DistinctMasks<'_> {
    fn string(&self, val: Val<'_>, key: Option<&str>) -> String {
        self.distinguish(self.show.string(val, key), val)
    }

    fn key(&self, key: &str) -> String {
        self.show.key(key)
    }

    fn number(&self, val: Val<'_>) -> String {
        self.distinguish(self.show.number(val), val)
    }
}
