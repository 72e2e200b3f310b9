//! Calls and outputs in the plan: outputs go back after their calls, calls are answered or dropped, references give way
//! to the items that they name.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use crate::history::{Family, ItemFlags, Kind, NONE, Pair, PairState, Role, Row};
use crate::json::fingerprint;
use crate::judge::Judged;
use crate::rule::Loss;
use crate::rules::calls::orphan_output;

use super::history_plan::{Plan, cause};
use super::mode::Mode;
use super::rows::RowIndex;
use crate::repair::edit::insertion::Fresh;
use crate::repair::{Action, Cause, Orphans};

/// Where the next output of a group belongs.
struct Anchor {
    /// The first call that was not looked at.
    from: u32,
    behind: u32,
    /// The outputs after the group.
    run: Range<u32>,
}

impl Plan<'_> {
    /// Outputs that stand before their call, or apart from it, come after the calls of its batch, in call order. Where
    /// the target wants a turn's calls together, they come together too.
    pub(super) fn reorder(&mut self, rows: &RowIndex, judged: &[&Judged]) {
        if judged.is_empty() {
            return;
        }
        let outputs = self.outputs_by_call();
        let pairs = self.cx.history.pairs.iter().rev();
        let calls: HashMap<u32, u32> = pairs.map(|pair| (pair.output, pair.call)).collect();
        let mut moved: BTreeMap<u32, Cause> = BTreeMap::new();
        for judged in judged {
            let Some(ix) = rows.of(&judged.finding.row) else { continue };
            // RL103 is found on the output, RL110 on the call.
            let call = if self.cx.row(ix).kind.is_call() { Some(ix) } else { calls.get(&ix).copied() };
            if let Some(call) = call {
                moved.entry(call).or_insert(cause(judged));
            }
        }
        // Approvals are never part of a batch: a user answers them.
        let gathered = |call: u32| {
            self.cx.caps.contiguous_outputs && self.cx.row(call).kind.family() != Some(Family::Approval)
        };
        let (batches, others): (BTreeMap<_, _>, BTreeMap<_, _>) =
            moved.into_iter().partition(|(call, _)| gathered(*call));
        self.gather_batches(&batches, &outputs);
        let mut anchors = HashMap::new();
        for (call, cause) in others {
            if let Some(&output) = outputs.get(&call) {
                let anchor = self.next_anchor(call, &outputs, &mut anchors);
                self.move_behind(output, anchor, cause);
            }
        }
    }

    /// Outputs with calls that stand among orphans behind lonely reasoning go back to their calls: the orphans go, and
    /// nothing else would tell where these belong.
    pub(super) fn rejoin(&mut self, rows: &RowIndex, judged: &[&Judged]) {
        let orphans = judged.iter().filter(|judged| judged.finding.code == orphan_output::RULE.code);
        let mut sides = None;
        let mut run = 0..0;
        for judged in orphans {
            // Of each run one look is enough.
            let Some(ix) = rows.of(&judged.finding.row).filter(|ix| !run.contains(ix)) else { continue };
            run = self.run_of_outputs(ix);
            if !self.is_behind_lonely_reasoning(run.start) {
                continue;
            }
            let (outputs, calls) = sides.get_or_insert_with(|| {
                let outputs = self.outputs_by_call();
                let calls: HashMap<u32, u32> = outputs.iter().map(|(call, output)| (*output, *call)).collect();
                (outputs, calls)
            });
            let mut ours: Vec<(u32, u32)> =
                run.clone().filter_map(|output| calls.get(&output).map(|call| (*call, output))).collect();
            ours.sort_unstable();
            let mut anchors = HashMap::new();
            let mut moves: Vec<(u32, u32)> = ours
                .into_iter()
                .map(|(call, output)| (output, self.next_anchor(call, outputs, &mut anchors)))
                .collect();
            // Those that come to come after one item stay in their order.
            moves.sort_unstable();
            for (output, anchor) in moves {
                self.move_behind(output, anchor, cause(judged));
            }
        }
    }

    /// The run of outputs that a row lies in.
    fn run_of_outputs(&self, ix: u32) -> Range<u32> {
        let rows = &self.cx.history.rows;
        let before = rows.iter().take(ix as usize).rev().take_while(|row| row.is_client_output()).count() as u32;
        ix - before..self.end_of_outputs(ix)
    }

    /// Whether reasoning without an item that belongs to it comes before a row.
    fn is_behind_lonely_reasoning(&self, ix: u32) -> bool {
        let group = ix.checked_sub(1).and_then(|before| self.cx.history.group_of(before));
        group.is_some_and(|group| group.end == ix && group.has_reasoning() && !group.has_members())
    }

    /// Each call that has one output, and that output.
    fn outputs_by_call(&self) -> HashMap<u32, u32> {
        let paired = |state| {
            use PairState::{Answered, Mismatched, OutputFirst, PairAgain};
            matches!(state, Answered | OutputFirst | Mismatched | PairAgain)
        };
        let pairs = self.cx.history.pairs.iter().filter(|pair| paired(pair.state));
        pairs.map(|pair| (pair.call, pair.output)).collect()
    }

    fn end_of_outputs(&self, from: u32) -> u32 {
        let rows = self.cx.history.rows.iter().skip(from as usize);
        from + rows.take_while(|row| row.is_client_output()).count() as u32
    }

    fn move_behind(&mut self, ix: u32, anchor: u32, cause: Cause) {
        if ix == anchor || self.is_dropped(ix) || self.fate(ix).moved {
            return;
        }
        let row = *self.cx.row(ix);
        self.fate(ix).moved = true;
        self.fate(anchor).behind.push(Fresh::Moved(row, Vec::new()));
        let behind = self.cx.row(anchor).at;
        self.change_with(ix, cause, Action::Move, Loss::Lossless, "move it to after its call", Some(behind));
    }

    /// The calls up to the first output that answers one of them are a batch; its calls come together, their outputs
    /// after them, and what stood between follows; reasoning goes in front.
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
                    self.move_in_front(ix, first, cause);
                }
            }
            let together = batch.iter().zip(first..).take_while(|(call, place)| *call == place).count();
            let mut anchor = first + together as u32 - 1;
            for &call in batch.iter().skip(together) {
                self.move_behind(call, anchor, cause);
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
                self.move_behind(output, anchor, cause);
            }
        }
    }

    /// The calls from one on up to the first output that answers one of them, and where that is.
    fn batch_from(&self, first: u32, outputs: &HashMap<u32, u32>) -> (Vec<u32>, u32) {
        let mut batch = Vec::new();
        let mut wanted: HashSet<u32> = HashSet::new();
        let mut at = first;
        while let Some(row) = self.cx.history.rows.get(at as usize) {
            // What the user says ends the batch: calls after that answer it.
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

    fn move_in_front(&mut self, ix: u32, anchor: u32, cause: Cause) {
        let row = *self.cx.row(ix);
        self.fate(ix).moved = true;
        self.fate(anchor).before.push(Fresh::Moved(row, Vec::new()));
        let before = self.cx.row(anchor).at;
        self.change_with(ix, cause, Action::Move, Loss::Lossless, "move it to before the calls", Some(before));
    }

    /// Calls without an output: answered by a stub if the user wants that and one can be made, else dropped.
    pub(super) fn answer(&mut self, rows: &RowIndex, judged: &[&Judged]) {
        if judged.is_empty() {
            return;
        }
        let outputs = self.outputs_by_call();
        // Calls that nothing answers either, by the first one with their key.
        let mut twins: HashMap<u32, Vec<u32>> = HashMap::new();
        let again = |pair: &&Pair| pair.state == PairState::CallAgain && pair.output == NONE;
        for pair in self.cx.history.pairs.iter().filter(again) {
            twins.entry(pair.twin).or_default().push(pair.call);
        }
        let mut anchors = HashMap::new();
        for judged in judged {
            let Some(call) = rows.of(&judged.finding.row).filter(|call| !self.is_dropped(*call)) else { continue };
            if self.options.orphans == Orphans::Stub && self.can_stub(call) {
                let anchor = self.next_anchor(call, &outputs, &mut anchors);
                let row = *self.cx.row(call);
                self.fate(anchor).behind.push(Fresh::Stub(row));
                let what = "add a placeholder output";
                self.change(call, cause(judged), Action::Stub, Loss::Lossless, what);
            } else {
                self.drop_call(call, judged);
                // With the first of them gone the next one would be found, and so on.
                for twin in twins.remove(&call).unwrap_or_default() {
                    if self.is_dropped(call) && !self.is_dropped(twin) {
                        self.drop_call(twin, judged);
                    }
                }
            }
        }
        self.drop_idle_programs();
    }

    /// A program goes with the last of its calls: nothing that it printed is there either.
    fn drop_idle_programs(&mut self) {
        let cx = self.cx;
        let mut calls: HashMap<u64, (bool, Option<Cause>)> = HashMap::new();
        let lost = self.causes_of_loss();
        if !lost.keys().any(|ix| cx.row(*ix).has(ItemFlags::OWNED)) {
            return;
        }
        for (row, ix) in
            cx.history.rows.iter().zip(0..).filter(|(row, _)| row.has(ItemFlags::OWNED) && row.kind.is_call())
        {
            cx.look.look(row, &mut |call| {
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
            if let Some(at) = self.group_at(program) {
                self.unsettled.entry(at).or_insert(cause);
            }
        }
    }

    /// The row after which the output of a call belongs: the output of the nearest call before it in its group, if that
    /// comes after the group, else the group's last item. For calls that come in order, in one walk over each group.
    fn next_anchor(&self, call: u32, outputs: &HashMap<u32, u32>, anchors: &mut HashMap<usize, Anchor>) -> u32 {
        let Some(at) = self.group_at(call) else { return call };
        let Some(&group) = self.cx.history.groups.get(at) else { return call };
        let anchor = anchors.entry(at).or_insert_with(|| Anchor {
            from: group.body,
            behind: group.end - 1,
            run: group.end..self.end_of_outputs(group.end),
        });
        for sibling in anchor.from..call {
            if let Some(&output) = outputs.get(&sibling).filter(|output| anchor.run.contains(output))
                && !self.is_dropped(output)
            {
                anchor.behind = output;
            }
        }
        anchor.from = call;
        anchor.behind
    }

    fn can_stub(&self, call: u32) -> bool {
        !matches!(self.cx.row(call).kind, Kind::ComputerCall | Kind::ApplyPatchCall | Kind::Program)
    }

    fn drop_call(&mut self, call: u32, judged: &Judged) {
        if !self.may_lose() {
            return self.refuse(
                judged,
                "it would lose the call (--lossless); `replaylint fix --orphans stub FILE` adds a placeholder output",
            );
        }
        let at = self.group_at(call);
        let group = at.and_then(|at| self.cx.history.groups.get(at)).copied();
        if let Some(why) = group.and_then(|group| self.cannot_lose(&group)) {
            return self.refuse(judged, why);
        }
        self.drop_row(call, cause(judged), Loss::Lossy, "drop the unanswered call");
        if let Some(at) = at {
            self.unsettled.entry(at).or_insert(cause(judged));
        }
    }

    /// A reference gives way to the full item, if the doc holds it; else it goes.
    pub(super) fn inline(&mut self, rows: &RowIndex, judged: &Judged) {
        let Some(ix) = rows.of(&judged.finding.row).filter(|ix| !self.is_dropped(*ix)) else { return };
        let row = *self.cx.row(ix);
        let known = self.cx.known.item(row.id).filter(|item| !item.embedded && row.is_reference()).copied();
        if let Some(item) = known {
            let here = self.once.holds(&self.cx.history.rows, item.at);
            if here {
                let what = "drop the reference: the item itself is in the history";
                self.drop_row(ix, cause(judged), Loss::Lossless, what);
            } else if self.cx.look.same(&row, &Row { at: item.at, ..row }) {
                self.refuse(judged, "the item is not in the file as one value that could be copied");
            } else {
                self.fate(ix).replaced_by = Some(item.at);
                let what = "replace the reference by the item";
                self.change_with(ix, cause(judged), Action::Rewrite, Loss::Lossless, what, Some(item.at));
            }
            return;
        }
        if !self.may_lose() {
            return self.refuse(judged, "it would lose the item (--lossless)");
        }
        if let Some(why) = self.cx.history.group_of(ix).and_then(|group| self.cannot_lose(group)) {
            return self.refuse(judged, why);
        }
        self.drop_row(ix, cause(judged), Loss::Lossy, "drop the item, which has nothing after it");
        if let Some(output) = self.once.claimed_by(&self.cx.history.shapes.claims, ix) {
            self.drop_row(output, cause(judged), Loss::Lossy, "drop the output of the dropped call");
        }
        let Some(at) = self.group_at(ix) else { return };
        if row.is_reasoning() {
            // What it headed cannot prove itself any more.
            self.want(at, Mode::Flattened, cause(judged));
        } else {
            self.unsettled.entry(at).or_insert(cause(judged));
        }
    }
}
