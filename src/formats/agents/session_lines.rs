//! Sessions in the manner of Claude Code: a line a message, linked by `uuid` and `parentUuid`, with Anthropic content
//! blocks. Claude Code writes them, and Kode after it; what each does in its own way is in its row.
//!
//! Lines that share `message.id` are one response. Progress and system lines carry links only. A `compact_boundary`
//! begins the history anew. Answers that the client made up (`isApiErrorMessage`, model `<synthetic>`) were never part
//! of it.

use std::sync::Arc;

use crate::dialect::{Dialect, Origin};
use crate::dialects::anthropic::ANTHROPIC;
use crate::format::{Mark, Probe, Record, Sink, placeholder};
use crate::history::tree::{self, Entry, Marks, Name, Session, Wrong};
use crate::history::{BlockFlags, Flags, Kind, Role, Version, time};
use crate::json::{NameSet, Val, fingerprint_of, name};
use crate::message::LossKind;

use crate::formats::member::named;

/// What a writer of sessions does in its own way.
pub(super) struct Writer {
    /// `message.id` may be the id of a response that a request can build on.
    pub keeps_responses: bool,
    /// Its chains, and the types of its lines, are known well enough to say what is wrong with them.
    pub is_linked: bool,
}

/// Who wrote a line, as far as the line shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Writes {
    ClaudeCode,
    /// Kode has the same keys, but mostly others besides.
    ClaudeCodeOrKode,
    Kode,
    Either,
}

/// Keys that only one of them writes.
const OF_KODE: [&[&str]; 5] = [
    &["forkedFromSessionId"],
    &["forkRootSessionId"],
    &["toolUseMetadata"],
    &["responseId"],
    &["toolUseResult", "resultForAssistant"],
];
const OF_CLAUDE_CODE: [&[&str]; 3] = [&["requestId"], &["promptId"], &["entrypoint"]];

/// Keys that Claude Code writes always, and Kode often.
const OF_BOTH: [&[&str]; 3] = [&["version"], &["userType"], &["message", "usage"]];

/// How the names of OpenAI's models begin.
const OF_OPENAI: [&[u8]; 4] = [b"gpt-", b"o1", b"o3", b"o4"];

/// Who wrote a line.
pub(super) fn writer_of(line: Val<'_>) -> Writes {
    let has = |keys: &[&[&str]]| keys.iter().any(|path| line.at(path).is_some());
    // Kode calls its main chain an agent, too.
    let is_main = line.get("agentId").is_some_and(|agent| agent.is("main"));
    let model = line.at(&["message", "model"]).and_then(|model| model.text()).unwrap_or_default();
    if is_main || model.starts_with(b"<responses") || has(&OF_KODE) {
        Writes::Kode
    } else if has(&OF_CLAUDE_CODE) {
        Writes::ClaudeCode
    } else if OF_OPENAI.iter().any(|name| model.starts_with(name)) {
        Writes::Kode
    } else if has(&OF_BOTH) {
        Writes::ClaudeCodeOrKode
    } else {
        Writes::Either
    }
}

/// Types of lines that carry no message.
const SIDE_LINES: [&[u8]; 15] = [
    b"summary",
    b"system",
    b"progress",
    b"attachment",
    b"file-history-snapshot",
    b"queue-operation",
    b"custom-title",
    b"tag",
    b"session-summary",
    b"last-prompt",
    b"permission-mode",
    b"mode",
    b"ai-title",
    b"agent-name",
    b"pr-link",
];

/// Lines that must not be the first of a file: the agent looks for the session's id in that.
const NEVER_FIRST: [&[u8]; 1] = [b"pr-link"];

/// Keys that link a line to its session or to another line.
static LINKS: NameSet = NameSet::of(&["sessionId", "uuid", "leafUuid", "messageId"]);

/// Qwen Code writes Gemini's parts into lines of the same kind.
fn is_of_qwen(line: Val<'_>) -> bool {
    line.get("systemPayload").is_some() || line.at(&["message", "parts"]).is_some()
}

/// What a format says of a line that holds a message.
pub(super) type Claims<'c> = &'c dyn Fn(Val<'_>) -> u8;

/// How surely a record is of a session.
pub(super) fn score(probe: &Probe<'_>, claims: Claims<'_>) -> u8 {
    if !probe.val.is_object() || !probe.has(name::r#type) || probe.has(name::payload) || is_of_qwen(probe.val) {
        return 0;
    }
    if is_message(probe.val) {
        return if probe.has(name::uuid) { claims(probe.val) } else { 0 };
    }
    let known = probe.text(name::r#type).is_some_and(|name| SIDE_LINES.contains(&name.as_ref()));
    if !probe.names.meets(&LINKS) {
        0
    } else if known {
        40
    } else {
        1
    }
}

/// How surely a record is the older form of Kode's, an array of messages.
pub(super) fn score_of_array(probe: &Probe<'_>, tells: impl Fn(Val<'_>) -> bool) -> u8 {
    let mut messages = probe.val.elements().take(20).peekable();
    if messages.peek().is_none() || !messages.all(is_message) {
        return 0;
    }
    let telling = probe.val.elements().filter(|line| tells(*line)).take(100).count();
    92 + u8::from(telling * 2 > probe.val.elements().filter(|line| is_answer(*line)).take(200).count())
}

/// Whether a record among others may be of a session.
pub(super) fn is_line(val: Val<'_>) -> bool {
    // The older form is one array; a line of a type that came later carries no message.
    let typed = || val.get(name::r#type).is_some_and(|kind| kind.is_string());
    val.is_array() || typed() && val.get(name::payload).is_none() && !is_of_qwen(val)
}

/// Whether a line holds an answer of a model that is no Claude, and signed nothing.
pub(super) fn is_of_other_model(line: Val<'_>) -> bool {
    let Some(message) = line.get(name::message).filter(|_| is_answer(line)) else { return false };
    let model = message.get(name::model).and_then(|model| model.text()).unwrap_or_default();
    let is_claude = memchr::memmem::find(&model.to_ascii_lowercase(), b"claude").is_some();
    let is_made_up = model.as_ref() == b"<synthetic>" || is_true(line, "isApiErrorMessage");
    let blocks = || message.get(name::content).into_iter().flat_map(|content| content.elements());
    let signed = |block: Val<'_>| {
        ["signature", "data"]
            .iter()
            .any(|key| block.get(key).and_then(|it| it.as_str()).is_some_and(|it| !it.is_empty()))
    };
    !is_claude && !is_made_up && !blocks().any(signed)
}

/// Hands the rows of a message to a sink.
pub(super) type ReadMessage = dyn Fn(Val<'_>, Role, &Record<'_>, &mut dyn Sink);

pub(super) fn read(record: &Record<'_>, writer: &Writer, message: &ReadMessage, sink: &mut dyn Sink) {
    if !record.val.is_array() {
        Line { val: record.val, listed: None, record, writer }.read(message, sink);
        return;
    }
    sink.mark(Mark::Settings(|settings, _| settings.read_only = Some(IN_ARRAY), Box::default()));
    let mut before: Option<Name> = None;
    for (n, val) in record.val.elements().enumerate() {
        let name = named(val, "uuid").unwrap_or_else(|| format!("m{}", n + 1).into());
        Line { val, listed: Some((name.clone(), before)), record, writer }.read(message, sink);
        before = Some(name);
    }
}

pub(super) fn is_answer(line: Val<'_>) -> bool {
    line.get(name::r#type).is_some_and(|kind| kind.is("assistant"))
}

pub(super) fn is_message(val: Val<'_>) -> bool {
    val.get(name::r#type).is_some_and(|kind| kind.is("user") || kind.is("assistant"))
        && val.at(&["message", "content"]).is_some()
}

fn is_true(val: Val<'_>, key: &str) -> bool {
    val.get(key).and_then(|val| val.as_bool()) == Some(true)
}

/// One line. One of an array brings its name and that of the line before.
struct Line<'l> {
    val: Val<'l>,
    listed: Option<(Name, Option<Name>)>,
    record: &'l Record<'l>,
    writer: &'l Writer,
}

impl Line<'_> {
    fn read(self, read: &ReadMessage, sink: &mut dyn Sink) {
        let Line { val: line, listed, record, writer } = self;
        let kind = line.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        let (name, before) = match listed {
            Some((name, before)) => (Some(name), before),
            None => (named(line, "uuid"), None),
        };
        if kind.as_ref() == b"attachment"
            && let Some(attachment) = line.get("attachment")
        {
            // The client says it to the model as a reminder, in words of its own.
            let lost = LossKind::LEFT_OUT.found(record.base.of(attachment), record.number);
            sink.mark(Mark::NotConverted(lost));
        }
        let message = line.get(name::message).filter(|message| message.get(name::content).is_some());
        let Some(name) = name else {
            if let Some(message) = message {
                sink.mark(Mark::Unsent(record.base.of(message), record.number, NO_NAME));
            }
            return read_side_line(line, &kind, record, writer, sink);
        };
        let part = part_of(line, &kind, message);
        let mut entry = Entry::new(&name, record.base.of(line), record.number, part);
        entry.parent = named(line, "parentUuid").or_else(|| named(line, "logicalParentUuid")).or(before);
        entry.time = named(line, "timestamp").and_then(|at| time::parse(&at));
        entry.version = named(line, "version").and_then(|version| Version::parse(&version));
        entry.marks = marks(line, &kind);
        entry.digest = message.map_or(1, |message| fingerprint_of(message.raw()));
        if let Some(message) = message.filter(|_| part == tree::Part::Answer) {
            answer(line, message, writer, &mut entry);
        }
        entry.session = session(line);
        if writer.is_linked {
            entry.thread = thread(line);
            entry.wrong = wrong(line, &kind, record);
        }
        sink.mark(Mark::Entry(Box::new(entry)));
        if let Some(message) = message.filter(|_| part == tree::Part::Link) {
            sink.mark(Mark::Unsent(record.base.of(message), record.number, SHOWN));
        }
        if let Some(message) = message.filter(|_| part != tree::Part::Link) {
            let role = if part == tree::Part::Answer { Role::Assistant } else { Role::User };
            if role == Role::User && is_interruption(message) {
                sink.mark(Mark::Aborted(record.base.of(line).start));
            }
            if writer.is_linked && line.get(name::parentUuid).is_none() {
                sink.mark(Mark::Settings(|settings, _| settings.read_only = Some(NO_LINKS), Box::default()));
            }
            read(message, role, record, sink);
        }
    }
}

/// A line of the client's own in the place of one that is not JSON.
pub(super) fn unreadable(line: &[u8]) -> Option<Vec<u8>> {
    let template = r#"{"uuid":$,"parentUuid":$,"isSidechain":false,"sessionId":$,"timestamp":$,"cwd":$,"version":$,"type":"system","subtype":"informational","content":"This line could not be read."}"#;
    let keys = ["uuid", "parentUuid", "sessionId", "timestamp", "cwd", "version"];
    // Chains of subagents are marked otherwise.
    placeholder(line, template, &keys).filter(|_| memchr::memmem::find(line, b"\"isSidechain\":true").is_none())
}

/// Why a message that the client made up, or shows only to the user, is not sent.
const SHOWN: &str = "the agent shows it, and does not send it";

const NO_NAME: &str = "its line has no `uuid`, so no link leads to it";

const IN_ARRAY: &str =
    "only sessions with a message a line are edited; `replaylint rebuild FILE` prints a repaired request";

const NO_LINKS: &str = "its lines have no `parentUuid`, so this is not a session that can be resumed";

/// What a line is in the conversation. What the client made up, or shows only to the user, was never sent.
fn part_of(line: Val<'_>, kind: &[u8], message: Option<Val<'_>>) -> tree::Part {
    let model = message.and_then(|message| message.get(name::model));
    let made_up = is_true(line, "isApiErrorMessage") || model.is_some_and(|model| model.is("<synthetic>"));
    // The summary of a compaction is sent, although it is marked so, too.
    let hidden = is_true(line, "isVisibleInTranscriptOnly") && !is_true(line, "isCompactSummary");
    match (kind, message) {
        (b"user", Some(_)) if !hidden => tree::Part::Input,
        (b"assistant", Some(_)) if !made_up => tree::Part::Answer,
        _ => tree::Part::Link,
    }
}

fn answer(line: Val<'_>, message: Val<'_>, writer: &Writer, entry: &mut Entry) {
    entry.message = named(message, "id");
    if writer.keeps_responses {
        entry.response = named(line, "responseId").or_else(|| named(message, "responseId")).or_else(|| {
            // Anthropic's own ids name messages, and no chain builds on those.
            entry.message.clone().filter(|id| !id.starts_with("msg_"))
        });
    }
    entry.model = named(message, "model").filter(|model| !model.starts_with('<'));
    // Nothing that these clients send is stored by the server.
    entry.store = Some(false);
    entry.marks.set(Marks::NO_IDS);
}

/// The lines of a file that may be linked to each other: of one session, one chain, one agent.
fn thread(line: Val<'_>) -> u64 {
    let part = |key: &str| line.get(key).map_or(&b""[..], |val| val.raw());
    let side: &[u8] = if is_true(line, "isSidechain") { b"1" } else { b"0" };
    fingerprint_of(&[part("sessionId"), side, part("agentId")].join(&b"\n"[..]))
}

/// What the line by itself has that is worth a word.
fn wrong(line: Val<'_>, kind: &[u8], record: &Record<'_>) -> Option<Wrong> {
    let is_known = matches!(kind, b"user" | b"assistant") || SIDE_LINES.contains(&kind);
    // A byte-order mark may come before it.
    let is_first = record.whole.start <= 3;
    if !is_known && !kind.is_empty() {
        return Some(Wrong::UnknownType(fingerprint_of(kind)));
    }
    if is_first && NEVER_FIRST.contains(&kind) {
        return Some(Wrong::FirstLine);
    }
    let blocks = line.at(&["message", "content"]).into_iter().flat_map(|content| content.elements());
    let mut ids = blocks.filter_map(|block| block.get(name::id).and_then(|id| id.text()));
    ids.find_map(|id| HOSTS.iter().position(|prefix| id.starts_with(prefix))).map(|host| Wrong::Host(host as u8))
}

/// How the ids of calls begin that a model made on another host than Anthropic's own.
const HOSTS: [&[u8]; 2] = [b"toolu_bdrk_", b"toolu_vrtx_"];

/// A line without a uuid is no part of the chain. To Kode a summary names the message that holds it: resumed, Kode goes on
/// from there. To Claude Code it is a title.
fn read_side_line(line: Val<'_>, kind: &[u8], record: &Record<'_>, writer: &Writer, sink: &mut dyn Sink) {
    let mut entry = Entry::new("", record.base.of(line), record.number, tree::Part::Link);
    if writer.is_linked {
        entry.wrong = wrong(line, kind, record);
    } else if kind == b"summary" {
        (entry.parent, entry.marks) = (named(line, "leafUuid"), Marks::SUMMARY);
    }
    if entry.marks != Marks::default() || entry.wrong.is_some() {
        sink.mark(Mark::Entry(Box::new(entry)));
    }
}

/// What the client says in the user's name when a turn is cut off.
const INTERRUPTED: &[u8] = b"[Request interrupted by user";

fn is_interruption(message: Val<'_>) -> bool {
    let says = |val: Val<'_>| val.text().is_some_and(|text| text.starts_with(INTERRUPTED));
    message.get(name::content).is_some_and(|content| {
        says(content) || content.elements().any(|block| block.get(name::text).is_some_and(says))
    })
}

fn marks(line: Val<'_>, kind: &[u8]) -> Marks {
    let mut marks = Marks::default();
    let subtype = line.get(name::subtype).filter(|_| kind == b"system");
    let boundary = subtype.is_some_and(|name| name.is("compact_boundary"));
    let smaller = subtype.is_some_and(|name| name.is("microcompact_boundary"));
    for (mark, set) in [
        (Marks::SIDE, is_true(line, "isSidechain")),
        (Marks::EDITED, is_true(line, "historyEdited") || is_true(line, "edited")),
        (Marks::TRIMMED, smaller || is_true(line, "historyTrimmed") || is_true(line, "trimmed")),
        (Marks::RESTART.and(Marks::TRIMMED), boundary || is_true(line, "isCompactSummary")),
    ] {
        if set {
            marks.set(mark);
        }
    }
    marks
}

/// The rows of a message as the Messages API takes it. Lines of one response are recognised by its id.
pub(super) fn read_message(message: Val<'_>, role: Role, record: &Record<'_>, sink: &mut dyn Sink, id: u64) {
    let flags = if role == Role::Assistant { Flags::RECORDED } else { Flags::default() };
    let origin = Origin { base: record.base, record: record.number, turn: 0, part: 0, flags };
    ANTHROPIC.rows(message, origin, &mut |mut item| {
        item.row.role = role;
        match item.row.kind {
            Kind::BlockMessage => item.row.id = id,
            Kind::ToolResult if memchr::memmem::find(item.val.raw(), b"\\u0000").is_some() => {
                item.row.set(BlockFlags::NUL);
            }
            _ => {}
        }
        sink.item(item);
    });
}

/// The session that a line is of, and the one that this was forked from.
fn session(line: Val<'_>) -> Option<Arc<Session>> {
    let forked_from = named(line, "forkedFromSessionId").or_else(|| named(line, "forkRootSessionId"));
    Some(Arc::new(Session { id: named(line, "sessionId")?, forked_from }))
}
