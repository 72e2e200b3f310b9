//! Sessions of opencode 2 in its database: a message a row, which opencode makes again from its events. They are translated as
//! opencode sends them: from the newest compaction on, with what a provider keeps for itself only to the model that said it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::format::translate::{Stored, ThreadReader, Translated};
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{Role, Settings, Unsent, Version};
use crate::json::{Val, name};
use crate::message::{self, Part, Text};

use crate::formats::kept::Kept;
use crate::formats::member::text;
use crate::formats::provider;
use crate::formats::threads::{Dialects, STORE, parts, translated};

mod answer;

use answer::Answer;

pub struct OpencodeV2;

pub static FORMAT: OpencodeV2 = OpencodeV2;

static DIALECTS: Dialects = Dialects::of_agent(FormatInfo {
    name: "opencode-v2",
    title: "session of opencode 2 (SQLite)",
    upstream: Some(Upstream { repository: "anomalyco/opencode", file: None, version: Some("2.0") }),
    known_by: "the SQLite tables `session_v2` and `session_message`",
    stored_in_tables: true,
    unsent: super::UNSENT,
    ..STORE
});

const READ_ONLY: &str = "opencode 2 makes these rows from its events, so that an edit would be lost; `replaylint convert --to API FILE` writes a request, which `fix` can repair";

impl Format for OpencodeV2 {
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
        Layout::Threads(|| Box::new(Rows::default()))
    }
}

/// The rows so far.
#[derive(Default)]
struct Rows(Kept);

impl ThreadReader for Rows {
    fn take(&mut self, record: &Stored<'_>) {
        self.0.push(record);
    }

    fn finish(self: Box<Self>) -> Vec<Translated> {
        let tapes = self.0.scanned();
        let (mut settings, mut messages) = (Settings::default(), Vec::new());
        let mut reverted = None;
        for record in self.0.records(&tapes) {
            match record.val.get(name::data) {
                Some(_) => messages.push(record),
                None => {
                    settings.label = text(record.val, "id");
                    settings.agent_version =
                        text(record.val, "version").and_then(|version| Version::parse(&version));
                    reverted = text(record.val, "reverted");
                }
            }
        }
        let taken_back = |message: &Stored<'_>| reverted.is_some() && text(message.val, "id") == reverted;
        if let Some(from) = messages.iter().position(taken_back) {
            settings.unsent.extend(messages.drain(from..).map(|message| left(&message, "the user took it back")));
        }
        let is_summary = |message: &Stored<'_>| {
            is(message, "compaction")
                && message.val.at(&["data", "status"]).is_some_and(|status| status.is("completed"))
        };
        let newest = messages.iter().rposition(is_summary).unwrap_or(0);
        let model = messages.iter().rev().find_map(Model::of).unwrap_or_default();
        let (dialect, target) = provider::dialect(&model.provider);
        let replaced = messages.iter().take(newest);
        settings.unsent.extend(replaced.map(|message| left(message, "a compaction has replaced it")));
        let sent = messages.iter().skip(newest).flat_map(|message| sent(message, &model)).collect();
        settings.model = Some(model.name).filter(|name| !name.is_empty());
        settings.target = Some(target);
        settings.store = Some(false);
        settings.read_only = Some(READ_ONLY);
        vec![translated(DIALECTS.row(dialect), settings, sent)]
    }
}

fn left(message: &Stored<'_>, why: &'static str) -> Unsent {
    Unsent::at(message.base.of(message.val), message.number, "a message", why)
}

fn is(message: &Stored<'_>, kind: &str) -> bool {
    message.val.get(name::r#type).is_some_and(|own| own.is(kind))
}

/// The model that a request is for, or that answered one.
#[derive(Default, PartialEq, Eq)]
struct Model {
    provider: Box<str>,
    name: Box<str>,
}

impl Model {
    fn of(message: &Stored<'_>) -> Option<Model> {
        let model = message.val.at(&["data", "model"])?;
        Some(Model { provider: text(model, "providerID")?, name: text(model, "id")? })
    }
}

/// What is sent of a message.
fn sent(message: &Stored<'_>, to: &Model) -> Vec<message::Message> {
    let Some(data) = message.val.get(name::data) else { return Vec::new() };
    let at = message.base.of(data);
    let said = || parts::said(data.get(name::text), message.base).into_iter();
    let made = |text: String| vec![Part::text(Text::named(&text, at), at.into())];
    let plain = |key: &str| text(data, key).unwrap_or_default();
    let kind = message.val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
    let steps: Vec<(Role, Vec<Part>)> = match kind.as_ref() {
        b"user" => {
            let files = data.get("files").into_iter().flat_map(|files| files.elements());
            vec![(Role::User, said().chain(files.filter_map(|own| file(own, message))).collect())]
        }
        b"synthetic" | b"skill" => vec![(Role::User, said().collect())],
        b"system" => vec![(Role::System, said().collect())],
        b"shell" => {
            let output = data.at(&["output", "output"]).or_else(|| data.get(name::output));
            let output = output.filter(Val::is_string).and_then(|output| output.text()).unwrap_or_default();
            let output = String::from_utf8_lossy(&output);
            vec![(Role::User, made(format!("Shell command: {}\n\n{output}", plain("command"))))]
        }
        b"compaction" if data.get(name::status).is_some_and(|status| status.is("completed")) => {
            let (summary, recent) = (plain("summary"), plain("recent"));
            let said =
                format!("<summary>\n{summary}\n</summary>\n\n<recent-context>\n{recent}\n</recent-context>");
            vec![(Role::User, made(said))]
        }
        b"assistant" => {
            // What failed is sent without what its provider keeps for itself.
            let failed = data.get(name::error).is_some_and(|error| !error.is_null());
            let keeps = Model::of(message).is_some_and(|model| model == *to) && !failed;
            let answer = Answer { data, base: message.base, keeps };
            vec![(Role::Assistant, answer.parts()), (Role::Tool, answer.results())]
        }
        _ => Vec::new(),
    };
    let steps = steps.into_iter().filter(|(_, all)| !all.is_empty());
    steps.map(|(role, all)| parts::message(role, all, at, message.number)).collect()
}

/// A file whose content was read when the user named it. Of other kinds nothing is sent.
fn file(file: Val<'_>, message: &Stored<'_>) -> Option<Part> {
    let at = message.base.of(file);
    let copied = |key: &str| Text::copied(file.get(key)?, message.base);
    let (mime, content) = (parts::text(file.get("mime"), message.base)?, copied("data")?);
    let what = match mime.to_plain_string().as_str() {
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
    let said = format!("Attached {what}: {name}\n\n{}", String::from_utf8_lossy(&content));
    Some(Part::text(Text::respelled(&said, at), at.into()))
}
