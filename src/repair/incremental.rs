//! Incremental judging: a log whose records are conversations of their own is judged again only where it was
//! changed. The findings on its other records stay, at shifted places; where that might differ from judging the
//! whole log, the whole log is judged.

use std::collections::BTreeMap;
use std::io;

use foldhash::HashSet;

use crate::history::{Finding, Row};
use crate::judge::{self, JudgedDoc, Options, WeighedFinding};
use crate::place::{DocId, Edit, Patch, Pieces, Place, ReplacementPart};
use crate::read::detect::{self, Detection, LineSample, RecordReading};
use crate::rules::chat::assumed;
use crate::source::{CachedReader, Container, PatchedView, ReadAt, framing, lines};

use super::plan::history_plan::HistoryPlan;
use super::plan::outcome::PlanOutcome;
use super::search::{RepairSearch, is_new};
use super::{ItemChange, Refusal, SkippedGroup};

/// The input of a round: what was judged, and how it is changed.
pub(super) struct RepairRound<'r> {
    pub id: DocId,
    pub before: &'r dyn ReadAt,
    /// The findings, without the plans.
    pub found: &'r JudgedDoc<HistoryPlan>,
    pub plans: &'r [HistoryPlan],
    /// Changes besides those of the plans.
    pub changes: &'r [ItemChange],
    pub patch: &'r Patch,
    pub after: &'r dyn ReadAt,
}

/// Judges a log after a round of its repair; `None` if the whole log must be judged.
pub(super) fn judge(
    round: &RepairRound<'_>,
    options: &Options,
    threads: usize,
    search: &RepairSearch<'_>,
) -> io::Result<Option<JudgedDoc<HistoryPlan>>> {
    let Some(lines) = RejudgedLines::of(round, options)? else { return Ok(None) };
    if lines.judged.is_empty() {
        return Ok(lines.merge(round, None));
    }
    let part = PatchedView::new(round.after, lines.pieces(round));
    let container = Container::Lines { start: 0 };
    let own = judge::judge_in_container(round.id, &part, container, options, threads, search, None)?;
    Ok(lines.merge(round, Some(own)))
}

/// A line that is judged again.
struct RejudgedLine {
    /// Its place before the round, with its line end.
    at: Place,
    /// Number of the record, and of the history that it contains.
    record: u32,
    history: Option<u32>,
    /// Its offset after the round, and its offset among the rejudged lines.
    new_start: u64,
    part_start: u64,
    /// Its length after the round.
    len: u64,
}

/// The lines that are judged again, in order, and the edits, all of which are in them.
struct RejudgedLines<'r> {
    lines: Vec<RejudgedLine>,
    /// Indices of the lines that are read; for the others the plans predict the remaining findings.
    judged: Vec<usize>,
    /// The predictions of the plans for the others, by number of the history.
    predicted: BTreeMap<u32, &'r PlanOutcome>,
    edits: &'r [Edit],
    /// Bytes that were added before each edit minus those removed; one more entry for the total.
    growth: Vec<i64>,
}

/// Judging records by themselves pays off if at most one of this many is judged again.
const MIN_RECORDS_PER_CHANGE: u64 = 2;

impl<'r> RejudgedLines<'r> {
    fn of(round: &RepairRound<'r>, options: &Options) -> io::Result<Option<RejudgedLines<'r>>> {
        let (found, before) = (round.found, round.before);
        let places = changed_places(round);
        let edits = round.patch.edits(round.id);
        let predicted = conclusive_outcomes(round, edits);
        let is_predicted = |history: Option<u32>| history.is_some_and(|number| predicted.contains_key(&number));
        let records = places.chunk_by(|a, b| a.1 == b.1);
        let open = records.filter(|places| !places.iter().any(|(.., history)| is_predicted(*history))).count();
        if open as u64 * MIN_RECORDS_PER_CHANGE > u64::from(found.records) || !is_log_of_documents(round, options)?
        {
            return Ok(None);
        }
        let mut growth = Vec::with_capacity(edits.len() + 1);
        let mut by = 0;
        for edit in edits {
            growth.push(by);
            by += edit.with.iter().map(|with| with.len() as i64).sum::<i64>() - i64::from(edit.at.len);
        }
        growth.push(by);
        let mut all = RejudgedLines { lines: Vec::new(), judged: Vec::new(), predicted, edits, growth };
        let held = CachedReader::new(before, found.container, &found.lines);
        let (mut next, mut own) = (0, 0u64);
        for (at, record, history) in places {
            if let Some(line) = all.lines.last_mut().filter(|line| line.at.contains(&at)) {
                if record != line.record || (history.is_some() && line.history.is_some_and(|n| Some(n) != history))
                {
                    return Ok(None);
                }
                line.history = line.history.or(history);
                continue;
            }
            let line = held.line_around(round.id, 0, at.start)?;
            let is_after = all.lines.last().is_none_or(|last| last.at.end() <= line.start);
            if !line.contains(&at) || !is_after {
                return Ok(None);
            }
            let first = next;
            // An edit of the line end would change the number of lines.
            let end = line.end() - u64::from(line.end() < before.len());
            while edits.get(next).is_some_and(|edit| line.start <= edit.at.start && edit.at.end() <= end) {
                next += 1;
            }
            let growth = |n: usize| all.growth.get(n).copied().unwrap_or_default();
            let now = line.start.saturating_add_signed(growth(first));
            let len = u64::from(line.len).saturating_add_signed(growth(next) - growth(first));
            all.lines.push(RejudgedLine { at: line, record, history, new_start: now, part_start: own, len });
        }
        // A plan does not predict what is found on other histories of its record, and on the record itself.
        let others = found.findings.iter().filter_map(|judged| {
            let line = all.line_before(judged.finding.row.at.start)?;
            line.history.filter(|history| judged.history != Some(*history))
        });
        let others: Vec<u32> = others.collect();
        others.iter().for_each(|history| _ = all.predicted.remove(history));
        for (n, line) in all.lines.iter_mut().enumerate() {
            if line.history.is_none_or(|history| !all.predicted.contains_key(&history)) {
                line.part_start = own;
                own += line.len;
                all.judged.push(n);
            }
        }
        // There must be exactly one line for each plan.
        let mut known: Vec<u32> = all.lines.iter().filter_map(|line| line.history).collect();
        known.sort_unstable();
        let mut planned: Vec<u32> = round.plans.iter().map(|plan| plan.number).collect();
        planned.sort_unstable();
        Ok(Some(all).filter(|all| known == planned && known.len() == all.lines.len() && next == edits.len()))
    }

    /// The rejudged lines of the text after the round.
    fn pieces(&self, round: &RepairRound<'_>) -> Pieces {
        Pieces::of(round.id, self.rejudged().map(|line| line.new_start..line.new_start + line.len))
    }

    /// The lines that are read again.
    fn rejudged(&self) -> impl Iterator<Item = &RejudgedLine> {
        self.judged.iter().filter_map(|n| self.lines.get(*n))
    }

    /// The findings on the whole log, where `own` are those on the rejudged lines; `None` if these lines are read
    /// differently by themselves.
    fn merge(
        &self,
        round: &RepairRound<'_>,
        own: Option<JudgedDoc<HistoryPlan>>,
    ) -> Option<JudgedDoc<HistoryPlan>> {
        let found = round.found;
        let count = self.judged.len() as u32;
        let is_same = |own: &JudgedDoc<HistoryPlan>| {
            own.format_name() == found.format_name()
                && (own.records, own.histories) == (count, count)
                && own.is_self_contained
                && own.bugs.is_empty()
                && own.unsent.is_empty()
                && own.targets.iter().all(|target| found.targets.contains(target))
        };
        if own.as_ref().is_some_and(|own| !is_same(own)) {
            return None;
        }
        let planned = own.iter().flat_map(|own| &own.outputs);
        let made = planned.map(|plan| self.log_plan(plan)).collect::<Option<Vec<_>>>()?;
        let mut all = found.with_outputs(made);
        all.findings.retain(|judged| self.line_before(judged.finding.row.at.start).is_none());
        for judged in &mut all.findings {
            *judged = with_places(judged, |at| self.new_place(at));
        }
        for judged in self.predicted.values().flat_map(|predicted| &predicted.remaining) {
            all.findings.push(with_places(judged, |at| self.new_place(at)));
        }
        for one in own.iter().flat_map(|own| &own.findings) {
            let whole = self.log_finding(one)?;
            // It is reported once, on the first record of a log.
            let is_again = whole.finding.code == assumed::RULE.code && whole.finding.row.record > 0;
            all.findings.extend((!is_again).then_some(whole));
        }
        all.findings.sort_by_key(WeighedFinding::sort_key);
        let before: u64 = round.plans.iter().map(|plan| u64::from(plan.items)).sum();
        let now: u64 = self.predicted.values().map(|predicted| u64::from(predicted.items)).sum();
        all.items = all.items.saturating_sub(before) + now + own.as_ref().map_or(0, |own| own.items);
        all.slimmed |= own.as_ref().is_some_and(|own| own.slimmed);
        all.may_have_references |= own.as_ref().is_some_and(|own| own.may_have_references);
        for (start, _) in &mut all.lines {
            *start = self.new_place(Place::new(round.id, *start, 0)).start;
        }
        Some(all)
    }

    /// The line that contains an offset in the text before.
    fn line_before(&self, at: u64) -> Option<&RejudgedLine> {
        let next = self.lines.partition_point(|line| line.at.start <= at);
        next.checked_sub(1).and_then(|n| self.lines.get(n)).filter(|line| at < line.at.end())
    }

    /// The place after the round of a place that no edit touched.
    fn new_place(&self, at: Place) -> Place {
        let before = self.edits.partition_point(|edit| edit.at.start < at.start);
        let by = self.growth.get(before).copied().unwrap_or_default();
        Place { start: at.start.saturating_add_signed(by), ..at }
    }

    /// The line that contains a place among the rejudged lines, and its index among them.
    fn line_at(&self, at: Place) -> Option<(usize, &RejudgedLine)> {
        let own = |n: &usize| self.lines.get(*n).map_or(0, |line| line.part_start);
        let n = self.judged.partition_point(|line| own(line) <= at.start).checked_sub(1)?;
        let line = self.judged.get(n).and_then(|n| self.lines.get(*n))?;
        (at.end() <= line.part_start + line.len).then_some((n, line))
    }

    /// The place in the whole log of a place among the rejudged lines.
    fn log_place(&self, at: Place) -> Option<Place> {
        let (_, line) = self.line_at(at)?;
        Some(Place { start: at.start - line.part_start + line.new_start, ..at })
    }

    /// A finding on one of the rejudged lines as a finding on the whole log.
    fn log_finding(&self, judged: &WeighedFinding) -> Option<WeighedFinding> {
        let (n, line) = self.line_at(judged.finding.row.at)?;
        let number = n as u32;
        let is_own = judged.finding.row.record == number && judged.history.is_none_or(|own| own == number);
        let partner = judged.finding.partner;
        if !is_own || partner.is_some_and(|at| self.log_place(at).is_none()) {
            return None;
        }
        let mut whole = with_places(judged, |at| self.log_place(at).unwrap_or(at));
        whole.finding.row.record = line.record;
        whole.history = judged.history.and(line.history);
        Some(whole)
    }

    /// A plan for one of the rejudged lines as a plan for the whole log; `None` if it still changes something.
    fn log_plan(&self, plan: &HistoryPlan) -> Option<HistoryPlan> {
        let is_over = plan.decisions.is_empty() && plan.removed_members.is_empty() && plan.changes.is_empty();
        let line = self.judged.get(plan.number as usize).and_then(|n| self.lines.get(*n));
        let number = line.and_then(|line| line.history)?;
        if !is_over || plan.numbered.is_some() {
            return None;
        }
        let refusal = |refusal: &Refusal| Some(Refusal { at: self.log_place(refusal.at)?, ..*refusal });
        let left = |left: &SkippedGroup| Some(SkippedGroup { at: self.log_place(left.at)?, ..*left });
        Some(HistoryPlan {
            number,
            items: plan.items,
            info: plan.info,
            newest_first: plan.newest_first,
            numbered: None,
            decisions: Vec::new(),
            removed_members: Vec::new(),
            changes: Vec::new(),
            surroundings: None,
            refusals: plan.refusals.iter().map(refusal).collect::<Option<_>>()?,
            length: plan.length,
            skipped_groups: plan.skipped_groups.iter().map(left).collect::<Option<_>>()?,
            outcome: None,
        })
    }
}

/// Histories whose plans predict the remaining findings reliably: all of these are on items that do not change.
fn conclusive_outcomes<'r>(round: &RepairRound<'r>, edits: &[Edit]) -> BTreeMap<u32, &'r PlanOutcome> {
    let is_edited = |at: Place| {
        let next = edits.partition_point(|edit| edit.at.end() < at.start);
        edits.get(next).is_some_and(|edit| edit.at.start <= at.end())
    };
    let stays = |judged: &WeighedFinding| {
        let Finding { row, partner, .. } = &judged.finding;
        !is_new(row.at) && !partner.is_some_and(is_new) && !is_edited(row.at)
    };
    let holds = |predicted: &&PlanOutcome| predicted.is_conclusive() && predicted.remaining.iter().all(stays);
    let plans = round.plans.iter().filter(|plan| plan.refusals.is_empty() && plan.skipped_groups.is_empty());
    let all = plans.filter_map(|plan| Some((plan.number, plan.outcome.as_ref().filter(holds)?)));
    all.collect()
}

fn with_places(judged: &WeighedFinding, to: impl Fn(Place) -> Place) -> WeighedFinding {
    let Finding { row, partner, .. } = judged.finding;
    let row = Row { at: to(row.at), ..row };
    WeighedFinding { finding: Finding { row, partner: partner.map(&to), ..judged.finding }, ..*judged }
}

/// True if each record of the log is read by itself, before and after the round, and no edit adds lines.
fn is_log_of_documents(round: &RepairRound<'_>, options: &Options) -> io::Result<bool> {
    let RepairRound { found, after, .. } = round;
    let has_line_end = |with: &ReplacementPart| matches!(with, ReplacementPart::Text(text) if memchr::memchr(b'\n', text).is_some());
    let is_plain = found.is_by_line()
        && found.container == Container::Lines { start: 0 }
        && found.bugs.is_empty()
        && found.unsent.is_empty()
        && !after.is_truncated()
        && !round.patch.edits(round.id).iter().flat_map(|edit| &edit.with).any(has_line_end);
    if !is_plain || framing::sniff(*after)? != found.container {
        return Ok(false);
    }
    if options.read.format.is_some() {
        return Ok(true);
    }
    // The first records decide how all of them are read.
    let mut head = Vec::new();
    let first = lines::read_sample(*after, 0, options.read.max_record, &mut head)?;
    let mut sample = LineSample::new(first.bytes, first.start, &options.read.pointer);
    let answer = detect::detect_lines(found.container, &mut sample, &options.read);
    Ok(matches!(answer, Detection::Read(RecordReading::Each)))
}

/// Places in all lines that change or whose repair is refused, in order, with the numbers of their records and, if
/// known, of their histories.
fn changed_places(round: &RepairRound<'_>) -> Vec<(Place, u32, Option<u32>)> {
    let planned: HashSet<u32> = round.plans.iter().map(|plan| plan.number).collect();
    let of_plans = round.plans.iter().flat_map(|plan| &plan.changes);
    let changes = of_plans.chain(round.changes).map(|change| (change.row.at, change.row.record, change.history));
    let found = round.found.findings.iter().filter(|judged| judged.history.is_some_and(|n| planned.contains(&n)));
    let found = found.map(|judged| (judged.finding.row.at, judged.finding.row.record, judged.history));
    let mut all: Vec<_> = changes.chain(found).collect();
    all.sort_unstable_by_key(|(at, record, history)| (at.order(), *record, *history));
    all
}
