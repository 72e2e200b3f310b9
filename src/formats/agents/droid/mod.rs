//! Sessions of Factory Droid: a line `session_start`, then messages with Anthropic content blocks, linked by `parentId`; and
//! the events of `droid exec --output-format stream-json`.

use foldhash::{HashMap, HashSet};

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe};
use crate::history::{HistorySettings, Role, Version};
use crate::json::{Val, name};
use crate::message::Text;

use crate::formats::member::{parsed, text, text_at};
use crate::formats::threads::{Dialects, STORE, ThreadBuilder};

mod edit;
pub mod resume;

pub struct DroidSession;

pub static FORMAT: DroidSession = DroidSession;

static INFO: FormatInfo = Dialects::of_agent(FormatInfo {
    name: "droid-session",
    title: "Factory Droid session (also of `stream-json`)",
    known_by: "first line `session_start` with `id`; lines with `session_id`, `id` and `toolCallId`, `text` or `finalText`",
    is_appended: true,
    unsent: UNSENT,
    edit_support: EditSupport::Partial,
    editor: Some(&edit::EDITOR),
    placeholder: Some(edit::placeholder_line),
    ..STORE
})
.anthropic;

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["cwd", "owner", "sessionTitle", "title", "version"],
        why: "the name and the folder of the session",
    },
    UnsentPaths { paths: &["finalText"], why: "a copy of the last answer" },
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
            let is_event = match kind.text().unwrap_or_default().as_ref() {
                b"system" => has("model") && has("cwd"),
                b"message" => has("role") && has("text"),
                b"tool_call" => has("toolCallId") && has("toolName"),
                b"tool_result" => has("toolCallId"),
                b"completion" => has("finalText"),
                _ => false,
            };
            return if is_event { 70 } else { 0 };
        }
        let is_message = kind.is("message") && val.at(&["message", "role"]).is_some() && has("id");
        let is_of_pi = val.at(&["message", "api"]).is_some() || val.at(&["message", "toolCallId"]).is_some();
        if is_message && !is_of_pi { 15 } else { 0 }
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        // Lines of other types are skipped.
        val.get(name::r#type).is_some_and(|kind| kind.is_string())
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(DroidReader::default()))
    }
}

/// A line with messages.
struct DroidLine {
    id: Option<Box<str>>,
    parent: Option<Box<str>>,
    thread: ThreadBuilder,
}

#[derive(Default)]
struct DroidReader {
    label: Option<Box<str>>,
    model: Option<Box<str>>,
    version: Option<Version>,
    lines: Vec<DroidLine>,
    /// True if the previous line is a text of the model.
    has_answered: bool,
}

impl ThreadReader for DroidReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        let val = record.val;
        let kind = val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        let mut thread = ThreadBuilder::continuation();
        let had_answered = std::mem::take(&mut self.has_answered);
        match kind.as_ref() {
            b"session_start" => {
                self.label = text(val, "id");
                self.version = parsed(val, "version", Version::parse);
            }
            b"system" => {
                self.label = text(val, "session_id");
                self.model = text(val, "model");
            }
            b"message" if val.get(name::message).is_some() => {
                let role = role(val.at(&["message", "role"]));
                self.model = text_at(val, &["message", "model"]).or(self.model.take());
                thread.content(role, val.at(&["message", "content"]), record);
            }
            b"message" => {
                let role = role(val.get(name::role));
                self.has_answered = role == Role::Assistant;
                thread.text(role, val.get(name::text), record);
            }
            // It repeats the last answer, unless that was not printed separately.
            b"completion" if !had_answered => thread.text(Role::Assistant, val.get("finalText"), record),
            b"tool_call" => {
                let Some(name) = val.get(name::toolName).and_then(|name| Text::copied(name, record.base)) else {
                    return;
                };
                thread.push_call(
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
                thread.result(val, output, record);
            }
            _ => return,
        }
        self.lines.push(DroidLine { id: text(val, "id"), parent: text(val, "parentId"), thread });
    }

    fn finish(self: Box<Self>) -> Vec<TranslatedThread> {
        let path = path(&self.lines);
        let mut thread = ThreadBuilder::default();
        for (n, line) in self.lines.into_iter().enumerate() {
            match path.contains(&n) {
                true => thread.join(line.thread),
                false => thread.omit_all(line.thread, "it is on another branch than the last line"),
            }
        }
        let settings = HistorySettings {
            label: self.label,
            model: self.model,
            agent_version: self.version,
            ..HistorySettings::default()
        };
        vec![thread.finish(&INFO, settings)]
    }
}

/// The numbers of the lines that lead to the last one. A line whose parent is missing follows the line before it.
fn path(lines: &[DroidLine]) -> HashSet<usize> {
    let by_id: HashMap<&str, usize> =
        lines.iter().enumerate().filter_map(|(n, line)| Some((line.id.as_deref()?, n))).collect();
    let mut path = HashSet::default();
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
