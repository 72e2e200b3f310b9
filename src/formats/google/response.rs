//! A response of Gemini's `generateContent`: `{"candidates": [{"content": …}]}`. Replayed, the content of its first
//! candidate is the tail of a history. It is part of an object, so it can be changed, and not taken out.

use crate::dialects::gemini::GEMINI;
use crate::format::{Mark, Record, Sink, read_item};
use crate::history::{Flags, Settings, Usage};
use crate::json::{Val, name};
use crate::message::LossKind;
use crate::place::Place;

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
fn chunk(response: Val<'_>, record: &Record<'_>) -> Option<Place> {
    let candidates = response.get(name::candidates).filter(|list| list.count() > 0)?;
    let reason = |candidate: Val<'_>| {
        ["finishReason", "finish_reason"]
            .iter()
            .any(|key| candidate.get(key).is_some_and(|reason| !reason.is_null()))
    };
    let id = response.get("responseId").or_else(|| response.get("response_id"))?;
    (!candidates.elements().any(reason)).then(|| record.base.of(id))
}

/// The model that answered.
pub(super) fn model(response: Val<'_>) -> Option<Box<str>> {
    let model = response.get(name::modelVersion).or_else(|| response.get("model_version"))?.text()?;
    Some(String::from_utf8_lossy(&model).into())
}

/// What a response says that is replayed.
pub(super) fn settings(response: Val<'_>, record: &Record<'_>) -> Settings {
    let lost = chunk(response, record).map(|at| LossKind::CHUNK.found(at, record.number));
    let lost = lost.into_iter().collect();
    Settings { usage: Usage::Log, model: model(response), lost, ..Settings::default() }
}

/// Reads what a candidate says.
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
        sink.mark(Mark::NotConverted(LossKind::CITATION.found(record.base.of(found), record.number)));
    }
    read_item(&GEMINI, candidate, record, part, flags | Flags::RECORDED, sink);
}
