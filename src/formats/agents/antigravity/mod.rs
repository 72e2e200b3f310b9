//! Sessions of Antigravity: one line for each step of a trajectory. Steps that run a tool follow the answer that called it,
//! without ids. The output of a step without a preceding call is translated as text.

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe};
use crate::history::{HistorySettings, Role};
use crate::json::{Val, name};

use crate::formats::member::text;
use crate::formats::threads::{Dialects, STORE, ThreadBuilder};

pub mod resume;

pub struct Antigravity;

pub static FORMAT: Antigravity = Antigravity;

static INFO: FormatInfo = Dialects::of_agent(FormatInfo {
    name: "antigravity",
    title: "Antigravity session",
    known_by: "lines with `step_index`, `source`, `type` and `status`",
    is_appended: true,
    unsent: UNSENT,
    ..STORE
})
.chat;

const READ_ONLY: &str =
    "editing Antigravity sessions is not supported; `replaylint convert --to API FILE` writes a request";

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[UnsentPaths {
    paths: &["promptVariant", "source", "status"],
    why: "the origin and the progress of a record",
}];

impl Format for Antigravity {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let has = |name| probe.get(name).is_some_and(|own| own.is_string());
        let is_step = probe.get(name::step_index).is_some_and(|index| index.as_u64().is_some());
        if is_step && has(name::source) && has(name::r#type) && has(name::status) { 95 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(AntigravityReader::default()))
    }
}

#[derive(Default)]
struct AntigravityReader {
    thread: ThreadBuilder,
    model: Option<Box<str>>,
}

impl ThreadReader for AntigravityReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        let val = record.val;
        let kind = val.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        self.model = text(val, "model").or(self.model.take());
        match kind.as_ref() {
            b"USER_INPUT" => {
                self.thread.begin();
                self.thread.text(Role::User, val.get(name::content), record);
            }
            b"PLANNER_RESPONSE" => {
                self.thread.begin();
                if let Some(thought) = val.get(name::thinking).filter(Val::is_string) {
                    self.thread.push_reasoning(thought, record);
                }
                self.thread.text(Role::Assistant, val.get(name::content), record);
                for call in val.get(name::tool_calls).into_iter().flat_map(|calls| calls.elements()) {
                    self.thread.call(Role::Assistant, call, record);
                }
            }
            _ => {
                if let Some(content) = val.get(name::content).filter(|own| own.is_string() && !own.is("")) {
                    let output = self.thread.output(content, record);
                    self.thread.push_result(None, output, false, val, record);
                }
            }
        }
    }

    fn finish(self: Box<Self>) -> Vec<TranslatedThread> {
        let settings =
            HistorySettings { model: self.model, read_only: Some(READ_ONLY), ..HistorySettings::default() };
        vec![self.thread.pair_results().finish(&INFO, settings)]
    }
}
