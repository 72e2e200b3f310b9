//! Edits for findings on bytes: a byte-order mark, a line that was cut, damaged lines. Damage is repaired before anything
//! else: what lies in a damaged line is edited in the next round, when it has a line of its own.

use std::collections::HashSet;
use std::io;

use crate::history::{Act, Code, Finding, Remedy, codes};
use crate::judge::Judged;
use crate::place::{DocId, Edit, Place};
use crate::rule::Loss;
use crate::source::damage::{self, Kind};
use crate::source::{Container, ReadAt, lines};

use super::{Action, Cause, Change, FixOptions, Refusal};

/// What is to be edited, and what is told of it.
#[derive(Default)]
pub(super) struct TextEdits {
    pub edits: Vec<Edit>,
    pub changes: Vec<Change>,
    /// Places in all lines that change.
    pub touched: Vec<Place>,
    pub refusals: Vec<Refusal>,
}

/// The doc in which findings on bytes are repaired.
pub(super) struct TextOf<'d> {
    pub id: DocId,
    pub bytes: &'d dyn ReadAt,
    pub container: Container,
    pub wanted: &'d FixOptions,
    /// The records of the doc, to tell them from what else may look like one.
    pub knows: &'d dyn Fn(crate::json::Val<'_>) -> bool,
}

impl TextOf<'_> {
    /// Repairs damaged lines.
    pub fn damage(&self, judged: &[Judged]) -> io::Result<TextEdits> {
        let mut all = TextEdits::default();
        let asks = |judged: &&Judged| {
            judged.finding.remedy == Remedy::One(Act::Text) && judged.finding.code != codes::MISSING_LAST_NEWLINE
        };
        let mut seen = HashSet::new();
        for judged in judged.iter().filter(asks).filter(|judged| self.wants(judged, &mut all.refusals)) {
            let (Some(kind), Some(line)) = (kind_of(judged.finding.code), judged.finding.partner) else {
                continue;
            };
            let mut text = Vec::new();
            self.bytes.read_into(line.start, line.len as usize, &mut text)?;
            let found = damage::recover(&text, true, self.knows);
            let at = judged.finding.row.at;
            let own = found.damages.iter().filter(|one| one.kind == kind);
            let place = |from: usize, to: usize| Place::new(self.id, line.start + from as u64, (to - from) as u32);
            for one in own {
                let span = place(one.span.start, one.span.end);
                let is_meant = span.start == at.start || kind == Kind::Control && span.contains(&at);
                if !is_meant || !seen.insert((kind, span)) {
                    continue;
                }
                let edits = damage::edits(&text, one);
                all.edits.extend(edits.into_iter().map(|(at, with)| Edit::replace(place(at.start, at.end), with)));
                let changed = if kind == Kind::Control { span } else { at };
                all.changes.push(change(judged, changed, action_of(kind)));
                let starts = lines::split(&text).map(|(start, line)| place(start, start + line.len()));
                all.touched.extend(starts);
            }
        }
        Ok(all)
    }

    /// Removes a byte-order mark and a line that was cut.
    pub fn rest(&self, judged: &[Judged]) -> io::Result<TextEdits> {
        let mut all = TextEdits::default();
        let asks = |judged: &&Judged| judged.history.is_none() && judged.finding.remedy == Remedy::One(Act::Drop);
        for judged in judged.iter().filter(asks).filter(|judged| self.wants(judged, &mut all.refusals)) {
            let Finding { row, partner, .. } = judged.finding;
            // A mark is its own place; a cut line is found at the byte where it breaks off.
            let at = match partner {
                Some(cut) => cut,
                None if row.at.start < self.container.mark() => row.at,
                None => lines::around(self.bytes, self.id, self.container.mark(), row.at.start.max(1) - 1)?,
            };
            all.edits.push(Edit::remove(at));
            all.changes.push(change(judged, at, Action::Drop));
        }
        Ok(all)
    }

    /// Ends the last line, if that is wanted or the file is changed anyway.
    pub fn last_newline(&self, judged: &[Judged], is_changed: bool) -> TextEdits {
        let mut all = TextEdits::default();
        let asks = |judged: &&Judged| judged.finding.code == codes::MISSING_LAST_NEWLINE;
        let asks = |judged: &&Judged| asks(judged) && (is_changed || self.wanted.wants(judged));
        for judged in judged.iter().filter(asks) {
            let end = Place::new(self.id, self.bytes.len(), 0);
            all.edits.push(Edit::replace(end, *b"\n"));
            all.changes.push(change(judged, end, Action::Rewrite));
        }
        all
    }

    fn wants(&self, judged: &Judged, refusals: &mut Vec<Refusal>) -> bool {
        if !self.wanted.wants(judged) {
            return false;
        }
        let is_refused = judged.variant().loss == Loss::Lossy && self.wanted.lossless;
        if is_refused {
            let why = "it would lose the content of the line (--lossless)";
            refusals.push(Refusal { code: judged.finding.code, at: judged.finding.row.at, why });
        }
        !is_refused
    }
}

fn kind_of(code: Code) -> Option<Kind> {
    match code {
        codes::SHARED_LINE => Some(Kind::Glued),
        codes::RECORD_AFTER_CUT => Some(Kind::Prefix),
        codes::RAW_CONTROL_CHARACTER => Some(Kind::Control),
        codes::NUL_BYTES => Some(Kind::Nul),
        _ => None,
    }
}

fn action_of(kind: Kind) -> Action {
    match kind {
        Kind::Prefix => Action::Drop,
        Kind::Nul => Action::Strip,
        Kind::Glued | Kind::Control => Action::Rewrite,
    }
}

fn change(judged: &Judged, at: Place, action: Action) -> Change {
    Change {
        cause: Cause::Rule(judged.finding.code, judged.finding.variant, judged.finding.row.at),
        row: crate::history::Row { at, ..judged.finding.row },
        other: None,
        action,
        loss: judged.variant().loss,
        what: judged.variant().fix,
        history: None,
    }
}
