//! Sessions of Qwen Code: `~/.qwen/projects/<folder>/chats/<session>.jsonl`. Lines are linked by `uuid` and `parentUuid` as
//! those of Claude Code are, and hold contents of the Gemini API. Lines of one uuid are one message. A compression holds
//! what is sent in the place of all before it.

use std::collections::HashMap;

use crate::dialects::gemini::GEMINI;
use crate::format::translate::{Stored, ThreadReader, Translated};
use crate::format::{Edited, Format, FormatInfo, Histories, Layout, Part, Probe, Unit, Upstream};
use crate::history::tree::{self, Entry, Marks, Name};
use crate::history::{Role, Settings, Usage, Version, time};
use crate::json::{Val, name};
use crate::message::{Message, Part as MessagePart, Raw};

use crate::formats::member::named;
use crate::formats::threads::parts;

mod edit;

pub struct QwenCode;

pub static FORMAT: QwenCode = QwenCode;

static INFO: FormatInfo = FormatInfo {
    name: "qwen-code",
    title: "Qwen Code session (lines linked by `parentUuid`, with Gemini parts)",
    upstream: Some(Upstream {
        repository: "QwenLM/qwen-code",
        file: Some("packages/core/src/services/chatRecordingService.ts"),
        version: Some("0.24.4"),
    }),
    known_by: "`uuid` and `sessionId` with `message.parts` or `systemPayload`",
    usage: Usage::Log,
    histories: Histories::Tree,
    parts: &[Part { path: &[], unit: Unit::Record }],
    appended: true,
    edited: Edited::Whole,
    editor: Some(&edit::EDITOR),
    placeholder: Some(edit::unreadable),
    ..FormatInfo::of(&GEMINI, "gemini")
};

/// Types of lines.
const TYPES: [&str; 4] = ["user", "assistant", "tool_result", "system"];

impl Format for QwenCode {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let val = probe.val;
        let is_line = probe.has(name::uuid)
            && probe.has(name::sessionId)
            && TYPES.iter().any(|name| val.get(name::r#type).is_some_and(|kind| kind.is(name)));
        if !is_line || val.at(&["message", "content"]).is_some() {
            return 0;
        }
        let parts = val.at(&["message", "parts"]).is_some_and(|parts| parts.is_array());
        if parts || val.get("systemPayload").is_some_and(|payload| payload.is_object()) {
            return 97;
        }
        let is_side = probe.has(name::timestamp) && val.get(name::subtype).is_some() && val.get("cwd").is_some();
        if is_side && !probe.has(name::message) && val.get(name::content).is_none() { 15 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(Session::default()))
    }
}

/// A session that is being read.
#[derive(Default)]
struct Session {
    lines: Vec<Line>,
    /// Where the line of each uuid is.
    named: HashMap<Name, usize>,
}

/// What lines of one uuid say.
struct Line {
    entry: Entry,
    /// One message, or what a compression left.
    messages: Vec<Message>,
}

impl ThreadReader for Session {
    fn take(&mut self, record: &Stored<'_>) {
        let (val, base) = (record.val, record.base);
        let Some(name) = named(val, "uuid") else { return };
        let part = |own: Val<'_>| parts::block("gemini", Raw::copied(own, base), base.of(own));
        let said = val.at(&["message", "parts"]).filter(Val::is_array);
        let said: Vec<MessagePart> = said.iter().flat_map(|list| list.elements()).map(part).collect();
        if let Some(line) = self.named.get(&name).and_then(|ix| self.lines.get_mut(*ix)) {
            if let Some(message) = line.messages.first_mut().filter(|_| !line.entry.marks.has(Marks::RESTART)) {
                message.parts.extend(said);
            }
            line.entry.model = named(val, "model").or(line.entry.model.take());
            return;
        }
        let is = |name: &str| val.get(name::r#type).is_some_and(|kind| kind.is(name));
        let left = val.at(&["systemPayload", "compressedHistory"]).filter(|list| {
            list.is_array() && val.get(name::subtype).is_some_and(|kind| kind.is("chat_compression"))
        });
        let message = |role, said| vec![parts::message(role, said, base.of(val), record.number)];
        let (part, messages) = match left {
            Some(list) if is("system") => {
                let content = |own: Val<'_>| {
                    let is_model = own.get(name::role).is_some_and(|role| role.is("model"));
                    let role = if is_model { Role::Assistant } else { Role::User };
                    Message::verbatim("gemini", role, Raw::copied(own, base), base.of(own), record.number)
                };
                (tree::Part::Input, list.elements().filter(Val::is_object).map(content).collect())
            }
            _ if is("system") || said.is_empty() => (tree::Part::Link, Vec::new()),
            _ if is("assistant") => (tree::Part::Answer, message(Role::Assistant, said)),
            _ => (tree::Part::Input, message(Role::User, said)),
        };
        let mut entry = Entry::new(&name, base.of(val), record.number, part);
        entry.parent = named(val, "parentUuid");
        entry.time = named(val, "timestamp").and_then(|at| time::parse(&at));
        entry.version = named(val, "version").and_then(|version| Version::parse(&version));
        if part == tree::Part::Answer {
            entry.model = named(val, "model");
            entry.store = Some(false);
            entry.marks.set(Marks::NO_IDS);
        }
        if is("system") && left.is_some() {
            entry.marks.set(Marks::RESTART);
            entry.marks.set(Marks::TRIMMED);
        }
        self.named.insert(name, self.lines.len());
        self.lines.push(Line { entry, messages });
    }

    fn finish(self: Box<Self>) -> Vec<Translated> {
        let settings = Settings { ..Settings::default() };
        let mut translated = Translated::history(&INFO, settings, Vec::new());
        for Line { entry, messages } in self.lines {
            translated.entries.push((translated.thread.messages.len(), entry));
            translated.thread.messages.extend(messages);
        }
        vec![translated]
    }
}
