//! Sessions of Kode with models of the Responses API: the same lines, judged as the calls and outputs that Kode sends for
//! them. Nothing in them is signed, and the server is asked to store nothing.

use crate::dialect::{Dialect, Item, ItemOrigin};
use crate::dialects::session::SESSION;
use crate::format::{Format, FormatInfo, HistoryScope, Layout, Probe, Record, RecordPart, RemovalUnit, Sink};
use crate::history::{Flags, Kind, Row, Usage};
use crate::json::{Val, name};

use super::super::session_lines;
use super::super::session_lines::{LineMessage, is_line, is_of_other_model, read};
use super::session::{CLIENT, NAME, score_record};

pub struct KodeResponses;

pub static FORMAT: KodeResponses = KodeResponses;

static INFO: FormatInfo = FormatInfo {
    name: NAME,
    title: "Kode session of a model of OpenAI's",
    known_by: "the same, with unsigned answers of models other than Claude",
    usage: Usage::Log,
    histories: HistoryScope::Session,
    parts: &[RecordPart { path: &["message", "content"], unit: RemovalUnit::Element }],
    is_appended: true,
    is_read_whole: true,
    placeholder: Some(session_lines::placeholder_line),
    ..FormatInfo::of(&SESSION, "openai-stateless")
};

impl Format for KodeResponses {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        score_record(probe, is_of_other_model)
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        is_line(val)
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    read(record, &CLIENT, &read_content, sink);
}

fn read_content(message: LineMessage<'_>, record: &Record<'_>, sink: &mut dyn Sink) {
    let LineMessage { val, role, is_inserted } = message;
    let Some(content) = val.get(name::content) else { return };
    let inserted = if is_inserted { Flags::INSERTED } else { Flags::default() };
    if content.is_string() {
        let mut row = Row::of_place(record.base.of(content), record.number);
        (row.kind, row.item_kind, row.role, row.flags) =
            (Kind::Message, Kind::Message, role, Flags::SYNTHETIC | inserted);
        sink.item(Item { row, val: content, id: None, key: None });
        return;
    }
    let origin = ItemOrigin { base: record.base, record: record.number, turn: 0, part: 0, flags: inserted };
    for block in content.elements() {
        SESSION.rows(block, origin, &mut |mut item| {
            if item.row.kind == Kind::Message {
                item.row.role = role;
            }
            sink.item(item);
        });
    }
}
