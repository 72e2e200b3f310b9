//! `explain CODE`: the page of a rule, with its messages and severities.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::history::Code;
use crate::judge::levels;
use crate::options::{self, UsageError};
use crate::report::client_versions::{ClientFault, faults_of_rule};
use crate::report::command_line::CommandLine;
use crate::report::rule_page::{render, style_text, wrap_text};
use crate::report::words::to_printable;
use crate::report::{Style, recorded, rulebook, write_pretty};
use crate::rule::{Autofix, Rule, Variant};
use crate::rules::{self, RULES};
use crate::target::Severity;

use super::super::{Failure, Outcome};
use super::PrintOptions;

/// Explains the rule with this code or name.
pub fn explain_rule(asked: &str, print_options: &PrintOptions, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let rule = find_rule(asked)?;
    match print_options.json {
        true => write_pretty(&rule_json(rule), out)?,
        false => print_page(rule, &print_options.style, out)?,
    }
    Ok(Outcome::Clean)
}

fn find_rule(asked: &str) -> Result<&'static Rule, UsageError> {
    let asked = asked.trim();
    let code = Code::parse(asked);
    let named = || RULES.iter().copied().find(|rule| rule.name.eq_ignore_ascii_case(asked));
    code.and_then(rules::by_code).or_else(named).ok_or_else(|| {
        let near: Vec<String> = match code {
            Some(code) => {
                let mut near: Vec<&&Rule> = RULES.iter().collect();
                near.sort_by_key(|rule| rule.code.0.abs_diff(code.0));
                near.iter().take(3).map(|rule| format!("{} {}", rule.code, rule.name)).collect()
            }
            None => {
                let names = RULES.iter().map(|rule| rule.name).collect();
                let near = options::nearest(&asked.to_ascii_lowercase(), names, 3);
                near.into_iter().map(str::to_owned).collect()
            }
        };
        if Path::new(asked).exists() {
            let (check, error) =
                (CommandLine::new("check").on_input(asked), CommandLine::new("explain").with("--error", "-"));
            return UsageError::new(format!("'{}' is a file, not a rule", to_printable(asked)))
                .help(format!("`{check}` checks it; `{}` explains an error message", error.on_input(asked)));
        }
        UsageError::new(format!("unknown rule '{asked}'"))
            .help(format!("did you mean {}? `replaylint rules` lists all", near.join(", ")))
    })
}

fn print_page(rule: &Rule, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}\n", style_text(style, "1", &format!("{} {}", rule.code, rule.name)))?;
    write!(out, "{}", render(rule.page, style))?;
    if let Some(text) = recorded::sentence(rule.code) {
        writeln!(out, "\n{}\n", style_text(style, "1", "Recorded requests"))?;
        write!(out, "{}", wrap_text(&text, "  ", "  ", style))?;
    }
    let faults = faults_of_rule(rule.code);
    if !faults.is_empty() {
        writeln!(out, "\n{}\n", style_text(style, "1", "Clients"))?;
    }
    for fault in faults {
        write!(out, "{}", wrap_text(&fault.line(), "  - ", "    ", style))?;
    }
    writeln!(out, "\n{}", style_text(style, "1", "Messages and severity"))?;
    for (n, variant) in rule.variants.iter().enumerate() {
        writeln!(out)?;
        write!(out, "{}", wrap_text(variant.message, "  - ", "    ", style))?;
        for line in variant_lines(rule, n as u8, variant) {
            write!(out, "{}", wrap_text(&line, "    ", "      ", style))?;
        }
    }
    let links = rulebook::links(rulebook::section(rule, "Evidence"));
    if !links.is_empty() {
        writeln!(out, "\n{}\n", style_text(style, "1", "Links"))?;
        for link in links {
            writeln!(out, "  {link}")?;
        }
    }
    Ok(())
}

/// What `explain CODE` prints, as Markdown.
#[cfg(feature = "lsp")]
pub fn rule_markdown(rule: &Rule) -> String {
    let page = rule.page.lines().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n");
    let mut out = format!("# {} {}\n\n{}\n", rule.code, rule.name, page.trim());
    let mut section = |heading: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            out.push_str(&format!("\n## {heading}\n\n{}\n", lines.join("\n")));
        }
    };
    section("Recorded requests", recorded::sentence(rule.code).into_iter().collect());
    section("Clients", faults_of_rule(rule.code).iter().map(|fault| format!("- {}", fault.line())).collect());
    let variants = rule.variants.iter().enumerate().flat_map(|(n, variant)| {
        let lines = variant_lines(rule, n as u8, variant).into_iter().map(|line| format!("  - {line}"));
        std::iter::once(format!("- {}", variant.message)).chain(lines)
    });
    section("Messages and severity", variants.collect());
    let links = rulebook::links(rulebook::section(rule, "Evidence"));
    section("Links", links.iter().map(|link| format!("- <{link}>")).collect());
    out
}

/// The lines that are printed about a variant.
fn variant_lines(rule: &Rule, n: u8, variant: &Variant) -> Vec<String> {
    let mut lines = Vec::new();
    let mut add_message =
        |label: &str, template: &str| lines.push(format!("{label} (HTTP {}): {template}", variant.status));
    if let Some(api) = variant.api {
        add_message("API message", api);
    }
    variant.also.iter().for_each(|also| add_message("or", also));
    for target in rulebook::judging_targets(rule) {
        if let Some(api) = target.verdict(rule.code, n).and_then(|verdict| verdict.api) {
            add_message(&format!("message of {}", target.name), api);
        }
    }
    lines.extend(rulebook::verdict_lines(rule, n));
    lines.push(match (variant.fix, variant.autofix) {
        ("", _) => "autofix: none".to_owned(),
        (fix, when) => {
            let loss = variant.loss.term();
            let worst = rulebook::judging_targets(rule).map(|target| levels(rule, n, target));
            let is_error = worst.flat_map(|levels| [levels.stored, levels.stateless]).max().flatten()
                == Some(Severity::Error);
            let when = match when {
                Autofix::Error if is_error => "applied to errors",
                Autofix::Error | Autofix::OnRequest => "requires --fix-warnings",
                Autofix::Always => "also applied to warnings",
                Autofix::Notes => "also applied to notes",
                Autofix::Flag => "requires --acknowledge-safety",
            };
            format!("autofix ({loss}, {when}): {fix}")
        }
    });
    lines.push(format!("evidence: {}", variant.evidence.name()));
    lines
}

/// A rule as JSON.
pub fn rule_json(rule: &Rule) -> Value {
    let variants: Vec<Value> =
        rule.variants.iter().enumerate().map(|(n, v)| variant_json(rule, n as u8, v)).collect();
    json!({
        "version": 1,
        "code": rule.code.to_string(),
        "name": rule.name,
        "url": rulebook::page_url(rule.code),
        "summary": rulebook::first_sentence(rule),
        "page": rule.page.lines().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n"),
        "variants": variants,
        "clients": faults_of_rule(rule.code).into_iter().map(ClientFault::to_json).collect::<Vec<_>>(),
        "links": rulebook::links(rulebook::section(rule, "Evidence")),
    })
}

fn variant_json(rule: &Rule, n: u8, variant: &Variant) -> Value {
    let level = |level: Option<Severity>| level.map_or("off", Severity::name);
    let mut targets = Map::new();
    for target in rulebook::judging_targets(rule) {
        let levels = levels(rule, n, target);
        let mut levels_and_message = Map::new();
        levels_and_message.insert("stored".to_owned(), json!(level(levels.stored)));
        levels_and_message.insert("stateless".to_owned(), json!(level(levels.stateless)));
        if let Some(api) = target.verdict(rule.code, n).and_then(|verdict| verdict.api) {
            levels_and_message.insert("api_message".to_owned(), json!(api));
        }
        targets.insert(target.name.to_owned(), Value::Object(levels_and_message));
    }
    let when = match variant.autofix {
        Autofix::Error => "error",
        Autofix::Always => "warning",
        Autofix::Notes => "note",
        Autofix::OnRequest | Autofix::Flag => "request",
    };
    let fix = (!variant.fix.is_empty())
        .then(|| json!({ "title": variant.fix, "loss": variant.loss.name(), "when": when }));
    json!({
        "message": variant.message,
        "api_message": variant.api,
        "also": variant.also,
        "status": variant.status,
        "evidence": variant.evidence.name(),
        "fix": fix,
        "targets": targets,
    })
}
