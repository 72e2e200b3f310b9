//! What a check may promise, found out on some of the records that would change: where each record is a conversation by
//! itself, no other one has a say. It says the same as planning the whole doc, or nothing.

use std::collections::HashMap;
use std::io;
use std::ops::Range;

use crate::fix::{self, FixOptions, Fixed, Sketch};
use crate::format::Format;
use crate::judge::{Judged, JudgedDoc, Options};
use crate::place::{DocId, Pieces, Place};
use crate::source::{Container, ReadAt, lines};
use crate::target::Severity;

use super::alike::{self, Alike};
use super::kept::{Promise, kept};

/// More bytes of records than this are not copied.
const MOST: u64 = 64 << 20;

/// As many records of those that are alike are tried. The others are expected to do as these do, if these do the same.
const TRIED: usize = 2;

/// Plans the default repair of records with a finding that it takes away: what it keeps of each finding, and how many errors
/// and warnings are gone. `None` if that may differ from what planning the whole doc gives.
pub(super) fn plan(
    id: DocId,
    bytes: &dyn ReadAt,
    found: &JudgedDoc<Sketch>,
    options: &Options,
    threads: usize,
) -> io::Result<Option<(Vec<Promise>, u64)>> {
    if !is_plain(bytes, found) {
        return Ok(None);
    }
    let trial = Trial { id, bytes, found, options, threads };
    let classes = alike::classes(found);
    let Some(tried) = trial.of(classes.iter().flat_map(|class| class.iter().take(TRIED)))? else {
        return Ok(None);
    };
    let agree = |class: &&Alike| {
        let mut outcomes = class.iter().take(TRIED).map(|record| tried.get(&record.start));
        let first = outcomes.next();
        outcomes.all(|other| Some(other) == first)
    };
    let (settled, open): (Vec<&Alike>, Vec<&Alike>) = classes.iter().partition(agree);
    let Some(rest) = trial.of(open.iter().flat_map(|class| class.iter().skip(TRIED)))? else {
        return Ok(None);
    };
    let alike = settled.into_iter().flat_map(|class| class.iter().map(|record| (record, class.first())));
    let open = open.into_iter().flatten().map(|record| (record, Some(record)));
    let mut promises = vec![Promise::Asked; found.judged.len()];
    let mut gone = 0;
    for (record, as_this) in alike.chain(open) {
        let outcome = |of: &Range<usize>| tried.get(&of.start).or_else(|| rest.get(&of.start));
        let Some(outcome) = as_this.and_then(outcome) else { return Ok(None) };
        gone += outcome.gone;
        if let Some(own) = promises.get_mut(record.clone()).filter(|own| own.len() == outcome.promises.len()) {
            own.copy_from_slice(&outcome.promises);
        }
    }
    Ok(Some((promises, u64::try_from(gone).unwrap_or(0))))
}

/// Whether each record of a doc speaks for itself, as far as its repair goes.
fn is_plain(bytes: &dyn ReadAt, found: &JudgedDoc<Sketch>) -> bool {
    let is_plain = found.format.is_some_and(|format| {
        !format.info().histories.span_records() && format.teller().is_none() && format.reduction().is_none()
    });
    let of_history = |judged: &Judged| judged.history.is_some() || !judged.is_fixed_by_default();
    is_plain
        && matches!(found.container, Container::Lines { .. })
        && found.alone
        && !bytes.is_cut()
        && found.judged.iter().all(of_history)
}

/// What the repair of a record comes to.
#[derive(PartialEq, Eq)]
struct Outcome {
    /// How many errors and warnings fewer there are after it.
    gone: i64,
    /// What it keeps of each finding.
    promises: Vec<Promise>,
}

/// Repairs some records of a doc, to see what comes of it.
struct Trial<'t> {
    id: DocId,
    bytes: &'t dyn ReadAt,
    found: &'t JudgedDoc<Sketch>,
    options: &'t Options,
    threads: usize,
}

impl Trial<'_> {
    /// What comes of records, by the number of their first findings; `None` if that may differ from what comes of them
    /// when the whole doc is repaired.
    fn of<'r>(
        &self,
        records: impl Iterator<Item = &'r Range<usize>>,
    ) -> io::Result<Option<HashMap<usize, Outcome>>> {
        let mut records: Vec<Range<usize>> = records.cloned().collect();
        records.sort_by_key(|record| record.start);
        if records.is_empty() {
            return Ok(Some(HashMap::new()));
        }
        let Some(part) = Part::of(self, &records)? else { return Ok(None) };
        let fixed = fix::fix(self.id, &part.text, self.options, &FixOptions::default(), self.threads)?;
        let mut own: Vec<(usize, Place)> = Vec::new();
        for (ix, judged) in self.found.judged.iter().enumerate() {
            own.extend(part.place(judged.finding.row.at).map(|at| (ix, at)));
        }
        let judged = own.iter().filter_map(|(ix, at)| Some((self.found.judged.get(*ix)?, *at)));
        let is_same = is_settled(&fixed, self.found)
            && own.len() == fixed.before.judged.len()
            && judged.zip(&fixed.before.judged).all(|((judged, at), alone)| is_same(judged, at, alone));
        if !is_same {
            return Ok(None);
        }
        let (promises, _) = kept(&fixed, part.text.len() as u64);
        let promises: HashMap<usize, Promise> = own.into_iter().map(|(ix, _)| ix).zip(promises).collect();
        let mut gone = part.gone(&fixed);
        let outcome = |record: Range<usize>| {
            let line = part.line(self.found.judged.get(record.start)?.finding.row.at)?;
            let start = record.start;
            let promises = record.map(|ix| promises.get(&ix).copied()).collect::<Option<Vec<_>>>()?;
            Some((start, Outcome { gone: gone.remove(&line).unwrap_or(0), promises }))
        };
        Ok(records.into_iter().map(outcome).collect())
    }
}

/// The records were read as they are in the doc, and nothing was given up: what is given up may depend on the others.
fn is_settled(fixed: &Fixed, found: &JudgedDoc<Sketch>) -> bool {
    let name = |format: Option<&'static dyn Format>| format.map(|format| format.info().name);
    matches!(fixed.before.container, Container::Lines { .. })
        && name(fixed.before.format) == name(found.format)
        && fixed.before.alone
        && fixed.left().alone
        && fixed.given_up.is_empty()
        && fixed.bug.is_none()
}

/// Whether a finding of the doc is one of its part.
fn is_same(judged: &Judged, at: Place, alone: &Judged) -> bool {
    let (own, other) = (&judged.finding, &alone.finding);
    (own.code, own.variant, own.remedy, own.arg, own.field)
        == (other.code, other.variant, other.remedy, other.arg, other.field)
        && at == other.row.at
        && (judged.severity, judged.target.name) == (alone.severity, alone.target.name)
        && (judged.loss, judged.flattens) == (alone.loss, alone.flattens)
}

/// Some lines of a doc, as a doc.
struct Part {
    /// Where each line lies in the doc, and where its text starts here.
    lines: Vec<(Place, u64)>,
    text: Vec<u8>,
}

impl Part {
    /// The first line, which says what the doc is, and the lines of some records, each given by the numbers of its
    /// findings. `None` if these cannot speak for themselves.
    fn of(trial: &Trial<'_>, records: &[Range<usize>]) -> io::Result<Option<Part>> {
        let Trial { id, bytes, found, .. } = *trial;
        let Container::Lines { start } = found.container else { return Ok(None) };
        let first = lines::around(bytes, id, start, start)?;
        let mut places = vec![first];
        for judged in records.iter().flat_map(|record| found.judged.get(record.clone()).unwrap_or_default()) {
            let at = judged.finding.row.at;
            if !judged.is_fixed_by_default() || places.last().is_some_and(|last| last.contains(&at)) {
                continue;
            }
            let line = lines::around(bytes, id, start, at.start)?;
            if !line.contains(&at) || places.last().is_some_and(|last| line.start < last.end()) {
                return Ok(None);
            }
            places.push(line);
        }
        // One line would be a document.
        if places.len() == 1 && first.end() < bytes.len() {
            places.push(lines::around(bytes, id, start, first.end())?);
        }
        if places.iter().map(|line| u64::from(line.len)).sum::<u64>() > MOST {
            return Ok(None);
        }
        let mut part = Part { lines: Vec::with_capacity(places.len()), text: Vec::new() };
        let mut line_text = Vec::new();
        for line in places {
            bytes.read_into(line.start, line.len as usize, &mut line_text)?;
            part.lines.push((line, part.text.len() as u64));
            part.text.append(&mut line_text);
        }
        Ok(Some(part))
    }

    /// The number of the line in which a place of the doc lies.
    fn line(&self, at: Place) -> Option<usize> {
        let ix = self.lines.partition_point(|(line, _)| line.start <= at.start).checked_sub(1)?;
        let (line, _) = self.lines.get(ix)?;
        (at.start < line.end()).then_some(ix)
    }

    /// Where a place of the doc is here.
    fn place(&self, at: Place) -> Option<Place> {
        let (line, from) = self.lines.get(self.line(at)?)?;
        Some(Place { start: from + (at.start - line.start), ..at })
    }

    /// How many errors and warnings fewer there are in each line after its repair.
    fn gone(&self, fixed: &Fixed) -> HashMap<usize, i64> {
        let mut gone = HashMap::new();
        let mut count = |judged: &Judged, at: Place, by: i64| {
            if judged.severity > Severity::Info {
                let line = self.lines.partition_point(|(_, from)| *from <= at.start).saturating_sub(1);
                *gone.entry(line).or_default() += by;
            }
        };
        fixed.before.judged.iter().for_each(|judged| count(judged, judged.finding.row.at, 1));
        let doc = fixed.before.judged.first().map(|judged| judged.finding.row.at.doc).unwrap_or_default();
        let pieces = Pieces::new(fixed.patch.edits(doc), doc, self.text.len() as u64);
        for judged in &fixed.left().judged {
            let at = judged.finding.row.at;
            count(judged, if fixed.after.is_some() { pieces.original(at) } else { at }, -1);
        }
        gone
    }
}
