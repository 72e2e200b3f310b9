//! Rules, formats and targets summed up: what the tables of the command line and of the README say of them.

use crate::judge::levels;
use crate::rule::{Evidence, Rule, Variant, When};
use crate::target::{Levels, Severity, Target};
use crate::targets::TARGETS;

/// The first sentence of a rule's page.
pub fn sentence(rule: &Rule) -> String {
    let text = section(rule, "What it does").split_whitespace().collect::<Vec<_>>().join(" ");
    let end = text.find(". ").unwrap_or(text.len());
    text[..end].trim_end_matches('.').to_owned()
}

/// A section of a rule's page, without its heading; empty if there is none.
pub fn section(rule: &Rule, heading: &str) -> &'static str {
    let mut sections = rule.page.split("## ");
    let found = sections.find_map(|section| section.trim_start().strip_prefix(heading));
    found.filter(|text| text.starts_with('\n')).unwrap_or_default().trim()
}

/// How much a rule weighs where it weighs most: by itself, or at a target.
pub fn severity(rule: &Rule, target: Option<&Target>) -> Option<Severity> {
    let of_variant = |(n, variant): (usize, &Variant)| {
        let levels = target.map_or(variant.levels, |target| levels(rule, n as u8, target));
        levels.stored.max(levels.stateless)
    };
    rule.variants.iter().enumerate().filter_map(of_variant).max()
}

/// Whether `fix` repairs what a rule finds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fixed {
    Never,
    ByFlag(&'static str),
    Default,
}

impl Fixed {
    pub fn name(self) -> &'static str {
        match self {
            Fixed::Default => "yes",
            Fixed::ByFlag(flag) => flag,
            Fixed::Never => "no",
        }
    }
}

/// Whether `fix` repairs what a rule finds: by itself, or at a target, where a variant that is off finds nothing.
pub fn fixed(rule: &Rule, target: Option<&Target>) -> Fixed {
    let of_variant = |(n, variant): (usize, &Variant)| {
        let levels = target.map_or(variant.levels, |target| levels(rule, n as u8, target));
        let worst = levels.stored.max(levels.stateless);
        let by_default = match variant.when {
            When::Error => worst == Some(Severity::Error),
            When::Always => worst >= Some(Severity::Warning) || target.is_none(),
            When::Asked | When::Flag => false,
        };
        match (variant.fix.is_empty() || target.is_some() && worst.is_none(), by_default) {
            (true, _) => Fixed::Never,
            (false, true) => Fixed::Default,
            (false, false) if variant.when == When::Flag => Fixed::ByFlag("--acknowledge-safety"),
            (false, false) => Fixed::ByFlag("--fix-warnings"),
        }
    };
    rule.variants.iter().enumerate().map(of_variant).max().unwrap_or(Fixed::Never)
}

/// How well the best known variant of a rule is known.
pub fn evidence(rule: &Rule) -> Evidence {
    rule.variants.iter().map(|variant| variant.evidence).max().unwrap_or(Evidence::Inferred)
}

/// The targets of which a rule has something to say.
pub fn judging(rule: &Rule) -> impl Iterator<Item = &'static Target> {
    TARGETS.iter().copied().filter(|target| rule.judges(target.dialect))
}

/// Where a variant weighs what, the heaviest first: the word for it, and the targets.
pub fn verdicts(rule: &Rule, variant: u8) -> Vec<(String, Vec<&'static str>)> {
    let mut found: Vec<(Levels, Vec<&'static str>)> = Vec::new();
    for target in judging(rule) {
        let levels = levels(rule, variant, target);
        match found.iter_mut().find(|(other, _)| *other == levels) {
            Some((_, names)) => names.push(target.name),
            None => found.push((levels, vec![target.name])),
        }
    }
    found.sort_by_key(|(levels, _)| {
        std::cmp::Reverse((levels.stored.max(levels.stateless), levels.stored.min(levels.stateless)))
    });
    found.into_iter().map(|(levels, names)| (level_words(levels), names)).collect()
}

/// A level for the eye: `error`, or both if storage makes a difference.
fn level_words(levels: Levels) -> String {
    let word = |level: Option<Severity>| level.map_or("off", Severity::name);
    match levels.stored == levels.stateless {
        true => word(levels.stored).to_owned(),
        false => format!("{} where items are stored, else {}", word(levels.stored), word(levels.stateless)),
    }
}

/// The links that a text names as `owner/repo#N`; a bare `#N` or `repo#N` goes by an owner named before it.
pub fn links(text: &str) -> Vec<String> {
    let mut links: Vec<String> = Vec::new();
    let mut repos: Vec<(String, String)> = Vec::new();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    for (at, _) in text.match_indices('#') {
        let digits: String = text[at + 1..].chars().take_while(char::is_ascii_digit).collect();
        if digits.is_empty() {
            continue;
        }
        let start = text[..at].rfind(|c: char| !is_name(c)).map_or(0, |n| n + 1);
        let name = text[start..at].trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        let repo = match name.split_once('/') {
            Some((owner, repo)) => Some((owner.to_owned(), repo.to_owned())),
            None if name.is_empty() => repos.last().cloned(),
            None => repos.iter().rev().find(|(_, repo)| repo == name).cloned(),
        };
        let Some((owner, repo)) = repo.filter(|(owner, repo)| !owner.is_empty() && !repo.contains('/')) else {
            continue;
        };
        // GitHub leads from an issue to a pull request of the same number by itself.
        let link = format!("https://github.com/{owner}/{repo}/issues/{digits}");
        repos.push((owner, repo));
        if !links.contains(&link) {
            links.push(link);
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Code;
    use crate::rules::{RULES, by_code};

    #[test]
    fn a_page_has_its_sections() {
        for rule in RULES {
            assert!(
                !section(rule, "What it does").is_empty() && !section(rule, "Fix").is_empty(),
                "{}",
                rule.code
            );
            assert!(!sentence(rule).contains('\n'));
        }
    }

    #[test]
    fn weights_are_told_by_target() {
        let rule = by_code(Code(202)).expect("a rule");
        let told = verdicts(rule, 0);
        assert!(told[0].0 == "error" && told[0].1.contains(&"azure"), "{told:?}");
        assert!(told.iter().any(|(word, _)| word == "error where items are stored, else info"), "{told:?}");
        assert!(told.last().is_some_and(|(word, names)| word == "off" && names.contains(&"xai")), "{told:?}");
    }

    #[test]
    fn names_become_links() {
        let text = "Reported: openai/openai-agents-python#1855 (local shell), #2664; cline/cline#12, x#3, cline#12, a #b.";
        assert_eq!(
            links(text),
            [
                "https://github.com/openai/openai-agents-python/issues/1855",
                "https://github.com/openai/openai-agents-python/issues/2664",
                "https://github.com/cline/cline/issues/12",
            ]
        );
    }
}
