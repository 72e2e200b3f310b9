//! The rows of a stretch of a history as they would be after a plan. Nothing is read or written: what a rule asks of an
//! item that only changed in its text is answered by the row that it had.

use std::ops::Range;

use crate::dialect::TextChange as Text;
use crate::history::{BlockFlags, Flags, ItemFlags, Kind, Role, Row};
use crate::json::fingerprint_of;
use crate::place::Place;

use crate::repair::edit::insertion::Fresh;
use crate::repair::plan::history_plan::{Fate, Plan};

/// Where rows lie that no item of the doc is yet: after all that a doc can hold.
const NOWHERE: u64 = u64::MAX / 2;

/// Whether a row at this place is of no item of the doc yet.
pub(in crate::repair) fn is_new(at: Place) -> bool {
    at.start >= NOWHERE
}

/// Rows with the places of the items that they are made of; what is new lies nowhere.
pub(super) struct RowsAfter<'p> {
    plan: &'p Plan<'p>,
    rows: Vec<Row>,
    fresh: u64,
    /// Of the message that blocks come to stand in.
    role: Role,
}

impl<'p> RowsAfter<'p> {
    /// Of some stretches, in order.
    pub fn of(plan: &'p Plan<'p>, stretches: &[Range<u32>]) -> Vec<Row> {
        let mut after = RowsAfter { plan, rows: Vec::new(), fresh: 0, role: Role::None };
        let nothing = Fate::default();
        for ix in stretches.iter().cloned().flatten() {
            let row = *plan.cx.row(ix);
            let fate = plan.fates.get(&ix).unwrap_or(&nothing);
            after.all(&fate.before);
            if fate.stays() {
                after.stays(ix, row, fate);
            }
            // What comes after a message comes after its blocks.
            if row.kind != Kind::BlockMessage {
                after.all(&fate.behind);
            }
            let message = plan.cx.history.messages.of_row(ix).filter(|message| message.end == ix + 1);
            if let Some(fate) = message.and_then(|message| plan.fates.get(&message.row))
                && message.is_some_and(|message| plan.cx.row(message.row).kind == Kind::BlockMessage)
            {
                after.all(&fate.behind);
            }
        }
        after.rows
    }

    fn stays(&mut self, ix: u32, row: Row, fate: &Fate) {
        // With its message, and with all calls of it, a block goes.
        if let Some(message) = self.plan.cx.history.messages.of_row(ix).filter(|message| message.row != ix) {
            let of_message = self.plan.fates.get(&message.row);
            let gone = of_message.is_some_and(|fate| !fate.stays());
            let calls_gone =
                row.kind == Kind::ToolUse && of_message.is_some_and(|fate| fate.text.contains(&Text::StripCalls));
            if gone || calls_gone {
                return;
            }
        }
        match fate.replaced_by {
            Some(place) => self.copy(row.of, place, row),
            None => {
                if row.kind == Kind::BlockMessage || row.has(BlockFlags::MESSAGE) {
                    self.role = row.role;
                }
                self.rows.push(changed(row, &fate.text));
            }
        }
    }

    fn all(&mut self, fresh: &[Fresh]) {
        fresh.iter().for_each(|fresh| self.add(fresh));
    }

    fn add(&mut self, fresh: &Fresh) {
        match fresh {
            Fresh::Moved(row, _) => {
                let ix = self.plan.cx.history.index_of(row);
                let texts = self.plan.fates.get(&ix).map_or(&[][..], |fate| &fate.text);
                self.push(changed(*row, texts));
                let message = self.plan.cx.history.messages.of_row(ix).copied();
                // A message brings its blocks.
                if let Some(message) = message.filter(|_| row.kind == Kind::BlockMessage) {
                    self.rows.extend(message.blocks().map(|ix| *self.plan.cx.row(ix)));
                }
            }
            Fresh::Copied(place) => {
                if let Some(beside) = self.plan.cx.history.rows.first().copied() {
                    self.copy(Kind::Reasoning, *place, beside);
                }
            }
            Fresh::Stub(call) => {
                let mut row = self.nowhere(call);
                row.key = call.key;
                row.flags = call.flags.only(Flags::LONG_KEY);
                match call.kind {
                    Kind::ToolUse => {
                        row.kind = Kind::ToolResult;
                        (row.id, row.block) = (call.id, call.block.only(BlockFlags::NINE));
                        if self.plan.dialect.info().results_message.is_none() {
                            (row.role, row.block) = (Role::Tool, row.block | BlockFlags::MESSAGE);
                        }
                    }
                    _ => row.kind = call.kind.answer().unwrap_or(Kind::FunctionCallOutput),
                }
                row.item = call.item.only(ItemFlags::ANONYMOUS);
                row.of = row.kind;
                self.push(row);
            }
            Fresh::Said(message) => {
                let mut row = self.nowhere(message);
                (row.kind, row.of) = (Kind::Text, Kind::Text);
                self.push(row);
            }
            Fresh::Message(list) => {
                self.message(Role::User, BlockFlags::NONE);
                self.all(list);
            }
            Fresh::Bridge => self.message(Role::Assistant, BlockFlags::CONTENT),
            Fresh::GoOn => self.message(Role::User, BlockFlags::CONTENT),
        }
    }

    /// A block has the role of the message that it comes to stand in.
    fn push(&mut self, mut row: Row) {
        let is_block = row.kind.is_of_blocks() && row.kind != Kind::BlockMessage && !row.has(BlockFlags::MESSAGE);
        if is_block {
            row.role = self.role;
        }
        self.rows.push(row);
    }

    fn message(&mut self, role: Role, block: BlockFlags) {
        let Some(beside) = self.plan.cx.history.rows.first().copied() else { return };
        let mut row = self.nowhere(&beside);
        (row.kind, row.of, row.role, row.block) = (Kind::BlockMessage, Kind::BlockMessage, role, block);
        self.role = role;
        self.rows.push(row);
    }

    /// A full item from elsewhere in the doc.
    fn copy(&mut self, kind: Kind, place: Place, beside: Row) {
        let origin = crate::dialect::Origin {
            base: crate::json::edit::Base::new(place.doc, place.start),
            record: beside.record,
            turn: beside.turn,
            part: beside.part,
            flags: Flags::NONE,
        };
        let mut row = Row { at: place, kind, of: kind, ..self.nowhere(&beside) };
        let dialect = self.plan.dialect;
        self.plan.cx.look.value(place, &mut |item| {
            dialect.rows(item, origin, &mut |item| row = Row { at: place, ..item.row });
        });
        self.rows.push(row);
    }

    /// A row for what comes to stand beside an item.
    fn nowhere(&mut self, beside: &Row) -> Row {
        self.fresh += 1;
        let at = Place::new(beside.at.doc, NOWHERE + self.fresh, 0);
        Row { turn: beside.turn, part: beside.part, ..Row::of_place(at, beside.record) }
    }
}

/// A row after changes to the text of its item.
fn changed(mut row: Row, texts: &[Text]) -> Row {
    for text in texts {
        match text {
            Text::StripId => {
                (row.id, row.lineage, row.time) = (0, 0, 0);
                row.item = row.item.without(ItemFlags::EMPTY_ID | ItemFlags::SYNTHETIC_ID | ItemFlags::LONG_ID);
                if row.is_reasoning() {
                    row.set(ItemFlags::FRESH);
                }
            }
            Text::Refer => {
                (row.kind, row.key) = (Kind::ItemReference, 0);
                row.item = row.item.only(ItemFlags::SYNTHETIC_ID | ItemFlags::LONG_ID);
                row.role = Role::None;
            }
            Text::Retype(kind) => (row.kind, row.of) = (*kind, *kind),
            Text::Rename(name) => {
                row.key = fingerprint_of(name.as_bytes());
                row.flags = row.flags.without(Flags::LONG_KEY);
                row.block = row.block.without(BlockFlags::NINE);
                if name.len() == 9 && name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                    row.set(BlockFlags::NINE);
                }
            }
            Text::AsText if row.kind == Kind::ToolResult => {
                row.key = 0;
                let is_message = row.has(BlockFlags::MESSAGE);
                (row.kind, row.block) = match is_message {
                    true => (Kind::BlockMessage, BlockFlags::CONTENT),
                    false => (Kind::Text, BlockFlags::NONE),
                };
                row.of = row.kind;
                if is_message {
                    row.role = Role::User;
                }
            }
            Text::AsText => {
                (row.kind, row.of, row.role) = (Kind::Message, Kind::Message, Role::User);
                (row.key, row.id, row.item) = (0, 0, ItemFlags::NONE);
            }
            Text::Acknowledge(_) | Text::StripCalls | Text::Mend(_) | Text::OmitImages(_) | Text::Spot(..) => {}
        }
    }
    row
}
