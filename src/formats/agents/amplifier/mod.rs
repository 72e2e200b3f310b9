//! Sessions of Amplifier (`transcript.jsonl`): a message a line. An answer names its calls twice, in its content and beside it.
//! Instructions are not stored, and no line names the model: what an answer thought tells which provider gave it.

use crate::format::translate::{Stored, ThreadReader, Translated};
use crate::format::unsent::UnsentPaths;
use crate::format::{Edited, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{Role, Settings};
use crate::json::{NameSet, Val, name};
use crate::message::{Maker, Part, Text};

use crate::formats::member::text_at;
use crate::formats::threads::{DialectChoice, Dialects, STORE, ThreadBuilder, each, parts};

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
    known_by: "lines with `role` and `content`, `tool_calls` with `tool` and `arguments`; or `metadata` with `timestamp` beside them",
    unsent: UNSENT,
    edited: Edited::Whole,
    editor: Some(&edit::EDITOR),
    ..STORE
});

/// What of the store no request says.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths { paths: &["metadata/**"], why: "a note of the program or the provider" },
    UnsentPaths { paths: &["tool_calls/**", "[role=tool]name"], why: "a copy of the call in the content" },
    UnsentPaths { paths: &["content/visibility"], why: "who is shown a block" },
];

/// All keys of a line.
static KEYS: NameSet = NameSet::of(&["role", "content", "name", "tool_call_id", "tool_calls", "metadata"]);

impl Format for AmplifierSession {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.chat
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let is_call = |call: Val<'_>| call.get(name::tool).is_some() && call.get(name::arguments).is_some();
        // The time as Python writes it, and nothing else beside the message.
        let is_timed = text_at(probe.val, &["metadata", "timestamp"]).is_some_and(|time| time.ends_with("+00:00"));
        match probe.has(name::role) && probe.has(name::content) {
            true if probe.val.get(name::tool_calls).is_some_and(|calls| calls.elements().any(is_call)) => 95,
            true if is_timed && probe.val.members().all(|member| KEYS.has(member.name)) => 60,
            _ => 0,
        }
    }

    fn knows(&self, val: Val<'_>) -> bool {
        val.get(name::role).is_some_and(|role| role.is_string())
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| Box::new(Session { said: ThreadBuilder::default(), dialect: DialectChoice::Chat }))
    }
}

struct Session {
    said: ThreadBuilder,
    /// How the provider of the last thought is sent it again.
    dialect: DialectChoice,
}

impl ThreadReader for Session {
    fn take(&mut self, record: &Stored<'_>) {
        let (val, content) = (record.val, record.val.get(name::content));
        match val.get(name::role).and_then(|role| role.text()).unwrap_or_default().as_ref() {
            b"assistant" => self.said.begin(),
            // Results in a row are one turn.
            b"tool" => return self.said.result(val, content, record),
            _ => return self.said.message(val, record),
        }
        let blocks = content.map(each).unwrap_or_default();
        let is_call = |block: &Val<'_>| block.get(name::r#type).is_some_and(|kind| kind.is("tool_call"));
        for block in blocks.iter().copied() {
            match reasoning(block, record) {
                Some((thought, dialect)) => {
                    self.dialect = dialect;
                    self.said.push(Role::Assistant, thought, record);
                }
                None => self.said.content(Role::Assistant, Some(block), record),
            }
        }
        let beside = val.get(name::tool_calls).filter(|_| !blocks.iter().any(is_call));
        for call in beside.into_iter().flat_map(|calls| calls.elements()) {
            let Some(tool) = call.get(name::tool).and_then(|tool| Text::copied(tool, record.base)) else {
                continue;
            };
            self.said.call_of(Role::Assistant, call.get(name::id), tool, call.get(name::arguments), call, record);
        }
    }

    fn finish(self: Box<Self>) -> Vec<Translated> {
        let settings = Settings { ..Settings::default() };
        vec![self.said.finish(DIALECTS.row(self.dialect), settings)]
    }
}

/// A thought that is sent again: Anthropic has signed it, or `content` holds OpenAI's encrypted form of it, and its id.
fn reasoning(block: Val<'_>, record: &Stored<'_>) -> Option<(Part, DialectChoice)> {
    let (base, at) = (record.base, record.base.of(block));
    let text = Some(Text::copied(block.get(name::thinking)?, base)?);
    if let Some(signature) = block.get(name::signature).and_then(|own| Text::copied(own, base)) {
        return Some((parts::thinking(text, Some(signature), at), DialectChoice::Anthropic));
    }
    let mut state = block.get(name::content).into_iter().flat_map(|own| own.elements());
    let (blob, id) = (parts::text(state.next(), base), parts::text(state.next(), base)?);
    let part = Part { id: Some(id), ..parts::reasoning(Maker::OpenAi, text, blob, at) };
    Some((part, DialectChoice::Responses))
}
