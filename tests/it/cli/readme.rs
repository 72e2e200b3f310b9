//! What the documents say in tables is written by tests: `docs/rules.md` from the table of rules. `UPDATE_README=1`
//! writes them anew.

use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;

use replaylint::internals::message::settings_map::FORMS;
use replaylint::internals::report::rulebook::{self, Fixed};
use replaylint::internals::rule::Rule;
use replaylint::internals::rules::RULES;
use replaylint::internals::target::Severity;

/// Holds a part of a page, between its marks, against what it should say, or writes it.
pub fn keep(page: &str, part: &str, table: &str) {
    // Tests of several parts may write at once.
    static PAGES: Mutex<()> = Mutex::new(());
    let _alone = PAGES.lock();
    let (start, end) = (format!("<!-- {part}: written by a test -->\n"), format!("<!-- end of {part} -->"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = std::fs::read_to_string(&path).expect("a page");
    let start = text.find(&start).expect("a start") + start.len();
    let end = text.find(&end).expect("an end");
    if std::env::var_os("UPDATE_README").is_some() {
        let text = format!("{}{table}{}", &text[..start], &text[end..]);
        std::fs::write(path, text).expect("written");
        return;
    }
    assert_eq!(&text[start..end], table, "{page}: UPDATE_README=1 cargo test writes it anew");
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
            "| [{}](#{}) | {} | {} | {} | {} |",
            rule.code,
            anchor(rule),
            rule.name,
            rulebook::sentence(rule).replace('|', "\\|"),
            rulebook::severity(rule, None).map_or("off", Severity::name),
            fixed
        );
    }
    table
}

/// Where GitHub puts the heading of a rule.
fn anchor(rule: &Rule) -> String {
    format!("{}-{}", rule.code, rule.name).to_lowercase()
}

/// The page of a rule, below a heading of its own, and where it weighs how much.
fn page(rule: &Rule) -> String {
    let mut out = format!("## {} {}\n\n", rule.code, rule.name);
    for line in rule.page.lines() {
        let line = line.strip_prefix(' ').unwrap_or(line);
        let deeper = if line.starts_with("## ") { "#" } else { "" };
        let _ = writeln!(out, "{deeper}{}", line.trim_end());
    }
    out.truncate(out.trim_end().len());
    out.push_str("\n\n### Verdicts\n\n");
    for (n, variant) in rule.variants.iter().enumerate() {
        let _ = writeln!(out, "- `{}`", variant.message);
        for (word, targets) in rulebook::verdicts(rule, n as u8) {
            let _ = writeln!(out, "  - {word}: {}", targets.join(", "));
        }
    }
    out
}

#[test]
fn the_book_of_rules_is_that_of_the_program() {
    keep("docs/rules.md", "rules", &table());
    let pages: Vec<String> = RULES.iter().map(|rule| page(rule)).collect();
    keep("docs/rules.md", "pages", &format!("\n{}\n", pages.join("\n")));
}

#[test]
fn the_table_of_settings_is_that_of_conversions() {
    let dialects = ["chat", "responses", "anthropic", "gemini", "bedrock"];
    let mut table = String::from("| Chat | Responses | Anthropic | Gemini | Bedrock |\n|---|---|---|---|---|\n");
    for form in &FORMS {
        // Names of one setting in one dialect alone are matters of the program.
        if form.paths.len() < 2 {
            continue;
        }
        let cell = |dialect: &&str| form.path(dialect).map_or(String::new(), |path| format!("`{path}`"));
        table += &format!("| {} |\n", dialects.iter().map(cell).collect::<Vec<_>>().join(" | "));
    }
    keep("docs/convert.md", "settings", &table);
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
