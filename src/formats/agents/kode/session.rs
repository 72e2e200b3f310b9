//! Sessions of Kode: lines like those of Claude Code, and the older form, one JSON array of messages. No released version
//! stores a response's id; where there is one, it is `message.id`. `responses` reads sessions of the Responses API.

use crate::dialects::anthropic::ANTHROPIC;
use crate::format::{
    Format, FormatInfo, HistoryScope, Layout, Probe, Record, RecordPart, RemovalUnit, Sink, Upstream,
};
use crate::history::Usage;
use crate::json::Val;

use super::super::session_lines;
use super::super::session_lines::{
    ClientTraits, LineAuthor, LineMessage, author_of, is_answer, is_line, is_of_other_model, read_message, score,
    score_array,
};

/// Name of both formats of Kode.
pub const NAME: &str = "kode-session";

pub(super) static CLIENT: ClientTraits = ClientTraits { keeps_responses: true, is_linked: false };

/// Sessions with Claude models.
pub struct KodeSession;

pub static FORMAT: KodeSession = KodeSession;

static INFO: FormatInfo = FormatInfo {
    name: NAME,
    title: "Kode session (Claude-Code-like lines), also its older array of messages",
    upstream: Some(Upstream { repository: "shareAI-lab/Kode-CLI", file: None, version: Some("3.0.0") }),
    known_by: "the same lines with `agentId` main or keys of Kode, or without the keys of Claude Code",
    usage: Usage::Log,
    histories: HistoryScope::Session,
    parts: &[RecordPart { path: &["message", "content"], unit: RemovalUnit::Element }],
    is_appended: true,
    is_read_whole: true,
    placeholder: Some(session_lines::placeholder_line),
    ..FormatInfo::of(&ANTHROPIC, "anthropic")
};

/// Confidence that Kode wrote a line, highest for a line that occurs in only one of its two kinds of sessions.
pub(super) fn score_record(probe: &Probe<'_>, is_evidence: impl Fn(Val<'_>) -> bool) -> u8 {
    if probe.val.is_array() {
        return score_array(probe, is_evidence);
    }
    score(probe, &|line| match author_of(line) {
        LineAuthor::ClaudeCode => 88,
        LineAuthor::ClaudeCodeOrKode => 90,
        // No line is certain to be of one of the two kinds.
        LineAuthor::Kode | LineAuthor::Unknown => 93 + u8::from(is_evidence(line)),
    })
}

impl Format for KodeSession {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        score_record(probe, |line| is_answer(line) && !is_of_other_model(line))
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        is_line(val)
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    let message = |message: LineMessage<'_>, record: &Record<'_>, sink: &mut dyn Sink| {
        read_message(message, record, sink, 0);
    };
    session_lines::read(record, &CLIENT, &message, sink);
}
