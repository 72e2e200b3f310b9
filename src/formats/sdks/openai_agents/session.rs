//! Sessions of the OpenAI Agents SDK in its SQLite tables: a Responses item a row.

use crate::dialects::responses::RESPONSES;
use crate::format::{
    Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Unit, Upstream, read_item,
};
use crate::history::{Flags, Usage};
use crate::json::Val;

use crate::formats::claim::Fit;
use crate::formats::openai::responses::items;

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
    histories: Histories::PerDoc,
    parts: &[Part { path: &[], unit: Unit::Record }],
    stored_in_tables: true,
    ..FormatInfo::of(&RESPONSES, "openai")
};

impl Format for AgentsSession {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    /// Its tables tell; a row by itself is an item like any other.
    fn detect(&self, _: &Probe<'_>) -> u8 {
        0
    }

    fn knows(&self, val: Val<'_>) -> bool {
        val.is_object() && items::item_fit(val) != Fit::Strange
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    sink.mark(Mark::Settings(|settings, _| settings.in_rows = true, Box::default()));
    read_item(&RESPONSES, record.val, record, 0, Flags::default(), sink);
}
