//! A page of `GET /v1/responses/{id}/input_items`: `{"object": "list", "data": […]}`. The API lists the newest item
//! first unless it was asked for `order=asc`, which the page does not say: `--order oldest-first` tells.

use crate::dialects::responses::RESPONSES;
use crate::format::{
    Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, TELLING, Unit, read_array, read_slice,
};
use crate::history::{Flags, Settings, Usage};
use crate::json::{Val, name};

use super::responses_items;

pub struct ResponsesPage;

pub static FORMAT: ResponsesPage = ResponsesPage;

static INFO: FormatInfo = FormatInfo {
    name: "responses-page",
    title: "page of a response's input items",
    known_by: "`object` is \"list\", and `data` is a list of items",
    usage: Usage::Log,
    histories: Histories::PerRecord,
    parts: &[Part { path: &["data"], unit: Unit::Element }],
    ..FormatInfo::of(&RESPONSES, "openai")
};

impl Format for ResponsesPage {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if !(probe.has(name::object)
            && probe.has(name::data)
            && probe.val.get(name::object).is_some_and(|o| o.is("list")))
        {
            return 0;
        }
        let paged = probe.val.get("first_id").is_some() && probe.val.get(name::has_more).is_some();
        match probe.val.get(name::data).filter(Val::is_array) {
            Some(data) if responses_items::list_score(data) >= TELLING => 95,
            Some(data) if data.count() == 0 && paged => TELLING,
            _ => 0,
        }
    }

    fn layout(&self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    if read_slice(&INFO, record, Flags::default(), sink) {
        return;
    }
    let newest_first = sink.newest_first().unwrap_or(true);
    sink.mark(Mark::Start(Box::new(Settings { usage: Usage::Log, newest_first, ..Settings::default() })));
    if let Some(data) = record.val.get(name::data) {
        read_array(&RESPONSES, data, record, 0, Flags::default(), sink);
    }
    sink.mark(Mark::End);
}
