//! Whether a record is recognised after a plan as it was before: a format is recognised by what a record contains, and the
//! fewer items it has, the more depends on each. The plan is rendered into the record, and its format detected; nothing is
//! judged.

use crate::format::HistoryScope;
use crate::json::edit::RecordBase;
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
    if let Some(record) = case.cx.text.scanned() {
        return record.has_one_history && is_read_as_before(case, bytes, record, plan);
    }
    // A document that is a request contains no other history. White space may surround it.
    let body = case.cx.history.settings.body.filter(|body| !body.embedded);
    let Some(body) = body.filter(|body| bytes.len() <= MAX_DOCUMENT.min(2 * u64::from(body.at.len))) else {
        return false;
    };
    let mut scratch = ScratchBuffers::acquire();
    let ScratchBuffers { text, tape } = &mut scratch;
    let is_read = bytes.read_into(0, bytes.len() as usize, text).is_ok() && scan(text, tape).is_ok();
    let Some(root) = tape.root(text).filter(|_| is_read) else { return false };
    let whole = pointer::resolve(root, &reading.pointer);
    let record = ScannedRecord { text, tape, start: 0, has_one_history: true };
    whole.is_some_and(|whole| RecordBase::new(body.at.doc, 0).of(whole) == body.at)
        && is_read_as_before(case, bytes, record, plan)
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
    // A key that is there twice may go with its item. What cannot be read here will be reported where it is repaired.
    if record.tape.is_odd() || !edited_record(bytes, record, plan, text).unwrap_or(false) {
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
