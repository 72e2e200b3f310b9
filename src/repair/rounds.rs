//! Rounds: plan, patch, judge the patched bytes, and repeat until no finding is left whose fix applies. The pass
//! that judges a patch reads exactly what will be written, so its findings are those that remain.

use std::io;

use foldhash::HashSet;

use crate::format::{Format, NumberedLines, Probe};
use crate::history::{Code, Usage};
use crate::json::{Val, pointer};
use crate::judge::{JudgedDoc, Options, WeighedFinding, judge};
use crate::place::{DocId, Patch, Pieces, Place};
use crate::read::{self, detect};
use crate::source::bytes::loaded::LoadedBytes;
use crate::source::{Container, PatchedView, ReadAt, framing};
use crate::target::Severity;

use super::acceptance::ErrorCounts;
use super::doc_repair::{AbandonedHistories, DocRepair, ENDLESS, OTHER_FORMAT};
use super::edit::padding;
use super::edit::provider::{self, LogHeader, ProviderEdit};
use super::edit::render::render;
use super::edit::text::{TextEdits, TextRepair};
use super::guard::{self, PatchedTexts, RecordDetector};
use super::incremental::{self, RepairRound};
use super::plan::history_plan::HistoryPlan;
use super::removed;
use super::round_changes::{change_to_original, dedup_changes, group_to_original};
use super::search::{PlanUse, RepairSearch};
use super::session;
use super::store;
use super::surroundings::SurroundingsByPlace;
use super::{Action, FixOptions, LengthChange, LengthOptions, Refusal, SkippedGroup};

/// Number of rounds that are always allowed; after them another round follows only while each leaves fewer
/// findings.
const MIN_ROUNDS: usize = 5;

/// Total number of bytes that further rounds of a doc may read: many rounds are for small docs, so that the time
/// for a large one grows with its length.
const MAX_READ: u64 = 256 << 20;

/// Repairs a doc.
pub fn fix(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    fix_options: &FixOptions,
    threads: usize,
) -> io::Result<DocRepair> {
    RepairJob { id, bytes, options, fix_options, threads }.run(None)
}

/// Makes the default repair of a doc that was judged and planned already, except documents of several lines.
pub fn fix_judged(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    threads: usize,
    judged: JudgedDoc<HistoryPlan>,
) -> io::Result<DocRepair> {
    RepairJob { id, bytes, options, fix_options: &FixOptions::default(), threads }.run(Some(judged))
}

const NO_BETTER: &str = "the fix would not reduce the number of errors, so this history was not changed";

/// Context in which the edits of a round are made.
struct RoundContext<'h> {
    /// True if an earlier round has changed the doc.
    is_changed: bool,
    /// Set if the lines must keep their places.
    fixed_lines: Option<&'h dyn NumberedLines>,
    /// Offset of the first line, for a session whose lines name one another.
    session: Option<u64>,
}

/// The edits of a round.
#[derive(Default)]
struct RoundEdits {
    patch: Patch,
    /// Changes and refusals besides those of the plans.
    text_edits: TextEdits,
    plans: Vec<HistoryPlan>,
    /// Lines of a session that stay unchanged.
    disputes: session::DisputedLines,
    /// True if the round repairs damaged lines or lost links, which hide what follows them: more is read after it
    /// than before.
    needs_reread: bool,
}

struct RepairJob<'j> {
    id: DocId,
    bytes: &'j dyn ReadAt,
    options: &'j Options,
    fix_options: &'j FixOptions,
    threads: usize,
}

impl RepairJob<'_> {
    /// Repairs the doc without shortening it, which had the result that `why` says; `None` if it was not shortened.
    fn run_unshortened(&self, short: &DocRepair, why: &'static str) -> io::Result<Option<DocRepair>> {
        let Some(first) = short.changes.first().filter(|_| short.length.is_some()) else { return Ok(None) };
        let fix_options = &FixOptions { length: LengthOptions::default(), ..self.fix_options.clone() };
        let mut fixed = RepairJob { fix_options, ..*self }.run(None)?;
        fixed.skipped_groups.push(SkippedGroup::of(&first.row, why));
        Ok(Some(fixed))
    }

    /// Repairs the doc; `judged` is the doc before the repair, if it was judged already.
    fn run(&self, mut judged: Option<JudgedDoc<HistoryPlan>>) -> io::Result<DocRepair> {
        let (mut text, mut given_up) = (Vec::new(), AbandonedHistories::new());
        // Each item that changes is read several times.
        let loaded = LoadedBytes::load(self.bytes, &mut text)?;
        let job = RepairJob { bytes: loaded.as_ref().map_or(self.bytes, |loaded| loaded as &dyn ReadAt), ..*self };
        loop {
            let (mut fixed, mut worse) = job.attempt(&given_up, judged.take())?;
            let known = given_up.len();
            if worse.is_empty() && !job.is_final(&fixed, &given_up)? {
                worse.extend(fixed.changes.iter().map(|change| (change.history, OTHER_FORMAT)));
            }
            let why = worse.values().next().copied();
            if let Some(fixed) = why.map(|why| job.run_unshortened(&fixed, why)).transpose()?.flatten() {
                return Ok(fixed);
            }
            worse.into_iter().for_each(|(number, why)| {
                given_up.entry(number).or_insert(why);
            });
            if given_up.len() == known {
                fixed.abandoned = given_up;
                removed::list_removed(job.id, job.bytes, &mut fixed)?;
                fixed.changes = dedup_changes(std::mem::take(&mut fixed.changes));
                fixed.refuse_remaining(job.fix_options);
                return Ok(fixed);
            }
        }
    }

    /// True if a second run would change nothing: a repair that was abandoned because of the format of the file
    /// may become possible once the rest is repaired.
    fn is_final(&self, fixed: &DocRepair, given_up: &AbandonedHistories) -> io::Result<bool> {
        if fixed.patch.is_empty() || !given_up.values().any(|why| *why == OTHER_FORMAT) {
            return Ok(true);
        }
        let pieces = Pieces::new(fixed.patch.edits(self.id), self.id, self.bytes.len());
        let view = PatchedView::new(self.bytes, pieces);
        Ok(RepairJob { bytes: &view, ..*self }.run(None)?.patch.is_empty())
    }

    /// Repairs everything except the abandoned histories; also returns those to abandon next.
    fn attempt(
        &self,
        given_up: &AbandonedHistories,
        judged: Option<JudgedDoc<HistoryPlan>>,
    ) -> io::Result<(DocRepair, AbandonedHistories)> {
        let RepairJob { id, bytes, options, fix_options, threads } = *self;
        // If it is a record of a log, no other can be inserted next to it.
        let spread = framing::is_multiline_document(bytes)?;
        // Decisions of a round refer to places of its text, so each round gets a new search. Only the first one's plans are
        // shown.
        let search = || RepairSearch::new(fix_options, spread, fix_options.is_preview);
        let later_search = || search().for_use(PlanUse::Made);
        let before = match judged {
            Some(judged) => judged,
            None => judge(id, bytes, options, threads, &search())?,
        };
        let mut fixed = DocRepair::new(before);
        let mut first = ErrorCounts::of(&fixed.before);
        let mut touched: Vec<Place> = Vec::new();
        let (mut fewest, mut read) = (usize::MAX, 0);
        for round in 0.. {
            let view = PatchedView::new(bytes, Pieces::new(fixed.patch.edits(id), id, bytes.len()));
            let pieces = view.pieces();
            let current = fixed.after.as_mut().unwrap_or(&mut fixed.before);
            let container = current.container;
            // Lines also keep their places if another history of the doc needs that.
            let numbered = current.outputs.iter().find_map(|plan| plan.numbered);
            current.outputs.retain(|plan| !given_up.contains_key(&Some(plan.number)));
            let mut plans = std::mem::take(&mut current.outputs);
            if round == 0 {
                let around = plans.iter_mut().filter_map(|plan| plan.surroundings.take());
                fixed.surroundings = SurroundingsByPlace::new(around, |at| bytes.origin(at));
            }
            let session = session::start_of(container, current.format.map(|format| format.info().histories));
            let limit = options.read.max_record;
            // A lost link hides lines that change the meaning of everything after them, so links are repaired
            // first, and alone.
            let links = current.format.and_then(|format| session::links_of(container, format.info()));
            let mut relinked = match links.filter(|_| !given_up.contains_key(&None)) {
                Some((start, keys)) => {
                    session::relink(id, &view, start, limit, &keys, &current.findings, fix_options)?
                }
                None => TextEdits::default(),
            };
            if !relinked.edits.is_empty() {
                plans.clear();
            }
            fixed.refusals = plans.iter().flat_map(|plan| plan.refusals.iter().copied()).collect();
            fixed.refusals.append(&mut relinked.refusals);
            let left = plans.iter().flat_map(|plan| plan.skipped_groups.iter().copied());
            fixed.skipped_groups = left.map(|left| group_to_original(left, pieces, round)).collect();
            // Another round shortens what this one could not.
            if let Some(length) = plans.iter().filter_map(|plan| plan.length).reduce(LengthChange::plus) {
                let before = fixed.length.map_or(length.before, |first| first.before);
                fixed.length = Some(LengthChange { before, ..length });
            }
            let open = self.open_histories(&current.findings, &fixed.refusals, given_up);
            let read_by = current.format;
            let is_record_of_doc = |val: Val<'_>| is_record(read_by, &options.read, val);
            let marks = current.lines.as_slice();
            let placeholder = read_by.and_then(|format| format.info().placeholder);
            let text = TextRepair {
                id,
                bytes: &view,
                container,
                marks,
                fix_options,
                placeholder,
                is_record: &is_record_of_doc,
            };
            let is_changed = !fixed.patch.is_empty();
            let kept = current.format.and_then(|format| format.info().numbered_lines);
            fixed.has_numbered_lines |= numbered.is_some();
            let fixed_lines = kept.filter(|_| numbered.is_some() && !fix_options.writes_copy);
            let context = RoundContext { is_changed, fixed_lines, session };
            let RoundEdits { mut patch, mut text_edits, plans, disputes, needs_reread } =
                match given_up.contains_key(&None) {
                    true => self.render_plans(&text, plans, &context)?,
                    false => self.collect_edits(&text, &current.findings, plans, relinked, &context)?,
                };
            // Damaged lines are repaired first, and alone.
            let given = |judged: &&WeighedFinding| !needs_reread && !given_up.contains_key(&judged.history);
            let judged = || current.findings.iter().filter(given);
            let mut own = store::fill(&view, read_by, judged(), &options.read, fix_options)?;
            patch.add(own.edits.drain(..));
            text_edits.changes.append(&mut own.changes);
            text_edits.touched.append(&mut own.touched);
            text_edits.refusals.append(&mut own.refusals);
            let in_dispute =
                |judged: &&WeighedFinding| fix_options.selects(judged) && disputes.contains(judged.finding.row.at);
            text_edits
                .refusals
                .extend(judged().filter(in_dispute).map(|judged| Refusal::of(judged, session::DISPUTED)));
            fixed.refusals.append(&mut text_edits.refusals);
            let set = match kept {
                Some(kept) => {
                    let own = numbered.unwrap_or(0);
                    provider::set_provider(
                        id,
                        &view,
                        container,
                        &LogHeader { kept, own, has_fixed_lines: fixed_lines.is_some() },
                        fix_options,
                    )?
                }
                None => ProviderEdit::default(),
            };
            fixed.provider_refusal = set.refusal;
            patch.add(set.edits);
            if patch.is_empty() {
                break;
            }
            if round >= MIN_ROUNDS && (open.len() >= fewest || read > MAX_READ) {
                let endless = open.into_iter().map(|number| (number, ENDLESS)).collect();
                return Ok((fixed, endless));
            }
            fewest = fewest.min(open.len());
            let in_doc = plans.iter().filter(|plan| plan.info.editor.is_none());
            let rows = in_doc.flat_map(|plan| plan.rows()).map(|row| row.at).chain(text_edits.touched);
            touched.extend(rows.map(|at| if round > 0 { pieces.original(at) } else { at }));
            text_edits.changes.extend(set.change);
            fixed.patch = fixed.patch.then(&patch, |_| bytes.len());
            let next = PatchedView::new(bytes, Pieces::new(fixed.patch.edits(id), id, bytes.len()));
            read += next.len();
            let partial = if needs_reread {
                None
            } else {
                let (found, changes) = (fixed.remaining(), text_edits.changes.as_slice());
                let done =
                    RepairRound { id, before: &view, found, plans: &plans, changes, patch: &patch, after: &next };
                incremental::judge(&done, options, threads, &later_search())?
            };
            // The plans and the patch of a long history are large, and so is what it is judged with.
            let changes = plans.into_iter().flat_map(|plan| plan.changes).chain(text_edits.changes);
            fixed.changes.extend(changes.map(|change| change_to_original(change, pieces, round)));
            drop((patch, view));
            let after = match partial {
                Some(after) => after,
                None => self.judge_patched(&next, &later_search(), &fixed.before)?,
            };
            if needs_reread {
                // Only now is everything readable, so there may be more errors than before.
                first = ErrorCounts::of(&after);
            }
            fixed.after = Some(after);
        }
        fixed.changes = dedup_changes(std::mem::take(&mut fixed.changes));
        fixed.drop_number_findings(fix_options);
        let worse = fixed.after.as_ref().map(|after| first.not_improved(&ErrorCounts::of(after), &fixed.changes));
        let worse = worse.unwrap_or_default().into_iter().map(|number| (Some(number), NO_BETTER));
        let mut worse: AbandonedHistories = worse.collect();
        if fixed.after.is_some() && !fix_options.is_preview {
            self.check_result(&mut fixed, touched, &mut worse)?;
        }
        Ok((fixed, worse))
    }

    /// Judges the patched bytes. A request keeps the format that it had, if neither that format nor the one
    /// detected now has findings: a repair may remove what the format was recognised by, and either way nothing is
    /// left to repair.
    fn judge_patched(
        &self,
        next: &PatchedView<'_>,
        search: &RepairSearch<'_>,
        before: &JudgedDoc<HistoryPlan>,
    ) -> io::Result<JudgedDoc<HistoryPlan>> {
        let RepairJob { id, options, threads, .. } = *self;
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

    /// Renders the plans. Lines keep their places if other files refer to them; those of a session stay linked.
    fn render_plans(
        &self,
        text: &TextRepair<'_>,
        mut plans: Vec<HistoryPlan>,
        context: &RoundContext<'_>,
    ) -> io::Result<RoundEdits> {
        if let Some(editor) = plans.iter().find_map(|plan| plan.info.editor) {
            let store::StorePatch { patch, touched, link_changes } =
                store::write(self.id, text.bytes, &self.options.read, editor, &mut plans)?;
            let text_edits = TextEdits { changes: link_changes, touched, ..TextEdits::default() };
            return Ok(RoundEdits { patch, text_edits, plans, ..RoundEdits::default() });
        }
        if let Some(start) = context.session {
            let limit = self.options.read.max_record;
            let session::SessionPatch { patch, changes, moved, disputes } =
                session::render(self.id, text.bytes, start, limit, &plans)?;
            let mut refusals = Vec::new();
            for plan in &mut plans {
                plan.changes.retain_mut(|change| {
                    if disputes.contains(change.row.at) {
                        refusals.extend(Refusal::of_change(change, session::DISPUTED));
                        return false;
                    }
                    let after = moved.get(&change.row.at).copied();
                    if change.action == Action::Move {
                        change.anchor = after.or(change.anchor);
                    }
                    after.is_none() || change.action != Action::Drop
                });
            }
            return Ok(RoundEdits {
                patch,
                text_edits: TextEdits { changes, refusals, ..TextEdits::default() },
                plans,
                disputes,
                needs_reread: false,
            });
        }
        let mut patch = render(self.id, text.bytes, &self.options.read, text.container, text.marks, &plans)?;
        if let Some(kept) = context.fixed_lines {
            patch = padding::pad(self.id, text.bytes, text.container, &patch, kept)?;
        }
        Ok(RoundEdits { patch, plans, ..RoundEdits::default() })
    }

    /// The edits of a round, with its plans: on damaged lines, or else on everything else, or else on the end of
    /// the file.
    fn collect_edits(
        &self,
        text: &TextRepair<'_>,
        judged: &[WeighedFinding],
        plans: Vec<HistoryPlan>,
        relinked: TextEdits,
        context: &RoundContext<'_>,
    ) -> io::Result<RoundEdits> {
        let restrict = |edits: TextEdits| match context.fixed_lines {
            Some(_) => edits.without_line_moves(text.bytes.len(), self.fix_options.pinned),
            None => edits,
        };
        let mut damage = restrict(text.repair_damage(judged)?);
        if !damage.edits.is_empty() {
            let mut patch = Patch::default();
            patch.add(damage.edits.iter().cloned());
            return Ok(RoundEdits { patch, text_edits: damage, needs_reread: true, ..RoundEdits::default() });
        }
        let mut rest = restrict(text.repair_other(judged)?);
        rest.refusals.append(&mut damage.refusals);
        let needs_reread = !relinked.edits.is_empty();
        rest.edits.extend(relinked.edits);
        rest.changes.extend(relinked.changes);
        let mut made = RoundEdits { needs_reread, ..self.render_plans(text, plans, context)? };
        made.patch.add(rest.edits.iter().cloned());
        made.text_edits.changes.append(&mut rest.changes);
        made.text_edits.refusals.append(&mut rest.refusals);
        if made.patch.is_empty() {
            let mut end = restrict(text.last_newline(judged, context.is_changed));
            made.patch.add(end.edits.iter().cloned());
            made.text_edits.changes.append(&mut end.changes);
            made.text_edits.refusals.append(&mut end.refusals);
        }
        Ok(made)
    }

    /// The histories with findings that are to be fixed, once for each finding.
    fn open_histories(
        &self,
        judged: &[WeighedFinding],
        refusals: &[Refusal],
        given_up: &AbandonedHistories,
    ) -> Vec<Option<u32>> {
        let refused: HashSet<(Code, Place)> = refusals.iter().map(|refusal| (refusal.code, refusal.at)).collect();
        let open = judged.iter().filter(|judged| {
            self.fix_options.selects(judged)
                && !refused.contains(&(judged.finding.code, judged.finding.row.at))
                && !given_up.contains_key(&judged.history)
        });
        open.map(|judged| judged.history).collect()
    }

    /// Checks the result against the original: its format, and what the guard finds.
    fn check_result(
        &self,
        fixed: &mut DocRepair,
        mut touched: Vec<Place>,
        worse: &mut AbandonedHistories,
    ) -> io::Result<()> {
        let RepairJob { id, bytes, options, .. } = *self;
        let Some(after) = &fixed.after else { return Ok(()) };
        let empty = after.container == Container::Empty;
        if empty || after.format_name() != fixed.before.format_name() {
            let changed = fixed.changes.iter().map(|change| (change.history, OTHER_FORMAT));
            worse.extend(changed);
            return Ok(());
        }
        for change in &fixed.changes {
            touched.extend([Some(change.row.at), change.anchor].into_iter().flatten());
        }
        let pieces = Pieces::new(fixed.patch.edits(id), id, bytes.len());
        let kept = pieces.unchanged().collect();
        let after = PatchedView::new(bytes, pieces);
        let DocRepair { before, .. } = &*fixed;
        let texts = PatchedTexts {
            id,
            before: bytes,
            after: &after,
            container: before.container,
            kept,
            lines: &before.lines,
        };
        let format = fixed.before.format.filter(|_| options.read.format.is_none());
        let caught =
            guard::check(&texts, Some(&touched), &RecordDetector { steps: &options.read.pointer, format })?;
        if let Some(damage) = caught.damage {
            fixed.revert(damage.describe("the repair"), self.fix_options);
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

/// True if a value is a record of the doc, as the reader would see it.
fn is_record(format: Option<&'static dyn Format>, options: &read::Options, root: Val<'_>) -> bool {
    let Some(val) = pointer::resolve(root, &options.pointer) else { return false };
    match format.filter(|format| format.info().histories.span_records()) {
        Some(format) => format.accepts(val) && format.detect(&Probe::new(val)) > 0,
        None => options.format.is_some() || detect::of_record(val, None).is_some(),
    }
}

fn is_clean(doc: &JudgedDoc<HistoryPlan>) -> bool {
    doc.findings.iter().all(|judged| judged.severity < Severity::Warning)
}

/// True if a doc is one object, and not a list.
fn is_body(doc: &JudgedDoc<HistoryPlan>, bytes: &dyn ReadAt) -> bool {
    let mut first = [0];
    let Container::Document { start } = doc.container else { return false };
    bytes.read_at(start, &mut first).is_ok_and(|n| n == 1) && first == *b"{"
}
