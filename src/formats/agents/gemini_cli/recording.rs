//! Recordings of the Gemini CLI's tests: `{method, response}` lines. Each is a response of the model, whole or in chunks.

use crate::dialects::gemini::GEMINI;
use crate::format::translate::{Stored, Translated, by_record};
use crate::format::unsent::UnsentPaths;
use crate::format::{Edited, Format, FormatInfo, Histories, Layout, Part, Probe, Unit, Upstream};
use crate::formats::threads::parts;
use crate::history::{Role, Settings, Usage};
use crate::json::{Val, name};
use crate::message::{Part as MessagePart, Raw};

pub struct GeminiRecording;

pub static FORMAT: GeminiRecording = GeminiRecording;

static INFO: FormatInfo = FormatInfo {
    name: "gemini-recording",
    title: "recorded responses of the Gemini CLI's tests",
    upstream: Some(Upstream { repository: "google-gemini/gemini-cli", file: None, version: None }),
    known_by: "lines with `method` generateContent or generateContentStream and a `response`",
    usage: Usage::Log,
    histories: Histories::PerDoc,
    parts: &[Part { path: &[], unit: Unit::Record }],
    records_responses: true,
    unsent: UNSENT,
    edited: Edited::Never,
    ..FormatInfo::of(&GEMINI, "gemini")
};

const READ_ONLY: &str = "what was recorded is not edited";

/// What of the store no request says.
const UNSENT: &[UnsentPaths] = &[UnsentPaths { paths: &["method"], why: "which method was called" }];

impl Format for GeminiRecording {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let Some(method) = probe.text(name::method).filter(|_| probe.has(name::response) && probe.count == 2)
        else {
            return 0;
        };
        match method.as_ref() {
            b"generateContent" | b"generateContentStream" => 95,
            b"countTokens" | b"embedContent" => 60,
            _ => 0,
        }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read))
    }
}

/// Each record is a response by itself.
fn read(record: &Stored<'_>, out: &mut Vec<Translated>) {
    let Some(response) = record.val.get(name::response) else { return };
    let chunks = if response.is_array() { None } else { Some(response) };
    let chunks = chunks.into_iter().chain(response.elements());
    let part = |val: Val<'_>| parts::block("gemini", Raw::copied(val, record.base), record.base.of(val));
    let of_chunk = |chunk: Val<'_>| {
        let parts = chunk.get(name::candidates)?.elements().next()?.at(&["content", "parts"])?;
        Some(parts.elements().map(part).collect::<Vec<MessagePart>>())
    };
    let all: Vec<MessagePart> = chunks.filter_map(of_chunk).flatten().collect();
    if all.is_empty() {
        return;
    }
    let message = parts::message(Role::Assistant, all, record.base.of(response), record.number);
    let settings = Settings { read_only: Some(READ_ONLY), ..Settings::default() };
    out.push(Translated::history(&INFO, settings, vec![message]));
}
