//! Sessions of goose: rows of its database, or the lines of older versions, which begin with what is known of the session. What
//! is not for the model is left out.

use crate::format::translate::{Stored, ThreadReader, Translated};
use crate::format::unsent::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{Role, Settings, Unsent};
use crate::json::edit::Base;
use crate::json::pieces::Pieced;
use crate::json::{Val, name};

use crate::formats::member::text;
use crate::formats::spoken;
use crate::formats::spoken::{Call, DialectChoice, Dialects, Id, Media, STORE, Says, Thought, Turn};

pub struct GooseSession;

pub static FORMAT: GooseSession = GooseSession;

static DIALECTS: Dialects = Dialects::of_agent(FormatInfo {
    name: "goose-session",
    title: "session of goose (SQLite, or lines)",
    upstream: Some(Upstream {
        repository: "block/goose",
        file: Some("crates/goose/src/conversation"),
        version: Some("08dc4786"),
    }),
    known_by: "the SQLite tables `messages` with `content_json`, and `sessions`; first line with `working_dir` and `message_count`",
    appended: true,
    unsent: UNSENT,
    ..STORE
});

const READ_ONLY: &str = "sessions of goose are not edited; `replaylint convert --to API FILE` writes a request, which `fix` can repair";

/// Types of content that only goose has.
const OWN: [&str; 6] = [
    "toolRequest",
    "toolResponse",
    "toolConfirmationRequest",
    "frontendToolRequest",
    "redactedThinking",
    "systemNotification",
];

/// What of the store no request says.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["row", "description", "working_dir", "name"],
        why: "the name of the session and where it ran",
    },
    UnsentPaths {
        paths: &[
            "**/toolCall/status=success",
            "**/toolResult/status",
            "metadata/agentVisible",
            "metadata/userVisible",
        ],
        why: "whether a call succeeded is in its result",
    },
];

impl Format for GooseSession {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.anthropic
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let val = probe.val;
        if val.get("working_dir").is_some() && val.get(name::message_count).is_some() {
            return 100;
        }
        let Some(content) = val.get(name::content).filter(|content| content.is_array()) else { return 0 };
        if val.get(name::role).is_none() || val.get(name::created).and_then(|time| time.as_u64()).is_none() {
            return 0;
        }
        let is_own = |item: Val<'_>| item.get(name::r#type).is_some_and(|kind| OWN.iter().any(|own| kind.is(own)));
        let typed = content.elements().all(|item| item.get(name::r#type).is_some_and(|kind| kind.is_string()));
        match (content.elements().any(is_own), typed) {
            (true, _) => 90,
            (false, true) => 15,
            (false, false) => 0,
        }
    }

    fn knows(&self, val: Val<'_>) -> bool {
        val.get("row").is_some() || self.detect(&Probe::new(val)) > 0
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(Session::default()))
    }
}

/// What was said so far.
#[derive(Default)]
struct Session {
    id: Option<Box<str>>,
    provider: Option<Box<str>>,
    model: Option<Box<str>>,
    turns: Vec<Turn>,
    unsent: Vec<Unsent>,
}

/// How goose speaks to a provider: to OpenAI in Chat Completions.
fn dialect(provider: &str) -> (DialectChoice, &'static str) {
    match provider {
        "anthropic" => (DialectChoice::Anthropic, "anthropic"),
        "openai" => (DialectChoice::Chat, "chat"),
        _ => (DialectChoice::Chat, "chat-compatible"),
    }
}

impl ThreadReader for Session {
    fn take(&mut self, record: &Stored<'_>) {
        let val = record.val;
        let Some(content) = val.get(name::data).or_else(|| val.get(name::content)) else {
            self.id = text(val, "id").or(self.id.take());
            self.provider = text(val, "provider").or_else(|| text(val, "provider_name"));
            self.model = text(val, "model");
            return;
        };
        let visible = val.at(&["metadata", "agentVisible"]).and_then(|visible| visible.as_bool());
        if val.get(name::hidden).is_some() || visible == Some(false) {
            let at = record.base.of(val);
            self.unsent.push(Unsent::at(at, record.number, "a message", "the model does not see it"));
            return;
        }
        let own = if val.get(name::role).is_some_and(|role| role.is("assistant")) {
            Role::Assistant
        } else {
            Role::User
        };
        let at = record.base.of(content);
        let telling = Telling { base: record.base };
        for item in content.elements() {
            let Some(says) = telling.says(item) else { continue };
            let role = if matches!(says, Says::Result { .. }) { Role::Tool } else { own };
            match self.turns.last_mut().filter(|turn| turn.record == record.number && turn.role == role) {
                Some(turn) => turn.says.push(says),
                None => self.turns.push(Turn { role, says: vec![says], at, record: record.number }),
            }
        }
    }

    fn finish(self: Box<Self>) -> Vec<Translated> {
        let (dialect, target) = dialect(self.provider.as_deref().unwrap_or_default());
        let settings = Settings {
            label: self.id,
            model: self.model,
            target: Some(target),
            read_only: Some(READ_ONLY),
            unsent: self.unsent,
            ..Settings::default()
        };
        vec![spoken::told(&DIALECTS, dialect, settings, self.turns)]
    }
}

/// Reads what an item of a message says.
struct Telling<'b> {
    base: Base<'b>,
}

impl Telling<'_> {
    fn says(&self, item: Val<'_>) -> Option<Says> {
        let at = self.base.of(item);
        let copy = |key: &str| item.get(key).filter(|own| own.is_string()).map(|own| Pieced::of(own, self.base));
        match item.get(name::r#type)?.text()?.as_ref() {
            b"text" => {
                let text =
                    item.get(name::text).filter(|text| text.as_str().is_some_and(|text| !text.is_empty()))?;
                Some(Says::Text { text: Pieced::of(text, self.base), id: None, at })
            }
            b"thinking" => self.thought(item, copy("thinking")?, copy("signature"), None),
            b"reasoning" => self.thought(item, copy("text")?, None, None),
            b"redactedThinking" => self.thought(item, Pieced::text("", at), None, copy("data")),
            b"toolRequest" | b"frontendToolRequest" => self.call(item),
            b"toolResponse" => self.result(item),
            b"image" => {
                let mime = item.get(name::mimeType).filter(|mime| mime.is_string())?;
                let (mime, data) = (Pieced::of(mime, self.base), copy("data")?);
                let url = Pieced::data_url(mime.clone(), data.clone(), at);
                Some(Says::Media(Media { is_image: true, mime, url, data: Some(data), name: None, at }))
            }
            _ => None,
        }
    }

    fn thought(
        &self,
        item: Val<'_>,
        text: Pieced,
        signature: Option<Pieced>,
        redacted: Option<Pieced>,
    ) -> Option<Says> {
        Some(Says::Thought(Thought { text, signature, redacted, id: None, blob: None, at: self.base.of(item) }))
    }

    /// A request that could not be read has an error in the place of the call, and is not sent.
    fn call(&self, item: Val<'_>) -> Option<Says> {
        let at = self.base.of(item);
        let call = item.at(&["toolCall", "value"]).or_else(|| item.get(name::toolCall))?;
        let input = call.get(name::arguments).filter(|input| input.is_object());
        Some(Says::Call(Call {
            id: Id::of(item.get(name::id), self.base)?,
            name: Pieced::of(call.get(name::name)?, self.base),
            input: input.map_or_else(|| Pieced::fixed("{}", at), |input| Pieced::of(input, self.base)),
            item: None,
            at,
        }))
    }

    fn result(&self, item: Val<'_>) -> Option<Says> {
        let (at, result) = (self.base.of(item), item.get(name::toolResult)?);
        let value = result.get(name::value);
        // Older versions have the list itself.
        let content =
            value.and_then(|value| value.get(name::content)).or(value).filter(|content| content.is_array());
        let texts = content.into_iter().flat_map(|content| content.elements());
        let texts: Vec<Pieced> = texts
            .filter_map(|part| part.get(name::text).filter(|text| text.is_string()))
            .map(|text| Pieced::of(text, self.base))
            .collect();
        let is_error = value.and_then(|value| value.get("isError")).and_then(|failed| failed.as_bool());
        let error = result.get(name::error);
        let output = match (error, texts.is_empty()) {
            (Some(error), _) => Pieced::as_text(error, self.base),
            (None, false) => Pieced::joined(texts, "\n", at),
            (None, true) => Pieced::text("", at),
        };
        let failed = error.is_some() || is_error == Some(true);
        Some(Says::Result { call: Id::of(item.get(name::id), self.base)?, output, failed, at })
    }
}
