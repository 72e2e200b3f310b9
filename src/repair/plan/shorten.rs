//! `--max-tokens`: shortens a history from its oldest end so that a client can go on with it. The middle of long results
//! goes first, then whole steps: what the model said and called between two messages of the user or two sets of results,
//! with the results. What belongs together goes together: calls and results, reasoning and what it led to, the messages
//! of one response. Instructions stay, and so do the prompts of the user, which say in a sentence what followed them.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::{HashMap, HashSet};

use crate::dialect::TextChange as Text;
use crate::dialects::item_tokens::{content_tokens, item_tokens, tokens_of_message};
use crate::dialects::shortened_text::OMITTED;
use crate::history::turns::{TurnCounter, TurnPart, messages};
use crate::history::{BlockFlags, Class, Flags, Kind, NONE, Role, Row};
use crate::json::{Tape, scan};
use crate::message::token_estimate::Hundredths;
use crate::place::{DocId, Patch, Place};
use crate::rule::Loss;

use super::history_plan::PlanBuilder;
use super::memo::{HistoryTokens, is_uneditable};
use super::reasons::LOSES_CONTENT;
use crate::repair::disjoint_sets::DisjointSets;
use crate::repair::edit::item_text::item_edits;
use crate::repair::{Action, Cause, LengthChange, LengthOptions, SkippedGroup};

/// The cause of all changes here.
pub(in crate::repair) const SHORTEN: Cause = Cause::Flag("--max-tokens");

const TOO_LONG: &str = "it is still longer than --max-tokens: what is left is the instructions, what --keep names and \
                        the last step";

/// Turns at the end that are shortened last, where the user asks for no other number.
const LAST_TURNS: u32 = 1;

/// A part of a history that goes as a whole.
#[derive(Default)]
struct Step {
    rows: Vec<u32>,
    tokens: Hundredths,
    /// The turn that it ends in.
    turn: u32,
    /// It has an item that cannot be removed.
    is_fixed: bool,
    calls: u32,
    answers: u32,
    /// It consists of prompts of the user.
    is_prompt: bool,
}

/// A history, cut into steps.
struct Steps {
    /// By the row with which they begin.
    list: Vec<Step>,
    turns: u32,
    /// The last row with text in each message of the user.
    prompts: Vec<u32>,
}

impl PlanBuilder<'_> {
    /// True if the history is longer than `--max-tokens`.
    pub(super) fn is_too_long(&self) -> bool {
        let most = self.options.length.max_tokens;
        most.is_some_and(|most| self.total_tokens() > most.saturating_mul(100))
    }

    /// The tokens of what stays of the history, and of the request around it.
    fn total_tokens(&self) -> Hundredths {
        let tokens = self.tokens();
        let stays = (0..).zip(&tokens.rows).filter(|(ix, _)| !self.is_dropped(*ix)).map(|(_, tokens)| *tokens);
        stays.sum::<Hundredths>() + tokens.request
    }

    /// Applies `--max-tokens`.
    pub(super) fn shorten_by_flag(&mut self) {
        let length = self.options.length;
        let Some(most) = length.max_tokens.filter(|_| self.applies_flags && !self.is_partial) else { return };
        let (most, total) = (most.saturating_mul(100), self.total_tokens());
        if total <= most {
            return;
        }
        let steps = self.steps(length);
        let Some(first) = self.cx.history.rows.first().copied() else { return };
        if !self.may_lose() {
            return self.skipped_groups.push(SkippedGroup::of(&first, LOSES_CONTENT));
        }
        let mut plan = Shortening { left: total, most, ..Shortening::default() };
        let last = length.last.unwrap_or(LAST_TURNS);
        let is_older = |step: &Step| step.turn + last <= steps.turns;
        self.shorten_results(&steps, &is_older, &mut plan);
        self.drop_steps(&steps, &is_older, &mut plan);
        if length.last.is_none() {
            self.shorten_results(&steps, &|step| !is_older(step), &mut plan);
            // A step that joined another one is empty.
            let newest = steps.list.iter().rev().find(|step| !step.is_prompt && !step.rows.is_empty());
            let newest = newest.and_then(|step| step.rows.first());
            self.drop_steps(&steps, &|step| !is_older(step) && step.rows.first() != newest, &mut plan);
        }
        if plan.left > most {
            let why = self.memo.unshortened_reason().unwrap_or(TOO_LONG);
            self.skipped_groups.push(SkippedGroup::of(&first, why));
        }
        if !plan.short.is_empty() || !plan.gone.is_empty() {
            self.length = Some(LengthChange { before: total / 100, after: plan.left / 100 });
            self.write_shortening(&steps, plan);
        }
    }

    /// Cuts the middle out of long results, oldest first.
    fn shorten_results(&self, steps: &Steps, is_meant: &dyn Fn(&Step) -> bool, plan: &mut Shortening) {
        for step in steps.list.iter().filter(|step| is_meant(step) && !step.is_fixed) {
            for ix in step.rows.iter().copied().filter(|ix| self.cx.row(*ix).answers_call()) {
                if plan.left <= plan.most {
                    return;
                }
                let is_free =
                    !self.memo.is_unshortened(ix) && self.decisions.get(&ix).is_none_or(|own| own.stays());
                let saved = if is_free { self.saved_by_shortening(ix) } else { 0 };
                if saved > 0 {
                    plan.left -= saved.min(plan.left);
                    plan.short.insert(ix, saved);
                }
            }
        }
    }

    /// Tokens that a shortened result saves; 0 if it is short.
    fn saved_by_shortening(&self, ix: u32) -> Hundredths {
        let row = self.cx.row(ix);
        let mut after = None;
        self.cx.text.with_item(row, &mut |item| {
            let mut patch = Patch::default();
            let Ok(edits) = item_edits(self.dialect, DocId(0), item.raw(), &[Text::ShortenResult]) else { return };
            patch.add(edits);
            let (short, mut tape) = (patch.apply(DocId(0), item.raw()), Tape::new());
            let item = scan(&short, &mut tape).ok().and_then(|()| tape.root(&short));
            after = item.map(item_tokens);
        });
        after.map_or(0, |after| self.tokens_of(ix).saturating_sub(after))
    }

    /// Drops steps, oldest first.
    fn drop_steps(&self, steps: &Steps, is_meant: &dyn Fn(&Step) -> bool, plan: &mut Shortening) {
        for (n, step) in steps.list.iter().enumerate().filter(|(_, step)| is_meant(step) && !step.is_fixed) {
            if plan.left <= plan.most {
                return;
            }
            let is_free = |ix: &u32| !self.memo.is_unshortened(*ix) && !self.is_dropped(*ix);
            if step.rows.is_empty() || !step.rows.iter().all(is_free) {
                continue;
            }
            let saved_before: Hundredths = step.rows.iter().filter_map(|ix| plan.short.remove(ix)).sum();
            plan.left -= step.tokens.saturating_sub(saved_before).min(plan.left);
            plan.gone.insert(n);
        }
    }

    fn write_shortening(&mut self, steps: &Steps, plan: Shortening) {
        for ix in plan.short.keys().copied() {
            self.decision(ix).change_text(Text::ShortenResult);
            self.note_change(ix, SHORTEN, Action::Rewrite, Loss::Lossy, "cut the middle out of the long result");
        }
        // By prompt, and whether they were before the first of all or after it: the calls and answers that are gone.
        let mut gone_beside: BTreeMap<(u32, &str), (u32, u32)> = BTreeMap::new();
        let gone = || plan.gone.iter().filter_map(|n| steps.list.get(*n));
        let is_gone: HashSet<u32> = gone().flat_map(|step| step.rows.iter().copied()).collect();
        let kept: Vec<u32> = steps.prompts.iter().copied().filter(|ix| !is_gone.contains(ix)).collect();
        self.undo_acts_on(&is_gone);
        for step in gone() {
            for ix in &step.rows {
                // What a message says is in its blocks.
                let loss = if is_envelope(self.cx.row(*ix)) { Loss::Lossless } else { Loss::Lossy };
                self.drop_row(*ix, SHORTEN, loss, "drop it to shorten the conversation");
            }
            let Some(start) = step.rows.first() else { continue };
            let above = kept.partition_point(|prompt| prompt < start).checked_sub(1);
            let Some(prompt) = kept.get(above.unwrap_or_default()) else { continue };
            let side = if above.is_some() { "after" } else { "before" };
            let counts = gone_beside.entry((*prompt, side)).or_default();
            (counts.0, counts.1) = (counts.0 + step.calls, counts.1 + step.answers);
        }
        for ((prompt, side), (calls, answers)) in gone_beside {
            let note = Text::AppendNote(note_of(calls, answers, side));
            let row = self.cx.row(prompt);
            let can = !is_uneditable(row) && !self.memo.is_unshortened(prompt);
            if can && self.can_edit(row, std::slice::from_ref(&note)).is_ok() {
                self.decision(prompt).change_text(note);
                self.note_change(prompt, SHORTEN, Action::Rewrite, Loss::Adds, "say what was omitted");
            }
        }
    }

    /// Undoes other acts on what goes: moves of it, placeholders for it, and edits.
    fn undo_acts_on(&mut self, is_gone: &HashSet<u32>) {
        self.item_changes.retain(|change| !is_gone.contains(&change.ix));
        let places: HashSet<Place> = is_gone.iter().map(|ix| self.cx.row(*ix).at).collect();
        let goes = |row: &Row| places.contains(&row.at);
        for (ix, decision) in &mut self.decisions {
            decision.before.retain_mut(|insertion| insertion.retain_staying(&goes));
            decision.after.retain_mut(|insertion| insertion.retain_staying(&goes));
            if is_gone.contains(ix) {
                decision.undo_changes();
            }
        }
    }

    /// Cuts the history into steps.
    fn steps(&self, length: LengthOptions) -> Steps {
        let rows = &self.cx.history.rows;
        let mut turns = TurnCounter::default();
        // The step of each row; `NONE` for one that stays.
        let mut step_of = vec![NONE; rows.len()];
        let (mut count, mut was_model, mut at) = (0u32, false, 0u32);
        let (mut turn_of, mut prompts, mut is_prompt) = (Vec::new(), Vec::new(), Vec::new());
        for message in messages(rows) {
            turns.add(message);
            let part = part_of(message);
            let is_model = matches!(part, Some(TurnPart::Call | TurnPart::Answer | TurnPart::Reasoning));
            let begins = is_model && !was_model || part == Some(TurnPart::Prompt);
            if begins || count == 0 {
                count += 1;
                turn_of.push(turns.count);
                is_prompt.push(part == Some(TurnPart::Prompt));
            }
            if let Some(turn) = turn_of.last_mut() {
                *turn = turns.count;
            }
            for (row, ix) in message.iter().zip(at..) {
                let goes = match part {
                    _ if is_model => true,
                    Some(TurnPart::Result) => {
                        row.answers_call() || is_envelope(row) && message.iter().skip(1).all(Row::answers_call)
                    }
                    part => part == Some(TurnPart::Prompt) && !length.keeps_prompts,
                };
                if let Some(step) = step_of.get_mut(ix as usize).filter(|_| goes && !self.is_dropped(ix)) {
                    *step = count - 1;
                }
            }
            if part == Some(TurnPart::Prompt) {
                let is_text = |row: &Row| matches!(row.kind, Kind::Text | Kind::Message);
                let text = (at..).zip(message).filter(|(_, row)| is_text(row)).last();
                prompts.push(text.map_or(at, |(ix, _)| ix));
            }
            was_model = is_model;
            at += message.len() as u32;
        }
        let mut sets = self.linked_steps(&step_of, count as usize);
        if !length.keeps_prompts {
            // An older turn goes as a whole.
            let whole = turn_of.windows(2).enumerate().filter(|(_, pair)| pair.first() == pair.last());
            let last = turn_of.last().copied();
            whole.filter(|(_, pair)| pair.last().copied() != last).for_each(|(n, _)| sets.join(n, n + 1));
        }
        let mut list: Vec<Step> = (0..count).map(|_| Step::default()).collect();
        for (ix, step) in (0u32..).zip(&step_of).filter(|(_, step)| **step != NONE) {
            let set = sets.find(*step as usize);
            let (row, turn) = (self.cx.row(ix), turn_of.get(*step as usize).copied().unwrap_or_default());
            let Some(own) = list.get_mut(set) else { continue };
            own.rows.push(ix);
            own.turn = own.turn.max(turn);
            own.tokens += self.tokens_of(ix);
            own.is_fixed |= is_uneditable(row) || row.has(Flags::ALONE) || row.has(Flags::UNREAD);
            own.is_prompt |= is_prompt.get(*step as usize).copied().unwrap_or_default();
            own.calls += u32::from(row.calls_client() || row.kind.class() == Class::Hosted);
            own.answers +=
                u32::from(matches!(row.kind, Kind::Text | Kind::Message) && row.role == Role::Assistant);
        }
        Steps { list, turns: turns.count, prompts }
    }

    /// The steps that only go together.
    fn linked_steps(&self, step_of: &[u32], count: usize) -> DisjointSets {
        let (history, mut sets) = (self.cx.history, DisjointSets::new(count));
        let step =
            |ix: u32| step_of.get(ix as usize).copied().filter(|step| *step != NONE).map(|step| step as usize);
        let mut join = |a: Option<usize>, b: Option<usize>| {
            if let (Some(a), Some(b)) = (a, b) {
                sets.join(a, b);
            }
        };
        for pair in &history.pairs {
            join(step(pair.call), step(pair.output));
        }
        for group in history.groups.iter().filter(|group| group.has_reasoning()) {
            group.all().for_each(|ix| join(step(group.start), step(ix as u32)));
        }
        // The messages of one response, where its thinking is sent back as a whole.
        let mut responses: HashMap<u64, u32> = HashMap::default();
        for message in history.messages.list.iter().filter(|message| message.role == Role::Assistant) {
            let id = self.cx.row(message.row).id;
            if id != 0 {
                join(step(*responses.entry(id).or_insert(message.row)), step(message.row));
            }
        }
        sets
    }

    /// The tokens of the history, as it is before the plan.
    fn tokens(&self) -> &HistoryTokens {
        self.memo.tokens(|| {
            let text = self.cx.text;
            let of = |message| tokens_of_message(message, &mut |row, see| text.with_item(row, see));
            let rows = messages(&self.cx.history.rows).flat_map(of).collect();
            HistoryTokens { rows, request: self.request_tokens() }
        })
    }

    fn tokens_of(&self, ix: u32) -> Hundredths {
        self.tokens().rows.get(ix as usize).copied().unwrap_or_default()
    }

    /// The tokens of the instructions and the tools of the request around the history.
    fn request_tokens(&self) -> Hundredths {
        const MEMBERS: [&str; 6] =
            ["system", "instructions", "tools", "systemInstruction", "system_instruction", "toolConfig"];
        let mut tokens = 0;
        if let Some(request) = self.cx.history.settings.request {
            self.cx.text.with_value(request, &mut |request| {
                tokens = MEMBERS.iter().filter_map(|key| request.get(*key)).map(content_tokens).sum();
            });
        }
        tokens
    }
}

/// What goes, and what is left.
#[derive(Default)]
struct Shortening {
    left: Hundredths,
    most: Hundredths,
    /// Results without their middle, and what that saves.
    short: BTreeMap<u32, Hundredths>,
    /// The numbers of the steps that go.
    gone: BTreeSet<usize>,
}

/// What a message does in its turn; `None` for what always stays: instructions, texts that a client inserted, summaries of
/// what was compacted, lists of tools, and what is not known.
fn part_of(message: &[Row]) -> Option<TurnPart> {
    TurnPart::of(message).filter(|_| message.first().is_none_or(|first| first.kind != Kind::McpListTools))
}

/// True for a message whose content is in rows of their own.
fn is_envelope(row: &Row) -> bool {
    row.kind == Kind::BlockMessage && !row.has(BlockFlags::CONTENT)
}

/// The sentence that stands where steps were.
fn note_of(calls: u32, answers: u32, side: &str) -> String {
    let count = |n: u32, one: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{n} {one}s")),
    };
    let parts: Vec<String> = [count(calls, "tool call"), count(answers, "answer")].into_iter().flatten().collect();
    match parts.is_empty() {
        true => format!("[Reasoning {side} this was {OMITTED}"),
        false => format!(
            "[{} {side} this {} {OMITTED}",
            parts.join(" and "),
            if calls + answers == 1 { "was" } else { "were" }
        ),
    }
}
