//! What the plan does to blocks besides bringing results to their calls: blocks that come to stand in a message of their
//! own, results that get a name or go with their call, and what the request around the messages must hold for them.

use crate::dialect::{BLOCK, TextChange as Text};
use crate::history::{BlockFlags, Flags, Kind};
use crate::json::mend::Mend;
use crate::rule::Loss;

use super::chosen::Chosen;
use super::history_plan::{Fate, Plan};
use crate::repair::edit::insertion::Fresh;
use crate::repair::{Action, Cause};

pub(super) const NO_LIST: &str = "the document is a single message and has no list to add another to";

impl Plan<'_> {
    /// What the request must hold for its calls and results, if any of them stays.
    pub(super) fn mend_request(&mut self, chosen: &Chosen, mend: &'static Mend) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let mut rows = self.cx.history.rows.iter().zip(0..);
        if !rows.any(|(row, ix)| matches!(row.kind, Kind::ToolUse | Kind::ToolResult) && !self.is_dropped(ix)) {
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
        let fate = Fate { text: vec![Text::Mend(mend)], ..Fate::default() };
        self.request = Some((row, fate));
        self.change_with(ix, chosen.cause, Action::Rewrite, variant.loss, variant.fix, Some(at));
    }

    /// A result gets the name that its call has.
    pub(super) fn name_as_its_call(&mut self, chosen: &Chosen) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let call = self.once.call_of(&self.cx.history.pairs, ix);
        let Some(call) = call.map(|call| *self.cx.row(call)) else { return };
        let (dialect, mut name) = (self.dialect, None);
        self.cx.look.look(&call, &mut |item| {
            name = dialect.key(call.kind, item).map(|name| String::from_utf8_lossy(&name.decode()).into_owned());
        });
        if let Some(name) = name {
            self.fate(ix).text.push(Text::Rename(name));
            self.change(ix, chosen.cause, Action::Rewrite, judged.variant().loss, judged.variant().fix);
        }
    }

    /// What a message says besides results comes to stand in a message of its own after it.
    pub(super) fn split(&mut self, chosen: &Chosen) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let Some(message) = self.cx.history.messages.of_row(ix).copied() else { return };
        if self.cx.row(message.row).has(Flags::ALONE) {
            return self.refuse(judged, NO_LIST);
        }
        let others = message.blocks().filter(|ix| self.cx.row(*ix).kind != Kind::ToolResult);
        let others: Vec<u32> = others.filter(|ix| self.fates.get(ix).is_none_or(Fate::stays)).collect();
        if others.is_empty() {
            return;
        }
        let fresh = others.iter().map(|ix| Fresh::Moved(*self.cx.row(*ix), Vec::new())).collect();
        let place = self.cx.row(message.row).at;
        self.fate(message.row).behind.push(Fresh::Message(fresh));
        for ix in others {
            self.fate(ix).moved = true;
            let (loss, what) = (judged.variant().loss, judged.variant().fix);
            self.change_with(ix, chosen.cause, Action::Move, loss, what, Some(place));
        }
    }

    /// What follows a call in its turn, and is no call and no thinking, comes to stand before it.
    pub(super) fn advance(&mut self, chosen: &Chosen) {
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
        // A text that is all of its message's content becomes a block of the other one.
        let said = messages.into_iter().map(|ix| (ix, Fresh::Said(*self.cx.row(ix))));
        let moved = blocks.into_iter().map(|ix| (ix, Fresh::Moved(*self.cx.row(ix), Vec::new())));
        let mut others: Vec<(u32, Fresh)> = said.chain(moved).collect();
        others.sort_by_key(|(ix, _)| *ix);
        let place = self.cx.row(ix).at;
        for (other, fresh) in others {
            if self.fates.get(&other).is_none_or(Fate::stays) {
                self.fate(ix).before.push(fresh);
                self.fate(other).moved = true;
                let (loss, what) = (judged.variant().loss, judged.variant().fix);
                self.change_with(other, chosen.cause, Action::Move, loss, what, Some(place));
            }
        }
    }

    /// A result goes with its call, and with the message that the call is in.
    pub(super) fn drop_results_of(&mut self, ix: u32, cause: Cause) {
        let calls = match self.cx.history.messages.of_row(ix).filter(|message| message.row == ix) {
            Some(message) => message.blocks(),
            None => ix..ix + 1,
        };
        let results = self.once.results_of(&self.cx.history.pairs, calls);
        for result in results.into_iter().filter(|result| *result != ix) {
            self.drop_row(result, cause, Loss::Lossy, "drop the result of the dropped call");
        }
    }

    /// A message that is in no list cannot go, so what it says cannot all go either.
    pub(super) fn would_empty_lone(&self, ix: u32) -> bool {
        let Some(message) = self.cx.history.messages.of_row(ix) else { return false };
        let row = self.cx.row(message.row);
        let all_go = || {
            let mut left =
                (message.first.max(self.gone.get())..message.end).filter(|other| !self.is_dropped(*other));
            let first = left.next().unwrap_or(message.end);
            // Nothing that is dropped comes back: the next question begins where this one found something.
            self.gone.set(first);
            first == ix && left.next().is_none() || first == message.end
        };
        row.has(Flags::ALONE) && (message.row == ix || !row.has(BlockFlags::CONTENT) && all_go())
    }
}
