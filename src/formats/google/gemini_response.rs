//! A response of Gemini's `generateContent`: `{"candidates": [{"content": …}]}`. Replayed, the content of its first
//! candidate is the tail of a history. It is part of an object, so it can be changed, and not taken out.

use crate::dialects::gemini::GEMINI;
use crate::format::{
    Format, FormatInfo, Histories, Layout, Mark, Part, Probe, Record, Sink, Unit, name_answer, read_item,
    read_slice,
};
use crate::history::{Flags, Settings, Usage};
use crate::json::{Val, name};
use crate::message::LossKind;
use crate::place::Place;

pub struct GeminiResponse;

pub static FORMAT: GeminiResponse = GeminiResponse;

static INFO: FormatInfo = FormatInfo {
    name: "gemini-response",
    title: "response of the Gemini API",
    known_by: "`candidates`, a list of objects with `content` or `finishReason`; or `promptFeedback` with `modelVersion`",
    usage: Usage::Log,
    histories: Histories::PerRecord,
    parts: &[Part { path: &["candidates"], unit: Unit::Element }],
    records_responses: true,
    ..FormatInfo::of(&GEMINI, "gemini")
};

impl Format for GeminiResponse {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        u8::from(is_response(probe.val)) * 90
    }

    fn layout(&self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    if read_slice(&INFO, record, Flags::RECORDED, sink) {
        return;
    }
    let lost = chunk(record).map(|at| LossKind::CHUNK.found(at, record.number));
    sink.mark(Mark::Start(Box::new(Settings {
        usage: Usage::Log,
        model: model(record.val),
        lost: lost.into_iter().collect(),
        ..Settings::default()
    })));
    read_candidates(record.val, record, 0, sink);
    sink.mark(Mark::End);
}

pub(super) fn is_response(val: Val<'_>) -> bool {
    let told = ["content", "finishReason", "finish_reason"];
    let is_candidate = |candidate: Val<'_>| told.iter().any(|key| candidate.get(key).is_some());
    match val.get(name::candidates) {
        Some(candidates) => candidates.elements().next().is_some_and(is_candidate),
        // The prompt was blocked, and nothing was said.
        None => val.get("promptFeedback").is_some() && val.get(name::modelVersion).is_some(),
    }
}

/// Where a response says that it is a chunk of one: none of its candidates is finished. Of the last chunk nobody can tell.
fn chunk(record: &Record<'_>) -> Option<Place> {
    let candidates = record.val.get(name::candidates).filter(|list| list.count() > 0)?;
    let reason = |candidate: Val<'_>| {
        ["finishReason", "finish_reason"]
            .iter()
            .any(|key| candidate.get(key).is_some_and(|reason| !reason.is_null()))
    };
    let id = record.val.get("responseId").or_else(|| record.val.get("response_id"))?;
    (!candidates.elements().any(reason)).then(|| record.base.of(id))
}

/// The model that answered.
pub(super) fn model(response: Val<'_>) -> Option<Box<str>> {
    let model = response.get(name::modelVersion).or_else(|| response.get("model_version"))?.text()?;
    Some(String::from_utf8_lossy(&model).into())
}

/// Reads what a response says.
pub(super) fn read_candidates(response: Val<'_>, record: &Record<'_>, part: u8, sink: &mut dyn Sink) {
    let candidates = response.get(name::candidates).into_iter().flat_map(|candidates| candidates.elements());
    let all = response.get(name::candidates).map_or(0, |list| list.count() as usize);
    for (n, candidate) in candidates.enumerate() {
        if n > 0 {
            // The first goes on from the request; each other one is a history by itself.
            sink.mark(Mark::End);
            let settings = Settings { usage: Usage::Log, model: model(response), ..Settings::default() };
            sink.mark(Mark::Start(Box::new(settings)));
        }
        name_answer("candidate", n, all, sink);
        read_item(&GEMINI, candidate, record, part, Flags::RECORDED, sink);
    }
}
