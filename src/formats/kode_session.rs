//! Sessions of Kode, in the manner of Claude Code: a line a message, linked by `uuid` and `parentUuid`, with Anthropic
//! content blocks; and the older form, one JSON array of messages.
//!
//! Lines that share `message.id` are one response. Progress and system lines carry links only. A `compact_boundary`
//! begins the history anew. Answers that the client made up (`isApiErrorMessage`, model `<synthetic>`) were never part
//! of it. No released version stores a response's id; where there is one, it is `message.id`. The blocks of models that
//! Kode reaches through the Responses API are judged as the calls and outputs that it sends for them.

use crate::dialect::{Dialect, Origin};
use crate::dialects::anthropic::ANTHROPIC;
use crate::format::{Format, FormatInfo, Histories, Mark, Part, Probe, Record, Sink, Unit};
use crate::history::tree::{self, Entry, Marks, Session};
use crate::history::{Flags, Role, Usage, time};
use crate::json::{Val, fingerprint_of};

/// What both sorts of sessions are called.
pub const NAME: &str = "kode-session";

/// Sessions of Claude's models.
pub struct KodeSession;

pub static FORMAT: KodeSession = KodeSession;

static INFO: FormatInfo = FormatInfo {
    name: NAME,
    title: "Kode session (Claude-Code-like lines), also its older array of messages",
    told_by: "`type` user or assistant with `uuid` and `message`; side lines with `sessionId` or `leafUuid`",
    dialect: &ANTHROPIC,
    target: "anthropic",
    usage: Usage::Log,
    histories: Histories::Tree,
    parts: &[Part { path: &["message", "content"], unit: Unit::Element }],
    records_responses: false,
};

impl Format for KodeSession {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn is_appended(&self) -> bool {
        true
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        score(probe, |line| is_answer(line) && !is_of_responses(line))
    }

    fn knows(&self, val: Val<'_>) -> bool {
        is_line(val)
    }

    fn read(&self, record: &Record<'_>, sink: &mut dyn Sink) {
        read(record, &read_message, sink);
    }
}

/// Types of lines that carry no message.
const SIDE_LINES: [&[u8]; 11] = [
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
];

/// Keys that link a line to its session or to another line.
const LINKS: [&str; 4] = ["sessionId", "uuid", "leafUuid", "messageId"];

/// Qwen Code writes Gemini's parts into lines of the same kind.
fn is_of_qwen(line: Val<'_>) -> bool {
    line.get("systemPayload").is_some() || line.at(&["message", "parts"]).is_some()
}

const READ_ONLY: &str = "sessions are not edited; `replaylint rebuild` prints a repaired request";

/// How surely a record is of a session. A line by which the two sorts are told apart says most.
pub(super) fn score(probe: &Probe<'_>, tells: impl Fn(Val<'_>) -> bool) -> u8 {
    if probe.val.is_array() {
        let mut messages = probe.val.elements().take(20).peekable();
        if messages.peek().is_none() || !messages.all(is_message) {
            return 0;
        }
        let telling = probe.val.elements().filter(|line| tells(*line)).take(100).count();
        return if telling * 2 > probe.val.elements().filter(|line| is_answer(*line)).take(200).count() {
            93
        } else {
            92
        };
    }
    if !probe.has("type") || probe.has("payload") || is_of_qwen(probe.val) {
        return 0;
    }
    if is_message(probe.val) {
        return if probe.has("uuid") { 97 + u8::from(tells(probe.val)) } else { 0 };
    }
    let known = probe.text("type").is_some_and(|name| SIDE_LINES.contains(&name.as_ref()));
    if !LINKS.iter().any(|key| probe.val.get(key).is_some()) {
        0
    } else if known {
        40
    } else {
        1
    }
}

/// Whether a record among others may be of a session.
pub(super) fn is_line(val: Val<'_>) -> bool {
    // The older form is one array; a line of a type that came later carries no message.
    let typed = || val.get("type").is_some_and(|kind| kind.is_string());
    val.is_array() || typed() && val.get("payload").is_none() && !is_of_qwen(val)
}

/// Whether a line holds an answer of a model that Kode reaches through the Responses API: it is no Claude, and signed
/// nothing.
pub(super) fn is_of_responses(line: Val<'_>) -> bool {
    let Some(message) = line.get("message").filter(|_| is_answer(line)) else { return false };
    let model = message.get("model").and_then(|model| model.text()).unwrap_or_default();
    let is_claude = memchr::memmem::find(&model.to_ascii_lowercase(), b"claude").is_some();
    let is_made_up = model.as_ref() == b"<synthetic>" || is_true(line, "isApiErrorMessage");
    let blocks = || message.get("content").into_iter().flat_map(|content| content.elements());
    let signed = |block: Val<'_>| {
        ["signature", "data"]
            .iter()
            .any(|key| block.get(key).and_then(|it| it.as_str()).is_some_and(|it| !it.is_empty()))
    };
    !is_claude && !is_made_up && !blocks().any(signed)
}

/// Hands the rows of a message to a sink.
pub(super) type ReadMessage = dyn Fn(Val<'_>, Role, &Record<'_>, &mut dyn Sink);

pub(super) fn read(record: &Record<'_>, message: &ReadMessage, sink: &mut dyn Sink) {
    if record.number == 0 {
        sink.mark(Mark::Settings(|settings, _| settings.read_only = Some(READ_ONLY), Box::default()));
    }
    if !record.val.is_array() {
        read_line(record.val, None, record, message, sink);
        return;
    }
    let mut before: Option<Box<str>> = None;
    for (n, line) in record.val.elements().enumerate() {
        let name = text(line, "uuid").unwrap_or_else(|| format!("m{}", n + 1).into());
        read_line(line, Some((name.clone(), before)), record, message, sink);
        before = Some(name);
    }
}

fn is_answer(line: Val<'_>) -> bool {
    line.get("type").is_some_and(|kind| kind.is("assistant"))
}

fn is_message(val: Val<'_>) -> bool {
    val.get("type").is_some_and(|kind| kind.is("user") || kind.is("assistant"))
        && val.at(&["message", "content"]).is_some()
}

fn text(val: Val<'_>, key: &str) -> Option<Box<str>> {
    let text = val.get(key)?.text()?;
    (!text.is_empty()).then(|| String::from_utf8_lossy(&text).into())
}

fn is_true(val: Val<'_>, key: &str) -> bool {
    val.get(key).and_then(|val| val.as_bool()) == Some(true)
}

/// Reads one line; one of an array brings its name and that of the line before.
fn read_line(
    line: Val<'_>,
    listed: Option<(Box<str>, Option<Box<str>>)>,
    record: &Record<'_>,
    read: &ReadMessage,
    sink: &mut dyn Sink,
) {
    let (name, before) = match listed {
        Some((name, before)) => (Some(name), before),
        None => (text(line, "uuid"), None),
    };
    let Some(name) = name else { return read_summary(line, record, sink) };
    let message = line.get("message").filter(|message| message.get("content").is_some());
    let kind = line.get("type").and_then(|kind| kind.text()).unwrap_or_default();
    let model = message.and_then(|message| text(message, "model"));
    let made_up = is_true(line, "isApiErrorMessage") || model.as_deref() == Some("<synthetic>");
    let part = match (kind.as_ref(), message) {
        (b"user", Some(_)) => tree::Part::Input,
        (b"assistant", Some(_)) if !made_up => tree::Part::Answer,
        _ => tree::Part::Link,
    };
    let at = record.base.of(line);
    let mut entry = Entry::new(&name, at, record.number, part);
    entry.parent = text(line, "parentUuid").or_else(|| text(line, "logicalParentUuid")).or(before);
    entry.time = text(line, "timestamp").and_then(|at| time::parse(&at));
    entry.marks = marks(line, &kind);
    entry.digest = message.map_or(1, |message| fingerprint_of(message.raw()));
    if let Some(message) = message.filter(|_| part == tree::Part::Answer) {
        entry.message = text(message, "id");
        entry.response = text(line, "responseId").or_else(|| text(message, "responseId")).or_else(|| {
            // Anthropic's own ids name messages, and no chain builds on those.
            entry.message.clone().filter(|id| !id.starts_with("msg_"))
        });
        entry.model = model.filter(|model| !model.starts_with('<'));
        // Kode asks the server to store nothing.
        entry.store = Some(false);
        entry.marks.set(Marks::NO_IDS);
    }
    entry.session = session(line);
    sink.mark(Mark::Entry(Box::new(entry)));
    if let Some(message) = message.filter(|_| part != tree::Part::Link) {
        let role = if part == tree::Part::Answer { Role::Assistant } else { Role::User };
        if role == Role::User && is_interruption(message) {
            sink.mark(Mark::Aborted(record.base.of(line).start));
        }
        read(message, role, record, sink);
    }
}

/// A summary names the message that holds it: resumed, Kode goes on from there.
fn read_summary(line: Val<'_>, record: &Record<'_>, sink: &mut dyn Sink) {
    if line.get("type").is_some_and(|kind| kind.is("summary")) {
        let mut entry = Entry::new("", record.base.of(line), record.number, tree::Part::Link);
        (entry.parent, entry.marks) = (text(line, "leafUuid"), Marks::SUMMARY);
        sink.mark(Mark::Entry(Box::new(entry)));
    }
}

/// What Kode says in the user's name when a turn is cut off.
const INTERRUPTED: &[u8] = b"[Request interrupted by user";

fn is_interruption(message: Val<'_>) -> bool {
    let says = |val: Val<'_>| val.text().is_some_and(|text| text.starts_with(INTERRUPTED));
    message.get("content").is_some_and(|content| {
        says(content) || content.elements().any(|block| block.get("text").is_some_and(says))
    })
}

fn marks(line: Val<'_>, kind: &[u8]) -> Marks {
    let mut marks = Marks::default();
    let subtype = line.get("subtype").filter(|_| kind == b"system");
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

/// The rows of a message as the Messages API takes it.
fn read_message(message: Val<'_>, role: Role, record: &Record<'_>, sink: &mut dyn Sink) {
    let flags = if role == Role::Assistant { Flags::RECORDED } else { Flags::default() };
    let origin = Origin { base: record.base, record: record.number, turn: 0, part: 0, flags };
    ANTHROPIC.rows(message, origin, &mut |mut item| {
        item.row.role = role;
        sink.item(item);
    });
}

/// The session that a line is of, and the one that this was forked from.
fn session(line: Val<'_>) -> Option<Box<Session>> {
    let forked_from = text(line, "forkedFromSessionId").or_else(|| text(line, "forkRootSessionId"));
    Some(Box::new(Session { id: text(line, "sessionId")?, forked_from }))
}
