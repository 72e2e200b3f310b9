//! A row: what is kept of an item once its text was passed. 64 bytes, no borrow; text is read again from its place,
//! only to be printed or edited. Ids are kept as fingerprints, which are verified against the text before anything is
//! reported that rests on two of them being equal.

use crate::json::{Str, fingerprint};
use crate::place::Place;

use super::flags::{BlockFlags, Flags, ItemFlags};
use super::id;
use super::kind::{Class, Kind, Role, is_long_id};
use super::looks;

/// What is kept of an item.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub at: Place,
    /// Fingerprint of the item's own id; 0 without one.
    pub id: u64,
    /// Fingerprint of what pairs call and output; 0 without one.
    pub key: u64,
    /// The lineage inside an OpenAI id: names the conversation, not the response; 0 if there is none.
    pub lineage: u64,
    /// Number of the record, from 0.
    pub record: u32,
    /// Number of the user's turn, from 0, where the format counts turns.
    pub turn: u32,
    /// Unix time inside the id, in seconds; 0 if there is none.
    pub time: u32,
    pub flags: Flags,
    pub item: ItemFlags,
    pub block: BlockFlags,
    pub kind: Kind,
    /// For a reference: the kind that its id names. Else the kind itself.
    pub of: Kind,
    pub role: Role,
    /// Where in the record the item lies: the format knows.
    pub part: u8,
}

const _: () = assert!(size_of::<Row>() == 64);

/// A row by its number, which was counted over the same rows.
#[expect(
    clippy::indexing_slicing,
    reason = "pairs, messages and groups keep numbers of rows of their own history only"
)]
pub(super) fn nth(rows: &[Row], ix: u32) -> &Row {
    &rows[ix as usize]
}

impl Row {
    /// A row for something that is no item: a record, a line.
    pub fn of_place(at: Place, record: u32) -> Row {
        Row {
            at,
            id: 0,
            key: 0,
            lineage: 0,
            record,
            turn: 0,
            time: 0,
            flags: Flags::NONE,
            item: ItemFlags::NONE,
            block: BlockFlags::NONE,
            kind: Kind::Unknown,
            of: Kind::Unknown,
            role: Role::None,
            part: 0,
        }
    }

    pub fn has(&self, flag: impl Flag) -> bool {
        looks::count();
        flag.is_on(self)
    }

    pub fn set(&mut self, flag: impl Flag) {
        flag.put_on(self);
    }

    /// Takes what an id tells: its fingerprint, its age, and whether its form is one that is never accepted.
    pub fn set_id(&mut self, id: Str<'_>) {
        if id.is_empty() {
            self.set(ItemFlags::EMPTY_ID);
            return;
        }
        let text = id.decode();
        let anatomy = id::anatomy(&text);
        (self.id, self.lineage, self.time) = (fingerprint(id), anatomy.lineage, anatomy.time);
        if is_long_id(id) {
            self.set(ItemFlags::LONG_ID);
        }
        if id::is_synthetic(&text) {
            self.set(ItemFlags::SYNTHETIC_ID);
        }
    }

    /// Takes the call_id that pairs call and output.
    pub fn set_key(&mut self, key: Str<'_>) {
        self.key = fingerprint(key);
        if is_long_id(key) {
            self.set(Flags::LONG_KEY);
        }
    }

    pub fn has_id(&self) -> bool {
        self.id != 0
    }

    /// There is an id to strip, if only an empty one.
    pub fn has_id_member(&self) -> bool {
        self.has_id() || self.has(ItemFlags::EMPTY_ID)
    }

    /// Reasoning, in full or by reference.
    pub fn is_reasoning(&self) -> bool {
        self.of == Kind::Reasoning
    }

    pub fn is_reference(&self) -> bool {
        self.kind == Kind::ItemReference
    }

    /// A hosted call or a reference: without its id it says nothing to the server.
    pub fn goes_with_its_id(&self) -> bool {
        self.is_reference() || self.kind.class() == Class::Hosted
    }

    /// A call that the client must answer, or another side of the same family. A tool search that the server ran
    /// brings its own output.
    pub fn is_client_call(&self) -> bool {
        self.kind.is_call() && !self.has(Flags::SERVER_RUN)
    }

    pub fn is_client_output(&self) -> bool {
        self.kind.is_output() && !self.has(Flags::SERVER_RUN)
    }

    /// A call that the client answers, in any dialect.
    pub fn calls_client(&self) -> bool {
        self.is_client_call() || self.kind == Kind::ToolUse
    }

    /// The client's answer to a call, in any dialect.
    pub fn answers_call(&self) -> bool {
        self.is_client_output() || self.kind == Kind::ToolResult
    }

    /// Made by the model within a response, so that it belongs to the group it is in.
    pub fn is_model_made(&self) -> bool {
        match self.of.class() {
            Class::Message => self.role == Role::Assistant || self.is_reference(),
            Class::Reasoning | Class::Call | Class::Hosted => true,
            Class::Output => {
                self.has(Flags::SERVER_RUN) || self.kind == Kind::ProgramOutput || self.is_reference()
            }
            Class::Reference | Class::Other => false,
        }
    }
}

/// A flag of any of the sets, or several of one.
pub trait Flag: Copy {
    fn is_on(self, row: &Row) -> bool;

    fn put_on(self, row: &mut Row);
}

impl Flag for Flags {
    fn is_on(self, row: &Row) -> bool {
        row.flags.has(self)
    }

    fn put_on(self, row: &mut Row) {
        row.flags.set(self);
    }
}

impl Flag for ItemFlags {
    fn is_on(self, row: &Row) -> bool {
        row.item.has(self)
    }

    fn put_on(self, row: &mut Row) {
        row.item.set(self);
    }
}

impl Flag for BlockFlags {
    fn is_on(self, row: &Row) -> bool {
        row.block.has(self)
    }

    fn put_on(self, row: &mut Row) {
        row.block.set(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::DocId;

    #[test]
    fn flags_of_one_set_say_nothing_in_another() {
        let mut row = Row::of_place(Place::new(DocId(0), 0, 1), 0);
        row.set(ItemFlags::BLOB);
        row.set(Flags::RECORDED | Flags::FROZEN);
        assert!(row.has(ItemFlags::BLOB) && row.has(Flags::RECORDED) && row.has(Flags::FROZEN));
        assert_eq!(row.block, BlockFlags::NONE);
        assert!(!row.has(Flags::EMBEDDED) && !row.has(Flags::EMBEDDED | Flags::FROZEN));
        assert_eq!(row.flags.only(Flags::FROZEN | Flags::ALONE), Flags::FROZEN);
        assert_eq!(row.flags.without(Flags::FROZEN), Flags::RECORDED);
    }
}
