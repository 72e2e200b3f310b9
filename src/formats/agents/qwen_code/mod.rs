//! Sessions of Qwen Code: `~/.qwen/projects/<folder>/chats/<session>.jsonl`. Lines are linked by `uuid` and `parentUuid` like
//! those of Claude Code, with contents of the Gemini API. Lines of one `uuid` are one message. A compression contains the
//! messages that replace everything before it.

use foldhash::HashMap;

use crate::dialects::gemini::GEMINI;
use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::{
    EditSupport, Format, FormatInfo, HistoryScope, Layout, Probe, RecordPart, RemovalUnit, Upstream,
};
use crate::history::tree::{self, EntryMarks, NodeName, TreeEntry};
use crate::history::{HistorySettings, Role, Usage, Version, time};
use crate::json::{Val, name};
use crate::message::{Message, Part as MessagePart, RawJson};

use crate::formats::member::{node_name, parsed, shared_name};
use crate::formats::threads::parts;

mod edit;
pub mod resume;

pub struct QwenCode;

pub static FORMAT: QwenCode = QwenCode;

static INFO: FormatInfo = FormatInfo {
    name: "qwen-code",
    title: "Qwen Code session (lines linked by `parentUuid`, with Gemini parts)",
    upstream: Some(Upstream {
        repository: "QwenLM/qwen-code",
        file: Some("packages/core/src/services/chatRecordingService.ts"),
        version: Some("0.24.4"),
    }),
    known_by: "`uuid` and `sessionId` with `message.parts` or `systemPayload`",
    usage: Usage::Log,
    histories: HistoryScope::Tree,
    parts: &[RecordPart { path: &[], unit: RemovalUnit::Record }],
    is_appended: true,
    edit_support: EditSupport::Full,
    editor: Some(&edit::EDITOR),
    placeholder: Some(edit::placeholder_line),
    ..FormatInfo::of(&GEMINI, "gemini")
};

/// Types of lines.
const TYPES: [&str; 4] = ["user", "assistant", "tool_result", "system"];

impl Format for QwenCode {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let is_known = |kind: Val<'_>| TYPES.iter().any(|name| kind.is(name));
        let message = probe.get(name::message);
        let is_line = probe.has(name::uuid)
            && probe.has(name::sessionId)
            && probe.get(name::r#type).is_some_and(is_known)
            && message.and_then(|message| message.get(name::content)).is_none();
        if !is_line {
            return 0;
        }
        let parts = message.and_then(|message| message.get(name::parts)).is_some_and(|parts| parts.is_array());
        if parts || probe.get(name::systemPayload).is_some_and(|payload| payload.is_object()) {
            return 97;
        }
        let is_side = probe.has(name::timestamp) && probe.has(name::subtype) && probe.has(name::cwd);
        if is_side && message.is_none() && !probe.has(name::content) { 15 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(QwenReader::default()))
    }
}

/// Collects the lines of a session.
#[derive(Default)]
struct QwenReader {
    /// The entry of all lines with one `uuid`, with the number of messages before its own.
    entries: Vec<(usize, TreeEntry)>,
    messages: Vec<Message>,
    /// The model of the last answer.
    model: Option<NodeName>,
    /// Index of each entry by its `uuid`.
    by_uuid: HashMap<NodeName, usize>,
}

impl ThreadReader for QwenReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        let (val, base) = (record.val, record.base);
        let Some(name) = node_name(val, "uuid") else { return };
        let part = |own: Val<'_>| parts::block("gemini", RawJson::copied(own, base), base.of(own));
        let list = val.at(&["message", "parts"]).filter(Val::is_array);
        let message_parts: Vec<MessagePart> = list.iter().flat_map(|list| list.elements()).map(part).collect();
        if let Some((first, entry)) = self.by_uuid.get(&name).and_then(|ix| self.entries.get_mut(*ix)) {
            let has_message = entry.part != tree::EntryRole::Link && !entry.marks.has(EntryMarks::RESTART);
            if let Some(message) = self.messages.get_mut(*first).filter(|_| has_message) {
                message.parts.extend(message_parts);
            }
            entry.model = node_name(val, "model").or(entry.model.take());
            return;
        }
        let is = |name: &str| val.get(name::r#type).is_some_and(|kind| kind.is(name));
        let compressed = val.at(&["systemPayload", "compressedHistory"]).filter(|list| {
            list.is_array() && val.get(name::subtype).is_some_and(|kind| kind.is("chat_compression"))
        });
        let first = self.messages.len();
        let mut add = |role, all| self.messages.push(parts::message(role, all, base.of(val), record.number));
        let part = match compressed {
            Some(list) if is("system") => {
                let content = |own: Val<'_>| {
                    let is_model = own.get(name::role).is_some_and(|role| role.is("model"));
                    let role = if is_model { Role::Assistant } else { Role::User };
                    Message::verbatim("gemini", role, RawJson::copied(own, base), base.of(own), record.number)
                };
                self.messages.extend(list.elements().filter(Val::is_object).map(content));
                tree::EntryRole::Input
            }
            _ if is("system") || message_parts.is_empty() => tree::EntryRole::Link,
            _ if is("assistant") => {
                add(Role::Assistant, message_parts);
                tree::EntryRole::Answer
            }
            _ => {
                add(Role::User, message_parts);
                tree::EntryRole::Input
            }
        };
        let mut entry = TreeEntry::new(name.clone(), base.of(val), record.number, part);
        let last = self.entries.last().map(|(_, last)| last);
        entry.parent = shared_name(val, "parentUuid", last.map(|last| &last.name));
        entry.time = parsed(val, "timestamp", time::parse);
        entry.version = parsed(val, "version", Version::parse);
        if part == tree::EntryRole::Answer {
            entry.model = shared_name(val, "model", self.model.as_ref());
            self.model = entry.model.clone();
            entry.store = Some(false);
            entry.marks.set(EntryMarks::NO_IDS);
        }
        if is("system") && compressed.is_some() {
            entry.marks.set(EntryMarks::RESTART);
            entry.marks.set(EntryMarks::TRIMMED);
        }
        self.by_uuid.insert(name, self.entries.len());
        self.entries.push((first, entry));
    }

    fn finish(self: Box<Self>) -> Vec<TranslatedThread> {
        let settings = HistorySettings { ..HistorySettings::default() };
        let translated = TranslatedThread::from_messages(&INFO, settings, self.messages);
        vec![TranslatedThread { entries: self.entries, ..translated }]
    }
}
