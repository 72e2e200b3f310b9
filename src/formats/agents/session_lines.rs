//! Sessions in the format of Claude Code: one message per line, linked by `uuid` and `parentUuid`, with Anthropic content
//! blocks. Claude Code and its imitator Kode write them; `ClientTraits` has the differences.
//!
//! Lines that share `message.id` are one response. Progress and system lines only link others. A `compact_boundary` restarts
//! the history. Synthetic answers of the client (`isApiErrorMessage`, model `<synthetic>`) were never part of it.

use std::sync::Arc;

use crate::dialect::{Dialect, ItemOrigin};
use crate::dialects::anthropic::ANTHROPIC;
use crate::format::{Mark, Probe, Record, Sink, write_placeholder};
use crate::history::tree::{self, EntryMarks, NodeName, SessionOrigin, TreeEntry, TreeProblemKind};
use crate::history::{BlockFlags, Flags, Kind, Role, Version, time};
use crate::json::{KeySet, NameSet, Val, fingerprint_of, name};
use crate::message::LossKind;

use crate::formats::member::{node_name, parsed};

/// Properties of a client's sessions.
pub(super) struct ClientTraits {
    /// `message.id` may be the id of a response that a request can continue.
    pub keeps_responses: bool,
    /// Its chains and line types are known well enough to report problems with them.
    pub is_linked: bool,
}

/// The client that wrote a line, as far as the line shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LineAuthor {
    ClaudeCode,
    /// The keys occur in both, but Kode mostly writes others, too.
    ClaudeCodeOrKode,
    Kode,
    Unknown,
}

/// Keys that only one of them writes.
static KODE_KEYS: KeySet =
    KeySet::new(&["forkedFromSessionId", "forkRootSessionId", "toolUseMetadata", "responseId"]);
static CLAUDE_CODE_KEYS: KeySet = KeySet::new(&["requestId", "promptId", "entrypoint"]);

/// Keys that Claude Code always writes, and Kode often.
static SHARED_KEYS: KeySet = KeySet::new(&["version", "userType"]);

/// Prefixes of the names of OpenAI's models.
const OPENAI_MODELS: [&[u8]; 4] = [b"gpt-", b"o1", b"o3", b"o4"];

/// The client that wrote a line.
pub(super) fn author_of(line: Val<'_>) -> LineAuthor {
    let has = |keys: &KeySet| line.members().any(|member| keys.has(&member));
    let message = line.get(name::message);
    // Kode calls its main chain an agent, too.
    let is_main = line.get("agentId").is_some_and(|agent| agent.is("main"));
    let is_for_assistant = || line.at(&["toolUseResult", "resultForAssistant"]).is_some();
    let model = message.and_then(|message| message.get(name::model)?.text()).unwrap_or_default();
    if is_main || model.starts_with(b"<responses") || has(&KODE_KEYS) || is_for_assistant() {
        LineAuthor::Kode
    } else if has(&CLAUDE_CODE_KEYS) {
        LineAuthor::ClaudeCode
    } else if OPENAI_MODELS.iter().any(|name| model.starts_with(name)) {
        LineAuthor::Kode
    } else if has(&SHARED_KEYS) || message.is_some_and(|message| message.get(name::usage).is_some()) {
        LineAuthor::ClaudeCodeOrKode
    } else {
        LineAuthor::Unknown
    }
}

/// Types of lines without a message.
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

/// Types of lines that must not be the first of a file: the agent reads the session's id from the first line.
const NEVER_FIRST: [&[u8]; 1] = [b"pr-link"];

/// Keys that link a line to its session or to another line.
static LINKS: NameSet = NameSet::of(&["sessionId", "uuid", "leafUuid", "messageId"]);

/// True for a line of Qwen Code, which writes Gemini parts into similar lines.
fn is_of_qwen(line: Val<'_>) -> bool {
    line.get(name::message).is_some_and(|message| message.get(name::parts).is_some())
        || line.get("systemPayload").is_some()
}

/// A format's confidence in a line with a message.
pub(super) type MessageScore<'c> = &'c dyn Fn(Val<'_>) -> u8;

/// Confidence that a record is a line of a session.
pub(super) fn score(probe: &Probe<'_>, score_message: MessageScore<'_>) -> u8 {
    if !probe.val.is_object() || !probe.has(name::r#type) || probe.has(name::payload) || is_of_qwen(probe.val) {
        return 0;
    }
    if is_message(probe.val) {
        return if probe.has(name::uuid) { score_message(probe.val) } else { 0 };
    }
    let known = probe.text(name::r#type).is_some_and(|name| SIDE_LINES.contains(&name.as_ref()));
    if !probe.names.intersects(&LINKS) {
        0
    } else if known {
        40
    } else {
        1
    }
}

/// Confidence that a record is Kode's older form, an array of messages.
pub(super) fn score_array(probe: &Probe<'_>, is_evidence: impl Fn(Val<'_>) -> bool) -> u8 {
    let mut messages = probe.val.elements().take(20).peekable();
    if messages.peek().is_none() || !messages.all(is_message) {
        return 0;
    }
    let evidence = probe.val.elements().filter(|line| is_evidence(*line)).take(100).count();
    92 + u8::from(evidence * 2 > probe.val.elements().filter(|line| is_answer(*line)).take(200).count())
}

/// True if a record among others may be a line of a session.
pub(super) fn is_line(val: Val<'_>) -> bool {
    // The older form is one array; lines of unknown types have no message.
    let typed = || val.get(name::r#type).is_some_and(|kind| kind.is_string());
    val.is_array() || typed() && val.get(name::payload).is_none() && !is_of_qwen(val)
}

/// True for an answer of a model other than Claude, without signatures.
pub(super) fn is_of_other_model(line: Val<'_>) -> bool {
    let Some(message) = line.get(name::message).filter(|_| is_answer(line)) else { return false };
    let model = message.get(name::model).and_then(|model| model.text()).unwrap_or_default();
    let is_claude = memchr::memmem::find(&model.to_ascii_lowercase(), b"claude").is_some();
    let is_synthetic = model.as_ref() == b"<synthetic>" || is_true(line, "isApiErrorMessage");
    let blocks = || message.get(name::content).into_iter().flat_map(|content| content.elements());
    let signed = |block: Val<'_>| {
        ["signature", "data"]
            .iter()
            .any(|key| block.get(key).and_then(|it| it.as_str()).is_some_and(|it| !it.is_empty()))
    };
    !is_claude && !is_synthetic && !blocks().any(signed)
}

/// Reads the rows of a message into a sink.
pub(super) type ReadMessage = dyn Fn(LineMessage<'_>, &Record<'_>, &mut dyn Sink);

/// The message of a line.
#[derive(Clone, Copy)]
pub(super) struct LineMessage<'l> {
    pub val: Val<'l>,
    pub role: Role,
    /// The client inserted it in the user's name.
    pub is_inserted: bool,
}

pub(super) fn read(record: &Record<'_>, client: &ClientTraits, message: &ReadMessage, sink: &mut dyn Sink) {
    if !record.val.is_array() {
        SessionLine { val: record.val, listed: None, record, client }.read(message, sink);
        return;
    }
    sink.mark(Mark::Settings(|settings, _| settings.read_only = Some(IN_ARRAY), Box::default()));
    let mut before: Option<NodeName> = None;
    for (n, val) in record.val.elements().enumerate() {
        let name = node_name(val, "uuid").unwrap_or_else(|| format!("m{}", n + 1).into());
        SessionLine { val, listed: Some((name.clone(), before)), record, client }.read(message, sink);
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

/// One line of a session. `listed` has the name of an array's element, and that of the element before it.
struct SessionLine<'l> {
    val: Val<'l>,
    listed: Option<(NodeName, Option<NodeName>)>,
    record: &'l Record<'l>,
    client: &'l ClientTraits,
}

impl SessionLine<'_> {
    fn read(self, read: &ReadMessage, sink: &mut dyn Sink) {
        let SessionLine { val: line, listed, record, client } = self;
        let kind = line.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        let (name, before) = match listed {
            Some((name, before)) => (Some(name), before),
            None => (node_name(line, "uuid"), None),
        };
        if kind.as_ref() == b"attachment"
            && let Some(attachment) = line.get("attachment")
        {
            // The client sends it to the model as a reminder, with a text of its own.
            sink.mark(Mark::not_converted(LossKind::NOT_TRANSLATED, record.base.of(attachment), record.number));
        }
        let message = line.get(name::message).filter(|message| message.get(name::content).is_some());
        let Some(name) = name else {
            if let Some(message) = message {
                sink.mark(Mark::Unsent(record.base.of(message), record.number, NO_UUID));
            }
            return read_side_line(line, &kind, record, client, sink);
        };
        let role = entry_role(line, &kind, message);
        let mut entry = TreeEntry::new(name, record.base.of(line), record.number, role);
        entry.parent = node_name(line, "parentUuid").or_else(|| node_name(line, "logicalParentUuid")).or(before);
        entry.time = parsed(line, "timestamp", time::parse);
        entry.version = parsed(line, "version", Version::parse);
        entry.marks = entry_marks(line, &kind);
        entry.digest = message.map_or(1, |message| fingerprint_of(message.raw()));
        if let Some(message) = message.filter(|_| role == tree::EntryRole::Answer) {
            set_answer(line, message, client, &mut entry);
        }
        entry.session = session_origin(line);
        if client.is_linked {
            entry.thread = thread_key(line);
            entry.problem = find_problem(line, &kind, record);
        }
        sink.mark(Mark::Entry(Box::new(entry)));
        if let Some(message) = message.filter(|_| role == tree::EntryRole::Link) {
            sink.mark(Mark::Unsent(record.base.of(message), record.number, NOT_SENT));
        }
        if let Some(message) = message.filter(|_| role != tree::EntryRole::Link) {
            let role = if role == tree::EntryRole::Answer { Role::Assistant } else { Role::User };
            let is_interruption = role == Role::User && is_interruption(message);
            if is_interruption {
                sink.mark(Mark::Aborted(record.base.of(line).start));
            }
            if client.is_linked && line.get(name::parentUuid).is_none() {
                sink.mark(Mark::Settings(|settings, _| settings.read_only = Some(NO_LINKS), Box::default()));
            }
            let is_meta = is_true(line, "isMeta") && !is_true(line, "isCompactSummary");
            let is_of_client = || is_interruption || is_meta || has_prefix(message, &LOCAL_COMMANDS);
            let is_inserted = role == Role::User && is_of_client();
            read(LineMessage { val: message, role, is_inserted }, record, sink);
        }
    }
}

/// A system line in the place of one that is not JSON.
pub(super) fn placeholder_line(line: &[u8]) -> Option<Vec<u8>> {
    let template = r#"{"uuid":$,"parentUuid":$,"isSidechain":false,"sessionId":$,"timestamp":$,"cwd":$,"version":$,"type":"system","subtype":"informational","content":"This line could not be read."}"#;
    let keys = ["uuid", "parentUuid", "sessionId", "timestamp", "cwd", "version"];
    // Lines of subagents have other marks, which the placeholder lacks.
    write_placeholder(line, template, &keys)
        .filter(|_| memchr::memmem::find(line, b"\"isSidechain\":true").is_none())
}

/// Why a synthetic message, or one shown only to the user, is not sent.
const NOT_SENT: &str = "the agent shows it, and does not send it";

const NO_UUID: &str = "its line has no `uuid`, so no link leads to it";

const IN_ARRAY: &str =
    "only sessions with one message per line can be edited; `replaylint rebuild FILE` prints a repaired request";

const NO_LINKS: &str = "its lines have no `parentUuid`, so this is not a session that can be resumed";

/// The role of a line in the conversation. Synthetic messages and those shown only to the user were never sent.
fn entry_role(line: Val<'_>, kind: &[u8], message: Option<Val<'_>>) -> tree::EntryRole {
    let model = message.and_then(|message| message.get(name::model));
    let synthetic = is_true(line, "isApiErrorMessage") || model.is_some_and(|model| model.is("<synthetic>"));
    // The summary of a compaction has the same mark, and is sent.
    let hidden = is_true(line, "isVisibleInTranscriptOnly") && !is_true(line, "isCompactSummary");
    match (kind, message) {
        (b"user", Some(_)) if !hidden => tree::EntryRole::Input,
        (b"assistant", Some(_)) if !synthetic => tree::EntryRole::Answer,
        _ => tree::EntryRole::Link,
    }
}

/// Sets the members of an entry that only answers have.
fn set_answer(line: Val<'_>, message: Val<'_>, client: &ClientTraits, entry: &mut TreeEntry) {
    entry.message = node_name(message, "id");
    if client.keeps_responses {
        entry.response =
            node_name(line, "responseId").or_else(|| node_name(message, "responseId")).or_else(|| {
                // Anthropic's ids name messages, which no request can continue.
                entry.message.clone().filter(|id| !id.starts_with("msg_"))
            });
    }
    entry.model = node_name(message, "model").filter(|model| !model.starts_with('<'));
    // The server stores nothing that these clients send.
    entry.store = Some(false);
    entry.marks.set(EntryMarks::NO_IDS);
}

/// Fingerprint of session, chain and agent: only lines of a file with the same one may be linked.
fn thread_key(line: Val<'_>) -> u64 {
    let part = |key: &str| line.get(key).map_or(&b""[..], |val| val.raw());
    let side: &[u8] = if is_true(line, "isSidechain") { b"1" } else { b"0" };
    fingerprint_of(&[part("sessionId"), side, part("agentId")].join(&b"\n"[..]))
}

/// The problem of a line by itself, if it has one.
fn find_problem(line: Val<'_>, kind: &[u8], record: &Record<'_>) -> Option<TreeProblemKind> {
    let is_known = matches!(kind, b"user" | b"assistant") || SIDE_LINES.contains(&kind);
    // A byte-order mark may come before it.
    let is_first = record.extent.start <= 3;
    if !is_known && !kind.is_empty() {
        return Some(TreeProblemKind::UnknownType(fingerprint_of(kind)));
    }
    if is_first && NEVER_FIRST.contains(&kind) {
        return Some(TreeProblemKind::FirstLine);
    }
    let blocks = line.at(&["message", "content"]).into_iter().flat_map(|content| content.elements());
    let mut ids = blocks.filter_map(|block| block.get(name::id).and_then(|id| id.text()));
    ids.find_map(|id| HOSTS.iter().position(|prefix| id.starts_with(prefix)))
        .map(|host| TreeProblemKind::Host(host as u8))
}

/// Prefixes of call ids from hosts other than Anthropic's API: Bedrock and Vertex AI.
const HOSTS: [&[u8]; 2] = [b"toolu_bdrk_", b"toolu_vrtx_"];

/// Reads a line without a `uuid`, which is not part of the chain. In Kode, a summary names the message with its text, from
/// which a resumed session continues. In Claude Code it is a title.
fn read_side_line(line: Val<'_>, kind: &[u8], record: &Record<'_>, client: &ClientTraits, sink: &mut dyn Sink) {
    let mut entry = TreeEntry::new("", record.base.of(line), record.number, tree::EntryRole::Link);
    if client.is_linked {
        entry.problem = find_problem(line, kind, record);
    } else if kind == b"summary" {
        (entry.parent, entry.marks) = (node_name(line, "leafUuid"), EntryMarks::SUMMARY);
    }
    if entry.marks != EntryMarks::default() || entry.problem.is_some() {
        sink.mark(Mark::Entry(Box::new(entry)));
    }
}

/// Beginning of the text that the client inserts in the user's name when a turn is interrupted.
const INTERRUPTED: &[u8] = b"[Request interrupted by user";

/// Beginnings of the texts that report a command which the client ran itself, and its output.
const LOCAL_COMMANDS: [&[u8]; 2] = [b"<command-name>", b"<local-command-"];

fn is_interruption(message: Val<'_>) -> bool {
    has_prefix(message, &[INTERRUPTED])
}

/// True if a text of a message begins with one of these.
fn has_prefix(message: Val<'_>, prefixes: &[&[u8]]) -> bool {
    let has = |val: Val<'_>| val.text().is_some_and(|text| prefixes.iter().any(|prefix| text.starts_with(prefix)));
    message.get(name::content).is_some_and(|content| {
        has(content) || content.elements().any(|block| block.get(name::text).is_some_and(has))
    })
}

fn entry_marks(line: Val<'_>, kind: &[u8]) -> EntryMarks {
    let mut marks = EntryMarks::default();
    let subtype = line.get(name::subtype).filter(|_| kind == b"system");
    let boundary = subtype.is_some_and(|name| name.is("compact_boundary"));
    let smaller = subtype.is_some_and(|name| name.is("microcompact_boundary"));
    for (mark, set) in [
        (EntryMarks::SIDE, is_true(line, "isSidechain")),
        (EntryMarks::EDITED, is_true(line, "historyEdited") || is_true(line, "edited")),
        (EntryMarks::TRIMMED, smaller || is_true(line, "historyTrimmed") || is_true(line, "trimmed")),
        (EntryMarks::RESTART.and(EntryMarks::TRIMMED), boundary || is_true(line, "isCompactSummary")),
    ] {
        if set {
            marks.set(mark);
        }
    }
    marks
}

/// Reads the rows of a message of the Messages API. `id` is the fingerprint that lines of one response share.
pub(super) fn read_message(message: LineMessage<'_>, record: &Record<'_>, sink: &mut dyn Sink, id: u64) {
    let LineMessage { val: message, role, is_inserted } = message;
    let flags = match (role, is_inserted) {
        (Role::Assistant, _) => Flags::RECORDED,
        (_, true) => Flags::INSERTED,
        _ => Flags::default(),
    };
    let origin = ItemOrigin { base: record.base, record: record.number, turn: 0, part: 0, flags };
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

/// The session of a line, and the one that it was forked from.
fn session_origin(line: Val<'_>) -> Option<Arc<SessionOrigin>> {
    let forked_from = node_name(line, "forkedFromSessionId").or_else(|| node_name(line, "forkRootSessionId"));
    Some(Arc::new(SessionOrigin { id: node_name(line, "sessionId")?, forked_from }))
}
