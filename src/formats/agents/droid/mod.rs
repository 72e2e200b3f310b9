//! Sessions of Factory Droid: a line `session_start`, then messages in the manner of Anthropic's that name their parents; and
//! the events of `droid exec --output-format stream-json`.

use std::collections::{HashMap, HashSet};

use crate::format::translate::{Stored, ThreadReader, Translated};
use crate::format::unsent::UnsentPaths;
use crate::format::{Edited, Format, FormatInfo, Layout, Probe};
use crate::history::{Role, Settings, Version};
use crate::json::{Val, name};
use crate::message::Text;

use crate::formats::member::{text, text_at};
use crate::formats::threads::{Dialects, STORE, ThreadBuilder};

mod edit;

pub struct DroidSession;

pub static FORMAT: DroidSession = DroidSession;

static INFO: FormatInfo = Dialects::of_agent(FormatInfo {
    name: "droid-session",
    title: "Factory Droid session (also of `stream-json`)",
    known_by: "first line `session_start` with `id`; lines with `session_id`, `id` and `toolCallId`, `text` or `finalText`",
    appended: true,
    unsent: UNSENT,
    edited: Edited::Partly,
    editor: Some(&edit::EDITOR),
    placeholder: Some(edit::unreadable),
    ..STORE
})
.anthropic;

/// What of the store no request says.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["cwd", "owner", "sessionTitle", "title", "version"],
        why: "the name of the session and where it ran",
    },
    UnsentPaths { paths: &["finalText"], why: "the last answer, which is in its own message" },
    UnsentPaths { paths: &["message/content/is_error"], why: "reported as the error mark" },
];

impl Format for DroidSession {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let val = probe.val;
        let Some(kind) = val.get(name::r#type).filter(|_| !probe.has(name::payload) && !probe.has(name::uuid))
        else {
            return 0;
        };
        let has = |key: &str| val.get(key).is_some();
        if kind.is("session_start") {
            let named = ["cwd", "title", "sessionTitle", "owner"].iter().any(|key| has(key));
            return if has("id") && named { 95 } else { 0 };
        }
        if has("session_id") && has("id") {
            let says = match kind.text().unwrap_or_default().as_ref() {
                b"system" => has("model") && has("cwd"),
                b"message" => has("role") && has("text"),
                b"tool_call" => has("toolCallId") && has("toolName"),
                b"tool_result" => has("toolCallId"),
                b"completion" => has("finalText"),
                _ => false,
            };
            return if says { 70 } else { 0 };
        }
        let is_message = kind.is("message") && val.at(&["message", "role"]).is_some() && has("id");
        let is_pis = val.at(&["message", "api"]).is_some() || val.at(&["message", "toolCallId"]).is_some();
        if is_message && !is_pis { 15 } else { 0 }
    }

    fn knows(&self, val: Val<'_>) -> bool {
        // Lines of other types are passed over.
        val.get(name::r#type).is_some_and(|kind| kind.is_string())
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(Session::default()))
    }
}

/// A line that says something.
struct Line {
    id: Option<Box<str>>,
    parent: Option<Box<str>>,
    said: ThreadBuilder,
}

#[derive(Default)]
struct Session {
    label: Option<Box<str>>,
    model: Option<Box<str>>,
    version: Option<Version>,
    lines: Vec<Line>,
    /// The last line is a text of the model.
    has_answered: bool,
}

impl ThreadReader for Session {
    fn take(&mut self, record: &Stored<'_>) {
        let val = record.val;
        let kind = val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        let mut said = ThreadBuilder::default();
        let had_answered = std::mem::take(&mut self.has_answered);
        match kind.as_ref() {
            b"session_start" => {
                self.label = text(val, "id");
                self.version = text(val, "version").and_then(|version| Version::parse(&version));
            }
            b"system" => {
                self.label = text(val, "session_id");
                self.model = text(val, "model");
            }
            b"message" if val.get(name::message).is_some() => {
                let role = role(val.at(&["message", "role"]));
                self.model = text_at(val, &["message", "model"]).or(self.model.take());
                said.content(role, val.at(&["message", "content"]), record);
            }
            b"message" => {
                let role = role(val.get(name::role));
                self.has_answered = role == Role::Assistant;
                said.text(role, val.get(name::text), record);
            }
            // It says the last answer again, unless that was not printed by itself.
            b"completion" if !had_answered => said.text(Role::Assistant, val.get("finalText"), record),
            b"tool_call" => {
                let Some(name) = val.get(name::toolName).and_then(|name| Text::copied(name, record.base)) else {
                    return;
                };
                said.call_of(
                    Role::Assistant,
                    val.get(name::toolCallId),
                    name,
                    val.get(name::parameters),
                    val,
                    record,
                );
            }
            b"tool_result" => {
                let output = ["value", "result", "error"].iter().find_map(|key| val.get(key));
                said.result(val, output, record);
            }
            _ => return,
        }
        self.lines.push(Line { id: text(val, "id"), parent: text(val, "parentId"), said });
    }

    fn finish(self: Box<Self>) -> Vec<Translated> {
        let path = path(&self.lines);
        let mut said = ThreadBuilder::default();
        for (n, line) in self.lines.into_iter().enumerate() {
            match path.contains(&n) {
                true => said.join(line.said),
                false => said.leave(line.said, "it is on another branch than the last line"),
            }
        }
        let settings =
            Settings { label: self.label, model: self.model, agent_version: self.version, ..Settings::default() };
        vec![said.finish(&INFO, settings)]
    }
}

/// The lines that lead to the last one. One whose parent is not there follows the line before it.
fn path(lines: &[Line]) -> HashSet<usize> {
    let by_id: HashMap<&str, usize> =
        lines.iter().enumerate().filter_map(|(n, line)| Some((line.id.as_deref()?, n))).collect();
    let mut path = HashSet::new();
    let mut next = lines.len().checked_sub(1);
    while let Some(n) = next.filter(|n| path.insert(*n)) {
        let parent = lines.get(n).and_then(|line| line.parent.as_deref()).and_then(|id| by_id.get(id).copied());
        next = parent.or(n.checked_sub(1));
    }
    path
}

fn role(role: Option<Val<'_>>) -> Role {
    match role {
        Some(role) if role.is("assistant") => Role::Assistant,
        Some(role) if role.is("system") => Role::System,
        _ => Role::User,
    }
}
