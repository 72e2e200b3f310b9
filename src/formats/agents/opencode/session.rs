//! A session of opencode 1.x as it is sent: to the provider that was used last, from the newest compaction on, without what
//! the user took back.

use std::collections::HashMap;

use crate::format::translate::Translated;
use crate::formats::member::text;
use crate::formats::provider;
use crate::formats::threads::{self, Dialects};
use crate::history::{Settings, Unsent, Version};

use super::message::{self, Message};

/// A session as it is stored.
#[derive(Default)]
pub(in crate::formats) struct Session<'v> {
    pub id: Option<Box<str>>,
    pub version: Option<Box<str>>,
    /// The message, and the part of it, from which on the user took everything back.
    pub taken_back: Option<(Box<str>, Option<Box<str>>)>,
    pub messages: Vec<Message<'v>>,
}

impl Session<'_> {
    /// What is sent of it.
    pub fn translated(mut self, dialects: &'static Dialects, read_only: Option<&'static str>) -> Translated {
        let mut unsent = Vec::new();
        if let Some((message, part)) = &self.taken_back {
            take_back(&mut self.messages, message, part.as_deref(), &mut unsent);
        }
        let messages = since_compaction(self.messages, &mut unsent);
        let model = message::last_model(&messages);
        let (dialect, target) = provider::dialect(&model.provider);
        let sent = messages.iter().flat_map(|message| message.sent(dialect, &model)).collect();
        let settings = Settings {
            label: self.id,
            model: (!model.name.is_empty()).then(|| model.name.clone()),
            target: Some(target),
            store: Some(false),
            read_only,
            unsent,
            agent_version: self.version.and_then(|version| Version::parse(&version)),
            ..Settings::default()
        };
        threads::translated(dialects.row(dialect), settings, sent)
    }
}

/// Leaves out what the user took back: everything from a message, or from a part of it, on.
fn take_back(messages: &mut Vec<Message<'_>>, from: &str, part: Option<&str>, unsent: &mut Vec<Unsent>) {
    let Some(at) = messages.iter().position(|message| &*message.id == from) else { return };
    let keeps = match (part, messages.get_mut(at)) {
        (Some(part), Some(message)) => {
            let before = message.parts.iter().position(|one| one.id.as_deref() == Some(part));
            let taken = message.parts.split_off(before.unwrap_or(0));
            unsent.extend(taken.iter().map(|part| message.unsent_part(part, TAKEN_BACK)));
            true
        }
        _ => false,
    };
    let taken = messages.split_off(at + usize::from(keeps));
    unsent.extend(taken.iter().flat_map(|message| message.unsent(TAKEN_BACK)));
}

const TAKEN_BACK: &str = "the user took it back";

/// From the newest compaction with a finished summary on: its request, the summary, what was kept before it, and the rest.
fn since_compaction<'v>(messages: Vec<Message<'v>>, unsent: &mut Vec<Unsent>) -> Vec<Message<'v>> {
    let by_id: HashMap<&str, usize> =
        messages.iter().enumerate().map(|(at, message)| (&*message.id, at)).collect();
    let found =
        messages.iter().enumerate().rev().filter(|(_, message)| message.is_summary()).find_map(|(at, summary)| {
            let request = *by_id.get(&*text(summary.info, "parentID")?)?;
            let part = messages.iter().take(at).nth(request)?.compaction()?;
            Some((request, at, text(part, "tail_start_id")))
        });
    let Some((request, summary, tail)) = found else { return messages };
    let tail = tail.and_then(|tail| messages.iter().take(request).position(|message| message.id == tail));
    let kept = tail.unwrap_or(request)..request;
    let mut sorted: Vec<(u8, Message<'v>)> = Vec::new();
    for (at, message) in messages.into_iter().enumerate() {
        let rank = match at {
            _ if at == request => 0,
            _ if at == summary => 1,
            _ if kept.contains(&at) => 2,
            _ if at > request => 3,
            _ => {
                unsent.extend(message.unsent("a compaction has replaced it"));
                continue;
            }
        };
        sorted.push((rank, message));
    }
    sorted.sort_by_key(|(rank, _)| *rank);
    sorted.into_iter().map(|(_, message)| message).collect()
}
