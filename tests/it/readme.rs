//! The README's table of rules is written from the table of rules. `UPDATE_README=1` writes it anew.

use std::fmt::Write;
use std::path::Path;

use replaylint::rule::{Rule, Variant, When};
use replaylint::rules::RULES;
use replaylint::target::Severity;

const START: &str = "<!-- rules: written by a test -->\n";
const END: &str = "<!-- end of rules -->";

/// The first sentence of a rule's page.
fn sentence(rule: &Rule) -> String {
    let text = rule.page.split("## What it does").nth(1).expect("a page says what the rule does");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = text.find(". ").or(text.find(": ")).map_or(text.len(), |n| n);
    text[..end].trim_end_matches('.').replace('|', "\\|")
}

fn severity(rule: &Rule) -> &'static str {
    let worst = rule.variants.iter().filter_map(|v| v.levels.stored.max(v.levels.stateless)).max();
    worst.map_or("off", Severity::name)
}

fn fixed(rule: &Rule) -> &'static str {
    let fixes: Vec<_> = rule.variants.iter().filter(|v| !v.fix.is_empty()).collect();
    let default = |v: &Variant| match v.when {
        When::Error => v.levels.stored.max(v.levels.stateless) == Some(Severity::Error),
        When::Always => true,
        When::Flag => false,
    };
    match (fixes.is_empty(), fixes.iter().any(|v| default(v))) {
        (true, _) => "",
        (false, true) => "yes",
        (false, false) => "on request",
    }
}

fn table() -> String {
    let mut table = String::from("| code | name | what it does | at most | fixed |\n|---|---|---|---|---|\n");
    for rule in RULES {
        let _ = writeln!(
            table,
            "| {} | {} | {} | {} | {} |",
            rule.code,
            rule.name,
            sentence(rule),
            severity(rule),
            fixed(rule)
        );
    }
    table
}

#[test]
fn the_table_of_rules_is_that_of_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = std::fs::read_to_string(&path).expect("a README");
    let start = text.find(START).expect("a start") + START.len();
    let end = text.find(END).expect("an end");
    if std::env::var_os("UPDATE_README").is_some() {
        let text = format!("{}{}{}", &text[..start], table(), &text[end..]);
        std::fs::write(path, text).expect("written");
        return;
    }
    assert_eq!(&text[start..end], table(), "UPDATE_README=1 cargo test writes it anew");
}

#[test]
fn every_rule_has_a_page() {
    for rule in RULES {
        for heading in ["## What it does", "## Why it matters", "## Fix"] {
            assert!(rule.page.contains(heading), "{} has no {heading}", rule.code);
        }
        for variant in rule.variants {
            // The page quotes what the provider says.
            if let Some(api) = variant.api {
                let words: String = api.split(['{', '⟨']).next().expect("a start").chars().take(30).collect();
                assert!(rule.page.contains(words.trim()), "{}: the page does not quote '{words}'", rule.code);
            }
            assert!(!variant.message.is_empty());
        }
    }
}
