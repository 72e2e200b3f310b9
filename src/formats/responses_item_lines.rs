//! JSON Lines of Responses items: one history, an item a line.

use crate::dialects::responses::RESPONSES;
use crate::format::{Format, FormatInfo, Histories, Part, Probe, Record, Sink, Unit, read_item};
use crate::history::{Flags, Usage};

use super::responses_items;

pub struct ResponsesItemLines;

pub static FORMAT: ResponsesItemLines = ResponsesItemLines;

static INFO: FormatInfo = FormatInfo {
    name: "responses-item-lines",
    title: "JSON Lines of Responses items (one history)",
    told_by: "each line is an object with an item's `type`, or with `role` and `content`",
    dialect: &RESPONSES,
    target: "openai",
    usage: Usage::Log,
    histories: Histories::PerDoc,
    parts: &[Part { path: &[], unit: Unit::Record }],
    records_responses: false,
};

impl Format for ResponsesItemLines {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if probe.val.is_object() { responses_items::item_score(probe.val) } else { 0 }
    }

    fn read(&self, record: &Record<'_>, sink: &mut dyn Sink) {
        read_item(&RESPONSES, record.val, record, 0, Flags::default(), sink);
    }
}
