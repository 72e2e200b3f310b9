//! Messages as the Vercel AI SDK passes them to its providers, `ModelMessage[]`: roles `system`, `user`, `assistant` and
//! `tool`, with parts `text`, `image`, `file`, `reasoning`, `tool-call` and `tool-result`.

use crate::format::translate::ParsedRecord;
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe, Upstream};
use crate::json::{NameSet, Val, name};
use crate::message::{Message, Part, Text};

use super::super::vercel;
use super::{VercelConversation, VercelFormat, edit, provider_options};
use crate::formats::threads::{Dialects, STORE};

mod part;
mod server_tools;
pub mod write;

pub struct VercelModelMessages;

pub static FORMAT: VercelModelMessages = VercelModelMessages;

static DIALECTS: Dialects = Dialects::of_sdk(FormatInfo {
    name: "vercel-model-messages",
    title: "ModelMessage list of the Vercel AI SDK",
    upstream: Some(Upstream {
        repository: "vercel/ai",
        file: Some("packages/ai/src/prompt/message.ts"),
        version: Some("7.0.173"),
    }),
    known_by: "messages whose `content` has parts `tool-call` or `tool-result` with `toolCallId`, `image` with `image`, \
               `file` with `data` and `mediaType`, or `reasoning` with `text`; or messages with `providerOptions`",
    unsent: UNSENT,
    edit_support: EditSupport::Full,
    editor: Some(&edit::MODEL_MESSAGES),
    ..STORE
});

static VERCEL_FORMAT: VercelFormat = VercelFormat { dialects: &DIALECTS, add_message };

/// The maximum number of messages that are examined in detection.
const SAMPLE: usize = 256;

/// Values that are not part of requests.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths { paths: &["**/[type=file|image]mediaType"], why: "the URL of the file states it" },
    UnsentPaths { paths: &["**/[type=tool-result]toolName"], why: "the name is in the call" },
    UnsentPaths {
        paths: &[
            "**/providerExecuted",
            "**/[providerExecuted]toolCallId",
            "**/[providerExecuted]toolName",
            "**/[providerExecuted]providerOptions/*/itemId",
        ],
        why: "the item of a server's tool, or that of its result, states it",
    },
];

impl Format for VercelModelMessages {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.chat
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let mut best = 0;
        for message in vercel::messages(probe.val).take(SAMPLE) {
            match score(message) {
                0 => return 0,
                score => best = best.max(score),
            }
        }
        best
    }

    fn accepts(&self, val: Val<'_>) -> bool {
        vercel::messages(val).all(|message| score(message) > 0)
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| vercel::reader(&VERCEL_FORMAT))
    }
}

/// The score of an object as a ModelMessage. Most resemble messages of Chat: they count only among distinctive ones.
/// Members that no message has.
static FOREIGN: NameSet =
    NameSet::of(&["parts", "sessionId", "uuid", "tool_calls", "tool_call_id", "message", "ts"]);

fn score(message: Val<'_>) -> u8 {
    let Some(content) = message.get(name::content).filter(|_| vercel::role(message).is_some()) else { return 0 };
    if message.names().intersects(&FOREIGN) {
        return 0;
    }
    let has_options = |val: Val<'_>| val.get("providerOptions").is_some_and(|options| options.is_object());
    let has_part = |is: fn(Val<'_>) -> bool| content.elements().any(is);
    if has_options(message) || has_part(is_tool_part) || has_part(is_file) || content.elements().any(has_options) {
        DISTINCTIVE
    } else if has_part(is_reasoning) && message.count() == 2 {
        REASONING
    } else {
        1
    }
}

/// The score of a message with parts, or options, that only the SDK has.
const DISTINCTIVE: u8 = 95;
/// The score of a message with reasoning, and nothing but its role: other programs have such parts, too, but no API.
const REASONING: u8 = 45;

fn is_tool_part(part: Val<'_>) -> bool {
    let is = |kinds: &[&str]| part.get(name::r#type).is_some_and(|kind| kinds.iter().any(|name| kind.is(name)));
    part.get(name::toolCallId).is_some() && is(&["tool-call", "tool-result", "tool-approval-request"])
        || part.get("approvalId").is_some() && is(&["tool-approval-response"])
}

fn is_file(part: Val<'_>) -> bool {
    let has = |key: &str| part.get(key).is_some_and(|val| !val.is_null());
    match part.get(name::r#type).and_then(|kind| kind.text()).as_deref() {
        Some(b"image") => has("image"),
        Some(b"file") => has("data") && (has("mediaType") || has("mimeType")),
        _ => false,
    }
}

fn is_reasoning(part: Val<'_>) -> bool {
    part.get(name::r#type).is_some_and(|kind| kind.is("reasoning"))
        && part.get(name::text).is_some_and(|text| text.is_string())
}

fn add_message(conversation: &mut VercelConversation, message: Val<'_>, record: &ParsedRecord<'_>) {
    let (Some(role), Some(content)) = (vercel::role(message), message.get(name::content)) else { return };
    let (base, options) = (record.base, provider_options::of(message));
    conversation.providers.observe(options);
    for part in content.elements() {
        conversation.providers.observe(provider_options::of(part));
        part::observe(part, &mut conversation.providers);
    }
    let mut parts = match Text::copied(content, base) {
        Some(text) => vec![Part::text(text, base.of(message).into())],
        None => content.elements().filter_map(|part| part::translate(part, role, base)).collect(),
    };
    // The mark of a message is after its last part.
    if let Some(last) = parts.last_mut() {
        last.cache = last.cache.take().or_else(|| provider_options::cache(options, base));
    }
    let name = provider_options::openai(options, "name", base);
    conversation.push(Message { name, ..Message::new(role, base.of(message).into()) }, parts, record);
}
