//! Sessions of Amplifier (`transcript.jsonl`): one message per line. An answer lists its calls twice, in its content and in
//! `tool_calls`. Neither instructions nor models are stored: the reasoning of an answer shows which provider gave it.

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{HistorySettings, Role};
use crate::json::{NameSet, Val, name};
use crate::message::{Part, ReasoningProvider, Text};

use crate::formats::member::text_at;
use crate::formats::threads::{DialectChoice, Dialects, STORE, ThreadBuilder, as_list, parts};

mod edit;

pub struct AmplifierSession;

pub static FORMAT: AmplifierSession = AmplifierSession;

static DIALECTS: Dialects = Dialects::of_agent(FormatInfo {
    name: "amplifier-session",
    title: "Amplifier session (`transcript.jsonl`)",
    upstream: Some(Upstream {
        repository: "microsoft/amplifier-app-cli",
        file: Some("amplifier_app_cli/session_store.py"),
        version: Some("f16375fc"),
    }),
    known_by: "lines with `role` and `content`, `tool_calls` with `tool` and `arguments`; or `role`, `content` and `metadata` with `timestamp`",
    unsent: UNSENT,
    edit_support: EditSupport::Full,
    editor: Some(&edit::EDITOR),
    ..STORE
});

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths { paths: &["metadata/**"], why: "metadata of the program or the provider" },
    UnsentPaths { paths: &["tool_calls/**", "[role=tool]name"], why: "a copy of the call in the content" },
    UnsentPaths { paths: &["content/visibility"], why: "the audience of a block" },
];

/// All keys that a line can have.
static KEYS: NameSet = NameSet::of(&["role", "content", "name", "tool_call_id", "tool_calls", "metadata"]);

impl Format for AmplifierSession {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.chat
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let is_call = |call: Val<'_>| call.get(name::tool).is_some() && call.get(name::arguments).is_some();
        // The time is in Python's format, and the line has no other members than a message.
        let is_timed =
            || text_at(probe.val, &["metadata", "timestamp"]).is_some_and(|time| time.ends_with("+00:00"));
        match probe.has(name::role) && probe.has(name::content) {
            true if probe.get(name::tool_calls).is_some_and(|calls| calls.elements().any(is_call)) => 95,
            true if is_timed() && probe.val.members().all(|member| KEYS.has(member.name)) => 60,
            _ => 0,
        }
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        val.get(name::role).is_some_and(|role| role.is_string())
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| {
            Box::new(AmplifierReader { thread: ThreadBuilder::default(), dialect: DialectChoice::Chat })
        })
    }
}

struct AmplifierReader {
    thread: ThreadBuilder,
    /// The dialect in which the newest reasoning can be sent back.
    dialect: DialectChoice,
}

impl ThreadReader for AmplifierReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        let (val, content) = (record.val, record.val.get(name::content));
        match val.get(name::role).and_then(|role| role.text()).unwrap_or_default().as_ref() {
            b"assistant" => self.thread.begin(),
            // Consecutive results are one turn.
            b"tool" => return self.thread.result(val, content, record),
            _ => {
                self.thread.message(val, record);
                if text_at(val, &["metadata", "source"]).is_some_and(|source| *source == *"hook") {
                    self.thread.mark_inserted(record);
                }
                return;
            }
        }
        let blocks = content.map(as_list).unwrap_or_default();
        let is_call = |block: &Val<'_>| block.get(name::r#type).is_some_and(|kind| kind.is("tool_call"));
        for block in blocks.iter().copied() {
            match reasoning(block, record) {
                Some((thought, dialect)) => {
                    self.dialect = dialect;
                    self.thread.push(Role::Assistant, thought, record);
                }
                None => self.thread.content(Role::Assistant, Some(block), record),
            }
        }
        let calls = val.get(name::tool_calls).filter(|_| !blocks.iter().any(is_call));
        for call in calls.into_iter().flat_map(|calls| calls.elements()) {
            let Some(tool) = call.get(name::tool).and_then(|tool| Text::copied(tool, record.base)) else {
                continue;
            };
            self.thread.push_call(
                Role::Assistant,
                call.get(name::id),
                tool,
                call.get(name::arguments),
                call,
                record,
            );
        }
    }

    fn finish(self: Box<Self>) -> Vec<TranslatedThread> {
        let settings = HistorySettings { ..HistorySettings::default() };
        vec![self.thread.finish(DIALECTS.row(self.dialect), settings)]
    }
}

/// Reasoning that can be sent back: signed by Anthropic, or with OpenAI's encrypted form and id in `content`.
fn reasoning(block: Val<'_>, record: &ParsedRecord<'_>) -> Option<(Part, DialectChoice)> {
    let (base, at) = (record.base, record.base.of(block));
    let text = Some(Text::copied(block.get(name::thinking)?, base)?);
    if let Some(signature) = block.get(name::signature).and_then(|own| Text::copied(own, base)) {
        return Some((parts::thinking(text, Some(signature), at), DialectChoice::Anthropic));
    }
    let mut state = block.get(name::content).into_iter().flat_map(|own| own.elements());
    let (blob, id) = (parts::text(state.next(), base), parts::text(state.next(), base)?);
    let part = Part { id: Some(id), ..parts::reasoning(ReasoningProvider::OpenAi, text, blob, at) };
    Some((part, DialectChoice::Responses))
}
