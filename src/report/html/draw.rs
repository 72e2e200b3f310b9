//! A document as the data of a page: its items, the findings, and the changes of a fix.

use std::borrow::Cow;
use std::io;

use foldhash::HashMap;

use crate::history::Flags;
use crate::judge::{self, JudgedDoc, Options, WeighedFinding};
use crate::place::{DocId, Pieces, Place};
use crate::read::TextReader;
use crate::repair::{Cause, DocRepair};
use crate::report::changes;
use crate::report::changes::ChangeNote;
use crate::report::locator::locate_places;
use crate::report::{Diagnostic, contract, mask};
use crate::source::ReadAt;

use super::data::{PageChange, PageDoc, PageFinding, PageHistory};
use super::item::{item, value_display};
use super::layout::{HistoryCopier, HistoryCopy, PageItems, flatten};

/// Items of a document on a page, at most. More would only slow down the browser.
const MAX_ITEMS: usize = 100_000;

/// A document to draw.
#[derive(Clone, Copy)]
pub struct Drawing<'d> {
    pub command: &'static str,
    pub id: DocId,
    pub label: &'d str,
    pub bytes: &'d dyn ReadAt,
    pub options: &'d Options,
    /// True if texts of the conversation are shown.
    pub content: bool,
}

/// Draws the findings, and the repair that `fix` would make, if there is one. The diagnostics are those of `found`, in order.
pub fn draw_with_fix<T>(
    drawing: Drawing<'_>,
    found: &JudgedDoc<T>,
    diagnostics: &[Diagnostic],
    fixed: Option<&DocRepair>,
) -> io::Result<Box<str>> {
    let Some(fixed) = fixed else { return drawing.write(found, diagnostics, None) };
    let notes = changes::notes(drawing.id, drawing.label, drawing.bytes, fixed)?;
    drawing.write(found, diagnostics, Some((fixed, &notes, None)))
}

/// Draws the findings alone.
pub fn draw_findings<T>(
    drawing: Drawing<'_>,
    found: &JudgedDoc<T>,
    diagnostics: &[Diagnostic],
) -> io::Result<Box<str>> {
    drawing.write(found, diagnostics, None)
}

/// Draws a repair: the findings before it, its changes, and the findings that remain.
pub fn draw_repair(
    drawing: Drawing<'_>,
    fixed: &DocRepair,
    notes: &[ChangeNote],
    left: &[Diagnostic],
) -> io::Result<Box<str>> {
    let diagnostics = crate::report::diagnose(
        drawing.id,
        drawing.label,
        drawing.bytes,
        &fixed.before,
        crate::report::ContentDisplay::None,
    )?;
    drawing.write(&fixed.before, &diagnostics, Some((fixed, notes, Some(left))))
}

/// A repair, the notes on its changes, and the findings that remain, if it was made.
type DrawnRepair<'r> = (&'r DocRepair, &'r [ChangeNote], Option<&'r [Diagnostic]>);

impl Drawing<'_> {
    fn write<T>(
        &self,
        found: &JudgedDoc<T>,
        diagnostics: &[Diagnostic],
        repair: Option<DrawnRepair<'_>>,
    ) -> io::Result<Box<str>> {
        let copies = self.copy_histories(found)?;
        let flat = flatten(&copies, MAX_ITEMS);
        let mut doc = self.doc(found, &copies, &flat)?;
        let places = ItemIndex::new(&copies, &flat);
        doc.findings = findings(&found.findings, diagnostics, &places);
        if let Some((fixed, notes, left)) = repair {
            self.changes(fixed, notes, &places, &mut doc)?;
            if let Some(left) = left {
                self.mark_remaining(fixed, left, &places, &mut doc);
            }
        }
        Ok(serde_json::to_string(&doc)?.into())
    }

    /// The histories of the document: all branches of a tree, if reading it again changes nothing else.
    fn copy_histories<T>(&self, found: &JudgedDoc<T>) -> io::Result<Vec<HistoryCopy>> {
        if found.format.is_none() {
            return Ok(Vec::new());
        }
        let mut options = judge::structural_options(self.options);
        options.read.all_branches |= !found.format.is_some_and(|format| format.layout().is_synthetic());
        Ok(judge::judge(self.id, self.bytes, &options, 1, &HistoryCopier)?.outputs)
    }

    fn doc<T>(&self, found: &JudgedDoc<T>, copies: &[HistoryCopy], flat: &PageItems) -> io::Result<PageDoc> {
        let row = |(copy, ix): (usize, u32)| copies.get(copy)?.rows.get(ix as usize);
        let wanted: Vec<(Place, Flags)> =
            flat.items.iter().filter_map(|at| row(*at)).map(|row| (row.at, row.flags)).collect();
        let locations = locate_places(self.id, self.bytes, found.container, &found.lines, &wanted)?;
        let mut items = Vec::with_capacity(flat.items.len());
        for (copy, ix) in &flat.items {
            let Some(own) = copies.get(*copy) else { continue };
            let texts = TextReader::new(self.bytes, own.info.dialect);
            let mut item = item(own, *ix, &texts, self.content);
            if let Some(location) = own.rows.get(*ix as usize).and_then(|row| locations.get(&row.at)) {
                (item.line, item.column) = (location.line, location.column);
                item.pointer.clone_from(&location.pointer);
            }
            items.push(item);
        }
        let histories = flat.ranges.iter().filter_map(|range| {
            let copy = copies.get(range.copy)?;
            Some(PageHistory {
                number: copy.number,
                label: copy.settings.label.as_deref().map(mask::label),
                model: copy.settings.model.as_deref().map(mask::model),
                from: range.from,
                start: range.start,
                end: range.end,
                length: copy.rows.len() as u32,
                notes: Vec::new(),
            })
        });
        Ok(PageDoc {
            command: self.command,
            path: self.label.to_owned(),
            format: found.format_name(),
            targets: found.targets.clone(),
            content: self.content,
            items,
            histories: histories.collect(),
            pairs: flat.pairs.clone(),
            groups: flat.groups.clone(),
            left_out: flat.left_out,
            ..PageDoc::default()
        })
    }

    /// Adds the changes of a repair, linked to the findings that cause them.
    fn changes(
        &self,
        fixed: &DocRepair,
        notes: &[ChangeNote],
        places: &ItemIndex,
        doc: &mut PageDoc,
    ) -> io::Result<()> {
        let stub = |note: &ChangeNote| changes::placeholder(fixed, self.bytes, note);
        let show = value_display(self.content);
        let mut of_cause: HashMap<(u16, u8, Place), Vec<u32>> = HashMap::default();
        for same in notes.chunk_by(|a, b| a.at == b.at) {
            // One hunk shows all changes to an item.
            let mut lines = changes::hunk_lines(same, self.bytes, &fixed.patch, &stub, &show)?;
            for note in same {
                let number = doc.changes.len() as u32;
                doc.changes.push(PageChange {
                    rule: note.rule.clone(),
                    item: places.of(note.at, note.record),
                    action: note.action.name(),
                    what: note.description,
                    loss: note.loss.name(),
                    other: fixed.changes.get(number as usize).and_then(|change| places.exact(change.anchor?)),
                    lines: lines.drain(..).map(Into::into).collect(),
                });
                if let Some(Cause::Rule(code, variant, at)) = fixed.changes.get(number as usize).map(|c| c.cause) {
                    of_cause.entry((code.0, variant, at)).or_default().push(number);
                }
            }
        }
        for (finding, judged) in doc.findings.iter_mut().zip(&fixed.before.findings) {
            let own = &judged.finding;
            finding.changes = of_cause.get(&(own.code.0, own.variant, own.row.at)).cloned().unwrap_or_default();
        }
        Ok(())
    }

    /// Marks each finding as fixed or left, and adds those that are only found after the repair.
    fn mark_remaining(&self, fixed: &DocRepair, left: &[Diagnostic], places: &ItemIndex, doc: &mut PageDoc) {
        let pieces = Pieces::new(fixed.patch.edits(self.id), self.id, self.bytes.len());
        let original = |judged: &WeighedFinding| match &fixed.after {
            Some(_) => pieces.original(judged.finding.row.at),
            None => judged.finding.row.at,
        };
        let key = |judged: &WeighedFinding, at: Place| (judged.finding.code, judged.finding.variant, at.start);
        let mut remains: HashMap<_, Vec<usize>> = HashMap::default();
        for (n, judged) in fixed.remaining().findings.iter().enumerate() {
            remains.entry(key(judged, original(judged))).or_default().push(n);
        }
        for (finding, judged) in doc.findings.iter_mut().zip(&fixed.before.findings) {
            let stays = remains.get_mut(&key(judged, judged.finding.row.at)).and_then(Vec::pop);
            finding.state = Some(if stays.is_some() { "left" } else { "fixed" });
            if let Some(diagnostic) = stays.and_then(|n| left.get(n)) {
                finding.diagnostic.fix = diagnostic.fix.as_ref().map(contract::Fix::from);
                finding.diagnostic.no_fix = diagnostic.no_fix_reason().map(Cow::into_owned);
            }
        }
        let mut later: Vec<usize> = remains.into_values().flatten().collect();
        later.sort_unstable();
        for (judged, diagnostic) in
            later.iter().filter_map(|n| Some((fixed.remaining().findings.get(*n)?, left.get(*n)?)))
        {
            let item = places.of(original(judged), diagnostic.record);
            doc.findings.push(PageFinding { state: Some("left"), ..finding(diagnostic, item, None) });
        }
    }
}

/// Findings at their items.
fn findings(judged: &[WeighedFinding], diagnostics: &[Diagnostic], places: &ItemIndex) -> Vec<PageFinding> {
    let own = |(judged, diagnostic): (&WeighedFinding, &Diagnostic)| {
        let item = places.of(judged.finding.row.at, diagnostic.record);
        let partner = judged.finding.partner.and_then(|at| places.exact(at));
        finding(diagnostic, item, partner)
    };
    judged.iter().zip(diagnostics).map(own).collect()
}

/// A finding on an item.
pub fn finding(diagnostic: &Diagnostic, item: Option<u32>, partner: Option<u32>) -> PageFinding {
    PageFinding {
        diagnostic: diagnostic.into(),
        item,
        partner,
        status: diagnostic.status,
        error_type: diagnostic.error_type,
        state: None,
        changes: Vec::new(),
    }
}

/// The items by their places.
struct ItemIndex {
    exact: HashMap<Place, u32>,
    /// By their starts, longer ones first.
    sorted: Vec<(Place, u32)>,
    /// The first item of each record.
    records: HashMap<u32, u32>,
}

/// Items before a place that are examined: messages contain blocks, and blocks contain no items.
const AROUND: usize = 64;

impl ItemIndex {
    fn new(copies: &[HistoryCopy], flat: &PageItems) -> ItemIndex {
        let mut places = ItemIndex { exact: HashMap::default(), sorted: Vec::new(), records: HashMap::default() };
        for (number, (copy, ix)) in (0u32..).zip(&flat.items) {
            let Some(row) = copies.get(*copy).and_then(|copy| copy.rows.get(*ix as usize)) else {
                continue;
            };
            places.exact.entry(row.at).or_insert(number);
            places.records.entry(row.record + 1).or_insert(number);
            places.sorted.push((row.at, number));
        }
        places.sorted.sort_by_key(|(place, _)| (place.doc, place.start, u32::MAX - place.len));
        places
    }

    fn exact(&self, at: Place) -> Option<u32> {
        self.exact.get(&at).copied()
    }

    /// The item at a place, or the smallest one around it; else none, unless a single one is in its record.
    fn of(&self, at: Place, record: u32) -> Option<u32> {
        let around = || {
            let end = self.sorted.partition_point(|(place, _)| (place.doc, place.start) <= (at.doc, at.start));
            let before = self.sorted.get(..end)?.iter().rev().take(AROUND);
            before.filter(|(place, _)| place.contains(&at)).min_by_key(|(place, _)| place.len).map(|(_, n)| *n)
        };
        self.exact(at).or_else(around).or_else(|| self.records.get(&record).copied().filter(|_| record > 1))
    }
}
