//! Sessions of Grok CLI (`chat_history.jsonl`): a line for each message, result and reasoning item. They are translated into items
//! of the Responses API of xAI, which takes the encrypted reasoning back.

use crate::dialects::responses::RESPONSES;
use crate::format::translate::{Stored, ThreadReader, Translated};
use crate::format::unsent::UnsentPaths;
use crate::format::{Edited, Format, FormatInfo, Histories, Layout, Part, Probe, Unit};
use crate::history::{Role, Settings, Usage};
use crate::json::{NameSet, Val, name};
use crate::message::{self, Raw};

use crate::formats::member::text;
use crate::formats::threads::ThreadBuilder;

mod edit;

pub struct GrokCli;

pub static FORMAT: GrokCli = GrokCli;

static INFO: FormatInfo = FormatInfo {
    name: "grok-cli",
    title: "Grok CLI session (`chat_history.jsonl`)",
    known_by: "lines `assistant` with `tool_calls` and `model_id`, `tool_result` with `tool_call_id`, `user` with `prompt_index`",
    usage: Usage::Log,
    histories: Histories::PerDoc,
    parts: &[Part { path: &[], unit: Unit::Record }],
    appended: true,
    unsent: UNSENT,
    edited: Edited::Whole,
    editor: Some(&edit::EDITOR),
    ..FormatInfo::of(&RESPONSES, "xai")
};

/// Members that lines of other agents have, and those of Grok CLI have not.
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

/// What of the store no request says.
const UNSENT: &[UnsentPaths] = &[UnsentPaths {
    paths: &["model_fingerprint", "model_id", "reasoning_effort"],
    why: "the model is a setting of the request",
}];

impl Format for GrokCli {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let val = probe.val;
        let Some(kind) = val.get(name::r#type).and_then(|kind| kind.text()) else { return 0 };
        let has = |key: &str| val.get(key).is_some();
        if probe.names.meets(&FOREIGN) {
            return 0;
        }
        match kind.as_ref() {
            b"assistant" if has("content") && has("tool_calls") && has("model_id") => 90,
            b"assistant" if has("content") && has("tool_calls") => 60,
            b"tool_result" if has("content") && has("tool_call_id") => 70,
            b"user" if has("content") && has("prompt_index") => 70,
            b"backend_tool_call" => 60,
            b"system" | b"user" | b"assistant" if has("content") => 15,
            b"reasoning" if has("encrypted_content") => 15,
            _ => 0,
        }
    }

    fn knows(&self, val: Val<'_>) -> bool {
        val.get(name::r#type).is_some_and(|kind| kind.is_string()) && !val.names().meets(&FOREIGN)
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(Session::default()))
    }
}

#[derive(Default)]
struct Session {
    said: ThreadBuilder,
    model: Option<Box<str>>,
}

impl ThreadReader for Session {
    fn take(&mut self, record: &Stored<'_>) {
        let val = record.val;
        let at = record.base.of(val);
        let kind = val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        match kind.as_ref() {
            b"system" => self.said.content(Role::System, val.get(name::content), record),
            b"user" => {
                self.said.begin();
                self.said.content(Role::User, val.get(name::content), record);
            }
            b"assistant" => {
                self.model = text(val, "model_id").or(self.model.take());
                self.said.answer(val, record);
            }
            b"tool_result" => self.said.result(val, val.get(name::content), record),
            b"reasoning" => {
                let members = ["type", "id", "summary", "encrypted_content"];
                let item = Raw::build(at, |w| {
                    w.object(|w| {
                        for (key, own) in members.iter().filter_map(|key| Some((key, val.get(key)?))) {
                            w.key(key).copy(own, record.base);
                        }
                    });
                });
                self.said.push(Role::Assistant, message::Part::verbatim("responses", item, at), record);
            }
            other => {
                let name = format!("a line `{}`", String::from_utf8_lossy(other));
                self.said.leave_out(name, val, record, "what xAI has run itself is not sent again");
            }
        }
    }

    fn finish(self: Box<Self>) -> Vec<Translated> {
        let settings = Settings { model: self.model, store: Some(false), ..Settings::default() };
        vec![self.said.finish(&INFO, settings)]
    }
}
