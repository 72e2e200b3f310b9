//! Sessions of Crush in its database: a message a row, its parts `{type, data}`. They are translated as Crush sends
//! them: from the summary on, without answers that say nothing.

use crate::format::translate::{Stored, ThreadReader, Translated};
use crate::format::unsent::UnsentPaths;
use crate::format::{Edited, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{Role, Settings, Unsent};
use crate::json::edit::Base;
use crate::json::{Val, name};
use crate::message::{Media, MediaKind, Message, Part, ResultPart, Text};

use crate::formats::member::text;
use crate::formats::provider;
use crate::formats::threads::{Dialects, STORE, parts, translated};

mod edit;

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
    stored_in_tables: true,
    unsent: UNSENT,
    edited: Edited::Partly,
    editor: Some(&edit::EDITOR),
    ..STORE
});

/// What of the store no request says.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &[
            "data/[type=tool_call]data/finished",
            "data/[type=tool_result]data/name",
            "data/data/responses_data/summary",
        ],
        why: "how far a call was, the name that is in it, and what the thinking says",
    },
    UnsentPaths {
        paths: &["row", "data/[type=finish]data/**"],
        why: "a row of the database, and why the model stopped",
    },
];

impl Format for Crush {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.anthropic
    }

    /// Its tables tell.
    fn detect(&self, _: &Probe<'_>) -> u8 {
        0
    }

    fn knows(&self, val: Val<'_>) -> bool {
        val.get("row").is_some()
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(Session::default()))
    }
}

/// The messages so far, each with its id.
#[derive(Default)]
struct Session {
    id: Option<Box<str>>,
    /// The message that stands for those before it.
    summary: Option<Box<str>>,
    provider: Option<Box<str>>,
    model: Option<Box<str>>,
    messages: Vec<(Option<Box<str>>, Message)>,
}

impl ThreadReader for Session {
    fn take(&mut self, record: &Stored<'_>) {
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
        // What answered last tells; before the first answer, what was asked.
        if role == Role::Assistant || self.provider.is_none() {
            self.provider = text(record.val, "provider").or(self.provider.take());
            self.model = text(record.val, "model").or(self.model.take());
        }
        let all = parts::all(stored.elements().filter_map(|own| part(own, record.base)));
        if !all.is_empty() {
            let message = parts::message(role, all, record.base.of(stored), record.number);
            self.messages.push((text(record.val, "id"), message));
        }
    }

    fn finish(mut self: Box<Self>) -> Vec<Translated> {
        let mut unsent = Vec::new();
        let summary = self.messages.iter().position(|(id, _)| self.summary.is_some() && *id == self.summary);
        if let Some(from) = summary {
            unsent.extend(self.messages.drain(..from).map(|(_, left)| {
                Unsent::at(left.at.place, left.record, "a message", "a summary has replaced it")
            }));
            if let Some((_, first)) = self.messages.first_mut() {
                first.role = Role::User;
            }
        }
        let (dialect, target) = provider::dialect(self.provider.as_deref().unwrap_or_default());
        let settings = Settings {
            label: self.id,
            model: self.model,
            target: Some(target),
            store: Some(false),
            unsent,
            ..Settings::default()
        };
        let messages = self.messages.into_iter().map(|(_, message)| message).collect();
        vec![translated(DIALECTS.row(dialect), settings, messages)]
    }
}

/// What a part says. Why a message ended, and commands that the user ran, are not sent.
fn part(part: Val<'_>, base: Base<'_>) -> Option<Part> {
    let (at, data) = (base.of(part), part.get(name::data)?);
    let own = |key: &str| parts::text(data.get(key), base);
    match part.get(name::r#type)?.text()?.as_ref() {
        b"text" => Some(Part::text(own("text")?, at.into())),
        b"reasoning" => {
            let openai = |key: &str| parts::text(data.at(&["responses_data", key]), base);
            let text = Text::copied(data.get(name::thinking)?, base)?;
            Some(parts::thought(Some(text), own("signature"), openai("item_id"), openai("encrypted_content"), at))
        }
        b"tool_call" if data.get("provider_executed").and_then(|own| own.as_bool()) != Some(true) => {
            let input = data.get(name::input).filter(|input| input.is_string() && !input.is(""));
            let name = Text::of_json(data.get(name::name)?, base);
            Some(parts::call(own("id")?, name, parts::input(input, base, at), at))
        }
        b"tool_result" => {
            let failed = data.get(name::is_error).and_then(|failed| failed.as_bool()) == Some(true);
            let mut given = vec![ResultPart::Text(Text::of_json(data.get(name::content)?, base))];
            if let (Some(mime), Some(content)) = (own("mime_type"), own("data")) {
                given.push(ResultPart::media(parts::media_of_data(mime, content, None), at.into()));
            }
            Some(parts::result(own("tool_call_id")?, given, failed, at))
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
