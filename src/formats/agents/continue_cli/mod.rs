//! Sessions of Continue, as its CLI and its editor extensions store them: a document with a list `history`, whose items are a
//! message, the context that the user attached, and the states of the tools that it calls. A result is in the state of its
//! call. The client sends what the states say: a call without a state is sent without a result.

use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{HistorySettings, Role};
use crate::json::{Val, name};
use crate::message::{Part, ResultPart, Text};

use crate::formats::member::{text, text_at};
use crate::formats::threads::{DialectChoice, Dialects, STORE, ThreadBuilder, has_list, parts};

mod edit;
pub mod resume;

pub struct ContinueSession;

pub static FORMAT: ContinueSession = ContinueSession;

static DIALECTS: Dialects = Dialects::of_agent(FormatInfo {
    name: "continue-session",
    title: "Continue session (`sessions/*.json`)",
    upstream: Some(Upstream {
        repository: "continuedev/continue",
        file: Some("core/util/messageConversion.ts"),
        version: Some("d0a3c0b6"),
    }),
    known_by: "`sessionId` and `history`, whose items have `message` and `contextItems`",
    unsent: UNSENT,
    edit_support: EditSupport::Partial,
    editor: Some(&edit::EDITOR),
    ..STORE
});

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["title", "workspaceDirectory", "mode", "chatModelTitle", "usage/**", "dateCreated"],
        why: "session metadata",
    },
    UnsentPaths { paths: &["history/editorState/**"], why: "a copy of the prompt, as the editor shows it" },
    UnsentPaths {
        paths: &[
            "history/toolCallStates/toolCallId",
            "history/toolCallStates/toolCall/**",
            "history/toolCallStates/parsedArgs/**",
            "history/toolCallStates/processedArgs/**",
        ],
        why: "repeated in the call",
    },
    UnsentPaths {
        paths: &[
            "history/toolCallStates/status",
            "history/toolCallStates/tool/**",
            "history/toolCallStates/mcpUiState/**",
        ],
        why: "the state and the description of a tool",
    },
    UnsentPaths {
        paths: &[
            "history/toolCallStates/output/name",
            "history/toolCallStates/output/description",
            "history/toolCallStates/output/icon",
            "history/toolCallStates/output/status",
            "history/toolCallStates/output/uri/**",
            "history/contextItems/id/**",
            "history/contextItems/name",
            "history/contextItems/description",
            "history/contextItems/icon",
            "history/contextItems/uri/**",
            "history/contextItems/status",
        ],
        why: "the label of a text, which only the editor shows",
    },
    UnsentPaths {
        paths: &[
            "history/promptLogs/**",
            "history/reasoning/**",
            "history/appliedRules/**",
            "history/modifiers/**",
            "history/message/metadata/**",
            "history/message/usage/**",
            "history/message/reasoning_details/**",
        ],
        why: "metadata of the program or the provider",
    },
    UnsentPaths { paths: &["history/conversationSummary"], why: "repeated in the message" },
];

impl Format for ContinueSession {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.chat
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let is_text = |own: Option<Val<'_>>| own.is_some_and(|own| own.is_string());
        let Some(history) = probe.get(name::history).filter(|list| list.is_array()) else { return 0 };
        if !is_text(probe.get(name::sessionId)) {
            return 0;
        }
        let is_item = |item: Val<'_>| item.at(&["message", "role"]).is_some() && has_list(item, "contextItems");
        match history.elements().take(SAMPLE).all(is_item) {
            true if history.count() > 0 || is_text(probe.val.get("workspaceDirectory")) => 95,
            _ => 0,
        }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read))
    }
}

/// Number of items that detection reads.
const SAMPLE: usize = 50;

fn read(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    let mut reader = ContinueReader { thread: ThreadBuilder::default(), model: None, is_anthropic: false };
    for item in record.val.get("history").into_iter().flat_map(|list| list.elements()) {
        reader.read_item(item, record);
    }
    let ContinueReader { thread, model, is_anthropic } = reader;
    let dialect = if is_anthropic { DialectChoice::Anthropic } else { DialectChoice::Chat };
    // A call whose state has no output is sent as cancelled, and one without a state as it is.
    let settings = HistorySettings {
        label: text(record.val, "sessionId"),
        model,
        store: Some(false),
        sends_open_calls: true,
        ..HistorySettings::default()
    };
    out.push(thread.finish(DIALECTS.row(dialect), settings));
}

struct ContinueReader {
    thread: ThreadBuilder,
    model: Option<Box<str>>,
    /// True if there is a signed thought, which only Anthropic's API reads.
    is_anthropic: bool,
}

impl ContinueReader {
    fn read_item(&mut self, item: Val<'_>, record: &ParsedRecord<'_>) {
        let Some(message) = item.get(name::message) else { return };
        let content = message.get(name::content);
        if let Some(summary) = item.get("conversationSummary").filter(Val::is_string) {
            let replaced = std::mem::take(&mut self.thread);
            self.thread.omit_all(replaced, COMPACTED);
            // The editor extensions keep the summary beside the last message that it replaces.
            if content.is_none_or(|content| content.text() != summary.text()) {
                self.thread.omit("a message", message, record, COMPACTED);
                return self.thread.text(Role::System, Some(summary), record);
            }
        }
        match message.get(name::role).and_then(|role| role.text()).unwrap_or_default().as_ref() {
            b"user" => {
                self.thread.begin();
                for context in item.get("contextItems").into_iter().flat_map(|list| list.elements()) {
                    self.thread.text(Role::User, context.get(name::content), record);
                }
                self.content(Role::User, content, record);
            }
            b"thinking" => self.read_thought(message, record),
            b"assistant" => {
                // A thought is the beginning of the answer after it.
                if !self.thread.ends_in_thought() {
                    self.thread.begin();
                }
                self.model = text_at(message, &["usage", "model"]).or(self.model.take());
                self.content(Role::Assistant, content, record);
                self.thread.calls(message, record);
            }
            b"system" => {
                self.thread.begin();
                self.content(Role::System, content, record);
            }
            // Results are sent from the states.
            b"tool" => self.thread.omit(
                "a result",
                message,
                record,
                "the client sends the result in the state of the call",
            ),
            _ => self.thread.message(message, record),
        }
        for state in item.get("toolCallStates").into_iter().flat_map(|list| list.elements()) {
            self.read_state(state, record);
        }
    }

    /// Adds a text, or the parts of a list.
    fn content(&mut self, role: Role, content: Option<Val<'_>>, record: &ParsedRecord<'_>) {
        let Some(list) = content.filter(Val::is_array) else { return self.thread.text(role, content, record) };
        for part in list.elements() {
            match part.at(&["imageUrl", "url"]).and_then(|url| Text::copied(url, record.base)) {
                Some(url) => {
                    let image = parts::image(url);
                    self.thread.push(role, Part::new(image.into(), record.base.of(part).into()), record);
                }
                None => self.thread.content(role, Some(part), record),
            }
        }
    }

    fn read_thought(&mut self, message: Val<'_>, record: &ParsedRecord<'_>) {
        let at = record.base.of(message);
        let copied = |key: &str| parts::text(message.get(key), record.base);
        let signature = copied("signature");
        self.thread.begin();
        if let Some(data) = copied("redactedThinking") {
            self.is_anthropic = true;
            return self.thread.push(Role::Assistant, parts::redacted(Some(data), at), record);
        }
        self.is_anthropic |= signature.is_some();
        let text = copied("content");
        if text.is_some() {
            self.thread.push(Role::Assistant, parts::thinking(text, signature, at), record);
        }
    }

    /// Adds the result in the state of a call.
    fn read_state(&mut self, state: Val<'_>, record: &ParsedRecord<'_>) {
        let at = record.base.of(state);
        let id = state.get(name::toolCallId).or_else(|| state.at(&["toolCall", "id"]));
        let output = state.get(name::output).into_iter().flat_map(|output| output.elements());
        let texts: Vec<Text> =
            output.filter_map(|one| Text::copied(one.get(name::content)?, record.base)).collect();
        let output = match texts.is_empty() {
            true => Text::synthetic(CANCELLED, at),
            false => Text::join(&texts, "\\n"),
        };
        let failed = state.get(name::status).is_some_and(|status| status.is("errored"));
        self.thread.push_result(id, vec![ResultPart::Text(output.reported_at(at))], failed, state, record);
    }
}

/// Why a message before a summary is not sent.
const COMPACTED: &str = "a compaction has replaced it";

/// What the client sends for a call whose state has no output.
const CANCELLED: &str = "Tool cancelled";
