//! Whether a record is recognised after a plan as it was before: a format is recognised by what a record contains, and the
//! fewer items it has, the more depends on each. The plan is rendered into the record, and its format detected; nothing is
//! judged.

use crate::format::HistoryScope;
use crate::json::{ScratchBuffers, Val, pointer, scan};
use crate::judge::JudgedHistory;
use crate::read::{ScannedRecord, detect};
use crate::repair::edit::render::edited_record;
use crate::repair::plan::history_plan::HistoryPlan;
use crate::source::ReadAt;

/// A longer document, in bytes, is not read for this.
const MAX_DOCUMENT: u64 = 32 << 10;

/// True if the record of a history is surely read as before after a plan for it; false also if that cannot be known here.
pub(super) fn keeps_format(case: &JudgedHistory<'_>, plan: &HistoryPlan) -> bool {
    let reading = &case.options.read;
    let is_apart = case.info.histories == HistoryScope::PerRecord && case.info.editor.is_none();
    if !is_apart || reading.format.is_some() {
        return false;
    }
    let bytes = case.cx.text.bytes();
    match case.cx.text.scanned() {
        Some(record) => is_read_as_before(case, bytes, record, plan),
        None => {
            let mut scratch = ScratchBuffers::acquire();
            let ScratchBuffers { text, tape } = &mut scratch;
            let is_read = bytes.len() <= MAX_DOCUMENT && bytes.read_into(0, bytes.len() as usize, text).is_ok();
            // A byte order mark, or lines, are not scanned.
            is_read
                && scan(text, tape).is_ok()
                && is_read_as_before(case, bytes, ScannedRecord { text, tape, start: 0 }, plan)
        }
    }
}

fn is_read_as_before(
    case: &JudgedHistory<'_>,
    bytes: &dyn ReadAt,
    record: ScannedRecord<'_>,
    plan: &HistoryPlan,
) -> bool {
    let reading = &case.options.read;
    let mut scratch = ScratchBuffers::acquire();
    let ScratchBuffers { text, tape } = &mut scratch;
    // What cannot be read here will be reported where it is repaired.
    if !edited_record(bytes, record, plan, text).unwrap_or(false) {
        return false;
    }
    let Some(root) = scan(text, tape).ok().and_then(|()| tape.root(text)) else { return false };
    let has_format = |after: Val<'_>, dialect: Option<&str>| {
        [detect::of_record(after, dialect), detect::of_document(after, dialect)]
            .iter()
            .all(|format| format.is_some_and(|format| format.info().name == case.info.name))
    };
    pointer::resolve(root, &reading.pointer).is_some_and(|after| {
        // What is written is compared without the target.
        has_format(after, None) && (reading.dialect.is_none() || has_format(after, reading.dialect))
    })
}
