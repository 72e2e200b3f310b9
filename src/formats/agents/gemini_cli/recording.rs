//! Recordings of the Gemini CLI's tests: `{method, response}` lines, each a response of the model, complete or in chunks.

use crate::dialects::gemini::GEMINI;
use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{
    EditSupport, Format, FormatInfo, HistoryScope, Layout, Probe, RecordPart, RemovalUnit, Upstream,
};
use crate::formats::threads::parts;
use crate::history::{HistorySettings, Role, Usage};
use crate::json::{Val, name};
use crate::message::{Part as MessagePart, RawJson};

pub struct GeminiRecording;

pub static FORMAT: GeminiRecording = GeminiRecording;

static INFO: FormatInfo = FormatInfo {
    name: "gemini-recording",
    title: "recorded responses of the Gemini CLI's tests",
    upstream: Some(Upstream { repository: "google-gemini/gemini-cli", file: None, version: None }),
    known_by: "lines with `method` generateContent or generateContentStream and a `response`",
    usage: Usage::Log,
    histories: HistoryScope::PerDoc,
    parts: &[RecordPart { path: &[], unit: RemovalUnit::Record }],
    records_responses: true,
    unsent: UNSENT,
    edit_support: EditSupport::Unsupported,
    ..FormatInfo::of(&GEMINI, "gemini")
};

const READ_ONLY: &str = "recorded responses are not edited";

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[UnsentPaths { paths: &["method"], why: "the method that was called" }];

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

/// Reads a record, which is one response.
fn read(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    let Some(response) = record.val.get(name::response) else { return };
    let chunks = if response.is_array() { None } else { Some(response) };
    let chunks = chunks.into_iter().chain(response.elements());
    let part = |val: Val<'_>| parts::block("gemini", RawJson::copied(val, record.base), record.base.of(val));
    let of_chunk = |chunk: Val<'_>| {
        let parts = chunk.get(name::candidates)?.elements().next()?.at(&["content", "parts"])?;
        Some(parts.elements().map(part).collect::<Vec<MessagePart>>())
    };
    let all: Vec<MessagePart> = chunks.filter_map(of_chunk).flatten().collect();
    if all.is_empty() {
        return;
    }
    let message = parts::message(Role::Assistant, all, record.base.of(response), record.number);
    let settings = HistorySettings { read_only: Some(READ_ONLY), ..HistorySettings::default() };
    out.push(TranslatedThread::from_messages(&INFO, settings, vec![message]));
}
