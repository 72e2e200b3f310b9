//! Event streams of iterate's agents: `{type, payload, offset, createdAt}`, one a line or in an array. A request is
//! known by the offset of the event that made it; what it sends is reduced from the events up to there. Older streams
//! carry each request's body as well, and repeat all of the history with each.

mod assemble;
mod digest;
mod event;
mod follow;
mod frame;
mod messages;
mod parse;
mod rebuild;
mod reduce;

use crate::dialects::chat::CHAT;
use crate::format::requests::{Asked, Follow, Rebuild, Requests};
use crate::format::{Edited, Format, FormatInfo, Histories, Layout, Part, Probe, Unit, Upstream};
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
    histories: Histories::PerDoc,
    parts: &[
        Part { path: &["payload", "body", "messages"], unit: Unit::Element },
        Part { path: &["payload", "message", "input"], unit: Unit::Element },
    ],
    read_only: Some("event streams are not edited"),
    requests: Some(&FORMAT),
    edited: Edited::Never,
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

impl Requests for IterateStream {
    fn providers(&self) -> &'static [&'static str] {
        &rebuild::PROVIDERS
    }

    fn follow(&self) -> Box<dyn Follow> {
        Box::<follow::Feed>::default()
    }

    fn rebuild<'a>(&self, asked: Asked<'a>) -> Box<dyn Rebuild + 'a> {
        Box::new(rebuild::Rebuilding::new(asked))
    }
}
