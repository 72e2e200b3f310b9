//! Sessions of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, and those of its subagents below
//! `<session>/subagents`. Lines of one `message.id` are one message of the Messages API; the results between them belong
//! after it. Lines that the agent writes for itself (progress, hooks, titles, snapshots, synthetic answers) are never sent,
//! and at most link the chain; messages that it inserts in the user's name (`isMeta`) are sent.

pub mod resume;
pub mod write;

use crate::dialects::anthropic::ANTHROPIC;
use crate::format::{
    Format, FormatInfo, HistoryScope, Layout, Probe, Record, RecordPart, RemovalUnit, Sink, TextUse,
};
use crate::history::{Role, Usage};
use crate::json::{Val, fingerprint, name};

use super::session_lines::{
    self, ClientTraits, LineAuthor, LineMessage, author_of, is_answer, is_line, is_of_other_model, read_message,
    score,
};

pub struct ClaudeCode;

pub static FORMAT: ClaudeCode = ClaudeCode;

static CLIENT: ClientTraits = ClientTraits { keeps_responses: false, is_linked: true };

static INFO: FormatInfo = FormatInfo {
    name: "claude-code",
    title: "Claude Code session (lines linked by `parentUuid`)",
    known_by: "`type` user or assistant with `uuid` and `message`, and `version`, `userType` or `requestId`",
    usage: Usage::Log,
    histories: HistoryScope::Session,
    parts: &[RecordPart { path: &["message", "content"], unit: RemovalUnit::Element }],
    is_appended: true,
    text_use: Some(text_at),
    placeholder: Some(session_lines::placeholder_line),
    ..FormatInfo::of(&ANTHROPIC, "anthropic")
};

impl Format for ClaudeCode {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        score(probe, &|line| match author_of(line) {
            LineAuthor::ClaudeCode => 98,
            LineAuthor::ClaudeCodeOrKode => 94,
            LineAuthor::Kode => 84,
            LineAuthor::Unknown if is_answer(line) && is_of_other_model(line) => 84,
            LineAuthor::Unknown => 92,
        })
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        val.is_object() && is_line(val)
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    let message = |message: LineMessage<'_>, record: &Record<'_>, sink: &mut dyn Sink| {
        let id = message.val.get(name::id).filter(|_| message.role == Role::Assistant).and_then(|id| id.as_str());
        read_message(message, record, sink, id.map_or(0, fingerprint));
    };
    session_lines::read(record, &CLIENT, &message, sink);
}

/// The handling of the text at an offset of a line: unsent, sent, or sent and replaceable.
fn text_at(record: Val<'_>, at: u32) -> TextUse {
    let contains = |val: &Val<'_>| (val.start()..val.end()).contains(&at);
    let Some(message) = record.get(name::message).filter(contains) else { return TextUse::Unsent };
    let blocks = message.get(name::content).into_iter().flat_map(|content| content.elements());
    // Thinking is signed.
    let is_signed = |block: &Val<'_>| block.get(name::r#type).is_some_and(|kind| kind.is("thinking"));
    match blocks.into_iter().find(contains).filter(is_signed) {
        Some(_) => TextUse::Sent,
        None => TextUse::Replaceable,
    }
}
