//! From a pasted error to the rule that explains it. The recognisers are the rules' and the targets' own templates of
//! the provider's sentences, so that a new rule is recognised without further work. Tables list what several rules may
//! explain, what no rule can find in a stored history, and what is not about the history at all.

mod ambiguous_sentences;
mod boilerplate;
mod fragment;
mod line_frames;
mod other_errors;
mod report_form;
mod session_errors;
mod template;
mod topic;
mod topic_errors;
mod topic_sentence;
mod unescape;

use std::sync::OnceLock;

use foldhash::{HashMap, HashSet};

use crate::history::Code;
use crate::judge::levels;
use crate::rule::Rule;
use crate::rules::{RULES, by_code};
use crate::target::{Severity, Target};
use crate::targets::TARGETS;

pub use ambiguous_sentences::AMBIGUOUS_SENTENCES;
pub use other_errors::{OTHER_ERRORS, OtherError};
pub use session_errors::{SESSION_ERRORS, VAGUE_ERRORS, VagueError};
pub use topic::Topic;
pub use topic_errors::{TOPIC_ERRORS, WRAPPERS};
pub use unescape::unescape;

use fragment::{Fragments, WordRun, is_common};
use template::{PastedText, Sentence, SentenceMatch, beginning};
use topic_sentence::{SharedScope, TopicSentence, topical};

/// A variant of a rule that a sentence may report.
#[derive(Clone, Copy)]
pub struct RuleClaim {
    pub rule: &'static Rule,
    pub variant: u8,
    /// The target that uses the sentence; `None` if several do.
    pub target: Option<&'static Target>,
}

impl RuleClaim {
    /// Its highest severity; `None` if it is off everywhere.
    pub fn worst(&self) -> Option<Severity> {
        let at = |target: &&Target| {
            let levels = levels(self.rule, self.variant, target);
            levels.stored.max(levels.stateless)
        };
        match self.target {
            Some(target) => at(&target),
            None => TARGETS.iter().filter_map(at).max(),
        }
    }

    /// True if the rule has no other sentence: then it is more likely meant than one that has.
    fn is_only_sentence(&self, sentence: &str) -> bool {
        let mut own = self.rule.variants.iter().filter_map(|variant| variant.api);
        own.next() == Some(sentence) && own.all(|api| api == sentence)
    }
}

/// A sentence that some provider is known to use.
struct KnownSentence {
    template: &'static str,
    whole: Option<Sentence>,
    /// Its first sentence, if that is specific enough.
    begin: Option<Sentence>,
    claims: Vec<RuleClaim>,
    /// Number of claims that a table ranks first.
    ranked: usize,
    other_error: Option<&'static OtherError>,
}

/// An error that was recognised.
pub struct RecognisedError {
    /// The provider's sentence, as the rules have it.
    pub template: &'static str,
    /// Values of the template's names.
    pub captures: Vec<(String, String)>,
    /// The rules that explain it, the likeliest first; empty if the history does not show the fault.
    pub claims: Vec<RuleClaim>,
    pub other_error: Option<&'static OtherError>,
    /// What it is about, if not about the history.
    pub topic: Option<&'static Topic>,
    /// The pasted text of it.
    pub quote: String,
    span: (usize, usize),
    weight: usize,
}

impl RecognisedError {
    /// True if another sentence adds nothing to this one.
    fn covers(&self, other: &RecognisedError) -> bool {
        let subject = |one: &RecognisedError| {
            (one.claims.first().map(|claim| claim.rule.code), one.other_error.map(|e| e.cause))
        };
        subject(self) == subject(other) && other.ids().iter().all(|id| self.ids().contains(id))
    }

    /// A text with the providers that the sentence names, in its commands.
    pub fn fill(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, placeholder) in [("provider", "--set-provider NAME"), ("recorded", "model_provider=RECORDED")] {
            let value = self.captures.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str());
            let value = value.map(|value| value.trim_matches(|c: char| !c.is_ascii_alphanumeric()));
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            if let Some(value) = value.filter(|value| !value.is_empty() && value.chars().all(is_plain)) {
                text = text.replace(placeholder, &placeholder.replace("NAME", value).replace("RECORDED", value));
            }
        }
        text
    }

    /// The ids of items that the sentence names.
    pub fn ids(&self) -> Vec<String> {
        let is_id = |name: &str| name == "id" || name == "ids" || name.ends_with("_id") || name.ends_with("_ids");
        let named = self.captures.iter().filter(|(name, _)| is_id(name) || name == "checks");
        let each = |text: &str| text.split(',').map(|id| id.trim().trim_matches(['\'', '"']).to_owned()).collect();
        let mut seen = HashSet::default();
        named
            .flat_map(|(_, text)| -> Vec<String> { each(text) })
            .filter(|id| !id.is_empty() && seen.insert(id.clone()))
            .collect()
    }
}

/// Finds a sentence, or its beginning, in a text.
type FindSentence = dyn Fn(&KnownSentence, &PastedText) -> Option<SentenceMatch>;

/// Everything that is recognised.
pub struct Recogniser {
    known: Vec<KnownSentence>,
    fragments: Fragments,
    outside: Vec<TopicSentence>,
    wrappers: Vec<TopicSentence>,
}

impl Default for Recogniser {
    fn default() -> Self {
        Recogniser::new()
    }
}

impl Recogniser {
    /// The one of this process: its sentences are the same for every text, and each is compiled once.
    pub fn shared() -> &'static Recogniser {
        static SHARED: OnceLock<Recogniser> = OnceLock::new();
        SHARED.get_or_init(Recogniser::new)
    }

    pub fn new() -> Self {
        let fragments = Fragments::new(std::iter::empty());
        let mut outside = topical(SESSION_ERRORS, SharedScope::Alone);
        outside.extend(topical(TOPIC_ERRORS, SharedScope::Alone));
        let wrappers = topical(WRAPPERS, SharedScope::Reported);
        let mut this = Recogniser { known: Vec::new(), fragments, outside, wrappers };
        for likely in AMBIGUOUS_SENTENCES {
            let claim = |(code, variant): &(Code, u8)| {
                let rule = by_code(*code)?;
                Some(RuleClaim { rule, variant: *variant, target: None })
            };
            let known = this.entry(likely.sentence);
            known.claims.extend(likely.rules.iter().filter_map(claim));
            known.ranked = known.claims.len();
        }
        for (template, claim) in claims() {
            this.entry(template).claims.push(claim);
        }
        for other_error in OTHER_ERRORS {
            this.entry(other_error.sentence).other_error = Some(other_error);
        }
        for known in &mut this.known {
            let ranked = known.ranked;
            let says = known.template;
            known.claims.split_at_mut(ranked).1.sort_by_key(|claim| {
                (std::cmp::Reverse(claim.worst()), !claim.is_only_sentence(says), claim.rule.code, claim.variant)
            });
            let mut seen = HashSet::default();
            known.claims.retain(|claim| seen.insert((claim.rule.code, claim.variant)));
        }
        this.fragments = Fragments::new(this.known.iter().map(|known| known.template).enumerate());
        this
    }

    #[expect(clippy::indexing_slicing, reason = "the position of one that is known, or of the one that was added")]
    fn entry(&mut self, template: &'static str) -> &mut KnownSentence {
        let at = self.known.iter().position(|known| known.template == template).unwrap_or_else(|| {
            let (whole, begin) = (Sentence::new(template), beginning(template).and_then(Sentence::new));
            self.known.push(KnownSentence {
                template,
                whole,
                begin,
                claims: Vec::new(),
                ranked: 0,
                other_error: None,
            });
            self.known.len() - 1
        });
        &mut self.known[at]
    }

    /// The known errors that a text contains, in its order.
    pub fn recognise(&self, text: &str) -> Vec<RecognisedError> {
        let texts = texts(text);
        let whole = |known: &KnownSentence, pasted: &PastedText| known.whole.as_ref()?.find(pasted);
        let begin = |known: &KnownSentence, pasted: &PastedText| known.begin.as_ref()?.find(pasted);
        for find in [&whole as &FindSentence, &begin] {
            let found = texts.iter().map(|pasted| self.sentences(pasted, find));
            let weight = |found: &Vec<RecognisedError>| found.iter().map(|one| one.weight).max();
            let most = found.reduce(|a, b| if weight(&b) > weight(&a) { b } else { a }).unwrap_or_default();
            if !most.is_empty() {
                return most;
            }
        }
        let fragment = || texts.iter().find_map(|pasted| self.fragment(pasted));
        let topic = |table: &[TopicSentence]| first_topic(table, &texts);
        let last = || topic(&self.wrappers).filter(|_| !texts.iter().any(|pasted| names_history(&pasted.text)));
        topic(&self.outside).or_else(fragment).or_else(last).into_iter().collect()
    }

    /// The sentences that a text contains.
    fn sentences(&self, pasted: &PastedText, find: &FindSentence) -> Vec<RecognisedError> {
        let hit = |known: &KnownSentence| find(known, pasted).map(|hit| known.recognised(hit, pasted));
        most_specific(self.known.iter().filter_map(hit).collect())
    }

    /// The sentences of which a text has a piece, if only few rules explain it; and the piece.
    fn pieces(&self, pasted: &PastedText) -> Option<(WordRun, Vec<&KnownSentence>)> {
        let run = self.fragments.longest(&pasted.bare)?;
        let known: Vec<&KnownSentence> = run.templates.iter().filter_map(|at| self.known.get(*at)).collect();
        let firsts: HashSet<Option<Code>> =
            known.iter().map(|known| known.claims.first().map(|claim| claim.rule.code)).collect();
        // A piece that is also in a sentence of no rule may mean anything.
        (firsts.len() <= FEW && (firsts.len() == 1 || !firsts.contains(&None))).then_some((run, known))
    }

    /// The error that a piece of a sentence proves: the likeliest rule first, then the others.
    fn fragment(&self, pasted: &PastedText) -> Option<RecognisedError> {
        let (run, known) = self.pieces(pasted).filter(|(run, _)| run.proves)?;
        let likeliest = known.iter().min_by_key(|known| {
            known.claims.first().map(|claim| (std::cmp::Reverse(claim.worst()), claim.rule.code, claim.variant))
        })?;
        let (start, end) = run.span;
        let hit = SentenceMatch { start, end, weight: run.letters, captures: Vec::new() };
        let mut found = likeliest.recognised(hit, pasted);
        for claim in known.iter().flat_map(|known| &known.claims) {
            if !found
                .claims
                .iter()
                .any(|other| (other.rule.code, other.variant) == (claim.rule.code, claim.variant))
            {
                found.claims.push(*claim);
            }
        }
        Some(found)
    }

    /// What a text may mean that does not say what is wrong.
    pub fn vague(&self, text: &str) -> Option<&'static VagueError> {
        // A status line, which is boilerplate elsewhere, may be all that there is.
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase();
        let texts: Vec<String> = texts(text).iter().map(|pasted| plain(&pasted.text)).collect();
        let is_in = |vague: &&VagueError| texts.iter().any(|text| text.contains(&plain(vague.sentence)));
        VAGUE_ERRORS.iter().find(is_in)
    }

    /// The sentences that a text resembles: those of which it has a piece, and those that it shares most of its specific
    /// words with.
    pub fn nearest(&self, text: &str) -> Vec<(&'static str, Vec<RuleClaim>)> {
        let texts = texts(text);
        let pieces =
            texts.iter().find_map(|pasted| self.pieces(pasted)).map(|(_, known)| known).unwrap_or_default();
        let pasted = texts.first().map(|pasted| words(&pasted.bare)).unwrap_or_default();
        let each: Vec<(&KnownSentence, HashSet<String>)> =
            self.known.iter().map(|known| (known, words(known.template))).collect();
        // A word that many sentences have says little.
        let mut frequency: HashMap<&String, u32> = HashMap::default();
        for word in each.iter().flat_map(|(_, words)| words) {
            *frequency.entry(word).or_default() += 1;
        }
        let worth = |word: &String| 1.0 / f64::from(frequency.get(word).copied().unwrap_or(1));
        let score = |words: &HashSet<String>| {
            let all: f64 = words.iter().map(worth).sum();
            let shared: Vec<&String> = words.intersection(&pasted).collect();
            let part = shared.iter().map(|word| worth(word)).sum::<f64>() / all.max(f64::MIN_POSITIVE);
            if shared.len() < SHARED { 0.0 } else { part }
        };
        let mut scored: Vec<(f64, &KnownSentence)> =
            each.iter().map(|(known, words)| (score(words), *known)).collect();
        scored.retain(|(score, _)| *score >= NEAR);
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let scored = scored.into_iter().map(|(_, known)| known);
        let mut near: Vec<&KnownSentence> = pieces.into_iter().chain(scored).collect();
        // One sentence of a rule is enough.
        let mut rules = HashSet::default();
        near.retain(|known| known.claims.first().is_none_or(|claim| rules.insert(claim.rule.code)));
        near.iter().take(3).map(|known| (known.template, known.claims.clone())).collect()
    }
}

/// Rules that a fragment may mean, at most.
const FEW: usize = 2;

/// The part of a sentence's specific words, by weight, that a text must share to be near, and their number.
const NEAR: f64 = 0.4;
const SHARED: usize = 3;

fn words(text: &str) -> HashSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| word.len() > 2);
    words.map(str::to_ascii_lowercase).filter(|word| !is_common(word)).collect()
}

/// A text longer than this is a log, not a message that a terminal wrapped.
const MOST_JOINED: usize = 1 << 16;

/// The text without its line breaks.
fn joined(text: &str) -> Option<String> {
    (text.len() <= MOST_JOINED && text.contains('\n')).then(|| text.lines().map(str::trim).collect())
}

/// A text without its wrapping; also with its lines joined, as a terminal may have broken them within words.
fn texts(text: &str) -> Vec<PastedText> {
    let text = unescape(text);
    let joined = joined(&text);
    [Some(text), joined].into_iter().flatten().map(PastedText::new).collect()
}

/// The first row of a table that one of the texts contains.
fn first_topic(table: &[TopicSentence], texts: &[PastedText]) -> Option<RecognisedError> {
    table.iter().find_map(|row| {
        let (hit, pasted) = texts.iter().find_map(|pasted| Some((row.find(pasted)?, pasted)))?;
        Some(RecognisedError {
            template: row.template,
            quote: quote(pasted, &hit),
            captures: hit.captures,
            claims: Vec::new(),
            other_error: None,
            topic: Some(row.topic),
            span: (hit.start, hit.end),
            weight: hit.weight,
        })
    })
}

/// The pasted text of a match, on one line.
fn quote(pasted: &PastedText, hit: &SentenceMatch) -> String {
    let rest = pasted.text.get(hit.start..).unwrap_or_default();
    let len = hit.end - hit.start;
    let len = len + usize::from(rest.get(len..).is_some_and(|rest| rest.starts_with('.')));
    rest.get(..len).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// True if a text mentions items: then its wrapping does not say what it is about.
fn names_history(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let names = [
        "messages.",
        "messages[",
        "input[",
        "contents[",
        "tool_call",
        "tool call",
        "tool_use",
        "tool_result",
        "functioncall",
        "function call",
        "tooluse",
        "toolresult",
        "reasoning_content",
        "thinking",
    ];
    names.iter().any(|name| lower.contains(name))
}

/// All sentences of rules and targets, each with its claim.
pub fn claims() -> impl Iterator<Item = (&'static str, RuleClaim)> {
    let of_rule = |rule: &'static Rule| {
        let variants = rule.variants.iter().enumerate();
        variants.flat_map(move |(n, variant)| {
            let claim = RuleClaim { rule, variant: n as u8, target: None };
            variant.api.iter().chain(variant.also).map(move |template| (*template, claim))
        })
    };
    let of_target = |target: &'static Target| {
        let verdicts = target.verdicts.iter().filter_map(|verdict| Some((verdict, verdict.api?)));
        let verdicts = verdicts.filter(|(_, template)| !template.is_empty());
        verdicts.filter_map(move |(verdict, template)| {
            let rule = by_code(verdict.code)?;
            Some((template, RuleClaim { rule, variant: verdict.variant.unwrap_or(0), target: Some(target) }))
        })
    };
    RULES.iter().copied().flat_map(of_rule).chain(TARGETS.iter().copied().flat_map(of_target))
}

impl KnownSentence {
    fn recognised(&self, hit: SentenceMatch, pasted: &PastedText) -> RecognisedError {
        RecognisedError {
            template: self.template,
            quote: quote(pasted, &hit),
            captures: hit.captures,
            claims: self.claims.clone(),
            other_error: self.other_error,
            topic: None,
            span: (hit.start, hit.end),
            weight: hit.weight,
        }
    }
}

/// Of sentences that were found at one place the one with most text of its own; those that say the same in the same
/// place are one, with the claims of all. A second sentence that says no more than the first is left out.
fn most_specific(mut found: Vec<RecognisedError>) -> Vec<RecognisedError> {
    found.sort_by_key(|one| (std::cmp::Reverse(one.weight), std::cmp::Reverse(one.captures.len())));
    let mut kept: Vec<RecognisedError> = Vec::new();
    for one in found {
        let overlaps = |other: &&mut RecognisedError| one.span.0 < other.span.1 && other.span.0 < one.span.1;
        match kept.iter_mut().find(overlaps) {
            None => kept.push(one),
            Some(same) if same.weight == one.weight && same.span.0 == one.span.0 => {
                same.claims.extend(one.claims);
                same.claims
                    .sort_by_key(|claim| (std::cmp::Reverse(claim.worst()), claim.rule.code, claim.variant));
                same.other_error = same.other_error.or(one.other_error);
            }
            Some(_) => {}
        }
    }
    let mut distinct: Vec<RecognisedError> = Vec::new();
    for one in kept {
        if !distinct.iter().any(|other| other.covers(&one)) {
            distinct.push(one);
        }
    }
    distinct.sort_by_key(|one| one.span);
    distinct
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(text: &str) -> Vec<Vec<String>> {
        let found = Recogniser::new().recognise(text);
        found.iter().map(|one| one.claims.iter().map(|claim| claim.rule.code.to_string()).collect()).collect()
    }

    #[test]
    fn the_likeliest_rule_comes_first() {
        let pasted =
            "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.";
        assert_eq!(codes(pasted)[0][0], "RL201");
        assert_eq!(codes("No tool output found for function call call_1.")[0][0], "RL101");
        assert_eq!(codes("No tool call found for function call output with call_id call_1.")[0][0], "RL102");
    }

    #[test]
    fn a_targets_own_words_name_the_target() {
        let found = Recogniser::new().recognise("No tool output found for tool call call_1.");
        assert!(found[0].claims.iter().any(|claim| claim.target.is_some_and(|target| target.name == "deepseek")));
    }

    #[test]
    fn several_errors_are_all_recognised() {
        let text = "first: Duplicate item found with id rs_1. Remove duplicate items from your input and try again.\n\
                    then: No tool output found for function call call_1.";
        let found = codes(text);
        assert_eq!((found[0][0].as_str(), found[1][0].as_str()), ("RL301", "RL101"));
    }

    #[test]
    fn the_beginning_of_a_sentence_is_enough() {
        let found = Recogniser::new().recognise("404 Item with id 'rs_1' not found");
        assert_eq!(found[0].ids(), ["rs_1"]);
        assert!(Recogniser::new().recognise("Item with id").is_empty());
    }
}
