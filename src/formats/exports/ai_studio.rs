//! Prompts of Google AI Studio as Drive stores them: `chunkedPrompt` with `chunks`. Each chunk is a content of the Gemini
//! API, or a part of one.

use crate::dialects::gemini::GEMINI;
use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, HistoryScope, Layout, Probe, RecordPart, RemovalUnit};
use crate::history::{HistorySettings, Role, UnsentItem, Usage};
use crate::json::{Val, name};
use crate::message::{Message, RawJson};

use crate::formats::member::{text, text_at};
use crate::formats::threads;

pub struct AiStudio;

pub static FORMAT: AiStudio = AiStudio;

static INFO: FormatInfo = FormatInfo {
    name: "ai-studio",
    title: "Google AI Studio prompt",
    known_by: "`chunkedPrompt` with `chunks` that have a `role`",
    usage: Usage::Log,
    histories: HistoryScope::PerDoc,
    parts: &[RecordPart { path: &[], unit: RemovalUnit::Record }],
    unsent: UNSENT,
    edit_support: EditSupport::Unsupported,
    ..FormatInfo::of(&GEMINI, "gemini")
};

const READ_ONLY: &str = "prompts of AI Studio are not edited; `replaylint convert --to API FILE` writes a request";

/// Members of a chunk that refer to external content.
const EXTERNAL: [&str; 6] =
    ["driveDocument", "driveImage", "driveVideo", "driveAudio", "youtubeVideo", "inlineAudio"];

/// Members of a chunk that are parts of the Gemini API by themselves.
const PARTS: [&str; 4] = ["executableCode", "codeExecutionResult", "functionCall", "functionResponse"];

/// Values that are not part of requests.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["displayName", "title", "chunkedPrompt/chunks/safetyRatings/**", "chunkedPrompt/chunks/isEdited"],
        why: "only displayed",
    },
    UnsentPaths {
        paths: &["chunkedPrompt/chunks/isThought", "chunkedPrompt/chunks/text"],
        why: "the parts of the chunk state it",
    },
];

impl Format for AiStudio {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let chunks = probe.get(name::chunkedPrompt).and_then(|prompt| prompt.get("chunks")).filter(Val::is_array);
        let has_role = |chunk: Val<'_>| chunk.get(name::role).is_some_and(|role| role.is_string());
        match chunks {
            Some(chunks) if chunks.elements().take(threads::SAMPLE).all(has_role) => 95,
            _ => 0,
        }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read_record))
    }
}

fn read_record(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    let mut settings = HistorySettings {
        label: text(record.val, "id"),
        model: text_at(record.val, &["runSettings", "model"]).map(|model| match model.strip_prefix("models/") {
            Some(name) => name.into(),
            None => model,
        }),
        read_only: Some(READ_ONLY),
        ..HistorySettings::default()
    };
    let mut contents = Vec::new();
    let chunks = record.val.at(&["chunkedPrompt", "chunks"]).into_iter().flat_map(|chunks| chunks.elements());
    for (n, chunk) in chunks.enumerate() {
        for (key, own) in EXTERNAL.iter().filter_map(|key| Some((key, chunk.get(key)?))) {
            let (name, at) = (format!("{key} of chunk {n}"), record.base.of(own));
            settings.unsent.push(UnsentItem::lost(at, record.number, name, "its content is not in the prompt"));
        }
        contents.extend(content(chunk, record));
    }
    let instructions = record.val.get(name::systemInstruction).filter(|own| own.is_object() && own.count() > 0);
    let request = instructions.map(|own| instruction(own, record));
    out.push(TranslatedThread { request, ..TranslatedThread::from_messages(&INFO, settings, contents) });
}

/// The body of a request with only its instructions. Older prompts have only their text.
fn instruction(own: Val<'_>, record: &ParsedRecord<'_>) -> RawJson {
    let text = own.get(name::text).filter(|text| text.is_string() && own.get(name::parts).is_none());
    RawJson::build(record.base.of(own), |w| {
        w.object(|w| match text {
            Some(text) => w.key("systemInstruction").object(|w| {
                w.key("parts").array(|w| w.object(|w| w.key("text").copy(text, record.base)));
            }),
            None => w.key("systemInstruction").copy(own, record.base),
        });
    })
}

/// A chunk as a content; `None` if it is empty.
fn content(chunk: Val<'_>, record: &ParsedRecord<'_>) -> Option<Message> {
    let (at, base) = (record.base.of(chunk), record.base);
    let is_thought = chunk.get("isThought").and_then(|own| own.as_bool()) == Some(true);
    let own_parts = chunk.get(name::parts).into_iter().flat_map(|parts| parts.elements());
    let own_parts = own_parts.filter(|part| part.is_object() && part.count() > 0);
    let mut parts: Vec<RawJson> = own_parts.map(|part| RawJson::copied(part, base)).collect();
    let is_set = |text: &Val<'_>| text.as_str().is_some_and(|text| !text.is_empty());
    // Newer prompts also have the text in parts, split as it was streamed.
    if let Some(text) = chunk.get(name::text).filter(|text| parts.is_empty() && is_set(text)) {
        parts.push(RawJson::build(at, |w| {
            w.object(|w| {
                w.key("text").copy(text, base);
                if is_thought {
                    w.key("thought").bool(true);
                }
            });
        }));
    }
    let files = ["inlineFile", "inlineData", "inlineImage"].iter().map(|key| ("inlineData", chunk.get(key)));
    for (key, own) in files.chain(PARTS.iter().map(|key| (*key, chunk.get(key)))) {
        let part = |own: Val<'_>| RawJson::build(base.of(own), |w| w.object(|w| w.key(key).copy(own, base)));
        parts.extend(own.map(part));
    }
    let role = chunk.get(name::role);
    let raw = RawJson::build(at, |w| {
        w.object(|w| {
            role.iter().for_each(|role| w.key("role").copy(*role, base));
            w.key("parts").array(|w| parts.iter().for_each(|part| w.raw(part)));
        });
    });
    let role = if role.is_some_and(|role| role.is("model")) { Role::Assistant } else { Role::User };
    (!parts.is_empty()).then(|| Message::verbatim("gemini", role, raw, at, record.number))
}
