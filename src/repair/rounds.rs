//! Rounds: plan, patch, judge the patched bytes, and again, until no finding is left whose fix applies. The pass that
//! judges a patch reads what will be written, so what is reported as left is what is left.

use std::collections::HashSet;
use std::io;

use crate::format::{Format, KeptLines, Probe};
use crate::history::{Code, Usage};
use crate::json::{Val, pointer};
use crate::judge::{Judged, JudgedDoc, Options, judge};
use crate::place::{DocId, Patch, Pieces, Place};
use crate::read::{self, detect};
use crate::source::{Container, Patched, ReadAt, framing};
use crate::target::Severity;

use super::acceptance::Errors;
use super::edit::padding;
use super::edit::provider;
use super::edit::provider::{Header, Set};
use super::edit::render::render;
use super::edit::text::{TextEdits, TextOf};
use super::fixed::{ENDLESS, Fixed, GivenUp, OTHER_FORMAT};
use super::guard::{self, Recognise, Texts};
use super::incremental;
use super::incremental::Round;
use super::plan::history_plan::HistoryPlan;
use super::removed;
use super::search::Search;
use super::session;
use super::store;
use super::{Action, Cause, Change, FixOptions, Left, Refusal};

/// A round that leaves something is followed by another, so many times in any case; then only while each leaves less.
const ROUNDS: usize = 5;

/// Bytes that the rounds of a doc read in all, if it takes more of them: many rounds are for small docs, so that the
/// time for a large one grows with its length.
const MOST_READ: u64 = 256 << 20;

/// Repairs a doc.
pub fn fix(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    wanted: &FixOptions,
    threads: usize,
) -> io::Result<Fixed> {
    Job { id, bytes, options, wanted, threads }.run(None)
}

/// Makes the default repair of a doc that was judged, and planned, but for documents of several lines.
pub fn fix_judged(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    threads: usize,
    judged: JudgedDoc<HistoryPlan>,
) -> io::Result<Fixed> {
    Job { id, bytes, options, wanted: &FixOptions::default(), threads }.run(Some(judged))
}

const NO_BETTER: &str = "the fix would not reduce the number of errors, so this history was not changed";

/// How the edits of a round are made.
struct How<'h> {
    /// An earlier round has changed the doc.
    is_changed: bool,
    /// Lines are to stay where they are.
    stays: Option<&'h dyn KeptLines>,
    /// Where the lines begin of a session, which name one another.
    session: Option<u64>,
}

/// What a round comes to.
#[derive(Default)]
struct Made {
    patch: Patch,
    /// What is changed besides the plans' items, and what is not.
    raised: TextEdits,
    plans: Vec<HistoryPlan>,
    /// Lines of a session that stay as they are.
    disputes: session::Disputes,
    /// Damaged lines and lost links hide what follows them: more is read after this round than before.
    is_read_anew: bool,
}

struct Job<'j> {
    id: DocId,
    bytes: &'j dyn ReadAt,
    options: &'j Options,
    wanted: &'j FixOptions,
    threads: usize,
}

impl Job<'_> {
    /// `judged` is the doc as it is, if that is known.
    fn run(&self, mut judged: Option<JudgedDoc<HistoryPlan>>) -> io::Result<Fixed> {
        let mut given_up = GivenUp::new();
        loop {
            let (mut fixed, mut worse) = self.attempt(&given_up, judged.take())?;
            let known = given_up.len();
            if worse.is_empty() && !self.is_final(&fixed, &given_up)? {
                worse.extend(fixed.changes.iter().map(|change| (change.history, OTHER_FORMAT)));
            }
            worse.into_iter().for_each(|(number, why)| {
                given_up.entry(number).or_insert(why);
            });
            if given_up.len() == known {
                fixed.given_up = given_up;
                removed::list(self.id, self.bytes, &mut fixed)?;
                fixed.changes = settled(std::mem::take(&mut fixed.changes));
                fixed.refuse_the_rest(self.wanted);
                return Ok(fixed);
            }
        }
    }

    /// Whether a second run would change nothing: what was given up for the format of the file could be made once the rest
    /// makes that surer.
    fn is_final(&self, fixed: &Fixed, given_up: &GivenUp) -> io::Result<bool> {
        if fixed.patch.is_empty() || !given_up.values().any(|why| *why == OTHER_FORMAT) {
            return Ok(true);
        }
        let pieces = Pieces::new(fixed.patch.edits(self.id), self.id, self.bytes.len());
        let view = Patched::new(self.bytes, pieces);
        Ok(Job { bytes: &view, ..*self }.run(None)?.patch.is_empty())
    }

    /// Repairs all but what was given up; also tells what is to be given up, too.
    fn attempt(&self, given_up: &GivenUp, judged: Option<JudgedDoc<HistoryPlan>>) -> io::Result<(Fixed, GivenUp)> {
        let Job { id, bytes, options, wanted, threads } = *self;
        let spread = is_spread(bytes)?;
        // What was chosen in a round is known by places of its text.
        let search = || Search::new(wanted, spread, wanted.preview);
        let before = match judged {
            Some(judged) => judged,
            None => judge(id, bytes, options, threads, &search())?,
        };
        let mut fixed = Fixed::new(before);
        let mut first = Errors::of(&fixed.before);
        let mut touched: Vec<Place> = Vec::new();
        let (mut fewest, mut read) = (usize::MAX, 0);
        for round in 0.. {
            let pieces = Pieces::new(fixed.patch.edits(id), id, bytes.len());
            let view = Patched::new(bytes, pieces.clone());
            let current = fixed.after.as_mut().unwrap_or(&mut fixed.before);
            let container = current.container;
            // Lines stay where they are also of a history that is not changed itself.
            let numbered = current.made.iter().find_map(|plan| plan.numbered);
            current.made.retain(|plan| !given_up.contains_key(&Some(plan.number)));
            let mut plans = std::mem::take(&mut current.made);
            if round == 0 {
                let around = plans.iter_mut().flat_map(|plan| std::mem::take(&mut plan.around));
                fixed.around = around.map(|(at, around)| (bytes.origin(at), around)).collect();
            }
            let session = session::start_of(container, current.format.map(|format| format.info().histories));
            let limit = options.read.max_record;
            // What a lost link hides changes what everything after it means: it comes first, and alone.
            let mut relinked = match session.filter(|_| !given_up.contains_key(&None)) {
                Some(start) => session::relink(id, &view, start, limit, &current.judged, wanted)?,
                None => TextEdits::default(),
            };
            if !relinked.edits.is_empty() {
                plans.clear();
            }
            fixed.refusals = plans.iter().flat_map(|plan| plan.refusals.iter().copied()).collect();
            fixed.refusals.append(&mut relinked.refusals);
            let left = plans.iter().flat_map(|plan| plan.left.iter().copied());
            fixed.left_alone = left.map(|left| left_in_original(left, &pieces, round)).collect();
            let open = self.open(&current.judged, &fixed.refusals, given_up);
            let read_by = current.format;
            let knows = |val: Val<'_>| is_record(read_by, &options.read, val);
            let marks = current.lines.as_slice();
            let placeholder = read_by.and_then(|format| format.info().placeholder);
            let text = TextOf { id, bytes: &view, container, marks, wanted, placeholder, knows: &knows };
            let is_changed = !fixed.patch.is_empty();
            let kept = current.format.and_then(|format| format.info().kept_lines);
            fixed.numbered |= numbered.is_some();
            let stays = kept.filter(|_| numbered.is_some() && !wanted.copies);
            let how = How { is_changed, stays, session };
            let Made { mut patch, mut raised, plans, disputes, is_read_anew } = match given_up.contains_key(&None)
            {
                true => self.rendered(&text, plans, &how)?,
                false => self.edits(&text, &current.judged, plans, relinked, &how)?,
            };
            // Damaged lines come first, and alone.
            let given = |judged: &&Judged| !is_read_anew && !given_up.contains_key(&judged.history);
            let judged = || current.judged.iter().filter(given);
            let mut own = store::fill(&view, read_by, judged(), &options.read, wanted)?;
            patch.add(own.edits.drain(..));
            raised.changes.append(&mut own.changes);
            raised.touched.append(&mut own.touched);
            raised.refusals.append(&mut own.refusals);
            let in_dispute = |judged: &&Judged| wanted.wants(judged) && disputes.hold(judged.finding.row.at);
            raised
                .refusals
                .extend(judged().filter(in_dispute).map(|judged| Refusal::of(judged, session::DISPUTED)));
            fixed.refusals.append(&mut raised.refusals);
            let set = match kept {
                Some(kept) => {
                    let own = numbered.unwrap_or(0);
                    provider::set(id, &view, container, &Header { kept, own, stays: stays.is_some() }, wanted)?
                }
                None => Set::default(),
            };
            fixed.provider_left = set.left;
            patch.add(set.edits);
            if patch.is_empty() {
                break;
            }
            if round >= ROUNDS && (open.len() >= fewest || read > MOST_READ) {
                let endless = open.into_iter().map(|number| (number, ENDLESS)).collect();
                return Ok((fixed, endless));
            }
            fewest = fewest.min(open.len());
            let in_doc = plans.iter().filter(|plan| plan.info.editor.is_none());
            let rows = in_doc.flat_map(|plan| plan.rows()).map(|row| row.at).chain(raised.touched);
            touched.extend(rows.map(|at| if round > 0 { pieces.original(at) } else { at }));
            raised.changes.extend(set.change);
            let changes = plans.iter().flat_map(|plan| &plan.changes).chain(&raised.changes).copied();
            fixed.changes.extend(changes.map(|change| to_original(change, &pieces, round)));
            fixed.patch = fixed.patch.then(&patch, |_| bytes.len());
            let next = Patched::new(bytes, Pieces::new(fixed.patch.edits(id), id, bytes.len()));
            read += next.len();
            let in_part = if is_read_anew {
                None
            } else {
                let (found, changes) = (fixed.left(), raised.changes.as_slice());
                let done = Round { id, before: &view, found, plans: &plans, changes, patch: &patch, after: &next };
                incremental::judge(&done, options, threads, &search())?
            };
            let after = match in_part {
                Some(after) => after,
                None => self.again(&next, &search(), &fixed.before)?,
            };
            if is_read_anew {
                // Only now it can be read as it was meant, and may show more errors than before.
                first = Errors::of(&after);
            }
            fixed.after = Some(after);
        }
        fixed.changes = settled(std::mem::take(&mut fixed.changes));
        fixed.forget_numbers(wanted);
        let worse = fixed.after.as_ref().map(|after| first.not_fewer(&Errors::of(after), &fixed.changes));
        let worse = worse.unwrap_or_default().into_iter().map(|number| (Some(number), NO_BETTER));
        let mut worse: GivenUp = worse.collect();
        if fixed.after.is_some() && !wanted.preview {
            self.hold(&mut fixed, touched, &mut worse)?;
        }
        Ok((fixed, worse))
    }

    /// Judges the patched bytes. A request is read by the format that it had, if nothing is wrong with it by that one
    /// nor by what it is taken for now: a repair may take out what told the format, and the next reader finds nothing to repair either way.
    fn again(
        &self,
        next: &Patched<'_>,
        search: &Search<'_>,
        before: &JudgedDoc<HistoryPlan>,
    ) -> io::Result<JudgedDoc<HistoryPlan>> {
        let Job { id, options, threads, .. } = *self;
        let after = judge(id, next, options, threads, search)?;
        let had = before.format.filter(|format| format.info().usage == Usage::Request && is_body(&after, next));
        match had {
            Some(format)
                if after.format.is_some()
                    && after.format_name() != before.format_name()
                    && options.read.format.is_none()
                    && is_clean(&after) =>
            {
                let read = read::Options { format: Some(format), ..options.read.clone() };
                let same = judge(id, next, &Options { read, ..options.clone() }, threads, search)?;
                Ok(if is_clean(&same) { same } else { after })
            }
            _ => Ok(after),
        }
    }

    /// What the plans come to. Lines stay where they are, if something else points at them; those of a session stay linked.
    fn rendered(&self, text: &TextOf<'_>, mut plans: Vec<HistoryPlan>, how: &How<'_>) -> io::Result<Made> {
        if let Some(editor) = plans.iter().find_map(|plan| plan.info.editor) {
            let store::Written { patch, touched, relinked } =
                store::write(self.id, text.bytes, &self.options.read, editor, &mut plans)?;
            let raised = TextEdits { changes: relinked, touched, ..TextEdits::default() };
            return Ok(Made { patch, raised, plans, ..Made::default() });
        }
        if let Some(start) = how.session {
            let limit = self.options.read.max_record;
            let session::Rendered { patch, changes, moved, disputes } =
                session::render(self.id, text.bytes, start, limit, &plans)?;
            let mut refusals = Vec::new();
            for plan in &mut plans {
                plan.changes.retain_mut(|change| {
                    if disputes.hold(change.row.at) {
                        refusals.extend(Refusal::of_change(change, session::DISPUTED));
                        return false;
                    }
                    let after = moved.get(&change.row.at).copied();
                    if change.action == Action::Move {
                        change.other = after.or(change.other);
                    }
                    after.is_none() || change.action != Action::Drop
                });
            }
            return Ok(Made {
                patch,
                raised: TextEdits { changes, refusals, ..TextEdits::default() },
                plans,
                disputes,
                is_read_anew: false,
            });
        }
        let mut patch = render(self.id, text.bytes, text.container, text.marks, &plans)?;
        if let Some(kept) = how.stays {
            patch = padding::pad(self.id, text.bytes, text.container, &patch, kept)?;
        }
        Ok(Made { patch, plans, ..Made::default() })
    }

    /// The edits of a round: on damaged lines, or else on all else, or else on the end of the file. Also the plans of which
    /// they are a part.
    fn edits(
        &self,
        text: &TextOf<'_>,
        judged: &[Judged],
        plans: Vec<HistoryPlan>,
        relinked: TextEdits,
        how: &How<'_>,
    ) -> io::Result<Made> {
        let hold = |edits: TextEdits| match how.stays {
            Some(_) => edits.that_move_no_line(text.bytes.len(), self.wanted.pinned),
            None => edits,
        };
        let mut damage = hold(text.damage(judged)?);
        if !damage.edits.is_empty() {
            let mut patch = Patch::default();
            patch.add(damage.edits.iter().cloned());
            return Ok(Made { patch, raised: damage, is_read_anew: true, ..Made::default() });
        }
        let mut rest = hold(text.rest(judged)?);
        rest.refusals.append(&mut damage.refusals);
        let is_read_anew = !relinked.edits.is_empty();
        rest.edits.extend(relinked.edits);
        rest.changes.extend(relinked.changes);
        let mut made = Made { is_read_anew, ..self.rendered(text, plans, how)? };
        made.patch.add(rest.edits.iter().cloned());
        made.raised.changes.append(&mut rest.changes);
        made.raised.refusals.append(&mut rest.refusals);
        if made.patch.is_empty() {
            let mut end = hold(text.last_newline(judged, how.is_changed));
            made.patch.add(end.edits.iter().cloned());
            made.raised.changes.append(&mut end.changes);
            made.raised.refusals.append(&mut end.refusals);
        }
        Ok(made)
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
        let empty = after.container == Container::Empty;
        if empty || after.format_name() != fixed.before.format_name() {
            let changed = fixed.changes.iter().map(|change| (change.history, OTHER_FORMAT));
            worse.extend(changed);
            return Ok(());
        }
        for change in &fixed.changes {
            touched.extend([Some(change.row.at), change.other].into_iter().flatten());
        }
        let pieces = Pieces::new(fixed.patch.edits(id), id, bytes.len());
        let kept = pieces.kept().collect();
        let after = Patched::new(bytes, pieces);
        let Fixed { before, .. } = &*fixed;
        let texts =
            Texts { id, before: bytes, after: &after, container: before.container, kept, lines: &before.lines };
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

/// Whether a value is a record of the doc, as the reader would see it.
fn is_record(format: Option<&'static dyn Format>, options: &read::Options, root: Val<'_>) -> bool {
    let Some(val) = pointer::resolve(root, &options.pointer) else { return false };
    match format.filter(|format| format.info().histories.span_records()) {
        Some(format) => format.knows(val) && format.detect(&Probe::new(val)) > 0,
        None => options.format.is_some() || detect::of_record(val, None).is_some(),
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

/// Of an item that goes in the end, only that is listed.
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

fn is_clean(doc: &JudgedDoc<HistoryPlan>) -> bool {
    doc.judged.iter().all(|judged| judged.severity < Severity::Warning)
}

/// Whether a doc is one object, and not a list.
fn is_body(doc: &JudgedDoc<HistoryPlan>, bytes: &dyn ReadAt) -> bool {
    let mut first = [0];
    let Container::Document { start } = doc.container else { return false };
    bytes.read_at(start, &mut first).is_ok_and(|n| n == 1) && first == *b"{"
}
