//! Event streams of iterate's agents: `{type, payload, offset, createdAt}`, one per line or in an array. A request is
//! identified by the offset of the event that made it; what it sends is reduced from the events up to there, for contracts from
//! version 4 on as [`prompt`] projects it. Older streams also contain each request's body, which repeats the whole history.

mod assemble;
mod digest;
mod event;
mod follow;
mod frame;
mod messages;
mod parse;
mod prompt;
mod rebuild;
mod reduce;

use crate::dialects::chat::CHAT;
use crate::format::requests::{RebuildQuery, RequestLog, RequestRebuilder, RequestTracker};
use crate::format::{
    EditSupport, Format, FormatInfo, HistoryScope, Layout, Probe, RecordPart, RemovalUnit, Upstream,
};
use crate::history::Usage;

pub struct IterateStream;

pub static FORMAT: IterateStream = IterateStream;

static INFO: FormatInfo = FormatInfo {
    name: "iterate-stream",
    title: "event stream of an iterate agent",
    upstream: Some(Upstream {
        repository: "iterate/iterate",
        file: Some("apps/os/src/domains/agents/agent-processor-contract.ts"),
        version: Some("3852bda6"),
    }),
    known_by: "events whose `type` begins with `events.iterate.com/`, one per line or in an array",
    usage: Usage::Log,
    histories: HistoryScope::PerDoc,
    parts: &[
        RecordPart { path: &["payload", "body", "messages"], unit: RemovalUnit::Element },
        RecordPart { path: &["payload", "message", "input"], unit: RemovalUnit::Element },
    ],
    read_only: Some("editing event streams is not supported"),
    requests: Some(&FORMAT),
    edit_support: EditSupport::Unsupported,
    ..FormatInfo::of(&CHAT, "chat")
};

impl Format for IterateStream {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let first =
            if probe.val.is_array() { probe.val.elements().find(|e| e.is_object()) } else { Some(probe.val) };
        if first.and_then(parse::type_of).is_some() { 100 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Custom(|| Box::<reduce::Stream>::default(), parse::read)
    }
}

impl RequestLog for IterateStream {
    fn providers(&self) -> &'static [&'static str] {
        &rebuild::PROVIDERS
    }

    fn tracker(&self) -> Box<dyn RequestTracker> {
        Box::<follow::IterateTracker>::default()
    }

    fn rebuilder<'a>(&self, asked: RebuildQuery<'a>) -> Box<dyn RequestRebuilder + 'a> {
        Box::new(rebuild::IterateRebuilder::new(asked))
    }
}
