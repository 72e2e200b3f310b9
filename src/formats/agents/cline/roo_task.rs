//! Tasks of Roo Code and Kilo Code: `api_conversation_history.json`. A summary or a truncation marker replaces the messages
//! that name it as their parent: they stay in the file, and are not sent. A missing parent replaces none.

use crate::dialects::cline::CLINE;
use crate::format::{Format, FormatInfo, HistoryScope, Layout, Probe, Upstream};
use crate::history::Usage;

use super::task;
use super::task::{PARTS, POSITIONS, TaskAgent};

pub struct RooTask;

pub static FORMAT: RooTask = RooTask;

static INFO: FormatInfo = FormatInfo {
    name: "roo-task",
    title: "Roo Code or Kilo Code task (`api_conversation_history.json`)",
    upstream: Some(Upstream { repository: "RooCodeInc/Roo-Code", file: None, version: Some("2026-04") }),
    known_by: "the same list with `condenseParent`, `truncationParent`, `isSummary`, `reasoning_details` or reasoning items",
    usage: Usage::Log,
    histories: HistoryScope::PerRecord,
    parts: &PARTS,
    is_read_whole: true,
    positions: Some(POSITIONS),
    ..FormatInfo::of(&CLINE, "anthropic")
};

impl Format for RooTask {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if task::agent_of(probe.val) == Some(TaskAgent::Roo) { 95 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(task::read)
    }
}
