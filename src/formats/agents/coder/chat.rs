//! A chat of coder's chatd: the rows of `chat_messages` as one JSON array. The parts of a row's `content` are the items of
//! the API; in older rows, `content` is a string.

use foldhash::HashSet;

use crate::dialect::{Item, ItemOrigin};
use crate::dialects::coder::row::{is_part_list, parse_parts, rank, role_of};
use crate::dialects::coder::{CODER, CoderPart as ChatPart, CoderPartKind};
use crate::format::{
    EditSupport, ExportedTable, Format, FormatInfo, HistoryScope, Layout, Mark, Probe, Record, RecordPart,
    RemovalUnit, Sink, Slice, Upstream,
};
use crate::history::ranked_order::{Rank, SendStatus};
use crate::history::tree::{self, EntryMarks, TreeEntry};
use crate::history::{Flags, HistorySettings, Kind, Role, Row, Usage, time};
use crate::json::{NameSet, Val, fingerprint, name};

use crate::format::envelope::{EMBEDDED, with_object};
use crate::formats::member::{node_name, parsed};
use crate::formats::provider;

pub struct CoderChat;

pub static FORMAT: CoderChat = CoderChat;

static INFO: FormatInfo = FormatInfo {
    name: "coder-chat",
    title: "chat of coder's chatd (array of rows)",
    upstream: Some(Upstream {
        repository: "coder/coder",
        file: Some("coderd/x/chatd/chatprompt/chatprompt.go"),
        version: Some("018f9512"),
    }),
    known_by: KNOWN_BY,
    usage: Usage::Log,
    histories: HistoryScope::PerRecord,
    parts: &PARTS,
    edit_support: EditSupport::Partial,
    table: Some(&TABLE),
    ..FormatInfo::of(&CODER, "openai")
};

pub(super) const KNOWN_BY: &str =
    "rows with `role` and `content`: parts like `tool-call` with snake_case keys, or a `content_version`";

pub(super) const PARTS: [RecordPart; 1] = [RecordPart { path: &[], unit: RemovalUnit::Block }];

/// Where chatd stores its rows.
pub(super) static TABLE: ExportedTable = ExportedTable { name: "chat_messages", key: "id", column: "content" };

impl Format for CoderChat {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if !probe.val.is_array() {
            return 0;
        }
        rows_score(probe.val)
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    match record.slice {
        Slice::Element { section: "" } => read_row(record.val, record, sink),
        Slice::Element { .. } | Slice::Synthetic => {}
        Slice::Whole | Slice::Rest => {
            sink.mark(Mark::Start(Box::new(HistorySettings { usage: Usage::Log, ..HistorySettings::default() })));
            record.val.elements().for_each(|row| read_row(row, record, sink));
            sink.mark(Mark::End);
        }
    }
}

/// Keys that only rows of this table have, besides `role` and `content`.
static ROW_KEYS: NameSet = NameSet::of(&["content_version", "provider_response_id", "model_config_id"]);

/// Score of a row that may be one of this table or a message of any other system.
pub(super) const PLAIN_SCORE: u8 = 1;

/// Confidence that a list consists of rows.
pub(super) fn rows_score(list: Val<'_>) -> u8 {
    let mut best = 0;
    for row in list.elements().filter(|e| e.is_object()).take(20) {
        match row_score(row) {
            0 => return 0,
            score => best = best.max(score),
        }
    }
    // Rows that could be messages of any system are no evidence by themselves.
    if best > PLAIN_SCORE { best } else { 0 }
}

/// Confidence that an object is a row, by its keys or its parts.
pub(super) fn row_score(val: Val<'_>) -> u8 {
    let (Some(role), Some(content)) = (val.get(name::role).and_then(|role| role.text()), val.get(name::content))
    else {
        return 0;
    };
    if Role::of(&role) == Role::Other && role.as_ref() != b"tool" {
        return 0;
    }
    if !content.is_array() && !content.is_string() && !content.is_null() {
        return 0;
    }
    if val.names().intersects(&ROW_KEYS) {
        return 95;
    }
    let best = |parts: Val<'_>| parts.elements().map(part_score).max().unwrap_or(PLAIN_SCORE);
    if content.is_string() { parse_parts(content, best).unwrap_or(PLAIN_SCORE) } else { best(content) }
}

/// Confidence that a part is of this table, by types and keys that no other system combines. The Vercel AI SDK has the same
/// types with camelCase keys.
fn part_score(part: Val<'_>) -> u8 {
    let typed = part.get(name::r#type).and_then(|name| name.text());
    let tool = part.get(name::tool_call_id).is_some() && part.get(name::tool_name).is_some();
    match typed.as_deref() {
        Some(b"tool-call" | b"tool-result") if tool => 90,
        Some(b"reasoning") if part.get(name::provider_metadata).is_some() => 90,
        Some(b"text" | b"reasoning" | b"file" | b"tool-call" | b"tool-result")
            if part.get(name::data).is_some_and(|data| data.is_object()) =>
        {
            90
        }
        None if tool && part.get(name::result).is_some() => 90,
        _ => PLAIN_SCORE,
    }
}

/// Reads one row of the table.
pub(super) fn read_row(row: Val<'_>, record: &Record<'_>, sink: &mut dyn Sink) {
    let rank = Rank { at: record.base.of(row), record: record.number, ..rank(row) };
    let is_sent = !matches!(rank.status, SendStatus::Unsent(_));
    sink.mark(Mark::Ranked(Box::new(rank)));
    let Some(content) = row.get(name::content).filter(|_| is_sent) else { return };
    let role = role_of(row);
    let is_summary = row.get("compressed").and_then(|compressed| compressed.as_bool()) == Some(true);
    let inserted = if is_summary && role == Role::User { Flags::INSERTED } else { Flags::default() };
    sink.mark(Mark::Entry(Box::new(entry_of_row(row, role, record))));
    if !content.is_string() {
        return read_parts(content, role, record, inserted, sink);
    }
    if parse_parts(content, |_| ()).is_some() {
        sink.mark(Mark::Settings(|settings, _| settings.read_only = Some(EMBEDDED), Box::default()));
        return with_object(content, record, |parts, record, flags| {
            if is_part_list(parts) {
                read_parts(parts, role, record, flags | inserted, sink);
            }
        });
    }
    if role == Role::User {
        sink.mark(Mark::User);
    }
    let mut own = Row::of_place(record.base.of(content), record.number);
    (own.kind, own.item_kind, own.role, own.flags) =
        (Kind::Message, Kind::Message, role, Flags::FOREIGN | inserted);
    sink.item(Item { row: own, val: content, id: None, key: None });
}

/// Why a part with a source of a web search is not sent.
const NO_SOURCES: &str = "chatd shows sources of a search, and does not send them";

fn read_parts(list: Val<'_>, role: Role, record: &Record<'_>, flags: Flags, sink: &mut dyn Sink) {
    let origin = ItemOrigin { base: record.base, record: record.number, turn: 0, part: 0, flags };
    let parts: Vec<ChatPart<'_>> = list.elements().filter(|part| part.is_object()).map(ChatPart::of).collect();
    if role == Role::User && parts.iter().any(|part| part.kind == CoderPartKind::Content) {
        sink.mark(Mark::User);
    }
    let mut has_provider = false;
    let in_full = fully_stored_items(&parts);
    // A hosted call is sent in the form of the reasoning before it: both as references, or both in full.
    let (mut by_reference, mut reasoned) = (false, false);
    let mut left_out = HashSet::default();
    for part in &parts {
        if let Some((provider, _)) = part.metadata().next().filter(|_| !has_provider) {
            sink.mark(Mark::Settings(provider::set_target, String::from_utf8_lossy(&provider.decode()).into()));
            has_provider = true;
        }
        if part.kind == CoderPartKind::Reasoning {
            by_reference = part.blob().is_none() && part.item_id().is_some();
            reasoned = true;
        }
        let whole = !by_reference && part.item_id().is_some_and(|id| in_full.contains(&fingerprint(id)));
        // chatd references a hosted call only after reasoning; without reasoning it does not send the call.
        let id = part.item_id().map(fingerprint);
        let unsent = match part.kind {
            CoderPartKind::HostedCall if !whole && !reasoned => id.is_none_or(|id| left_out.insert(id)),
            CoderPartKind::HostedResult => id.is_some_and(|id| left_out.contains(&id)),
            _ => false,
        };
        if part.is_source() {
            sink.mark(Mark::Unsent(record.base.of(part.val), record.number, NO_SOURCES));
        }
        let part = if unsent { part.unsent() } else { *part };
        sink.item(part.item(role, whole, origin));
    }
}

/// A row as an entry of the tree. The table is a list: each row follows the one before it. Versions of chatd before July 2026
/// built on the stored response while the chat's model configuration was the same (coder/coder#26980 removed that); newer
/// ones send the whole history, and neither read nor write the column with the response's id.
fn entry_of_row(row: Val<'_>, role: Role, record: &Record<'_>) -> TreeEntry {
    let number = row.get(name::id).filter(|id| !id.is_string()).map(|id| String::from_utf8_lossy(id.raw()).into());
    let part = if role == Role::Assistant { tree::EntryRole::Answer } else { tree::EntryRole::Input };
    let name: tree::NodeName = node_name(row, "id").or(number).unwrap_or_default();
    let mut entry = TreeEntry::new(name, record.base.of(row), record.number, part);
    entry.marks = EntryMarks::FOLLOWS;
    entry.marks.set(EntryMarks::UNCHAINED);
    entry.config = node_name(row, "model_config_id");
    entry.time = parsed(row, "created_at", time::parse);
    if part == tree::EntryRole::Answer {
        entry.response = node_name(row, "provider_response_id").or_else(|| response_of_parts(row));
    }
    entry
}

/// The id of the response that a row's parts come from, if only their metadata contain it.
fn response_of_parts(row: Val<'_>) -> Option<tree::NodeName> {
    let response_id =
        |part: Val<'_>| ChatPart::of(part).metadata().find_map(|(_, data)| node_name(data, "response_id"));
    let first = |parts: Val<'_>| parts.elements().filter(Val::is_object).find_map(response_id);
    let content = row.get(name::content)?;
    if content.is_string() { parse_parts(content, first).flatten() } else { first(content) }
}

/// Ids of hosted calls whose items of the provider are stored in full, which is in the part of the result.
fn fully_stored_items(parts: &[ChatPart<'_>]) -> HashSet<u64> {
    let hosted =
        |part: &&ChatPart<'_>| matches!(part.kind, CoderPartKind::HostedCall | CoderPartKind::HostedResult);
    let full = parts.iter().filter(hosted).filter(|part| part.item_data().is_some_and(|data| data.count() > 1));
    full.filter_map(|part| part.item_id().map(fingerprint)).collect()
}
