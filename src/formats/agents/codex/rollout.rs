//! Codex rollouts: the session logs of Codex CLI, IDE and desktop, of every era that is a log of lines.
//!
//! Until early September 2025 a header and bare items; then `{timestamp, type, payload}` with the history in
//! `response_item` lines; lines of newer versions that carry no history are passed over. The history is rebuilt as
//! Codex does it: a `compacted` line with `replacement_history` replaces all before it, one without keeps the user's
//! messages, and `thread_rolled_back` takes back the newest turns of the user. A fork that begins with a `history_base`
//! continues from a part of another rollout, which is read before it if it is found.

mod kept;

use crate::dialect::{Dialect, Item, Origin};
use crate::dialects::responses::CODEX;
use crate::format::{
    Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Unit, Upstream, read_array,
};
use crate::history::{Flags, Kind, Role, Row, Settings, Usage};
use crate::json::{Val, name};
use crate::message::LossKind;

use crate::formats::claim::Fit;
use crate::formats::openai::responses::items;

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
    histories: Histories::PerDoc,
    parts: &[
        Part { path: &["payload"], unit: Unit::Record },
        Part { path: &["payload", "replacement_history"], unit: Unit::Element },
        Part { path: &[], unit: Unit::Record },
    ],
    appended: true,
    kept_lines: Some(&kept::ROLLOUT),
    ..FormatInfo::of(&CODEX, "codex")
};

const LINE: u8 = 0;
const REPLACEMENT: u8 = 1;
const BARE: u8 = 2;

/// Types of lines that only a rollout has.
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

/// How messages begin that Codex adds in the user's name: they begin no turn.
const INJECTED: [&[u8]; 5] =
    [b"<environment_context>", b"<user_instructions>", b"<permissions instructions>", b"# AGENTS.md", ABORTED];

/// What it says so when a turn was cut off, before the event that says it, too.
const ABORTED: &[u8] = b"<turn_aborted>";

impl Format for CodexRollout {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if probe.has(name::payload) {
            let known = probe.text(name::r#type).is_some_and(|t| LINE_TYPES.contains(&t.as_ref()));
            return if known { 100 } else { u8::from(self.knows(probe.val)) };
        }
        if probe.has(name::record_type) && !probe.has(name::r#type) {
            return 100;
        }
        let header = probe.has(name::id) && probe.has(name::timestamp) && probe.has(name::instructions);
        if header && probe.count <= 3 + u32::from(probe.has(name::git)) {
            return 100;
        }
        // Bare items are those of a rollout if the header says so; alone they are a list of items.
        if probe.val.is_object() { items::item_fit(probe.val).score() } else { 0 }
    }

    fn knows(&self, val: Val<'_>) -> bool {
        let names = val.names();
        if names.has(name::payload) {
            // New types of lines come with new versions.
            let kind = val.get(name::r#type).and_then(|kind| kind.text());
            return kind.is_some_and(|kind| names.has(name::timestamp) || LINE_TYPES.contains(&kind.as_ref()));
        }
        names.has(name::record_type)
            || names.has(name::instructions) && names.has(name::timestamp)
            || val.is_object() && items::item_fit(val) != Fit::Strange
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    let (mut kind, mut payload, mut number) = (None, None, None);
    for (name, val) in record.val.named() {
        match name {
            name::r#type => kind = val.text(),
            name::payload => payload = Some(val),
            name::ordinal => number = val.as_u64(),
            _ => {}
        }
    }
    // A byte-order mark may come before the first line.
    let first = record.whole.start <= 3;
    let meta = payload.filter(|_| kind.as_deref() == Some(b"session_meta"));
    let header = meta.map(|meta| Box::new(kept::header(record.val, meta, record, first)));
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
                sink.mark(Mark::Settings(Settings::set_agent_version, text(&version)));
            }
            let instructions = ["base_instructions", "instructions"].iter().filter_map(|key| meta.get(key));
            let texts = instructions.map(|own| own.get(name::text).unwrap_or(own));
            for text in texts.filter(|text| text.as_str().is_some_and(|text| !text.is_blank())) {
                let lost = LossKind::LEFT_OUT.found(record.base.of(text), record.number);
                sink.mark(Mark::NotConverted(lost));
            }
            let tools = meta.get("dynamic_tools").into_iter().flat_map(|tools| tools.elements());
            for tool in tools {
                sink.mark(Mark::NotConverted(LossKind::LEFT_OUT.found(record.base.of(tool), record.number)));
            }
            if let Some(provider) = meta.get(name::model_provider).and_then(|p| p.text()) {
                sink.mark(Mark::Settings(set_provider, text(&provider)));
            }
        }
        // Bare items, or an item's members beside a timestamp.
        (Some(name), None) if Kind::of_type(name) != Kind::Unknown => {
            read_line_item(record.val, BARE, record, sink);
        }
        _ => {}
    }
}

/// Reads one item, and marks where the user speaks.
fn read_line_item(item: Val<'_>, part: u8, record: &Record<'_>, sink: &mut dyn Sink) {
    let origin = Origin { base: record.base, record: record.number, turn: 0, part, flags: Flags::default() };
    CODEX.rows(item, origin, &mut |item| {
        if item.row.kind == Kind::Message && item.row.role == Role::User {
            match injected(item.val) {
                Some(start) if start == ABORTED => sink.mark(Mark::Aborted(item.row.at.start)),
                Some(_) => {}
                None => sink.mark(Mark::User),
            }
        }
        sink.item(item);
    });
}

fn text(bytes: &[u8]) -> Box<str> {
    String::from_utf8_lossy(bytes).into()
}

/// The first session's provider holds; later ones come with lines that a fork repeats.
#[expect(clippy::boxed_local, reason = "a setter takes what its mark carries")]
fn set_provider(settings: &mut Settings, provider: Box<str>) {
    if settings.target.is_none() {
        let azure = provider.to_ascii_lowercase().contains("azure");
        settings.target = Some(if azure { "azure" } else { INFO.target });
    }
}

/// How a message begins that Codex says in the user's name.
fn injected(message: Val<'_>) -> Option<&'static [u8]> {
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
        (row.kind, row.of, row.role, row.flags) = (Kind::Message, Kind::Message, Role::User, Flags::SYNTHETIC);
        sink.item(Item { row, val: message, id: None, key: None });
    }
}
