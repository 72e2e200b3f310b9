//! Facts about rules and targets, for the tables of the command line and of the README.

use crate::history::Code;
use crate::judge::levels;
use crate::rule::{Autofix, Evidence, Rule, Variant};
use crate::target::{Levels, Severity, Target};
use crate::targets::TARGETS;

/// The address of a rule's page: on the site at `REPLAYLINT_SITE` if that was set when the program was built, else among
/// the sources of this version.
pub fn page_url(code: Code) -> String {
    match option_env!("REPLAYLINT_SITE") {
        Some(site) => format!("{}/rules/{code}.html", site.trim_end_matches('/')),
        None => format!(
            concat!(
                "https://docs.rs/crate/",
                env!("CARGO_PKG_NAME"),
                "/",
                env!("CARGO_PKG_VERSION"),
                "/source/docs/rules/{}.md"
            ),
            code
        ),
    }
}

/// The first sentence of a rule's page.
pub fn first_sentence(rule: &Rule) -> String {
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

/// The highest severity of a rule: by default, or for a target. `None` if it is off.
pub fn worst_severity(rule: &Rule, target: Option<&Target>) -> Option<Severity> {
    let of_variant = |(n, variant): (usize, &Variant)| {
        let levels = target.map_or(variant.levels, |target| levels(rule, n as u8, target));
        levels.stored.max(levels.stateless)
    };
    rule.variants.iter().enumerate().filter_map(of_variant).max()
}

/// How `fix` repairs the findings of a rule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FixAvailability {
    Never,
    ByFlag(&'static str),
    Default,
}

impl FixAvailability {
    pub fn name(self) -> &'static str {
        match self {
            FixAvailability::Default => "yes",
            FixAvailability::ByFlag(flag) => flag,
            FixAvailability::Never => "no",
        }
    }
}

/// How `fix` repairs the findings of a rule: by default, or for a target, where a variant that is off finds nothing.
pub fn fix_availability(rule: &Rule, target: Option<&Target>) -> FixAvailability {
    let of_variant = |(n, variant): (usize, &Variant)| {
        let levels = target.map_or(variant.levels, |target| levels(rule, n as u8, target));
        let worst = levels.stored.max(levels.stateless);
        let by_default = match variant.autofix {
            Autofix::Error => worst == Some(Severity::Error),
            Autofix::Always => worst >= Some(Severity::Warning) || target.is_none(),
            Autofix::Notes => true,
            Autofix::OnRequest | Autofix::Flag => false,
        };
        match (variant.fix.is_empty() || target.is_some() && worst.is_none(), by_default) {
            (true, _) => FixAvailability::Never,
            (false, true) => FixAvailability::Default,
            (false, false) if variant.autofix == Autofix::Flag => FixAvailability::ByFlag("--acknowledge-safety"),
            (false, false) => FixAvailability::ByFlag("--fix-warnings"),
        }
    };
    rule.variants.iter().enumerate().map(of_variant).max().unwrap_or(FixAvailability::Never)
}

/// The best evidence of a rule's variants.
pub fn best_evidence(rule: &Rule) -> Evidence {
    rule.variants.iter().map(|variant| variant.evidence).max().unwrap_or(Evidence::Inferred)
}

/// The targets that a rule applies to.
pub fn judging_targets(rule: &Rule) -> impl Iterator<Item = &'static Target> {
    TARGETS.iter().copied().filter(|target| rule.judges(target.dialect))
}

/// The severities of a variant in words, each with its targets; the highest first.
pub fn verdicts(rule: &Rule, variant: u8) -> Vec<(String, Vec<&'static str>)> {
    let mut found: Vec<(Levels, Vec<&'static str>)> = Vec::new();
    for target in judging_targets(rule) {
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

/// The severities of a variant, a line each, with its targets in the fewest words.
pub fn verdict_lines(rule: &Rule, variant: u8) -> Vec<String> {
    let verdicts = verdicts(rule, variant);
    let largest = (0..verdicts.len()).max_by_key(|n| verdicts.get(*n).map_or(0, |(_, names)| names.len()));
    let targets = |n: usize, names: &[&str]| match names.len() {
        count if count > 3 && verdicts.len() == 1 => "all targets".to_owned(),
        count if count > 5 && largest == Some(n) => "all other targets".to_owned(),
        _ => names.join(", "),
    };
    let lines = verdicts.iter().enumerate();
    lines.map(|(n, (level, names))| format!("{level}: {}", targets(n, names))).collect()
}

/// A severity in words: `error`, or both if storage makes a difference.
pub fn level_words(levels: Levels) -> String {
    let word = |level: Option<Severity>| level.map_or("off", Severity::name);
    match levels.stored == levels.stateless {
        true => word(levels.stored).to_owned(),
        false => format!("{} where items are stored, else {}", word(levels.stored), word(levels.stateless)),
    }
}

/// The links that a text names as `owner/repo#N`; a bare `#N` or `repo#N` takes the owner named before it.
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
        // GitHub redirects from an issue to a pull request of the same number.
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
            assert!(!first_sentence(rule).contains('\n'));
        }
    }

    #[test]
    fn severities_are_listed_by_target() {
        let rule = by_code(Code(202)).expect("a rule");
        let listed = verdicts(rule, 0);
        assert!(listed[0].0 == "error" && listed[0].1.contains(&"azure"), "{listed:?}");
        assert!(listed.iter().any(|(word, _)| word == "error where items are stored, else info"), "{listed:?}");
        assert!(listed.last().is_some_and(|(word, names)| word == "off" && names.contains(&"xai")), "{listed:?}");
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
