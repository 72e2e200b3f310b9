//! What the stores of LangChain and LangGraph share: lists of messages, in three forms, translated as LangChain sends them
//! to the provider that the answers name.

use crate::format::translate::{Stored, Translated};
use crate::history::Settings;
use crate::json::Val;

use crate::formats::threads::{self, DialectChoice, Dialects};

mod answer;
mod edit;
pub mod langgraph_checkpoint;
pub mod langgraph_state;
mod media;
mod message;
pub mod messages;
mod provider;
mod sent;
mod update;

pub(super) use message::score;
pub(super) use update::{CALL, MENDS, update};

use message::Message;
use provider::Provider;

use crate::format::unsent::UnsentPaths;

/// What of the store no request says.
pub(super) const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &[
            "**/response_metadata/**",
            "**/status=success|completed",
            "**/[type=tool]name",
            "**/[type=tool]data/name",
        ],
        why: "about the message: what the provider said beside it, and the name of the tool, which is in the call",
    },
    UnsentPaths {
        paths: &["**/tool_calls/args/**", "**/tool_calls/name", "**/invalid_tool_calls/error"],
        why: "a copy of the calls in the content",
    },
    UnsentPaths {
        paths: &[
            "config/**",
            "metadata/**",
            "channel_versions/**",
            "versions_seen/**",
            "updated_channels",
            "ts",
            "next",
        ],
        why: "about the checkpoint",
    },
];

/// Messages that are looked at to recognise a document.
const SAMPLE: usize = 50;

/// How surely a list is one of messages.
pub(super) fn score_of(list: Val<'_>) -> u8 {
    let mut best = 0;
    for message in list.elements().take(SAMPLE) {
        match score(message) {
            0 => return 0,
            score => best = best.max(score),
        }
    }
    best
}

/// The conversation in a list.
pub(super) fn translated(
    list: Val<'_>,
    dialects: &'static Dialects,
    settings: Settings,
    record: &Stored<'_>,
) -> Translated {
    let messages: Vec<Message<'_>> = list.elements().filter_map(Message::of).collect();
    let mut provider = Provider::default();
    messages.iter().for_each(|message| provider.see(message));
    let (dialect, target) = provider.dialect();
    let messages = messages.iter().filter_map(|message| sent::sent(message, dialect, record)).collect();
    let settings = Settings { target, model: provider.model, ..settings };
    threads::translated(dialects.row(dialect), settings, messages)
}

/// The dialects in which a conversation may be sent.
const EACH: [DialectChoice; 3] = [DialectChoice::Chat, DialectChoice::Responses, DialectChoice::Anthropic];

/// A conversation whose messages are lines. Only at the end is it known who it is sent to.
#[derive(Default)]
pub(super) struct Lines {
    messages: [Vec<crate::message::Message>; EACH.len()],
    provider: Provider,
}

impl Lines {
    pub fn take(&mut self, record: &Stored<'_>) {
        let Some(message) = Message::of(record.val) else { return };
        self.provider.see(&message);
        for (messages, dialect) in self.messages.iter_mut().zip(EACH) {
            messages.extend(sent::sent(&message, dialect, record));
        }
    }

    pub fn translated(self, dialects: &'static Dialects, settings: Settings) -> Option<Translated> {
        let (dialect, target) = self.provider.dialect();
        let messages = self.messages.into_iter().zip(EACH).find(|(_, own)| *own == dialect)?.0;
        let settings = Settings { target, model: self.provider.model, ..settings };
        (!messages.is_empty()).then(|| threads::translated(dialects.row(dialect), settings, messages))
    }
}
