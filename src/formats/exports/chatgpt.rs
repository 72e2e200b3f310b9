//! Exports of ChatGPT: `conversations.json`, a list of conversations, or a single one. Each is a tree of messages in
//! `mapping`; the branch that ends with `current_node` is read. Calls have no ids there: a message to a tool is one, and
//! the next message of the tool is its result.

use foldhash::{HashMap, HashSet};

use crate::format::translate::{ParsedRecord, TranslatedThread, by_record};
use crate::format::unsent_paths::UnsentPaths;
use crate::format::{Format, FormatInfo, Layout, Probe};
use crate::history::HistorySettings;
use crate::json::{Val, name};

use crate::formats::member::{text, text_at};
use crate::formats::threads::{self, Dialects, STORE, ThreadBuilder};

mod message;

pub struct ChatgptExport;

pub static FORMAT: ChatgptExport = ChatgptExport;

static INFO: FormatInfo = Dialects::of_sdk(FormatInfo {
    name: "chatgpt-export",
    title: "ChatGPT export (`conversations.json`)",
    known_by: "`mapping` of nodes with `message`, `parent` and `children`; alone or in a list",
    unsent: UNSENT,
    ..STORE
})
.chat;

const READ_ONLY: &str =
    "exports cannot be imported into ChatGPT; `replaylint convert --to API FILE` writes a request";

/// Values that are not part of requests.
const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &["conversation_id", "current_node", "mapping/*/parent", "mapping/*/children"],
        why: "an id by which nodes refer to each other",
    },
    UnsentPaths {
        paths: &["title", "default_model_slug", "mapping/*/message/metadata/thinking_effort"],
        why: "the name of the conversation and its settings",
    },
    UnsentPaths {
        paths: &[
            "mapping/*/message/content/content_type",
            "mapping/*/message/content/language",
            "mapping/*/message/end_turn",
            "mapping/*/message/recipient",
            "mapping/*/message/author/name",
        ],
        why: "the kind and the recipient of a message",
    },
    UnsentPaths { paths: &["mapping/*/message/status=finished_successfully"], why: "the progress of a message" },
    UnsentPaths {
        paths: &[
            "mapping/*/message/content/[content_type=reasoning_recap]content",
            "mapping/*/message/content/[content_type=reasoning_recap]parts",
        ],
        why: "how long the model thought, for display",
    },
];

impl Format for ChatgptExport {
    fn info(&'static self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        if threads::all_match(probe.val, is_conversation) { 95 } else { 0 }
    }

    fn layout(&'static self) -> Layout {
        Layout::Threads(|| by_record(read_record))
    }
}

fn is_conversation(val: Val<'_>) -> bool {
    let is_node = |node: Val<'_>| {
        node.get("children").is_some_and(|children| children.is_array())
            && (node.get(name::message).is_some() || node.get("parent").is_some())
    };
    let Some(mapping) = val.get(name::mapping).filter(Val::is_object) else { return false };
    let named = ["current_node", "conversation_id", "create_time"].iter().any(|key| val.get(key).is_some());
    named && mapping.members().take(threads::SAMPLE).all(|member| is_node(member.val))
}

fn read_record(record: &ParsedRecord<'_>, out: &mut Vec<TranslatedThread>) {
    let conversations = threads::as_list(record.val);
    out.extend(conversations.into_iter().map(|conversation| read_conversation(conversation, record)));
}

fn read_conversation(conversation: Val<'_>, record: &ParsedRecord<'_>) -> TranslatedThread {
    let (path, others) = path(conversation);
    let mut thread = ThreadBuilder::default();
    let mut model = text(conversation, "default_model_slug");
    for node in path {
        model = text_at(node, &["message", "metadata", "model_slug"]).or(model);
        if let Some(message) = node.get(name::message).filter(Val::is_object) {
            message::add(message, record, &mut thread);
        }
    }
    for other in others {
        thread.omit("a message", other, record, "it is not on the branch of `current_node`");
    }
    let label = ["conversation_id", "id"].iter().find_map(|key| text(conversation, key));
    let settings = HistorySettings { label, model, read_only: Some(READ_ONLY), ..HistorySettings::default() };
    thread.pair_results().finish(&INFO, settings)
}

/// The nodes from the root to the current one, and those of other branches.
fn path<'v>(conversation: Val<'v>) -> (Vec<Val<'v>>, Vec<Val<'v>>) {
    let nodes: Vec<(Box<[u8]>, Val<'v>)> = conversation
        .get("mapping")
        .into_iter()
        .flat_map(|mapping| mapping.members())
        .map(|member| (member.key.decode().into_owned().into(), member.val))
        .collect();
    let by_id: HashMap<&[u8], Val<'v>> = nodes.iter().map(|(id, node)| (&**id, *node)).collect();
    let of = |key: Option<Val<'v>>| key.and_then(|id| id.text()).and_then(|id| by_id.get(id.as_ref()).copied());
    let is_leaf = |node: &Val<'v>| node.get("children").is_none_or(|children| children.count() == 0);
    let last = || nodes.iter().rev().map(|(_, node)| *node).find(is_leaf);
    let mut next = of(conversation.get(name::current_node)).or_else(last);
    let (mut path, mut seen) = (Vec::new(), HashSet::default());
    while let Some(node) = next.filter(|node| seen.insert(node.start())) {
        path.push(node);
        next = of(node.get("parent"));
    }
    path.reverse();
    let others = nodes.iter().map(|(_, node)| *node);
    let others = others.filter(|node| !seen.contains(&node.start()) && message::has_text(*node)).collect();
    (path, others)
}
