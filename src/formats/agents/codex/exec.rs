//! The output of `codex exec --json`: events of a thread. Its items have no ids or encrypted content of the API, and it has
//! no prompts: it is a log of answers and commands, which can be converted but not replayed.

use foldhash::HashMap;

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{HistorySettings, Role};
use crate::json::{Val, name};
use crate::message::{CallInput, Message, Part, RawJson, ResultPart, Text};

use crate::formats::member::text;
use crate::formats::threads::{Dialects, STORE, mcp_output, parts, translate};

pub struct CodexExec;

pub static FORMAT: CodexExec = CodexExec;

static INFO: FormatInfo = Dialects::of_agent(FormatInfo {
    name: "codex-exec-json",
    title: "output of `codex exec --json`",
    upstream: Some(Upstream {
        repository: "openai/codex",
        file: Some("codex-rs/exec/src/exec_events.rs"),
        version: Some("0.169.0"),
    }),
    known_by: "lines of `type` thread.started, turn.started, item.completed …",
    unsent: UNSENT,
    ..STORE
})
.chat;

const READ_ONLY: &str =
    "this is the output of a run, which Codex does not read back; the session is stored in the rollout";

/// Types of items that are tool calls, the members that form the call's input, and the member with its result.
const TOOLS: [(&str, &[&str], &str); 4] = [
    ("command_execution", &["command"], "aggregated_output"),
    ("mcp_tool_call", &["server", "tool", "arguments"], "result"),
    ("file_change", &["changes"], "status"),
    ("web_search", &["query"], "status"),
];

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["thread_id", "item/status=completed|failed|in_progress"],
        why: "the progress of an item",
    },
    UnsentPaths {
        paths: &["[type=item.started|item.updated]item/**"],
        why: "the item, which is repeated when it is completed",
    },
];

impl Format for CodexExec {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let is_object = |key: &str| probe.val.get(key).is_some_and(|own| own.is_object());
        let Some(kind) = probe.text(name::r#type) else { return 0 };
        match kind.as_ref() {
            b"thread.started" if probe.has(name::thread_id) => 95,
            b"item.started" | b"item.updated" | b"item.completed" if is_object("item") => 95,
            b"turn.completed" if is_object("usage") => 90,
            b"turn.failed" if is_object("error") => 90,
            b"turn.started" => 60,
            b"error" if probe.has(name::message) && probe.count == 2 => 10,
            _ => 0,
        }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(CodexExecReader::default()))
    }
}

#[derive(Default)]
struct CodexExecReader {
    id: Option<Box<str>>,
    messages: Vec<Message>,
    /// Reasoning that belongs to the next message.
    thoughts: Vec<Part>,
    /// The messages of calls that began; `None` once there is a result.
    open: Vec<Option<Message>>,
    /// Their numbers, by the ids of their items.
    open_by_id: HashMap<Text, usize>,
}

impl ThreadReader for CodexExecReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        match text(record.val, "type").as_deref() {
            Some("thread.started") => self.id = text(record.val, "thread_id"),
            Some("item.started") => self.read_item(record, false),
            Some("item.completed") => self.read_item(record, true),
            _ => {}
        }
    }

    fn finish(mut self: Box<Self>) -> Vec<TranslatedThread> {
        // Calls that were still running when the run ended.
        self.messages.extend(self.open.into_iter().flatten());
        let settings =
            HistorySettings { label: self.id, read_only: Some(READ_ONLY), ..HistorySettings::default() };
        vec![translate(&INFO, settings, self.messages)]
    }
}

impl CodexExecReader {
    fn read_item(&mut self, record: &ParsedRecord<'_>, is_done: bool) {
        let Some(item) = record.val.get(name::item) else { return };
        let at = record.base.of(item);
        let message = |role, parts| parts::message(role, parts, at, record.number);
        if let Some((id, call, result)) = tool_call(item, record) {
            if let Some(begun) = self.open_by_id.remove(&id).and_then(|at| self.open.get_mut(at)) {
                *begun = None;
            }
            match is_done {
                true => {
                    let answer = self.thoughts.drain(..).chain([call]).collect();
                    self.messages.extend([message(Role::Assistant, answer), message(Role::Tool, vec![result])]);
                }
                false => {
                    self.open_by_id.insert(id, self.open.len());
                    self.open.push(Some(message(Role::Assistant, vec![call])));
                }
            }
            return;
        }
        let content = item.get(name::text).and_then(|text| Text::copied(text, record.base));
        let Some(content) = content.filter(|_| is_done) else { return };
        match text(item, "type").as_deref() {
            Some("agent_message") => {
                let answer = self.thoughts.drain(..).chain([Part::text(content, at.into())]).collect();
                self.messages.push(message(Role::Assistant, answer));
            }
            Some("reasoning") => self.thoughts.push(parts::thinking(Some(content), None, at)),
            _ => {}
        }
    }
}

/// The id of an item that is a call, the call, and its result.
fn tool_call(item: Val<'_>, record: &ParsedRecord<'_>) -> Option<(Text, Part, Part)> {
    let (base, at, kind) = (record.base, record.base.of(item), item.get(name::r#type)?);
    let (_, keys, result) = TOOLS.iter().find(|(own, ..)| kind.is(own))?;
    let id = parts::text(item.get(name::id), base)?;
    let input = RawJson::build(at, |w| {
        w.object(|w| {
            for (key, own) in keys.iter().filter_map(|key| Some((key, item.get(key)?))) {
                w.key(key).copy(own, base);
            }
        });
    });
    let output = [item.get(name::error), item.get(result)].into_iter().flatten().find(|own| !own.is_null());
    let failed = item.get(name::status).is_some_and(|status| status.is("failed"));
    let call = parts::call(id.clone(), Text::copied(kind, base)?, CallInput::Json(input), at);
    let result =
        parts::result(id.clone(), output.map(|own| result_parts(own, record)).unwrap_or_default(), failed, at);
    Some((id, call, result))
}

/// The output of a tool. Of MCP tools it is a list of blocks, unless there is structured content.
fn result_parts(output: Val<'_>, record: &ParsedRecord<'_>) -> Vec<ResultPart> {
    let blocks = output.get(name::content).filter(Val::is_array);
    match blocks.filter(|_| output.get("structured_content").is_none_or(|own| own.is_null())) {
        Some(blocks) => mcp_output(blocks, record),
        None => vec![ResultPart::Text(Text::of_json(output, record.base))],
    }
}
