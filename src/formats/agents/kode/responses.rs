//! Sessions of Kode whose models it reaches through the Responses API: the same lines, judged as the calls and outputs
//! that Kode sends for them. Nothing in them is signed, and the server is asked to store nothing.

use crate::dialect::{Dialect, Item, Origin};
use crate::dialects::session::SESSION;
use crate::format::{Format, FormatInfo, Histories, Layout, Part, Probe, Record, Sink, Unit};
use crate::history::{Flags, Kind, Role, Row, Usage};
use crate::json::{Val, name};

use super::super::session_lines;
use super::super::session_lines::{is_line, is_of_other_model, read};
use super::session::{NAME, WRITER, claim};

pub struct KodeResponses;

pub static FORMAT: KodeResponses = KodeResponses;

static INFO: FormatInfo = FormatInfo {
    name: NAME,
    title: "Kode session of a model of OpenAI's",
    known_by: "the same, with answers that are no Claude's and hold no signature",
    usage: Usage::Log,
    histories: Histories::Session,
    parts: &[Part { path: &["message", "content"], unit: Unit::Element }],
    appended: true,
    placeholder: Some(session_lines::unreadable),
    ..FormatInfo::of(&SESSION, "openai-stateless")
};

impl Format for KodeResponses {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        claim(probe, is_of_other_model)
    }

    fn knows(&self, val: Val<'_>) -> bool {
        is_line(val)
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    read(record, &WRITER, &read_content, sink);
}

fn read_content(message: Val<'_>, role: Role, record: &Record<'_>, sink: &mut dyn Sink) {
    let Some(content) = message.get(name::content) else { return };
    if content.is_string() {
        let mut row = Row::of_place(record.base.of(content), record.number);
        (row.kind, row.of, row.role, row.flags) = (Kind::Message, Kind::Message, role, Flags::SYNTHETIC);
        sink.item(Item { row, val: content, id: None, key: None });
        return;
    }
    let origin = Origin { base: record.base, record: record.number, turn: 0, part: 0, flags: Flags::default() };
    for block in content.elements() {
        SESSION.rows(block, origin, &mut |mut item| {
            if item.row.kind == Kind::Message {
                item.row.role = role;
            }
            sink.item(item);
        });
    }
}
