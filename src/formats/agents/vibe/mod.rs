//! Sessions of Mistral Vibe 3: a folder in which `CURRENT` names a generation, whose manifest lists the chunks with the
//! messages of its checkpoint. They are read in this order, after the runtime state, which contains the instructions. What the
//! journal adds after the checkpoint is not read. Each file is named by the SHA-256 of its content, or has it in the manifest.

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{HistorySettings, Role};
use crate::json::{NameSet, Val, name};
use crate::message::Text;

use crate::formats::member::{text, text_at};
use crate::formats::threads::{Dialects, STORE, ThreadBuilder, as_list, parts};

pub mod resume;

pub struct VibeSession;

pub static FORMAT: VibeSession = VibeSession;

static INFO: FormatInfo = Dialects::of_agent(FormatInfo {
    name: "vibe-session",
    title: "Mistral Vibe session (a folder with `CURRENT`, `generations`, `chunks`)",
    upstream: Some(Upstream { repository: "mistralai/mistral-vibe", file: None, version: Some("3.0.2") }),
    known_by: "lists of `message` with `source` and `turn_index`",
    unsent: UNSENT,
    read_only: Some(
        "Vibe opens a chunk only if the SHA-256 of its content is its name; `replaylint convert --to API` writes a request",
    ),
    ..STORE
})
.chat;

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &[
            "[store_format]**",
            "[manifest_version]**",
            "[runtime_state_version]**",
            "[checkpoint_version]**",
        ],
        why: "the state of the program",
    },
    UnsentPaths { paths: &["source", "message/name", "message/outcome"], why: "metadata of a message" },
    UnsentPaths {
        paths: &["message/content/arguments/value/**", "message/content/arguments/type"],
        why: "repeated in the raw arguments",
    },
    UnsentPaths {
        paths: &["message/content/arguments/[type=invalid_json]**"],
        why: "the client sends `{}` for arguments that are not valid JSON",
    },
    UnsentPaths {
        paths: &["message/_meta/**", "message/content/_meta/**"],
        why: "metadata of the program or the provider",
    },
];

/// Keys of the other files of a session that are read: the pointer, the manifest, the state, and the checkpoint.
static STATES: NameSet =
    NameSet::of(&["store_format", "manifest_version", "runtime_state_version", "checkpoint_version"]);

/// Number of elements that detection reads.
const SAMPLE: usize = 50;

impl Format for VibeSession {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let is_message = |entry: Val<'_>| {
            entry.at(&["message", "role"]).is_some()
                && entry.get(name::source).is_some_and(|source| source.is_string())
                && entry.get(name::turn_index).is_some()
        };
        if !probe.val.is_array() {
            // The state of the program contains no messages: it is part of a session only among other files.
            return if probe.names.intersects(&STATES) { 15 } else { 0 };
        }
        let has_messages = probe.val.count() > 0 && probe.val.elements().take(SAMPLE).all(is_message);
        if has_messages { 95 } else { 0 }
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        val.is_array() || val.names().intersects(&STATES)
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(VibeReader::default()))
    }
}

#[derive(Default)]
struct VibeReader {
    thread: ThreadBuilder,
    label: Option<Box<str>>,
    model: Option<Box<str>>,
}

impl ThreadReader for VibeReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        let val = record.val;
        if val.is_object() {
            self.label = text(val, "session_id").or(self.label.take());
            self.model = text_at(val, &["session_metadata", "active_model"]).or(self.model.take());
            self.thread.text(Role::System, val.get("core_system_instructions"), record);
        }
        // A checkpoint without chunks contains its messages.
        let list = if val.is_array() { Some(val) } else { val.at(&["context", "messages"]) };
        for message in
            list.into_iter().flat_map(|list| list.elements()).filter_map(|entry| entry.get(name::message))
        {
            self.message(message, record);
        }
    }

    fn finish(self: Box<Self>) -> Vec<TranslatedThread> {
        let settings = HistorySettings {
            label: self.label,
            model: self.model,
            store: Some(false),
            read_only: INFO.read_only,
            ..HistorySettings::default()
        };
        vec![self.thread.finish(&INFO, settings)]
    }
}

impl VibeReader {
    fn message(&mut self, message: Val<'_>, record: &ParsedRecord<'_>) {
        let content = message.get(name::content);
        match message.get(name::role).and_then(|role| role.text()).unwrap_or_default().as_ref() {
            b"assistant" => {
                self.thread.begin();
                content.map(as_list).unwrap_or_default().into_iter().for_each(|part| self.part(part, record));
            }
            b"tool" => {
                let output = content.map(|content| self.thread.output(content, record)).unwrap_or_default();
                let failed = message.get("outcome").is_some_and(|outcome| outcome.is("failure"));
                self.thread.push_result(message.get(name::tool_call_id), output, failed, message, record);
            }
            _ => self.thread.message(message, record),
        }
    }

    /// Adds a part of an answer.
    fn part(&mut self, part: Val<'_>, record: &ParsedRecord<'_>) {
        let at = record.base.of(part);
        match part.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default().as_ref() {
            b"reasoning" => {
                for thought in part.get(name::content).into_iter().flat_map(|list| list.elements()) {
                    let thought = match parts::text(thought.get(name::data), record.base) {
                        Some(data) => parts::redacted(Some(data), at),
                        None => parts::thinking(parts::text(thought.get(name::text), record.base), None, at),
                    };
                    self.thread.push(Role::Assistant, thought, record);
                }
            }
            b"tool_call" => {
                let Some(name) = part.get(name::name).and_then(|name| Text::copied(name, record.base)) else {
                    return;
                };
                let is_valid =
                    |arguments: &Val<'_>| !arguments.get(name::r#type).is_some_and(|kind| kind.is("invalid_json"));
                let input = part.get(name::arguments).filter(is_valid).and_then(|arguments| arguments.get("raw"));
                self.thread.push_call(Role::Assistant, part.get(name::id), name, input, part, record);
            }
            _ => self.thread.content(Role::Assistant, Some(part), record),
        }
    }
}
