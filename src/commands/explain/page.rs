//! `explain CODE`: the rule's page, and what the tables know of it.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::history::Code;
use crate::judge::levels;
use crate::options::{self, Misuse};
use crate::report::command_line::CommandLine;
use crate::report::page::{paint, render, wrapped};
use crate::report::words::printable;
use crate::report::{Style, rulebook, write_pretty};
use crate::rule::{Rule, Variant, When};
use crate::rules::{self, RULES};
use crate::target::Severity;

use super::super::{Failure, Outcome};
use super::Telling;

/// Explains the rule with this code or name.
pub fn page(asked: &str, telling: &Telling, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let rule = find(asked)?;
    match telling.json {
        true => write_pretty(&value(rule), out)?,
        false => text(rule, &telling.style, out)?,
    }
    Ok(Outcome::Clean)
}

fn find(asked: &str) -> Result<&'static Rule, Misuse> {
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
                (CommandLine::new("check").on(asked), CommandLine::new("explain").with("--error", "-"));
            return Misuse::new(format!("'{}' is a file, not a rule", printable(asked)))
                .help(format!("`{check}` checks it; `{}` explains an error message", error.on(asked)));
        }
        Misuse::new(format!("unknown rule '{asked}'"))
            .help(format!("did you mean {}? `replaylint rules` lists all", near.join(", ")))
    })
}

fn text(rule: &Rule, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}\n", paint(style, "1", &format!("{} {}", rule.code, rule.name)))?;
    write!(out, "{}", render(rule.page, style))?;
    writeln!(out, "\n{}", paint(style, "1", "Verdicts"))?;
    for (n, variant) in rule.variants.iter().enumerate() {
        writeln!(out)?;
        write!(out, "{}", wrapped(variant.message, "  - ", "    ", style))?;
        for line in told(rule, n as u8, variant) {
            write!(out, "{}", wrapped(&line, "    ", "      ", style))?;
        }
    }
    let links = rulebook::links(rulebook::section(rule, "Evidence"));
    if !links.is_empty() {
        writeln!(out, "\n{}\n", paint(style, "1", "Links"))?;
        for link in links {
            writeln!(out, "  {link}")?;
        }
    }
    Ok(())
}

/// What is printed about a variant, a line each.
fn told(rule: &Rule, n: u8, variant: &Variant) -> Vec<String> {
    let mut lines = Vec::new();
    let mut says = |who: &str, template: &str| lines.push(format!("{who} (HTTP {}): {template}", variant.status));
    if let Some(api) = variant.api {
        says("the API says", api);
    }
    variant.also.iter().for_each(|also| says("or", also));
    for target in rulebook::judging(rule) {
        if let Some(api) = target.verdict(rule.code, n).and_then(|verdict| verdict.api) {
            says(&format!("{} says", target.name), api);
        }
    }
    let weights = rulebook::verdicts(rule, n);
    lines.extend(weights.iter().map(|(level, targets)| format!("{level}: {}", targets.join(", "))));
    lines.push(match (variant.fix, variant.when) {
        ("", _) => "fix: none".to_owned(),
        (fix, when) => {
            let loss = variant.loss.term();
            let worst = rulebook::judging(rule).map(|target| levels(rule, n, target));
            let is_error = worst.flat_map(|levels| [levels.stored, levels.stateless]).max().flatten()
                == Some(Severity::Error);
            let when = match when {
                When::Error if is_error => "if it is an error",
                When::Error | When::Asked => "requires --fix-warnings",
                When::Always => "also if it is a warning",
                When::Flag => "requires --acknowledge-safety",
            };
            format!("fix ({loss}; {when}): {fix}")
        }
    });
    lines.push(format!("evidence: {}", variant.evidence.name()));
    lines
}

/// A rule as programs read it.
pub fn value(rule: &Rule) -> Value {
    let variants: Vec<Value> = rule.variants.iter().enumerate().map(|(n, v)| variant(rule, n as u8, v)).collect();
    json!({
        "version": 1,
        "code": rule.code.to_string(),
        "name": rule.name,
        "summary": rulebook::sentence(rule),
        "page": rule.page.lines().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n"),
        "variants": variants,
        "links": rulebook::links(rulebook::section(rule, "Evidence")),
    })
}

fn variant(rule: &Rule, n: u8, variant: &Variant) -> Value {
    let level = |level: Option<Severity>| level.map_or("off", Severity::name);
    let mut targets = Map::new();
    for target in rulebook::judging(rule) {
        let levels = levels(rule, n, target);
        let mut told = Map::new();
        told.insert("stored".to_owned(), json!(level(levels.stored)));
        told.insert("stateless".to_owned(), json!(level(levels.stateless)));
        if let Some(api) = target.verdict(rule.code, n).and_then(|verdict| verdict.api) {
            told.insert("api_message".to_owned(), json!(api));
        }
        targets.insert(target.name.to_owned(), Value::Object(told));
    }
    let when = match variant.when {
        When::Error => "error",
        When::Always => "warning",
        When::Asked | When::Flag => "request",
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
