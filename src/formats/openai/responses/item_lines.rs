//! JSON Lines of Responses items: one history, an item a line.

use crate::dialects::responses::RESPONSES;
use crate::format::{
    Format, FormatInfo, HistoryScope, Layout, Probe, Record, RecordPart, RemovalUnit, Sink, Upstream, read_item,
};
use crate::history::{Flags, Usage};
use crate::json::{Val, name};

use super::items;
use crate::formats::scoring::Likelihood;

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
    histories: HistoryScope::PerDoc,
    parts: &[RecordPart { path: &[], unit: RemovalUnit::Record }],
    ..FormatInfo::of(&RESPONSES, "openai")
};

impl Format for ResponsesItemLines {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if probe.val.is_object() { items::item_likelihood(probe.val).score() } else { 0 }
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        // An incomplete item is still one: rules report what is missing.
        let named =
            || val.get(name::r#type).or_else(|| val.get(name::role)).or_else(|| val.get(name::id)).is_some();
        match items::item_likelihood(val) {
            Likelihood::Foreign => false,
            Likelihood::Score(_) => true,
            Likelihood::Unknown => val.is_object() && named(),
        }
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    read_item(&RESPONSES, record.val, record, 0, Flags::default(), sink);
}
