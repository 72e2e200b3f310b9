//! Reading the records that a text is made from again, one after the other, including those that span several
//! lines or contain raw control characters.

use std::io;

use crate::format::translate::ParsedRecord;
use crate::json::edit::RecordBase;
use crate::json::{ScratchBuffers, scan};
use crate::place::Place;
use crate::source::damage::EscapedText;
use crate::source::{ReadAt, framing};

/// Calls `take` with the records at these places, and the index of each. Those that cannot be read are skipped.
pub(super) fn for_each(
    bytes: &dyn ReadAt,
    places: &[(Place, u32)],
    take: &mut dyn FnMut(usize, &ParsedRecord<'_>),
) -> io::Result<()> {
    let mut spare = ScratchBuffers::acquire();
    let ScratchBuffers { text, tape } = &mut spare;
    for (ix, &(at, number)) in places.iter().enumerate() {
        bytes.read_into(at.start, at.len as usize, text)?;
        if scan(text, tape).is_ok() {
            if let Some(val) = tape.root(text) {
                take(ix, &ParsedRecord { val, base: RecordBase::new(at.doc, at.start), number });
            }
            continue;
        }
        let Some((plain, runs)) = readable_text(text, at.start) else { continue };
        if scan(&plain, tape).is_ok()
            && let Some(val) = tape.root(&plain)
        {
            take(ix, &ParsedRecord { val, base: RecordBase::of_runs(at.doc, &runs), number });
        }
    }
    Ok(())
}

/// The JSON text and runs of an event on several lines, or of a text with raw control characters; `None` for
/// anything else.
fn readable_text(text: &[u8], start: u64) -> Option<framing::JoinedEvent> {
    let joined = framing::join_event_lines(text, start);
    joined.or_else(|| EscapedText::of(text).map(|escaped| (escaped.text.clone(), escaped.runs_from(start))))
}
