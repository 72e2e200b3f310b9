//! Sessions of Crush in its database: a message a row, its parts `{type, data}`. They are retold as Crush sends them: from the
//! summary on, without answers that say nothing.

use crate::format::translate::{Stored, ThreadReader, Translated};
use crate::format::unsent::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{Role, Settings, Unsent};
use crate::json::edit::Base;
use crate::json::pieces::Pieced;
use crate::json::{Val, name};

use crate::formats::member::text;
use crate::formats::provider;
use crate::formats::spoken;
use crate::formats::spoken::{Call, Dialects, Id, Media, STORE, Says, Thought, Turn};

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
    ..STORE
});

const READ_ONLY: &str = "the database of Crush is not edited; `replaylint convert --to API FILE` writes a request, which `fix` can repair";

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
    messages: Vec<(Option<Box<str>>, Turn)>,
}

impl ThreadReader for Session {
    fn take(&mut self, record: &Stored<'_>) {
        let Some(parts) = record.val.get(name::data) else {
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
        let part = Telling { base: record.base };
        let says: Vec<Says> = parts.elements().filter_map(|one| part.says(one)).collect();
        if !says.is_empty() {
            let turn = Turn { role, says, at: record.base.of(parts), record: record.number };
            self.messages.push((text(record.val, "id"), turn));
        }
    }

    fn finish(mut self: Box<Self>) -> Vec<Translated> {
        let mut unsent = Vec::new();
        let summary = self.messages.iter().position(|(id, _)| self.summary.is_some() && *id == self.summary);
        if let Some(from) = summary {
            let left = self.messages.drain(..from);
            unsent.extend(
                left.map(|(_, turn)| Unsent::at(turn.at, turn.record, "a message", "a summary has replaced it")),
            );
            if let Some((_, turn)) = self.messages.first_mut() {
                turn.role = Role::User;
            }
        }
        let (dialect, target) = provider::dialect(self.provider.as_deref().unwrap_or_default());
        let settings = Settings {
            label: self.id,
            model: self.model,
            target: Some(target),
            store: Some(false),
            read_only: Some(READ_ONLY),
            unsent,
            ..Settings::default()
        };
        let turns = self.messages.into_iter().map(|(_, turn)| turn).collect();
        vec![spoken::told(&DIALECTS, dialect, settings, turns)]
    }
}

/// How a part becomes one of a message.
struct Telling<'b> {
    base: Base<'b>,
}

impl Telling<'_> {
    /// Why a message ended, and commands that the user ran, are not sent.
    fn says(&self, part: Val<'_>) -> Option<Says> {
        let (at, data) = (self.base.of(part), part.get(name::data)?);
        match part.get(name::r#type)?.text()?.as_ref() {
            b"text" => {
                let text = filled(data, "text")?;
                Some(Says::Text { text: Pieced::of(text, self.base), id: None, at })
            }
            b"reasoning" => self.thought(part, data),
            b"tool_call" if data.get("provider_executed").and_then(|own| own.as_bool()) != Some(true) => {
                let input = filled(data, "input").map(|input| Pieced::unspelled(input, self.base));
                Some(Says::Call(Call {
                    id: Id::of(data.get(name::id), self.base)?,
                    name: Pieced::of(data.get(name::name)?, self.base),
                    input: input.unwrap_or_else(|| Pieced::fixed("{}", at)),
                    item: None,
                    at,
                }))
            }
            b"tool_result" => Some(Says::Result {
                call: Id::of(data.get(name::tool_call_id), self.base)?,
                output: Pieced::as_text(data.get(name::content)?, self.base),
                failed: data.get(name::is_error).and_then(|failed| failed.as_bool()) == Some(true),
                at,
            }),
            b"image_url" => Some(Says::Media(Media::of(filled(data, "url")?, None, None, self.base, at))),
            b"binary" => self.binary(part, data),
            _ => None,
        }
    }

    fn thought(&self, part: Val<'_>, data: Val<'_>) -> Option<Says> {
        let openai = |key: &str| data.at(&["responses_data", key]);
        let blob = openai("encrypted_content").filter(|blob| blob.as_str().is_some_and(|blob| !blob.is_empty()));
        Some(Says::Thought(Thought {
            text: Pieced::of(data.get(name::thinking).filter(|text| text.is_string())?, self.base),
            signature: filled(data, "signature").map(|own| Pieced::of(own, self.base)),
            redacted: None,
            id: Id::of(openai("item_id"), self.base),
            blob: blob.map(|blob| Pieced::of(blob, self.base)),
            at: self.base.of(part),
        }))
    }

    /// A file that the user attached, in base64.
    fn binary(&self, part: Val<'_>, data: Val<'_>) -> Option<Says> {
        let at = self.base.of(part);
        let own = |keys: [&str; 2]| keys.iter().find_map(|key| filled(data, key));
        let (mime, content) = (own(["MIMEType", "mime_type"])?, own(["Data", "data"])?);
        let kind = mime.text()?;
        let (mime, content) = (Pieced::of(mime, self.base), Pieced::of(content, self.base));
        Some(Says::Media(Media {
            is_image: kind.starts_with(b"image/"),
            url: Pieced::data_url(mime.clone(), content.clone(), at),
            mime,
            data: Some(content),
            name: own(["Path", "path"]).map(|name| Pieced::of(name, self.base)),
            at,
        }))
    }
}

/// A member that is a text, and says something.
fn filled<'v>(val: Val<'v>, key: &str) -> Option<Val<'v>> {
    val.get(key).filter(|text| text.as_str().is_some_and(|text| !text.is_empty()))
}
