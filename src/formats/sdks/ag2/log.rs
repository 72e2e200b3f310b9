//! The write-ahead log of AG2: an event a line. What a compaction took out of `<stream>.jsonl` lies beside it in
//! `<stream>.dropped-<N>.jsonl`, and comes before it.

use crate::dialects::ag2::{AG2, Ag2Event};
use crate::format::{Format, FormatInfo, Histories, Layout, Probe, Record, Sink, Upstream};
use crate::history::Usage;
use crate::json::Val;

use super::events::{PARTS, TOLD_BY, event_score, read_event};

pub struct Ag2Log;

pub static FORMAT: Ag2Log = Ag2Log;

static INFO: FormatInfo = FormatInfo {
    name: "ag2-log",
    title: "AG2 write-ahead log",
    upstream: Some(Upstream { repository: "ag2ai/ag2", file: Some("ag2/events"), version: Some("1.2.1") }),
    known_by: TOLD_BY,
    usage: Usage::Log,
    histories: Histories::PerDoc,
    parts: &PARTS,
    segments: true,
    ..FormatInfo::of(&AG2, "openai")
};

impl Format for Ag2Log {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if probe.val.is_object() { event_score(probe.val) } else { 0 }
    }

    fn knows(&self, val: Val<'_>) -> bool {
        // Classes of the user's own are passed over, as AG2 does.
        Ag2Event::of(val).is_some()
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    read_event(record.val, record, sink);
}
