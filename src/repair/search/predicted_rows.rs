//! The rows of stretches of a history as they would be after a plan. Nothing is read or written: rules see the old
//! row of an item of which only the text changes.

use std::ops::Range;

use crate::dialect::TextChange as Text;
use crate::history::{BlockFlags, Flags, ItemFlags, Kind, Role, Row};
use crate::json::fingerprint_of;
use crate::place::Place;

use crate::repair::edit::insertion::Insertion;
use crate::repair::plan::history_plan::PlanBuilder;
use crate::repair::plan::item_decision::ItemDecision;

/// Offset of the places of inserted items: greater than any offset in a doc.
const NOWHERE: u64 = u64::MAX / 2;

/// True if this is the place of an inserted item.
pub(in crate::repair) fn is_new(at: Place) -> bool {
    at.start >= NOWHERE
}

/// Builder of the predicted rows. Inserted items get places outside of the doc.
pub(super) struct PredictedRows<'p> {
    plan: &'p PlanBuilder<'p>,
    rows: Vec<Row>,
    new_rows: u64,
    /// Role of the message into which blocks are inserted.
    role: Role,
}

impl<'p> PredictedRows<'p> {
    /// The rows of some stretches after a plan, in order.
    pub fn of(plan: &'p PlanBuilder<'p>, stretches: &[Range<u32>]) -> Vec<Row> {
        let inserted = plan.decisions.values().map(|decision| decision.before.len() + decision.after.len());
        let stretched: usize = stretches.iter().map(Range::len).sum();
        let leaving = plan.decisions.values().filter(|decision| !decision.stays()).count();
        let rows = Vec::with_capacity((stretched + inserted.sum::<usize>()).saturating_sub(leaving));
        let mut after = PredictedRows { plan, rows, new_rows: 0, role: Role::None };
        let nothing = ItemDecision::default();
        for ix in stretches.iter().cloned().flatten() {
            let row = *plan.cx.row(ix);
            let decision = plan.decisions.get(&ix).map_or(&nothing, |decision| decision);
            after.add_all(&decision.before);
            if decision.stays() {
                after.add_staying(ix, row, decision);
            }
            // Insertions after a message come after its blocks.
            if row.kind != Kind::BlockMessage {
                after.add_all(&decision.after);
            }
            let message = plan.cx.history.messages.of_row(ix).filter(|message| message.end == ix + 1);
            if let Some(decision) = message.and_then(|message| plan.decisions.get(&message.row))
                && message.is_some_and(|message| plan.cx.row(message.row).kind == Kind::BlockMessage)
            {
                after.add_all(&decision.after);
            }
        }
        after.rows
    }

    fn add_staying(&mut self, ix: u32, row: Row, decision: &ItemDecision) {
        // A block is removed with its message, or with all calls of the message.
        if let Some(message) = self.plan.cx.history.messages.of_row(ix).filter(|message| message.row != ix) {
            let of_message = self.plan.decisions.get(&message.row);
            let gone = of_message.is_some_and(|decision| !decision.stays());
            let calls_gone = row.kind == Kind::ToolUse
                && of_message.is_some_and(|decision| decision.text.contains(&Text::StripCalls));
            if gone || calls_gone {
                return;
            }
        }
        match decision.replaced_by() {
            Some(place) => self.add_copy(row.item_kind, place, row),
            None => {
                if row.kind == Kind::BlockMessage || row.has(BlockFlags::MESSAGE) {
                    self.role = row.role;
                }
                self.rows.push(apply_changes(row, &decision.text));
            }
        }
    }

    fn add_all(&mut self, insertion: &[Insertion]) {
        insertion.iter().for_each(|insertion| self.add(insertion));
    }

    fn add(&mut self, insertion: &Insertion) {
        match insertion {
            Insertion::Moved(row, _) => {
                let ix = self.plan.cx.history.index_of(row);
                let texts = self.plan.decisions.get(&ix).map_or(&[][..], |decision| &decision.text);
                self.push(apply_changes(*row, texts));
                let message = self.plan.cx.history.messages.of_row(ix).copied();
                // A message brings its blocks.
                if let Some(message) = message.filter(|_| row.kind == Kind::BlockMessage) {
                    self.rows.extend(message.blocks().map(|ix| *self.plan.cx.row(ix)));
                }
            }
            Insertion::Copied(place) => {
                if let Some(beside) = self.plan.cx.history.rows.first().copied() {
                    self.add_copy(Kind::Reasoning, *place, beside);
                }
            }
            Insertion::Stub(call) => {
                let mut row = self.new_row(call);
                row.key = call.key;
                row.flags = call.flags.only(Flags::LONG_KEY);
                match call.kind {
                    Kind::ToolUse => {
                        row.kind = Kind::ToolResult;
                        (row.id, row.block_flags) = (call.id, call.block_flags.only(BlockFlags::NINE));
                        if self.plan.dialect.info().results_message.is_none() {
                            (row.role, row.block_flags) = (Role::Tool, row.block_flags | BlockFlags::MESSAGE);
                        }
                    }
                    _ => row.kind = call.kind.answer().unwrap_or(Kind::FunctionCallOutput),
                }
                row.item_flags = call.item_flags.only(ItemFlags::ANONYMOUS);
                row.item_kind = row.kind;
                self.push(row);
            }
            Insertion::TextBlock(message) => {
                let mut row = self.new_row(message);
                (row.kind, row.item_kind) = (Kind::Text, Kind::Text);
                self.push(row);
            }
            Insertion::UserMessage(list) => {
                self.add_message(Role::User, BlockFlags::NONE);
                self.add_all(list);
            }
            Insertion::Bridge => self.add_message(Role::Assistant, BlockFlags::CONTENT),
            Insertion::Continuation => self.add_message(Role::User, BlockFlags::CONTENT),
        }
    }

    /// A block gets the role of the message that it is inserted into.
    fn push(&mut self, mut row: Row) {
        let is_block = row.kind.is_block_kind() && row.kind != Kind::BlockMessage && !row.has(BlockFlags::MESSAGE);
        if is_block {
            row.role = self.role;
        }
        self.rows.push(row);
    }

    fn add_message(&mut self, role: Role, block: BlockFlags) {
        let Some(beside) = self.plan.cx.history.rows.first().copied() else { return };
        let mut row = self.new_row(&beside);
        (row.kind, row.item_kind, row.role, row.block_flags) =
            (Kind::BlockMessage, Kind::BlockMessage, role, block);
        self.role = role;
        self.rows.push(row);
    }

    /// A full item from elsewhere in the doc.
    fn add_copy(&mut self, kind: Kind, place: Place, beside: Row) {
        let origin = crate::dialect::ItemOrigin {
            base: crate::json::edit::RecordBase::new(place.doc, place.start),
            record: beside.record,
            turn: beside.turn,
            part: beside.part,
            flags: Flags::NONE,
        };
        let mut row = Row { at: place, kind, item_kind: kind, ..self.new_row(&beside) };
        let dialect = self.plan.dialect;
        self.plan.cx.text.with_value(place, &mut |item| {
            dialect.rows(item, origin, &mut |item| row = Row { at: place, ..item.row });
        });
        self.rows.push(row);
    }

    /// A row for an item that is inserted beside another.
    fn new_row(&mut self, beside: &Row) -> Row {
        self.new_rows += 1;
        let at = Place::new(beside.at.doc, NOWHERE + self.new_rows, 0);
        Row { turn: beside.turn, part: beside.part, ..Row::of_place(at, beside.record) }
    }
}

/// A row after changes to the text of its item.
fn apply_changes(mut row: Row, texts: &[Text]) -> Row {
    for text in texts {
        match text {
            Text::StripId => {
                (row.id, row.lineage, row.time) = (0, 0, 0);
                row.item_flags =
                    row.item_flags.without(ItemFlags::EMPTY_ID | ItemFlags::SYNTHETIC_ID | ItemFlags::LONG_ID);
                if row.is_reasoning() {
                    row.set(ItemFlags::FRESH);
                }
            }
            Text::ReplaceWithReference => {
                (row.kind, row.key) = (Kind::ItemReference, 0);
                row.item_flags = row.item_flags.only(ItemFlags::SYNTHETIC_ID | ItemFlags::LONG_ID);
                row.role = Role::None;
            }
            Text::Retype(kind) => (row.kind, row.item_kind) = (*kind, *kind),
            Text::Rename(name) => {
                row.key = fingerprint_of(name.as_bytes());
                row.flags = row.flags.without(Flags::LONG_KEY);
                row.block_flags = row.block_flags.without(BlockFlags::NINE);
                if name.len() == 9 && name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
                    row.set(BlockFlags::NINE);
                }
            }
            Text::AsText if row.kind == Kind::ToolResult => {
                row.key = 0;
                let is_message = row.has(BlockFlags::MESSAGE);
                (row.kind, row.block_flags) = match is_message {
                    true => (Kind::BlockMessage, BlockFlags::CONTENT),
                    false => (Kind::Text, BlockFlags::NONE),
                };
                row.item_kind = row.kind;
                if is_message {
                    row.role = Role::User;
                }
            }
            Text::AsText => {
                (row.kind, row.item_kind, row.role) = (Kind::Message, Kind::Message, Role::User);
                (row.key, row.id, row.item_flags) = (0, 0, ItemFlags::NONE);
            }
            Text::Acknowledge(_)
            | Text::StripCalls
            | Text::EditValue(_)
            | Text::OmitImages(_)
            | Text::ShrinkImages(_)
            | Text::ShortenResult
            | Text::AppendNote(_)
            | Text::EditMembers(..) => {}
        }
    }
    row
}
