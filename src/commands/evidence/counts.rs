//! What is counted: requests by target and model, and the differences between verdicts and answers.

use std::collections::BTreeMap;
use std::io;

use crate::history::Code;
use crate::report::recognise::{Recogniser, RuleClaim};
use crate::target::Severity;

use super::answer::Answer;
use super::recorded_request::RecordedRequest;

/// Bytes of an answer in which its message is looked for.
const MOST_MESSAGE: usize = 1 << 16;

/// A target and a model, as they are printed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct TargetModel {
    pub target: &'static str,
    pub model: String,
}

/// Requests, by their answers.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct AnswerCounts {
    pub accepted: u64,
    pub refused: u64,
    pub other: u64,
}

impl AnswerCounts {
    pub fn total(&self) -> u64 {
        self.accepted + self.refused + self.other
    }
}

/// The counts of recordings.
#[derive(Default)]
pub(super) struct Evidence {
    pub files_read: u64,
    /// Files in folders that are no recordings.
    pub files_skipped: u64,
    pub files_unreadable: u64,
    /// All recorded exchanges.
    pub requests: u64,
    /// Those that send no conversation, or to an unknown API.
    pub requests_skipped: u64,
    pub answers: BTreeMap<TargetModel, AnswerCounts>,
    /// Accepted requests with an error or a warning, by rule.
    pub found_and_accepted: BTreeMap<(Code, TargetModel, Severity), u64>,
    /// Refused requests in which the rule that the message leads to finds nothing. `None` for a message that no rule is
    /// known to explain.
    pub refused_and_not_found: BTreeMap<(Option<Code>, TargetModel), u64>,
}

impl Evidence {
    /// Adds the counts of another file.
    pub fn add(&mut self, other: Evidence) {
        self.files_read += other.files_read;
        self.requests += other.requests;
        self.requests_skipped += other.requests_skipped;
        for (key, counts) in other.answers {
            let own = self.answers.entry(key).or_default();
            own.accepted += counts.accepted;
            own.refused += counts.refused;
            own.other += counts.other;
        }
        for (key, count) in other.found_and_accepted {
            *self.found_and_accepted.entry(key).or_default() += count;
        }
        for (key, count) in other.refused_and_not_found {
            *self.refused_and_not_found.entry(key).or_default() += count;
        }
    }

    /// Counts a request with its answer.
    pub fn count(
        &mut self,
        request: &RecordedRequest<'_>,
        answer: Answer<'_>,
        known: &Recogniser,
    ) -> io::Result<()> {
        let key = TargetModel { target: request.target.name, model: request.model.clone() };
        let counts = self.answers.entry(key.clone()).or_default();
        match answer {
            Answer::Accepted => {
                counts.accepted += 1;
                for (code, severity) in &request.found {
                    *self.found_and_accepted.entry((*code, key.clone(), *severity)).or_default() += 1;
                }
            }
            Answer::Refused { status, body } => match unfound(request, body, known)? {
                // An unknown model or path has the same status as an unknown item.
                Some(None) if status == 404 => counts.other += 1,
                missed => {
                    counts.refused += 1;
                    if let Some(code) = missed {
                        *self.refused_and_not_found.entry((code, key)).or_default() += 1;
                    }
                }
            },
            Answer::Other => counts.other += 1,
        }
        Ok(())
    }

    /// True if an accepted request has an error, or the reason for a refusal was not found.
    pub fn differs(&self) -> bool {
        let has_error = self.found_and_accepted.keys().any(|(_, _, severity)| *severity == Severity::Error);
        has_error || !self.refused_and_not_found.is_empty()
    }
}

/// The rule that explains the message of a refusal and finds nothing in the request; `Some(None)` if no rule is known to
/// explain it. `None` if it is found, or if the message is about something that no rule can find in a request.
fn unfound(request: &RecordedRequest<'_>, body: &[u8], known: &Recogniser) -> io::Result<Option<Option<Code>>> {
    let message = String::from_utf8_lossy(body.get(..MOST_MESSAGE).unwrap_or(body));
    let errors = known.recognise(&message);
    if errors.is_empty() {
        return Ok((!request.has_errors()).then_some(None));
    }
    let mut claims: Vec<RuleClaim> = errors.into_iter().flat_map(|error| error.claims).collect();
    // Of rules with the same message, those for the dialect come first.
    claims.sort_by_key(|claim| !claim.rule.judges(request.target.dialect));
    let codes: Vec<Code> = claims.iter().map(|claim| claim.rule.code).collect();
    match codes.first() {
        Some(first) if !request.is_found(&codes)? => Ok(Some(Some(*first))),
        _ => Ok(None),
    }
}
