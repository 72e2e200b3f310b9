//! A document, drawn: its items with what was found and what a fix changes, as the data of a page.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;

use crate::history::Flags;
use crate::judge::{self, Judged, JudgedDoc, Options};
use crate::place::{DocId, Pieces, Place};
use crate::read::Texts;
use crate::repair::{Cause, Fixed};
use crate::report::changes;
use crate::report::changes::ChangeNote;
use crate::report::place::spots;
use crate::report::{Diagnostic, contract, mask};
use crate::source::ReadAt;

use super::data::{Change, Doc, Finding, History};
use super::item::{item, shown};
use super::strand::{Flat, Strand, Strands, flatten};

/// Items of a document that are on a page. More would not help anybody, and slow down a browser.
const MOST: usize = 100_000;

/// The document that is drawn.
#[derive(Clone, Copy)]
pub struct Drawing<'d> {
    pub command: &'static str,
    pub id: DocId,
    pub label: &'d str,
    pub bytes: &'d dyn ReadAt,
    pub options: &'d Options,
    /// Texts of the conversation are shown.
    pub content: bool,
}

/// Draws what was found, and the repair that `fix` would make, if there is one. The diagnostics are those of `found`, in order.
pub fn found<T>(
    drawing: Drawing<'_>,
    found: &JudgedDoc<T>,
    diagnostics: &[Diagnostic],
    fixed: Option<&Fixed>,
) -> io::Result<Box<str>> {
    let Some(fixed) = fixed else { return drawing.write(found, diagnostics, None) };
    let notes = changes::notes(drawing.id, drawing.label, drawing.bytes, fixed)?;
    drawing.write(found, diagnostics, Some((fixed, &notes, None)))
}

/// Draws what was found, and nothing else.
pub fn plain<T>(drawing: Drawing<'_>, found: &JudgedDoc<T>, diagnostics: &[Diagnostic]) -> io::Result<Box<str>> {
    drawing.write(found, diagnostics, None)
}

/// Draws a repair: what was found before it, what it changed, and what is left.
pub fn repaired(
    drawing: Drawing<'_>,
    fixed: &Fixed,
    notes: &[ChangeNote],
    left: &[Diagnostic],
) -> io::Result<Box<str>> {
    let diagnostics = crate::report::diagnose(
        drawing.id,
        drawing.label,
        drawing.bytes,
        &fixed.before,
        crate::report::Content::None,
    )?;
    drawing.write(&fixed.before, &diagnostics, Some((fixed, notes, Some(left))))
}

/// A repair, the notes on its changes, and what is left after it, if it was made.
type Repair<'r> = (&'r Fixed, &'r [ChangeNote], Option<&'r [Diagnostic]>);

impl Drawing<'_> {
    fn write<T>(
        &self,
        found: &JudgedDoc<T>,
        diagnostics: &[Diagnostic],
        repair: Option<Repair<'_>>,
    ) -> io::Result<Box<str>> {
        let strands = self.strands(found)?;
        let flat = flatten(&strands, MOST);
        let mut doc = self.doc(found, &strands, &flat)?;
        let places = Places::new(&strands, &flat);
        doc.findings = findings(&found.judged, diagnostics, &places);
        if let Some((fixed, notes, left)) = repair {
            self.changes(fixed, notes, &places, &mut doc)?;
            if let Some(left) = left {
                self.left(fixed, left, &places, &mut doc);
            }
        }
        Ok(serde_json::to_string(&doc)?.into())
    }

    /// The histories of the document: of a tree every branch, where reading it anew changes nothing else.
    fn strands<T>(&self, found: &JudgedDoc<T>) -> io::Result<Vec<Strand>> {
        if found.format.is_none() {
            return Ok(Vec::new());
        }
        let mut options = judge::unjudged(self.options);
        options.read.all_branches |= !found.format.is_some_and(|format| format.layout().is_made());
        Ok(judge::judge(self.id, self.bytes, &options, 1, &Strands)?.made)
    }

    fn doc<T>(&self, found: &JudgedDoc<T>, strands: &[Strand], flat: &Flat) -> io::Result<Doc> {
        let row = |(strand, ix): (usize, u32)| strands.get(strand)?.rows.get(ix as usize);
        let wanted: Vec<(Place, Flags)> =
            flat.items.iter().filter_map(|at| row(*at)).map(|row| (row.at, row.flags)).collect();
        let spots = spots(self.id, self.bytes, found.container, &found.lines, &wanted)?;
        let mut items = Vec::with_capacity(flat.items.len());
        for (strand, ix) in &flat.items {
            let Some(own) = strands.get(*strand) else { continue };
            let texts = Texts::new(self.bytes, own.info.dialect);
            let mut item = item(own, *ix, &texts, self.content);
            if let Some(spot) = own.rows.get(*ix as usize).and_then(|row| spots.get(&row.at)) {
                (item.line, item.column) = (spot.line, spot.column);
                item.pointer.clone_from(&spot.pointer);
            }
            items.push(item);
        }
        let histories = flat.stretches.iter().filter_map(|stretch| {
            let strand = strands.get(stretch.strand)?;
            Some(History {
                number: strand.number,
                label: strand.settings.label.as_deref().map(mask::label),
                model: strand.settings.model.as_deref().map(mask::model),
                from: stretch.from,
                start: stretch.start,
                end: stretch.end,
                length: strand.rows.len() as u32,
                notes: Vec::new(),
            })
        });
        Ok(Doc {
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
            ..Doc::default()
        })
    }

    /// Adds the changes of a repair, each to the findings that it is made for.
    fn changes(&self, fixed: &Fixed, notes: &[ChangeNote], places: &Places, doc: &mut Doc) -> io::Result<()> {
        let stub = |note: &ChangeNote| changes::stub(fixed, self.bytes, note);
        let show = shown(self.content);
        let mut of_cause: HashMap<(u16, u8, Place), Vec<u32>> = HashMap::new();
        for same in notes.chunk_by(|a, b| a.at == b.at) {
            // One hunk shows all that is done to an item.
            let mut lines = changes::hunk(same, self.bytes, &fixed.patch, &stub, &show)?;
            for note in same {
                let number = doc.changes.len() as u32;
                doc.changes.push(Change {
                    rule: note.rule.clone(),
                    item: places.of(note.at, note.record),
                    action: note.action.name(),
                    what: note.what,
                    loss: note.loss.name(),
                    other: fixed.changes.get(number as usize).and_then(|change| places.exact(change.other?)),
                    lines: lines.drain(..).map(Into::into).collect(),
                });
                if let Some(Cause::Rule(code, variant, at)) = fixed.changes.get(number as usize).map(|c| c.cause) {
                    of_cause.entry((code.0, variant, at)).or_default().push(number);
                }
            }
        }
        for (finding, judged) in doc.findings.iter_mut().zip(&fixed.before.judged) {
            let own = &judged.finding;
            finding.changes = of_cause.get(&(own.code.0, own.variant, own.row.at)).cloned().unwrap_or_default();
        }
        Ok(())
    }

    /// Says of each finding whether the repair made it go, and adds what is only found after it.
    fn left(&self, fixed: &Fixed, left: &[Diagnostic], places: &Places, doc: &mut Doc) {
        let pieces = Pieces::new(fixed.patch.edits(self.id), self.id, self.bytes.len());
        let original = |judged: &Judged| match &fixed.after {
            Some(_) => pieces.original(judged.finding.row.at),
            None => judged.finding.row.at,
        };
        let key = |judged: &Judged, at: Place| (judged.finding.code, judged.finding.variant, at.start);
        let mut remains: HashMap<_, Vec<usize>> = HashMap::new();
        for (n, judged) in fixed.left().judged.iter().enumerate() {
            remains.entry(key(judged, original(judged))).or_default().push(n);
        }
        for (finding, judged) in doc.findings.iter_mut().zip(&fixed.before.judged) {
            let stays = remains.get_mut(&key(judged, judged.finding.row.at)).and_then(Vec::pop);
            finding.state = Some(if stays.is_some() { "left" } else { "fixed" });
            if let Some(diagnostic) = stays.and_then(|n| left.get(n)) {
                finding.diagnostic.fix = diagnostic.fix.as_ref().map(contract::Fix::from);
                finding.diagnostic.no_fix = diagnostic.why_not().map(Cow::into_owned);
            }
        }
        let mut later: Vec<usize> = remains.into_values().flatten().collect();
        later.sort_unstable();
        for (judged, diagnostic) in
            later.iter().filter_map(|n| Some((fixed.left().judged.get(*n)?, left.get(*n)?)))
        {
            let item = places.of(original(judged), diagnostic.record);
            doc.findings.push(Finding { state: Some("left"), ..finding(diagnostic, item, None) });
        }
    }
}

/// Findings at their items.
fn findings(judged: &[Judged], diagnostics: &[Diagnostic], places: &Places) -> Vec<Finding> {
    let own = |(judged, diagnostic): (&Judged, &Diagnostic)| {
        let item = places.of(judged.finding.row.at, diagnostic.record);
        let partner = judged.finding.partner.and_then(|at| places.exact(at));
        finding(diagnostic, item, partner)
    };
    judged.iter().zip(diagnostics).map(own).collect()
}

/// A finding on an item.
pub fn finding(diagnostic: &Diagnostic, item: Option<u32>, partner: Option<u32>) -> Finding {
    Finding {
        diagnostic: diagnostic.into(),
        item,
        partner,
        status: diagnostic.status,
        error_type: diagnostic.error_type,
        state: None,
        changes: Vec::new(),
    }
}

/// Which item lies at a place.
struct Places {
    exact: HashMap<Place, u32>,
    /// By their starts, longer ones first.
    sorted: Vec<(Place, u32)>,
    /// The first item of each record.
    records: HashMap<u32, u32>,
}

/// Items around a place that are looked at: messages hold blocks, and blocks hold no items.
const AROUND: usize = 64;

impl Places {
    fn new(strands: &[Strand], flat: &Flat) -> Places {
        let mut places = Places { exact: HashMap::new(), sorted: Vec::new(), records: HashMap::new() };
        for (number, (strand, ix)) in (0u32..).zip(&flat.items) {
            let Some(row) = strands.get(*strand).and_then(|strand| strand.rows.get(*ix as usize)) else {
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
