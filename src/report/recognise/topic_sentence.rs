//! The sentences of topics, and where those count that other programs use as well.

use super::report_form::{is_all, is_report};
use super::template::{PastedText, Sentence, SentenceMatch};
use super::topic::Topic;
use super::topic_errors::TopicErrors;

/// A sentence of a topic.
pub(super) struct TopicSentence {
    pub topic: &'static Topic,
    pub template: &'static str,
    sentence: Sentence,
    /// Where it counts, if other programs use it as well.
    shared: Option<SharedScope>,
}

/// Where a sentence that other programs use as well counts as an API's.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SharedScope {
    /// In the report of an API's error.
    Reported,
    /// There, or if the text says nothing else.
    Alone,
}

impl TopicSentence {
    pub fn find(&self, pasted: &PastedText) -> Option<SentenceMatch> {
        let is_all = |hit: &SentenceMatch| is_all(&pasted.bare, hit.start, hit.end);
        let counts = |hit: &SentenceMatch| match self.shared {
            None => true,
            Some(SharedScope::Reported) => is_report(&pasted.text),
            Some(SharedScope::Alone) => is_all(hit) || is_report(&pasted.text),
        };
        self.sentence.find(pasted).filter(counts)
    }
}

/// The sentences of a table of topics.
pub(super) fn topical(table: &'static [TopicErrors], shared: SharedScope) -> Vec<TopicSentence> {
    let of_row = |row: &'static TopicErrors| {
        let topical = move |template: &'static str, shared: Option<SharedScope>| TopicSentence {
            topic: row.topic,
            template,
            sentence: Sentence::short(template),
            shared,
        };
        let own = row.sentences.iter().map(move |template| topical(template, None));
        own.chain(row.shared.iter().map(move |template| topical(template, Some(shared))))
    };
    table.iter().flat_map(of_row).collect()
}
