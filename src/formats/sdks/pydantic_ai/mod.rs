//! Messages of pydantic-ai as `all_messages_json()` writes them: requests and responses, each with parts. They are
//! translated in the dialect of the provider that the responses name.

use foldhash::HashSet;

use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, Layout, Probe, Upstream};
use crate::history::{HistorySettings, Role, UnsentItem};
use crate::json::{Val, name};
use crate::message::{Message, Part, Text};

use crate::formats::member::text;
use crate::formats::threads::{self, Dialects, STORE};

mod edit;
mod part;
mod provider;

use part::{PartTranslator, messages, parts};
use provider::PydanticProvider;

pub struct PydanticAi;

pub static FORMAT: PydanticAi = PydanticAi;

static DIALECTS: Dialects = Dialects::of_sdk(FormatInfo {
    name: "pydantic-ai-messages",
    title: "messages of pydantic-ai (`all_messages_json()`)",
    upstream: Some(Upstream {
        repository: "pydantic/pydantic-ai",
        file: Some("pydantic_ai_slim/pydantic_ai/messages.py"),
        version: None,
    }),
    known_by: "messages of `kind` request or response whose `parts` have a `part_kind`",
    unsent: UNSENT,
    edit_support: EditSupport::Full,
    editor: Some(&edit::EDITOR),
    ..STORE
});

const INTERRUPTED: &str = "the response was interrupted, and pydantic-ai omits its calls without a return";

/// The maximum number of messages that are examined in detection.
const SAMPLE: usize = 50;

/// Values that are not part of requests.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["**/part_kind", "**/provider_name", "**/parts/outcome", "**/state", "**/parts/scope"],
        why: "the kind of a part, and how a message ended",
    },
    UnsentPaths { paths: &["**/[part_kind=tool-return|retry-prompt]tool_name"], why: "the name is in the call" },
    UnsentPaths {
        paths: &["**/content/identifier", "**/content/media_type"],
        why: "the content of the file, or its URL, states it",
    },
];

impl Format for PydanticAi {
    fn info(&'static self) -> &'static FormatInfo {
        &DIALECTS.chat
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let Some(list) = messages(probe.val) else { return 0 };
        let is_message = |message: Val<'_>| {
            let is = |kind: &str| message.get(name::kind).is_some_and(|own| own.is(kind));
            let parts = message.get(name::parts).filter(|parts| parts.is_array());
            (is("request") || is("response"))
                && parts.is_some_and(|parts| parts.elements().all(|part| part.get("part_kind").is_some()))
        };
        let any = list
            .elements()
            .take(SAMPLE)
            .any(|message| message.get(name::parts).is_some_and(|own| own.count() > 0));
        if any && list.elements().take(SAMPLE).all(is_message) { 95 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read_record))
    }
}

/// Reads a record, which is a conversation.
fn read_record(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    if let Some(list) = messages(record.val) {
        out.push(read_conversation(list, record));
    }
}

fn read_conversation(list: Val<'_>, record: &ParsedRecord<'_>) -> TranslatedThread {
    let mut provider = PydanticProvider::default();
    list.elements().for_each(|message| provider.observe(message));
    let (dialect, target) = provider.dialect();
    let translator = PartTranslator { dialect, base: record.base };
    let returned: HashSet<Box<str>> = list
        .elements()
        .flat_map(parts)
        .filter(|part| part::is(*part, &["tool-return", "retry-prompt"]))
        .filter_map(|part| text(part, "tool_call_id"))
        .collect();
    let mut unsent = Vec::new();
    let mut messages: Vec<Message> = instructions(list, record, &mut unsent).into_iter().collect();
    for message in list.elements() {
        let interrupted = message.get(name::state).is_some_and(|state| state.is("interrupted"));
        for part in parts(message) {
            let id = text(part, "tool_call_id").filter(|_| interrupted && part::is(part, &["tool-call"]));
            if let Some(id) = id.filter(|id| !returned.contains(id)) {
                unsent.push(UnsentItem::at(record.base.of(part), record.number, id, INTERRUPTED));
                continue;
            }
            let Some((role, parts)) = translator.translate(part) else { continue };
            let at = record.base.of(message).into();
            if messages.last().is_none_or(|open| open.role != role || open.at != at) {
                messages.push(Message { record: record.number, ..Message::new(role, at) });
            }
            if let Some(open) = messages.last_mut() {
                parts.into_iter().for_each(|part| threads::parts::push(&mut open.parts, part));
            }
        }
    }
    let settings = HistorySettings { target, model: provider.model, unsent, ..HistorySettings::default() };
    threads::translate(DIALECTS.row(dialect), settings, messages)
}

/// The instructions of the newest request with some: they are sent before all messages.
fn instructions(list: Val<'_>, record: &ParsedRecord<'_>, unsent: &mut Vec<UnsentItem>) -> Option<Message> {
    let own = list.elements().filter_map(|message| message.get(name::instructions));
    let mut all: Vec<Val<'_>> = own.filter(|own| own.is_string() && !own.is("")).collect();
    let own = all.pop()?;
    let older = |own: Val<'_>| {
        UnsentItem::at(record.base.of(own), record.number, "an instruction", "a newer request replaces it")
    };
    unsent.extend(all.into_iter().map(older));
    let at = record.base.of(own).into();
    let parts = vec![Part::text(Text::copied(own, record.base)?, at)];
    Some(Message { parts, record: record.number, ..Message::new(Role::System, at) })
}
