//! What of a plan cannot be made. A change to a value of the wrong kind, an answer to a call that has no id, the last
//! item of a list: each is found before anything is rendered, and the findings that asked for it are planned without.

use std::collections::{BTreeMap, HashMap};

use crate::dialect::{BLOCK, Cannot};
use crate::format::{FormatInfo, Histories, Unit};
use crate::history::{Code, Flags, Kind, NONE, Row};
use crate::place::{DocId, Place};

use super::history_plan::{Fate, Plan};
use super::reasons::{EMPTY, LONE};
use crate::repair::edit::item_text::edits_of;
use crate::repair::store::{Draft, Planned};
use crate::repair::{Action, Cause};

const SPREAD: &str =
    "the record spans several lines, so no other can be put beside it; write each record on one line";

/// A row, which of the changes on it cannot be made, and why.
pub(in crate::repair) type Fault = (u32, fn(Action) -> bool, &'static str);

impl Plan<'_> {
    /// What was refused while it was made, and what cannot be made.
    pub(in crate::repair) fn refused(&self, info: &FormatInfo, spread: bool) -> Vec<(Code, Place, &'static str)> {
        let refused = self.refusals().iter().map(|refusal| (refusal.code, refusal.at, refusal.why));
        let impossible = self.impossible(info, spread).into_iter().filter_map(|(cause, why)| match cause {
            Cause::Rule(code, _, at) => Some((code, at, why)),
            Cause::Flag(_) => None,
        });
        refused.chain(impossible).collect()
    }

    /// Causes of changes that cannot be made, and why.
    pub(in crate::repair) fn impossible(&self, info: &FormatInfo, spread: bool) -> Vec<(Cause, &'static str)> {
        let mut found: Vec<Fault> = Vec::new();
        if spread && info.editor.is_none() {
            self.beside_a_document(info, &mut found);
        }
        for (&ix, fate) in &self.fates {
            if !fate.drop
                && let Err(Cannot(why)) = self.can_change(ix, fate)
            {
                found.push((ix, |action| matches!(action, Action::Rewrite | Action::Strip | Action::Move), why));
            }
        }
        self.unwritable(info, &mut found);
        self.moves_lines(info, &mut found);
        self.moves_rows(&mut found);
        self.stubs(&mut found);
        if !self.in_part {
            self.emptied(info.histories, &mut found);
        }
        let mut causes: Vec<(Cause, &'static str)> = self.request_change().into_iter().collect();
        if found.is_empty() {
            return causes;
        }
        let mut by_row: HashMap<u32, Vec<(Action, Cause)>> = HashMap::new();
        for (ix, change) in self.changes() {
            by_row.entry(ix).or_default().push((change.action, change.cause));
        }
        for (ix, is_meant, why) in found {
            let of_row = by_row.get(&ix).into_iter().flatten();
            causes.extend(of_row.filter(|(action, _)| is_meant(*action)).map(|(_, cause)| (*cause, why)));
        }
        causes
    }

    /// What the store cannot say from which the items were made.
    fn unwritable(&self, info: &FormatInfo, found: &mut Vec<Fault>) {
        let Some((editor, view)) = info.editor.zip(self.view) else { return };
        let dialect = self.dialect;
        let planned = self.fates.iter().map(|(ix, fate)| Planned { row: self.cx.row(*ix), fate, dialect });
        let (_, faults) = Draft::of(view, editor, &planned.collect::<Vec<_>>());
        if faults.is_empty() {
            return;
        }
        let mut changed: HashMap<Place, Vec<u32>> = HashMap::new();
        for (ix, _) in self.changes().filter(|(ix, _)| *ix != NONE) {
            changed.entry(self.cx.row(ix).at).or_default().push(ix);
        }
        for (at, why) in faults {
            // What is changed for another item's sake cannot be told from the rest.
            let all = || changed.values().flatten().copied().collect();
            let rows: Vec<u32> = changed.get(&at).cloned().unwrap_or_else(all);
            found.extend(rows.into_iter().map(|ix| (ix, (|_| true) as fn(Action) -> bool, why)));
        }
    }

    /// Records of a log that would come to stand beside one that spans several lines.
    fn beside_a_document(&self, info: &FormatInfo, found: &mut Vec<Fault>) {
        let gets = |fate: &&Fate| !fate.before.is_empty() || !fate.behind.is_empty();
        for (&ix, _) in self.fates.iter().filter(|(_, fate)| gets(fate)) {
            let row = self.cx.row(ix);
            let unit = info.parts.get(usize::from(row.part)).map(|part| part.unit);
            if row.part != BLOCK && unit == Some(Unit::Record) {
                found.push((ix, |action| matches!(action, Action::Stub | Action::Move | Action::Rewrite), SPREAD));
            }
        }
    }

    fn can_change(&self, ix: u32, fate: &Fate) -> Result<(), Cannot> {
        let (row, mut can) = (self.cx.row(ix), Ok(()));
        if !fate.text.is_empty() {
            self.cx.look.look(row, &mut |item| {
                can = edits_of(self.dialect, DocId(0), item.raw(), &fate.text).map(drop);
            });
        }
        if let Some(request) = fate.hoisted {
            self.cx.look.value(request, &mut |request| {
                self.cx.look.look(row, &mut |message| {
                    let base = crate::json::edit::Base::new(DocId(0), 0);
                    can = can.and(self.dialect.info().hoist(request, &[message], base, &mut Vec::new()));
                });
            });
        }
        can
    }

    fn request_change(&self) -> Option<(Cause, &'static str)> {
        let (row, fate) = self.request.as_ref()?;
        let mut can = Ok(());
        self.cx.look.value(row.at, &mut |request| {
            can = edits_of(self.dialect, DocId(0), request.raw(), &fate.text).map(drop);
        });
        let why = can.err()?.0;
        let of_request = |(_, change): (u32, &crate::repair::Change)| change.other == Some(row.at);
        self.changes().find(|change| of_request(*change)).map(|(_, change)| (change.cause, why))
    }

    /// Calls that no answer can be made up for.
    fn stubs(&self, found: &mut Vec<Fault>) {
        for (ix, change) in self.changes().filter(|(_, change)| change.action == Action::Stub) {
            let mut can = Ok(());
            if change.row.kind.is_call() || change.row.kind == Kind::ToolUse {
                self.cx.look.look(&change.row, &mut |call| can = self.dialect.stub(call).map(drop));
            }
            if let Err(Cannot(why)) = can {
                found.push((ix, |action| action == Action::Stub, why));
            }
        }
    }

    /// Lists and lone messages of which nothing would be left.
    fn emptied(&self, histories: Histories, found: &mut Vec<Fault>) {
        let leaves = |action| matches!(action, Action::Drop | Action::Move);
        let goes = |ix: u32| {
            let empties = |fate: &Fate| !fate.stays() && fate.before.is_empty() && fate.behind.is_empty();
            self.fates.get(&ix).is_some_and(|fate| empties(fate) && fate.replaced_by.is_none())
        };
        if self.fates.values().all(Fate::stays) {
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
        if histories != Histories::PerRecord {
            return;
        }
        // By list: the items, and whether all of them go.
        let mut lists: BTreeMap<(u32, u8), (Vec<u32>, bool)> = BTreeMap::new();
        let is_block = |row: &Row| row.part == BLOCK;
        for (row, ix) in self.cx.history.rows.iter().chain(&self.cx.history.continued).zip(0..) {
            let list = lists.entry((row.record, row.part)).or_insert((Vec::new(), true));
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
