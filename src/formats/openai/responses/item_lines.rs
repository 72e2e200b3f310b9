//! JSON Lines of Responses items: one history, an item a line.

use crate::dialects::responses::RESPONSES;
use crate::format::{Format, FormatInfo, Histories, Layout, Part, Probe, Record, Sink, Unit, Upstream, read_item};
use crate::history::{Flags, Usage};
use crate::json::{Val, name};

use super::items;
use crate::formats::claim::Fit;

pub struct ResponsesItemLines;

pub static FORMAT: ResponsesItemLines = ResponsesItemLines;

static INFO: FormatInfo = FormatInfo {
    name: "responses-item-lines",
    title: "JSON Lines of Responses items (one history)",
    upstream: Some(Upstream {
        repository: "openai/openai-python",
        file: Some("src/openai/types/responses"),
        version: Some("3.54.0"),
    }),
    known_by: "each line is an object with an item's `type`, or with `role` and `content`",
    usage: Usage::Log,
    histories: Histories::PerDoc,
    parts: &[Part { path: &[], unit: Unit::Record }],
    ..FormatInfo::of(&RESPONSES, "openai")
};

impl Format for ResponsesItemLines {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if probe.val.is_object() { items::item_fit(probe.val).score() } else { 0 }
    }

    fn knows(&self, val: Val<'_>) -> bool {
        // An item that lacks something is still one: rules say what it lacks.
        let named =
            || val.get(name::r#type).or_else(|| val.get(name::role)).or_else(|| val.get(name::id)).is_some();
        match items::item_fit(val) {
            Fit::Strange => false,
            Fit::Likely(_) => true,
            Fit::Unknown => val.is_object() && named(),
        }
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    read_item(&RESPONSES, record.val, record, 0, Flags::default(), sink);
}
