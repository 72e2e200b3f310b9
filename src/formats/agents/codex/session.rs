//! Codex sessions until July 2025: one JSON document, `{"session": {…}, "items": […]}`.

use crate::dialects::responses::CODEX;
use crate::format::{
    Format, FormatInfo, HistoryScope, Layout, MIN_DISTINCTIVE_SCORE, Mark, Probe, Record, RecordPart, RemovalUnit,
    Sink, read_array, read_slice,
};
use crate::formats::openai::responses::items;
use crate::history::{Flags, HistorySettings, Usage};
use crate::json::{Val, name};
use crate::message::LossKind;

pub struct CodexSession;

pub static FORMAT: CodexSession = CodexSession;

static INFO: FormatInfo = FormatInfo {
    name: "codex-session",
    title: "Codex session of 2025 (one document)",
    known_by: "`session`, an object, and `items`, a list of items",
    usage: Usage::Log,
    histories: HistoryScope::PerRecord,
    parts: &[RecordPart { path: &["items"], unit: RemovalUnit::Element }],
    ..FormatInfo::of(&CODEX, "codex")
};

impl Format for CodexSession {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if !(probe.has(name::session) && probe.has(name::items)) {
            return 0;
        }
        let session = probe.get(name::session).is_some_and(|s| s.is_object());
        let items = |items: Val<'_>| {
            items::list_score(items) >= MIN_DISTINCTIVE_SCORE || items.is_array() && items.count() == 0
        };
        if session && probe.get(name::items).is_some_and(items) { 96 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    if read_slice(&INFO, record, Flags::default(), sink) {
        return;
    }
    sink.mark(Mark::Start(Box::new(HistorySettings { usage: Usage::Log, ..HistorySettings::default() })));
    let instructions = record.val.at(&["session", "instructions"]);
    if let Some(text) = instructions.filter(|text| text.as_str().is_some_and(|text| !text.is_blank())) {
        sink.mark(Mark::not_converted(LossKind::NOT_TRANSLATED, record.base.of(text), record.number));
    }
    if let Some(items) = record.val.get(name::items) {
        read_array(&CODEX, items, record, 0, Flags::default(), sink);
    }
    sink.mark(Mark::End);
}
