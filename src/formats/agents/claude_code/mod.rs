//! Sessions of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, and those of its subagents below
//! `<session>/subagents`. Lines of one `message.id` are one message of the Messages API; the results between them belong
//! after it. What the agent writes for itself (progress, hooks, titles, snapshots, answers that it made up) is a link in
//! the chain at most, and never sent; what it says in the user's name (`isMeta`) is.

pub mod write;

use crate::dialects::anthropic::ANTHROPIC;
use crate::format::{Format, FormatInfo, Histories, Layout, Part, Probe, Record, Sink, TextAt, Unit};
use crate::history::{Role, Usage};
use crate::json::{Val, fingerprint, name};

use super::session_lines::{
    self, Writer, Writes, is_answer, is_line, is_of_other_model, read_message, score, writer_of,
};

pub struct ClaudeCode;

pub static FORMAT: ClaudeCode = ClaudeCode;

static WRITER: Writer = Writer { keeps_responses: false, is_linked: true };

static INFO: FormatInfo = FormatInfo {
    name: "claude-code",
    title: "Claude Code session (lines linked by `parentUuid`)",
    known_by: "`type` user or assistant with `uuid` and `message`, and `version`, `userType` or `requestId`",
    usage: Usage::Log,
    histories: Histories::Session,
    parts: &[Part { path: &["message", "content"], unit: Unit::Element }],
    appended: true,
    text_at: Some(text_at),
    placeholder: Some(session_lines::unreadable),
    ..FormatInfo::of(&ANTHROPIC, "anthropic")
};

impl Format for ClaudeCode {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        score(probe, &|line| match writer_of(line) {
            Writes::ClaudeCode | Writes::ClaudeCodeOrKode => 98,
            Writes::Kode => 88,
            Writes::Either if is_answer(line) && is_of_other_model(line) => 88,
            Writes::Either => 96,
        })
    }

    fn knows(&self, val: Val<'_>) -> bool {
        val.is_object() && is_line(val)
    }

    fn layout(&'static self) -> Layout {
        Layout::Items(read_record)
    }
}

fn read_record(record: &Record<'_>, sink: &mut dyn Sink) {
    let message = |message: Val<'_>, role: Role, record: &Record<'_>, sink: &mut dyn Sink| {
        let id = message.get(name::id).filter(|_| role == Role::Assistant).and_then(|id| id.as_str());
        read_message(message, role, record, sink, id.map_or(0, fingerprint));
    };
    session_lines::read(record, &WRITER, &message, sink);
}

/// What becomes of the text at an offset of a line.
fn text_at(record: Val<'_>, at: u32) -> TextAt {
    let holds = |val: &Val<'_>| (val.start()..val.end()).contains(&at);
    let Some(message) = record.get(name::message).filter(holds) else { return TextAt::Unsent };
    let blocks = message.get(name::content).into_iter().flat_map(|content| content.elements());
    let result = |block: &Val<'_>| block.get(name::r#type).is_some_and(|kind| kind.is("tool_result"));
    match blocks.into_iter().find(holds).filter(result) {
        Some(_) => TextAt::Replaceable,
        None => TextAt::Sent,
    }
}
