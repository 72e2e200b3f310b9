//! Sessions of the OpenAI Agents SDK in its SQLite tables: a Responses item a row.

use crate::dialects::responses::RESPONSES;
use crate::format::{
    Format, FormatInfo, HistoryScope, Layout, Mark, Probe, Record, RecordPart, RemovalUnit, Sink, Upstream,
    read_item,
};
use crate::history::{Flags, Usage};
use crate::json::Val;

use crate::formats::openai::responses::items;
use crate::formats::scoring::Likelihood;

pub struct AgentsSession;

pub static FORMAT: AgentsSession = AgentsSession;

static INFO: FormatInfo = FormatInfo {
    name: "agents-session",
    title: "OpenAI Agents SDK session (SQLite)",
    upstream: Some(Upstream {
        repository: "openai/openai-agents-python",
        file: Some("src/agents/memory/sqlite_session.py"),
        version: Some("0.24.0"),
    }),
    known_by: "a SQLite table with the columns `session_id` and `message_data`, and one of sessions",
    usage: Usage::Log,
    histories: HistoryScope::PerDoc,
    parts: &[RecordPart { path: &[], unit: RemovalUnit::Record }],
    is_in_database: true,
    ..FormatInfo::of(&RESPONSES, "openai")
};

impl Format for AgentsSession {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    /// Always 0: it is recognised by its tables. A row by itself is an item like any other.
    fn detect(&self, _: &Probe<'_>) -> u8 {
        0
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        val.is_object() && items::item_likelihood(val) != Likelihood::Foreign
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    sink.mark(Mark::Settings(|settings, _| settings.in_rows = true, Box::default()));
    read_item(&RESPONSES, record.val, record, 0, Flags::default(), sink);
}
