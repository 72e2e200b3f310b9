//! Sessions of Kode: lines in the manner of Claude Code, and the older form, one JSON array of messages. No released
//! version stores a response's id; where there is one, it is `message.id`. The blocks of models that Kode reaches through
//! the Responses API are judged as the calls and outputs that it sends for them.

use crate::dialects::anthropic::ANTHROPIC;
use crate::format::{Format, FormatInfo, Histories, Layout, Part, Probe, Record, Sink, Unit, Upstream};
use crate::history::Usage;
use crate::json::Val;

use super::super::session_lines;
use super::super::session_lines::{
    Writer, Writes, is_answer, is_line, is_of_other_model, read_message, score, score_of_array, writer_of,
};

/// What both sorts of sessions are called.
pub const NAME: &str = "kode-session";

pub(super) static WRITER: Writer = Writer { keeps_responses: true, is_linked: false };

/// Sessions of Claude's models.
pub struct KodeSession;

pub static FORMAT: KodeSession = KodeSession;

static INFO: FormatInfo = FormatInfo {
    name: NAME,
    title: "Kode session (Claude-Code-like lines), also its older array of messages",
    upstream: Some(Upstream { repository: "shareAI-lab/Kode-CLI", file: None, version: Some("3.0.0") }),
    known_by: "the same lines with `agentId` main or keys of its own, or with nothing that Claude Code writes",
    usage: Usage::Log,
    histories: Histories::Session,
    parts: &[Part { path: &["message", "content"], unit: Unit::Element }],
    appended: true,
    placeholder: Some(session_lines::unreadable),
    ..FormatInfo::of(&ANTHROPIC, "anthropic")
};

/// How surely Kode wrote a line. A line that occurs in only one of its two kinds of sessions counts most.
pub(super) fn claim(probe: &Probe<'_>, tells: impl Fn(Val<'_>) -> bool) -> u8 {
    if probe.val.is_array() {
        return score_of_array(probe, tells);
    }
    score(probe, &|line| match writer_of(line) {
        Writes::ClaudeCode => 88,
        Writes::ClaudeCodeOrKode => 94,
        Writes::Kode | Writes::Either => 97 + u8::from(tells(line)),
    })
}

impl Format for KodeSession {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        claim(probe, |line| is_answer(line) && !is_of_other_model(line))
    }

    fn knows(&self, val: Val<'_>) -> bool {
        is_line(val)
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    let message = |message: Val<'_>, role, record: &Record<'_>, sink: &mut dyn Sink| {
        read_message(message, role, record, sink, 0);
    };
    session_lines::read(record, &WRITER, &message, sink);
}
