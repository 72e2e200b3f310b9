//! Values in JSON strings: logs and databases keep messages as text in a column.

use crate::format::translate::ParsedRecord;
use crate::json::edit::RecordBase;
use crate::json::{Tape, Val, scan};

/// Calls `take` with a value, or with the JSON in it if it is a string. Returns false for null, and for a string that is not
/// JSON.
pub(in crate::formats) fn with_parsed(
    val: Val<'_>,
    from: &ParsedRecord<'_>,
    take: &mut dyn FnMut(&ParsedRecord<'_>),
) -> bool {
    let Some(text) = val.text().filter(|_| val.is_string()) else {
        take(&ParsedRecord { val, ..*from });
        return !val.is_null();
    };
    let mut tape = Tape::new();
    if scan(&text, &mut tape).is_err() {
        return false;
    }
    let Some(root) = tape.root(&text) else { return false };
    let runs = from.base.runs_within(val);
    take(&ParsedRecord { val: root, base: RecordBase::of_runs(from.base.doc(), &runs), ..*from });
    true
}
