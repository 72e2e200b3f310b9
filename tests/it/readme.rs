//! What the README says in tables is written by tests: the rules from the table of rules. `UPDATE_README=1` writes them
//! anew.

use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;

use replaylint::report::rulebook::{self, Fixed};
use replaylint::rules::RULES;
use replaylint::target::Severity;

/// Holds a part of the README, between its marks, against what it should say, or writes it.
pub fn keep(part: &str, table: &str) {
    // Tests of several parts may write at once.
    static README: Mutex<()> = Mutex::new(());
    let _alone = README.lock();
    let (start, end) = (format!("<!-- {part}: written by a test -->\n"), format!("<!-- end of {part} -->"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = std::fs::read_to_string(&path).expect("a README");
    let start = text.find(&start).expect("a start") + start.len();
    let end = text.find(&end).expect("an end");
    if std::env::var_os("UPDATE_README").is_some() {
        let text = format!("{}{table}{}", &text[..start], &text[end..]);
        std::fs::write(path, text).expect("written");
        return;
    }
    assert_eq!(&text[start..end], table, "UPDATE_README=1 cargo test writes it anew");
}

fn table() -> String {
    let mut table = String::from("| code | name | what it does | at most | fixed |\n|---|---|---|---|---|\n");
    for rule in RULES {
        let fixed = rulebook::fixed(rule, None);
        let fixed = match fixed {
            Fixed::Never => String::new(),
            Fixed::Default => fixed.name().to_owned(),
            Fixed::ByFlag(flag) => format!("`{flag}`"),
        };
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
    keep("rules", &table());
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
