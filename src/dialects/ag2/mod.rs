//! Events of AG2 (formerly autogen.beta), as in its logs: `{"type": class, "data": {…}}` in a write-ahead log,
//! `{"__event__": class, …}` elsewhere and inside of other events. Items of the provider (reasoning, server tools) are kept
//! as Responses items, under `item`; calls, results and messages are AG2's own, without item ids.

pub mod event;
pub mod read;

use crate::dialect::{Dialect, DialectInfo, EditRefusal, Item, ItemIds, ItemOrigin, TextChange};
use crate::history::continuations::{continuation, tie_of_id};
use crate::history::{Flags, ItemFlags, Kind, Role, Row};
use crate::json::edit::RecordBase;
use crate::json::{Str, Val, fingerprint, string};
use crate::place::Edit;

use super::responses::{RESPONSES, STUB};

use self::event::PREFIXES;

pub use self::event::Ag2Event;

pub struct Ag2;

pub static AG2: Ag2 = Ag2;

/// A row in AG2's own form.
fn own_row(val: Val<'_>, kind: Kind, origin: ItemOrigin<'_>) -> Row {
    let mut row = Row::of_place(origin.base.of(val), origin.record);
    (row.turn, row.part, row.kind, row.item_kind) = (origin.turn, origin.part, kind, kind);
    row.flags = origin.flags | Flags::FOREIGN;
    row
}

/// A message of a user or the model.
pub fn message_item<'t>(val: Val<'t>, role: Role, origin: ItemOrigin<'_>) -> Item<'t> {
    Item { row: Row { role, ..own_row(val, Kind::Message, origin) }, val, id: None, key: None }
}

/// A call of the client, or the result of one.
pub fn paired_item<'t>(val: Val<'t>, kind: Kind, origin: ItemOrigin<'_>) -> Item<'t> {
    let mut row = own_row(val, kind, origin);
    let key = own_key(val).filter(|key| !key.is_empty());
    if let Some(key) = key {
        row.set_key(key);
    }
    Item { row, val, id: None, key }
}

/// A repeated call, or a result outside of the list that is replayed.
pub fn repeated_item<'t>(val: Val<'t>, origin: ItemOrigin<'_>) -> Item<'t> {
    let tie = own_key(val).map_or(0, fingerprint);
    Item { row: continuation(own_row(val, Kind::Unknown, origin), tie), val, id: None, key: None }
}

/// The result of a server tool: never replayed, because the item of the call contains both.
pub fn hosted_result_item<'t>(val: Val<'t>, event: Ag2Event<'t>, origin: ItemOrigin<'_>) -> Item<'t> {
    let id = event.get("parent_id").and_then(|id| id.as_str());
    let tie = id.map_or(0, |id| tie_of_id(fingerprint(id)));
    Item { row: continuation(own_row(val, Kind::Unknown, origin), tie), val, id: None, key: None }
}

/// An item of the provider of which only the printed form and the id were stored.
pub fn printed_item<'t>(val: Val<'t>, event: Ag2Event<'t>, origin: ItemOrigin<'_>) -> Item<'t> {
    let mut row = own_row(val, Kind::Unknown, origin);
    let id = event.get("id").and_then(|id| id.as_str()).filter(|id| !id.is_empty());
    if let Some(id) = id {
        row.id = fingerprint(id);
    }
    Item { row, val, id, key: None }
}

static INFO: DialectInfo = DialectInfo {
    name: "responses",
    log: Some(|_| Box::new(read::Ag2LogReader::default())),
    item_ids: Some(item_ids),
    wrap_output: Some(wrap_output),
    ..DialectInfo::BASE
};

impl Dialect for Ag2 {
    fn info(&self) -> &'static DialectInfo {
        &INFO
    }

    /// The provider's own items.
    fn rows<'t>(&self, val: Val<'t>, origin: ItemOrigin<'_>, out: &mut dyn FnMut(Item<'t>)) {
        RESPONSES.rows(val, origin, &mut |mut item| {
            // The stored text differs from what is sent: without nulls.
            item.row.flags.set(Flags::FOREIGN);
            if item.row.kind == Kind::Reasoning {
                // Each summary is an event with the same item; and AG2 reads no item without its id.
                item.row.set(ItemFlags::SHARED | ItemFlags::BOUND);
            }
            out(item);
        });
    }

    fn edit(
        &self,
        change: &TextChange,
        item: Val<'_>,
        base: RecordBase<'_>,
        out: &mut Vec<Edit>,
    ) -> Result<(), EditRefusal> {
        match change {
            TextChange::Rename(key) => {
                let named = ["parent_id", "id"].iter().find_map(|name| item.get(name)).filter(|_| is_own(item));
                match named {
                    Some(old) => out.push(Edit::replace(base.of(old), string::quoted(key))),
                    None => return RESPONSES.edit(change, item, base, out),
                }
            }
            TextChange::Retype(_) if !is_own(item) => return RESPONSES.edit(change, item, base, out),
            TextChange::StripId => return Err(EditRefusal("AG2 does not read items without an id")),
            TextChange::ReplaceWithReference => {
                return Err(EditRefusal("AG2 sends items in full, never by reference"));
            }
            TextChange::Retype(_)
            | TextChange::Acknowledge(_)
            | TextChange::StripCalls
            | TextChange::AsText
            | TextChange::EditValue(_)
            | TextChange::OmitImages(_)
            | TextChange::ShrinkImages(_)
            | TextChange::ShortenResult
            | TextChange::AppendNote(_)
            | TextChange::EditMembers(..) => {
                return Err(EditRefusal("AG2's events have no field for it"));
            }
        }
        Ok(())
    }

    fn stub(&self, call: Val<'_>) -> Result<Vec<u8>, EditRefusal> {
        if !is_own(call) {
            return Err(EditRefusal("AG2 stores the output of such a call in another kind of event"));
        }
        let key = call.get("id").ok_or(EditRefusal("the call has no id"))?;
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

/// The ids of an item in AG2's own form.
fn item_ids<'t>(item: Val<'t>) -> Option<ItemIds<'t>> {
    is_own(item).then(|| ItemIds { id: None, key: own_key(item) })
}

/// Wraps an output in a new message, in the form of the message beside it.
fn wrap_output(output: &[u8], beside: Val<'_>) -> Option<Vec<u8>> {
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

/// True if a value is in AG2's own form: an event inside of another, or its fields.
fn is_own(val: Val<'_>) -> bool {
    val.get("__event__").is_some() || val.get("type").is_none()
}

/// The id that pairs call and result: a result's `parent_id`, a call's `id`.
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
