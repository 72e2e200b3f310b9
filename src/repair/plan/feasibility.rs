//! Changes of a plan that are impossible, such as a change to a value of the wrong kind, a result for a call
//! without an id, or the removal of the last item of a list. They are found before anything is rendered, and the
//! plan is made again without them.

use std::collections::BTreeMap;

use foldhash::HashMap;

use crate::dialect::{BLOCK, EditRefusal, TextChange as Text};
use crate::format::{FormatInfo, HistoryScope, RemovalUnit};
use crate::history::{Code, Flags, Kind, Row};
use crate::place::{DocId, Place};

use super::history_plan::PlanBuilder;
use super::item_decision::ItemDecision;
use super::reasons::{EMPTY, LONE};
use super::shorten::SHORTEN;
use crate::repair::edit::item_text::item_edits;
use crate::repair::store::{Draft, PlannedItem};
use crate::repair::{Action, Cause};

const SPREAD: &str =
    "the record spans several lines, so no record can be inserted next to it; write each record on one line";

/// A row, the actions on it that are impossible, and the reason.
pub(in crate::repair) type InfeasibleChange = (u32, fn(Action) -> bool, &'static str);

impl PlanBuilder<'_> {
    /// All refusals of the plan, and what is impossible in it.
    pub(in crate::repair) fn all_refusals(
        &self,
        info: &FormatInfo,
        spread: bool,
    ) -> Vec<(Code, Place, &'static str)> {
        let refused = self.refusals().iter().map(|refusal| (refusal.code, refusal.at, refusal.reason));
        let impossible = self.infeasible_causes(info, spread).into_iter().filter_map(|(cause, why)| match cause {
            Cause::Rule(code, _, at) => Some((code, at, why)),
            Cause::Flag(_) => None,
        });
        refused.chain(impossible).collect()
    }

    /// Causes of impossible changes, and why they are impossible.
    pub(in crate::repair) fn infeasible_causes(
        &self,
        info: &FormatInfo,
        spread: bool,
    ) -> Vec<(Cause, &'static str)> {
        let mut found: Vec<InfeasibleChange> = Vec::new();
        if spread && info.editor.is_none() {
            self.find_multiline_records(info, &mut found);
        }
        for (&ix, decision) in &self.decisions {
            if !decision.drop
                && let Err(EditRefusal(why)) = self.can_change(ix, decision)
            {
                found.push((ix, |action| matches!(action, Action::Rewrite | Action::Strip | Action::Move), why));
            }
        }
        self.find_unwritable(info, &mut found);
        self.find_line_moves(info, &mut found);
        self.find_row_moves(&mut found);
        self.find_impossible_stubs(&mut found);
        if !self.is_partial {
            self.find_emptied_lists(info, &mut found);
        }
        let mut causes: Vec<(Cause, &'static str)> = self.request_change().into_iter().collect();
        if found.is_empty() {
            return causes;
        }
        let mut by_row: HashMap<u32, Vec<(Action, Cause)>> = HashMap::default();
        for change in self.changes() {
            by_row.entry(change.ix).or_default().push((change.action, change.cause));
        }
        for (ix, is_meant, why) in found {
            let of_row = by_row.get(&ix).into_iter().flatten();
            for (_, cause) in of_row.filter(|(action, _)| is_meant(*action)) {
                causes.push((*cause, why));
                if *cause == SHORTEN {
                    // Another attempt leaves it as it is.
                    self.memo.leave_unshortened(ix, why);
                }
            }
        }
        causes
    }

    /// Finds changes that the store of the items cannot represent.
    fn find_unwritable(&self, info: &FormatInfo, found: &mut Vec<InfeasibleChange>) {
        let Some((editor, view)) = info.editor.zip(self.view) else { return };
        let dialect = self.dialect;
        let planned =
            self.decisions.iter().map(|(ix, decision)| PlannedItem { row: self.cx.row(*ix), decision, dialect });
        let (_, faults) = Draft::of(view, editor, &planned.collect::<Vec<_>>());
        if faults.is_empty() {
            return;
        }
        let mut changed: HashMap<Place, Vec<u32>> = HashMap::default();
        for ix in self.item_changes.iter().map(|change| change.ix) {
            changed.entry(self.cx.row(ix).at).or_default().push(ix);
        }
        for (at, why) in faults {
            // The row that caused it is unknown, so all changed rows are refused.
            let all = || changed.values().flatten().copied().collect();
            let rows: Vec<u32> = changed.get(&at).cloned().unwrap_or_else(all);
            found.extend(rows.into_iter().map(|ix| (ix, (|_| true) as fn(Action) -> bool, why)));
        }
    }

    /// Finds records of a log that would be inserted next to one that spans several lines.
    fn find_multiline_records(&self, info: &FormatInfo, found: &mut Vec<InfeasibleChange>) {
        for (&ix, _) in self.decisions.iter().filter(|(_, decision)| decision.inserts()) {
            let row = self.cx.row(ix);
            let unit = info.parts.get(usize::from(row.part)).map(|part| part.unit);
            if row.part != BLOCK && unit == Some(RemovalUnit::Record) {
                found.push((ix, |action| matches!(action, Action::Stub | Action::Move | Action::Rewrite), SPREAD));
            }
        }
    }

    /// Ok if the text of an item can be changed so.
    pub(super) fn can_edit(&self, row: &Row, changes: &[Text]) -> Result<(), EditRefusal> {
        let mut can = Ok(());
        self.cx.text.with_item(row, &mut |item| {
            can = item_edits(self.dialect, DocId(0), item.raw(), changes).map(drop);
        });
        can
    }

    fn can_change(&self, ix: u32, decision: &ItemDecision) -> Result<(), EditRefusal> {
        let row = self.cx.row(ix);
        let mut can = if decision.text.is_empty() { Ok(()) } else { self.can_edit(row, &decision.text) };
        if let Some(request) = decision.hoisted() {
            self.cx.text.with_value(request, &mut |request| {
                self.cx.text.with_item(row, &mut |message| {
                    let base = crate::json::edit::RecordBase::new(DocId(0), 0);
                    can = can.and(self.dialect.info().hoist(request, &[message], base, &mut Vec::new()));
                });
            });
        }
        can
    }

    fn request_change(&self) -> Option<(Cause, &'static str)> {
        let (row, decision) = self.request.as_ref()?;
        let mut can = Ok(());
        self.cx.text.with_value(row.at, &mut |request| {
            can = item_edits(self.dialect, DocId(0), request.raw(), &decision.text).map(drop);
        });
        let why = can.err()?.0;
        self.changes().find(|change| change.anchor == Some(row.at)).map(|change| (change.cause, why))
    }

    /// Finds calls for which no placeholder result can be written.
    fn find_impossible_stubs(&self, found: &mut Vec<InfeasibleChange>) {
        for ix in self.item_changes.iter().filter(|change| change.action == Action::Stub).map(|change| change.ix) {
            let kind = self.cx.row(ix).kind;
            let is_call = kind.is_call() || kind == Kind::ToolUse;
            if let Some(EditRefusal(why)) = is_call.then(|| self.can_answer(ix).err()).flatten() {
                found.push((ix, |action| action == Action::Stub, why));
            }
        }
    }

    /// Ok if a placeholder result can be written for a call.
    pub(super) fn can_answer(&self, call: u32) -> Result<(), EditRefusal> {
        let answerable = &self.memo.answerable;
        if answerable.borrow().contains(&call) {
            return Ok(());
        }
        let mut can = Ok(());
        self.cx.text.with_item(self.cx.row(call), &mut |call| can = self.dialect.stub(call).map(drop));
        if can.is_ok() {
            answerable.borrow_mut().insert(call);
        }
        can
    }

    /// Finds lists and lone messages that would become empty.
    fn find_emptied_lists(&self, info: &FormatInfo, found: &mut Vec<InfeasibleChange>) {
        let leaves = |action| matches!(action, Action::Drop | Action::Move);
        let goes = |ix: u32| {
            self.decisions.get(&ix).is_some_and(|decision| decision.empties() && decision.replaced_by().is_none())
        };
        if self.decisions.values().all(|decision| decision.stays()) {
            return;
        }
        for message in &self.cx.history.messages.list {
            let row = self.cx.row(message.row);
            if row.has(Flags::ALONE) && goes(message.row) {
                found.extend(
                    std::iter::once(message.row).chain(message.blocks()).map(|ix| (ix, leaves as _, LONE)),
                );
            }
        }
        if info.histories != HistoryScope::PerRecord {
            return;
        }
        // Several parts may be of one list: messages with other content, and those without it.
        let list_of = |row: &Row| (row.record, info.parts.get(usize::from(row.part)).map(|part| part.path));
        // By list: the items, and whether all of them are removed.
        let mut lists = BTreeMap::new();
        let is_block = |row: &Row| row.part == BLOCK;
        for (row, ix) in self.cx.history.rows.iter().chain(&self.cx.history.continuations).zip(0..) {
            let list = lists.entry(list_of(row)).or_insert((Vec::new(), true));
            if !is_block(row) {
                list.0.push(ix);
                list.1 &= goes(ix);
            }
        }
        for (items, _) in lists.into_values().filter(|(items, all)| *all && !items.is_empty()) {
            for ix in items {
                let message = self.cx.history.messages.of_row(ix).map(|message| message.blocks());
                let blocks = message.into_iter().flatten().chain(std::iter::once(ix));
                found.extend(blocks.map(|ix| (ix, leaves as _, EMPTY)));
            }
        }
    }
}
