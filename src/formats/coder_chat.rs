//! A chat of coder's chatd: the rows of `chat_messages` as one JSON array. What the API knows as items are the parts of
//! a row's `content`; a row of before parts holds a string.

use std::collections::HashSet;

use crate::dialect::{Item, Origin};
use crate::dialects::coder::{CODER, Part as ChatPart, PartKind};
use crate::format::{Format, FormatInfo, Histories, Mark, Part, Probe, Record, Sink, Slice, Unit};
use crate::history::tree::{self, Entry, Marks};
use crate::history::{Flags, Kind, Role, Row, Settings, Usage, time};
use crate::json::{Val, fingerprint};

use super::provider;

pub struct CoderChat;

pub static FORMAT: CoderChat = CoderChat;

static INFO: FormatInfo = FormatInfo {
    name: "coder-chat",
    title: "chat of coder's chatd (array of rows)",
    told_by: TOLD_BY,
    dialect: &CODER,
    target: "openai",
    usage: Usage::Log,
    histories: Histories::PerRecord,
    parts: &PARTS,
    records_responses: false,
};

pub(super) const TOLD_BY: &str =
    "rows with `role` and `content`: parts like `tool-call` with snake_case keys, or a `content_version`";

pub(super) const PARTS: [Part; 1] = [Part { path: &[], unit: Unit::Block }];

impl Format for CoderChat {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if !probe.val.is_array() {
            return 0;
        }
        let mut best = 0;
        for row in probe.val.elements().filter(|e| e.is_object()).take(20) {
            match row_score(row) {
                0 => return 0,
                score => best = best.max(score),
            }
        }
        // Rows that could be anybody's messages say nothing by themselves.
        if best > PLAIN { best } else { 0 }
    }

    fn read(&self, record: &Record<'_>, sink: &mut dyn Sink) {
        match record.slice {
            Slice::Element { section: "" } => read_row(record.val, record, sink),
            Slice::Element { .. } => {}
            Slice::Whole | Slice::Head => {
                sink.mark(Mark::Start(Box::new(Settings { usage: Usage::Log, ..Settings::default() })));
                record.val.elements().for_each(|row| read_row(row, record, sink));
                sink.mark(Mark::End);
            }
        }
    }
}

/// Keys that only rows of this table have, beside `role` and `content`.
const ROW_KEYS: [&str; 3] = ["content_version", "provider_response_id", "model_config_id"];

/// A row that may be one of this table, or a message of any other system.
pub(super) const PLAIN: u8 = 1;

/// How surely an object is a row: by its own keys, or by its parts.
pub(super) fn row_score(val: Val<'_>) -> u8 {
    let (Some(role), Some(content)) = (val.get("role").and_then(|role| role.text()), val.get("content")) else {
        return 0;
    };
    if Role::of(&role) == Role::Other && role.as_ref() != b"tool" {
        return 0;
    }
    if !content.is_array() && !content.is_string() && !content.is_null() {
        return 0;
    }
    if ROW_KEYS.iter().any(|key| val.get(key).is_some()) {
        return 95;
    }
    content.elements().map(part_score).max().unwrap_or(PLAIN)
}

/// Parts with types and keys that nobody else writes together. Another SDK spells its keys in camelCase.
fn part_score(part: Val<'_>) -> u8 {
    let typed = part.get("type").and_then(|name| name.text());
    let tool = part.get("tool_call_id").is_some() && part.get("tool_name").is_some();
    match typed.as_deref() {
        Some(b"tool-call" | b"tool-result") if tool => 90,
        Some(b"reasoning") if part.get("provider_metadata").is_some() => 90,
        Some(b"text" | b"reasoning" | b"file" | b"tool-call" | b"tool-result")
            if part.get("data").is_some_and(|data| data.is_object()) =>
        {
            90
        }
        None if tool && part.get("result").is_some() => 90,
        _ => PLAIN,
    }
}

/// Reads one row of the table.
pub(super) fn read_row(row: Val<'_>, record: &Record<'_>, sink: &mut dyn Sink) {
    // Some rows are for the eyes of people only.
    if row.get("visibility").and_then(|v| v.as_str()).is_some_and(|v| !v.is(b"both") && !v.is(b"model")) {
        return;
    }
    let role = row.get("role").and_then(|role| role.text()).map_or(Role::None, |role| Role::of(&role));
    let Some(content) = row.get("content") else { return };
    sink.mark(Mark::Entry(Box::new(entry(row, role, record))));
    let origin = Origin { base: record.base, record: record.number, turn: 0, part: 0, flags: Flags::default() };
    if content.is_string() {
        if role == Role::User {
            sink.mark(Mark::User);
        }
        let mut own = Row::of_place(origin.base.of(content), origin.record);
        (own.kind, own.of, own.role, own.flags) = (Kind::Message, Kind::Message, role, Flags::FOREIGN);
        sink.item(Item { row: own, val: content, id: None, key: None });
        return;
    }
    let parts: Vec<ChatPart<'_>> =
        content.elements().filter(|part| part.is_object()).map(ChatPart::of).collect();
    if role == Role::User && parts.iter().any(|part| part.kind == PartKind::Said) {
        sink.mark(Mark::User);
    }
    let mut told = false;
    let in_full = told_in_full(&parts);
    // What the provider ran goes as the reasoning in front of it does: two references, or two items in full.
    let mut by_reference = false;
    for part in &parts {
        if let Some((provider, _)) = part.metadata().next().filter(|_| !told) {
            sink.mark(Mark::Settings(provider::set, String::from_utf8_lossy(&provider.decode()).into()));
            told = true;
        }
        if part.kind == PartKind::Reasoning {
            by_reference = part.blob().is_none() && part.item_id().is_some();
        }
        let whole = !by_reference && part.item_id().is_some_and(|id| in_full.contains(&fingerprint(id)));
        sink.item(part.item(role, whole, origin));
    }
}

/// A row as a node. The table is a list: a row follows the one before it. chatd keeps a response's id only if the
/// server stores the response, and builds on it only while the chat's model configuration is the same.
fn entry(row: Val<'_>, role: Role, record: &Record<'_>) -> Entry {
    let text = |key: &str| {
        let text = row.get(key)?.text().filter(|text| !text.is_empty())?;
        Some(Box::from(String::from_utf8_lossy(&text)))
    };
    let number = row.get("id").filter(|id| !id.is_string()).map(|id| Box::from(String::from_utf8_lossy(id.raw())));
    let part = if role == Role::Assistant { tree::Part::Answer } else { tree::Part::Input };
    let name: Box<str> = text("id").or(number).unwrap_or_default();
    let mut entry = Entry::new(&name, record.base.of(row), record.number, part);
    entry.marks = Marks::FOLLOWS;
    entry.config = text("model_config_id");
    entry.time = text("created_at").and_then(|at| time::parse(&at));
    if part == tree::Part::Answer {
        entry.response = text("provider_response_id").or_else(|| response_of_parts(row));
    }
    entry
}

/// The id of the response that a row's parts were made from, where only their metadata tell it.
fn response_of_parts(row: Val<'_>) -> Option<Box<str>> {
    let parts = row.get("content").into_iter().flat_map(|content| content.elements());
    let mut told = parts.filter(Val::is_object).filter_map(|part| {
        let told = ChatPart::of(part).metadata().find_map(|(_, data)| data.get("response_id")?.text());
        told.filter(|id| !id.is_empty())
    });
    told.next().map(|id| Box::from(String::from_utf8_lossy(&id)))
}

/// Hosted calls about which the provider's own words are there: they lie with the result.
fn told_in_full(parts: &[ChatPart<'_>]) -> HashSet<u64> {
    let hosted = |part: &&ChatPart<'_>| matches!(part.kind, PartKind::HostedCall | PartKind::HostedResult);
    let told = parts.iter().filter(hosted).filter(|part| part.item_data().is_some_and(|data| data.count() > 1));
    told.filter_map(|part| part.item_id().map(fingerprint)).collect()
}
