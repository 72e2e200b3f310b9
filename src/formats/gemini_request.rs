//! The body of a request to Gemini's `generateContent`, as a document or one a line; or the bare list of its messages.

use crate::dialect::{Body, Shape};
use crate::dialects::gemini::GEMINI;
use crate::format::{Format, FormatInfo, Histories, Part, Probe, Record, Sink, Unit, request_body};
use crate::history::Usage;
use crate::json::Val;

pub struct GeminiRequest;

pub static FORMAT: GeminiRequest = GeminiRequest;

static INFO: FormatInfo = FormatInfo {
    name: "gemini-request",
    title: "body of a Gemini request",
    told_by: "`contents` with `parts`, or a list of contents",
    dialect: &GEMINI,
    target: "gemini",
    usage: Usage::Request,
    histories: Histories::PerRecord,
    parts: &[Part { path: &["contents"], unit: Unit::Element }, Part { path: &[], unit: Unit::Element }],
    records_responses: false,
};

impl Format for GeminiRequest {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let list = probe.val.get("contents").or_else(|| probe.val.is_array().then_some(probe.val));
        match list {
            // One content may stand for the list.
            Some(only) if only.get("parts").is_some() => 90,
            Some(list) => list_score(list),
            None => 0,
        }
    }

    fn read(&self, _: &Record<'_>, _: &mut dyn Sink) {}

    fn bodies(&self, record: &Record<'_>, _: Option<bool>, each: &mut dyn FnMut(Body<'_>)) {
        match record.val.is_array() {
            true => each(Body { val: record.val, base: record.base, embedded: false, shape: Shape::List }),
            false => request_body(record.val, record, each),
        }
    }
}

/// How surely a list is one of contents: every element has parts, and speaks for the user or the model.
fn list_score(list: Val<'_>) -> u8 {
    let own = |content: Val<'_>| {
        let role = content.get("role").is_none_or(|role| ["user", "model", "function"].iter().any(|name| role.is(name)));
        let parts = content.get("parts").is_some_and(|parts| parts.is_object() || parts.elements().all(is_part));
        // UI messages have parts, too, and an id.
        role && parts && content.get("id").is_none()
    };
    if list.count() > 0 && list.elements().all(own) { 88 } else { 0 }
}

/// Parts of UI messages have types.
fn is_part(part: Val<'_>) -> bool {
    part.is_object() && part.get("type").is_none()
}
