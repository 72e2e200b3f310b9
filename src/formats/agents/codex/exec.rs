//! What `codex exec --json` prints: events of a thread. Its items have no ids or blobs of the API, and prompts are not in it:
//! it is a log of what was said and run, which can be converted and not replayed.

use crate::format::translate::{Stored, ThreadReader, Translated};
use crate::format::unsent::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{Role, Settings};
use crate::json::{Val, name};
use crate::message::{Input, Message, Part, Raw, ResultPart, Text};

use crate::formats::member::text;
use crate::formats::threads::{Dialects, STORE, mcp_output, parts, translated};

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
    "it is the output of a run, which Codex does not read again; the session is in the rollout";

/// Items that are a call of a tool, what the call is made of, and where its result is.
const TOOLS: [(&str, &[&str], &str); 4] = [
    ("command_execution", &["command"], "aggregated_output"),
    ("mcp_tool_call", &["server", "tool", "arguments"], "result"),
    ("file_change", &["changes"], "status"),
    ("web_search", &["query"], "status"),
];

/// What of the store no request says.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths { paths: &["thread_id", "item/status=completed|failed|in_progress"], why: "how far an item was" },
    UnsentPaths {
        paths: &["[type=item.started|item.updated]item/**"],
        why: "the item comes again when it is completed",
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
        Layout::Threads(|| Box::new(Run::default()))
    }
}

#[derive(Default)]
struct Run {
    id: Option<Box<str>>,
    messages: Vec<Message>,
    /// Thoughts that go with what comes next.
    thoughts: Vec<Part>,
    /// Calls that have begun: the ids of their items, and their messages.
    open: Vec<(Text, Message)>,
}

impl ThreadReader for Run {
    fn take(&mut self, record: &Stored<'_>) {
        match text(record.val, "type").as_deref() {
            Some("thread.started") => self.id = text(record.val, "thread_id"),
            Some("item.started") => self.item(record, false),
            Some("item.completed") => self.item(record, true),
            _ => {}
        }
    }

    fn finish(mut self: Box<Self>) -> Vec<Translated> {
        // What the run ended in.
        self.messages.extend(self.open.into_iter().map(|(_, message)| message));
        let settings = Settings { label: self.id, read_only: Some(READ_ONLY), ..Settings::default() };
        vec![translated(&INFO, settings, self.messages)]
    }
}

impl Run {
    fn item(&mut self, record: &Stored<'_>, is_done: bool) {
        let Some(item) = record.val.get(name::item) else { return };
        let at = record.base.of(item);
        let message = |role, parts| parts::message(role, parts, at, record.number);
        if let Some((id, call, result)) = tool(item, record) {
            self.open.retain(|(open, _)| *open != id);
            match is_done {
                true => {
                    let answer = self.thoughts.drain(..).chain([call]).collect();
                    self.messages.extend([message(Role::Assistant, answer), message(Role::Tool, vec![result])]);
                }
                false => self.open.push((id, message(Role::Assistant, vec![call]))),
            }
            return;
        }
        let said = item.get(name::text).and_then(|text| Text::copied(text, record.base));
        let Some(said) = said.filter(|_| is_done) else { return };
        match text(item, "type").as_deref() {
            Some("agent_message") => {
                let answer = self.thoughts.drain(..).chain([Part::text(said, at.into())]).collect();
                self.messages.push(message(Role::Assistant, answer));
            }
            Some("reasoning") => self.thoughts.push(parts::thinking(Some(said), None, at)),
            _ => {}
        }
    }
}

/// The id of an item that is a call, the call, and its result.
fn tool(item: Val<'_>, record: &Stored<'_>) -> Option<(Text, Part, Part)> {
    let (base, at, kind) = (record.base, record.base.of(item), item.get(name::r#type)?);
    let (_, keys, result) = TOOLS.iter().find(|(own, ..)| kind.is(own))?;
    let id = parts::text(item.get(name::id), base)?;
    let input = Raw::build(at, |w| {
        w.object(|w| {
            for (key, own) in keys.iter().filter_map(|key| Some((key, item.get(key)?))) {
                w.key(key).copy(own, base);
            }
        });
    });
    let given = [item.get(name::error), item.get(result)].into_iter().flatten().find(|own| !own.is_null());
    let failed = item.get(name::status).is_some_and(|status| status.is("failed"));
    let call = parts::call(id.clone(), Text::copied(kind, base)?, Input::Json(input), at);
    let result = parts::result(id.clone(), given.map(|own| results(own, record)).unwrap_or_default(), failed, at);
    Some((id, call, result))
}

/// What a tool gave. That of MCP is a list of blocks, unless it is a value, too.
fn results(given: Val<'_>, record: &Stored<'_>) -> Vec<ResultPart> {
    let blocks = given.get(name::content).filter(Val::is_array);
    match blocks.filter(|_| given.get("structured_content").is_none_or(|own| own.is_null())) {
        Some(blocks) => mcp_output(blocks, record),
        None => vec![ResultPart::Text(Text::of_json(given, record.base))],
    }
}
