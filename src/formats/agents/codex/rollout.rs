//! Codex rollouts: the session logs of Codex CLI, IDE and desktop, in all versions that write lines.
//!
//! Until early September 2025 they are a header and bare items; then `{timestamp, type, payload}` with the history in
//! `response_item` lines. Unknown lines of newer versions are skipped. The history is rebuilt as Codex does it: a
//! `compacted` line with `replacement_history` replaces everything before it, one without it keeps the user's messages,
//! and `thread_rolled_back` removes the newest turns of the user. A fork that begins with a `history_base` continues from
//! a part of another rollout, which is read first if it is found.

mod numbered_lines;

use crate::dialect::{Dialect, Item, ItemOrigin};
use crate::dialects::responses::CODEX;
use crate::format::{
    Format, FormatInfo, HistoryScope, Layout, Mark, Probe, Record, RecordPart, RemovalUnit, Sink, TextUse,
    Upstream, read_array,
};
use crate::history::{Flags, HistorySettings, Kind, Role, Row, Usage};
use crate::json::{Val, name};
use crate::message::LossKind;

use crate::formats::openai::responses::items;
use crate::formats::scoring::Likelihood;

pub struct CodexRollout;

pub static FORMAT: CodexRollout = CodexRollout;

static INFO: FormatInfo = FormatInfo {
    name: "codex-rollout",
    title: "Codex session log (rollout)",
    upstream: Some(Upstream {
        repository: "openai/codex",
        file: Some("codex-rs/protocol/src/protocol.rs"),
        version: Some("0.169.0"),
    }),
    known_by: "lines of `{type, payload}` with Codex's types, or a header with `instructions` and bare items",
    usage: Usage::Log,
    histories: HistoryScope::PerDoc,
    parts: &[
        RecordPart { path: &["payload"], unit: RemovalUnit::Record },
        RecordPart { path: &["payload", "replacement_history"], unit: RemovalUnit::Element },
        RecordPart { path: &[], unit: RemovalUnit::Record },
    ],
    is_appended: true,
    text_use: Some(text_at),
    numbered_lines: Some(&numbered_lines::ROLLOUT),
    ..FormatInfo::of(&CODEX, "codex")
};

const LINE: u8 = 0;
const REPLACEMENT: u8 = 1;
const BARE: u8 = 2;

/// Types of lines that occur only in rollouts.
const LINE_TYPES: [&[u8]; 12] = [
    b"session_meta",
    b"response_item",
    b"event_msg",
    b"turn_context",
    b"compacted",
    b"world_state",
    b"inter_agent_communication",
    b"inter_agent_communication_metadata",
    b"token_usage_record",
    b"retained_context",
    b"security_risk_score",
    b"realtime_item",
];

/// Prefixes of messages that Codex inserts in the user's name: they begin no turn.
const INJECTED: [&[u8]; 5] =
    [b"<environment_context>", b"<user_instructions>", b"<permissions instructions>", b"# AGENTS.md", ABORTED];

/// Prefix of the message that Codex inserts when a turn was aborted, before the event that reports it.
const ABORTED: &[u8] = b"<turn_aborted>";

/// Codex cannot read a line with half of a surrogate pair. Only lines with items are sent.
fn text_at(record: Val<'_>, _: u32) -> TextUse {
    let is_shown = record.get(name::r#type).is_some_and(|kind| kind.is("event_msg"));
    if is_shown { TextUse::Unsent } else { TextUse::Replaceable }
}

impl Format for CodexRollout {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if probe.has(name::payload) {
            let known = probe.text(name::r#type).is_some_and(|t| LINE_TYPES.contains(&t.as_ref()));
            return if known { 100 } else { u8::from(self.accepts(probe.val)) };
        }
        if probe.has(name::record_type) && !probe.has(name::r#type) {
            return 100;
        }
        let header = probe.has(name::id) && probe.has(name::timestamp) && probe.has(name::instructions);
        if header && probe.count <= 3 + u32::from(probe.has(name::git)) {
            return 100;
        }
        // Bare items belong to a rollout if there is a header; without one they are a list of items.
        if probe.val.is_object() { items::item_likelihood(probe.val).score() } else { 0 }
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        let names = val.names();
        if names.has(name::payload) {
            // New versions add types of lines.
            let kind = val.get(name::r#type).and_then(|kind| kind.text());
            return kind.is_some_and(|kind| names.has(name::timestamp) || LINE_TYPES.contains(&kind.as_ref()));
        }
        names.has(name::record_type)
            || names.has(name::instructions) && names.has(name::timestamp)
            || val.is_object() && items::item_likelihood(val) != Likelihood::Foreign
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    let (mut kind, mut payload, mut number) = (None, None, None);
    for (name, val) in record.val.named_members() {
        match name {
            name::r#type => kind = val.text(),
            name::payload => payload = Some(val),
            name::ordinal => number = val.as_u64(),
            _ => {}
        }
    }
    // A byte-order mark may come before the first line.
    let first = record.extent.start <= 3;
    let meta = payload.filter(|_| kind.as_deref() == Some(b"session_meta"));
    let header = meta.map(|meta| Box::new(numbered_lines::header(record.val, meta, record, first)));
    let (record_number, at) = (record.number, record.base.of(record.val));
    sink.mark(Mark::Line { record: record_number, number, at, header });
    match (kind.as_deref(), payload) {
        (Some(b"response_item"), Some(item)) => read_line_item(item, LINE, record, sink),
        (Some(b"event_msg"), Some(event)) => read_event(event, record, sink),
        (Some(b"compacted"), Some(summary)) => read_compaction(summary, record, sink),
        (Some(b"turn_context"), Some(context)) => {
            if let Some(model) = context.get(name::model).and_then(|m| m.text()) {
                sink.mark(Mark::Settings(|s, model| s.model = Some(model), text(&model)));
            }
        }
        (Some(b"session_meta"), Some(meta)) => {
            if let Some(version) = meta.get(name::cli_version).and_then(|version| version.text()) {
                sink.mark(Mark::Settings(HistorySettings::set_agent_version, text(&version)));
            }
            let instructions = ["base_instructions", "instructions"].iter().filter_map(|key| meta.get(key));
            let texts = instructions.map(|own| own.get(name::text).unwrap_or(own));
            for text in texts.filter(|text| text.as_str().is_some_and(|text| !text.is_blank())) {
                sink.mark(Mark::not_converted(LossKind::NOT_TRANSLATED, record.base.of(text), record.number));
            }
            let tools = meta.get("dynamic_tools").into_iter().flat_map(|tools| tools.elements());
            for tool in tools {
                sink.mark(Mark::not_converted(LossKind::NOT_TRANSLATED, record.base.of(tool), record.number));
            }
            if let Some(provider) = meta.get(name::model_provider).and_then(|p| p.text()) {
                sink.mark(Mark::Settings(set_provider, text(&provider)));
            }
        }
        // Bare items, or items with a timestamp.
        (Some(name), None) if Kind::of_type(name) != Kind::Unknown => {
            read_line_item(record.val, BARE, record, sink);
        }
        _ => {}
    }
}

/// Reads one item, and marks the beginning of each user turn.
fn read_line_item(item: Val<'_>, part: u8, record: &Record<'_>, sink: &mut dyn Sink) {
    let origin = ItemOrigin { base: record.base, record: record.number, turn: 0, part, flags: Flags::default() };
    CODEX.rows(item, origin, &mut |mut item| {
        if item.row.kind == Kind::Message && item.row.role == Role::User {
            match injected_prefix(item.val) {
                Some(start) => {
                    item.row.set(Flags::INSERTED);
                    if start == ABORTED {
                        sink.mark(Mark::Aborted(item.row.at.start));
                    }
                }
                None => sink.mark(Mark::User),
            }
        }
        sink.item(item);
    });
}

fn text(bytes: &[u8]) -> Box<str> {
    String::from_utf8_lossy(bytes).into()
}

/// Sets the target by the provider of the first `session_meta`; later ones are in lines that a fork repeats.
#[expect(clippy::boxed_local, reason = "a setter takes what its mark carries")]
fn set_provider(settings: &mut HistorySettings, provider: Box<str>) {
    if settings.target.is_none() {
        let azure = provider.to_ascii_lowercase().contains("azure");
        settings.target = Some(if azure { "azure" } else { INFO.target });
    }
}

/// The prefix of a message that Codex inserted in the user's name; `None` for messages of the user.
fn injected_prefix(message: Val<'_>) -> Option<&'static [u8]> {
    let first =
        message.get(name::content).and_then(|content| content.elements().next()?.get(name::text)?.as_str())?;
    INJECTED.into_iter().find(|start| first.raw.trim_ascii_start().starts_with(start))
}

fn read_event(event: Val<'_>, record: &Record<'_>, sink: &mut dyn Sink) {
    let Some(kind) = event.get(name::r#type).and_then(|t| t.text()) else { return };
    match kind.as_ref() {
        b"task_started" => sink.mark(Mark::Turn),
        b"turn_aborted" => sink.mark(Mark::Aborted(record.base.of(event).start)),
        b"thread_rolled_back" => {
            let turns = event.get(name::num_turns).and_then(|n| n.as_u64()).unwrap_or(0);
            sink.mark(Mark::Rollback(u32::try_from(turns).unwrap_or(u32::MAX)));
        }
        _ => {}
    }
}

fn read_compaction(summary: Val<'_>, record: &Record<'_>, sink: &mut dyn Sink) {
    if let Some(items) = summary.get(name::replacement_history).filter(|items| items.is_array()) {
        sink.mark(Mark::Reset);
        read_array(&CODEX, items, record, REPLACEMENT, Flags::default(), sink);
        return;
    }
    sink.mark(Mark::ResetToUsers);
    if let Some(message) = summary.get(name::message) {
        let mut row = Row::of_place(record.base.of(message), record.number);
        (row.kind, row.item_kind, row.role, row.flags) =
            (Kind::Message, Kind::Message, Role::User, Flags::SYNTHETIC);
        sink.item(Item { row, val: message, id: None, key: None });
    }
}
