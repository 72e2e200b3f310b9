//! The plan of a history whose messages contain blocks. Results are moved directly after their calls, real ones
//! before placeholders; a message is dropped with the last of its blocks.

use std::collections::BTreeMap;

use foldhash::HashMap;

use crate::dialect::TextChange as Text;
use crate::history::{Flags, KEYLESS, Kind, NONE, PairState, RepairAct};
use crate::json::fingerprint_of;
use crate::json::value_edit::ValueEdit;
use crate::rule::Loss;
use crate::target::Trait;

use super::answered_calls::call_key;
use super::blocks::NOT_IN_LIST;
use super::chosen_act::ChosenAct;
use super::history_plan::PlanBuilder;
use super::reasons::{LONE, LOSES_CALL, LOSES_CONTENT};
use super::short_key::short_key;
use crate::repair::Action;
use crate::repair::edit::insertion::Insertion;

const IN_ANSWER: &str = "a recorded response follows it, and no result can be inserted between them";

/// A result that is to be moved or added to a step.
struct PendingResult {
    call: u32,
    /// The row of the result; `None` for a placeholder.
    from: Option<u32>,
    cause: crate::repair::Cause,
}

type PendingResults = BTreeMap<u32, Vec<PendingResult>>;

impl PlanBuilder<'_> {
    pub(super) fn plan_turns(&mut self, chosen: &[ChosenAct<'_>]) {
        let of = |act: RepairAct| chosen.iter().filter(move |chosen| chosen.act == act);
        self.rename(of(RepairAct::Rename));
        self.rekey(of(RepairAct::Rekey));
        of(RepairAct::Hoist).for_each(|chosen| self.hoist(chosen));
        for chosen in chosen {
            if let RepairAct::EditValue(mend) = chosen.act {
                self.apply_value_edit(chosen, mend);
            }
        }
        of(RepairAct::Retype).for_each(|chosen| self.rename_like_call(chosen));
        of(RepairAct::AsText).for_each(|chosen| self.turn_into_text(chosen));
        of(RepairAct::Drop).for_each(|chosen| self.drop_block(chosen));
        let mut pending = PendingResults::new();
        for chosen in of(RepairAct::Reorder).chain(of(RepairAct::Answer)) {
            match self.is_copy(chosen.at) {
                true => self.drop_copy(chosen),
                false => self.bring_result(chosen, &mut pending),
            }
        }
        of(RepairAct::Advance).for_each(|chosen| self.move_before_call(chosen));
        for (step, list) in pending {
            self.place_results(step, list);
        }
        of(RepairAct::Split).for_each(|chosen| self.split_message(chosen));
        self.shorten_by_flag();
        self.drop_thinking_by_flag();
        self.strip_reasoning_members_by_flag();
        self.drop_idle_thinking();
        self.drop_empty_messages();
        of(RepairAct::Bridge).for_each(|chosen| self.add_bridge(chosen));
        of(RepairAct::AskToContinue).for_each(|chosen| self.add_continuation(chosen));
        for chosen in chosen {
            if let RepairAct::EditRequest(mend) = chosen.act {
                self.apply_request_edit(chosen, mend);
            }
        }
        self.change_images_by_flag();
        if self.cx.has(Trait::BoundThinking) && !self.is_partial {
            self.drop_unbound_thinking(chosen);
        }
    }

    fn apply_value_edit(&mut self, chosen: &ChosenAct<'_>, mend: &'static ValueEdit) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let variant = judged.variant();
        if variant.loss == Loss::Lossy && !self.may_lose() {
            return self.refuse(judged, LOSES_CONTENT);
        }
        let change = Text::EditValue(mend);
        if !self.decision(ix).text.contains(&change) {
            self.decision(ix).change_text(change);
            self.note_change(ix, chosen.cause, Action::Rewrite, variant.loss, variant.fix);
        }
    }

    /// Adds a message of the user that asks the model to continue after its last message.
    fn add_continuation(&mut self, chosen: &ChosenAct<'_>) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        if self.dialect.info().continuation.is_none()
            || self.decisions.get(&ix).is_some_and(|decision| !decision.stays())
        {
            return;
        }
        if self.cx.row(ix).has(Flags::ALONE) {
            return self.refuse(judged, NOT_IN_LIST);
        }
        self.decision(ix).insert_after(vec![Insertion::Continuation]);
        self.note_change(ix, chosen.cause, Action::Stub, Loss::Adds, judged.variant().fix);
    }

    fn add_bridge(&mut self, chosen: &ChosenAct<'_>) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        // If it is dropped or gets another predecessor, the next round judges it again.
        let goes = |ix: u32| {
            self.decisions.get(&ix).is_some_and(|decision| !decision.stays() || !decision.after.is_empty())
        };
        if self.dialect.info().bridge.is_none() || goes(ix) || ix.checked_sub(1).is_some_and(goes) {
            return;
        }
        self.decision(ix).insert_before(vec![Insertion::Bridge]);
        self.note_change(ix, chosen.cause, Action::Stub, Loss::Adds, judged.variant().fix);
    }

    /// True if an open call is a copy of one that has a result: a placeholder would answer one call twice. A call
    /// that the model repeats after a message of the user is a call of its own, whatever its id.
    fn is_copy(&self, ix: u32) -> bool {
        if self.memo.pair_of(&self.cx.history.pairs, ix).is_none_or(|pair| pair.state != PairState::Open) {
            return false;
        }
        let answered = self.memo.answered(self.cx, self.dialect.info().pairing);
        let Some(calls) =
            call_key(self.cx, self.dialect.info().pairing, ix).and_then(|name| answered.by_key.get(&name))
        else {
            return false;
        };
        // The nearest ones on both sides suffice: copies are close to the original.
        let at = calls.partition_point(|call| *call < ix);
        let near = calls.iter().skip(at.saturating_sub(1)).take(2);
        let (row, look, messages) = (self.cx.row(ix), self.cx.text, &self.cx.history.messages);
        let user_turns =
            |ix: u32| messages.number_of(ix).and_then(|number| answered.user_turns.get(number as usize));
        near.into_iter()
            .any(|call| user_turns(*call) == user_turns(ix) && look.same_content(row, self.cx.row(*call)))
    }

    fn drop_copy(&mut self, chosen: &ChosenAct<'_>) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        if self.would_empty_lone_message(ix) {
            return self.refuse(judged, LONE);
        }
        self.drop_row(ix, chosen.cause, Loss::Lossless, "drop the copy of an answered call");
    }

    /// Gives a call its result: the real one if it is elsewhere, else a placeholder.
    fn bring_result(&mut self, chosen: &ChosenAct<'_>, pending: &mut PendingResults) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let Some(pair) = self.memo.pair_of(&self.cx.history.pairs, ix).copied() else { return };
        let messages = &self.cx.history.messages;
        let message = messages.of_row(pair.call).map(|message| message.row);
        if self.is_dropped(pair.call) || message.is_some_and(|row| self.is_dropped(row)) {
            return;
        }
        let step = messages.number_of(pair.call).and_then(|number| messages.step_of(number));
        let Some(step) = step else { return };
        // A recorded response that is in no list may end the turn, and no result can follow it.
        let last = messages.get(step.model.end - 1).row;
        let ends_alone = self.cx.row(last).has(Flags::ALONE) && step.answers.is_empty();
        let step = step.model.start;
        match pair.state {
            PairState::Misplaced | PairState::Answered => {
                let is_pending = std::mem::replace(&mut self.decision(pair.output).moved, true);
                if !is_pending {
                    let result = PendingResult { call: pair.call, from: Some(pair.output), cause: chosen.cause };
                    pending.entry(step).or_default().push(result);
                }
            }
            PairState::Open => {
                if ends_alone {
                    return self.refuse(judged, IN_ANSWER);
                }
                if message.is_some_and(|row| self.cx.row(row).has(Flags::ALONE)) {
                    return self.refuse(judged, NOT_IN_LIST);
                }
                match self.can_answer(ix) {
                    Ok(()) => {
                        let result = PendingResult { call: ix, from: None, cause: chosen.cause };
                        pending.entry(step).or_default().push(result);
                    }
                    Err(why) => self.refuse(judged, why.0),
                }
            }
            _ => {}
        }
    }

    fn drop_block(&mut self, chosen: &ChosenAct<'_>) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let variant = judged.variant();
        if chosen.drops_call(self.cx) && !self.may_lose() {
            return self.refuse(judged, LOSES_CALL);
        }
        if variant.loss == Loss::Lossy && !self.may_lose() {
            return self.refuse(judged, LOSES_CONTENT);
        }
        if self.cx.row(ix).kind == Kind::Thinking && self.keeps_reasoning() {
            return self.refuse(judged, "it would remove thinking (--reasoning keep)");
        }
        if self.would_empty_lone_message(ix) {
            return self.refuse(judged, LONE);
        }
        let (loss, what) = match chosen.drops_call(self.cx) {
            true => (Loss::Lossy, "drop the unanswered call"),
            false if judged.finding.remedy == KEYLESS => (Loss::Lossy, "drop the block, which cannot be paired"),
            false => (variant.loss, variant.fix),
        };
        self.drop_row(ix, chosen.cause, loss, what);
        self.drop_results_of(ix, chosen.cause);
        self.drop_thinking_of_response(ix, chosen.cause);
    }

    /// Inserts results at the start of the turn after their calls, the real ones first.
    fn place_results(&mut self, step: u32, mut list: Vec<PendingResult>) {
        list.sort_by_key(|result| (result.from.is_none(), result.call));
        let messages = &self.cx.history.messages;
        let Some(step) = messages.step_of(step).cloned() else { return };
        let last_of_model = messages.get(step.model.end - 1).row;
        let first = step.answers.clone().next().map(|message| *messages.get(message));
        let insertions: Vec<Insertion> = list
            .iter()
            .map(|result| match result.from {
                Some(output) => Insertion::Moved(*self.cx.row(output), Vec::new()),
                None => Insertion::Stub(*self.cx.row(result.call)),
            })
            .collect();
        let anchor = if self.dialect.info().results_message.is_none() {
            let anchor = messages.rows_of(step.answers.clone()).last().unwrap_or(last_of_model);
            self.decision(anchor).insert_after(insertions);
            anchor
        } else {
            let blocks = first.map(|message| message.blocks()).unwrap_or_default();
            let is_result = |ix: &u32| self.cx.row(*ix).kind == Kind::ToolResult;
            let leading: Vec<u32> = blocks.clone().take_while(is_result).collect();
            let stays = leading
                .into_iter()
                .rev()
                .find(|ix| self.decisions.get(ix).is_none_or(|decision| decision.stays()));
            match (stays, blocks.is_empty()) {
                (Some(anchor), _) => {
                    self.decision(anchor).insert_after(insertions);
                    anchor
                }
                (None, false) if !self.dialect.info().keeps_results_apart => {
                    self.decision(blocks.start).insert_before(insertions);
                    blocks.start
                }
                // The content of the turn is a text, or cannot contain results, or there is no turn.
                (None, _) => {
                    self.decision(last_of_model).insert_after(vec![Insertion::UserMessage(insertions)]);
                    last_of_model
                }
            }
        };
        let place = self.cx.row(anchor).at;
        for PendingResult { call, from, cause } in list {
            let (ix, action, loss, what) = match from {
                Some(output) => (output, Action::Move, Loss::Lossless, "move it directly after its call"),
                None => (call, Action::Stub, Loss::Adds, "add a placeholder output"),
            };
            self.note_change_beside(ix, cause, action, loss, what, Some(place));
        }
    }

    /// Gives a new key to calls without a key or with that of another call, and to their results.
    fn rekey<'c>(&mut self, chosen: impl Iterator<Item = &'c ChosenAct<'c>>) {
        let (cx, dialect) = (self.cx, self.dialect);
        // The last number used for each key.
        let mut numbers: HashMap<u64, u32> = HashMap::default();
        for chosen in chosen {
            let (ix, judged) = (chosen.at, &chosen.judged);
            let row = cx.row(ix);
            let mut old = None;
            cx.text.with_item(row, &mut |call| {
                old = dialect.key(row.kind, call).map(|key| String::from_utf8_lossy(&key.decode()).into_owned());
            });
            let old = old.filter(|old| !old.is_empty()).unwrap_or_else(|| "call".to_owned());
            let number = numbers.entry(row.key).or_insert(1);
            let name = loop {
                *number += 1;
                let numbered = format!("{old}_{number}");
                // Some Chat servers accept 40 characters, some nine.
                let name = match numbered.len() > 40 || cx.has(Trait::NineCharIds) {
                    true => short_key(cx, numbered.as_bytes()),
                    false => numbered,
                };
                let (rows, key) = (&cx.history.rows, fingerprint_of(name.as_bytes()));
                if self.memo.rows_with_key(rows, &cx.history.continuations, key).next().is_none() {
                    break name;
                }
            };
            let is_keyless = row.key == 0;
            let result = match self.memo.pair_of(&cx.history.pairs, ix).filter(|_| !is_keyless) {
                Some(pair) => Some(pair.output).filter(|output| *output != NONE),
                None => cx.history.messages.unkeyed_answer(&cx.history.rows, ix),
            };
            if is_keyless && result.is_none() {
                self.refuse(judged, "there is no matching call or result without an id next to it");
                continue;
            }
            let what = match judged.finding.remedy == KEYLESS {
                true => "give the call and its result the same new id",
                false => judged.variant().fix,
            };
            for ix in std::iter::once(ix).chain(result) {
                self.decision(ix).change_text(Text::Rename(name.clone()));
                self.note_change(ix, chosen.cause, Action::Rewrite, Loss::Lossless, what);
            }
        }
    }

    fn hoist(&mut self, chosen: &ChosenAct<'_>) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let Some(request) = self.cx.history.settings.request else { return };
        self.decision(ix).hoist(request);
        let variant = judged.variant();
        self.note_change_beside(ix, chosen.cause, Action::Move, variant.loss, variant.fix, Some(request));
    }
}
