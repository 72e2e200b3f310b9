//! Sessions of goose: rows of its database, or the lines of older versions, of which the first describes the session.
//! Messages that the model does not see are left out.

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{HistorySettings, Role, UnsentItem};
use crate::json::{Val, name};
use crate::message::{Message, Part, PartKind, ResultPart, Text};

use crate::formats::member::text;
use crate::formats::threads::{DialectChoice, Dialects, STORE, mcp_output, media, parts, translate};

mod edit;
pub mod resume;

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
    is_appended: true,
    unsent: UNSENT,
    edit_support: EditSupport::Partial,
    editor: Some(&edit::EDITOR),
    ..STORE
});

/// Content types that only goose has.
const GOOSE_TYPES: [&str; 6] = [
    "toolRequest",
    "toolResponse",
    "toolConfirmationRequest",
    "frontendToolRequest",
    "redactedThinking",
    "systemNotification",
];

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["row", "description", "working_dir", "name"],
        why: "the name and the folder of the session",
    },
    UnsentPaths {
        paths: &[
            "**/toolCall/status=success",
            "**/toolResult/status",
            "metadata/agentVisible",
            "metadata/userVisible",
        ],
        why: "the status of a call, which its result contains",
    },
];

impl Format for GooseSession {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.anthropic
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if probe.has(name::working_dir) && probe.has(name::message_count) {
            return 100;
        }
        let Some(content) = probe.get(name::content).filter(|content| content.is_array()) else { return 0 };
        if !probe.has(name::role) || probe.get(name::created).and_then(|time| time.as_u64()).is_none() {
            return 0;
        }
        let is_own =
            |item: Val<'_>| item.get(name::r#type).is_some_and(|kind| GOOSE_TYPES.iter().any(|own| kind.is(own)));
        let typed = content.elements().all(|item| item.get(name::r#type).is_some_and(|kind| kind.is_string()));
        match (content.elements().any(is_own), typed) {
            (true, _) => 95,
            (false, true) => 15,
            (false, false) => 0,
        }
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        val.get("row").is_some() || self.detect(&Probe::new(val)) > 0
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(GooseReader::default()))
    }
}

/// Collects the messages of a session.
#[derive(Default)]
struct GooseReader {
    id: Option<Box<str>>,
    provider: Option<Box<str>>,
    model: Option<Box<str>>,
    messages: Vec<Message>,
    unsent: Vec<UnsentItem>,
}

/// The dialect and the target of a provider. goose calls OpenAI by Chat Completions.
fn dialect(provider: &str) -> (DialectChoice, &'static str) {
    match provider {
        "anthropic" => (DialectChoice::Anthropic, "anthropic"),
        "openai" => (DialectChoice::Chat, "chat"),
        _ => (DialectChoice::Chat, "chat-compatible"),
    }
}

impl ThreadReader for GooseReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
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
            self.unsent.push(UnsentItem::at(at, record.number, "a message", "the model does not see it"));
            return;
        }
        let own = if val.get(name::role).is_some_and(|role| role.is("assistant")) {
            Role::Assistant
        } else {
            Role::User
        };
        let at = record.base.of(content);
        // Summaries and reminders are visible to the model only.
        let is_inserted =
            val.at(&["metadata", "userVisible"]).and_then(|visible| visible.as_bool()) == Some(false);
        for part in content.elements().filter_map(|item| part(item, record)) {
            let role = if matches!(part.kind, PartKind::Result(_)) { Role::Tool } else { own };
            match self.messages.last_mut().filter(|last| last.record == record.number && last.role == role) {
                Some(last) => last.parts.push(part),
                None => {
                    let message = parts::message(role, vec![part], at, record.number);
                    self.messages.push(Message { is_inserted, ..message });
                }
            }
        }
    }

    fn finish(self: Box<Self>) -> Vec<TranslatedThread> {
        let (dialect, target) = dialect(self.provider.as_deref().unwrap_or_default());
        let settings = HistorySettings {
            label: self.id,
            model: self.model,
            target: Some(target),
            unsent: self.unsent,
            ..HistorySettings::default()
        };
        vec![translate(DIALECTS.row(dialect), settings, self.messages)]
    }
}

/// The part for a content item; `None` for items that are not sent.
fn part(item: Val<'_>, record: &ParsedRecord<'_>) -> Option<Part> {
    let (base, at) = (record.base, record.base.of(item));
    let copied = |key: &str| Text::copied(item.get(key)?, base);
    let id = || parts::text(item.get(name::id), base);
    match item.get(name::r#type)?.text()?.as_ref() {
        b"text" => Some(Part::text(parts::text(item.get(name::text), base)?, at.into())),
        b"thinking" => Some(parts::thinking(Some(copied("thinking")?), copied("signature"), at)),
        b"reasoning" => Some(parts::thinking(Some(copied("text")?), None, at)),
        b"redactedThinking" => Some(parts::redacted(copied("data"), at)),
        b"toolRequest" | b"frontendToolRequest" => {
            // A request that goose could not parse has an error instead of the call, and is not sent.
            let call = item.at(&["toolCall", "value"]).or_else(|| item.get(name::toolCall))?;
            let input = call.get(name::arguments).filter(Val::is_object);
            let name = Text::of_json(call.get(name::name)?, base);
            Some(parts::call(id()?, name, parts::input(input, base, at), at))
        }
        b"toolResponse" => {
            let result = item.get(name::toolResult)?;
            let value = result.get(name::value);
            // Older versions have the list itself.
            let content = value.and_then(|value| value.get(name::content)).or(value).filter(Val::is_array);
            let error = result.get(name::error);
            let output = match (error, content) {
                (Some(error), _) => vec![ResultPart::Text(Text::of_json(error, base))],
                (None, Some(content)) => mcp_output(content, record),
                (None, None) => Vec::new(),
            };
            let is_error = value.and_then(|value| value.get("isError")).and_then(|failed| failed.as_bool());
            Some(parts::result(id()?, output, error.is_some() || is_error == Some(true), at))
        }
        b"image" => Some(Part::new(media(item, record)?.into(), at.into())),
        _ => None,
    }
}
