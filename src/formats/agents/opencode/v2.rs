//! Sessions of opencode 2 in its database: one message per row, which opencode rebuilds from its events. They are translated as
//! opencode sends them: from the newest compaction on, with encrypted content and signatures only for the model they are from.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{HistorySettings, Role, UnsentItem, Version};
use crate::json::{Val, name};
use crate::message::{self, Part, Text};

use crate::formats::buffered_records::BufferedRecords;
use crate::formats::member::{parsed, text};
use crate::formats::provider;
use crate::formats::threads::{Dialects, STORE, parts, translate};

mod answer;

use answer::OpencodeV2Answer;

pub struct OpencodeV2;

pub static FORMAT: OpencodeV2 = OpencodeV2;

static DIALECTS: Dialects = Dialects::of_agent(FormatInfo {
    name: "opencode-v2",
    title: "session of opencode 2 (SQLite)",
    upstream: Some(Upstream { repository: "anomalyco/opencode", file: None, version: Some("2.0") }),
    known_by: "the SQLite tables `session_v2` and `session_message`",
    is_in_database: true,
    unsent: super::UNSENT,
    ..STORE
});

const READ_ONLY: &str = "opencode 2 rebuilds these rows from its events, so an edit would be lost; `replaylint convert --to API FILE` writes a request that `fix` can repair";

impl Format for OpencodeV2 {
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
        Layout::Threads(|| Box::new(OpencodeV2Reader::default()))
    }
}

/// Collects the rows of a session.
#[derive(Default)]
struct OpencodeV2Reader(BufferedRecords);

impl ThreadReader for OpencodeV2Reader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        self.0.push(record);
    }

    fn finish(self: Box<Self>) -> Vec<TranslatedThread> {
        let tapes = self.0.scan_all();
        let (mut settings, mut messages) = (HistorySettings::default(), Vec::new());
        let mut reverted = None;
        for record in self.0.records(&tapes) {
            match record.val.get(name::data) {
                Some(_) => messages.push(record),
                None => {
                    settings.label = text(record.val, "id");
                    settings.agent_version = parsed(record.val, "version", Version::parse);
                    reverted = text(record.val, "reverted");
                }
            }
        }
        let is_reverted = |message: &ParsedRecord<'_>| reverted.is_some() && text(message.val, "id") == reverted;
        if let Some(from) = messages.iter().position(is_reverted) {
            settings
                .unsent
                .extend(messages.drain(from..).map(|message| unsent_item(&message, "the user took it back")));
        }
        let is_summary = |message: &ParsedRecord<'_>| {
            is(message, "compaction")
                && message.val.at(&["data", "status"]).is_some_and(|status| status.is("completed"))
        };
        let newest = messages.iter().rposition(is_summary).unwrap_or(0);
        let model = messages.iter().rev().find_map(OpencodeV2Model::of).unwrap_or_default();
        let (dialect, target) = provider::dialect_of(&model.provider);
        let replaced = messages.iter().take(newest);
        settings.unsent.extend(replaced.map(|message| unsent_item(message, "a compaction has replaced it")));
        let sent = messages.iter().skip(newest).flat_map(|message| translate_message(message, &model)).collect();
        settings.model = Some(model.name).filter(|name| !name.is_empty());
        settings.target = Some(target);
        settings.store = Some(false);
        settings.read_only = Some(READ_ONLY);
        vec![translate(DIALECTS.row(dialect), settings, sent)]
    }
}

fn unsent_item(message: &ParsedRecord<'_>, why: &'static str) -> UnsentItem {
    UnsentItem::at(message.base.of(message.val), message.number, "a message", why)
}

fn is(message: &ParsedRecord<'_>, kind: &str) -> bool {
    message.val.get(name::r#type).is_some_and(|own| own.is(kind))
}

/// The model that a request is for, or that answered one.
#[derive(Default, PartialEq, Eq)]
struct OpencodeV2Model {
    provider: Box<str>,
    name: Box<str>,
}

impl OpencodeV2Model {
    fn of(message: &ParsedRecord<'_>) -> Option<OpencodeV2Model> {
        let model = message.val.at(&["data", "model"])?;
        Some(OpencodeV2Model { provider: text(model, "providerID")?, name: text(model, "id")? })
    }
}

/// The messages that are sent for a stored one.
fn translate_message(message: &ParsedRecord<'_>, to: &OpencodeV2Model) -> Vec<message::Message> {
    let Some(data) = message.val.get(name::data) else { return Vec::new() };
    let at = message.base.of(data);
    let text_part = || parts::text_part(data.get(name::text), message.base).into_iter();
    let new_text = |text: String| vec![Part::text(Text::synthetic(&text, at), at.into())];
    let member = |key: &str| text(data, key).unwrap_or_default();
    let kind = message.val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
    let steps: Vec<(Role, Vec<Part>)> = match kind.as_ref() {
        b"user" => {
            let files = data.get("files").into_iter().flat_map(|files| files.elements());
            vec![(Role::User, text_part().chain(files.filter_map(|own| file(own, message))).collect())]
        }
        b"synthetic" | b"skill" => vec![(Role::User, text_part().collect())],
        b"system" => vec![(Role::System, text_part().collect())],
        b"shell" => {
            let output = data.at(&["output", "output"]).or_else(|| data.get(name::output));
            let output = output.filter(Val::is_string).and_then(|output| output.text()).unwrap_or_default();
            let output = String::from_utf8_lossy(&output);
            vec![(Role::User, new_text(format!("Shell command: {}\n\n{output}", member("command"))))]
        }
        b"compaction" if data.get(name::status).is_some_and(|status| status.is("completed")) => {
            let (summary, recent) = (member("summary"), member("recent"));
            let text =
                format!("<summary>\n{summary}\n</summary>\n\n<recent-context>\n{recent}\n</recent-context>");
            vec![(Role::User, new_text(text))]
        }
        b"assistant" => {
            // A failed answer is sent without encrypted content and signatures.
            let failed = data.get(name::error).is_some_and(|error| !error.is_null());
            let keeps_provider_data = OpencodeV2Model::of(message).is_some_and(|model| model == *to) && !failed;
            let answer = OpencodeV2Answer { data, base: message.base, keeps_provider_data };
            vec![(Role::Assistant, answer.parts()), (Role::Tool, answer.results())]
        }
        _ => Vec::new(),
    };
    let is_inserted = kind.as_ref() != b"user";
    let steps = steps.into_iter().filter(|(_, all)| !all.is_empty());
    let new = |(role, all)| message::Message { is_inserted, ..parts::message(role, all, at, message.number) };
    steps.map(new).collect()
}

/// A file that the user attached, with its stored content; `None` for types that are not sent.
fn file(file: Val<'_>, message: &ParsedRecord<'_>) -> Option<Part> {
    let at = message.base.of(file);
    let copied = |key: &str| Text::copied(file.get(key)?, message.base);
    let (mime, content) = (parts::text(file.get("mime"), message.base)?, copied("data")?);
    let file_type = match mime.to_plain_string().as_str() {
        "image/png" | "image/jpeg" | "image/gif" | "image/webp" => {
            let image = parts::media_of_data(mime, content, copied("name"));
            return Some(Part::new(image.into(), at.into()));
        }
        "text/plain" => "file",
        "application/x-directory" => "directory",
        _ => return None,
    };
    let name = text(file, "name").unwrap_or_else(|| "inline attachment".into());
    let content = STANDARD.decode(content.plain().as_ref()).unwrap_or_default();
    let text = format!("Attached {file_type}: {name}\n\n{}", String::from_utf8_lossy(&content));
    Some(Part::text(Text::respelled(&text, at), at.into()))
}
