//! Prompts of Google AI Studio as Drive keeps them: `chunkedPrompt` with `chunks`. Each chunk is a content of the Gemini API,
//! or a part of one.

use crate::dialects::gemini::GEMINI;
use crate::format::translate::{Stored, Translated, by_record};
use crate::format::unsent::UnsentPaths;
use crate::format::{Edited, Format, FormatInfo, Histories, Layout, Part, Probe, Unit};
use crate::formats::spoken;
use crate::history::{Settings, Unsent, Usage};
use crate::json::edit::Base;
use crate::json::pieces::Pieced;
use crate::json::{Val, name};

use crate::formats::member::{text, text_at};
use crate::formats::threads;

pub struct AiStudio;

pub static FORMAT: AiStudio = AiStudio;

static INFO: FormatInfo = FormatInfo {
    name: "ai-studio",
    title: "Google AI Studio prompt",
    known_by: "`chunkedPrompt` with `chunks` that have a `role`",
    usage: Usage::Log,
    histories: Histories::PerDoc,
    parts: &[Part { path: &[], unit: Unit::Record }],
    unsent: UNSENT,
    edited: Edited::Never,
    ..FormatInfo::of(&GEMINI, "gemini")
};

const READ_ONLY: &str = "prompts of AI Studio are not edited; `replaylint convert --to API FILE` writes a request";

/// Members of a chunk that name something which is kept elsewhere.
const ELSEWHERE: [&str; 6] =
    ["driveDocument", "driveImage", "driveVideo", "driveAudio", "youtubeVideo", "inlineAudio"];

/// Members of a chunk that are parts of the Gemini API by themselves.
const PARTS: [&str; 4] = ["executableCode", "codeExecutionResult", "functionCall", "functionResponse"];

/// What of the store no request says.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["displayName", "title", "chunkedPrompt/chunks/safetyRatings/**", "chunkedPrompt/chunks/isEdited"],
        why: "only shown",
    },
    UnsentPaths {
        paths: &["chunkedPrompt/chunks/isThought", "chunkedPrompt/chunks/text"],
        why: "the parts of the chunk say it",
    },
];

impl Format for AiStudio {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let chunks = probe.val.at(&["chunkedPrompt", "chunks"]).filter(Val::is_array);
        let has_role = |chunk: Val<'_>| chunk.get(name::role).is_some_and(|role| role.is_string());
        match chunks {
            Some(chunks) if chunks.elements().take(threads::SAMPLE).all(has_role) => 95,
            _ => 0,
        }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(tell))
    }
}

fn tell(record: &Stored<'_>, out: &mut Vec<Translated>) {
    let mut settings = Settings {
        label: text(record.val, "id"),
        model: text_at(record.val, &["runSettings", "model"]).map(|model| match model.strip_prefix("models/") {
            Some(name) => name.into(),
            None => model,
        }),
        read_only: Some(READ_ONLY),
        ..Settings::default()
    };
    let instructions = record.val.get(name::systemInstruction).filter(|own| own.is_object() && own.count() > 0);
    let mut says = Vec::new();
    let chunks = record.val.at(&["chunkedPrompt", "chunks"]).into_iter().flat_map(|chunks| chunks.elements());
    for (n, chunk) in chunks.enumerate() {
        for (key, own) in ELSEWHERE.iter().filter_map(|key| Some((key, chunk.get(key)?))) {
            let (name, at) = (format!("{key} of chunk {n}"), record.base.of(own));
            settings.unsent.push(Unsent::lost(at, record.number, name, "its content is not in the prompt"));
        }
        says.extend(content(chunk, record).map(|content| spoken::verbatim(&INFO, &content, record.number)));
    }
    let request = instructions
        .map(|own| Pieced::object(record.base.of(own)).with("systemInstruction", instruction(own, record.base)));
    let request = request.map(|own| spoken::raw(&own));
    out.push(Translated { request, ..Translated::history(&INFO, settings, says) });
}

/// Instructions as a content. Older prompts have only the text.
fn instruction(own: Val<'_>, base: Base<'_>) -> Pieced {
    match own.get(name::text).filter(|text| text.is_string() && own.get(name::parts).is_none()) {
        Some(text) => {
            let at = base.of(own);
            let part = Pieced::object(at).with("text", Pieced::of(text, base));
            Pieced::object(at).with("parts", Pieced::list_of(vec![part], at))
        }
        None => Pieced::of(own, base),
    }
}

/// A chunk as a content. One that says nothing is none.
fn content(chunk: Val<'_>, record: &Stored<'_>) -> Option<Pieced> {
    let (at, base) = (record.base.of(chunk), record.base);
    let mut parts: Vec<Pieced> = Vec::new();
    let is_thought = chunk.get("isThought").and_then(|own| own.as_bool()) == Some(true);
    let own_parts = chunk.get(name::parts).into_iter().flat_map(|parts| parts.elements());
    parts.extend(own_parts.filter(|part| part.is_object() && part.count() > 0).map(|part| Pieced::of(part, base)));
    let says = |text: &Val<'_>| text.as_str().is_some_and(|text| !text.is_empty());
    // Newer prompts have the text in parts as well, cut up as it was streamed.
    if let Some(text) = chunk.get(name::text).filter(|text| parts.is_empty() && says(text)) {
        let part = Pieced::object(at).with("text", Pieced::of(text, base));
        parts.push(if is_thought { part.with("thought", Pieced::fixed("true", at)) } else { part });
    }
    for file in ["inlineFile", "inlineData", "inlineImage"].iter().filter_map(|key| chunk.get(key)) {
        parts.push(Pieced::object(base.of(file)).with_copy("inlineData", Some(file), base));
    }
    for (key, own) in PARTS.iter().filter_map(|key| Some((*key, chunk.get(key)?))) {
        parts.push(Pieced::object(base.of(own)).with_copy(key, Some(own), base));
    }
    let content = Pieced::object(at).with_copy("role", chunk.get(name::role), base);
    (!parts.is_empty()).then(|| content.with("parts", Pieced::list_of(parts, at)))
}
