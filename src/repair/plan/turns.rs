//! The plan where messages hold blocks. Results come to come right after their calls, real ones before any stub; a
//! message goes with the last of its blocks.

use std::collections::{BTreeMap, HashMap};

use crate::dialect::TextChange as Text;
use crate::history::{Act, Flags, KEYLESS, Kind, NONE, PairState};
use crate::json::fingerprint_of;
use crate::json::mend::Mend;
use crate::rule::Loss;
use crate::target::Trait;

use super::answered::name_of;
use super::blocks::NO_LIST;
use super::chosen::Chosen;
use super::history_plan::{Fate, Plan, short_key};
use super::reasons::{LONE, LOSES_CALL, LOSES_CONTENT};
use crate::repair::Action;
use crate::repair::edit::insertion::Fresh;

const IN_ANSWER: &str = "a recorded answer follows it, and no result can be added between";

/// A result on its way to a step.
struct Arrival {
    call: u32,
    /// The result, where it is a real one.
    from: Option<u32>,
    cause: crate::repair::Cause,
}

type Arrivals = BTreeMap<u32, Vec<Arrival>>;

impl Plan<'_> {
    pub(super) fn turns(&mut self, chosen: &[Chosen]) {
        let of = |act: Act| chosen.iter().filter(move |chosen| chosen.act == act);
        self.rename(of(Act::Rename));
        self.rekey(of(Act::Rekey));
        of(Act::Hoist).for_each(|chosen| self.hoist(chosen));
        for chosen in chosen {
            if let Act::Mend(mend) = chosen.act {
                self.mend(chosen, mend);
            }
        }
        of(Act::Retype).for_each(|chosen| self.name_as_its_call(chosen));
        of(Act::AsText).for_each(|chosen| self.turn_into_text(chosen));
        of(Act::Drop).for_each(|chosen| self.drop_block(chosen));
        let mut arrivals = Arrivals::new();
        for chosen in of(Act::Reorder).chain(of(Act::Answer)) {
            match self.is_copy(chosen.at) {
                true => self.drop_copy(chosen),
                false => self.bring(chosen, &mut arrivals),
            }
        }
        of(Act::Advance).for_each(|chosen| self.advance(chosen));
        for (step, list) in arrivals {
            self.settle_arrivals(step, list);
        }
        of(Act::Split).for_each(|chosen| self.split(chosen));
        self.thinking_by_flag();
        self.drop_idle_thinking();
        self.drop_emptied();
        of(Act::Bridge).for_each(|chosen| self.bridge(chosen));
        of(Act::GoOn).for_each(|chosen| self.go_on(chosen));
        for chosen in chosen {
            if let Act::Request(mend) = chosen.act {
                self.mend_request(chosen, mend);
            }
        }
        if self.cx.has(Trait::BoundThinking) && !self.in_part {
            self.drop_unbound_thinking(chosen);
        }
    }

    fn mend(&mut self, chosen: &Chosen, mend: &'static Mend) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let variant = judged.variant();
        if variant.loss == Loss::Lossy && !self.may_lose() {
            return self.refuse(judged, LOSES_CONTENT);
        }
        let change = Text::Mend(mend);
        if !self.fate(ix).text.contains(&change) {
            self.fate(ix).text.push(change);
            self.change(ix, chosen.cause, Action::Rewrite, variant.loss, variant.fix);
        }
    }

    /// The user asks the model to go on after its last message.
    fn go_on(&mut self, chosen: &Chosen) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        if self.dialect.info().continuation.is_none() || self.fates.get(&ix).is_some_and(|fate| !fate.stays()) {
            return;
        }
        if self.cx.row(ix).has(Flags::ALONE) {
            return self.refuse(judged, NO_LIST);
        }
        self.fate(ix).behind.push(Fresh::GoOn);
        self.change(ix, chosen.cause, Action::Stub, Loss::Adds, judged.variant().fix);
    }

    fn bridge(&mut self, chosen: &Chosen) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        // What goes, or has another neighbour in front of it then, is judged again.
        let goes = |ix: u32| self.fates.get(&ix).is_some_and(|fate| !fate.stays() || !fate.behind.is_empty());
        if self.dialect.info().bridge.is_none() || goes(ix) || ix.checked_sub(1).is_some_and(goes) {
            return;
        }
        self.fate(ix).before.push(Fresh::Bridge);
        self.change(ix, chosen.cause, Action::Stub, Loss::Adds, judged.variant().fix);
    }

    /// Whether an open call is a copy of one that has a result: answering both would answer one call twice. A call that
    /// the model makes again after the user spoke is a call of its own, whatever its id.
    fn is_copy(&self, ix: u32) -> bool {
        if self.once.pair_of(&self.cx.history.pairs, ix).is_none_or(|pair| pair.state != PairState::Open) {
            return false;
        }
        let answered = self.once.answered(self.cx, self.dialect.info().pairing);
        let Some(calls) =
            name_of(self.cx, self.dialect.info().pairing, ix).and_then(|name| answered.by_key.get(&name))
        else {
            return false;
        };
        // The nearest ones on both sides tell: a call was doubled where it is.
        let at = calls.partition_point(|call| *call < ix);
        let near = calls.iter().skip(at.saturating_sub(1)).take(2);
        let (row, look, messages) = (self.cx.row(ix), self.cx.look, &self.cx.history.messages);
        let spoken = |ix: u32| messages.number_of(ix).and_then(|number| answered.spoken.get(number as usize));
        near.into_iter().any(|call| spoken(*call) == spoken(ix) && look.same(row, self.cx.row(*call)))
    }

    fn drop_copy(&mut self, chosen: &Chosen) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        if self.would_empty_lone(ix) {
            return self.refuse(judged, LONE);
        }
        self.drop_row(ix, chosen.cause, Loss::Lossless, "drop the copy of an answered call");
    }

    /// A call gets its result: the real one if it is elsewhere, else a stub.
    fn bring(&mut self, chosen: &Chosen, arrivals: &mut Arrivals) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let Some(pair) = self.once.pair_of(&self.cx.history.pairs, ix).copied() else { return };
        let messages = &self.cx.history.messages;
        let message = messages.of_row(pair.call).map(|message| message.row);
        if self.is_dropped(pair.call) || message.is_some_and(|row| self.is_dropped(row)) {
            return;
        }
        let step = messages.number_of(pair.call).and_then(|number| messages.step_of(number));
        let Some(step) = step else { return };
        // A recorded answer in no list may be the end of the turn, and no result can come after it.
        let last = messages.get(step.model.end - 1).row;
        let ends_alone = self.cx.row(last).has(Flags::ALONE) && step.answers.is_empty();
        let step = step.model.start;
        let row = *self.cx.row(ix);
        match pair.state {
            PairState::Far | PairState::Answered => {
                let is_on_its_way = std::mem::replace(&mut self.fate(pair.output).moved, true);
                if !is_on_its_way {
                    let arrival = Arrival { call: pair.call, from: Some(pair.output), cause: chosen.cause };
                    arrivals.entry(step).or_default().push(arrival);
                }
            }
            PairState::Open => {
                if ends_alone {
                    return self.refuse(judged, IN_ANSWER);
                }
                if message.is_some_and(|row| self.cx.row(row).has(Flags::ALONE)) {
                    return self.refuse(judged, NO_LIST);
                }
                let mut can = Ok(());
                let dialect = self.dialect;
                self.cx.look.look(&row, &mut |call| can = dialect.stub(call).map(drop));
                match can {
                    Ok(()) => {
                        let arrival = Arrival { call: ix, from: None, cause: chosen.cause };
                        arrivals.entry(step).or_default().push(arrival);
                    }
                    Err(why) => self.refuse(judged, why.0),
                }
            }
            _ => {}
        }
    }

    fn drop_block(&mut self, chosen: &Chosen) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let variant = judged.variant();
        if chosen.drops_call(self.cx) && !self.may_lose() {
            return self.refuse(judged, LOSES_CALL);
        }
        if variant.loss == Loss::Lossy && !self.may_lose() {
            return self.refuse(judged, LOSES_CONTENT);
        }
        if self.cx.row(ix).kind == Kind::Thinking && self.keeps_reasoning() {
            return self.refuse(judged, "its thinking would have to go (--reasoning keep)");
        }
        if self.would_empty_lone(ix) {
            return self.refuse(judged, LONE);
        }
        let (loss, what) = match chosen.drops_call(self.cx) {
            true => (Loss::Lossy, "drop the unanswered call"),
            false if judged.finding.remedy == KEYLESS => (Loss::Lossy, "drop the block, which cannot be paired"),
            false => (variant.loss, variant.fix),
        };
        self.drop_row(ix, chosen.cause, loss, what);
        self.drop_results_of(ix, chosen.cause);
        self.drop_thinking_beside(ix, chosen.cause);
    }

    /// Results stand in the turn after their calls, before anything else there, the real ones first.
    fn settle_arrivals(&mut self, step: u32, mut list: Vec<Arrival>) {
        list.sort_by_key(|arrival| (arrival.from.is_none(), arrival.call));
        let messages = &self.cx.history.messages;
        let Some(step) = messages.step_of(step).cloned() else { return };
        let last_of_model = messages.get(step.model.end - 1).row;
        let first = step.answers.clone().next().map(|message| *messages.get(message));
        let fresh: Vec<Fresh> = list
            .iter()
            .map(|arrival| match arrival.from {
                Some(output) => Fresh::Moved(*self.cx.row(output), Vec::new()),
                None => Fresh::Stub(*self.cx.row(arrival.call)),
            })
            .collect();
        let anchor = if self.dialect.info().results_message.is_none() {
            let anchor = messages.rows_of(step.answers.clone()).last().unwrap_or(last_of_model);
            self.fate(anchor).behind.extend(fresh);
            anchor
        } else {
            let blocks = first.map(|message| message.blocks()).unwrap_or_default();
            let is_result = |ix: &u32| self.cx.row(*ix).kind == Kind::ToolResult;
            let leading: Vec<u32> = blocks.clone().take_while(is_result).collect();
            let stays = leading.into_iter().rev().find(|ix| self.fates.get(ix).is_none_or(Fate::stays));
            match (stays, blocks.is_empty()) {
                (Some(anchor), _) => {
                    self.fate(anchor).behind.extend(fresh);
                    anchor
                }
                (None, false) if !self.dialect.info().keeps_results_apart => {
                    self.fate(blocks.start).before.extend(fresh);
                    blocks.start
                }
                // The turn's content is a text, or no place for results, or there is no turn.
                (None, _) => {
                    self.fate(last_of_model).behind.push(Fresh::Message(fresh));
                    last_of_model
                }
            }
        };
        let place = self.cx.row(anchor).at;
        for Arrival { call, from, cause } in list {
            let (ix, action, loss, what) = match from {
                Some(output) => (output, Action::Move, Loss::Lossless, "move it to right after its call"),
                None => (call, Action::Stub, Loss::Adds, "add a placeholder output"),
            };
            self.change_with(ix, cause, action, loss, what, Some(place));
        }
    }

    /// Calls whose key another call has, or that have none, get one of their own, and so do their results.
    fn rekey<'c>(&mut self, chosen: impl Iterator<Item = &'c Chosen>) {
        let (cx, dialect) = (self.cx, self.dialect);
        let keys = self.once.keys(&cx.history.rows);
        // By key: the number that the last one got.
        let mut numbers: HashMap<u64, u32> = HashMap::new();
        for chosen in chosen {
            let (ix, judged) = (chosen.at, &chosen.judged);
            let row = cx.row(ix);
            let mut old = None;
            cx.look.look(row, &mut |call| {
                old = dialect.key(row.kind, call).map(|key| String::from_utf8_lossy(&key.decode()).into_owned());
            });
            let old = old.filter(|old| !old.is_empty()).unwrap_or_else(|| "call".to_owned());
            let number = numbers.entry(row.key).or_insert(1);
            let name = loop {
                *number += 1;
                let numbered = format!("{old}_{number}");
                // Some servers of Chat take 40 characters, some nine.
                let name = match numbered.len() > 40 || cx.has(Trait::NineCharIds) {
                    true => short_key(cx, numbered.as_bytes()),
                    false => numbered,
                };
                if !keys.contains(&fingerprint_of(name.as_bytes())) {
                    break name;
                }
            };
            let is_keyless = row.key == 0;
            let result = match self.once.pair_of(&cx.history.pairs, ix).filter(|_| !is_keyless) {
                Some(pair) => Some(pair.output).filter(|output| *output != NONE),
                None => cx.history.messages.unkeyed_answer(&cx.history.rows, ix),
            };
            if is_keyless && result.is_none() {
                self.refuse(judged, "no other call or result without an id is beside it");
                continue;
            }
            let what = match judged.finding.remedy == KEYLESS {
                true => "give the call and its result the same new id",
                false => judged.variant().fix,
            };
            for ix in std::iter::once(ix).chain(result) {
                self.fate(ix).text.push(Text::Rename(name.clone()));
                self.change(ix, chosen.cause, Action::Rewrite, Loss::Lossless, what);
            }
        }
    }

    fn hoist(&mut self, chosen: &Chosen) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        let Some(request) = self.cx.history.settings.request else { return };
        let fate = self.fate(ix);
        (fate.moved, fate.hoisted) = (true, Some(request));
        let variant = judged.variant();
        self.change_with(ix, chosen.cause, Action::Move, variant.loss, variant.fix, Some(request));
    }
}
