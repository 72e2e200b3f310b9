//! Answers of `/api/chat`: an object, or the lines of a stream. The last line of an answer has `done`; the texts of all its lines
//! are one message.

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe};
use crate::history::{HistorySettings, Usage};
use crate::json::{Val, name};
use crate::message::{Message, Part, PartKind, Text, Thread};

use super::message;
use crate::formats::member::text;
use crate::formats::threads;

pub struct OllamaResponse;

pub static FORMAT: OllamaResponse = OllamaResponse;

static INFO: FormatInfo = FormatInfo {
    name: "ollama-response",
    title: "response of Ollama's own API, or the lines of its stream",
    known_by: "`model`, `created_at`, `done`, and a `message` with a role",
    usage: Usage::Log,
    edit_support: EditSupport::Unsupported,
    ..super::BASE
};

const READ_ONLY: &str = "answers are not edited; `replaylint convert --to API FILE` writes them as a request";

impl Format for OllamaResponse {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let is_done = probe.get(name::done).is_some_and(|done| done.as_bool().is_some());
        let has_role = || {
            let role = probe.get(name::message).and_then(|message| message.get(name::role));
            role.is_some_and(|role| role.is_string())
        };
        if is_done && probe.has(name::model) && probe.has(name::created_at) && has_role() { 96 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(AnswerReader::default()))
    }
}

/// The answers so far, and the one whose lines are being read.
#[derive(Default)]
struct AnswerReader {
    translated: Vec<TranslatedThread>,
    open: Thread,
    model: Option<Box<str>>,
}

impl ThreadReader for AnswerReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        let Some(message) = record.val.get(name::message).filter(Val::is_object) else { return };
        message::push(&mut self.open, message, record);
        self.model = text(record.val, "model").or(self.model.take());
        if record.val.get(name::done).is_some_and(|done| done.as_bool() == Some(true)) {
            self.end_answer();
        }
    }

    fn finish(mut self: Box<Self>) -> Vec<TranslatedThread> {
        self.end_answer();
        self.translated
    }
}

impl AnswerReader {
    fn end_answer(&mut self) {
        let Some(answer) = join(std::mem::take(&mut self.open).messages) else { return };
        let settings =
            HistorySettings { model: self.model.take(), read_only: Some(READ_ONLY), ..HistorySettings::default() };
        self.translated.push(threads::translate(&INFO, settings, vec![answer]));
    }
}

/// The messages of the lines as one: its reasoning, its text, and all other parts in order.
fn join(lines: Vec<Message>) -> Option<Message> {
    let (mut thoughts, mut texts, mut others): (Vec<Part>, Vec<Part>, Vec<Part>) = Default::default();
    let mut answer: Option<Message> = None;
    for mut line in lines {
        for part in std::mem::take(&mut line.parts) {
            match &part.kind {
                PartKind::Reasoning(_) => thoughts.push(part),
                PartKind::Text { .. } => texts.push(part),
                _ => others.push(part),
            }
        }
        answer.get_or_insert(line);
    }
    let mut answer = answer?;
    answer.parts.extend(join_reasoning(thoughts));
    answer.parts.extend(join_texts(texts));
    answer.parts.extend(others);
    Some(answer)
}

fn join_reasoning(parts: Vec<Part>) -> Option<Part> {
    let texts: Vec<Text> = parts
        .iter()
        .flat_map(|part| match &part.kind {
            PartKind::Reasoning(reasoning) => reasoning.texts.clone(),
            _ => Vec::new(),
        })
        .collect();
    let mut first = parts.into_iter().next()?;
    if let PartKind::Reasoning(reasoning) = &mut first.kind {
        reasoning.texts = vec![Text::join(&texts, "")];
    }
    Some(first)
}

fn join_texts(parts: Vec<Part>) -> Option<Part> {
    let texts: Vec<Text> = parts
        .iter()
        .filter_map(|part| match &part.kind {
            PartKind::Text { text, .. } => Some(text.clone()),
            _ => None,
        })
        .collect();
    let first = parts.into_iter().next()?;
    Some(Part::text(Text::join(&texts, ""), first.at))
}
