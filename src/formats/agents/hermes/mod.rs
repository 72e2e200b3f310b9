//! Sessions of Hermes: a JSON document with messages like those of Chat Completions, the archive that it exports, and the rows
//! of its database (`state.db`), each of which is read as a message.

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{HistorySettings, RequestFlags, Role};
use crate::json::{Val, name};
use crate::message::Text;

use crate::formats::member::text;
use crate::formats::threads::ThreadBuilder;
use crate::formats::threads::{Dialects, STORE};

mod edit;
pub mod resume;

pub struct HermesSession;

pub static FORMAT: HermesSession = HermesSession;

static INFO: FormatInfo = Dialects::of_agent(FormatInfo {
    name: "hermes-session",
    title: "Hermes session (`state.db`, JSON)",
    upstream: Some(Upstream { repository: "NousResearch/hermes-agent", file: Some("hermes_state.py"), version: Some("0.19.0") }),
    known_by: "`session_id`, `platform` and `messages`; `session_id`, `archive_state` and `messages`; tables `sessions` and `messages` with `tool_calls`",
    unsent: UNSENT,
    edit_support: EditSupport::Partial,
    editor: Some(&edit::EDITOR),
    ..STORE
}).chat;

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &[
            "archive_state",
            "base_url",
            "cost/**",
            "cwd",
            "end_reason",
            "ended_at",
            "finalized",
            "git_branch",
            "git_repo_root",
            "handoff_platform",
            "model_config/**",
            "parent_relationship",
            "parent_session_id",
            "platform",
            "producer",
            "profile_id",
            "repository_cwd",
            "session_revision_hash",
            "session_start",
            "source_user_scope",
        ],
        why: "session metadata",
    },
    UnsentPaths {
        paths: &[
            "messages/state=active|observed",
            "state=active|observed",
            "messages/tool_calls/call_id",
            "messages/tool_calls/response_item_id",
            "**/[role=tool]tool_name",
            "[role=tool]tool_name",
            "messages/tool_results/is_error",
        ],
        why: "secondary ids of a call, and a copy of its name",
    },
];

impl Format for HermesSession {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let is_session = probe.has(name::session_id) && probe.has_list(name::messages);
        let is_own = || probe.has(name::platform) || probe.val.get("archive_state").is_some();
        if is_session && is_own() { 95 } else { 0 }
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        val.get(name::role).is_some() || self.detect(&Probe::new(val)) > 0
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(HermesReader::default()))
    }
}

/// Collects sessions: each document is one, and all rows together are one.
#[derive(Default)]
struct HermesReader {
    translated: Vec<TranslatedThread>,
    rows: ThreadBuilder,
    model: Option<Box<str>>,
    has_rows: bool,
}

impl ThreadReader for HermesReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        let val = record.val;
        if val.get(name::role).is_some() {
            self.has_rows = true;
            self.model = text(val, "model").or(self.model.take());
            add(val, record, &mut self.rows);
            return;
        }
        let mut thread = ThreadBuilder::default();
        thread.text(Role::System, val.get(name::system_prompt), record);
        let is_archive = val.get("archive_state").is_some();
        for message in val.get(name::messages).into_iter().flat_map(|list| list.elements()) {
            match is_archive {
                true => add_archived(message, record, &mut thread),
                false => add(message, record, &mut thread),
            }
        }
        let mut settings = HistorySettings {
            label: text(val, "session_id"),
            model: text(val, "model"),
            ..HistorySettings::default()
        };
        // An archive has only the beginnings of outputs.
        settings.facts.set_if(RequestFlags::CUT, is_archive);
        self.translated.push(thread.finish(&INFO, settings));
    }

    fn finish(mut self: Box<Self>) -> Vec<TranslatedThread> {
        if self.has_rows {
            let settings = HistorySettings { model: self.model, ..HistorySettings::default() };
            self.translated.push(self.rows.finish(&INFO, settings));
        }
        self.translated
    }
}

/// Adds a message, unless it is metadata. In a row its content may be JSON in a string.
fn add(message: Val<'_>, record: &ParsedRecord<'_>, thread: &mut ThreadBuilder) {
    if message.get(name::role).is_some_and(|role| role.is("session_meta")) {
        return;
    }
    thread.message(message, record);
}

/// Adds a message of an exported archive.
fn add_archived(message: Val<'_>, record: &ParsedRecord<'_>, thread: &mut ThreadBuilder) {
    if message.get(name::state).is_some_and(|state| state.is("rewound")) {
        return thread.omit("a message", message, record, "it was taken back");
    }
    thread.begin();
    let role = match message.get(name::role).and_then(|role| role.text()).unwrap_or_default().as_ref() {
        b"assistant" => Role::Assistant,
        b"system" => Role::System,
        _ => Role::User,
    };
    if let Some(thought) = message.get(name::reasoning).filter(Val::is_string) {
        thread.push_reasoning(thought, record);
    }
    thread.text(role, message.get(name::text), record);
    let list = |key: &str| message.get(key).into_iter().flat_map(|list| list.elements());
    for call in list("tool_calls") {
        let Some(name) = call.get(name::tool_name).and_then(|name| Text::copied(name, record.base)) else {
            continue;
        };
        thread.push_call(role, call.get("action_id"), name, call.get("arguments_json"), call, record);
    }
    for result in list("tool_results") {
        let output = result.get("output_preview").map(|output| thread.output(output, record)).unwrap_or_default();
        let failed = result.get(name::is_error).and_then(|own| own.as_bool()) == Some(true);
        thread.push_result(result.get("action_id"), output, failed, result, record);
    }
}
