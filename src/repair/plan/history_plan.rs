//! The plan of one history: the decision about each item.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use foldhash::HashSet;

use crate::dialect::{Dialect, TextChange as Text};
use crate::format::FormatInfo;
use crate::history::continuations::Continuations;
use crate::history::{GroupMode, Kind, NONE, RepairAct, Row, work_counter};
use crate::judge::WeighedFinding;
use crate::place::Place;
use crate::rule::{Loss, RuleContext};
use crate::rules::reasoning::orphan_tool_run;

use super::chosen_act::ChosenAct;
use super::item_decision::ItemDecision;
use super::memo::HistoryMemo;
use super::outcome::PlanOutcome;
use super::planned_change::PlannedChange;
use super::reasons::LOSES_CONTENT;
use super::short_key::short_key;
use super::tally::GroupTallies;
use crate::repair::store::StoreView;
use crate::repair::surroundings::HistorySurroundings;
use crate::repair::{Action, Cause, FixOptions, ItemChange, LengthChange, Reasoning, Refusal, SkippedGroup};

/// The plan of one history.
pub struct HistoryPlan {
    pub number: u32,
    /// Number of its items.
    pub(in crate::repair) items: u32,
    pub(in crate::repair) info: &'static FormatInfo,
    pub(in crate::repair) newest_first: bool,
    /// If other files refer to its lines: the offset of its own lines, after those of its parent.
    pub(in crate::repair) numbered: Option<u64>,
    /// Decisions about items, by place.
    pub(in crate::repair) decisions: Vec<(Row, Box<ItemDecision>)>,
    /// Values in the request whose members are removed.
    pub(in crate::repair) removed_members: Vec<Place>,
    pub changes: Vec<ItemChange>,
    /// Surroundings of the changed items, if the plan is kept.
    pub surroundings: Option<HistorySurroundings>,
    pub refusals: Vec<Refusal>,
    pub skipped_groups: Vec<SkippedGroup>,
    /// Its length, if it was shortened.
    pub length: Option<LengthChange>,
    /// The predicted outcome, if it was requested.
    pub outcome: Option<PlanOutcome>,
}

impl HistoryPlan {
    /// The rows that change.
    pub(in crate::repair) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.decisions.iter().map(|(row, _)| row)
    }
}

/// Builder of the plan of one history.
pub(in crate::repair) struct PlanBuilder<'p> {
    pub cx: &'p RuleContext<'p>,
    pub options: &'p FixOptions,
    pub dialect: &'static dyn Dialect,
    number: u32,
    /// By the index of the item. In boxes, because half of a tree may be empty.
    pub decisions: BTreeMap<u32, Box<ItemDecision>>,
    /// Dropped items of which the history has another copy.
    copies: HashSet<u32>,
    /// Requested modes, by the index of the group.
    pub modes: BTreeMap<usize, (GroupMode, Cause)>,
    /// Values in the request whose members are removed.
    pub removed_members: Vec<Place>,
    /// The change of the request around the messages.
    pub request: Option<(Row, ItemDecision)>,
    /// Values of a store that are not sent, and go.
    pub unsent: Vec<(Row, ItemDecision)>,
    pub item_changes: Vec<PlannedChange>,
    /// Changes of what is no item: a member of the request, or something that is not sent.
    outside: Vec<(Row, PlannedChange)>,
    refusals: Vec<Refusal>,
    /// Groups that a flag asks to change and that stay unchanged.
    pub skipped_groups: Vec<SkippedGroup>,
    /// Its length, if it is shortened.
    pub length: Option<LengthChange>,
    /// True if flags that act on all reasoning apply.
    pub applies_flags: bool,
    /// True if only a part of the history is planned.
    pub is_partial: bool,
    pub memo: &'p HistoryMemo,
    /// The store, where the items were translated from its records.
    pub view: Option<&'p StoreView<'p>>,
    /// All blocks of the only message before this row are dropped.
    pub first_remaining: Cell<u32>,
    pub tallies: RefCell<GroupTallies>,
    /// What the target takes of media, if a flag asks for it.
    pub media: Option<crate::targets::media::MediaProfile>,
}

impl<'p> PlanBuilder<'p> {
    pub(in crate::repair) fn new(
        cx: &'p RuleContext<'p>,
        options: &'p FixOptions,
        dialect: &'static dyn Dialect,
        number: u32,
        memo: &'p HistoryMemo,
        view: Option<&'p StoreView<'p>>,
    ) -> Self {
        PlanBuilder {
            cx,
            options,
            dialect,
            number,
            decisions: BTreeMap::new(),
            copies: HashSet::default(),
            modes: BTreeMap::new(),
            removed_members: Vec::new(),
            request: None,
            unsent: Vec::new(),
            item_changes: Vec::new(),
            outside: Vec::new(),
            refusals: Vec::new(),
            skipped_groups: Vec::new(),
            length: None,
            applies_flags: false,
            is_partial: false,
            memo,
            view,
            first_remaining: Cell::default(),
            tallies: RefCell::default(),
            media: None,
        }
    }

    /// The changes; the index of the item is [`NONE`] for what is no item.
    pub fn changes(&self) -> impl Iterator<Item = &PlannedChange> {
        self.outside.iter().map(|(_, change)| change).chain(&self.item_changes)
    }

    /// The changes, each with its row.
    pub fn changed_rows(&self) -> impl Iterator<Item = (&Row, &PlannedChange)> {
        let outside = self.outside.iter().map(|(row, change)| (row, change));
        outside.chain(self.item_changes.iter().map(|change| (self.cx.row(change.ix), change)))
    }

    /// Applies the acts, in this order: changes of items in place; outputs back to their calls; copies of and
    /// placeholders for what is missing; removals; then the mode of each group.
    pub(in crate::repair) fn apply_acts(&mut self, chosen: &[ChosenAct<'_>]) {
        self.item_changes.reserve(chosen.len());
        self.repair_request(chosen);
        let of_rows: Vec<ChosenAct<'_>>;
        let chosen = match chosen.iter().all(|chosen| chosen.at != NONE) {
            true => chosen,
            false => {
                of_rows = chosen.iter().filter(|chosen| chosen.at != NONE).cloned().collect();
                &of_rows
            }
        };
        if !self.cx.history.messages.is_empty() {
            return self.plan_turns(chosen);
        }
        let of = |act: RepairAct| chosen.iter().filter(move |chosen| chosen.act == act);
        of(RepairAct::Retype).for_each(|chosen| self.retype(chosen));
        self.rename(of(RepairAct::Rename));
        self.rekey_items(of(RepairAct::Rekey));
        self.repair_fields(chosen);
        self.adopt_namespaces(of(RepairAct::SetNamespace));
        of(RepairAct::Acknowledge).for_each(|chosen| self.acknowledge(chosen));
        self.reorder_outputs(of(RepairAct::Reorder));
        self.rejoin_outputs(of(RepairAct::Drop));
        of(RepairAct::Inline).for_each(|chosen| self.inline_reference(chosen));
        self.answer_calls(of(RepairAct::Answer));
        of(RepairAct::AsText).for_each(|chosen| self.turn_into_text(chosen));
        of(RepairAct::Drop).for_each(|chosen| self.drop_item(chosen));
        self.drop_idle_programs();
        self.shorten_by_flag();
        chosen.iter().filter(|chosen| chosen.act.mode().is_some()).for_each(|chosen| self.change_mode(chosen));
        self.strip_reasoning_by_flag();
        self.apply_reference_flags();
        self.apply_modes();
        self.change_images_by_flag();
    }

    /// True if it changes nothing and refuses nothing, and the history has no numbered lines.
    pub(in crate::repair) fn is_empty(&self) -> bool {
        let is_unchanged = self.decisions.is_empty() && self.unsent.is_empty() && self.request.is_none();
        let refuses_nothing = self.refusals.is_empty() && self.skipped_groups.is_empty();
        is_unchanged && self.removed_members.is_empty() && refuses_nothing && self.own_start().is_none()
    }

    /// Drops all decisions and changes but the first.
    pub(in crate::repair) fn keep_first_change(&mut self) {
        let first = self.decisions.iter().find(|(_, decision)| decision.has_effect()).map(|(ix, _)| *ix);
        self.decisions.retain(|ix, _| Some(*ix) == first);
        self.item_changes.truncate(1);
    }

    /// The offset of its own lines after those of its parent, if other files refer to its lines.
    fn own_start(&self) -> Option<u64> {
        let numbered = self.cx.history.settings.ordinals.as_ref().filter(|numbered| numbered.is_numbered);
        numbered.map(|numbered| numbered.own_start)
    }

    pub(in crate::repair) fn finish(mut self, info: &'static FormatInfo) -> Option<HistoryPlan> {
        self.apply_to_continuations();
        self.decisions.retain(|_, decision| decision.has_effect());
        if self.is_empty() {
            return None;
        }
        self.copy_changes_to_moved_items();
        let (cx, numbered) = (self.cx, self.own_start());
        let mut decisions: Vec<(Row, Box<ItemDecision>)> =
            self.decisions.into_iter().map(|(ix, decision)| (*cx.row(ix), decision)).collect();
        decisions
            .extend(self.request.into_iter().chain(self.unsent).map(|(row, decision)| (row, Box::new(decision))));
        decisions.sort_by_key(|(row, _)| row.at.start);
        let outside = self.outside.into_iter().map(|(row, change)| change.report(row, self.number));
        let of_rows = self.item_changes.into_iter().map(|change| {
            let row = *cx.row(change.ix);
            change.report(row, self.number)
        });
        let mut changes: Vec<ItemChange> = outside.chain(of_rows).collect();
        changes.sort_by_key(|change| (change.row.at.start, change.action));
        Some(HistoryPlan {
            number: self.number,
            items: cx.history.rows.len() as u32,
            info,
            newest_first: cx.history.settings.newest_first,
            numbered,
            decisions,
            removed_members: self.removed_members,
            changes,
            surroundings: None,
            refusals: self.refusals,
            skipped_groups: self.skipped_groups,
            length: self.length,
            outcome: None,
        })
    }

    /// Drops the continuations of dropped items, and changes reasoning that is stored several times everywhere.
    fn apply_to_continuations(&mut self) {
        let mut continued = Continuations::of(&self.cx.history.continuations, self.cx.history.rows.len() as u32);
        if continued.is_empty() {
            return;
        }
        // A member of the request is no item and has no continuations.
        for change in self.item_changes.clone() {
            let row = *self.cx.row(change.ix);
            if self.is_dropped(change.ix) {
                for other in continued.take_of_item(&row) {
                    self.drop_row(other, change.cause, change.loss, "drop the item that continues it");
                }
                continue;
            }
            let text = self.decisions.get(&change.ix).map(|decision| &decision.text);
            let text = text.filter(|text| row.is_reasoning() && !text.is_empty());
            let Some(text) = text.cloned() else { continue };
            for other in continued.of_item(&row) {
                self.decision(other).text.clone_from(&text);
                self.note_change(other, change.cause, change.action, change.loss, change.description);
            }
        }
    }

    /// Applies the changes of an item also where it is moved to; an item that is dropped in the end is not moved.
    fn copy_changes_to_moved_items(&mut self) {
        let dropped: HashSet<u64> = self
            .decisions
            .iter()
            .filter(|(_, decision)| decision.drop && decision.moved)
            .map(|(ix, _)| self.cx.row(*ix).at.start)
            .collect();
        if !dropped.is_empty() {
            let goes = |row: &Row| dropped.contains(&row.at.start);
            for decision in self.decisions.values_mut() {
                decision.before.retain_mut(|insertion| insertion.retain_staying(&goes));
                decision.after.retain_mut(|insertion| insertion.retain_staying(&goes));
            }
        }
        let texts: BTreeMap<u64, Vec<Text>> = self
            .decisions
            .iter()
            .filter(|(_, decision)| !decision.text.is_empty())
            .map(|(ix, decision)| (self.cx.row(*ix).at.start, decision.text.clone()))
            .collect();
        if texts.is_empty() {
            return;
        }
        let carry = |row: &Row, changes: &mut Vec<Text>| {
            changes.extend(texts.get(&row.at.start).into_iter().flatten().cloned());
        };
        for insertion in
            self.decisions.values_mut().flat_map(|decision| decision.before.iter_mut().chain(&mut decision.after))
        {
            insertion.visit_moved(&carry);
        }
    }

    /// Notes a change on a row.
    pub fn note_change(&mut self, ix: u32, cause: Cause, action: Action, loss: Loss, what: &'static str) {
        self.note_change_beside(ix, cause, action, loss, what, None);
    }

    pub fn note_change_beside(
        &mut self,
        ix: u32,
        cause: Cause,
        action: Action,
        loss: Loss,
        what: &'static str,
        anchor: Option<Place>,
    ) {
        self.item_changes.push(PlannedChange { ix, cause, anchor, action, loss, description: what, images: None });
    }

    /// Notes a change on what is no item: a member of the request, or something that is not sent.
    pub fn note_outside(&mut self, row: Row, cause: Cause, action: Action, loss: Loss, what: &'static str) {
        let (ix, anchor) = (NONE, None);
        let change = PlannedChange { ix, cause, anchor, action, loss, description: what, images: None };
        self.outside.push((row, change));
    }

    /// Removes a member of the request: its value is at the place of the row.
    pub fn remove_member(&mut self, row: Row, cause: Cause, loss: Loss, what: &'static str) {
        self.removed_members.push(row.at);
        self.note_outside(row, cause, Action::Strip, loss, what);
    }

    /// Discards the plan and refuses all acts.
    pub fn refuse_all(&mut self, chosen: &[ChosenAct<'_>], why: &'static str) {
        self.decisions.clear();
        self.tallies.get_mut().clear();
        self.item_changes.clear();
        self.outside.clear();
        for chosen in chosen {
            self.refuse(&chosen.judged, why);
        }
    }

    /// The refusals so far.
    pub fn refusals(&self) -> &[Refusal] {
        &self.refusals
    }

    /// The cause of the first change.
    pub fn first_cause(&self) -> Option<Cause> {
        self.changes().min_by_key(|change| change.ix).map(|change| change.cause)
    }

    pub fn refuse(&mut self, judged: &WeighedFinding, why: &'static str) {
        self.refusals.push(Refusal::of(judged, why));
    }

    /// True if lossy repairs are allowed.
    pub fn may_lose(&self) -> bool {
        !self.options.lossless
    }

    pub fn keeps_reasoning(&self) -> bool {
        self.options.reasoning == Reasoning::Keep
    }

    /// True if the item is dropped and the history has no other copy of it.
    pub fn is_lost(&self, ix: u32) -> bool {
        self.is_dropped(ix) && !self.copies.contains(&ix)
    }

    pub fn is_dropped(&self, ix: u32) -> bool {
        work_counter::count();
        self.decisions.get(&ix).is_some_and(|decision| decision.drop)
    }

    pub fn decision(&mut self, ix: u32) -> &mut ItemDecision {
        self.decisions.entry(ix).or_default()
    }

    /// Drops an item. A copy elsewhere, if it has one, is the caller's concern.
    pub fn drop_row(&mut self, ix: u32, cause: Cause, loss: Loss, what: &'static str) {
        if !self.is_dropped(ix) {
            self.decision(ix).drop = true;
            if loss == Loss::Lossless {
                self.copies.insert(ix);
            }
            self.subtract_from_tally(ix);
            self.note_change(ix, cause, Action::Drop, loss, what);
        }
    }

    fn retype(&mut self, chosen: &ChosenAct<'_>) {
        let ix = chosen.at;
        let call = self.memo.call_of(&self.cx.history.pairs, ix);
        let kind = call.and_then(|call| self.cx.row(call).kind.answer());
        if let Some(kind) = kind {
            self.decision(ix).change_text(Text::Retype(kind));
            let what = "change the type of the output to match its call";
            self.note_change(ix, chosen.cause, Action::Rewrite, Loss::Lossless, what);
        }
    }

    /// Replaces long keys with short ones, the same on every item that has the key.
    pub(super) fn rename<'c>(&mut self, chosen: impl Iterator<Item = &'c ChosenAct<'c>>) {
        let mut names: BTreeMap<u64, (Option<String>, Cause, &'static str)> = BTreeMap::new();
        for chosen in chosen {
            let what = match self.cx.history.messages.is_empty() {
                true => "shorten the call_id on the call and its output",
                false => chosen.judged.variant().fix,
            };
            names.insert(chosen.judged.finding.row.key, (None, chosen.cause, what));
        }
        let (cx, history) = (self.cx, self.cx.history);
        let rows =
            names.keys().flat_map(|key| self.memo.rows_with_key(&history.rows, &history.continuations, *key));
        let mut rows: Vec<u32> = rows.collect();
        rows.sort_unstable();
        for ix in rows {
            let row = cx.row(ix);
            let Some((name, cause, what)) = names.get_mut(&row.key) else { continue };
            if name.is_none() {
                let dialect = self.dialect;
                cx.text.with_item(row, &mut |item| {
                    *name = dialect.key(row.kind, item).map(|key| short_key(cx, &key.decode()));
                });
            }
            let (Some(name), cause, what) = (name.clone(), *cause, *what) else { continue };
            self.decision(ix).change_text(Text::Rename(name));
            self.note_change(ix, cause, Action::Rewrite, Loss::Lossless, what);
        }
    }

    fn acknowledge(&mut self, chosen: &ChosenAct<'_>) {
        let (cx, ix) = (self.cx, chosen.at);
        let Some(call) = self.memo.call_of(&cx.history.pairs, ix) else { return };
        let mut checks = None;
        cx.text.with_item(cx.row(call), &mut |call| {
            checks = call.get("pending_safety_checks").map(|checks| checks.raw().to_vec());
        });
        if let Some(checks) = checks {
            self.decision(ix).change_text(Text::Acknowledge(checks));
            let what = "acknowledge the safety checks of the call";
            self.note_change(ix, chosen.cause, Action::Rewrite, Loss::Lossy, what);
        }
    }

    /// Converts an output to text of the user.
    pub(super) fn turn_into_text(&mut self, chosen: &ChosenAct<'_>) {
        self.decision(chosen.at).change_text(Text::AsText);
        let what = "convert the result to text of the user";
        self.note_change(chosen.at, chosen.cause, Action::Rewrite, Loss::Lossy, what);
    }

    fn drop_item(&mut self, chosen: &ChosenAct<'_>) {
        let (ix, judged) = (chosen.at, &chosen.judged);
        if chosen.drops_call(self.cx) {
            return self.drop_call(chosen);
        }
        let loss = judged.variant().loss;
        if loss == Loss::Lossy && !self.may_lose() {
            return self.refuse(judged, LOSES_CONTENT);
        }
        let reasoning = self.cx.row(ix).is_reasoning();
        if reasoning && self.keeps_reasoning() {
            return self.refuse(judged, "it would remove reasoning (--reasoning keep)");
        }
        if judged.finding.remedy.acts().contains(&RepairAct::Inline) {
            return self.drop_reference(chosen);
        }
        let row = self.cx.row(ix);
        let what = match judged.finding.remedy.acts() {
            [RepairAct::Rekey, ..] if row.kind.is_call() => "drop the call, which cannot be paired",
            [RepairAct::Rekey, ..] => "drop the output, which cannot be paired",
            [RepairAct::Drop, RepairAct::Flatten] => "drop the reasoning",
            _ if row.kind.is_output() && judged.finding.code == orphan_tool_run::RULE.code => {
                "drop the output, which has no call"
            }
            _ => judged.variant().fix,
        };
        self.drop_row(ix, chosen.cause, loss, what);
    }
}

/// True if an item of this kind is meaningless without its id, as a hosted call is.
pub(in crate::repair) fn needs_id(row: &Row) -> bool {
    row.is_reference()
        || matches!(
            row.kind,
            Kind::WebSearchCall
                | Kind::FileSearchCall
                | Kind::CodeInterpreterCall
                | Kind::ImageGenerationCall
                | Kind::McpCall
                | Kind::McpListTools
                | Kind::McpApprovalRequest
                | Kind::Program
                | Kind::LocalShellCall
                | Kind::ComputerCall
        )
}
