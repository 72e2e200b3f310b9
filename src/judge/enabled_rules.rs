//! The rules of a run, sorted by what runs them.
#![expect(clippy::indexing_slicing, reason = "the table of codes has an entry for each code below 1000")]

use std::sync::{Arc, LazyLock};

use crate::dialect::Item;
use crate::history::{Code, KindSet};
use crate::rule::{Check, FindingSink, Rule};
use crate::rules::RULES;
use crate::schema::ItemSchema;

/// The enabled rules of a run.
#[derive(Clone)]
pub struct EnabledRules {
    set: Arc<RuleSet>,
    /// Rules whose error the server has reported for the history.
    proven: Vec<Code>,
}

/// The rules by what runs them, so that a small history is not asked by rules that it does not concern.
struct RuleSet {
    codes: Vec<bool>,
    items: Vec<(&'static Rule, ItemCheck)>,
    schemas: Option<SchemaCheck>,
    /// The rules over pairs, groups and histories of each dialect.
    histories: Vec<(&'static str, Vec<&'static Rule>)>,
}

/// The check of a rule about single items of some kinds.
pub type ItemCheck = (KindSet, fn(&Item<'_>, &mut FindingSink));
/// The check of the rule about schemas.
pub type SchemaCheck = fn(&ItemSchema, &Item<'_>, &mut FindingSink);

/// The dialects that rules may be restricted to; the empty one is that of a history whose target has another.
const DIALECTS: [&str; 6] = ["", "responses", "chat", "anthropic", "gemini", "bedrock"];

impl Default for EnabledRules {
    /// All rules.
    fn default() -> Self {
        static ALL: LazyLock<EnabledRules> = LazyLock::new(|| EnabledRules::new(|_| true));
        ALL.clone()
    }
}

impl EnabledRules {
    /// Enables the rules for which `wanted` is true.
    pub fn new(wanted: impl Fn(&Rule) -> bool) -> Self {
        let (mut codes, mut items, mut schemas) = (vec![false; 1000], Vec::new(), None);
        let mut histories = DIALECTS.map(|dialect| (dialect, Vec::new()));
        for rule in RULES.iter().copied().filter(|rule| wanted(rule)) {
            codes[usize::from(rule.code.0) % 1000] = true;
            match rule.check {
                Check::Item(kinds, check) => items.push((rule, (kinds, check))),
                Check::Schema(check) => schemas = Some(check),
                Check::Pair(_) | Check::Group(_) | Check::History(_) => {
                    let judged = histories.iter_mut().filter(|(dialect, _)| rule.judges(dialect));
                    judged.for_each(|(_, rules)| rules.push(rule));
                }
                Check::External => {}
            }
        }
        let set = RuleSet { codes, items, schemas, histories: histories.into() };
        EnabledRules { set: Arc::new(set), proven: Vec::new() }
    }

    /// The same rules, some of whose findings the server has confirmed.
    pub fn with_proven(self, proven: Vec<Code>) -> Self {
        EnabledRules { proven, ..self }
    }

    pub fn proven(&self) -> &[Code] {
        &self.proven
    }

    pub fn is_proven(&self, code: Code) -> bool {
        self.proven.contains(&code)
    }

    pub fn has(&self, code: Code) -> bool {
        self.set.codes[usize::from(code.0) % 1000]
    }

    /// The rules about single items, each with its check.
    pub fn item_rules(&self) -> &[(&'static Rule, ItemCheck)] {
        &self.set.items
    }

    /// The check of items against their schemas, if its rule is enabled.
    pub fn schema_check(&self) -> Option<SchemaCheck> {
        self.set.schemas
    }

    /// The rules over the pairs, groups and histories of a dialect.
    pub(super) fn history_rules(&self, dialect: &str) -> impl Iterator<Item = &'static Rule> + '_ {
        let own = self.set.histories.iter().find(|(own, _)| *own == dialect);
        own.into_iter().flat_map(|(_, rules)| rules.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::targets;

    #[test]
    fn rules_and_targets_are_of_the_dialects_that_rules_are_sorted_by() {
        let of_rules = RULES.iter().filter_map(|rule| rule.dialect);
        for dialect in of_rules.chain(targets::TARGETS.iter().map(|target| target.dialect)) {
            assert!(DIALECTS.contains(&dialect), "{dialect}");
        }
    }
}
