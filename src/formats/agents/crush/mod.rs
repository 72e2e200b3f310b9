//! Sessions of Crush in its database: one message per row, its parts `{type, data}`. They are translated as Crush sends
//! them: from the summary on, without empty answers.

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{HistorySettings, Role, UnsentItem};
use crate::json::edit::RecordBase;
use crate::json::{Val, name};
use crate::message::{Media, MediaKind, Message, Part, ResultPart, Text};

use crate::formats::member::text;
use crate::formats::provider;
use crate::formats::threads::{Dialects, STORE, parts, translate};

mod edit;
pub mod resume;

pub struct Crush;

pub static FORMAT: Crush = Crush;

static DIALECTS: Dialects = Dialects::of_agent(FormatInfo {
    name: "crush",
    title: "session of Crush (SQLite)",
    upstream: Some(Upstream {
        repository: "charmbracelet/crush",
        file: Some("internal/message/content.go"),
        version: Some("2026-08"),
    }),
    known_by: "the SQLite tables `messages` with `parts`, and `sessions` with `message_count`",
    is_in_database: true,
    unsent: UNSENT,
    edit_support: EditSupport::Partial,
    editor: Some(&edit::EDITOR),
    ..STORE
});

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &[
            "data/[type=tool_call]data/finished",
            "data/[type=tool_result]data/name",
            "data/data/responses_data/summary",
        ],
        why: "the progress of a call, and copies of its name and of the reasoning",
    },
    UnsentPaths {
        paths: &["row", "data/[type=finish]data/**"],
        why: "columns of the row, and why the model stopped",
    },
];

impl Format for Crush {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.anthropic
    }

    /// Recognised by its tables, not by a record.
    fn detect(&self, _: &Probe<'_>) -> u8 {
        0
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        val.get("row").is_some()
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(CrushReader::default()))
    }
}

/// Collects the messages of a session, each with its id.
#[derive(Default)]
struct CrushReader {
    id: Option<Box<str>>,
    /// Id of the message that replaces all before it.
    summary: Option<Box<str>>,
    provider: Option<Box<str>>,
    model: Option<Box<str>>,
    messages: Vec<(Option<Box<str>>, Message)>,
}

impl ThreadReader for CrushReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        let Some(stored) = record.val.get(name::data) else {
            self.id = text(record.val, "id");
            self.summary = text(record.val, "summary");
            return;
        };
        let role = match record.val.get(name::role).and_then(|role| role.text()).as_deref() {
            Some(b"user") => Role::User,
            Some(b"assistant") => Role::Assistant,
            Some(b"tool") => Role::Tool,
            Some(b"system") => Role::System,
            _ => return,
        };
        // The newest answer names provider and model; before the first answer, the question does.
        if role == Role::Assistant || self.provider.is_none() {
            self.provider = text(record.val, "provider").or(self.provider.take());
            self.model = text(record.val, "model").or(self.model.take());
        }
        let all = parts::collect(stored.elements().filter_map(|own| part(own, record.base)));
        if !all.is_empty() {
            let message = parts::message(role, all, record.base.of(stored), record.number);
            self.messages.push((text(record.val, "id"), message));
        }
    }

    fn finish(mut self: Box<Self>) -> Vec<TranslatedThread> {
        let mut unsent = Vec::new();
        let summary = self.messages.iter().position(|(id, _)| self.summary.is_some() && *id == self.summary);
        if let Some(from) = summary {
            unsent.extend(self.messages.drain(..from).map(|(_, message)| {
                UnsentItem::at(message.at.place, message.record, "a message", "a summary has replaced it")
            }));
            if let Some((_, first)) = self.messages.first_mut() {
                (first.role, first.is_inserted) = (Role::User, true);
            }
        }
        let (dialect, target) = provider::dialect_of(self.provider.as_deref().unwrap_or_default());
        let settings = HistorySettings {
            label: self.id,
            model: self.model,
            target: Some(target),
            store: Some(false),
            unsent,
            ..HistorySettings::default()
        };
        let messages = self.messages.into_iter().map(|(_, message)| message).collect();
        vec![translate(DIALECTS.row(dialect), settings, messages)]
    }
}

/// A part of a message; `None` for parts that are not sent, such as finish reasons and commands run by the user.
fn part(part: Val<'_>, base: RecordBase<'_>) -> Option<Part> {
    let (at, data) = (base.of(part), part.get(name::data)?);
    let own = |key: &str| parts::text(data.get(key), base);
    match part.get(name::r#type)?.text()?.as_ref() {
        b"text" => Some(Part::text(own("text")?, at.into())),
        b"reasoning" => {
            let openai = |key: &str| parts::text(data.at(&["responses_data", key]), base);
            let text = Text::copied(data.get(name::thinking)?, base)?;
            Some(parts::sealed_reasoning(
                Some(text),
                own("signature"),
                openai("item_id"),
                openai("encrypted_content"),
                at,
            ))
        }
        b"tool_call" if data.get("provider_executed").and_then(|own| own.as_bool()) != Some(true) => {
            let input = data.get(name::input).filter(|input| input.is_string() && !input.is(""));
            let name = Text::of_json(data.get(name::name)?, base);
            Some(parts::call(own("id")?, name, parts::input(input, base, at), at))
        }
        b"tool_result" => {
            let failed = data.get(name::is_error).and_then(|failed| failed.as_bool()) == Some(true);
            let mut output = vec![ResultPart::Text(Text::of_json(data.get(name::content)?, base))];
            if let (Some(mime), Some(content)) = (own("mime_type"), own("data")) {
                output.push(ResultPart::media(parts::media_of_data(mime, content, None), at.into()));
            }
            Some(parts::result(own("tool_call_id")?, output, failed, at))
        }
        b"image_url" => {
            let image = Media { kind: MediaKind::Image, ..parts::media(own("url")?, None, None) };
            Some(Part::new(image.into(), at.into()))
        }
        // A file that the user attached, in base64.
        b"binary" => {
            let either = |one: &str, other: &str| own(one).or_else(|| own(other));
            let (mime, content) = (either("MIMEType", "mime_type")?, either("Data", "data")?);
            let file = parts::media_of_data(mime, content, either("Path", "path"));
            Some(Part::new(file.into(), at.into()))
        }
        _ => None,
    }
}
