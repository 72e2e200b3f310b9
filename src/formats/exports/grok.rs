//! Exports of Grok (`prod-grok-backend.json`): `conversations`, each with its `responses`. Only the text is read.

use foldhash::{HashMap, HashSet};

use crate::dialects::chat::CHAT;
use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{EditSupport, Format, FormatInfo, HistoryScope, Layout, Probe, RecordPart, RemovalUnit};
use crate::history::{HistorySettings, Role, Usage};
use crate::json::{Val, name};

use crate::formats::member::{text, text_at};
use crate::formats::threads;
use crate::formats::threads::ThreadBuilder;

pub struct GrokExport;

pub static FORMAT: GrokExport = GrokExport;

static INFO: FormatInfo = FormatInfo {
    name: "grok-export",
    title: "Grok export (`prod-grok-backend.json`)",
    known_by: "`conversations` that each have `conversation` and `responses`",
    usage: Usage::Log,
    histories: HistoryScope::PerDoc,
    parts: &[RecordPart { path: &[], unit: RemovalUnit::Record }],
    unsent: UNSENT,
    edit_support: EditSupport::Unsupported,
    ..FormatInfo::of(&CHAT, "xai-chat")
};

const READ_ONLY: &str =
    "exports cannot be imported into Grok; `replaylint convert --to API FILE` writes a request";

/// Values that are not part of requests.
const UNSENT: &[UnsentPaths] = &[UnsentPaths {
    paths: &[
        "**/conversation/title",
        "**/conversation/leaf_response_id",
        "**/_id",
        "**/parent_response_id",
        "**/sender",
    ],
    why: "the name of the conversation, and ids by which responses refer to each other",
}];

impl Format for GrokExport {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let Some(list) = probe.get(name::conversations).filter(|list| list.is_array() && list.count() > 0) else {
            return 0;
        };
        if list.elements().take(threads::SAMPLE).all(is_conversation) { 95 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read_record))
    }
}

fn is_conversation(val: Val<'_>) -> bool {
    val.get(name::conversation).is_some_and(|info| info.is_object()) && threads::has_list(val, "responses")
}

fn read_record(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    let conversations = record.val.get("conversations").into_iter().flat_map(|list| list.elements());
    out.extend(conversations.map(|conversation| read_conversation(conversation, record)));
}

/// The response itself, which newer exports wrap in an object.
fn unwrap_response(response: Val<'_>) -> Val<'_> {
    response.get(name::response).filter(Val::is_object).unwrap_or(response)
}

fn read_conversation(conversation: Val<'_>, record: &ParsedRecord<'_>) -> TranslatedThread {
    let all: Vec<Val<'_>> =
        conversation.get("responses").into_iter().flat_map(|list| list.elements()).map(unwrap_response).collect();
    let path = path(&all, conversation);
    let mut thread = ThreadBuilder::default();
    let mut model = None;
    for &response in &path {
        let is_human = response.get("sender").is_some_and(|sender| sender.is("human"));
        if !is_human {
            model = text(response, "model").or(model);
        }
        thread.begin();
        thread.text(if is_human { Role::User } else { Role::Assistant }, response.get(name::message), record);
    }
    thread.omit_branches(&all, &path, record);
    let settings = HistorySettings {
        label: text_at(conversation, &["conversation", "id"]),
        model,
        read_only: Some(READ_ONLY),
        ..HistorySettings::default()
    };
    thread.finish(&INFO, settings)
}

/// The responses on the path to the current one, or to the last; all responses, if none has a parent.
fn path<'v>(all: &[Val<'v>], conversation: Val<'v>) -> Vec<Val<'v>> {
    let by_id: HashMap<Box<str>, usize> =
        all.iter().enumerate().filter_map(|(n, one)| Some((text(*one, "_id")?, n))).collect();
    let parent = |one: Val<'v>| text(one, "parent_response_id").and_then(|id| by_id.get(&id).copied());
    if !all.iter().any(|one| parent(*one).is_some()) {
        return all.to_vec();
    }
    let leaf = text_at(conversation, &["conversation", "leaf_response_id"]);
    let mut next = leaf.and_then(|id| by_id.get(&id).copied()).or(all.len().checked_sub(1));
    let (mut path, mut seen) = (Vec::new(), HashSet::default());
    while let Some(one) = next.filter(|n| seen.insert(*n)).and_then(|n| all.get(n)) {
        path.push(*one);
        next = parent(*one);
    }
    path.reverse();
    path
}
