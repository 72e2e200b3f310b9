//! Whether a record is recognised after a plan as it was before: a format is recognised by what a record contains, and the
//! fewer items it has, the more depends on each. The plan is rendered into the record, and its format detected; nothing is
//! judged.

use crate::json::{ScratchBuffers, pointer, scan};
use crate::judge::JudgedHistory;
use crate::read::{ScannedRecord, detect};
use crate::repair::edit::render::edited_record;
use crate::repair::plan::history_plan::HistoryPlan;

/// A longer document, in bytes, is not read for this.
const MAX_DOCUMENT: u64 = 32 << 10;

/// True if the record of a history is surely read as before after a plan for it; false also if that cannot be known here.
pub(super) fn keeps_format(case: &JudgedHistory<'_>, plan: &HistoryPlan) -> bool {
    // The repair of another history of the record may change its format, too.
    if !case.is_alone || !case.info.has_separate_records() || case.options.read.format.is_some() {
        return false;
    }
    let bytes = case.cx.text.bytes();
    if let Some(record) = case.cx.text.scanned() {
        return is_read_as_before(case, record, plan);
    }
    let mut scratch = ScratchBuffers::acquire();
    let ScratchBuffers { text, tape } = &mut scratch;
    // A byte order mark is not scanned.
    bytes.len() <= MAX_DOCUMENT
        && bytes.read_into(0, bytes.len() as usize, text).is_ok()
        && scan(text, tape).is_ok()
        && is_read_as_before(case, ScannedRecord { text, tape, start: 0 }, plan)
}

fn is_read_as_before(case: &JudgedHistory<'_>, record: ScannedRecord<'_>, plan: &HistoryPlan) -> bool {
    let reading = &case.options.read;
    let mut scratch = ScratchBuffers::acquire();
    let ScratchBuffers { text, tape } = &mut scratch;
    // A key that is there twice may go with its item. What cannot be read here will be reported where it is repaired.
    if record.tape.is_odd() || !edited_record(case.cx.text.bytes(), record, plan, text).unwrap_or(false) {
        return false;
    }
    let root = scan(text, tape).ok().and_then(|()| tape.root(text));
    let Some(after) = root.and_then(|root| pointer::resolve(root, &reading.pointer)) else { return false };
    let has_format = |dialect: Option<&str>| {
        [detect::of_record(after, dialect), detect::of_document(after, dialect)]
            .iter()
            .all(|format| format.is_some_and(|format| format.info().name == case.info.name))
    };
    // What is written is compared without the target.
    has_format(None) && (reading.dialect.is_none() || has_format(reading.dialect))
}
