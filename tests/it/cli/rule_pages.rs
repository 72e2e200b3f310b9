//! The pages of the rules in `docs/rules/`, a file a rule, and their index. They are generated from the rules:
//! `UPDATE_README=1` updates them, including the result of `fix` for each example.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::report::reports::run_with_input;
use replaylint::internals::report::client_versions::faults_of_rule;
use replaylint::internals::report::recorded;
use replaylint::internals::report::rulebook::{self, FixAvailability};
use replaylint::internals::rule::Rule;
use replaylint::internals::rules::{FAMILIES, RULES};
use replaylint::internals::target::Severity;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules")
}

/// The fix for a rule's findings, in one cell of a table.
fn autofix(rule: &Rule) -> String {
    match rulebook::fix_availability(rule, None) {
        FixAvailability::Never => "no".to_owned(),
        FixAvailability::Default => "yes".to_owned(),
        FixAvailability::ByFlag(flag) => format!("`{flag}`"),
    }
}

fn severity(rule: &Rule) -> &'static str {
    rulebook::worst_severity(rule, None).map_or("off", Severity::name)
}

/// The text between `## Example` and the next heading, with its first block of JSON.
fn example(rule: &Rule) -> Option<String> {
    let (_, rest) = rulebook::section(rule, "Example").split_once("```json\n")?;
    let (block, _) = rest.split_once("```")?;
    Some(block.lines().map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n").collect())
}

/// The command that repairs a rule's example, and its output; `None` if the example shows no finding of the rule by
/// itself, or `fix` leaves it as it is.
fn repair_example(rule: &Rule) -> Option<(String, String)> {
    let flags = match rulebook::fix_availability(rule, None) {
        FixAvailability::Never => return None,
        FixAvailability::Default => Vec::new(),
        FixAvailability::ByFlag(flag) => vec![flag],
    };
    let before = example(rule)?;
    let code = rule.code.to_string();
    let run = |args: &[&str]| {
        String::from_utf8(run_with_input(Path::new(env!("CARGO_MANIFEST_DIR")), args, &before).stdout)
            .expect("UTF-8")
    };
    let targets = rulebook::judging_targets(rule).map(|target| ["--target", target.name].to_vec());
    let shown = std::iter::once(Vec::new()).chain(targets).find(|options| {
        let args = [&["check", "--output-format", "json", "-v"], options.as_slice(), &["-"]].concat();
        run(&args).contains(&format!("\"{code}\""))
    })?;
    let args = [vec!["fix"], flags, shown, vec!["--select", &code]].concat();
    let after = run(&args);
    (!after.is_empty() && after != before).then(|| (args.join(" "), after))
}

fn page(rule: &Rule) -> String {
    let mut out = format!("# {} {}\n\n", rule.code, rule.name);
    let _ = writeln!(
        out,
        "Severity: {} at most. Autofix: {}. [All rules](README.md)\n",
        severity(rule),
        autofix(rule)
    );
    let mut is_code = false;
    for line in rule.page.lines() {
        let line = line.strip_prefix(' ').unwrap_or(line).trim_end();
        is_code ^= line.starts_with("```");
        // A name in angle brackets is no element of HTML.
        let line = if is_code { line.to_owned() } else { outside_code(line) };
        if line == "## Fix"
            && let Some((command, after)) = repair_example(rule)
        {
            let _ = write!(out, "`replaylint {command}` prints:\n\n```json\n{}\n```\n\n", after.trim_end());
        }
        let _ = writeln!(out, "{line}");
    }
    out.truncate(out.trim_end().len());
    if let Some(text) = recorded::sentence(rule.code) {
        let _ = write!(out, "\n\n## Recorded requests\n\n{text}");
    }
    let faults = faults_of_rule(rule.code);
    if !faults.is_empty() {
        out.push_str("\n\n## Clients\n");
    }
    for fault in faults {
        let _ = write!(out, "\n- {}", outside_code(&fault.line()));
    }
    out.push_str("\n\n## Messages and severity\n\n");
    for (n, variant) in rule.variants.iter().enumerate() {
        let _ = writeln!(out, "- `{}`", variant.message);
        for line in rulebook::verdict_lines(rule, n as u8) {
            let _ = writeln!(out, "  - {line}");
        }
    }
    out
}

/// A line of prose with `<` escaped outside of code.
fn outside_code(line: &str) -> String {
    let mut out = String::new();
    for (n, part) in line.split('`').enumerate() {
        if n > 0 {
            out.push('`');
        }
        if n % 2 == 0 {
            out.push_str(&part.replace('<', "&lt;").replace("&lt;http", "<http"))
        } else {
            out.push_str(part)
        }
    }
    out
}

fn index() -> String {
    let mut out = String::from(
        "# Rules\n\n\
         `replaylint explain CODE` prints the page of a rule, `replaylint rules` this table, also for one target \
         (`--target NAME`) and as JSON.\n\
         \"Max severity\" is that of the strictest target; the page of the rule has the others. \"Autofix\" says whether \
         `fix` repairs it\nby default, only with the flag, or not at all. These pages are generated from the rules.\n\n\
         If you have the provider's error, look it up [by its sentence](#by-the-sentence-of-the-provider), or paste it: \
         `replaylint explain --error -`.\n",
    );
    for (family, rules) in FAMILIES {
        let _ = write!(
            out,
            "\n## {}\n\n| code | name | what it does | max severity | autofix |\n|---|---|---|---|---|\n",
            family.trim().trim_end_matches('.')
        );
        for rule in *rules {
            let what = outside_code(&rulebook::first_sentence(rule)).replace('|', "\\|");
            let _ = writeln!(
                out,
                "| [{}]({0}.md) | {} | {what} | {} | {} |",
                rule.code,
                rule.name,
                severity(rule),
                autofix(rule)
            );
        }
    }
    let mut sentences: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for rule in RULES {
        for sentence in rule.variants.iter().filter_map(|variant| variant.api) {
            let codes = sentences.entry(sentence.replace('|', "\\|")).or_default();
            let code = format!("[{}]({0}.md)", rule.code);
            if !codes.contains(&code) {
                codes.push(code);
            }
        }
    }
    out.push_str("\n## By the sentence of the provider\n\n| the API says | rules |\n|---|---|\n");
    for (sentence, codes) in sentences {
        let _ = writeln!(out, "| ``{sentence}`` | {} |", codes.join(", "));
    }
    out
}

#[test]
fn rule_pages_are_up_to_date() {
    let mut pages: BTreeMap<String, String> = BTreeMap::from([("README.md".to_owned(), index())]);
    pages.extend(RULES.iter().map(|rule| (format!("{}.md", rule.code), page(rule))));
    let folder = folder();
    if std::env::var_os("UPDATE_README").is_some() {
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        for (name, text) in pages {
            fs::write(folder.join(name), text).expect("written");
        }
        return;
    }
    let there = fs::read_dir(&folder).expect("docs/rules").flatten();
    let there: Vec<String> = there.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    assert_eq!(there.len(), pages.len(), "UPDATE_README=1 cargo test writes the pages anew");
    for (name, text) in pages {
        let kept = fs::read_to_string(folder.join(&name)).unwrap_or_default();
        assert!(kept == text, "docs/rules/{name}: UPDATE_README=1 cargo test writes it anew");
    }
}

/// No page says "None" for a rule whose findings `fix` repairs.
#[test]
fn the_fix_of_a_page_agrees_with_the_table() {
    let says_none = |rule: &&&Rule| {
        let fix = rulebook::section(rule, "Fix");
        fix.starts_with("None") && rulebook::fix_availability(rule, None) != FixAvailability::Never
    };
    let wrong: Vec<String> = RULES.iter().filter(says_none).map(|rule| rule.code.to_string()).collect();
    assert!(wrong.is_empty(), "the page says None, and fix repairs it: {}", wrong.join(", "));
}
