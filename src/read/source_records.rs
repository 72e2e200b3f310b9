//! Reading the records that a text is made from again, one after the other, including those that span several
//! lines or contain raw control characters.

use std::io;

use crate::format::ScannedRecord;
use crate::format::translate::ParsedRecord;
use crate::json::edit::RecordBase;
use crate::json::{SavedTapes, ScratchBuffers, scan};
use crate::place::Place;
use crate::source::damage::EscapedText;
use crate::source::{ReadAt, framing};

/// Records that need not be scanned again.
#[derive(Clone, Copy)]
pub(super) enum ScannedRecords<'r> {
    None,
    /// The document.
    Document(ScannedRecord<'r>),
    /// Lines of a doc in memory.
    Lines(&'r SavedTapes),
}

/// The records that a text is made from.
pub(super) struct SourceRecords<'r> {
    pub bytes: &'r dyn ReadAt,
    /// Their places and numbers.
    pub places: &'r [(Place, u32)],
    pub scanned: ScannedRecords<'r>,
}

impl SourceRecords<'_> {
    /// Calls `take` with each record, and its index. Those that cannot be read are skipped.
    pub fn for_each(&self, take: &mut dyn FnMut(usize, &ParsedRecord<'_>)) -> io::Result<()> {
        let mut spare = ScratchBuffers::acquire();
        let ScratchBuffers { text: buf, tape } = &mut spare;
        for (ix, &(at, number)) in self.places.iter().enumerate() {
            if let ScannedRecords::Document(scanned) = self.scanned
                && let Some(val) = scanned.value(at)
            {
                take(ix, &ParsedRecord { val, base: RecordBase::new(at.doc, scanned.start), number });
                continue;
            }
            let text = self.bytes.borrow_or_read(at.start, at.len as usize, buf)?;
            let is_scanned = match self.scanned {
                ScannedRecords::Lines(tapes) => {
                    tapes.restore(at.start, tape) && tape.root(text).is_some_and(|root| root.end() == at.len)
                }
                ScannedRecords::None | ScannedRecords::Document(_) => false,
            };
            if is_scanned || scan(text, tape).is_ok() {
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
}

/// The JSON text and runs of an event on several lines, or of a text with raw control characters; `None` for
/// anything else.
fn readable_text(text: &[u8], start: u64) -> Option<framing::JoinedEvent> {
    let joined = framing::join_event_lines(text, start);
    joined.or_else(|| EscapedText::of(text).map(|escaped| (escaped.text.clone(), escaped.runs_from(start))))
}
