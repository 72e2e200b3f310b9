//! Text of Cursor sessions: transcripts of its agent (`agent-transcripts/…jsonl`), the messages in
//! `store.db` of the agent, and the bubbles of the editor (`state.vscdb`). Cursor's server keeps the history itself; calls
//! without stored results become texts.

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe};
use crate::history::{HistorySettings, Role};
use crate::json::{Val, name};
use crate::message::Text;

use crate::formats::member::{text, text_at};
use crate::formats::threads::{Dialects, STORE, ThreadBuilder};

pub mod resume;

pub struct CursorSession;

pub static FORMAT: CursorSession = CursorSession;

static INFO: FormatInfo = Dialects::of_agent(FormatInfo {
    name: "cursor-session",
    title: "Cursor session (text of it)",
    known_by: "lines with only `role` and `message`, which has `content`; tables `cursorDiskKV`, or `meta` and `blobs`",
    unsent: UNSENT,
    ..STORE
})
.chat;

const READ_ONLY: &str = "Cursor keeps its sessions on its server, and this is a copy; `replaylint convert --to API FILE` writes a request";

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths { paths: &["**/tool_use_id"], why: "the id that links a result to its call" },
    UnsentPaths { paths: &["status"], why: "the progress of a step" },
];

impl Format for CursorSession {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let role = probe.get(name::role).is_some_and(|role| role.is("user") || role.is("assistant"));
        let content = || {
            let content = probe.get(name::message).and_then(|message| message.get(name::content));
            content.is_some_and(|content| content.is_array() || content.is_string())
        };
        if role && probe.count == 2 && content() {
            return 95;
        }
        // The end of a turn.
        if probe.has(name::status) && probe.get(name::r#type).is_some_and(|kind| kind.is("turn_ended")) {
            15
        } else {
            0
        }
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        val.get(name::role).is_some() || val.get(name::r#type).is_some()
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(CursorReader::default()))
    }
}

#[derive(Default)]
struct CursorReader {
    thread: ThreadBuilder,
    model: Option<Box<str>>,
}

/// Value of `type` in a bubble that the user wrote.
const USER_BUBBLE: u64 = 1;

impl ThreadReader for CursorReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        let val = record.val;
        if let Some(kind) = val.get(name::r#type).and_then(|kind| kind.as_u64()) {
            self.model = text_at(val, &["modelInfo", "modelName"]).or(self.model.take());
            let role = if kind == USER_BUBBLE { Role::User } else { Role::Assistant };
            if role == Role::User {
                self.thread.begin();
            }
            if let Some(thought) = val.at(&["thinking", "text"]).filter(|own| own.is_string() && !own.is("")) {
                self.thread.push_reasoning(thought, record);
            }
            self.thread.text(role, val.get(name::text), record);
            if let Some(name) = text_at(val, &["toolFormerData", "name"]) {
                self.tool(&name, val, record);
            }
            return;
        }
        self.model = text(val, "model").or(self.model.take());
        let content = val.at(&["message", "content"]).or(val.get(name::content));
        let role = match val.get(name::role).and_then(|role| role.text()).unwrap_or_default().as_ref() {
            b"user" => Role::User,
            b"assistant" => Role::Assistant,
            b"system" => Role::System,
            b"tool" => Role::Tool,
            _ => return,
        };
        if role != Role::Assistant {
            self.thread.begin();
        }
        self.thread.content(role, content, record);
    }

    fn finish(self: Box<Self>) -> Vec<TranslatedThread> {
        let settings =
            HistorySettings { model: self.model, read_only: Some(READ_ONLY), ..HistorySettings::default() };
        vec![self.thread.pair_results().finish(&INFO, settings)]
    }
}

impl CursorReader {
    /// Adds a tool that the editor ran: its call and its result are in one bubble.
    fn tool(&mut self, name: &str, bubble: Val<'_>, record: &ParsedRecord<'_>) {
        let Some(data) = bubble.get("toolFormerData") else { return };
        let name = Text::synthetic(name, record.base.of(data));
        let input = ["rawArgs", "params"].iter().find_map(|key| data.get(key));
        let id = data.get(name::toolCallId);
        self.thread.push_call(Role::Assistant, id, name, input, data, record);
        if let Some(result) = data.get(name::result).filter(Val::is_string) {
            let output = self.thread.output(result, record);
            self.thread.push_result(id, output, false, data, record);
        }
    }
}
