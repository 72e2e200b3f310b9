//! Contexts of the Kimi CLI (`context.jsonl`), the predecessor of Kimi Code: messages of Chat Completions, one per line, beside
//! lines whose role begins with `_`: the instructions, checkpoints, and token counts. Neither provider nor model is stored.

use crate::format::translate::{ParsedRecord, ThreadReader, TranslatedThread};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{HistorySettings, Role};
use crate::json::{NameSet, Val, name};
use crate::message::{Part, ReasoningProvider, Text};

use crate::formats::threads::{DialectChoice, Dialects, STORE, ThreadBuilder, as_list, parts};

mod edit;
pub mod resume;

pub struct KimiCliContext;

pub static FORMAT: KimiCliContext = KimiCliContext;

static DIALECTS: Dialects = Dialects::of_agent(FormatInfo {
    name: "kimi-cli",
    title: "Kimi CLI context (`context.jsonl`)",
    upstream: Some(Upstream {
        repository: "MoonshotAI/kimi-cli",
        file: Some("src/kimi_cli/soul/context.py"),
        version: Some("1.49.0"),
    }),
    known_by: "lines whose `role` is `_system_prompt`, `_checkpoint` with `id` or `_usage` with `token_count`",
    is_appended: true,
    unsent: UNSENT,
    edit_support: EditSupport::Full,
    editor: Some(&edit::EDITOR),
    ..STORE
});

/// Stored members that no request contains, and why.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths { paths: &["partial", "tool_calls/extras/**"], why: "metadata of the client or the provider" },
    UnsentPaths {
        paths: &["content/image_url/id", "content/audio_url/id", "content/video_url/id"],
        why: "the id of a file",
    },
];

/// All keys that a message can have.
static KEYS: NameSet = NameSet::of(&["role", "name", "content", "tool_calls", "tool_call_id"]);

impl Format for KimiCliContext {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.chat
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let val = probe.val;
        let Some(role) = probe.text(name::role) else { return 0 };
        match role.as_ref() {
            b"_system_prompt" if probe.count == 2 && probe.has(name::content) => 95,
            b"_checkpoint" if probe.count == 2 && probe.has(name::id) => 95,
            b"_usage" if probe.count == 2 && val.get("token_count").is_some() => 95,
            // A message is one only among other lines.
            b"user" | b"assistant" | b"system" | b"tool"
                if probe.has(name::content) && val.members().all(|member| KEYS.has(member.name)) =>
            {
                19
            }
            _ => 0,
        }
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        val.get(name::role).is_some_and(|role| role.is_string())
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| {
            Box::new(KimiCliReader {
                system: ThreadBuilder::default(),
                thread: ThreadBuilder::default(),
                dialect: DialectChoice::Chat,
            })
        })
    }
}

struct KimiCliReader {
    /// The newest instructions.
    system: ThreadBuilder,
    thread: ThreadBuilder,
    /// The dialect in which the newest reasoning can be sent back.
    dialect: DialectChoice,
}

impl ThreadReader for KimiCliReader {
    fn read(&mut self, record: &ParsedRecord<'_>) {
        let (val, content) = (record.val, record.val.get(name::content));
        match val.get(name::role).and_then(|role| role.text()).unwrap_or_default().as_ref() {
            b"_system_prompt" => {
                let replaced = std::mem::take(&mut self.system);
                self.system.omit_all(replaced, "another system prompt has replaced it");
                self.system.text(Role::System, content, record);
            }
            b"_checkpoint" | b"_usage" => {}
            b"assistant" => {
                self.thread.begin();
                for block in content.map(as_list).unwrap_or_default() {
                    match reasoning(block, record) {
                        Some((thought, dialect)) => {
                            self.dialect = dialect.unwrap_or(self.dialect);
                            self.thread.push(Role::Assistant, thought, record);
                        }
                        None => self.thread.content(Role::Assistant, Some(block), record),
                    }
                }
                self.thread.calls(val, record);
            }
            _ => self.thread.message(val, record),
        }
    }

    fn finish(self: Box<Self>) -> Vec<TranslatedThread> {
        let target = match self.dialect {
            DialectChoice::Chat => Some("kimi"),
            _ => None,
        };
        let mut thread = self.system;
        thread.join(self.thread);
        // A call is written together with its results, so none at the end is about to run.
        let settings =
            HistorySettings { target, store: Some(false), sends_open_calls: true, ..HistorySettings::default() };
        vec![thread.finish(DIALECTS.row(self.dialect), settings)]
    }
}

/// Reasoning, and the dialect in which it can be sent back: `encrypted` is a signature of Anthropic's or OpenAI's encrypted
/// content. `None` for the dialect if there is neither: it is sent as `reasoning_content`.
fn reasoning(block: Val<'_>, record: &ParsedRecord<'_>) -> Option<(Part, Option<DialectChoice>)> {
    let (base, at) = (record.base, record.base.of(block));
    let text = Some(Text::copied(block.get("think")?, base)?);
    let sealed = parts::text(block.get("encrypted"), base);
    let Some(sealed) = sealed else { return Some((parts::thinking(text, None, at), None)) };
    let (provider, dialect) = match sealed.plain().starts_with(ENCRYPTED_CONTENT) {
        true => (ReasoningProvider::OpenAi, DialectChoice::Responses),
        false => (ReasoningProvider::Anthropic, DialectChoice::Anthropic),
    };
    Some((parts::reasoning(provider, text, Some(sealed), at), Some(dialect)))
}

/// The beginning of OpenAI's encrypted content.
const ENCRYPTED_CONTENT: &[u8] = b"gAAAA";
