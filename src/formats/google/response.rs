//! A response of Gemini's `generateContent`: `{"candidates": [{"content": …}]}`. Replayed, the content of its first
//! candidate is the end of a history. It is part of an object, so it can be changed, but not removed.

use crate::dialects::gemini::GEMINI;
use crate::format::{Mark, Record, Sink, read_item};
use crate::history::{Flags, HistorySettings, Usage};
use crate::json::{Val, name};
use crate::message::LossKind;

/// True if a value is a response.
pub(super) fn is_response(val: Val<'_>) -> bool {
    let keys = ["content", "finishReason", "finish_reason"];
    let is_candidate = |candidate: Val<'_>| keys.iter().any(|key| candidate.get(key).is_some());
    match val.get(name::candidates) {
        Some(candidates) => candidates.elements().next().is_some_and(is_candidate),
        // The prompt was blocked, so there is no candidate.
        None => val.get("promptFeedback").is_some() && val.get(name::modelVersion).is_some(),
    }
}

/// The model of a response.
pub(super) fn model(response: Val<'_>) -> Option<Box<str>> {
    let model = response.get(name::modelVersion).or_else(|| response.get("model_version"))?.text()?;
    Some(String::from_utf8_lossy(&model).into())
}

/// The settings of a response that is replayed.
pub(super) fn settings(response: Val<'_>, _: &Record<'_>) -> HistorySettings {
    HistorySettings { usage: Usage::Log, model: model(response), ..HistorySettings::default() }
}

/// Reads the content of a candidate.
pub(super) fn read_candidate(
    candidate: Val<'_>,
    record: &Record<'_>,
    part: u8,
    flags: Flags,
    sink: &mut dyn Sink,
) {
    if let Some(found) = candidate.get("groundingMetadata").or_else(|| candidate.get("grounding_metadata"))
        && found.count() > 0
    {
        sink.mark(Mark::not_converted(LossKind::CITATION, record.base.of(found), record.number));
    }
    read_item(&GEMINI, candidate, record, part, flags | Flags::RECORDED, sink);
}
