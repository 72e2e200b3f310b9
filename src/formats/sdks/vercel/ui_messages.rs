//! Messages that apps with the Vercel AI SDK store for display, `UIMessage[]`: `{id, role, parts}` in versions 5 to 7, and
//! version 4 with `toolInvocations`. They are translated as `convertToModelMessages` does: a step of an answer, then the
//! results of its tools.

use crate::format::translate::ParsedRecord;
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::Role;
use crate::json::{Val, name};
use crate::message::Message;

use super::super::vercel;
use super::{VercelConversation, VercelFormat, edit};
use crate::formats::threads::{Dialects, STORE};

mod part;

use part::parts;

pub struct VercelUiMessages;

pub static FORMAT: VercelUiMessages = VercelUiMessages;

static DIALECTS: Dialects = Dialects::of_sdk(FormatInfo {
    name: "vercel-ui-messages",
    title: "UIMessage list of the Vercel AI SDK",
    upstream: Some(Upstream {
        repository: "vercel/ai",
        file: Some("packages/ai/src/ui/ui-messages.ts"),
        version: Some("7.0.77"),
    }),
    known_by: "messages with `role` and `parts` of the SDK's types, or with `toolInvocations`",
    unsent: UNSENT,
    edit_support: EditSupport::Partial,
    editor: Some(&edit::UI_MESSAGES),
    ..STORE
});

static VERCEL_FORMAT: VercelFormat = VercelFormat { dialects: &DIALECTS, add_message };

/// The maximum number of messages that are examined in detection.
const SAMPLE: usize = 50;

/// Values that are not part of requests.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["[parts]content", "messages/[parts]content", "**/[type=file]mediaType"],
        why: "the parts and the URL of the file state it",
    },
    UnsentPaths {
        paths: &["**/parts/state", "**/toolInvocation/state", "**/toolInvocations/state"],
        why: "the progress of a part",
    },
];

impl Format for VercelUiMessages {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.chat
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let (mut best, mut all) = (0, 0);
        for message in vercel::messages(probe.val).take(SAMPLE) {
            match score(message) {
                0 => return 0,
                score => best = best.max(score),
            }
            all += 1;
        }
        if all > 0 { best } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| vercel::reader(&VERCEL_FORMAT))
    }
}

/// The score of an object as a UIMessage.
fn score(message: Val<'_>) -> u8 {
    let is_message = vercel::role(message).is_some_and(|role| role != Role::Tool);
    let foreign = ["sessionId", "parentUuid", "uuid", "kind", "info", "author"];
    if !is_message || foreign.iter().any(|key| message.get(key).is_some()) {
        return 0;
    }
    let is_list = |key: &str| message.get(key).is_some_and(|list| list.is_array());
    let mut parts = message.get(name::parts).into_iter().flat_map(|parts| parts.elements()).take(SAMPLE);
    match (is_list("parts"), is_list("toolInvocations")) {
        (true, _) if parts.all(is_part) => 90,
        (true, _) => 0,
        (false, true) => 90,
        // A user message of version 4: a text, with an id.
        (false, false)
            if message.get(name::id).is_some()
                && message.get(name::content).is_some_and(|text| text.is_string()) =>
        {
            1
        }
        (false, false) => 0,
    }
}

/// Types of parts, except those of tools and data, whose types contain a name.
const PARTS: [&str; 11] = [
    "text",
    "reasoning",
    "file",
    "step-start",
    "source",
    "source-url",
    "source-document",
    "dynamic-tool",
    "tool-invocation",
    "reasoning-file",
    "custom",
];

fn is_part(part: Val<'_>) -> bool {
    let kind = part.get(name::r#type).and_then(|kind| kind.text());
    let named = |kind: &[u8]| kind.starts_with(b"tool-") || kind.starts_with(b"data-");
    kind.is_some_and(|kind| PARTS.iter().any(|part| part.as_bytes() == kind.as_ref()) || named(&kind))
}

fn add_message(conversation: &mut VercelConversation, message: Val<'_>, record: &ParsedRecord<'_>) {
    let Some(role) = vercel::role(message) else { return };
    let (parts, base) = (parts(message), record.base);
    let new = |role: Role| Message::new(role, base.of(message).into());
    for part in &parts {
        conversation.providers.observe(part.metadata());
    }
    if role != Role::Assistant {
        let sent = parts.iter().filter_map(|part| part.user_part(base)).collect();
        return conversation.push(new(role), sent, record);
    }
    for step in parts.split(|part| part.is("step-start")) {
        let sent = step.iter().filter_map(|part| part.assistant_part(base)).collect();
        conversation.push(new(Role::Assistant), sent, record);
        let results = step.iter().filter_map(|part| part.result(base)).collect();
        conversation.push(new(Role::Tool), results, record);
    }
}
