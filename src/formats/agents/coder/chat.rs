//! A chat of coder's chatd: the rows of `chat_messages` as one JSON array. What the API knows as items are the parts of
//! a row's `content`; a row of before parts holds a string.

use std::collections::HashSet;

use crate::dialect::{Item, Origin};
use crate::dialects::coder::row::{holds_parts, parts_in, rank, role_of};
use crate::dialects::coder::{CODER, Part as ChatPart, PartKind};
use crate::format::{
    Edited, Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Slice, Unit, Upstream,
};
use crate::history::ranked::{Rank, Standing};
use crate::history::tree::{self, Entry, Marks};
use crate::history::{Flags, Kind, Role, Row, Settings, Usage, time};
use crate::json::{NameSet, Val, fingerprint, name};

use crate::format::envelope::{EMBEDDED, within};
use crate::formats::member::named;
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
    known_by: TOLD_BY,
    usage: Usage::Log,
    histories: Histories::PerRecord,
    parts: &PARTS,
    edited: Edited::Partly,
    ..FormatInfo::of(&CODER, "openai")
};

pub(super) const TOLD_BY: &str =
    "rows with `role` and `content`: parts like `tool-call` with snake_case keys, or a `content_version`";

pub(super) const PARTS: [Part; 1] = [Part { path: &[], unit: Unit::Block }];

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
        Slice::Element { .. } | Slice::Made => {}
        Slice::Whole | Slice::Head => {
            sink.mark(Mark::Start(Box::new(Settings { usage: Usage::Log, ..Settings::default() })));
            record.val.elements().for_each(|row| read_row(row, record, sink));
            sink.mark(Mark::End);
        }
    }
}

/// Keys that only rows of this table have, beside `role` and `content`.
static ROW_KEYS: NameSet = NameSet::of(&["content_version", "provider_response_id", "model_config_id"]);

/// A row that may be one of this table, or a message of any other system.
pub(super) const PLAIN: u8 = 1;

/// How surely a list is one of rows.
pub(super) fn rows_score(list: Val<'_>) -> u8 {
    let mut best = 0;
    for row in list.elements().filter(|e| e.is_object()).take(20) {
        match row_score(row) {
            0 => return 0,
            score => best = best.max(score),
        }
    }
    // Rows that could be anybody's messages say nothing by themselves.
    if best > PLAIN { best } else { 0 }
}

/// How surely an object is a row: by its own keys, or by its parts.
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
    if val.names().meets(&ROW_KEYS) {
        return 95;
    }
    let best = |parts: Val<'_>| parts.elements().map(part_score).max().unwrap_or(PLAIN);
    if content.is_string() { parts_in(content, best).unwrap_or(PLAIN) } else { best(content) }
}

/// Parts with types and keys that nobody else writes together. Another SDK spells its keys in camelCase.
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
        _ => PLAIN,
    }
}

/// Reads one row of the table.
pub(super) fn read_row(row: Val<'_>, record: &Record<'_>, sink: &mut dyn Sink) {
    let rank = Rank { at: record.base.of(row), record: record.number, ..rank(row) };
    let is_sent = !matches!(rank.standing, Standing::Unsent(_));
    sink.mark(Mark::Ranked(Box::new(rank)));
    let Some(content) = row.get(name::content).filter(|_| is_sent) else { return };
    let role = role_of(row);
    sink.mark(Mark::Entry(Box::new(entry(row, role, record))));
    if !content.is_string() {
        return read_parts(content, role, record, Flags::default(), sink);
    }
    if parts_in(content, |_| ()).is_some() {
        sink.mark(Mark::Settings(|settings, _| settings.read_only = Some(EMBEDDED), Box::default()));
        return within(content, record, |parts, record, flags| {
            if holds_parts(parts) {
                read_parts(parts, role, record, flags, sink);
            }
        });
    }
    if role == Role::User {
        sink.mark(Mark::User);
    }
    let mut own = Row::of_place(record.base.of(content), record.number);
    (own.kind, own.of, own.role, own.flags) = (Kind::Message, Kind::Message, role, Flags::FOREIGN);
    sink.item(Item { row: own, val: content, id: None, key: None });
}

/// Why a part is not sent that names what a search found.
const SOURCE: &str = "chatd shows what a search found, and does not send it";

fn read_parts(list: Val<'_>, role: Role, record: &Record<'_>, flags: Flags, sink: &mut dyn Sink) {
    let origin = Origin { base: record.base, record: record.number, turn: 0, part: 0, flags };
    let parts: Vec<ChatPart<'_>> = list.elements().filter(|part| part.is_object()).map(ChatPart::of).collect();
    if role == Role::User && parts.iter().any(|part| part.kind == PartKind::Said) {
        sink.mark(Mark::User);
    }
    let mut told = false;
    let in_full = told_in_full(&parts);
    // What the provider ran goes as the reasoning before it does: two references, or two items in full.
    let (mut by_reference, mut reasoned) = (false, false);
    let mut left_out = HashSet::new();
    for part in &parts {
        if let Some((provider, _)) = part.metadata().next().filter(|_| !told) {
            sink.mark(Mark::Settings(provider::set, String::from_utf8_lossy(&provider.decode()).into()));
            told = true;
        }
        if part.kind == PartKind::Reasoning {
            by_reference = part.blob().is_none() && part.item_id().is_some();
            reasoned = true;
        }
        let whole = !by_reference && part.item_id().is_some_and(|id| in_full.contains(&fingerprint(id)));
        // chatd references a hosted call only after reasoning; of a model that does not reason it sends nothing.
        let id = part.item_id().map(fingerprint);
        let unsent = match part.kind {
            PartKind::HostedCall if !whole && !reasoned => id.is_none_or(|id| left_out.insert(id)),
            PartKind::HostedResult => id.is_some_and(|id| left_out.contains(&id)),
            _ => false,
        };
        if part.is_source() {
            sink.mark(Mark::Unsent(record.base.of(part.val), record.number, SOURCE));
        }
        let part = if unsent { part.unsent() } else { *part };
        sink.item(part.item(role, whole, origin));
    }
}

/// A row as a node. The table is a list: a row follows the one before it. chatd keeps a response's id only if the
/// server stores the response, and builds on it only while the chat's model configuration is the same.
fn entry(row: Val<'_>, role: Role, record: &Record<'_>) -> Entry {
    let number = row.get(name::id).filter(|id| !id.is_string()).map(|id| String::from_utf8_lossy(id.raw()).into());
    let part = if role == Role::Assistant { tree::Part::Answer } else { tree::Part::Input };
    let name: tree::Name = named(row, "id").or(number).unwrap_or_default();
    let mut entry = Entry::new(&name, record.base.of(row), record.number, part);
    entry.marks = Marks::FOLLOWS;
    entry.config = named(row, "model_config_id");
    entry.time = named(row, "created_at").and_then(|at| time::parse(&at));
    if part == tree::Part::Answer {
        entry.response = named(row, "provider_response_id").or_else(|| response_of_parts(row));
    }
    entry
}

/// The id of the response that a row's parts were made from, where only their metadata tell it.
fn response_of_parts(row: Val<'_>) -> Option<tree::Name> {
    let told = |part: Val<'_>| ChatPart::of(part).metadata().find_map(|(_, data)| named(data, "response_id"));
    let first = |parts: Val<'_>| parts.elements().filter(Val::is_object).find_map(told);
    let content = row.get(name::content)?;
    if content.is_string() { parts_in(content, first).flatten() } else { first(content) }
}

/// Hosted calls about which the provider's own words are there: they lie with the result.
fn told_in_full(parts: &[ChatPart<'_>]) -> HashSet<u64> {
    let hosted = |part: &&ChatPart<'_>| matches!(part.kind, PartKind::HostedCall | PartKind::HostedResult);
    let told = parts.iter().filter(hosted).filter(|part| part.item_data().is_some_and(|data| data.count() > 1));
    told.filter_map(|part| part.item_id().map(fingerprint)).collect()
}
