//! A chat of coder's chatd, exported with one row per line.

use crate::dialects::coder::CODER;
use crate::format::{Format, FormatInfo, HistoryScope, Layout, Probe, Record, Sink, Upstream};
use crate::history::Usage;

use super::chat::{KNOWN_BY, PARTS, TABLE, read_row, row_score};

pub struct CoderChatLines;

pub static FORMAT: CoderChatLines = CoderChatLines;

static INFO: FormatInfo = FormatInfo {
    name: "coder-chat-lines",
    title: "chat of coder's chatd (one row per line)",
    upstream: Some(Upstream {
        repository: "coder/coder",
        file: Some("coderd/x/chatd/chatprompt/chatprompt.go"),
        version: Some("018f9512"),
    }),
    known_by: KNOWN_BY,
    usage: Usage::Log,
    histories: HistoryScope::PerDoc,
    parts: &PARTS,
    table: Some(&TABLE),
    ..FormatInfo::of(&CODER, "openai")
};

impl Format for CoderChatLines {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        // A row without keys of its own counts with a low score: other rows of the file may have them.
        if probe.val.is_object() { row_score(probe.val) } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    read_row(record.val, record, sink);
}
