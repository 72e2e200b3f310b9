//! Sessions of Cursor, as far as they are text: transcripts of its agent (`agent-transcripts/…jsonl`), the messages in
//! `store.db` of the agent, and the bubbles of the editor (`state.vscdb`). The history itself is kept by Cursor's server; calls
//! whose results are not stored become texts.

use crate::format::translate::{Stored, ThreadReader, Translated};
use crate::format::unsent::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe};
use crate::history::{Role, Settings};
use crate::json::{Val, name};
use crate::message::Text;

use crate::formats::member::{text, text_at};
use crate::formats::threads::{Dialects, STORE, ThreadBuilder};

pub struct CursorSession;

pub static FORMAT: CursorSession = CursorSession;

static INFO: FormatInfo = Dialects::of_agent(FormatInfo {
    name: "cursor-session",
    title: "Cursor session (text of it)",
    known_by: "lines of `role` and `message` with `content` and nothing else; tables `cursorDiskKV`, or `meta` and `blobs`",
    unsent: UNSENT,
    ..STORE
})
.chat;

const READ_ONLY: &str = "sessions of Cursor are kept by its server, and this is a copy; `replaylint convert --to API FILE` writes a request";

/// What of the store no request says.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths { paths: &["**/tool_use_id"], why: "an id that pairs a call" },
    UnsentPaths { paths: &["status"], why: "how far a step was" },
];

impl Format for CursorSession {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let val = probe.val;
        let role = val.get(name::role).is_some_and(|role| role.is("user") || role.is("assistant"));
        let content =
            val.at(&["message", "content"]).is_some_and(|content| content.is_array() || content.is_string());
        if role && content && probe.count == 2 {
            return 70;
        }
        // The end of a turn.
        if val.get(name::r#type).is_some_and(|kind| kind.is("turn_ended")) && val.get(name::status).is_some() {
            15
        } else {
            0
        }
    }

    fn knows(&self, val: Val<'_>) -> bool {
        val.get(name::role).is_some() || val.get(name::r#type).is_some()
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

/// The type of a bubble that the user wrote.
const USERS: u64 = 1;

impl ThreadReader for Session {
    fn take(&mut self, record: &Stored<'_>) {
        let val = record.val;
        if let Some(kind) = val.get(name::r#type).and_then(|kind| kind.as_u64()) {
            self.model = text_at(val, &["modelInfo", "modelName"]).or(self.model.take());
            let role = if kind == USERS { Role::User } else { Role::Assistant };
            if role == Role::User {
                self.said.begin();
            }
            if let Some(thought) = val.at(&["thinking", "text"]).filter(|own| own.is_string() && !own.is("")) {
                self.said.thought(thought, record);
            }
            self.said.text(role, val.get(name::text), record);
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
            self.said.begin();
        }
        self.said.content(role, content, record);
    }

    fn finish(self: Box<Self>) -> Vec<Translated> {
        let settings = Settings { model: self.model, read_only: Some(READ_ONLY), ..Settings::default() };
        vec![self.said.answered().finish(&INFO, settings)]
    }
}

impl Session {
    /// A tool that the editor ran: its call and its result lie in one bubble.
    fn tool(&mut self, name: &str, bubble: Val<'_>, record: &Stored<'_>) {
        let Some(data) = bubble.get("toolFormerData") else { return };
        let name = Text::named(name, record.base.of(data));
        let input = ["rawArgs", "params"].iter().find_map(|key| data.get(key));
        let id = data.get(name::toolCallId);
        self.said.call_of(Role::Assistant, id, name, input, data, record);
        if let Some(result) = data.get(name::result).filter(Val::is_string) {
            let output = self.said.output(result, record);
            self.said.result_of(id, output, false, data, record);
        }
    }
}
