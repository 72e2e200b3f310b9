//! The shared parts of the stores of LangChain and LangGraph: lists of messages, in three forms, translated as LangChain
//! sends them to the provider that the answers name.

use crate::format::translate::{ParsedRecord, TranslatedThread};
use crate::history::HistorySettings;
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
mod translate;
mod update;
pub mod write;

pub(super) use message::score;
pub(super) use update::{REPAIRED_RULES, UPDATE_CALL, update};

use message::LangchainMessage;
use provider::LangchainProvider;

use crate::format::unsent_paths::UnsentPaths;

/// Values that are not part of requests.
pub(super) const UNSENT: &[UnsentPaths] = &[
    UnsentPaths {
        paths: &[
            "**/response_metadata/**",
            "**/additional_kwargs/__openai_role__",
            "**/status=success|completed|error",
            "**/[type=tool]name",
            "**/[type=tool]data/name",
        ],
        why: "about the message: metadata of the provider, its role, whether the call failed, and the name of the tool, \
              which are in the call and its result",
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

/// The maximum number of messages that are examined in detection.
const SAMPLE: usize = 50;

/// The score of a list as messages.
pub(super) fn list_score(list: Val<'_>) -> u8 {
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
pub(super) fn translate_list(
    list: Val<'_>,
    dialects: &'static Dialects,
    settings: HistorySettings,
    record: &ParsedRecord<'_>,
) -> TranslatedThread {
    let messages: Vec<LangchainMessage<'_>> = list.elements().filter_map(LangchainMessage::of).collect();
    let mut provider = LangchainProvider::default();
    messages.iter().for_each(|message| provider.observe(message));
    let (dialect, target) = provider.dialect();
    let messages =
        messages.iter().filter_map(|message| translate::translate_message(message, dialect, record)).collect();
    let settings = HistorySettings { target, model: provider.model, ..settings };
    threads::translate(dialects.row(dialect), settings, messages)
}

/// The dialects in which a conversation can be sent.
const DIALECT_CHOICES: [DialectChoice; 3] =
    [DialectChoice::Chat, DialectChoice::Responses, DialectChoice::Anthropic];

/// A conversation whose messages are lines, in each dialect: only at the end is the provider known.
#[derive(Default)]
pub(super) struct LineConversation {
    messages: [Vec<crate::message::Message>; DIALECT_CHOICES.len()],
    provider: LangchainProvider,
}

impl LineConversation {
    /// Adds the message of a line.
    pub fn add(&mut self, record: &ParsedRecord<'_>) {
        let Some(message) = LangchainMessage::of(record.val) else { return };
        self.provider.observe(&message);
        for (messages, dialect) in self.messages.iter_mut().zip(DIALECT_CHOICES) {
            messages.extend(translate::translate_message(&message, dialect, record));
        }
    }

    /// The conversation in the dialect of its provider; `None` if it has no messages.
    pub fn translate(self, dialects: &'static Dialects, settings: HistorySettings) -> Option<TranslatedThread> {
        let (dialect, target) = self.provider.dialect();
        let messages = self.messages.into_iter().zip(DIALECT_CHOICES).find(|(_, own)| *own == dialect)?.0;
        let settings = HistorySettings { target, model: self.provider.model, ..settings };
        (!messages.is_empty()).then(|| threads::translate(dialects.row(dialect), settings, messages))
    }
}
