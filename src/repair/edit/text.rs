//! Edits for findings on bytes: a byte-order mark, a line that was cut, damaged lines. Damage is repaired before anything
//! else: what lies in a damaged line is edited in the next round, when it has a line of its own.

use std::io;

use crate::format::Placeholder;
use crate::history::{Act, Code, Finding, Remedy, codes};
use crate::judge::Judged;
use crate::place::{DocId, Edit, Place};
use crate::rule::Loss;
use crate::source::damage::{self, Damage, Kind};
use crate::source::{Container, ReadAt, lines};

use super::padding;
use crate::repair::{Action, Cause, Change, FixOptions, Refusal};

/// What is to be edited, and the changes that say so.
#[derive(Default)]
pub(in crate::repair) struct TextEdits {
    pub edits: Vec<Edit>,
    pub changes: Vec<Change>,
    /// Places in all lines that change.
    pub touched: Vec<Place>,
    pub refusals: Vec<Refusal>,
}

impl TextEdits {
    /// Those that move no line which another file may point at: the end of a doc of `len` bytes may change, unless a part
    /// of the doc is pinned.
    pub fn that_move_no_line(mut self, len: u64, pinned: bool) -> TextEdits {
        let moves = |at: Place| pinned || at.end() < len;
        self.edits.retain(|edit| !moves(edit.at));
        let (refused, kept) = self.changes.into_iter().partition(|change: &Change| moves(change.row.at));
        self.changes = kept;
        self.refusals.extend(refused.iter().filter_map(|change| Refusal::of_change(change, padding::GOES)));
        self
    }
}

/// The doc in which findings on bytes are repaired.
pub(in crate::repair) struct TextOf<'d> {
    pub id: DocId,
    pub bytes: &'d dyn ReadAt,
    pub container: Container,
    /// Starts of lines whose numbers are known.
    pub marks: &'d [(u64, u64)],
    pub wanted: &'d FixOptions,
    /// What comes in the place of a line that is not JSON.
    pub placeholder: Option<Placeholder>,
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
        let mut line: Option<(Place, Damaged)> = None;
        for judged in judged.iter().filter(asks).filter(|judged| self.wants(judged, &mut all.refusals)) {
            let (Some(kind), Some(at)) = (kind_of(judged.finding.code), judged.finding.partner) else { continue };
            // Findings come line by line.
            let (_, line) = match &mut line {
                Some(line) if line.0 == at => line,
                other => {
                    let read = self.line(at)?;
                    let starts =
                        lines::split(&read.text).map(|(start, line)| read.place(start, start + line.len()));
                    all.touched.extend(starts);
                    other.insert((at, read))
                }
            };
            let Some(one) = line.take(kind, judged.finding.row.at) else { continue };
            let edits = damage::edits(&line.text, &one).into_iter();
            all.edits.extend(edits.map(|(at, with)| Edit::replace(line.place(at.start, at.end), with)));
            let span = line.place(one.span.start, one.span.end);
            let changed = if kind == Kind::Control { span } else { judged.finding.row.at };
            all.changes.push(change(judged, changed, action_of(kind)));
        }
        Ok(all)
    }

    /// The damaged line at a place, with the white space before it: what goes with its end goes from its start.
    fn line(&self, at: Place) -> io::Result<Damaged> {
        let start = lines::around(self.bytes, self.id, self.container.mark(), at.start)?.start;
        let at = Place::new(self.id, start, at.len + (at.start - start) as u32);
        let mut text = Vec::new();
        self.bytes.read_into(at.start, at.len as usize, &mut text)?;
        let mut damages = damage::recover(&text, true, self.knows).damages;
        damages.sort_by_key(|one| (one.kind, one.first));
        let taken = vec![false; damages.len()];
        Ok(Damaged { at, text, damages, taken })
    }

    /// Removes a byte-order mark and a line that was cut; replaces characters that cannot be sent.
    pub fn rest(&self, judged: &[Judged]) -> io::Result<TextEdits> {
        let mut all = TextEdits::default();
        let asks = |judged: &&Judged| {
            let acts = [Act::Drop, Act::Replace, Act::Placeholder].map(Remedy::One);
            judged.history.is_none() && acts.contains(&judged.finding.remedy)
        };
        for judged in judged.iter().filter(asks).filter(|judged| self.wants(judged, &mut all.refusals)) {
            let Finding { row, partner, remedy, .. } = judged.finding;
            if remedy == Remedy::One(Act::Replace) {
                // The character that stands for one that is not known.
                all.edits.push(Edit::replace(row.at, *b"\\ufffd"));
                all.changes.push(change(judged, row.at, Action::Rewrite));
                continue;
            }
            if remedy == Remedy::One(Act::Placeholder) {
                let line = lines::around(self.bytes, self.id, self.container.mark(), row.at.start)?;
                let mut text = Vec::new();
                self.bytes.read_into(line.start, line.len as usize, &mut text)?;
                let end = text.len() - text.trim_ascii_end().len();
                if let Some(new) = self.placeholder.and_then(|placeholder| placeholder(&text)) {
                    let at = Place::new(line.doc, line.start, line.len - end as u32);
                    all.edits.push(Edit::replace(at, new));
                    all.changes.push(change(judged, at, Action::Drop));
                }
                continue;
            }
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
        self.wanted.takes(judged, refusals)
    }
}

impl FixOptions {
    /// Whether a finding is to be repaired in the text; one whose repair would lose something may be refused.
    pub(in crate::repair) fn takes(&self, judged: &Judged, refusals: &mut Vec<Refusal>) -> bool {
        if !self.wants(judged) {
            return false;
        }
        let is_refused = judged.variant().loss == Loss::Lossy && self.lossless;
        if is_refused {
            let why = "it would lose the content of the line (--lossless)";
            refusals.push(Refusal::of(judged, why));
        }
        !is_refused
    }
}

/// A damaged line, or several over which a value is spread.
struct Damaged {
    at: Place,
    text: Vec<u8>,
    /// By kind and place.
    damages: Vec<Damage>,
    taken: Vec<bool>,
}

impl Damaged {
    fn place(&self, from: usize, to: usize) -> Place {
        Place::new(self.at.doc, self.at.start + from as u64, (to - from) as u32)
    }

    /// The damage of a kind that a finding is about, if it was not asked for before.
    fn take(&mut self, kind: Kind, at: Place) -> Option<Damage> {
        let offset = at.start.checked_sub(self.at.start)? as usize;
        let n = self.damages.binary_search_by_key(&(kind, offset), |one| (one.kind, one.first)).ok()?;
        let was_taken = std::mem::replace(self.taken.get_mut(n)?, true);
        self.damages.get(n).filter(|_| !was_taken).cloned()
    }
}

fn kind_of(code: Code) -> Option<Kind> {
    match code {
        codes::SHARED_LINE => Some(Kind::Glued),
        codes::RECORD_AFTER_TRUNCATED_ONE => Some(Kind::Prefix),
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

pub(in crate::repair) fn change(judged: &Judged, at: Place, action: Action) -> Change {
    Change {
        cause: Cause::Rule(judged.finding.code, judged.finding.variant, judged.finding.row.at),
        row: crate::history::Row { at, ..judged.finding.row },
        other: None,
        action,
        loss: judged.variant().loss,
        what: judged.fix_title(),
        history: judged.history.filter(|_| matches!(judged.finding.remedy, Remedy::One(Act::Stored(_)))),
    }
}
