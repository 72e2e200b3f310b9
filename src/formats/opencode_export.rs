//! Sessions of opencode as `opencode export` writes them: `{info, messages: [{info, parts}]}`. They are retold as opencode
//! sends them: to the provider that was used last, from the newest compaction on, without what the user took back.

use std::collections::HashMap;

use crate::dialects::{anthropic::ANTHROPIC, chat::CHAT, responses::RESPONSES};
use crate::format::retelling::{Stored, Teller, Told};
use crate::format::{Format, FormatInfo, Histories, Part, Probe, Repair, Unit};
use crate::history::{Settings, Usage, Version};
use crate::json::Val;

use super::provider;
use super::spoken::{self, Manners};

mod message;
mod repair;

use message::{Message, text};

pub struct OpencodeExport;

pub static FORMAT: OpencodeExport = OpencodeExport;

const BASE: FormatInfo = FormatInfo {
    name: "opencode-export",
    title: "session that `opencode export` wrote",
    told_by: "`info`, and `messages` that each have `info` and `parts`",
    dialect: &ANTHROPIC,
    target: "anthropic",
    usage: Usage::Log,
    histories: Histories::PerDoc,
    parts: &[Part { path: &[], unit: Unit::Record }],
    records_responses: false,
};

static INFO: FormatInfo = BASE;
static OF_CHAT: FormatInfo = FormatInfo { dialect: &CHAT, target: "chat-compatible", ..BASE };
static OF_RESPONSES: FormatInfo = FormatInfo { dialect: &RESPONSES, target: "openai-stateless", ..BASE };
static MANNERS: Manners = Manners { anthropic: &INFO, chat: &OF_CHAT, responses: &OF_RESPONSES };

const READ_ONLY: &str = "opencode keeps this in a form of its own, which is not edited; `convert` writes a request, which `fix` can repair";

/// Messages that are looked at to recognise a document.
const SAMPLE: usize = 20;

impl Format for OpencodeExport {
    fn info(&self) -> &'static FormatInfo {
        &INFO
    }

    fn detect(&self, probe: &Probe<'_>) -> u8 {
        let (Some(info), Some(messages)) = (probe.val.get("info"), probe.val.get("messages")) else { return 0 };
        let is_message = |message: Val<'_>| {
            let role = message.at(&["info", "role"]);
            role.is_some_and(|role| role.is_string()) && message.get("parts").is_some_and(|parts| parts.is_array())
        };
        let is_session = info.get("id").is_some()
            && ["directory", "projectID", "title"].iter().any(|key| info.get(key).is_some());
        match messages.count() {
            0 if messages.is_array() && is_session => 90,
            0 => 0,
            _ if messages.elements().take(SAMPLE).all(is_message) => 100,
            _ => 0,
        }
    }

    fn teller(&self) -> Option<fn() -> Box<dyn Teller>> {
        Some(|| Box::new(Export { told: Vec::new() }))
    }

    fn repair(&self) -> Option<Repair> {
        Some(repair::repair)
    }
}

/// What was retold so far: each record is a session.
struct Export {
    told: Vec<Told>,
}

impl Teller for Export {
    fn take(&mut self, record: &Stored<'_>) {
        self.told.push(session(record));
    }

    fn finish(self: Box<Self>) -> Vec<Told> {
        self.told
    }
}

fn session(record: &Stored<'_>) -> Told {
    let info = record.val.get("info");
    let mut messages: Vec<Message<'_>> = match record.val.get("messages") {
        Some(list) => list.elements().filter_map(Message::of).collect(),
        None => Vec::new(),
    };
    take_back(&mut messages, info.and_then(|info| info.get("revert")));
    let messages = since_compaction(messages);
    let model = message::last_model(&messages);
    let (manner, target) = provider::manner(&model.provider);
    let turns = messages.iter().flat_map(|message| message.turns(manner, &model, record)).collect();
    let settings = Settings {
        label: info.and_then(|info| text(info, "id")),
        model: (!model.name.is_empty()).then(|| model.name.clone()),
        target: Some(target),
        store: Some(false),
        read_only: Some(READ_ONLY),
        cures: repair::CURES,
        agent_version: info.and_then(|info| text(info, "version")).and_then(|version| Version::parse(&version)),
        ..Settings::default()
    };
    let mut told = spoken::told(&MANNERS, manner, settings, turns);
    told.says.extend(repair::findings(record));
    told
}

/// Leaves out what the user took back: everything from a message, or from a part of it, on.
fn take_back(messages: &mut Vec<Message<'_>>, revert: Option<Val<'_>>) {
    let Some(from) = revert.and_then(|revert| text(revert, "messageID")) else { return };
    let Some(at) = messages.iter().position(|message| message.id == from) else { return };
    let part = revert.and_then(|revert| text(revert, "partID"));
    let keeps = match (part, messages.get_mut(at)) {
        (Some(part), Some(message)) => {
            let before = message.parts.iter().position(|one| text(*one, "id").is_some_and(|id| id == part));
            message.parts.truncate(before.unwrap_or(0));
            true
        }
        _ => false,
    };
    messages.truncate(at + usize::from(keeps));
}

/// From the newest compaction with a finished summary on: its request, the summary, what was kept before it, and the rest.
fn since_compaction(messages: Vec<Message<'_>>) -> Vec<Message<'_>> {
    let by_id: HashMap<&str, usize> =
        messages.iter().enumerate().map(|(at, message)| (&*message.id, at)).collect();
    let found =
        messages.iter().enumerate().rev().filter(|(_, message)| message.is_summary()).find_map(|(at, summary)| {
            let request = *by_id.get(&*text(summary.info, "parentID")?)?;
            let part = messages[..at].get(request)?.compaction()?;
            Some((request, at, text(part, "tail_start_id")))
        });
    let Some((request, summary, tail)) = found else { return messages };
    let tail = tail.and_then(|tail| messages[..request].iter().position(|message| message.id == tail));
    let kept = tail.unwrap_or(request)..request;
    let mut sorted: Vec<(u8, Message<'_>)> = Vec::new();
    for (at, message) in messages.into_iter().enumerate() {
        let rank = match at {
            _ if at == request => 0,
            _ if at == summary => 1,
            _ if kept.contains(&at) => 2,
            _ if at > request => 3,
            _ => continue,
        };
        sorted.push((rank, message));
    }
    sorted.sort_by_key(|(rank, _)| *rank);
    sorted.into_iter().map(|(_, message)| message).collect()
}
