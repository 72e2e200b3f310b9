//! Edits for findings on bytes: a byte-order mark, a line that was cut, damaged lines. Damage is repaired before
//! anything else: the content of a damaged line is edited in the next round, when it has a line of its own.

use std::io;

use crate::format::Placeholder;
use crate::history::{Code, Finding, Remedy, RepairAct, codes};
use crate::judge::WeighedFinding;
use crate::place::{DocId, Edit, Place};
use crate::rule::Loss;
use crate::source::damage::{self, Damage, DamageKind};
use crate::source::{Container, ReadAt, lines};

use super::padding;
use crate::repair::{Action, Cause, FixOptions, ItemChange, Refusal};

/// Edits on the text of a file, with the changes that describe them.
#[derive(Default)]
pub(in crate::repair) struct TextEdits {
    pub edits: Vec<Edit>,
    pub changes: Vec<ItemChange>,
    /// Places in all lines that change.
    pub touched: Vec<Place>,
    pub refusals: Vec<Refusal>,
}

impl TextEdits {
    /// The edits that move no line which another file may refer to: the end of a doc of `len` bytes may change,
    /// unless a part of the doc is pinned.
    pub fn without_line_moves(mut self, len: u64, pinned: bool) -> TextEdits {
        let moves = |at: Place| pinned || at.end() < len;
        self.edits.retain(|edit| !moves(edit.at));
        let (refused, kept) = self.changes.into_iter().partition(|change: &ItemChange| moves(change.row.at));
        self.changes = kept;
        self.refusals
            .extend(refused.iter().filter_map(|change| Refusal::of_change(change, padding::LINES_ARE_FIXED)));
        self
    }
}

/// The doc in which findings on bytes are repaired.
pub(in crate::repair) struct TextRepair<'d> {
    pub id: DocId,
    pub bytes: &'d dyn ReadAt,
    pub container: Container,
    /// Starts of lines with known numbers.
    pub marks: &'d [(u64, u64)],
    pub fix_options: &'d FixOptions,
    /// The replacement of a line that is not JSON.
    pub placeholder: Option<Placeholder>,
    /// True for values that are records of the doc.
    pub is_record: &'d dyn Fn(crate::json::Val<'_>) -> bool,
}

impl TextRepair<'_> {
    /// Repairs damaged lines.
    pub fn repair_damage(&self, judged: &[WeighedFinding]) -> io::Result<TextEdits> {
        let mut all = TextEdits::default();
        let asks = |judged: &&WeighedFinding| {
            judged.finding.remedy == Remedy::One(RepairAct::RepairText)
                && judged.finding.code != codes::MISSING_LAST_NEWLINE
        };
        let mut line: Option<(Place, DamagedLine)> = None;
        for judged in judged.iter().filter(asks).filter(|judged| self.accepts(judged, &mut all.refusals)) {
            let (Some(kind), Some(at)) = (kind_of(judged.finding.code), judged.finding.partner) else { continue };
            // Findings come line by line.
            let (_, line) = match &mut line {
                Some(line) if line.0 == at => line,
                other => {
                    let read = self.read_line(at)?;
                    let starts =
                        lines::split(&read.text).map(|(start, line)| read.place(start, start + line.len()));
                    all.touched.extend(starts);
                    other.insert((at, read))
                }
            };
            let Some(one) = line.take_damage(kind, judged.finding.row.at) else { continue };
            let separates = judged.finding.code == codes::RECORD_AFTER_TRUNCATED_ONE
                && judged.finding.variant == codes::record_after_truncated_one::SEPARATED;
            let one = if separates { one.separated() } else { one };
            let edits = damage::edits(&line.text, &one).into_iter();
            all.edits.extend(edits.map(|(at, with)| Edit::replace(line.place(at.start, at.end), with)));
            let span = line.place(one.span.start, one.span.end);
            let changed = if kind == DamageKind::ControlCharacters { span } else { judged.finding.row.at };
            all.changes.push(change_for(judged, changed, action_of(one.kind)));
        }
        Ok(all)
    }

    /// The damaged line at a place, with the white space before it.
    fn read_line(&self, at: Place) -> io::Result<DamagedLine> {
        let start = lines::line_at(self.bytes, self.id, self.container.bom_len(), at.start)?.start;
        let at = Place::new(self.id, start, at.len + (at.start - start) as u32);
        let mut text = Vec::new();
        self.bytes.read_into(at.start, at.len as usize, &mut text)?;
        let mut damages = damage::recover(&text, true, self.is_record).damages;
        damages.sort_by_key(|one| (one.kind, one.first));
        let taken = vec![false; damages.len()];
        Ok(DamagedLine { at, text, damages, taken })
    }

    /// Removes a byte-order mark and a truncated line; replaces characters that cannot be sent.
    pub fn repair_other(&self, judged: &[WeighedFinding]) -> io::Result<TextEdits> {
        let mut all = TextEdits::default();
        let asks = |judged: &&WeighedFinding| {
            let acts = [RepairAct::Drop, RepairAct::ReplaceCharacter, RepairAct::Placeholder].map(Remedy::One);
            judged.history.is_none() && acts.contains(&judged.finding.remedy)
        };
        for judged in judged.iter().filter(asks).filter(|judged| self.accepts(judged, &mut all.refusals)) {
            let Finding { row, partner, remedy, .. } = judged.finding;
            if remedy == Remedy::One(RepairAct::ReplaceCharacter) {
                // U+FFFD, the replacement character.
                all.edits.push(Edit::replace(row.at, *b"\\ufffd"));
                all.changes.push(change_for(judged, row.at, Action::Rewrite));
                continue;
            }
            if remedy == Remedy::One(RepairAct::Placeholder) {
                let line = lines::line_at(self.bytes, self.id, self.container.bom_len(), row.at.start)?;
                let mut text = Vec::new();
                self.bytes.read_into(line.start, line.len as usize, &mut text)?;
                let end = text.len() - text.trim_ascii_end().len();
                if let Some(new) = self.placeholder.and_then(|placeholder| placeholder(&text)) {
                    let at = Place::new(line.doc, line.start, line.len - end as u32);
                    all.edits.push(Edit::replace(at, new));
                    all.changes.push(change_for(judged, at, Action::Drop));
                }
                continue;
            }
            // A mark has its own place; a truncated line is found at the byte where it ends.
            let at = match partner {
                Some(cut) => cut,
                None if row.at.start < self.container.bom_len() => row.at,
                None => lines::line_at(self.bytes, self.id, self.container.bom_len(), row.at.start.max(1) - 1)?,
            };
            all.edits.push(Edit::remove(at));
            all.changes.push(change_for(judged, at, Action::Drop));
        }
        Ok(all)
    }

    /// Adds the last newline, if it is to be fixed or the file is changed anyway.
    pub fn last_newline(&self, judged: &[WeighedFinding], is_changed: bool) -> TextEdits {
        let mut all = TextEdits::default();
        let asks = |judged: &&WeighedFinding| match judged.finding.code {
            codes::MISSING_LAST_NEWLINE => is_changed || self.fix_options.selects(judged),
            codes::TRUNCATED_LAST_LINE => {
                judged.finding.remedy == Remedy::One(RepairAct::RepairText) && self.fix_options.selects(judged)
            }
            _ => false,
        };
        for judged in judged.iter().filter(asks) {
            let end = Place::new(self.id, self.bytes.len(), 0);
            all.edits.push(Edit::replace(end, *b"\n"));
            all.changes.push(change_for(judged, end, Action::Rewrite));
        }
        all
    }

    fn accepts(&self, judged: &WeighedFinding, refusals: &mut Vec<Refusal>) -> bool {
        self.fix_options.accepts(judged, refusals)
    }
}

impl FixOptions {
    /// True if a finding is to be fixed. A lossy fix may be refused, also one that needs a flag; that is added to `refusals`.
    pub(in crate::repair) fn accepts(&self, judged: &WeighedFinding, refusals: &mut Vec<Refusal>) -> bool {
        let is_selected = self.selects(judged);
        let is_refused = judged.variant().loss == Loss::Lossy && self.lossless;
        if is_refused && (is_selected || judged.needs_flag()) {
            let why = "it would lose the content of the line (--lossless)";
            refusals.push(Refusal::of(judged, why));
        }
        is_selected && !is_refused
    }
}

/// A damaged line, or several lines that one value spans.
struct DamagedLine {
    at: Place,
    text: Vec<u8>,
    /// By kind and place.
    damages: Vec<Damage>,
    taken: Vec<bool>,
}

impl DamagedLine {
    fn place(&self, from: usize, to: usize) -> Place {
        Place::new(self.at.doc, self.at.start + from as u64, (to - from) as u32)
    }

    /// The damage that a finding is about, if it was not taken before.
    fn take_damage(&mut self, kind: DamageKind, at: Place) -> Option<Damage> {
        let offset = at.start.checked_sub(self.at.start)? as usize;
        let n = self.damages.binary_search_by_key(&(kind, offset), |one| (one.kind, one.first)).ok()?;
        let was_taken = std::mem::replace(self.taken.get_mut(n)?, true);
        self.damages.get(n).filter(|_| !was_taken).cloned()
    }
}

fn kind_of(code: Code) -> Option<DamageKind> {
    match code {
        codes::SHARED_LINE => Some(DamageKind::GluedValues),
        codes::RECORD_AFTER_TRUNCATED_ONE => Some(DamageKind::TruncatedPrefix),
        codes::RAW_CONTROL_CHARACTER => Some(DamageKind::ControlCharacters),
        codes::NUL_BYTES => Some(DamageKind::NulBytes),
        _ => None,
    }
}

fn action_of(kind: DamageKind) -> Action {
    match kind {
        DamageKind::TruncatedPrefix => Action::Drop,
        DamageKind::NulBytes => Action::Strip,
        DamageKind::GluedValues | DamageKind::ControlCharacters => Action::Rewrite,
    }
}

pub(in crate::repair) fn change_for(judged: &WeighedFinding, at: Place, action: Action) -> ItemChange {
    ItemChange {
        cause: Cause::Rule(judged.finding.code, judged.finding.variant, judged.finding.row.at),
        row: crate::history::Row { at, ..judged.finding.row },
        anchor: None,
        action,
        loss: judged.variant().loss,
        description: judged.fix_title(),
        history: judged
            .history
            .filter(|_| matches!(judged.finding.remedy, Remedy::One(RepairAct::RepairStored(_)))),
        images: None,
    }
}
