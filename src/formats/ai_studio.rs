//! Prompts of Google AI Studio as Drive keeps them: `chunkedPrompt` with `chunks`. Each chunk is a content of the Gemini API,
//! or a part of one.

use crate::dialects::gemini::GEMINI;
use crate::format::retelling::{Say, Stored, Teller, Told, by_record};
use crate::format::{Format, FormatInfo, Histories, Part, Probe, Unit};
use crate::history::{Settings, Usage};
use crate::json::pieces::Pieced;
use crate::json::{Val, name};

use super::member::{text, text_at};
use super::transcript;

pub struct AiStudio;

pub static FORMAT: AiStudio = AiStudio;

static INFO: FormatInfo = FormatInfo {
    name: "ai-studio",
    title: "Google AI Studio prompt",
    known_by: "`chunkedPrompt` with `chunks` that have a `role`",
    dialect: &GEMINI,
    target: "gemini",
    usage: Usage::Log,
    histories: Histories::PerDoc,
    parts: &[Part { path: &[], unit: Unit::Record }],
    records_responses: false,
};

const READ_ONLY: &str = "prompts of AI Studio are not edited; `replaylint convert --to API FILE` writes a request";

/// Members of a chunk that name something which is kept elsewhere.
const ELSEWHERE: [&str; 6] =
    ["driveDocument", "driveImage", "driveVideo", "driveAudio", "youtubeVideo", "inlineAudio"];

/// Members of a chunk that are parts of the Gemini API by themselves.
const PARTS: [&str; 4] = ["executableCode", "codeExecutionResult", "functionCall", "functionResponse"];

impl Format for AiStudio {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let chunks = probe.val.at(&["chunkedPrompt", "chunks"]).filter(Val::is_array);
        let has_role = |chunk: Val<'_>| chunk.get(name::role).is_some_and(|role| role.is_string());
        match chunks {
            Some(chunks) if chunks.elements().take(transcript::SAMPLE).all(has_role) => 95,
            _ => 0,
        }
    }

    fn teller(&self) -> Option<fn() -> Box<dyn Teller>> {
        Some(|| by_record(tell))
    }
}

fn tell(record: &Stored<'_>, out: &mut Vec<Told>) {
    let mut settings = Settings {
        label: text(record.val, "id"),
        model: text_at(record.val, &["runSettings", "model"]).map(|model| match model.strip_prefix("models/") {
            Some(name) => name.into(),
            None => model,
        }),
        read_only: Some(READ_ONLY),
        ..Settings::default()
    };
    if record.val.get(name::systemInstruction).is_some_and(|own| own.is_object() && own.count() > 0) {
        settings.unsent.push(("systemInstruction".into(), "instructions are beside the messages of a request"));
    }
    let mut says = Vec::new();
    let chunks = record.val.at(&["chunkedPrompt", "chunks"]).into_iter().flat_map(|chunks| chunks.elements());
    for (n, chunk) in chunks.enumerate() {
        for key in ELSEWHERE.iter().filter(|key| chunk.get(key).is_some()) {
            let name = format!("{key} of chunk {n}");
            settings.unsent.push((name.into(), "its content is not in the prompt"));
        }
        says.extend(content(chunk, record).map(|content| Say::Message(content, record.number)));
    }
    settings.left_out = u32::try_from(settings.unsent.len()).unwrap_or(u32::MAX);
    out.push(Told::history(&INFO, settings, says));
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
