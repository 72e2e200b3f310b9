//! Calls and outputs in the plan: outputs move back to their calls, calls get placeholder outputs or are dropped,
//! references are replaced by their items.

use std::collections::BTreeMap;
use std::ops::Range;

use foldhash::{HashMap, HashSet};

use crate::dialect::TextChange as Text;
use crate::history::{Family, ItemFlags, Kind, Pair, PairState, Role, Row};
use crate::json::{fingerprint, fingerprint_of};
use crate::rule::Loss;
use crate::rules::calls::orphan_output;

use super::chosen_act::ChosenAct;
use super::history_plan::PlanBuilder;
use super::planned_change::PlannedChange;
use super::reasons::{ITEM_NOT_IN_FILE, LOSES_CALL};
use crate::repair::edit::insertion::Insertion;
use crate::repair::{Action, Cause};

/// The position of the next output of a group.
struct OutputAnchor {
    /// The first call that was not examined yet.
    from: u32,
    after: u32,
    /// The outputs after the group.
    run: Range<u32>,
}

impl PlanBuilder<'_> {
    /// The cause of each lossy removal of such an item.
    pub(super) fn causes_of_loss(&self, is_such: impl Fn(&Row) -> bool) -> HashMap<u32, Cause> {
        let lost = |change: &&PlannedChange| change.action == Action::Drop && change.loss == Loss::Lossy;
        let of_items = self.item_changes.iter().filter(lost).map(|change| (change.ix, change.cause));
        of_items.filter(|(ix, _)| is_such(self.cx.row(*ix))).collect()
    }

    /// Moves outputs that precede their call, or are apart from it, after the calls of its batch, in call order.
    /// Where the target requires the calls of a turn together, the calls move as well.
    pub(super) fn reorder_outputs<'c>(&mut self, chosen: impl Iterator<Item = &'c ChosenAct<'c>>) {
        let mut moved: BTreeMap<u32, Cause> = BTreeMap::new();
        for chosen in chosen {
            let ix = chosen.at;
            // RL103 is found on the output, RL110 on the call.
            let call = match self.cx.row(ix).kind.is_call() {
                true => Some(ix),
                false => self.memo.call_of(&self.cx.history.pairs, ix),
            };
            if let Some(call) = call {
                moved.entry(call).or_insert(chosen.cause);
            }
        }
        if moved.is_empty() {
            return;
        }
        let outputs = self.memo.outputs_by_call(&self.cx.history.pairs);
        // Approvals are never part of a batch: a user answers them.
        let gathered = |call: u32| {
            self.cx.caps.contiguous_outputs && self.cx.row(call).kind.family() != Some(Family::Approval)
        };
        let (batches, others): (BTreeMap<_, _>, BTreeMap<_, _>) =
            moved.into_iter().partition(|(call, _)| gathered(*call));
        self.gather_batches(&batches, outputs);
        let mut anchors = HashMap::default();
        for (call, cause) in others {
            if let Some(&output) = outputs.get(&call) {
                let anchor = self.next_anchor(call, outputs, &mut anchors);
                self.move_after(output, anchor, cause);
            }
        }
    }

    /// Moves outputs with calls that are among orphans after lonely reasoning back to their calls: once the
    /// orphans are dropped, nothing else shows where they belong.
    pub(super) fn rejoin_outputs<'c>(&mut self, chosen: impl Iterator<Item = &'c ChosenAct<'c>>) {
        let orphans = chosen.filter(|chosen| chosen.judged.finding.code == orphan_output::RULE.code);
        let mut calls: Option<HashMap<u32, u32>> = None;
        let mut run = 0..0;
        for chosen in orphans {
            // Each run is examined once.
            let Some(ix) = Some(chosen.at).filter(|ix| !run.contains(ix)) else { continue };
            run = self.run_of_outputs(ix);
            if !self.follows_lonely_reasoning(run.start) {
                continue;
            }
            let outputs = self.memo.outputs_by_call(&self.cx.history.pairs);
            let calls =
                calls.get_or_insert_with(|| outputs.iter().map(|(call, output)| (*output, *call)).collect());
            let mut ours: Vec<(u32, u32)> =
                run.clone().filter_map(|output| calls.get(&output).map(|call| (*call, output))).collect();
            ours.sort_unstable();
            let mut anchors = HashMap::default();
            let mut moves: Vec<(u32, u32)> = ours
                .into_iter()
                .map(|(call, output)| (output, self.next_anchor(call, outputs, &mut anchors)))
                .collect();
            // Outputs that move after the same item keep their order.
            moves.sort_unstable();
            for (output, anchor) in moves {
                self.move_after(output, anchor, chosen.cause);
            }
        }
    }

    /// The run of outputs that contains a row.
    fn run_of_outputs(&self, ix: u32) -> Range<u32> {
        let rows = &self.cx.history.rows;
        let before = rows.iter().take(ix as usize).rev().take_while(|row| row.is_client_output()).count() as u32;
        ix - before..self.end_of_outputs(ix)
    }

    /// True if reasoning without an item of its own precedes a row.
    fn follows_lonely_reasoning(&self, ix: u32) -> bool {
        let group = ix.checked_sub(1).and_then(|before| self.cx.history.group_of(before));
        group.is_some_and(|group| group.end == ix && group.has_reasoning() && !group.has_members())
    }

    fn end_of_outputs(&self, from: u32) -> u32 {
        let rows = self.cx.history.rows.iter().skip(from as usize);
        from + rows.take_while(|row| row.is_client_output()).count() as u32
    }

    fn move_after(&mut self, ix: u32, anchor: u32, cause: Cause) {
        if ix == anchor || self.is_dropped(ix) || self.decision(ix).moved {
            return;
        }
        let row = *self.cx.row(ix);
        self.decision(ix).moved = true;
        self.decision(anchor).insert_after(vec![Insertion::Moved(row, Vec::new())]);
        let after = self.cx.row(anchor).at;
        self.note_change_beside(ix, cause, Action::Move, Loss::Lossless, "move it after its call", Some(after));
    }

    /// Gathers batches. The calls up to the first output that answers one of them are a batch; its calls come
    /// together, their outputs after them, and what was between them follows; reasoning comes first.
    fn gather_batches(&mut self, first_calls: &BTreeMap<u32, Cause>, outputs: &HashMap<u32, u32>) {
        let mut done = 0;
        for (&first, &cause) in first_calls {
            if first < done {
                continue;
            }
            let (batch, end) = self.batch_from(first, outputs);
            done = end;
            let answers: Vec<u32> = batch.iter().filter_map(|call| outputs.get(call).copied()).collect();
            for ix in first..end {
                if self.cx.row(ix).is_reasoning() {
                    self.move_before(ix, first, cause);
                }
            }
            let together = batch.iter().zip(first..).take_while(|(call, place)| *call == place).count();
            let mut anchor = first + together as u32 - 1;
            for &call in batch.iter().skip(together) {
                self.move_after(call, anchor, cause);
            }
            let mut apart = answers;
            if together == batch.len() {
                // Outputs that already follow the calls, in whatever order, stay where they are.
                let all: HashSet<u32> = apart.iter().copied().collect();
                let calls_end = anchor;
                while all.contains(&(anchor + 1)) {
                    anchor += 1;
                }
                apart.retain(|output| !(calls_end + 1..=anchor).contains(output));
            }
            for output in apart {
                self.move_after(output, anchor, cause);
            }
        }
    }

    /// The calls from one on up to the first output that answers one of them, and the index of that output.
    fn batch_from(&self, first: u32, outputs: &HashMap<u32, u32>) -> (Vec<u32>, u32) {
        let mut batch = Vec::new();
        let mut wanted: HashSet<u32> = HashSet::default();
        let mut at = first;
        while let Some(row) = self.cx.history.rows.get(at as usize) {
            // A message of the user ends the batch: later calls respond to it.
            if row.kind == Kind::Message && row.role == Role::User {
                break;
            }
            if row.is_client_call() && row.kind.family() != Some(Family::Approval) {
                batch.push(at);
                wanted.extend(outputs.get(&at));
            } else if wanted.contains(&at) {
                break;
            }
            at += 1;
        }
        (batch, at)
    }

    fn move_before(&mut self, ix: u32, anchor: u32, cause: Cause) {
        let row = *self.cx.row(ix);
        self.decision(ix).moved = true;
        self.decision(anchor).insert_before(vec![Insertion::Moved(row, Vec::new())]);
        let before = self.cx.row(anchor).at;
        self.note_change_beside(ix, cause, Action::Move, Loss::Lossless, "move it before the calls", Some(before));
    }

    /// Adds placeholder outputs to calls.
    pub(super) fn answer_calls<'c>(&mut self, chosen: impl Iterator<Item = &'c ChosenAct<'c>>) {
        let mut calls: Vec<&ChosenAct<'_>> = chosen.filter(|chosen| !self.is_dropped(chosen.at)).collect();
        if calls.is_empty() {
            return;
        }
        calls.sort_by_key(|chosen| chosen.at);
        let outputs = self.memo.outputs_by_call(&self.cx.history.pairs);
        let mut anchors = HashMap::default();
        for chosen in calls {
            if !self.cx.row(chosen.at).kind.is_answered_by_text() {
                self.refuse(&chosen.judged, NO_ANSWER);
                continue;
            }
            let anchor = self.next_anchor(chosen.at, outputs, &mut anchors);
            let row = *self.cx.row(chosen.at);
            self.decision(anchor).insert_after(vec![Insertion::Stub(row)]);
            let (what, place) = ("add a placeholder output", self.cx.row(anchor).at);
            self.note_change_beside(chosen.at, chosen.cause, Action::Stub, Loss::Adds, what, Some(place));
        }
    }

    /// Gives a new key to a call and the output after it that have none, if each is the only such one there.
    pub(super) fn rekey_items<'c>(&mut self, chosen: impl Iterator<Item = &'c ChosenAct<'c>>) {
        for chosen in chosen {
            let Some((call, output)) = self.keyless_pair(chosen.at) else {
                self.refuse(&chosen.judged, "there is no matching output next to it");
                continue;
            };
            if self.decisions.get(&call).is_some_and(|decision| !decision.text.is_empty()) {
                continue;
            }
            let row = self.cx.row(call);
            let seed = [row.id.to_le_bytes(), u64::from(call).to_le_bytes()].concat();
            let name = format!("call_{:016x}", fingerprint_of(&seed));
            for ix in [call, output] {
                self.decision(ix).change_text(Text::Rename(name.clone()));
                let what = "give the call and its output the same new call_id";
                self.note_change(ix, chosen.cause, Action::Rewrite, Loss::Lossless, what);
            }
        }
    }

    /// The only call without a key in a group, and the only output without one directly after the group.
    fn keyless_pair(&self, ix: u32) -> Option<(u32, u32)> {
        let history = self.cx.history;
        let is_empty = |row: &Row| row.key == 0;
        let at = match self.cx.row(ix).kind.is_call() {
            true => self.group_at(ix)?,
            false => self.group_at(self.run_of_outputs(ix).start.checked_sub(1)?)?,
        };
        let group = history.groups.get(at)?;
        let only = |range: Range<u32>, fits: fn(&Row) -> bool| {
            let mut all = range.filter(|ix| fits(self.cx.row(*ix)) && is_empty(self.cx.row(*ix)));
            all.next().filter(|_| all.next().is_none())
        };
        let call = only(group.start..group.end, Row::is_client_call)?;
        let output = only(group.end..self.end_of_outputs(group.end), Row::is_client_output)?;
        // The output of another kind of tool gets the type of its call then.
        let family = |ix: u32| match self.cx.row(ix).kind.family() {
            Some(Family::Custom) => Some(Family::Function),
            family => family,
        };
        (family(call) == family(output) && [call, output].contains(&ix)).then_some((call, output))
    }

    /// Drops programs with the last of their calls: their output is not stored either.
    pub(super) fn drop_idle_programs(&mut self) {
        let cx = self.cx;
        let mut calls: HashMap<u64, (bool, Option<Cause>)> = HashMap::default();
        let lost = self.causes_of_loss(|row| row.has(ItemFlags::OWNED));
        if lost.is_empty() {
            return;
        }
        for (row, ix) in
            cx.history.rows.iter().zip(0..).filter(|(row, _)| row.has(ItemFlags::OWNED) && row.kind.is_call())
        {
            cx.text.with_item(row, &mut |call| {
                if let Some(id) = call.at(&["caller", "caller_id"]).and_then(|id| id.as_str()) {
                    let of_program = calls.entry(fingerprint(id)).or_insert((true, None));
                    of_program.0 &= self.is_dropped(ix);
                    of_program.1 = of_program.1.or(lost.get(&ix).copied());
                }
            });
        }
        let open = |pair: &&Pair| pair.state == PairState::Open && cx.row(pair.call).kind == Kind::Program;
        let programs: Vec<u32> = cx.history.pairs.iter().filter(open).map(|pair| pair.call).collect();
        for program in programs {
            let Some(&(true, Some(cause))) = calls.get(&cx.row(program).key) else { continue };
            self.drop_row(program, cause, Loss::Lossy, "drop the program, because all its calls are dropped");
        }
    }

    /// The row after which the output of a call belongs: the output of the nearest call before it in its group, if
    /// that comes after the group, else the group's last item. Calls must come in order, so that each group is
    /// walked once.
    fn next_anchor(
        &self,
        call: u32,
        outputs: &HashMap<u32, u32>,
        anchors: &mut HashMap<usize, OutputAnchor>,
    ) -> u32 {
        let Some(at) = self.group_at(call) else { return call };
        let Some(&group) = self.cx.history.groups.get(at) else { return call };
        let anchor = anchors.entry(at).or_insert_with(|| OutputAnchor {
            from: group.body,
            after: group.end - 1,
            run: group.end..self.end_of_outputs(group.end),
        });
        for sibling in anchor.from..call {
            if let Some(&output) = outputs.get(&sibling).filter(|output| anchor.run.contains(output))
                && !self.is_dropped(output)
            {
                anchor.after = output;
            }
        }
        anchor.from = call;
        anchor.after
    }

    /// Drops an unanswered call.
    pub(super) fn drop_call(&mut self, chosen: &ChosenAct<'_>) {
        let (call, judged) = (chosen.at, &chosen.judged);
        if !self.may_lose() {
            return self.refuse(judged, LOSES_CALL);
        }
        let group = self.group_at(call).and_then(|at| self.cx.history.groups.get(at)).copied();
        if let Some(why) = group.and_then(|group| self.refusal_to_drop(&group)) {
            return self.refuse(judged, why);
        }
        self.drop_row(call, chosen.cause, Loss::Lossy, "drop the unanswered call");
        // Without the first of them, the next one would be found, and so on.
        for twin in self.memo.unanswered_twins(&self.cx.history.pairs, call) {
            self.drop_row(twin, chosen.cause, Loss::Lossy, "drop the unanswered call");
        }
    }

    /// Replaces a reference with the full item, if the doc contains it.
    pub(super) fn inline_reference(&mut self, chosen: &ChosenAct<'_>) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        if self.is_dropped(ix) {
            return;
        }
        let row = *self.cx.row(ix);
        let known = self.cx.stored_items.item(row.id).filter(|item| !item.embedded && row.is_reference()).copied();
        let Some(item) = known else { return self.refuse(judged, ITEM_NOT_IN_FILE) };
        if self.memo.contains_item(&self.cx.history.rows, item.at) {
            let what = "drop the reference: the item itself is in the history";
            self.drop_row(ix, chosen.cause, Loss::Lossless, what);
        } else if self.cx.text.same_content(&row, &Row { at: item.at, ..row }) {
            self.refuse(judged, "the file does not contain the item as a single value that can be copied");
        } else {
            self.decision(ix).replace_by(item.at);
            let what = "replace the reference with the item";
            self.note_change_beside(ix, chosen.cause, Action::Rewrite, Loss::Lossless, what, Some(item.at));
        }
    }

    /// Drops a reference, and the output of the call that it names.
    pub(super) fn drop_reference(&mut self, chosen: &ChosenAct<'_>) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        if !self.may_lose() {
            return self.refuse(judged, "it would lose the item (--lossless)");
        }
        if let Some(why) = self.cx.history.group_of(ix).and_then(|group| self.refusal_to_drop(group)) {
            return self.refuse(judged, why);
        }
        self.drop_row(ix, chosen.cause, Loss::Lossy, "drop the item, which has nothing after it");
        if let Some(output) = self.memo.claimed_by(&self.cx.history.call_patterns.references, ix) {
            self.drop_row(output, chosen.cause, Loss::Lossy, "drop the output of the dropped call");
        }
    }
}

const NO_ANSWER: &str = "a placeholder output cannot be written for this kind of call";
