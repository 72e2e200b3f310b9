//! Exports of Claude.ai: `conversations.json`, a list of conversations with `chat_messages`, or a single one. Messages name
//! their parent if one was edited or retried; the branch that ends with the newest message is read.

use foldhash::{HashMap, HashSet};

use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe};
use crate::history::{HistorySettings, Role};
use crate::json::{Val, name};

use crate::formats::member::text;
use crate::formats::threads::{self, Dialects, STORE, ThreadBuilder};

pub struct ClaudeAiExport;

pub static FORMAT: ClaudeAiExport = ClaudeAiExport;

static INFO: FormatInfo = Dialects::of_agent(FormatInfo {
    name: "claude-ai-export",
    title: "Claude.ai export (`conversations.json`)",
    known_by: "`chat_messages` with `sender`, next to `uuid`; alone or in a list",
    unsent: UNSENT,
    ..STORE
})
.anthropic;

const READ_ONLY: &str =
    "exports cannot be imported into Claude.ai; `replaylint convert --to API FILE` writes a request";

/// Values that are not part of requests.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["name", "title", "summary", "**/sender", "chat_messages/parent_message_uuid"],
        why: "the name of the conversation, and the sender of a message",
    },
    UnsentPaths { paths: &["chat_messages/content/[type=tool_result]name"], why: "the name is in the call" },
];

impl Format for ClaudeAiExport {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if threads::all_match(probe.val, is_conversation) { 95 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read_record))
    }
}

fn is_conversation(val: Val<'_>) -> bool {
    let is_message = |message: Val<'_>| {
        ["human", "assistant"].iter().any(|name| message.get("sender").is_some_and(|sender| sender.is(name)))
    };
    val.get(name::uuid).is_some_and(|id| id.is_string())
        && val
            .get(name::chat_messages)
            .is_some_and(|list| list.is_array() && list.elements().take(threads::SAMPLE).all(is_message))
}

fn read_record(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    let conversations = threads::as_list(record.val);
    out.extend(conversations.into_iter().map(|conversation| read_conversation(conversation, record)));
}

fn read_conversation(conversation: Val<'_>, record: &ParsedRecord<'_>) -> TranslatedThread {
    let messages: Vec<Val<'_>> =
        conversation.get(name::chat_messages).into_iter().flat_map(|list| list.elements()).collect();
    let path = path(&messages, conversation);
    let mut thread = ThreadBuilder::default();
    for &message in &path {
        add(message, record, &mut thread);
    }
    thread.omit_branches(&messages, &path, record);
    let settings = HistorySettings {
        label: text(conversation, "uuid"),
        model: text(conversation, "model"),
        read_only: Some(READ_ONLY),
        ..HistorySettings::default()
    };
    thread.pair_results().finish(&INFO, settings)
}

/// The messages on the path to the current one, or to the newest; all messages, if none has a parent.
fn path<'v>(messages: &[Val<'v>], conversation: Val<'v>) -> Vec<Val<'v>> {
    let id = |message: &Val<'v>, key: &str| text(*message, key);
    let by_id: HashMap<Box<str>, usize> =
        messages.iter().enumerate().filter_map(|(n, message)| Some((id(message, "uuid")?, n))).collect();
    let parent = |message: &Val<'v>| id(message, "parent_message_uuid").and_then(|id| by_id.get(&id).copied());
    if !messages.iter().any(|message| parent(message).is_some()) {
        return messages.to_vec();
    }
    let current = text(conversation, "current_leaf_message_uuid").and_then(|id| by_id.get(&id).copied());
    let newest =
        || messages.iter().enumerate().max_by_key(|(_, message)| id(message, "created_at")).map(|(n, _)| n);
    let (mut path, mut seen) = (Vec::new(), HashSet::default());
    let mut next = current.or_else(newest);
    while let Some(message) = next.filter(|n| seen.insert(*n)).and_then(|n| messages.get(n)) {
        path.push(*message);
        next = parent(message);
    }
    path.reverse();
    path
}

/// Adds a message: its blocks, which contain more than its text, or the text if there are none.
fn add(message: Val<'_>, from: &ParsedRecord<'_>, thread: &mut ThreadBuilder) {
    let role =
        if message.get("sender").is_some_and(|sender| sender.is("human")) { Role::User } else { Role::Assistant };
    thread.begin();
    let list = |key: &str| message.get(key).into_iter().flat_map(|list| list.elements());
    for attachment in list("attachments") {
        thread.text(role, attachment.get("extracted_content"), from);
    }
    for file in list("files") {
        thread.report_loss("an attached file", file, from, "its content is not in the export");
    }
    match message.get(name::content).filter(|content| content.is_array() && content.count() > 0) {
        Some(content) => thread.content(role, Some(content), from),
        None => thread.text(role, message.get(name::text), from),
    }
}
