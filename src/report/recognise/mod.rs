//! From a pasted error to the rule that explains it. The recognisers are the rules' and the targets' own templates of
//! the provider's sentences, so that a rule that is added is recognised by that alone. Tables hold what several rules may
//! mean, what no rule can find in a stored history, and what is not about the history at all.

mod elsewhere;
mod fragment;
mod frame;
mod furniture;
mod likely;
mod outside;
mod plain;
mod reported;
mod template;
mod topic;

use std::collections::{HashMap, HashSet};

use crate::history::Code;
use crate::judge::levels;
use crate::rule::Rule;
use crate::rules::{RULES, by_code};
use crate::target::{Severity, Target};
use crate::targets::TARGETS;

pub use elsewhere::{ELSEWHERE, Elsewhere};
pub use likely::LIKELY;
pub use outside::{OUTSIDE, WRAPPERS};
pub use plain::plain;
pub use topic::Topic;

use fragment::{Fragments, Run, is_common};
use outside::Outside;
use reported::{is_all, is_report};
use template::{Hit, PastedText, Sentence, beginning};

/// A variant of a rule, broken in the words of a sentence.
#[derive(Clone, Copy)]
pub struct Claim {
    pub rule: &'static Rule,
    pub variant: u8,
    /// Who says so, where only one target does.
    pub target: Option<&'static Target>,
}

impl Claim {
    /// How much it weighs where it weighs most.
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

    /// The provider says nothing else of this rule: it is more likely meant than one of which it says other things, too.
    fn says_only(&self, sentence: &str) -> bool {
        let mut own = self.rule.variants.iter().filter_map(|variant| variant.api);
        own.next() == Some(sentence) && own.all(|api| api == sentence)
    }
}

/// A sentence that some provider was seen to say.
struct Known {
    template: &'static str,
    whole: Option<Sentence>,
    /// Its first sentence, where that is telling.
    begin: Option<Sentence>,
    claims: Vec<Claim>,
    /// How many of the claims were put first by hand.
    likely: usize,
    elsewhere: Option<&'static Elsewhere>,
}

/// An error that was recognised.
pub struct Recognised {
    /// The provider's sentence, as the rules have it.
    pub template: &'static str,
    /// What is in it for the template's names.
    pub captures: Vec<(String, String)>,
    /// The rules that say so, the likeliest first; empty if it is no fault that the history shows.
    pub claims: Vec<Claim>,
    pub elsewhere: Option<&'static Elsewhere>,
    /// What it is about, if not about the history.
    pub topic: Option<&'static Topic>,
    /// What was pasted of it.
    pub quote: String,
    span: (usize, usize),
    weight: usize,
}

impl Recognised {
    /// Whether another sentence adds nothing to this one.
    fn says_all_of(&self, other: &Recognised) -> bool {
        let subject =
            |one: &Recognised| (one.claims.first().map(|claim| claim.rule.code), one.elsewhere.map(|e| e.because));
        subject(self) == subject(other) && other.ids().iter().all(|id| self.ids().contains(id))
    }

    /// The ids of items that the sentence names.
    pub fn ids(&self) -> Vec<String> {
        let is_id = |name: &str| name == "id" || name == "ids" || name.ends_with("_id") || name.ends_with("_ids");
        let named = self.captures.iter().filter(|(name, _)| is_id(name) || name == "checks");
        let each = |text: &str| text.split(',').map(|id| id.trim().trim_matches(['\'', '"']).to_owned()).collect();
        let mut seen = HashSet::new();
        named
            .flat_map(|(_, text)| -> Vec<String> { each(text) })
            .filter(|id| !id.is_empty() && seen.insert(id.clone()))
            .collect()
    }
}

/// Finds a sentence, or its beginning, in a text.
type Find = dyn Fn(&Known, &PastedText) -> Option<Hit>;

/// Everything that is recognised.
pub struct Recogniser {
    known: Vec<Known>,
    fragments: Fragments,
    outside: Vec<Topical>,
    wrappers: Vec<Topical>,
}

/// A sentence of a topic.
struct Topical {
    topic: &'static Topic,
    template: &'static str,
    sentence: Sentence,
    /// Others say so as well: where it counts.
    shared: Option<Shared>,
}

/// Where what others say as well is an API's.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shared {
    /// In the report of an API's error.
    Reported,
    /// There, or where nothing else is said.
    Alone,
}

impl Topical {
    fn find(&self, pasted: &PastedText) -> Option<Hit> {
        let is_all = |hit: &Hit| is_all(&pasted.bare, hit.start, hit.end);
        let counts = |hit: &Hit| match self.shared {
            None => true,
            Some(Shared::Reported) => is_report(&pasted.text),
            Some(Shared::Alone) => is_all(hit) || is_report(&pasted.text),
        };
        self.sentence.find(pasted).filter(counts)
    }
}

fn topical(table: &'static [Outside], shared: Shared) -> Vec<Topical> {
    let of_row = |row: &'static Outside| {
        let topical = move |template: &'static str, shared: Option<Shared>| Topical {
            topic: row.topic,
            template,
            sentence: Sentence::short(template),
            shared,
        };
        let own = row.says.iter().map(move |template| topical(template, None));
        own.chain(row.shared.iter().map(move |template| topical(template, Some(shared))))
    };
    table.iter().flat_map(of_row).collect()
}

impl Default for Recogniser {
    fn default() -> Self {
        Recogniser::new()
    }
}

impl Recogniser {
    pub fn new() -> Self {
        let fragments = Fragments::new(std::iter::empty());
        let (outside, wrappers) = (topical(OUTSIDE, Shared::Alone), topical(WRAPPERS, Shared::Reported));
        let mut this = Recogniser { known: Vec::new(), fragments, outside, wrappers };
        for likely in LIKELY {
            let claim = |(code, variant): &(Code, u8)| {
                let rule = by_code(*code)?;
                Some(Claim { rule, variant: *variant, target: None })
            };
            let known = this.entry(likely.says);
            known.claims.extend(likely.rules.iter().filter_map(claim));
            known.likely = known.claims.len();
        }
        for (template, claim) in claims() {
            this.entry(template).claims.push(claim);
        }
        for elsewhere in ELSEWHERE {
            this.entry(elsewhere.says).elsewhere = Some(elsewhere);
        }
        for known in &mut this.known {
            let likely = known.likely;
            let says = known.template;
            known.claims.split_at_mut(likely).1.sort_by_key(|claim| {
                (std::cmp::Reverse(claim.worst()), !claim.says_only(says), claim.rule.code, claim.variant)
            });
            let mut seen = HashSet::new();
            known.claims.retain(|claim| seen.insert((claim.rule.code, claim.variant)));
        }
        this.fragments = Fragments::new(this.known.iter().map(|known| known.template).enumerate());
        this
    }

    #[expect(clippy::indexing_slicing, reason = "the position of one that is known, or of the one that was added")]
    fn entry(&mut self, template: &'static str) -> &mut Known {
        let at = self.known.iter().position(|known| known.template == template).unwrap_or_else(|| {
            let (whole, begin) = (Sentence::new(template), beginning(template).and_then(Sentence::new));
            self.known.push(Known { template, whole, begin, claims: Vec::new(), likely: 0, elsewhere: None });
            self.known.len() - 1
        });
        &mut self.known[at]
    }

    /// The errors that a text contains, in its order; none if it has none that is known.
    pub fn recognise(&self, text: &str) -> Vec<Recognised> {
        let texts = texts(text);
        let whole = |known: &Known, pasted: &PastedText| known.whole.as_ref()?.find(pasted);
        let begin = |known: &Known, pasted: &PastedText| known.begin.as_ref()?.find(pasted);
        for find in [&whole as &Find, &begin] {
            let found = texts.iter().map(|pasted| self.sentences(pasted, find));
            let weight = |found: &Vec<Recognised>| found.iter().map(|one| one.weight).max();
            let most = found.reduce(|a, b| if weight(&b) > weight(&a) { b } else { a }).unwrap_or_default();
            if !most.is_empty() {
                return most;
            }
        }
        let fragment = || texts.iter().find_map(|pasted| self.fragment(pasted));
        let topic = |table: &[Topical]| first_topic(table, &texts);
        let last = || topic(&self.wrappers).filter(|_| !texts.iter().any(|pasted| names_history(&pasted.text)));
        topic(&self.outside).or_else(fragment).or_else(last).into_iter().collect()
    }

    /// The sentences that a text holds.
    fn sentences(&self, pasted: &PastedText, find: &Find) -> Vec<Recognised> {
        let hit = |known: &Known| find(known, pasted).map(|hit| known.recognised(hit, pasted));
        most_telling(self.known.iter().filter_map(hit).collect())
    }

    /// The sentences of which a text has a piece, if only few rules explain it; and the piece.
    fn pieces(&self, pasted: &PastedText) -> Option<(Run, Vec<&Known>)> {
        let run = self.fragments.longest(&pasted.bare)?;
        let known: Vec<&Known> = run.templates.iter().filter_map(|at| self.known.get(*at)).collect();
        let firsts: HashSet<Option<Code>> =
            known.iter().map(|known| known.claims.first().map(|claim| claim.rule.code)).collect();
        // What is in a rule's sentence and in that of no rule may mean anything.
        (firsts.len() <= FEW && (firsts.len() == 1 || !firsts.contains(&None))).then_some((run, known))
    }

    /// A piece of a sentence that proves it: the likeliest rule first, the others with it.
    fn fragment(&self, pasted: &PastedText) -> Option<Recognised> {
        let (run, known) = self.pieces(pasted).filter(|(run, _)| run.proves)?;
        let likeliest = known.iter().min_by_key(|known| {
            known.claims.first().map(|claim| (std::cmp::Reverse(claim.worst()), claim.rule.code, claim.variant))
        })?;
        let (start, end) = run.span;
        let hit = Hit { start, end, weight: run.letters, captures: Vec::new() };
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

    /// The sentences that a text resembles: those of which it has a piece, and those that it shares most of its telling
    /// words with.
    pub fn nearest(&self, text: &str) -> Vec<(&'static str, Vec<Claim>)> {
        let texts = texts(text);
        let pieces =
            texts.iter().find_map(|pasted| self.pieces(pasted)).map(|(_, known)| known).unwrap_or_default();
        let pasted = texts.first().map(|pasted| words(&pasted.bare)).unwrap_or_default();
        let each: Vec<(&Known, HashSet<String>)> =
            self.known.iter().map(|known| (known, words(known.template))).collect();
        // A word that many sentences have tells little.
        let mut held: HashMap<&String, u32> = HashMap::new();
        for word in each.iter().flat_map(|(_, words)| words) {
            *held.entry(word).or_default() += 1;
        }
        let worth = |word: &String| 1.0 / f64::from(held.get(word).copied().unwrap_or(1));
        let score = |words: &HashSet<String>| {
            let all: f64 = words.iter().map(worth).sum();
            let shared: Vec<&String> = words.intersection(&pasted).collect();
            let part = shared.iter().map(|word| worth(word)).sum::<f64>() / all.max(f64::MIN_POSITIVE);
            if shared.len() < SHARED { 0.0 } else { part }
        };
        let mut scored: Vec<(f64, &Known)> = each.iter().map(|(known, words)| (score(words), *known)).collect();
        scored.retain(|(score, _)| *score >= NEAR);
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        let scored = scored.into_iter().map(|(_, known)| known);
        let mut near: Vec<&Known> = pieces.into_iter().chain(scored).collect();
        // One sentence of a rule is enough.
        let mut rules = HashSet::new();
        near.retain(|known| known.claims.first().is_none_or(|claim| rules.insert(claim.rule.code)));
        near.iter().take(3).map(|known| (known.template, known.claims.clone())).collect()
    }
}

/// Rules that a fragment may mean at most.
const FEW: usize = 2;

/// The part of a sentence's telling words, by their worth, that a text must share to be near, and the number of them.
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
    let text = plain(text);
    let joined = joined(&text);
    [Some(text), joined].into_iter().flatten().map(PastedText::new).collect()
}

/// What was pasted at a place of a text, in one line.
fn quote(pasted: &PastedText, hit: &Hit) -> String {
    let rest = pasted.text.get(hit.start..).unwrap_or_default();
    let len = hit.end - hit.start;
    let len = len + usize::from(rest.get(len..).is_some_and(|rest| rest.starts_with('.')));
    rest.get(..len).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first row of a table that one of the texts holds.
fn first_topic(table: &[Topical], texts: &[PastedText]) -> Option<Recognised> {
    table.iter().find_map(|row| {
        let (hit, pasted) = texts.iter().find_map(|pasted| Some((row.find(pasted)?, pasted)))?;
        Some(Recognised {
            template: row.template,
            quote: quote(pasted, &hit),
            captures: hit.captures,
            claims: Vec::new(),
            elsewhere: None,
            topic: Some(row.topic),
            span: (hit.start, hit.end),
            weight: hit.weight,
        })
    })
}

/// Whether a text speaks of items: then what surrounds it does not say what it is about.
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

/// All sentences of rules and targets, with what they claim.
pub fn claims() -> impl Iterator<Item = (&'static str, Claim)> {
    let of_rule = |rule: &'static Rule| {
        let variants = rule.variants.iter().enumerate();
        variants.flat_map(move |(n, variant)| {
            let claim = Claim { rule, variant: n as u8, target: None };
            variant.api.iter().chain(variant.also).map(move |template| (*template, claim))
        })
    };
    let of_target = |target: &'static Target| {
        let verdicts = target.verdicts.iter().filter_map(|verdict| Some((verdict, verdict.api?)));
        let verdicts = verdicts.filter(|(_, template)| !template.is_empty());
        verdicts.filter_map(move |(verdict, template)| {
            let rule = by_code(verdict.code)?;
            Some((template, Claim { rule, variant: verdict.variant.unwrap_or(0), target: Some(target) }))
        })
    };
    RULES.iter().copied().flat_map(of_rule).chain(TARGETS.iter().copied().flat_map(of_target))
}

impl Known {
    fn recognised(&self, hit: Hit, pasted: &PastedText) -> Recognised {
        Recognised {
            template: self.template,
            quote: quote(pasted, &hit),
            captures: hit.captures,
            claims: self.claims.clone(),
            elsewhere: self.elsewhere,
            topic: None,
            span: (hit.start, hit.end),
            weight: hit.weight,
        }
    }
}

/// Of sentences that were found at one place the one with most text of its own; those that say the same in the same
/// place are one, with the claims of all. A second sentence that says no more than the first is left out.
fn most_telling(mut found: Vec<Recognised>) -> Vec<Recognised> {
    found.sort_by_key(|one| (std::cmp::Reverse(one.weight), std::cmp::Reverse(one.captures.len())));
    let mut kept: Vec<Recognised> = Vec::new();
    for one in found {
        let overlaps = |other: &&mut Recognised| one.span.0 < other.span.1 && other.span.0 < one.span.1;
        match kept.iter_mut().find(overlaps) {
            None => kept.push(one),
            Some(same) if same.weight == one.weight && same.span.0 == one.span.0 => {
                same.claims.extend(one.claims);
                same.claims
                    .sort_by_key(|claim| (std::cmp::Reverse(claim.worst()), claim.rule.code, claim.variant));
                same.elsewhere = same.elsewhere.or(one.elsewhere);
            }
            Some(_) => {}
        }
    }
    let mut distinct: Vec<Recognised> = Vec::new();
    for one in kept {
        if !distinct.iter().any(|other| other.says_all_of(&one)) {
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
    fn several_errors_are_all_told() {
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
