//! Events of AG2 (before: autogen.beta), as its logs hold them: `{"type": class, "data": {…}}` in a write-ahead log,
//! `{"__event__": class, …}` elsewhere and inside of others. What the provider made (reasoning, what it ran itself) is
//! kept as the Responses item that it was, under `item`; calls, results and messages are AG2's own, without item ids.

pub mod event;
pub mod read;

use crate::dialect::{Cannot, Dialect, DialectInfo, Item, Names, Origin, TextChange};
use crate::history::continued::{continuing, tie_of_id};
use crate::history::{Flags, ItemFlags, Kind, Role, Row};
use crate::json::edit::Base;
use crate::json::{Str, Val, fingerprint, string};
use crate::place::Edit;

use super::responses::{RESPONSES, STUB};

use self::event::PREFIXES;

pub use self::event::Ag2Event;

pub struct Ag2;

pub static AG2: Ag2 = Ag2;

/// A row in AG2's own form.
fn own_row(val: Val<'_>, kind: Kind, origin: Origin<'_>) -> Row {
    let mut row = Row::of_place(origin.base.of(val), origin.record);
    (row.turn, row.part, row.kind, row.of) = (origin.turn, origin.part, kind, kind);
    row.flags = origin.flags | Flags::FOREIGN;
    row
}

/// Something that a user or the model says.
pub fn said<'t>(val: Val<'t>, role: Role, origin: Origin<'_>) -> Item<'t> {
    Item { row: Row { role, ..own_row(val, Kind::Message, origin) }, val, id: None, key: None }
}

/// A call of the client, or the result of one.
pub fn paired<'t>(val: Val<'t>, kind: Kind, origin: Origin<'_>) -> Item<'t> {
    let mut row = own_row(val, kind, origin);
    let key = own_key(val).filter(|key| !key.is_empty());
    if let Some(key) = key {
        row.set_key(key);
    }
    Item { row, val, id: None, key }
}

/// A call that is announced once more, or the result of one outside of the list that is replayed.
pub fn again<'t>(val: Val<'t>, origin: Origin<'_>) -> Item<'t> {
    let tie = own_key(val).map_or(0, fingerprint);
    Item { row: continuing(own_row(val, Kind::Unknown, origin), tie), val, id: None, key: None }
}

/// The result of what the provider ran: never replayed, as the item holds both.
pub fn hosted_result<'t>(val: Val<'t>, event: Ag2Event<'t>, origin: Origin<'_>) -> Item<'t> {
    let id = event.get("parent_id").and_then(|id| id.as_str());
    let tie = id.map_or(0, |id| tie_of_id(fingerprint(id)));
    Item { row: continuing(own_row(val, Kind::Unknown, origin), tie), val, id: None, key: None }
}

/// An item of the provider whose text is lost: known only by its id.
pub fn printed<'t>(val: Val<'t>, event: Ag2Event<'t>, origin: Origin<'_>) -> Item<'t> {
    let mut row = own_row(val, Kind::Unknown, origin);
    let id = event.get("id").and_then(|id| id.as_str()).filter(|id| !id.is_empty());
    if let Some(id) = id {
        row.id = fingerprint(id);
    }
    Item { row, val, id, key: None }
}

static INFO: DialectInfo = DialectInfo {
    name: "responses",
    log: Some(|_| Box::new(read::Events::default())),
    names: Some(names),
    message_around: Some(message_around),
    ..DialectInfo::BASE
};

impl Dialect for Ag2 {
    fn info(&self) -> &'static DialectInfo {
        &INFO
    }

    /// The provider's own items.
    fn rows<'t>(&self, val: Val<'t>, origin: Origin<'_>, out: &mut dyn FnMut(Item<'t>)) {
        RESPONSES.rows(val, origin, &mut |mut item| {
            // Nulls are stored and not sent.
            item.row.flags.set(Flags::FOREIGN);
            if item.row.kind == Kind::Reasoning {
                // One event for each summary, all with the same item; and AG2 reads no item without its id.
                item.row.set(ItemFlags::SHARED | ItemFlags::BOUND);
            }
            out(item);
        });
    }

    fn edit(&self, change: &TextChange, item: Val<'_>, base: Base<'_>, out: &mut Vec<Edit>) -> Result<(), Cannot> {
        match change {
            TextChange::Rename(key) => {
                let named = ["parent_id", "id"].iter().find_map(|name| item.get(name)).filter(|_| is_own(item));
                match named {
                    Some(old) => out.push(Edit::replace(base.of(old), string::quoted(key))),
                    None => return RESPONSES.edit(change, item, base, out),
                }
            }
            TextChange::Retype(_) if !is_own(item) => return RESPONSES.edit(change, item, base, out),
            TextChange::StripId => return Err(Cannot("AG2 does not read items without an id")),
            TextChange::Refer => return Err(Cannot("AG2 sends items in full, never by reference")),
            TextChange::Retype(_)
            | TextChange::Acknowledge(_)
            | TextChange::StripCalls
            | TextChange::AsText
            | TextChange::Mend(_)
            | TextChange::OmitImages(_)
            | TextChange::Spot(..) => {
                return Err(Cannot("AG2's events have no place for it"));
            }
        }
        Ok(())
    }

    fn stub(&self, call: Val<'_>) -> Result<Vec<u8>, Cannot> {
        if !is_own(call) {
            return Err(Cannot("AG2 stores the output of such a call in another kind of event"));
        }
        let key = call.get("id").ok_or(Cannot("the call has no id"))?;
        let package = package_of(call);
        let mut out = format!("{{\"__event__\":\"{package}.events.tool_events.ToolResultEvent\",\"parent_id\":")
            .into_bytes();
        out.extend_from_slice(key.raw());
        if let Some(name) = call.get("name") {
            out.extend([br#","name":"#, name.raw()].concat());
        }
        out.extend_from_slice(
            format!(
                ",\"result\":{{\"__dataclass__\":\"{package}.events.tool_events.ToolResult\",\"data\":{{\"parts\":[\
                 {{\"__event__\":\"{package}.events.input_events.TextInput\",\"content\":\"{STUB}\",\"metadata\":{{}}}}],\
                 \"final\":false,\"metadata\":{{}}}}}}}}"
            )
            .as_bytes(),
        );
        Ok(out)
    }

    fn key<'t>(&self, kind: Kind, item: Val<'t>) -> Option<Str<'t>> {
        if is_own(item) { own_key(item) } else { RESPONSES.key(kind, item) }
    }
}

/// What an item is called by, where its own fields say so.
fn names<'t>(item: Val<'t>) -> Option<Names<'t>> {
    is_own(item).then(|| Names { id: None, key: own_key(item) })
}

/// The text of a new message around an output, in the form of the message beside it.
fn message_around(output: &[u8], beside: Val<'_>) -> Option<Vec<u8>> {
    let event = Ag2Event::of(beside)?;
    let package = package(event.path);
    let class = format!("{package}.events.tool_events.ToolResultsEvent");
    let results = [br#""results":["#, output, b"]"].concat();
    // The time of its neighbour keeps the log in order.
    let time = event.get("created_at").map_or(Vec::new(), |at| [br#""created_at":"#, at.raw(), b","].concat());
    let marked = beside.get("__event__").is_some();
    let mut out = match marked {
        true => format!("{{\"__event__\":\"{class}\",").into_bytes(),
        false => format!("{{\"type\":\"{class}\",\"data\":{{").into_bytes(),
    };
    out.extend([time, results].concat());
    out.extend_from_slice(if marked { b"}" } else { b"}}" });
    Some(out)
}

/// Whether a value is in AG2's own form: an event inside of another, or its fields.
fn is_own(val: Val<'_>) -> bool {
    val.get("__event__").is_some() || val.get("type").is_none()
}

/// A result names its call; a call has no other id than the one that pairs it.
fn own_key<'t>(item: Val<'t>) -> Option<Str<'t>> {
    ["parent_id", "id"].iter().find_map(|key| item.get(key)).and_then(|val| val.as_str())
}

fn package_of(val: Val<'_>) -> &'static str {
    val.get("__event__").and_then(|path| path.as_str()).map_or("ag2", package)
}

fn package(path: Str<'_>) -> &'static str {
    let known = PREFIXES.iter().find(|prefix| path.raw.starts_with(prefix.as_bytes()));
    known.map_or("ag2", |prefix| prefix.trim_end_matches('.'))
}
