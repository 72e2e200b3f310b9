//! Sessions of Cline: `<session>.messages.json` of its SDK and command line, and `api_conversation_history.json` of a task.

use crate::dialects::cline::CLINE;
use crate::format::{Format, FormatInfo, HistoryScope, Layout, Probe, Upstream};
use crate::history::Usage;
use crate::json::name;

use super::task;
use super::task::{PARTS, POSITIONS, TaskAgent};

pub struct ClineSession;

pub static FORMAT: ClineSession = ClineSession;

static INFO: FormatInfo = FormatInfo {
    name: "cline-session",
    title: "Cline session (`<session>.messages.json`, `api_conversation_history.json`)",
    upstream: Some(Upstream { repository: "cline/cline", file: None, version: Some("3.0.65") }),
    known_by: "`messages` with `sessionId`, `version` and `agent` or `updated_at`; or a list of messages of blocks with \
              `ts` or `modelInfo`",
    usage: Usage::Log,
    histories: HistoryScope::PerRecord,
    parts: &PARTS,
    is_read_whole: true,
    positions: Some(POSITIONS),
    ..FormatInfo::of(&CLINE, "anthropic")
};

impl Format for ClineSession {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        match probe.val.is_array() {
            true if task::agent_of(probe.val) == Some(TaskAgent::Cline) => 92,
            false if is_session(probe) => 95,
            _ => 0,
        }
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(task::read)
    }
}

fn is_session(probe: &Probe<'_>) -> bool {
    let val = probe.val;
    let text = |key: &str| val.get(key).is_some_and(|own| own.is_string());
    probe.has(name::messages)
        && text("sessionId")
        && val.get(name::version).is_some_and(|version| version.as_u64().is_some())
        && (text("agent") || text("updated_at"))
        && val
            .get(name::messages)
            .is_some_and(|list| list.is_array() && list.elements().take(20).all(task::is_message))
}
