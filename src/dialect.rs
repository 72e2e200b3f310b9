//! What a dialect is: the grammar of the items inside an envelope. A dialect turns an item's text into a row, and acts
//! on an item into edits on its bytes. It knows no envelope, no target and no rule.

pub mod log;

use crate::history::{Flags, Kind, Pairing, Role, Row};
use crate::json::edit::Base;
use crate::json::mend::Mend;
use crate::json::spot::{Spot, To};
use crate::json::{Str, Val};
use crate::message::write::Writer;
use crate::message::{At, Capabilities, Losses, Message, Thread};
use crate::place::Edit;

pub use self::log::{Log, LogOptions, LogReader};
pub use crate::json::mend::Cannot;

/// An item as it is passed by: its row, and its text for the length of one call.
#[derive(Clone, Copy)]
pub struct Item<'t> {
    pub row: Row,
    pub val: Val<'t>,
    /// Its `id`, if that is a string, also an empty one.
    pub id: Option<Str<'t>>,
    /// The text that pairs call and output, if it has one.
    pub key: Option<Str<'t>>,
}

/// What an item is called by: its own id, and the key that pairs call and output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names<'t> {
    pub id: Option<Str<'t>>,
    pub key: Option<Str<'t>>,
}

/// Where an item was found.
#[derive(Clone, Copy)]
pub struct Origin<'b> {
    pub base: Base<'b>,
    pub record: u32,
    pub turn: u32,
    pub part: u8,
    pub flags: Flags,
}

/// What is done to the text of one item, without moving it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TextChange {
    /// Remove its own id.
    StripId,
    /// Put a reference to its id in its place.
    Refer,
    /// Give it the type of another kind.
    Retype(Kind),
    /// Write another key that pairs call and output.
    Rename(String),
    /// Acknowledge these safety checks: the text of a JSON array.
    Acknowledge(Vec<u8>),
    /// Take the member that holds a message's calls away.
    StripCalls,
    /// Say what a result says as a text of the user.
    AsText,
    /// An edit that a rule describes.
    Mend(&'static Mend),
    /// Put a text where an image lies in the item itself, in more bytes.
    OmitImages(u32),
    /// Make something of the members at a spot.
    Spot(&'static Spot, To),
}

impl TextChange {
    /// Whether thinking that is signed together with what is in front of it outlives this change to that.
    pub fn keeps_signatures(&self) -> bool {
        matches!(self, TextChange::Mend(mend) if mend.keeps_signatures)
    }
}

/// The part of rows that lie inside an item: blocks of a message. They lie in whatever list holds them.
pub const BLOCK: u8 = u8::MAX;

/// A part of a conversation, as a format finds it in a record, for conversion.
#[derive(Clone, Copy)]
pub struct Body<'b> {
    pub val: Val<'b>,
    pub base: Base<'b>,
    /// It lies in a JSON string.
    pub embedded: bool,
    pub shape: Shape,
}

/// What a [`Body`] is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// The body of a request.
    Request,
    /// A list of items or messages.
    List,
    /// One item.
    Item,
}

impl Body<'_> {
    /// The place of a value.
    pub fn at(&self, val: Val<'_>) -> At {
        At { place: self.base.of(val), embedded: self.embedded }
    }

    /// The place of a key.
    pub fn at_key(&self, member: &crate::json::Member<'_>) -> At {
        let end = member.key_start + member.key.raw.len() as u32 + 2;
        At { place: self.base.place(member.key_start, end), embedded: self.embedded }
    }
}

/// How a conversation is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    /// As the body of a request.
    Request,
    /// One item a line, where the dialect has items.
    Items,
}

/// Edits that put what these messages say where their request keeps its instructions.
pub type Hoist = fn(Val<'_>, &[Val<'_>], Base<'_>, &mut Vec<Edit>) -> Result<(), Cannot>;

/// The text of a new message around an output, in the form of another.
pub type MessageAround = fn(&[u8], Val<'_>) -> Option<Vec<u8>>;

/// What is known about a dialect, beside how its items are read and changed.
pub struct DialectInfo {
    pub name: &'static str,
    /// How calls and outputs find each other.
    pub pairing: Pairing,
    /// A call that nobody answered is answered, unless the user says otherwise: its client does the same.
    pub answers_calls: bool,
    /// A message of the model that says nothing, to stand where the target wants one.
    pub bridge: Option<&'static str>,
    /// A message of the user that asks the model to go on.
    pub continuation: Option<&'static str>,
    /// Results had better not stand in one message with anything else.
    pub keeps_results_apart: bool,
    /// What is around the results of a message that holds nothing else; `None` if results are messages themselves.
    pub results_message: Option<(&'static str, &'static str)>,
    /// What the dialect can say, for conversion. A dialect of logs alone says nothing: it is replayed in another.
    pub capabilities: &'static Capabilities,
    /// What an item is called by, where that does not lie under the keys that any other dialect has.
    pub names: Option<for<'t> fn(Val<'t>) -> Option<Names<'t>>>,
    /// Where outputs lie in messages: the text of a new message around one, in the form of the message beside it.
    pub message_around: Option<MessageAround>,
    /// Whether a message that holds only what moves is moved as it is; else what moves gets a new one.
    pub moves_whole: fn(Val<'_>) -> bool,
    /// `None` if requests of the dialect have no separate instructions.
    pub hoist: Option<Hoist>,
    /// What reads this log's records as a thread; `None` if its records are items that are sent as they are.
    pub log: Option<fn(LogOptions) -> Box<dyn LogReader>>,
}

impl DialectInfo {
    /// What most dialects have in common, without a name.
    pub const BASE: DialectInfo = DialectInfo {
        name: "",
        pairing: Pairing::Keys,
        answers_calls: false,
        bridge: None,
        continuation: None,
        keeps_results_apart: false,
        results_message: None,
        capabilities: &Capabilities::NOTHING,
        names: None,
        message_around: None,
        moves_whole: |_| true,
        hoist: None,
        log: None,
    };

    /// The edits that put what these messages say where their request keeps its instructions.
    pub fn hoist(
        &self,
        request: Val<'_>,
        messages: &[Val<'_>],
        base: Base<'_>,
        out: &mut Vec<Edit>,
    ) -> Result<(), Cannot> {
        let hoist = self.hoist.ok_or(Cannot("requests of this dialect have no separate instructions"))?;
        hoist(request, messages, base, out)
    }
}

pub trait Dialect: Sync {
    fn info(&self) -> &'static DialectInfo;

    /// The rows of one stored element, each with its text. Anything that is no item gives none.
    fn rows<'t>(&self, val: Val<'t>, origin: Origin<'_>, out: &mut dyn FnMut(Item<'t>));

    /// The edits that make a change to an item.
    fn edit(&self, change: &TextChange, item: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot>;

    /// The text of an output that answers a call without claiming anything.
    fn stub(&self, call: Val<'_>) -> Result<Vec<u8>, Cannot>;

    /// The text that pairs call and output, where an item of this kind has it.
    fn key<'t>(&self, _kind: Kind, item: Val<'t>) -> Option<Str<'t>> {
        item.get("call_id").and_then(|id| id.as_str())
    }

    /// Adds a part of a conversation to what comes before it. What is not understood is kept raw.
    fn read(&self, _body: Body<'_>, _out: &mut Thread, _losses: &mut Losses) {}

    /// Writes the body of a request: the thread as it is, also where the dialect's API would refuse it.
    fn write(&self, _thread: &Thread, _w: &mut Writer<'_>) {}

    /// Writes the members of a request that hold its instructions, if those are not messages.
    fn write_instructions(&self, _thread: &Thread, _w: &mut Writer<'_>) {}

    /// Hands out what writes the items of a message, one after the other.
    fn write_items(&self, _thread: &Thread, _message: &Message, _each: &mut dyn FnMut(WriteItem<'_>)) {}
}

/// Writes one item.
pub type WriteItem<'w> = &'w dyn Fn(&mut Writer<'_>);

/// Writes the items of a thread, one a line. Instructions are its first message.
pub fn write_lines(dialect: &dyn Dialect, thread: &Thread, out: &mut Vec<u8>) {
    let mut line = |message: &Message| {
        dialect.write_items(thread, message, &mut |write| {
            write(&mut Writer::new(out).relieved(&thread.outlet));
            out.push(b'\n');
        });
    };
    if let Some(first) = thread.instructions.first() {
        line(&Message { parts: thread.instructions.clone(), ..Message::new(Role::System, first.at) });
    }
    thread.messages.iter().for_each(line);
}
