//! A row: what is kept of an item once its text was passed. 64 bytes, no borrow; text is read again from its place,
//! only to be printed or edited. Ids are kept as fingerprints, which are verified against the text before anything is
//! reported that rests on two of them being equal.

use crate::json::{Str, fingerprint};
use crate::place::Place;

use super::id;
use super::kind::{Class, ID_LIMIT, Kind, Role};

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
    /// Which side chain, where the format has them.
    pub thread: u32,
    /// Unix time inside the id, in seconds; 0 if there is none.
    pub time: u32,
    pub flags: Flags,
    pub kind: Kind,
    /// For a reference: the kind that its id names. Else the kind itself.
    pub of: Kind,
    pub role: Role,
    /// Where in the record the item lies: the format knows.
    pub part: u8,
}

const _: () = assert!(size_of::<Row>() == 64);

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
            thread: 0,
            time: 0,
            flags: Flags::default(),
            kind: Kind::Unknown,
            of: Kind::Unknown,
            role: Role::None,
            part: 0,
        }
    }

    pub fn has(&self, flag: Flags) -> bool {
        self.flags.has(flag)
    }

    /// Takes what an id tells: its fingerprint, its age, and whether its form is one that is never accepted.
    pub fn set_id(&mut self, id: Str<'_>) {
        if id.is_empty() {
            self.flags.set(Flags::EMPTY_ID);
            return;
        }
        let text = id.decode();
        let anatomy = id::anatomy(&text);
        (self.id, self.lineage, self.time) = (fingerprint(id), anatomy.lineage, anatomy.time);
        if text.len() > ID_LIMIT {
            self.flags.set(Flags::LONG_ID);
        }
        if id::is_synthetic(&text) {
            self.flags.set(Flags::SYNTHETIC_ID);
        }
    }

    /// Takes the call_id that pairs call and output.
    pub fn set_key(&mut self, key: Str<'_>) {
        self.key = fingerprint(key);
        if key.raw.len() > ID_LIMIT && key.decode().len() > ID_LIMIT {
            self.flags.set(Flags::LONG_KEY);
        }
    }

    pub fn has_id(&self) -> bool {
        self.id != 0
    }

    /// There is an id to strip, if only an empty one.
    pub fn has_id_member(&self) -> bool {
        self.has_id() || self.has(Flags::EMPTY_ID)
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

    /// Made by the model within a response, so that it belongs to the group it stands in.
    pub fn is_model_made(&self) -> bool {
        match self.of.class() {
            Class::Message => self.role == Role::Assistant || self.is_reference(),
            Class::Reasoning | Class::Call | Class::Hosted => true,
            Class::Output => self.has(Flags::SERVER_RUN) || self.kind == Kind::ProgramOutput,
            Class::Reference | Class::Other => false,
        }
    }
}

/// Facts about an item that rules ask for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Flags(pub u32);

impl Flags {
    /// Reasoning carries an encrypted blob.
    pub const BLOB: Flags = Flags(1);
    /// A tool search, or its output, that the server ran.
    pub const SERVER_RUN: Flags = Flags(1 << 1);
    /// `status` is `in_progress`: what a stream's `added` event carries.
    pub const IN_PROGRESS: Flags = Flags(1 << 2);
    /// A computer call with pending safety checks.
    pub const CHECKS_PENDING: Flags = Flags(1 << 3);
    /// A hosted item whose payload is not in the item, only its id.
    pub const ID_ONLY: Flags = Flags(1 << 4);
    /// Called by a program; that is who is answered.
    pub const OWNED: Flags = Flags(1 << 5);
    /// The item lies in a JSON string: its bytes are escaped, and it is not edited.
    pub const EMBEDDED: Flags = Flags(1 << 6);
    /// The item lies in a recorded response, not in a request.
    pub const RECORDED: Flags = Flags(1 << 7);
    /// Made from something that is no item: has the place of its cause and is never edited.
    pub const SYNTHETIC: Flags = Flags(1 << 8);
    /// The item's id has a form that only clients invent.
    pub const SYNTHETIC_ID: Flags = Flags(1 << 9);
    /// A call that pairs by order because it has no call_id (tool search).
    pub const ANONYMOUS: Flags = Flags(1 << 10);
    /// The key that pairs call and output is longer than the API takes.
    pub const LONG_KEY: Flags = Flags(1 << 11);
    /// The item's id is longer than the API takes.
    pub const LONG_ID: Flags = Flags(1 << 12);
    /// The item's id is an empty text: it stands there, and names nothing.
    pub const EMPTY_ID: Flags = Flags(1 << 14);
    /// The record holds bytes that are not UTF-8: it is read, and never edited.
    pub const FROZEN: Flags = Flags(1 << 13);
    /// Tells more of an item that another row stands for: its result, the same call once more. The `key` ties them.
    pub const CONTINUES: Flags = Flags(1 << 15);
    /// Several stored elements may tell of the same item: all but the first continue it.
    pub const SHARED: Flags = Flags(1 << 16);
    /// Stored in a form that knows no such item without an id.
    pub const BOUND: Flags = Flags(1 << 17);
    /// Its text is what another system stores of an item, not the item as the API takes it: its fields are not judged.
    pub const FOREIGN: Flags = Flags(1 << 18);

    // Of messages that hold blocks, and of their blocks. Each dialect says what it means by them.
    /// A result that is a message of its own, and no block of one.
    pub const MESSAGE: Flags = Flags(1 << 16);
    /// A message says something besides its block rows: a text as its content.
    pub const CONTENT: Flags = Flags(1 << 17);
    /// The text, or all content, is empty.
    pub const EMPTY: Flags = Flags(1 << 18);
    /// The text is nothing but white space.
    pub const BLANK: Flags = Flags(1 << 19);
    /// The content is null.
    pub const NULL: Flags = Flags(1 << 20);
    /// There is no content at all.
    pub const ABSENT: Flags = Flags(1 << 21);
    /// A message's calls are a member of their own, beside its content, which goes with the last of them.
    pub const CALLS_APART: Flags = Flags(1 << 22);
    /// Thinking, or a call, carries its provider's signature.
    pub const SIGNED: Flags = Flags(1 << 23);
    /// The provider is asked to cache the prompt up to here.
    pub const CACHED: Flags = Flags(1 << 27);
    /// A call or result that needs no id: how many there are of each is what counts.
    pub const COUNTED: Flags = Flags(1 << 28);

    /// A message that stands in no list: it can be changed, and not taken out.
    pub const ALONE: Flags = Flags(1 << 24);
    /// What the model thought stands in a member of the message.
    pub const REASONED: Flags = Flags(1 << 25);
    /// The key is nine letters and digits.
    pub const NINE: Flags = Flags(1 << 26);

    // Of items of the Responses API: what only few targets mind. No row is both, so they share the numbers of those
    // above.
    /// Text of the model without `annotations`.
    pub const BARE_TEXT: Flags = Flags(1 << 29);
    /// A message without content.
    pub const EMPTY_CONTENT: Flags = Flags(1 << 24);
    /// A call that names the namespace of its tool.
    pub const NAMESPACED: Flags = Flags(1 << 25);
    /// A message of the role `system`.
    pub const SYSTEM: Flags = Flags(1 << 26);
    /// Reasoning without an id.
    pub const FRESH: Flags = Flags(1 << 27);
    /// Reasoning without its own text.
    pub const WORDLESS: Flags = Flags(1 << 28);

    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    pub fn set(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}

impl std::ops::BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}
