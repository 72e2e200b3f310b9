//! Sessions of Grok CLI (`chat_history.jsonl`): one line for each message, result and reasoning item. They are translated into
//! items of xAI's Responses API, which accepts the encrypted reasoning.

use crate::dialects::responses::RESPONSES;
use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, HistoryScope, Layout, Probe, RecordPart, RemovalUnit};
use crate::history::{HistorySettings, Role, Usage};
use crate::json::{NameSet, Val, name};
use crate::message::{self, RawJson};

use crate::formats::member::text;
use crate::formats::threads::ThreadBuilder;

mod edit;
pub mod resume;

pub struct GrokCli;

pub static FORMAT: GrokCli = GrokCli;

static INFO: FormatInfo = FormatInfo {
    name: "grok-cli",
    title: "Grok CLI session (`chat_history.jsonl`)",
    known_by: "lines `assistant` with `tool_calls` and `model_id`, `tool_result` with `tool_call_id`, `user` with `prompt_index`",
    usage: Usage::Log,
    histories: HistoryScope::PerDoc,
    parts: &[RecordPart { path: &[], unit: RemovalUnit::Record }],
    is_appended: true,
    unsent: UNSENT,
    edit_support: EditSupport::Full,
    editor: Some(&edit::EDITOR),
    ..FormatInfo::of(&RESPONSES, "xai")
};

/// Members that occur in lines of other agents, and never in those of Grok CLI.
static FOREIGN: NameSet = NameSet::of(&[
    "message",
    "role",
    "uuid",
    "sessionId",
    "session_id",
    "payload",
    "parentId",
    "data",
    "timestamp",
]);

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[UnsentPaths {
    paths: &["model_fingerprint", "model_id", "reasoning_effort"],
    why: "the model is a setting of the request",
}];

impl Format for GrokCli {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if probe.names.intersects(&FOREIGN) {
            return 0;
        }
        let Some(kind) = probe.text(name::r#type) else { return 0 };
        let has = |key: &str| probe.val.get(key).is_some();
        match kind.as_ref() {
            b"assistant" if has("content") && has("tool_calls") && has("model_id") => 95,
            b"assistant" if has("content") && has("tool_calls") => 60,
            b"tool_result" if has("content") && has("tool_call_id") => 95,
            b"user" if has("content") && has("prompt_index") => 95,
            b"backend_tool_call" => 60,
            b"system" | b"user" | b"assistant" if has("content") => 15,
            b"reasoning" if has("encrypted_content") => 15,
            _ => 0,
        }
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        val.get(name::r#type).is_some_and(|kind| kind.is_string()) && !val.names().intersects(&FOREIGN)
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(GrokReader::default()))
    }
}

#[derive(Default)]
struct GrokReader {
    thread: ThreadBuilder,
    model: Option<Box<str>>,
}

impl ThreadReader for GrokReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        let val = record.val;
        let at = record.base.of(val);
        let kind = val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        match kind.as_ref() {
            b"system" => self.thread.content(Role::System, val.get(name::content), record),
            b"user" => {
                self.thread.begin();
                self.thread.content(Role::User, val.get(name::content), record);
            }
            b"assistant" => {
                self.model = text(val, "model_id").or(self.model.take());
                self.thread.answer(val, record);
            }
            b"tool_result" => self.thread.result(val, val.get(name::content), record),
            b"reasoning" => {
                let members = ["type", "id", "summary", "encrypted_content"];
                let item = RawJson::build(at, |w| {
                    w.object(|w| {
                        for (key, own) in members.iter().filter_map(|key| Some((key, val.get(key)?))) {
                            w.key(key).copy(own, record.base);
                        }
                    });
                });
                self.thread.push(Role::Assistant, message::Part::verbatim("responses", item, at), record);
            }
            other => {
                let name = format!("a line `{}`", String::from_utf8_lossy(other));
                self.thread.omit(name, val, record, "xAI ran it itself, so it is not sent again");
            }
        }
    }

    fn finish(self: Box<Self>) -> Vec<TranslatedThread> {
        let settings = HistorySettings { model: self.model, store: Some(false), ..HistorySettings::default() };
        vec![self.thread.finish(&INFO, settings)]
    }
}
