//! The write-ahead log of AG2: an event a line. The events that a compaction removed from `<stream>.jsonl` are in
//! `<stream>.dropped-<N>.jsonl` next to it, and precede it.

use crate::dialects::ag2::{AG2, Ag2Event};
use crate::format::{Format, FormatInfo, HistoryScope, Layout, Probe, Record, Sink, Upstream};
use crate::history::Usage;
use crate::json::Val;

use super::events::{PARTS, RECOGNISED_BY, event_score, read_event};

pub struct Ag2Log;

pub static FORMAT: Ag2Log = Ag2Log;

static INFO: FormatInfo = FormatInfo {
    name: "ag2-log",
    title: "AG2 write-ahead log",
    upstream: Some(Upstream { repository: "ag2ai/ag2", file: Some("ag2/events"), version: Some("1.2.1") }),
    known_by: RECOGNISED_BY,
    usage: Usage::Log,
    histories: HistoryScope::PerDoc,
    parts: &PARTS,
    has_segments: true,
    ..FormatInfo::of(&AG2, "openai")
};

impl Format for Ag2Log {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if probe.val.is_object() { event_score(probe.val) } else { 0 }
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        // Classes that the user defined are skipped, as by AG2.
        Ag2Event::of(val).is_some()
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    read_event(record.val, record, sink);
}
