//! Changes of blocks other than moving results to their calls: blocks that get a message of their own, results
//! that get a name or are dropped with their call, and what the request around the messages must contain for them.

use crate::dialect::{BLOCK, TextChange as Text};
use crate::history::{BlockFlags, Flags, Kind, codes};
use crate::json::value_edit::ValueEdit;
use crate::rule::Loss;

use super::chosen_act::ChosenAct;
use super::history_plan::PlanBuilder;
use super::item_decision::ItemDecision;
use crate::repair::edit::insertion::Insertion;
use crate::repair::{Action, Cause};

pub(super) const NOT_IN_LIST: &str = "the document is a single message and has no list to add another to";

impl PlanBuilder<'_> {
    /// Adds to the request what its calls and results need, if any of them stays.
    pub(super) fn apply_request_edit(&mut self, chosen: &ChosenAct<'_>, mend: &'static ValueEdit) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let mut rows = self.cx.history.rows.iter().zip(0..);
        let mut has_calls =
            || rows.any(|(row, ix)| matches!(row.kind, Kind::ToolUse | Kind::ToolResult) && !self.is_dropped(ix));
        // Tools are only missing where there are calls.
        if judged.finding.code == codes::BEDROCK_MISSING_TOOL_CONFIG && !has_calls() {
            return;
        }
        let variant = judged.variant();
        if variant.loss == Loss::Lossy && !self.may_lose() {
            return self.refuse(judged, "it would add content that is not in the request (--lossless)");
        }
        let Some(at) = self.cx.history.settings.request else {
            return self.refuse(judged, "the request around the messages is missing or too large");
        };
        let mut row = *self.cx.row(ix);
        (row.at, row.part) = (at, BLOCK);
        let decision = ItemDecision { text: vec![Text::EditValue(mend)], ..ItemDecision::default() };
        self.request = Some((row, decision));
        self.note_change_beside(ix, chosen.cause, Action::Rewrite, variant.loss, variant.fix, Some(at));
    }

    /// Gives a result the name of its call.
    pub(super) fn rename_like_call(&mut self, chosen: &ChosenAct<'_>) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let call = self.memo.call_of(&self.cx.history.pairs, ix);
        let Some(call) = call.map(|call| *self.cx.row(call)) else { return };
        let (dialect, mut name) = (self.dialect, None);
        self.cx.text.with_item(&call, &mut |item| {
            name = dialect.key(call.kind, item).map(|name| String::from_utf8_lossy(&name.decode()).into_owned());
        });
        if let Some(name) = name {
            self.decision(ix).change_text(Text::Rename(name));
            self.note_change(ix, chosen.cause, Action::Rewrite, judged.variant().loss, judged.variant().fix);
        }
    }

    /// Moves the content of a message other than results into a new message after it.
    pub(super) fn split_message(&mut self, chosen: &ChosenAct<'_>) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let Some(message) = self.cx.history.messages.of_row(ix).copied() else { return };
        if self.cx.row(message.row).has(Flags::ALONE) {
            return self.refuse(judged, NOT_IN_LIST);
        }
        let others = message.blocks().filter(|ix| self.cx.row(*ix).kind != Kind::ToolResult);
        let others: Vec<u32> =
            others.filter(|ix| self.decisions.get(ix).is_none_or(|decision| decision.stays())).collect();
        if others.is_empty() {
            return;
        }
        let insertions = others.iter().map(|ix| Insertion::Moved(*self.cx.row(*ix), Vec::new())).collect();
        let place = self.cx.row(message.row).at;
        self.decision(message.row).insert_after(vec![Insertion::UserMessage(insertions)]);
        for ix in others {
            self.decision(ix).moved = true;
            let (loss, what) = (judged.variant().loss, judged.variant().fix);
            self.note_change_beside(ix, chosen.cause, Action::Move, loss, what, Some(place));
        }
    }

    /// Moves what follows a call in its turn, other than calls and thinking, before the call.
    pub(super) fn move_before_call(&mut self, chosen: &ChosenAct<'_>) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let turns = &self.cx.history.messages;
        let Some(step) = turns.number_of(ix).and_then(|turn| turns.step_of(turn)) else { return };
        let stays = |kind: Kind| matches!(kind, Kind::ToolUse | Kind::Thinking | Kind::ToolResult);
        let is_whole = |row: &u32| *row > ix && self.cx.row(*row).has(BlockFlags::CONTENT);
        let messages: Vec<u32> = step.model.clone().map(|turn| turns.get(turn).row).filter(is_whole).collect();
        let blocks = turns.rows_of(step.model.clone()).filter(|other| *other > ix);
        let blocks: Vec<u32> = blocks.filter(|other| !stays(self.cx.row(*other).kind)).collect();
        let Some(message) = turns.number_of(ix).map(|turn| turns.get(turn).row) else { return };
        if self.is_dropped(ix) || self.is_dropped(message) {
            return;
        }
        // A text that is the whole content of its message becomes a block of the other message.
        let said = messages.into_iter().map(|ix| (ix, Insertion::TextBlock(*self.cx.row(ix))));
        let moved = blocks.into_iter().map(|ix| (ix, Insertion::Moved(*self.cx.row(ix), Vec::new())));
        let mut others: Vec<(u32, Insertion)> = said.chain(moved).collect();
        others.sort_by_key(|(ix, _)| *ix);
        let place = self.cx.row(ix).at;
        for (other, insertion) in others {
            if self.decisions.get(&other).is_none_or(|decision| decision.stays()) {
                self.decision(ix).insert_before(vec![insertion]);
                self.decision(other).moved = true;
                let (loss, what) = (judged.variant().loss, judged.variant().fix);
                self.note_change_beside(other, chosen.cause, Action::Move, loss, what, Some(place));
            }
        }
    }

    /// Drops the results of a call, or of all calls in a message.
    pub(super) fn drop_results_of(&mut self, ix: u32, cause: Cause) {
        let calls = match self.cx.history.messages.of_row(ix).filter(|message| message.row == ix) {
            Some(message) => message.blocks(),
            None => ix..ix + 1,
        };
        let results = self.memo.results_of(&self.cx.history.pairs, calls);
        for result in results.into_iter().filter(|result| *result != ix) {
            self.drop_row(result, cause, Loss::Lossy, "drop the result of the dropped call");
        }
    }

    /// True if dropping a row would empty a message that is in no list, which cannot be removed.
    pub(super) fn would_empty_lone_message(&self, ix: u32) -> bool {
        let Some(message) = self.cx.history.messages.of_row(ix) else { return false };
        let row = self.cx.row(message.row);
        let all_go = || {
            let mut left = (message.first.max(self.first_remaining.get())..message.end)
                .filter(|other| !self.is_dropped(*other));
            let first = left.next().unwrap_or(message.end);
            // Dropped rows stay dropped, so the next search starts here.
            self.first_remaining.set(first);
            first == ix && left.next().is_none() || first == message.end
        };
        row.has(Flags::ALONE) && (message.row == ix || !row.has(BlockFlags::CONTENT) && all_go())
    }
}
