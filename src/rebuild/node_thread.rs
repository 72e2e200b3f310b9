//! The thread that a run of nodes sends. Items of the Responses API are copied, without what only its SDKs added;
//! logs are read by their dialect; blocks of a session are converted to what the Responses API accepts.

use std::collections::BTreeSet;
use std::io;

use crate::convert::{ConvertPlan, fit_parts, log, session};
use crate::dialect::{LogOptions, LogThread, OutputShape};
use crate::dialects::responses::{NAME, RESPONSES};
use crate::history::tree::EntryMarks;
use crate::history::{Flags, Role, Row};
use crate::json::{Val, name};
use crate::message::write::JsonWriter;
use crate::message::{Message, Part, RawJson, Text, Thread};

use super::Conversation;

/// Members that SDKs and servers put into output items, and that a request must not carry.
const OUTPUT_ONLY: [&str; 4] = ["parsed", "parsed_arguments", "created_by", "logprobs"];

/// The conversion of the blocks of a session.
static PLAN: ConvertPlan = ConvertPlan::to(&RESPONSES, OutputShape::Items);

/// The thread that a run of nodes sends, and what of it is not sent.
#[derive(Default)]
pub(super) struct NodeThread {
    pub log: LogThread,
    /// Number of items that were incomplete when they were stored.
    pub incomplete: usize,
}

/// Reads a run of nodes. `stored` is true if the server keeps items, so that they may be sent as references.
/// Records larger than `limit` bytes are skipped.
pub(super) fn read(
    conversation: &Conversation,
    nodes: &[u32],
    stored: bool,
    limit: u64,
) -> io::Result<NodeThread> {
    let mut thread = NodeThread::default();
    let doc = |node: &u32| conversation.forest.node(*node).entry.at.doc;
    for run in nodes.chunk_by(|a, b| doc(a) == doc(b)) {
        let Some(info) = run.first().and_then(|node| conversation.info(doc(node))) else { continue };
        if info.dialect.info().log.is_some() {
            thread.log.extend(read_log(conversation, run, stored, limit)?);
        } else if session::is_session(info) {
            read_session(conversation, run, &mut thread.log);
        } else {
            run.iter().for_each(|node| read_items(conversation, *node, &mut thread));
        }
    }
    Ok(thread)
}

/// The instructions in a run of nodes of a log: a client that continues the server's state sends them again.
pub(super) fn instructions(conversation: &Conversation, nodes: &[u32], limit: u64) -> io::Result<Vec<Message>> {
    let is_log = |node: &&u32| {
        let info = conversation.info(conversation.forest.node(**node).entry.at.doc);
        info.is_some_and(|info| info.dialect.info().log.is_some())
    };
    let nodes: Vec<u32> = nodes.iter().filter(is_log).copied().collect();
    let mut messages = read(conversation, &nodes, true, limit)?.log.thread.messages;
    messages.retain(|message| matches!(message.role, Role::System | Role::Developer));
    Ok(messages)
}

fn read_log(conversation: &Conversation, nodes: &[u32], stored: bool, limit: u64) -> io::Result<LogThread> {
    let forest = &conversation.forest;
    let rows = |node: &u32| forest.rows_of(*node).iter().map(|row| row.at.start);
    let starts = nodes.iter().flat_map(|node| rows(node).chain([forest.node(*node).entry.at.start]));
    let only: BTreeSet<u64> = starts.collect();
    let (Some(from), Some(last)) = (only.first().copied(), only.last().copied()) else {
        return Ok(LogThread::default());
    };
    let part = nodes.first().and_then(|node| conversation.doc(forest.node(*node).entry.at.doc));
    let reader = part.and_then(|part| part.format?.info().dialect.info().log);
    let (Some(part), Some(reader)) = (part, reader) else { return Ok(LogThread::default()) };
    let (id, bytes) = (part.doc.id, &*part.doc.bytes);
    let reader = reader(LogOptions { stored, keeps_item_ids: false, only: Some(only) });
    log::read(&log::LogRecords { id, bytes, within: from..=last, limit }, reader)
}

fn read_session(conversation: &Conversation, nodes: &[u32], log: &mut LogThread) {
    let rows: Vec<Row> = nodes.iter().flat_map(|node| conversation.forest.rows_of(*node)).copied().collect();
    let mut see = |row: &Row, see: &mut dyn FnMut(Val<'_>)| {
        conversation.item(row, see);
    };
    let mut thread = Thread::default();
    for turn in session::turns(&rows) {
        thread.messages.extend(session::messages(turn, false, &mut log.losses, &mut see));
    }
    fit_parts(&mut thread, &PLAN, &mut log.losses);
    log.thread.messages.extend(thread.messages);
}

/// Copies the items of a node.
fn read_items(conversation: &Conversation, node: u32, thread: &mut NodeThread) {
    let marks = conversation.forest.node(node).entry.marks;
    let cut_off = marks.has(EntryMarks::FAILED) || marks.has(EntryMarks::UNFINISHED);
    for row in conversation.forest.rows_of(node) {
        let role = match row.role {
            Role::User | Role::System | Role::Developer => row.role,
            _ if row.answers_call() => Role::Tool,
            _ => Role::Assistant,
        };
        let part = conversation.item(row, |val| {
            if !val.is_object() {
                return Text::of_val(val).map(|text| Part::text(text, row.at.into()));
            }
            let is_unfinished = ["in_progress", "incomplete"]
                .iter()
                .any(|state| val.get(name::status).is_some_and(|status| status.is(state)));
            if cut_off && is_unfinished && row.has(Flags::RECORDED) {
                return None;
            }
            let raw = RawJson::build(row.at, |w| write_item(val, row.has(Flags::RECORDED), w));
            Some(Part::verbatim(NAME, raw, row.at))
        });
        match part.flatten() {
            Some(part) => thread.log.push(role, part),
            None => thread.incomplete += 1,
        }
    }
}

/// Writes a stored item. Members that only responses have are left out of what was recorded.
fn write_item(val: Val<'_>, recorded: bool, w: &mut JsonWriter<'_>) {
    let is_output_only = |key: &[u8]| OUTPUT_ONLY.iter().any(|name| name.as_bytes() == key);
    let alien = |object: Val<'_>| OUTPUT_ONLY.iter().any(|key| object.get(key).is_some());
    let parts = val.get(name::content).filter(|content| content.elements().any(alien));
    if !recorded || !alien(val) && parts.is_none() {
        return w.bytes(val.raw());
    }
    w.object(|w| {
        for member in val.members().filter(|member| !is_output_only(&member.key.decode())) {
            let w = w.key(&String::from_utf8_lossy(member.key.raw));
            match parts.filter(|_| member.key.is(b"content")) {
                Some(parts) => w.array(|w| parts.elements().for_each(|part| write_item(part, true, w))),
                None => w.bytes(member.val.raw()),
            }
        }
    });
}
