//! Rounds: plan, patch, judge the patched bytes, and again, until no finding is left whose fix applies. The pass that
//! judges a patch reads what will be written, so what is reported as left is what is left.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

use crate::history::{Act, Code, Remedy};
use crate::judge::{Judged, JudgedDoc, Options, judge};
use crate::place::{DocId, Edit, Patch, Pieces, Place};
use crate::source::{Container, Patched, ReadAt, framing, lines};
use crate::target::Severity;

use super::guard::{self, Recognise, Texts};
use super::plan::HistoryPlan;
use super::planner::Planner;
use super::possible::{EMPTY, EMPTY_CALL};
use super::render::render;
use super::session;
use super::{Action, Cause, Change, FixOptions, Left, Refusal};

/// A round that leaves something is followed by another, so many times in any case; then only while each leaves less.
const ROUNDS: usize = 5;

/// Bytes that the rounds of a doc read in all, if it takes more of them: many rounds are for small docs, so that the
/// time for a large one grows with its length.
const MOST_READ: u64 = 256 << 20;

/// What a repair does to a doc.
pub struct Fixed {
    pub patch: Patch,
    /// By place in the original bytes.
    pub changes: Vec<Change>,
    /// The findings on the original bytes.
    pub before: JudgedDoc<HistoryPlan>,
    /// The findings that are left, with their places in the patched bytes; `None` if nothing was changed.
    pub after: Option<JudgedDoc<HistoryPlan>>,
    /// Findings on the patched bytes whose fix was not made, and why.
    pub refusals: Vec<Refusal>,
    /// Groups that `--reasoning` asks to change and that stay as they are, by place in the original bytes.
    pub left_alone: Vec<Left>,
    /// Histories that are left as they were, and why; `None` is what belongs to no history.
    pub given_up: GivenUp,
    /// Why nothing was repaired at all: a bug of ours.
    pub bug: Option<String>,
}

type GivenUp = BTreeMap<Option<u32>, &'static str>;

const NO_BETTER: &str = "the fix would not reduce the number of errors, so this history was not changed";
const ENDLESS: &str = "its fix does not converge, so this history was not changed";
const OTHER_FORMAT: &str =
    "after the fix the format of the file would no longer be recognised, so nothing was changed";
const NOWHERE: &str = "the fix cannot be made at this place";
const BUG: &str = "the fix would have damaged the file, which is a bug in replaylint";

impl Fixed {
    /// What is left.
    pub fn left(&self) -> &JudgedDoc<HistoryPlan> {
        self.after.as_ref().unwrap_or(&self.before)
    }

    /// A repair was not made because nothing would be left.
    pub fn would_empty(&self) -> bool {
        self.refusals.iter().any(|refusal| [EMPTY, EMPTY_CALL].contains(&refusal.why))
            || self.given_up.values().any(|why| *why == OTHER_FORMAT)
    }

    /// Why the fix of a finding that is left was not made.
    pub fn why_not(&self, judged: &Judged) -> Option<&'static str> {
        let refused = |r: &&Refusal| r.code == judged.finding.code && r.at == judged.finding.row.at;
        let refusal = self.refusals.iter().find(refused).map(|refusal| refusal.why);
        refusal.or_else(|| self.given_up.get(&judged.history).copied())
    }
}

/// Repairs a doc.
pub fn fix(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    wanted: &FixOptions,
    threads: usize,
) -> io::Result<Fixed> {
    let job = Job { id, bytes, options, wanted, threads };
    let mut given_up = GivenUp::new();
    loop {
        let (mut fixed, worse) = job.attempt(&given_up)?;
        let known = given_up.len();
        worse.into_iter().for_each(|(number, why)| {
            given_up.entry(number).or_insert(why);
        });
        if given_up.len() == known {
            fixed.given_up = given_up;
            fixed.refuse_the_rest(wanted);
            return Ok(fixed);
        }
    }
}

struct Job<'j> {
    id: DocId,
    bytes: &'j dyn ReadAt,
    options: &'j Options,
    wanted: &'j FixOptions,
    threads: usize,
}

impl Job<'_> {
    /// Repairs all but what was given up; also tells what is to be given up, too.
    fn attempt(&self, given_up: &GivenUp) -> io::Result<(Fixed, GivenUp)> {
        let Job { id, bytes, options, wanted, threads } = *self;
        let planner = Planner { options: wanted, spread: is_spread(bytes)? };
        let before = judge(id, bytes, options, threads, &planner)?;
        let mut fixed = Fixed {
            patch: Patch::default(),
            changes: Vec::new(),
            before,
            after: None,
            refusals: Vec::new(),
            left_alone: Vec::new(),
            given_up: GivenUp::new(),
            bug: None,
        };
        let mut touched: Vec<Place> = Vec::new();
        let (mut fewest, mut read) = (usize::MAX, 0);
        for round in 0.. {
            let pieces = Pieces::new(fixed.patch.edits(id), id, bytes.len());
            let view = Patched::new(bytes, pieces.clone());
            let current = fixed.after.as_mut().unwrap_or(&mut fixed.before);
            let container = current.container;
            current.made.retain(|plan| !given_up.contains_key(&Some(plan.number)));
            let mut plans = std::mem::take(&mut current.made);
            let session = session::start_of(container, current.format.map(|format| format.info().histories));
            // What a lost link hides changes what everything after it means: it comes first, and alone.
            let relinked = match session.filter(|_| !given_up.contains_key(&None)) {
                Some(start) => session::relink(id, &view, start, &current.judged, wanted)?,
                None => Vec::new(),
            };
            if !relinked.is_empty() {
                plans.clear();
            }
            fixed.refusals = plans.iter().flat_map(|plan| plan.refusals.iter().copied()).collect();
            let left = plans.iter().flat_map(|plan| plan.left.iter().copied());
            fixed.left_alone = left.map(|left| left_in_original(left, &pieces, round)).collect();
            let open = self.open(&current.judged, &fixed.refusals, given_up);
            let mut linked = Vec::new();
            let mut patch = match session {
                Some(start) => {
                    let session::Rendered { patch, changes } = session::render(id, &view, start, &plans)?;
                    linked = changes;
                    patch
                }
                None => render(id, &view, container, &plans)?,
            };
            let mut raised = match given_up.contains_key(&None) {
                true => Vec::new(),
                false => raised_edits(id, &view, container, &current.judged, wanted, &mut fixed.refusals)?,
            };
            raised.extend(relinked);
            patch.add(raised.iter().map(|(edit, _)| edit.clone()));
            if patch.is_empty() {
                break;
            }
            if round >= ROUNDS && (open.len() >= fewest || read > MOST_READ) {
                let endless = open.into_iter().map(|number| (number, ENDLESS)).collect();
                return Ok((fixed, endless));
            }
            fewest = fewest.min(open.len());
            let rows = plans.iter().flat_map(|plan| plan.rows()).map(|row| row.at);
            touched.extend(rows.map(|at| if round > 0 { pieces.original(at) } else { at }));
            let changes = plans.iter().flat_map(|plan| plan.changes.iter().copied()).chain(linked);
            let changes = changes.chain(raised.into_iter().map(|(_, change)| change));
            fixed.changes.extend(changes.map(|change| to_original(change, &pieces, round)));
            fixed.patch = fixed.patch.then(&patch, |_| bytes.len());
            let view = Patched::new(bytes, Pieces::new(fixed.patch.edits(id), id, bytes.len()));
            read += view.len();
            fixed.after = Some(judge(id, &view, options, threads, &planner)?);
        }
        fixed.changes = settled(std::mem::take(&mut fixed.changes));
        let mut worse = no_better(&fixed);
        if fixed.after.is_some() {
            self.hold(&mut fixed, touched, &mut worse)?;
        }
        Ok((fixed, worse))
    }

    /// Histories with findings whose fix is wanted, a history as often as it has one.
    fn open(&self, judged: &[Judged], refusals: &[Refusal], given_up: &GivenUp) -> Vec<Option<u32>> {
        let refused: HashSet<(Code, Place)> = refusals.iter().map(|refusal| (refusal.code, refusal.at)).collect();
        let open = judged.iter().filter(|judged| {
            self.wanted.wants(judged)
                && !refused.contains(&(judged.finding.code, judged.finding.row.at))
                && !given_up.contains_key(&judged.history)
        });
        open.map(|judged| judged.history).collect()
    }

    /// The nets: what would be written is held against what is there.
    fn hold(&self, fixed: &mut Fixed, mut touched: Vec<Place>, worse: &mut GivenUp) -> io::Result<()> {
        let Job { id, bytes, options, .. } = *self;
        let Some(after) = &fixed.after else { return Ok(()) };
        let name = |lint: &JudgedDoc<HistoryPlan>| lint.format.map(|format| format.info().name);
        let empty = after.container == Container::Empty;
        if empty || name(after) != name(&fixed.before) {
            let changed = fixed.changes.iter().map(|change| (change.history, OTHER_FORMAT));
            worse.extend(changed);
            return Ok(());
        }
        for change in &fixed.changes {
            touched.extend([Some(change.row.at), change.other].into_iter().flatten());
        }
        let after = Patched::new(bytes, Pieces::new(fixed.patch.edits(id), id, bytes.len()));
        let texts = Texts { id, before: bytes, after: &after, container: fixed.before.container };
        let format = fixed.before.format.filter(|_| options.read.format.is_none());
        let caught = guard::check(&texts, Some(&touched), &Recognise { steps: &options.read.pointer, format })?;
        if let Some(damage) = caught.damage {
            fixed.take_back(damage.words("the repair"), self.wanted);
            worse.clear();
            return Ok(());
        }
        for record in &caught.other_format {
            let inside = fixed.changes.iter().filter(|change| record.contains(&change.row.at));
            worse.extend(inside.map(|change| (change.history, OTHER_FORMAT)));
        }
        Ok(())
    }
}

/// Whether this is a document of several lines. If it is a record of a log, no other can be put beside it.
fn is_spread(bytes: &dyn ReadAt) -> io::Result<bool> {
    let Container::Document { start } = framing::sniff(bytes)? else { return Ok(false) };
    if bytes.len() - start > framing::WHOLE_DOCUMENT {
        return Ok(true);
    }
    let mut text = Vec::new();
    bytes.read_into(start, (bytes.len() - start) as usize, &mut text)?;
    Ok(text.trim_ascii().contains(&b'\n'))
}

impl Fixed {
    /// Nothing is repaired, for this bug.
    fn take_back(&mut self, bug: String, wanted: &FixOptions) {
        self.patch = Patch::default();
        self.changes.clear();
        self.after = None;
        let wanted = self.before.judged.iter().filter(|judged| wanted.wants(judged));
        self.refusals = wanted.map(|judged| refusal(judged, BUG)).collect();
        self.bug = Some(bug);
    }

    /// What is left with a fix that was wanted has a reason.
    fn refuse_the_rest(&mut self, wanted: &FixOptions) {
        let known: HashSet<(Code, Place)> =
            self.refusals.iter().map(|refusal| (refusal.code, refusal.at)).collect();
        let left = self.left().judged.iter().filter(|judged| {
            wanted.wants(judged)
                && !known.contains(&(judged.finding.code, judged.finding.row.at))
                && !self.given_up.contains_key(&judged.history)
        });
        let rest: Vec<Refusal> = left.map(|judged| refusal(judged, NOWHERE)).collect();
        self.refusals.extend(rest);
    }
}

fn refusal(judged: &Judged, why: &'static str) -> Refusal {
    Refusal { code: judged.finding.code, at: judged.finding.row.at, why }
}

/// A change of a later round speaks of patched bytes: its item's place is led back to the original ones.
fn to_original(mut change: Change, pieces: &Pieces, round: usize) -> Change {
    if round > 0 {
        change.row.at = pieces.original(change.row.at);
        change.other = change.other.map(|other| pieces.original(other));
        if let Cause::Rule(_, _, at) = &mut change.cause {
            *at = pieces.original(*at);
        }
    }
    change
}

fn left_in_original(left: Left, pieces: &Pieces, round: usize) -> Left {
    if round > 0 { Left { at: pieces.original(left.at), ..left } } else { left }
}

/// Of an item that goes in the end, only that is told.
fn settled(mut changes: Vec<Change>) -> Vec<Change> {
    let dropped: HashSet<Place> =
        changes.iter().filter(|change| change.action == Action::Drop).map(|change| change.row.at).collect();
    let mut seen = HashSet::new();
    changes.retain(|change| {
        // What the request around the item gets is not the item's.
        let of_request =
            change.action == Action::Rewrite && change.other.is_some_and(|at| at.contains(&change.row.at));
        let stays = change.action == Action::Drop || of_request || !dropped.contains(&change.row.at);
        let rule = match change.cause {
            Cause::Rule(code, ..) => Some(code),
            Cause::Flag(_) => None,
        };
        stays && seen.insert((change.row.at, change.action, change.what, rule))
    });
    changes.sort_by_key(|change| (change.row.at.order(), change.action));
    changes
}

/// Histories in which something was to be repaired, and that have as many errors as before: the same ones after the
/// repair of an error, or others in their place.
fn no_better(fixed: &Fixed) -> GivenUp {
    let Some(after) = &fixed.after else { return GivenUp::new() };
    type Kinds = BTreeMap<(Code, u8), usize>;
    let errors = |lint: &JudgedDoc<HistoryPlan>| {
        let mut count: HashMap<u32, Kinds> = HashMap::new();
        for judged in lint.judged.iter().filter(|judged| judged.severity == Severity::Error) {
            let kinds = count.entry(judged.history.unwrap_or(u32::MAX)).or_default();
            *kinds.entry((judged.finding.code, judged.finding.variant)).or_default() += 1;
        }
        count
    };
    let (before, after) = (errors(&fixed.before), errors(after));
    let tried: HashSet<u32> = fixed.changes.iter().filter_map(|change| change.history).collect();
    let none = Kinds::new();
    let is_worse = |number: &u32| {
        let (had, has) = (before.get(number).unwrap_or(&none), after.get(number).unwrap_or(&none));
        let (many, left) = (had.values().sum::<usize>(), has.values().sum::<usize>());
        left > many || left == many && many > 0 && (had != has || repairs_errors(fixed, *number))
    };
    tried.into_iter().filter(is_worse).map(|number| (Some(number), NO_BETTER)).collect()
}

/// Whether a change of this history was made for an error.
fn repairs_errors(fixed: &Fixed, number: u32) -> bool {
    let codes: HashSet<(Code, u8)> = fixed
        .before
        .judged
        .iter()
        .filter(|judged| judged.history == Some(number) && judged.severity == Severity::Error)
        .map(|judged| (judged.finding.code, judged.finding.variant))
        .collect();
    fixed.changes.iter().any(|change| match change.cause {
        Cause::Rule(code, variant, _) => change.history == Some(number) && codes.contains(&(code, variant)),
        Cause::Flag(_) => false,
    })
}

/// Edits for findings on bytes: a byte-order mark, a cut line.
fn raised_edits(
    id: DocId,
    bytes: &dyn ReadAt,
    container: Container,
    judged: &[Judged],
    wanted: &FixOptions,
    refusals: &mut Vec<Refusal>,
) -> io::Result<Vec<(Edit, Change)>> {
    let mut edits = Vec::new();
    for judged in judged.iter().filter(|judged| judged.history.is_none() && wanted.wants(judged)) {
        let action = match judged.finding.remedy {
            Remedy::One(Act::Drop) => Action::Drop,
            Remedy::One(Act::Replace) => Action::Rewrite,
            _ => continue,
        };
        let mut row = judged.finding.row;
        // A mark is its own place; a cut line is found at the byte where it breaks off.
        if action == Action::Drop && row.at.start >= container.mark() {
            row.at = lines::around(bytes, id, container.mark(), row.at.start.max(1) - 1)?;
        }
        if judged.variant().loss == crate::rule::Loss::Lossy && wanted.lossless {
            refusals.push(refusal(judged, "it would lose the content of the line (--lossless)"));
            continue;
        }
        let change = Change {
            cause: Cause::Rule(judged.finding.code, judged.finding.variant, judged.finding.row.at),
            row,
            other: None,
            action,
            loss: judged.variant().loss,
            what: judged.variant().fix,
            history: None,
        };
        let edit = match action {
            Action::Drop => Edit::remove(row.at),
            // The character that stands for one that is not known.
            _ => Edit::replace(row.at, *b"\\ufffd"),
        };
        edits.push((edit, change));
    }
    Ok(edits)
}
