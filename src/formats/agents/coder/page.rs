//! A page of a chat's messages, as coder's API returns it to users without access to the database. It contains the visible
//! messages, newest first, without rows that only the model sees.

use crate::dialects::coder::CODER;
use crate::format::{
    Format, FormatInfo, HistoryScope, Layout, Mark, Probe, Record, RecordPart, RemovalUnit, Sink, Upstream,
};
use crate::history::{HistorySettings, Usage};
use crate::json::{Val, name};

use super::chat::{PLAIN_SCORE, TABLE, read_row, row_score, rows_score};

pub struct CoderPage;

pub static FORMAT: CoderPage = CoderPage;

static INFO: FormatInfo = FormatInfo {
    name: "coder-page",
    title: "page of the messages of a chat, as the API of coder returns it",
    upstream: Some(Upstream {
        repository: "coder/coder",
        file: Some("coderd/x/chatd/chatprompt/chatprompt.go"),
        version: Some("018f9512"),
    }),
    known_by: "`messages`, a list of rows, with `queued_messages` or `has_more`",
    usage: Usage::Log,
    histories: HistoryScope::PerRecord,
    parts: &[RecordPart { path: &["messages"], unit: RemovalUnit::Block }],
    is_read_whole: true,
    table: Some(&TABLE),
    ..FormatInfo::of(&CODER, "openai")
};

impl Format for CoderPage {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let Some(rows) = probe.get(name::messages).filter(|rows| rows.is_array()) else { return 0 };
        let (queue, more) = (probe.has(name::queued_messages), probe.has(name::has_more));
        if !queue && !more {
            return 0;
        }
        match rows_score(rows) {
            // The members of the page identify its rows.
            0 if queue && more && (rows.count() == 0 || rows.elements().any(is_of_chat)) => 90,
            score => score,
        }
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    sink.mark(Mark::Start(Box::new(HistorySettings { usage: Usage::Log, ..HistorySettings::default() })));
    let rows = record.val.get(name::messages).into_iter().flat_map(|rows| rows.elements());
    rows.for_each(|row| read_row(row, record, sink));
    if record.val.get(name::has_more).and_then(|more| more.as_bool()) == Some(true) {
        // Calls and results may have their partners on another page.
        sink.mark(Mark::Settings(|settings, _| settings.broken = true, Box::default()));
    }
    sink.mark(Mark::End);
}

/// True if a row names its chat.
fn is_of_chat(row: Val<'_>) -> bool {
    row_score(row) >= PLAIN_SCORE && row.get("chat_id").is_some()
}
