//! Values that lie in a JSON string: logs and databases keep messages as text in a column.

use crate::format::translate::Stored;
use crate::json::edit::Base;
use crate::json::{Tape, Val, scan};

/// Hands over a value, or what a string spells. Gives whether there was something to read.
pub(in crate::formats) fn within(val: Val<'_>, from: &Stored<'_>, take: &mut dyn FnMut(&Stored<'_>)) -> bool {
    let Some(text) = val.text().filter(|_| val.is_string()) else {
        take(&Stored { val, ..*from });
        return !val.is_null();
    };
    let mut tape = Tape::new();
    if scan(&text, &mut tape).is_err() {
        return false;
    }
    let Some(root) = tape.root(&text) else { return false };
    let runs = from.base.runs_within(val);
    take(&Stored { val: root, base: Base::of_runs(from.base.doc(), &runs), ..*from });
    true
}
