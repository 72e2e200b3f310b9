//! Tasks of Roo Code and Kilo Code: `api_conversation_history.json`. A summary or a truncation marker stands for the
//! messages that name it as their parent, which stay in the file and are not sent; a parent that is gone stands for none.

use crate::dialects::cline::CLINE;
use crate::format::{Format, FormatInfo, Histories, Probe, Record, Sink};
use crate::history::Usage;

use super::task;
use super::task::{Of, PARTS, POSITIONS};

pub struct RooTask;

pub static FORMAT: RooTask = RooTask;

static INFO: FormatInfo = FormatInfo {
    name: "roo-task",
    title: "Roo Code or Kilo Code task (`api_conversation_history.json`)",
    known_by: "the same list with `condenseParent`, `truncationParent`, `isSummary`, `reasoning_details` or reasoning items",
    dialect: &CLINE,
    target: "anthropic",
    usage: Usage::Log,
    histories: Histories::PerRecord,
    parts: &PARTS,
    records_responses: false,
};

impl Format for RooTask {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if task::writer_of(probe.val) == Some(Of::Roo) { 92 } else { 0 }
    }

    fn positions(&self) -> Option<(&'static str, &'static str)> {
        Some(POSITIONS)
    }

    fn read(&self, record: &Record<'_>, sink: &mut dyn Sink) {
        task::read(record, sink);
    }
}
