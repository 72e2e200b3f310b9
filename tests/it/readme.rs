//! The README's table of rules is written from the table of rules. `UPDATE_README=1` writes it anew.

use std::fmt::Write;
use std::path::Path;

use replaylint::report::rulebook::{self, Fixed};
use replaylint::rules::RULES;
use replaylint::target::Severity;

const START: &str = "<!-- rules: written by a test -->\n";
const END: &str = "<!-- end of rules -->";

fn table() -> String {
    let mut table = String::from("| code | name | what it does | at most | fixed |\n|---|---|---|---|---|\n");
    for rule in RULES {
        let fixed = rulebook::fixed(rule, None);
        let fixed = if fixed == Fixed::Never { "" } else { fixed.name() };
        let _ = writeln!(
            table,
            "| {} | {} | {} | {} | {} |",
            rule.code,
            rule.name,
            rulebook::sentence(rule).replace('|', "\\|"),
            rulebook::severity(rule, None).map_or("off", Severity::name),
            fixed
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
