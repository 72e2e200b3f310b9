//! Tasks of Roo Code and Kilo Code: `api_conversation_history.json`. A summary or a truncation marker stands for the
//! messages that name it as their parent, which stay in the file and are not sent; a parent that is gone stands for none.

use crate::dialects::cline::CLINE;
use crate::format::{Format, FormatInfo, Histories, Layout, Probe, Upstream};
use crate::history::Usage;

use super::task;
use super::task::{Of, PARTS, POSITIONS};

pub struct RooTask;

pub static FORMAT: RooTask = RooTask;

static INFO: FormatInfo = FormatInfo {
    name: "roo-task",
    title: "Roo Code or Kilo Code task (`api_conversation_history.json`)",
    upstream: Some(Upstream { repository: "RooCodeInc/Roo-Code", file: None, version: Some("2026-04") }),
    known_by: "the same list with `condenseParent`, `truncationParent`, `isSummary`, `reasoning_details` or reasoning items",
    usage: Usage::Log,
    histories: Histories::PerRecord,
    parts: &PARTS,
    positions: Some(POSITIONS),
    ..FormatInfo::of(&CLINE, "anthropic")
};

impl Format for RooTask {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if task::writer_of(probe.val) == Some(Of::Roo) { 92 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(task::read)
    }
}
