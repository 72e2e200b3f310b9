//! From a pasted error to the rule that explains it. The recognisers are the rules' and the targets' own templates of
//! the provider's sentences, so that a rule that is added is recognised by that alone; a short table holds what no rule
//! can find in a stored history.

mod elsewhere;
mod plain;
mod template;

use std::collections::HashSet;

use crate::lint::levels;
use crate::rule::Rule;
use crate::rules::RULES;
use crate::target::{Severity, Target};
use crate::targets::TARGETS;

pub use elsewhere::{ELSEWHERE, Elsewhere};
pub use plain::plain;

use template::{Hit, Sentence, beginning};

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
    elsewhere: Option<&'static Elsewhere>,
}

/// An error that was recognised.
pub struct Recognised {
    /// The provider's sentence, as the rules have it.
    pub template: &'static str,
    /// What stands in it for the template's names.
    pub captures: Vec<(String, String)>,
    /// The rules that say so, the likeliest first; empty if it is no fault that the history shows.
    pub claims: Vec<Claim>,
    pub elsewhere: Option<&'static Elsewhere>,
    span: (usize, usize),
    weight: usize,
}

impl Recognised {
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

/// Everything that is recognised.
pub struct Recogniser {
    known: Vec<Known>,
}

impl Default for Recogniser {
    fn default() -> Self {
        Recogniser::new()
    }
}

impl Recogniser {
    pub fn new() -> Self {
        let mut this = Recogniser { known: Vec::new() };
        for (template, claim) in claims() {
            this.entry(template).claims.push(claim);
        }
        for elsewhere in ELSEWHERE {
            this.entry(elsewhere.says).elsewhere = Some(elsewhere);
        }
        for known in &mut this.known {
            let says = known.template;
            known.claims.sort_by_key(|claim| {
                (std::cmp::Reverse(claim.worst()), !claim.says_only(says), claim.rule.code, claim.variant)
            });
            known.claims.dedup_by_key(|claim| (claim.rule.code, claim.variant));
        }
        this
    }

    fn entry(&mut self, template: &'static str) -> &mut Known {
        let at = self.known.iter().position(|known| known.template == template).unwrap_or_else(|| {
            let (whole, begin) = (Sentence::new(template), beginning(template).and_then(Sentence::new));
            self.known.push(Known { template, whole, begin, claims: Vec::new(), elsewhere: None });
            self.known.len() - 1
        });
        &mut self.known[at]
    }

    /// The errors that a text tells of, in its order; none if it tells of none that is known.
    pub fn recognise(&self, text: &str) -> Vec<Recognised> {
        let text = plain(text);
        let find = |sentence: &dyn Fn(&Known) -> Option<&Sentence>| {
            let hit = |known: &Known| {
                let sentence = sentence(known)?;
                Some(known.recognised(sentence.find(&text)?, sentence.weight))
            };
            most_telling(self.known.iter().filter_map(hit).collect())
        };
        let whole = find(&|known| known.whole.as_ref());
        if whole.is_empty() { find(&|known| known.begin.as_ref()) } else { whole }
    }

    /// The sentences that have most in common with a text that was not recognised.
    pub fn nearest(&self, text: &str) -> Vec<(&'static str, Vec<Claim>)> {
        let said = words(&plain(text));
        let told: Vec<(&Known, HashSet<String>)> =
            self.known.iter().map(|known| (known, words(known.template))).collect();
        // A word that many sentences have tells little.
        let worth =
            |word: &String| 1.0 / told.iter().filter(|(_, words)| words.contains(word)).count().max(1) as f64;
        let score = |words: &HashSet<String>| {
            let all: f64 = words.iter().map(worth).sum();
            words.intersection(&said).map(worth).sum::<f64>() / all.max(f64::MIN_POSITIVE)
        };
        let mut scored: Vec<(f64, &Known)> = told.iter().map(|(known, words)| (score(words), *known)).collect();
        scored.retain(|(score, _)| *score >= NEAR);
        scored.sort_by(|a, b| b.0.total_cmp(&a.0));
        // One sentence of a rule is enough.
        let mut rules = HashSet::new();
        scored.retain(|(_, known)| known.claims.first().is_none_or(|claim| rules.insert(claim.rule.code)));
        scored.iter().take(3).map(|(_, known)| (known.template, known.claims.clone())).collect()
    }
}

/// The part of a sentence's words, by their worth, that a text must share to be near.
const NEAR: f64 = 0.2;

fn words(text: &str) -> HashSet<String> {
    let word = |word: &str| (word.len() > 2).then(|| word.to_ascii_lowercase());
    text.split(|c: char| !c.is_ascii_alphabetic()).filter_map(word).collect()
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
            let rule = crate::rules::by_code(verdict.code)?;
            Some((template, Claim { rule, variant: verdict.variant.unwrap_or(0), target: Some(target) }))
        })
    };
    RULES.iter().copied().flat_map(of_rule).chain(TARGETS.iter().copied().flat_map(of_target))
}

impl Known {
    fn recognised(&self, hit: Hit, weight: usize) -> Recognised {
        Recognised {
            template: self.template,
            captures: hit.captures,
            claims: self.claims.clone(),
            elsewhere: self.elsewhere,
            span: (hit.start, hit.end),
            weight,
        }
    }
}

/// Of sentences that were found at one place the one with most text of its own; those that say the same in the same
/// place are one, with the claims of all.
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
    kept.sort_by_key(|one| one.span);
    kept
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
        let said =
            "Item 'fc_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_1'.";
        assert_eq!(codes(said)[0][0], "RL201");
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
