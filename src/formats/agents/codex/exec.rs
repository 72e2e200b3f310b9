//! What `codex exec --json` prints: events of a thread. Its items have no ids or blobs of the API, and prompts are not in it:
//! it is a log of what was said and run, which can be converted and not replayed.

use crate::format::translate::{Stored, ThreadReader, Translated};
use crate::format::unsent::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{Role, Settings};
use crate::json::edit::Base;
use crate::json::pieces::Pieced;
use crate::json::{Val, name};

use crate::formats::spoken;
use crate::formats::spoken::{Call, Dialects, Id, STORE, Says, Thought, Turn};

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
        Layout::Threads(|| Box::new(Thread::default()))
    }
}

#[derive(Default)]
struct Thread {
    id: Option<Box<str>>,
    turns: Vec<Turn>,
    /// Thoughts that go with what comes next.
    thoughts: Vec<Says>,
    /// Calls that have begun: their items, and what says them.
    open: Vec<(Box<str>, Turn)>,
}

impl ThreadReader for Thread {
    fn take(&mut self, record: &Stored<'_>) {
        let text = |key: &str| record.val.get(key).and_then(|own| own.text());
        match text("type").as_deref() {
            Some(b"thread.started") => {
                self.id = text("thread_id").map(|id| String::from_utf8_lossy(&id).into());
            }
            Some(b"item.started") => self.item(record, false),
            Some(b"item.completed") => self.item(record, true),
            _ => {}
        }
    }

    fn finish(mut self: Box<Self>) -> Vec<Translated> {
        // What the run ended in.
        self.turns.extend(self.open.into_iter().map(|(_, turn)| turn));
        let settings = Settings { label: self.id, read_only: Some(READ_ONLY), ..Settings::default() };
        vec![spoken::told_in(&INFO, settings, self.turns)]
    }
}

impl Thread {
    fn item(&mut self, record: &Stored<'_>, is_done: bool) {
        let Some(item) = record.val.get(name::item) else { return };
        let (base, at) = (record.base, record.base.of(item));
        let turn = |role, says| Turn { role, says: vec![says], at, record: record.number };
        if let Some((id, call, result)) = tool(item, base) {
            self.open.retain(|(open, _)| *open != id);
            match is_done {
                true => {
                    let mut answer = turn(Role::Assistant, call);
                    answer.says.splice(..0, self.thoughts.drain(..));
                    self.turns.extend([answer, turn(Role::Tool, result)]);
                }
                false => self.open.push((id, turn(Role::Assistant, call))),
            }
            return;
        }
        let is = |kind: &str| item.get(name::r#type).is_some_and(|own| own.is(kind));
        let Some(text) = item.get(name::text).filter(|text| text.is_string() && is_done) else { return };
        let text = Pieced::of(text, base);
        if is("agent_message") {
            let mut answer = turn(Role::Assistant, Says::Text { text, id: None, at });
            answer.says.splice(..0, self.thoughts.drain(..));
            self.turns.push(answer);
        } else if is("reasoning") {
            let thought = Thought { text, signature: None, redacted: None, id: None, blob: None, at };
            self.thoughts.push(Says::Thought(thought));
        }
    }
}

/// A call, its result, and the id of the item that both are.
fn tool(item: Val<'_>, base: Base<'_>) -> Option<(Box<str>, Says, Says)> {
    let (_, keys, result) =
        TOOLS.iter().find(|(kind, ..)| item.get(name::r#type).is_some_and(|own| own.is(kind)))?;
    let at = base.of(item);
    let id = Id::of(item.get(name::id), base)?;
    let input = keys.iter().fold(Pieced::object(at), |input, key| input.with_copy(key, item.get(key), base));
    let output = item.get(name::error).filter(|error| !error.is_null()).or_else(|| item.get(result));
    let output =
        output.filter(|own| !own.is_null()).map_or_else(|| Pieced::text("", at), |own| Pieced::as_text(own, base));
    let failed = item.get(name::status).is_some_and(|status| status.is("failed"));
    let name = Pieced::of(item.get(name::r#type)?, base);
    let call = Says::Call(Call { id: id.clone(), name, input, item: None, at });
    Some((id.text.clone(), call, Says::Result { call: id, output, failed, at }))
}
