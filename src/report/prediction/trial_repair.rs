//! What a check may promise, found out on some of the records that would change: where each record is a conversation by
//! itself, no other one has a say. It says the same as planning the whole doc, or nothing.

use std::collections::HashMap;
use std::io;
use std::ops::Range;

use crate::judge::{Judged, JudgedDoc, Options};
use crate::place::{DocId, Pieces, Place};
use crate::repair;
use crate::repair::{FixOptions, Fixed, Sketch};
use crate::source::{Container, Held, Memory, ReadAt, Roomy};
use crate::target::Severity;

use super::fix_outcome::{Kept, Promise, kept};
use super::grouping::{Alike, Classes};

/// More bytes of records than this are not copied.
const MOST: u64 = 64 << 20;

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
    let Some(classes) = Classes::of(found) else { return Ok(None) };
    let trial = Trial { id, bytes, found, options, threads };
    let Some(tried) = trial.of(classes.of.iter().flat_map(samples))? else { return Ok(None) };
    let mut plan =
        Plan { found, prints: &classes.prints, promises: vec![Promise::Asked; found.judged.len()], gone: 0 };
    let mut open: Vec<&Range<usize>> = Vec::new();
    for class in &classes.of {
        let common = plan.common(class, &tried).unwrap_or_default();
        open.extend(class.iter().filter(|record| !plan.expect(record, &common)));
    }
    // What does not come to the same is tried record by record.
    let Some(rest) = trial.of(open.iter().copied())? else { return Ok(None) };
    for record in open {
        let Some(outcome) = rest.get(&record.start) else { return Ok(None) };
        plan.gone += outcome.gone;
        for (promise, kept) in plan.promises.iter_mut().skip(record.start).zip(&outcome.kept) {
            *promise = kept.promise;
        }
    }
    Ok(Some((plan.promises, u64::try_from(plan.gone).unwrap_or(0))))
}

/// Those records of a class that are tried: the first, and the one with most findings.
fn samples(class: &Alike) -> impl Iterator<Item = &Range<usize>> {
    let first = class.first();
    let fullest = class.iter().max_by_key(|record| record.len()).filter(|record| Some(*record) != first);
    first.into_iter().chain(fullest.or(class.get(1)))
}

/// What is expected of findings, and of a doc.
struct Plan<'p> {
    found: &'p JudgedDoc<Sketch>,
    /// What each finding is.
    prints: &'p [u64],
    promises: Vec<Promise>,
    gone: i64,
}

impl Plan<'_> {
    fn own<'o>(&'o self, record: &Range<usize>) -> impl Iterator<Item = (u64, &'o Judged)> {
        let range = || record.clone();
        let prints = self.prints.get(range()).unwrap_or_default().iter().copied();
        prints.zip(self.found.judged.get(range()).unwrap_or_default())
    }

    /// What comes of each finding of a class, if the records that were tried agree, and nothing else is left of them.
    fn common(&self, class: &Alike, tried: &HashMap<usize, Outcome>) -> Option<HashMap<u64, Kept>> {
        let mut common = HashMap::new();
        for record in samples(class) {
            let outcome = tried.get(&record.start)?;
            let mut gone = 0;
            for ((print, judged), kept) in self.own(record).zip(&outcome.kept) {
                if common.insert(print, *kept).is_some_and(|other| other != *kept) {
                    return None;
                }
                gone += counted(judged, kept);
            }
            if gone != outcome.gone {
                return None;
            }
        }
        Some(common)
    }

    /// Expects of the findings of a record what came of others. Whether that is known of all of them.
    fn expect(&mut self, record: &Range<usize>, common: &HashMap<u64, Kept>) -> bool {
        let Some(all) = self.own(record).map(|(print, _)| common.get(&print)).collect::<Option<Vec<_>>>() else {
            return false;
        };
        self.gone += self.own(record).zip(&all).map(|((_, judged), kept)| counted(judged, kept)).sum::<i64>();
        for (promise, kept) in self.promises.iter_mut().skip(record.start).zip(all) {
            *promise = kept.promise;
        }
        true
    }
}

/// How many errors and warnings fewer there are.
fn counted(judged: &Judged, kept: &Kept) -> i64 {
    i64::from(kept.is_gone && judged.severity > Severity::Info)
}

/// Whether each record of a doc speaks for itself, as far as its repair goes.
fn is_plain(bytes: &dyn ReadAt, found: &JudgedDoc<Sketch>) -> bool {
    let of_history = |judged: &Judged| judged.history.is_some() || !judged.is_fixed_by_default();
    found.is_by_line() && !bytes.is_cut() && found.judged.iter().all(of_history)
}

/// What the repair of a record comes to.
struct Outcome {
    /// How many errors and warnings fewer there are after it.
    gone: i64,
    /// What comes of each finding.
    kept: Vec<Kept>,
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
        // By themselves they may look like another format, which is made something of.
        let bytes = Roomy::new(Memory(&part.text));
        let fixed = repair::fix(self.id, &bytes, self.options, &FixOptions::default(), self.threads)?;
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
        let (kept, _) = kept(&fixed, part.text.len() as u64);
        let kept: HashMap<usize, Kept> = own.into_iter().map(|(ix, _)| ix).zip(kept).collect();
        let mut gone = part.gone(&fixed);
        let outcome = |record: Range<usize>| {
            let line = part.line(self.found.judged.get(record.start)?.finding.row.at)?;
            let start = record.start;
            let kept = record.map(|ix| kept.get(&ix).copied()).collect::<Option<Vec<_>>>()?;
            Some((start, Outcome { gone: gone.remove(&line).unwrap_or(0), kept }))
        };
        Ok(records.into_iter().map(outcome).collect())
    }
}

/// The records were read as they are in the doc, and nothing was given up: what is given up may depend on the others.
fn is_settled(fixed: &Fixed, found: &JudgedDoc<Sketch>) -> bool {
    matches!(fixed.before.container, Container::Lines { .. })
        && fixed.before.format_name() == found.format_name()
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
        let held = Held::new(bytes, found.container, &found.lines);
        let mut part = Part { lines: Vec::new(), text: Vec::new() };
        part.add(held.line_around(id, start, start)?, &held)?;
        for judged in records.iter().flat_map(|record| found.judged.get(record.clone()).unwrap_or_default()) {
            let at = judged.finding.row.at;
            let last = part.lines.last().map(|(last, _)| *last);
            if !judged.is_fixed_by_default() || last.is_some_and(|last| last.contains(&at)) {
                continue;
            }
            let line = held.line_around(id, start, at.start)?;
            let is_behind = last.is_none_or(|last| last.end() <= line.start);
            if !line.contains(&at) || !is_behind || part.text.len() as u64 > MOST {
                return Ok(None);
            }
            part.add(line, &held)?;
        }
        // One line would be a document.
        if let [(first, _)] = part.lines[..]
            && first.end() < bytes.len()
        {
            part.add(held.line_around(id, start, first.end())?, &held)?;
        }
        Ok(Some(part))
    }

    fn add(&mut self, line: Place, bytes: &Held<'_>) -> io::Result<()> {
        let from = self.text.len();
        self.text.resize(from + line.len as usize, 0);
        if bytes.read_at(line.start, self.text.split_at_mut(from).1)? < line.len as usize {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.lines.push((line, from as u64));
        Ok(())
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
