//! A response of Bedrock's `Converse`: `{"output": {"message": …}, "stopReason": …}`. Replayed, its message is the tail
//! of a history. It is a member of an object, so it can be changed, and not taken out.

use crate::dialects::bedrock::BEDROCK;
use crate::format::{
    Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Slice, Unit, read_item,
};
use crate::history::{Flags, Settings, Usage};
use crate::json::{Val, name};

pub struct BedrockResponse;

pub static FORMAT: BedrockResponse = BedrockResponse;

static INFO: FormatInfo = FormatInfo {
    name: "bedrock-response",
    title: "response of Bedrock's Converse",
    known_by: "`output` with a `message` in it",
    usage: Usage::Log,
    histories: Histories::PerRecord,
    parts: &[Part { path: &["output", "message"], unit: Unit::Element }],
    records_responses: true,
    ..FormatInfo::of(&BEDROCK, "bedrock")
};

impl Format for BedrockResponse {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        u8::from(probe.has(name::output) && message(probe.val).is_some()) * 92
    }

    fn layout(&self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    if matches!(record.slice, Slice::Element { .. }) {
        return;
    }
    sink.mark(Mark::Start(Box::new(Settings { usage: Usage::Log, ..Settings::default() })));
    read_message(record.val, record, 0, sink);
    sink.mark(Mark::End);
}

/// The message of a response.
pub(super) fn message(response: Val<'_>) -> Option<Val<'_>> {
    response
        .at(&["output", "message"])
        .filter(|message| message.get(name::content).is_some_and(|list| list.is_array()))
}

pub(super) fn read_message(response: Val<'_>, record: &Record<'_>, part: u8, sink: &mut dyn Sink) {
    if let Some(message) = message(response) {
        read_item(&BEDROCK, message, record, part, Flags::RECORDED | Flags::ALONE, sink);
    }
}
