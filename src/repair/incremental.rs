//! A log whose records are conversations by themselves is judged again where it was changed. Of its other records the same
//! is found as before, further back or further on; what may differ from judging the whole log is left to that.

use std::collections::{BTreeMap, HashSet};
use std::io;

use crate::history::{Finding, Row};
use crate::judge::{self, Judged, JudgedDoc, Options};
use crate::place::{DocId, Edit, Patch, Pieces, Place, With};
use crate::read::detect::{self, Answer, Reading};
use crate::rules::chat::assumed;
use crate::source::{Container, Held, Patched, ReadAt, framing, lines};

use super::plan::history_plan::HistoryPlan;
use super::plan::predicted::Predicted;
use super::search::{Search, is_new};
use super::{Change, Left, Refusal};

/// What was judged, and what is done to it.
pub(super) struct Round<'r> {
    pub id: DocId,
    pub before: &'r dyn ReadAt,
    /// What was found, without the plans.
    pub found: &'r JudgedDoc<HistoryPlan>,
    pub plans: &'r [HistoryPlan],
    /// What is changed besides.
    pub changes: &'r [Change],
    pub patch: &'r Patch,
    pub after: &'r dyn ReadAt,
}

/// Judges a log after a round of its repair. `None` if all of it is to be judged.
pub(super) fn judge(
    round: &Round<'_>,
    options: &Options,
    threads: usize,
    search: &Search<'_>,
) -> io::Result<Option<JudgedDoc<HistoryPlan>>> {
    let Some(lines) = Lines::of(round, options)? else { return Ok(None) };
    if lines.judged.is_empty() {
        return Ok(lines.joined(round, None));
    }
    let part = Patched::new(round.after, lines.pieces(round));
    let container = Container::Lines { start: 0 };
    let own = judge::judge_made(round.id, &part, container, options, threads, search)?;
    Ok(lines.joined(round, Some(own)))
}

/// A line that is judged again.
struct Line {
    /// Where it was, with its end.
    at: Place,
    /// Number of the record, and of the history that it is.
    record: u32,
    history: Option<u32>,
    /// Where it is now, and where among the lines that are judged again.
    now: u64,
    own: u64,
    /// Its length now.
    len: u64,
}

/// The lines that are judged again, in order, and the edits, which all lie in them.
struct Lines<'r> {
    lines: Vec<Line>,
    /// The numbers of those that are read; of the others the plans tell what is left.
    judged: Vec<usize>,
    /// What the plans of the others tell, by their histories.
    predicted: BTreeMap<u32, &'r Predicted>,
    edits: &'r [Edit],
    /// Bytes that were added before the edit of each number, less those that were removed; one more for all of them.
    grown: Vec<i64>,
}

/// At most one of so many records changes: else little is saved.
const ONE_OF: u64 = 2;

impl<'r> Lines<'r> {
    fn of(round: &Round<'r>, options: &Options) -> io::Result<Option<Lines<'r>>> {
        let (found, before) = (round.found, round.before);
        let places = places(round);
        let records = places.chunk_by(|a, b| a.1 == b.1).count();
        if records as u64 * ONE_OF > u64::from(found.records) || !is_plain(round, options)? {
            return Ok(None);
        }
        let edits = round.patch.edits(round.id);
        let mut grown = Vec::with_capacity(edits.len() + 1);
        let mut by = 0;
        for edit in edits {
            grown.push(by);
            by += edit.with.iter().map(|with| with.len() as i64).sum::<i64>() - i64::from(edit.at.len);
        }
        grown.push(by);
        let mut all =
            Lines { lines: Vec::new(), judged: Vec::new(), predicted: predicted(round, edits), edits, grown };
        let held = Held::new(before, found.container, &found.lines);
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
            let is_behind = all.lines.last().is_none_or(|last| last.at.end() <= line.start);
            if !line.contains(&at) || !is_behind {
                return Ok(None);
            }
            let first = next;
            // An edit of the end of the line would make another number of lines.
            let end = line.end() - u64::from(line.end() < before.len());
            while edits.get(next).is_some_and(|edit| line.start <= edit.at.start && edit.at.end() <= end) {
                next += 1;
            }
            let grown = |n: usize| all.grown.get(n).copied().unwrap_or_default();
            let now = line.start.saturating_add_signed(grown(first));
            let len = u64::from(line.len).saturating_add_signed(grown(next) - grown(first));
            all.lines.push(Line { at: line, record, history, now, own, len });
        }
        for (n, line) in all.lines.iter_mut().enumerate() {
            if line.history.is_none_or(|history| !all.predicted.contains_key(&history)) {
                line.own = own;
                own += line.len;
                all.judged.push(n);
            }
        }
        // Each of them is the history of one plan, and of each plan there is one.
        let mut known: Vec<u32> = all.lines.iter().filter_map(|line| line.history).collect();
        known.sort_unstable();
        let mut planned: Vec<u32> = round.plans.iter().map(|plan| plan.number).collect();
        planned.sort_unstable();
        Ok(Some(all).filter(|all| known == planned && known.len() == all.lines.len() && next == edits.len()))
    }

    /// The text after the round, without all other lines.
    fn pieces(&self, round: &Round<'_>) -> Pieces {
        Pieces::of(round.id, self.read().map(|line| line.now..line.now + line.len))
    }

    /// The lines that are read.
    fn read(&self) -> impl Iterator<Item = &Line> {
        self.judged.iter().filter_map(|n| self.lines.get(*n))
    }

    /// What is found of the whole log: `own` is what was found of these lines. `None` if they say something else by
    /// themselves.
    fn joined(&self, round: &Round<'_>, own: Option<JudgedDoc<HistoryPlan>>) -> Option<JudgedDoc<HistoryPlan>> {
        let found = round.found;
        let count = self.judged.len() as u32;
        let is_same = |own: &JudgedDoc<HistoryPlan>| {
            own.format_name() == found.format_name()
                && (own.records, own.histories) == (count, count)
                && own.alone
                && own.bugs.is_empty()
                && own.unsent.is_empty()
                && own.targets.iter().all(|target| found.targets.contains(target))
        };
        if own.as_ref().is_some_and(|own| !is_same(own)) {
            return None;
        }
        let planned = own.iter().flat_map(|own| &own.made);
        let made = planned.map(|plan| self.plan(plan)).collect::<Option<Vec<_>>>()?;
        let mut all = found.with_made(made);
        all.judged.retain(|judged| !self.holds(judged.finding.row.at.start));
        for judged in &mut all.judged {
            *judged = moved(judged, |at| self.moved(at));
        }
        for judged in self.predicted.values().flat_map(|predicted| &predicted.left) {
            all.judged.push(moved(judged, |at| self.moved(at)));
        }
        for one in own.iter().flat_map(|own| &own.judged) {
            let whole = self.of_whole(one)?;
            // It is said once, of the first record of a log.
            let is_again = whole.finding.code == assumed::RULE.code && whole.finding.row.record > 0;
            all.judged.extend((!is_again).then_some(whole));
        }
        all.judged.sort_by_key(Judged::order);
        let before: u64 = round.plans.iter().map(|plan| u64::from(plan.items)).sum();
        let now: u64 = self.predicted.values().map(|predicted| u64::from(predicted.items)).sum();
        all.items = all.items.saturating_sub(before) + now + own.as_ref().map_or(0, |own| own.items);
        all.slimmed |= own.as_ref().is_some_and(|own| own.slimmed);
        all.may_refer |= own.as_ref().is_some_and(|own| own.may_refer);
        for (start, _) in &mut all.lines {
            *start = self.moved(Place::new(round.id, *start, 0)).start;
        }
        Some(all)
    }

    /// Whether an offset in the text before lies in one of the lines.
    fn holds(&self, at: u64) -> bool {
        let next = self.lines.partition_point(|line| line.at.start <= at);
        next.checked_sub(1).and_then(|n| self.lines.get(n)).is_some_and(|line| at < line.at.end())
    }

    /// Where a place is now that no edit touched.
    fn moved(&self, at: Place) -> Place {
        let before = self.edits.partition_point(|edit| edit.at.start < at.start);
        let by = self.grown.get(before).copied().unwrap_or_default();
        Place { start: at.start.saturating_add_signed(by), ..at }
    }

    /// The line in which a place among these lines lies, and its number among them.
    fn line(&self, at: Place) -> Option<(usize, &Line)> {
        let own = |n: &usize| self.lines.get(*n).map_or(0, |line| line.own);
        let n = self.judged.partition_point(|line| own(line) <= at.start).checked_sub(1)?;
        let line = self.judged.get(n).and_then(|n| self.lines.get(*n))?;
        (at.end() <= line.own + line.len).then_some((n, line))
    }

    /// Where a place among these lines is in the whole log.
    fn place(&self, at: Place) -> Option<Place> {
        let (_, line) = self.line(at)?;
        Some(Place { start: at.start - line.own + line.now, ..at })
    }

    /// A finding on one of these lines as one of the whole log.
    fn of_whole(&self, judged: &Judged) -> Option<Judged> {
        let (n, line) = self.line(judged.finding.row.at)?;
        let number = n as u32;
        let is_own = judged.finding.row.record == number && judged.history.is_none_or(|own| own == number);
        let partner = judged.finding.partner;
        if !is_own || partner.is_some_and(|at| self.place(at).is_none()) {
            return None;
        }
        let mut whole = moved(judged, |at| self.place(at).unwrap_or(at));
        whole.finding.row.record = line.record;
        whole.history = judged.history.and(line.history);
        Some(whole)
    }

    /// A plan for one of these lines that changes nothing any more as one of the whole log.
    fn plan(&self, plan: &HistoryPlan) -> Option<HistoryPlan> {
        let is_over = plan.fates.is_empty() && plan.unset.is_empty() && plan.changes.is_empty();
        let line = self.judged.get(plan.number as usize).and_then(|n| self.lines.get(*n));
        let number = line.and_then(|line| line.history)?;
        if !is_over || plan.numbered.is_some() {
            return None;
        }
        let refusal = |refusal: &Refusal| Some(Refusal { at: self.place(refusal.at)?, ..*refusal });
        let left = |left: &Left| Some(Left { at: self.place(left.at)?, ..*left });
        Some(HistoryPlan {
            number,
            items: plan.items,
            info: plan.info,
            newest_first: plan.newest_first,
            numbered: None,
            fates: Vec::new(),
            unset: Vec::new(),
            changes: Vec::new(),
            around: Vec::new(),
            refusals: plan.refusals.iter().map(refusal).collect::<Option<_>>()?,
            left: plan.left.iter().map(left).collect::<Option<_>>()?,
            predicted: None,
        })
    }
}

/// Histories of which their plans tell what is left: all of it lies on items that are not changed themselves.
fn predicted<'r>(round: &Round<'r>, edits: &[Edit]) -> BTreeMap<u32, &'r Predicted> {
    let is_edited = |at: Place| {
        let next = edits.partition_point(|edit| edit.at.end() < at.start);
        edits.get(next).is_some_and(|edit| edit.at.start <= at.end())
    };
    let stays = |judged: &Judged| {
        let Finding { row, partner, .. } = &judged.finding;
        !is_new(row.at) && !partner.is_some_and(is_new) && !is_edited(row.at)
    };
    let holds = |predicted: &&Predicted| predicted.tells_all() && predicted.left.iter().all(stays);
    let plans = round.plans.iter().filter(|plan| plan.refusals.is_empty() && plan.left.is_empty());
    let all = plans.filter_map(|plan| Some((plan.number, plan.predicted.as_ref().filter(holds)?)));
    all.collect()
}

fn moved(judged: &Judged, to: impl Fn(Place) -> Place) -> Judged {
    let Finding { row, partner, .. } = judged.finding;
    let row = Row { at: to(row.at), ..row };
    Judged { finding: Finding { row, partner: partner.map(&to), ..judged.finding }, ..*judged }
}

/// Whether each record of the log speaks for itself, and is read by itself after the round, too; and no edit adds lines.
fn is_plain(round: &Round<'_>, options: &Options) -> io::Result<bool> {
    let Round { found, after, .. } = round;
    let has_line_end = |with: &With| matches!(with, With::Text(text) if memchr::memchr(b'\n', text).is_some());
    let is_plain = found.is_by_line()
        && found.container == Container::Lines { start: 0 }
        && found.bugs.is_empty()
        && found.unsent.is_empty()
        && !after.is_cut()
        && !round.patch.edits(round.id).iter().flat_map(|edit| &edit.with).any(has_line_end);
    if !is_plain || framing::sniff(*after)? != found.container {
        return Ok(false);
    }
    if options.read.format.is_some() {
        return Ok(true);
    }
    // The first records tell how all of them are read.
    let mut head = Vec::new();
    let first = lines::read(*after, 0, 0, options.read.max_record, &mut head)?;
    let told = detect::of(found.container, first.bytes, &options.read);
    Ok(matches!(told, Answer::Read(Reading::Each)))
}

/// Places in all lines that change or whose repair is refused, in order, with the numbers of their records and, where it is
/// known, histories.
fn places(round: &Round<'_>) -> Vec<(Place, u32, Option<u32>)> {
    let planned: HashSet<u32> = round.plans.iter().map(|plan| plan.number).collect();
    let of_plans = round.plans.iter().flat_map(|plan| &plan.changes);
    let changes = of_plans.chain(round.changes).map(|change| (change.row.at, change.row.record, change.history));
    let found = round.found.judged.iter().filter(|judged| judged.history.is_some_and(|n| planned.contains(&n)));
    let found = found.map(|judged| (judged.finding.row.at, judged.finding.row.record, judged.history));
    let mut all: Vec<_> = changes.chain(found).collect();
    all.sort_unstable_by_key(|(at, record, history)| (at.order(), *record, *history));
    all
}
