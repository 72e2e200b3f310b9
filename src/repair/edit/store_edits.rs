//! Repairs of records that are translated: their format makes the edits, where the records lie.

use std::collections::HashMap;
use std::io;

use crate::format::{Editor, Format, Repaired, Wanted};
use crate::history::{Act, Code, Remedy};
use crate::json::edit::Base;
use crate::json::{Tape, pointer, scan};
use crate::judge::Judged;
use crate::place::{DocId, Place};
use crate::read;
use crate::source::{Container, ReadAt, lines};

use super::text::{TextEdits, change};
use crate::repair::{Action, FixOptions};

/// The doc, and whose records it holds.
pub(in crate::repair) struct Stored<'s> {
    pub id: DocId,
    pub bytes: &'s dyn ReadAt,
    pub container: Container,
    pub format: Option<&'static dyn Format>,
    pub options: &'s read::Options,
    pub wanted: &'s FixOptions,
}

impl Stored<'_> {
    /// The edits for all findings that the format repairs.
    pub fn edits<'j>(&self, judged: impl Iterator<Item = &'j Judged>) -> io::Result<TextEdits> {
        let mut all = TextEdits::default();
        let asks = |judged: &&Judged| matches!(judged.finding.remedy, Remedy::One(Act::Stored(_)));
        let asked: Vec<&Judged> =
            judged.filter(asks).filter(|judged| self.wanted.takes(judged, &mut all.refusals)).collect();
        let Some(repair) =
            self.format.and_then(|format| format.editor().and_then(Editor::values)).filter(|_| !asked.is_empty())
        else {
            return Ok(all);
        };
        // What was made of the records as they are now says where it came from.
        read::fill(self.id, self.bytes, self.options)?;
        let origin = |at: Place| self.bytes.room().map_or(at, |room| room.origin(at));
        let mut places: Vec<(Place, Code)> =
            asked.iter().map(|judged| (origin(judged.finding.row.at), judged.finding.code)).collect();
        places.sort_by_key(|(at, code)| (at.start, *code));
        let wanted = Wanted(&places);
        let (mut tape, mut made) = (Tape::new(), Repaired::default());
        for record in self.records(&places)? {
            let mut text = Vec::new();
            self.bytes.read_into(record.start, record.len as usize, &mut text)?;
            if scan(&text, &mut tape).is_ok()
                && let Some(val) = tape.root(&text).and_then(|root| pointer::resolve(root, &self.options.pointer))
            {
                repair(val, Base::new(self.id, record.start), &wanted, &mut made);
            }
        }
        all.edits.extend(made.edits);
        let mut at_start: HashMap<u64, &Judged> = HashMap::new();
        for judged in asked {
            let at = origin(judged.finding.row.at);
            all.changes.push(change(judged, at, Action::Rewrite));
            all.touched.push(at);
            at_start.entry(at.start).or_insert(judged);
        }
        for (at, cause) in made.besides {
            let judged = at_start.get(&cause.start);
            all.changes.extend(judged.map(|judged| change(judged, at, Action::Rewrite)));
            all.touched.push(at);
        }
        Ok(all)
    }

    /// The records that hold these places.
    fn records(&self, places: &[(Place, Code)]) -> io::Result<Vec<Place>> {
        let mut records: Vec<Place> = Vec::new();
        match self.container {
            Container::Document { start } => {
                let len = u32::try_from(self.bytes.len() - start).unwrap_or(u32::MAX);
                records.push(Place::new(self.id, start, len));
            }
            Container::Lines { .. } => {
                for (at, _) in places {
                    if records.last().is_none_or(|record| record.end() <= at.start) {
                        records.push(lines::around(self.bytes, self.id, self.container.mark(), at.start)?);
                    }
                }
            }
            _ => {}
        }
        Ok(records)
    }
}
