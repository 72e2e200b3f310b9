//! The contract of a dialect, the grammar of the items inside an envelope. A dialect turns an item's text into a row, and
//! changes to an item into edits of its bytes. It knows no envelope, no target and no rule.

pub mod log;

use crate::history::{Flags, Kind, Pairing, Role, Row};
use crate::json::edit::RecordBase;
use crate::json::member_match::{MemberEdit, MemberMatch};
use crate::json::value_edit::ValueEdit;
use crate::json::{Str, Val};
use crate::message::smaller_image::EncodedImage;
use crate::message::write::JsonWriter;
use crate::message::{Capabilities, Losses, Message, SourceLocation, Thread};
use crate::place::Edit;

pub use self::log::{LogOptions, LogReader, LogThread};
pub use crate::json::value_edit::EditRefusal;

/// An item during one call: its row, and its text.
#[derive(Clone, Copy)]
pub struct Item<'t> {
    pub row: Row,
    pub val: Val<'t>,
    /// Its `id`, if that is a string, also an empty one.
    pub id: Option<Str<'t>>,
    /// The id that pairs a call with its output, if it has one.
    pub key: Option<Str<'t>>,
}

/// The ids of an item: its own, and the key that pairs a call with its output.
#[derive(Clone, Copy, Debug, Default)]
pub struct ItemIds<'t> {
    pub id: Option<Str<'t>>,
    pub key: Option<Str<'t>>,
}

/// The position at which a format found an item.
#[derive(Clone, Copy)]
pub struct ItemOrigin<'b> {
    pub base: RecordBase<'b>,
    pub record: u32,
    pub turn: u32,
    pub part: u8,
    pub flags: Flags,
}

/// A change to the text of one item, without moving it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TextChange {
    /// Remove its own id.
    StripId,
    /// Replace it with a reference to its id.
    ReplaceWithReference,
    /// Change its type to that of another kind.
    Retype(Kind),
    /// Change the key that pairs call and output.
    Rename(String),
    /// Acknowledge these safety checks: the text of a JSON array.
    Acknowledge(Vec<u8>),
    /// Remove the member that contains a message's calls.
    StripCalls,
    /// Turn a result into a text of the user.
    AsText,
    /// An edit that a rule describes.
    EditValue(&'static ValueEdit),
    /// Replace images with texts.
    OmitImages(Vec<OmittedImage>),
    /// Replace images with smaller ones.
    ShrinkImages(Vec<SmallerImage>),
    /// Cut the middle out of the long texts of a result.
    ShortenResult,
    /// Append a sentence to the last text of a message, or to a text.
    AppendNote(String),
    /// Change the members at a path.
    EditMembers(&'static MemberMatch, MemberEdit),
}

/// An image that a text replaces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OmittedImage {
    /// Its number among the images, sounds, videos and files of its item, from 0.
    pub number: u32,
    pub text: String,
    /// Where only files can be, the text may be one.
    pub may_be_file: bool,
}

/// An image that a smaller one replaces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SmallerImage {
    /// Its number among the images, sounds, videos and files of its item, from 0.
    pub number: u32,
    pub image: EncodedImage,
}

impl TextChange {
    /// True if a signature of thinking that also covers the content before it stays valid when that content is changed so.
    pub fn keeps_signatures(&self) -> bool {
        matches!(self, TextChange::EditValue(mend) if mend.keeps_signatures)
    }
}

/// The part number of rows inside an item, the blocks of a message: they are in the list that contains them.
pub const BLOCK: u8 = u8::MAX;

/// A part of a conversation, as a format finds it in a record, for conversion.
#[derive(Clone, Copy)]
pub struct Body<'b> {
    pub val: Val<'b>,
    pub base: RecordBase<'b>,
    /// The value is inside a JSON string.
    pub embedded: bool,
    pub shape: BodyShape,
}

/// The extent of a [`Body`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BodyShape {
    /// The body of a request.
    Request,
    /// A list of items or messages.
    List,
    /// One item.
    Item,
}

impl Body<'_> {
    /// The place of a value.
    pub fn at(&self, val: Val<'_>) -> SourceLocation {
        SourceLocation { place: self.base.of(val), embedded: self.embedded }
    }

    /// The place of a key.
    pub fn at_key(&self, member: &crate::json::Member<'_>) -> SourceLocation {
        let end = member.key_start + member.key.raw.len() as u32 + 2;
        SourceLocation { place: self.base.place(member.key_start, end), embedded: self.embedded }
    }
}

/// The form in which a conversation is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutputShape {
    /// The body of a request.
    Request,
    /// One item a line, where the dialect has items.
    Items,
}

/// Makes the edits that move the content of these messages to where their request keeps its instructions.
pub type HoistInstructions = fn(Val<'_>, &[Val<'_>], RecordBase<'_>, &mut Vec<Edit>) -> Result<(), EditRefusal>;

/// Wraps an output in a new message, in the form of another message.
pub type WrapOutput = fn(&[u8], Val<'_>) -> Option<Vec<u8>>;

/// The properties of a dialect, besides how its items are read and changed.
pub struct DialectInfo {
    pub name: &'static str,
    /// How calls are paired with outputs.
    pub pairing: Pairing,
    /// An unanswered call gets a stub result unless the user says otherwise: the dialect's client does the same.
    pub answers_calls: bool,
    /// A placeholder message of the model, for where the target requires one.
    pub bridge: Option<&'static str>,
    /// A message of the user that asks the model to go on.
    pub continuation: Option<&'static str>,
    /// Results should not share a message with anything else.
    pub keeps_results_apart: bool,
    /// The text before and after the results of a message that contains nothing else; `None` if results are messages themselves.
    pub results_message: Option<(&'static str, &'static str)>,
    /// What the dialect can express, for conversion. A dialect of logs alone expresses nothing: it is replayed in another.
    pub capabilities: &'static Capabilities,
    /// Reads the ids of an item, where they are not under the keys that the other dialects use.
    pub item_ids: Option<for<'t> fn(Val<'t>) -> Option<ItemIds<'t>>>,
    /// Wraps an output in a message of the form of its neighbour; `None` where outputs are no parts of messages.
    pub wrap_output: Option<WrapOutput>,
    /// True if a message of which everything moves is moved as it is; otherwise what moves gets a new message.
    pub moves_whole: fn(Val<'_>) -> bool,
    /// `None` if requests of the dialect have no separate instructions.
    pub hoist: Option<HoistInstructions>,
    /// Makes the reader of this log's records; `None` if its records are items that are sent as they are.
    pub log: Option<fn(LogOptions) -> Box<dyn LogReader>>,
}

impl DialectInfo {
    /// The defaults of most dialects, without a name.
    pub const BASE: DialectInfo = DialectInfo {
        name: "",
        pairing: Pairing::Keys,
        answers_calls: false,
        bridge: None,
        continuation: None,
        keeps_results_apart: false,
        results_message: None,
        capabilities: &Capabilities::NOTHING,
        item_ids: None,
        wrap_output: None,
        moves_whole: |_| true,
        hoist: None,
        log: None,
    };

    /// Makes the edits that move the content of these messages to where their request keeps its instructions.
    pub fn hoist(
        &self,
        request: Val<'_>,
        messages: &[Val<'_>],
        base: RecordBase<'_>,
        out: &mut Vec<Edit>,
    ) -> Result<(), EditRefusal> {
        let hoist = self.hoist.ok_or(EditRefusal("requests of this dialect have no separate instructions"))?;
        hoist(request, messages, base, out)
    }
}

pub trait Dialect: Sync {
    fn info(&self) -> &'static DialectInfo;

    /// Passes the rows of one stored element to `out`, each with its text. A value that is not an item has none.
    fn rows<'t>(&self, val: Val<'t>, origin: ItemOrigin<'_>, out: &mut dyn FnMut(Item<'t>));

    /// The edits that make a change to an item.
    fn edit(
        &self,
        change: &TextChange,
        item: Val<'_>,
        base: RecordBase<'_>,
        out: &mut Vec<Edit>,
    ) -> Result<(), EditRefusal>;

    /// The text of an output that answers a call without claiming anything.
    fn stub(&self, call: Val<'_>) -> Result<Vec<u8>, EditRefusal>;

    /// The id that pairs a call with its output, where an item of this kind has one.
    fn key<'t>(&self, _kind: Kind, item: Val<'t>) -> Option<Str<'t>> {
        item.get("call_id").and_then(|id| id.as_str())
    }

    /// Appends a part of a conversation to the thread. Unknown values are kept raw.
    fn read(&self, _body: Body<'_>, _out: &mut Thread, _losses: &mut Losses) {}

    /// Writes the body of a request: the thread as it is, also where the dialect's API would refuse it.
    fn write(&self, _thread: &Thread, _w: &mut JsonWriter<'_>) {}

    /// Writes the members of a request that contain its instructions, if those are not messages.
    fn write_instructions(&self, _thread: &Thread, _w: &mut JsonWriter<'_>) {}

    /// Calls `each` with a writer for each item of a message, in order.
    fn write_items(&self, _thread: &Thread, _message: &Message, _each: &mut dyn FnMut(ItemWriter<'_>)) {}
}

/// Writes one item.
pub type ItemWriter<'w> = &'w dyn Fn(&mut JsonWriter<'_>);

/// Writes the items of a thread, one a line. Instructions are its first message.
pub fn write_lines(dialect: &dyn Dialect, thread: &Thread, out: &mut Vec<u8>) {
    let mut line = |message: &Message| {
        dialect.write_items(thread, message, &mut |write| {
            write(&mut JsonWriter::new(out).with_outlet(&thread.outlet));
            out.push(b'\n');
        });
    };
    if let Some(first) = thread.instructions.first() {
        line(&Message { parts: thread.instructions.clone(), ..Message::new(Role::System, first.at) });
    }
    thread.messages.iter().for_each(line);
}
