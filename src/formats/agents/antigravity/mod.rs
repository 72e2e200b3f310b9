//! Sessions of Antigravity: a line for each step of a trajectory. Steps that run a tool come after the answer that called it;
//! they have no ids. What a step says without a call before it is kept as text.

use crate::format::translate::{Stored, ThreadReader, Translated};
use crate::format::unsent::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe};
use crate::history::{Role, Settings};
use crate::json::{Val, name};

use crate::formats::member::text;
use crate::formats::threads::{Dialects, STORE, ThreadBuilder};

pub struct Antigravity;

pub static FORMAT: Antigravity = Antigravity;

static INFO: FormatInfo = Dialects::of_agent(FormatInfo {
    name: "antigravity",
    title: "Antigravity session",
    known_by: "lines with `step_index`, `source`, `type` and `status`",
    appended: true,
    unsent: UNSENT,
    ..STORE
})
.chat;

const READ_ONLY: &str =
    "sessions of Antigravity are not edited; `replaylint convert --to API FILE` writes a request";

/// What of the store no request says.
const UNSENT: &[UnsentPaths] = &[UnsentPaths {
    paths: &["promptVariant", "source", "status"],
    why: "who wrote a record, and how far it was",
}];

impl Format for Antigravity {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let has = |key: &str| probe.val.get(key).is_some_and(|own| own.is_string());
        let is_step = probe.val.get("step_index").is_some_and(|index| index.as_u64().is_some());
        if is_step && has("source") && has("type") && has("status") { 95 } else { 0 }
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
        let kind = val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        self.model = text(val, "model").or(self.model.take());
        match kind.as_ref() {
            b"USER_INPUT" => {
                self.said.begin();
                self.said.text(Role::User, val.get(name::content), record);
            }
            b"PLANNER_RESPONSE" => {
                self.said.begin();
                if let Some(thought) = val.get(name::thinking).filter(Val::is_string) {
                    self.said.thought(thought, record);
                }
                self.said.text(Role::Assistant, val.get(name::content), record);
                for call in val.get(name::tool_calls).into_iter().flat_map(|calls| calls.elements()) {
                    self.said.call(Role::Assistant, call, record);
                }
            }
            _ => {
                if let Some(content) = val.get(name::content).filter(|own| own.is_string() && !own.is("")) {
                    let output = self.said.output(content, record);
                    self.said.result_of(None, output, false, val, record);
                }
            }
        }
    }

    fn finish(self: Box<Self>) -> Vec<Translated> {
        let settings = Settings { model: self.model, read_only: Some(READ_ONLY), ..Settings::default() };
        vec![self.said.answered().finish(&INFO, settings)]
    }
}
