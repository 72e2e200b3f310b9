//! Translation of a session of opencode 1.x as it is sent: to the provider that was used last, from the newest compaction on,
//! without reverted messages.

use foldhash::HashMap;

use crate::format::translate::TranslatedThread;
use crate::formats::member::text;
use crate::formats::provider;
use crate::formats::threads::{self, Dialects};
use crate::history::{HistorySettings, UnsentItem, Version};

use super::message::{self, OpencodeMessage};

/// A stored session.
#[derive(Default)]
pub(in crate::formats) struct StoredSession<'v> {
    pub id: Option<Box<str>>,
    pub version: Option<Box<str>>,
    /// Ids of the message, and of its part, from which on the user reverted everything; the part may be `None`.
    pub reverted: Option<(Box<str>, Option<Box<str>>)>,
    pub messages: Vec<OpencodeMessage<'v>>,
}

impl StoredSession<'_> {
    /// Its conversation as it is sent.
    pub fn translate(mut self, dialects: &'static Dialects, read_only: Option<&'static str>) -> TranslatedThread {
        let mut unsent = Vec::new();
        if let Some((message, part)) = &self.reverted {
            remove_reverted(&mut self.messages, message, part.as_deref(), &mut unsent);
        }
        let messages = since_compaction(self.messages, &mut unsent);
        let model = message::last_model(&messages);
        let (dialect, target) = provider::dialect_of(&model.provider);
        let sent = messages.iter().flat_map(|message| message.translate(dialect, &model)).collect();
        let settings = HistorySettings {
            label: self.id,
            model: (!model.name.is_empty()).then(|| model.name.clone()),
            target: Some(target),
            store: Some(false),
            read_only,
            unsent,
            agent_version: self.version.and_then(|version| Version::parse(&version)),
            ..HistorySettings::default()
        };
        threads::translate(dialects.row(dialect), settings, sent)
    }
}

/// Removes reverted messages: everything from a message, or from a part of it, on.
fn remove_reverted(
    messages: &mut Vec<OpencodeMessage<'_>>,
    from: &str,
    part: Option<&str>,
    unsent: &mut Vec<UnsentItem>,
) {
    let Some(at) = messages.iter().position(|message| &*message.id == from) else { return };
    let keeps_message = match (part, messages.get_mut(at)) {
        (Some(part), Some(message)) => {
            let first = message.parts.iter().position(|one| one.id.as_deref() == Some(part));
            let removed = message.parts.split_off(first.unwrap_or(0));
            unsent.extend(removed.iter().map(|part| message.unsent_part(part, REVERTED)));
            true
        }
        _ => false,
    };
    let removed = messages.split_off(at + usize::from(keeps_message));
    unsent.extend(removed.iter().flat_map(|message| message.unsent(REVERTED)));
}

const REVERTED: &str = "the user took it back";

/// The messages from the newest compaction with a finished summary on: its request, the summary, the messages that it kept,
/// and later ones.
fn since_compaction<'v>(
    messages: Vec<OpencodeMessage<'v>>,
    unsent: &mut Vec<UnsentItem>,
) -> Vec<OpencodeMessage<'v>> {
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
    let mut sorted: Vec<(u8, OpencodeMessage<'v>)> = Vec::new();
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
