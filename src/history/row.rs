//! A row: the facts about an item that are kept after reading its text. 64 bytes, no borrow; the text is read again
//! from its place only to be printed or edited. Ids are fingerprints, which are verified against the text before a
//! finding that depends on two of them being equal is reported.

use crate::json::{Str, fingerprint};
use crate::place::Place;

use super::flags::{BlockFlags, Flags, ItemFlags};
use super::id;
use super::kind::{Class, Kind, Role, is_long_id};
use super::work_counter;

/// The facts about an item.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub at: Place,
    /// Fingerprint of the item's own id; 0 without one.
    pub id: u64,
    /// Fingerprint of the key that pairs call and output; 0 without one.
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
    pub item_flags: ItemFlags,
    pub block_flags: BlockFlags,
    pub kind: Kind,
    /// For a reference, the kind of its id; otherwise the same as `kind`.
    pub item_kind: Kind,
    pub role: Role,
    /// The part of the record that the item is in, as numbered by its format.
    pub part: u8,
}

const _: () = assert!(size_of::<Row>() == 64);

/// A row by its index.
#[expect(
    clippy::indexing_slicing,
    reason = "pairs, messages and groups contain indices of rows of their own history only"
)]
pub(super) fn nth(rows: &[Row], ix: u32) -> &Row {
    &rows[ix as usize]
}

impl Row {
    /// A row for something that is not an item: a record, a line.
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
            item_flags: ItemFlags::NONE,
            block_flags: BlockFlags::NONE,
            kind: Kind::Unknown,
            item_kind: Kind::Unknown,
            role: Role::None,
            part: 0,
        }
    }

    pub fn has(&self, flag: impl Flag) -> bool {
        work_counter::count();
        flag.is_set_in(self)
    }

    pub fn set(&mut self, flag: impl Flag) {
        flag.set_in(self);
    }

    /// Sets the fields derived from an id: its fingerprint, lineage and time, and flags for forms that are never
    /// accepted.
    pub fn set_id(&mut self, id: Str<'_>) {
        if id.is_empty() {
            self.set(ItemFlags::EMPTY_ID);
            return;
        }
        let text = id.decode();
        let anatomy = id::parse_id(&text);
        (self.id, self.lineage, self.time) = (fingerprint(id), anatomy.lineage, anatomy.time);
        if is_long_id(id) {
            self.set(ItemFlags::LONG_ID);
        }
        if id::is_synthetic(&text) {
            self.set(ItemFlags::SYNTHETIC_ID);
        }
    }

    /// Sets the key from the call_id that pairs call and output.
    pub fn set_key(&mut self, key: Str<'_>) {
        self.key = fingerprint(key);
        if is_long_id(key) {
            self.set(Flags::LONG_KEY);
        }
    }

    pub fn has_id(&self) -> bool {
        self.id != 0
    }

    /// True if there is an id to strip, even an empty one.
    pub fn has_id_member(&self) -> bool {
        self.has_id() || self.has(ItemFlags::EMPTY_ID)
    }

    /// True if it has images, sounds, videos or files of the history's own dialect.
    pub fn has_own_media(&self) -> bool {
        self.has(Flags::MEDIA) && !self.has(Flags::FOREIGN)
    }

    /// Reasoning, in full or by reference.
    pub fn is_reasoning(&self) -> bool {
        self.item_kind == Kind::Reasoning
    }

    pub fn is_reference(&self) -> bool {
        self.kind == Kind::ItemReference
    }

    /// True for a hosted call or a reference, which the server cannot use without its id.
    pub fn depends_on_id(&self) -> bool {
        self.is_reference() || self.kind.class() == Class::Hosted
    }

    /// True for a call that the client must answer. A tool search that the server ran has its own output.
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

    /// True if the model made it within a response, so that it belongs to its group.
    pub fn is_model_made(&self) -> bool {
        match self.item_kind.class() {
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
    fn is_set_in(self, row: &Row) -> bool;

    fn set_in(self, row: &mut Row);
}

impl Flag for Flags {
    fn is_set_in(self, row: &Row) -> bool {
        row.flags.has(self)
    }

    fn set_in(self, row: &mut Row) {
        row.flags.set(self);
    }
}

impl Flag for ItemFlags {
    fn is_set_in(self, row: &Row) -> bool {
        row.item_flags.has(self)
    }

    fn set_in(self, row: &mut Row) {
        row.item_flags.set(self);
    }
}

impl Flag for BlockFlags {
    fn is_set_in(self, row: &Row) -> bool {
        row.block_flags.has(self)
    }

    fn set_in(self, row: &mut Row) {
        row.block_flags.set(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::DocId;

    #[test]
    fn flag_sets_are_independent() {
        let mut row = Row::of_place(Place::new(DocId(0), 0, 1), 0);
        row.set(ItemFlags::BLOB);
        row.set(Flags::RECORDED | Flags::FROZEN);
        assert!(row.has(ItemFlags::BLOB) && row.has(Flags::RECORDED) && row.has(Flags::FROZEN));
        assert_eq!(row.block_flags, BlockFlags::NONE);
        assert!(!row.has(Flags::EMBEDDED) && !row.has(Flags::EMBEDDED | Flags::FROZEN));
        assert_eq!(row.flags.only(Flags::FROZEN | Flags::ALONE), Flags::FROZEN);
        assert_eq!(row.flags.without(Flags::FROZEN), Flags::RECORDED);
    }
}
