//! `targets NAME`: what one target accepts and rejects, as text or JSON.

use std::io::Write;

use serde_json::{Value, json};

use crate::judge::levels;
use crate::report::rule_page::wrap_text;
use crate::report::{rulebook, write_pretty};
use crate::rules::RULES;
use crate::target::{Levels, Severity, Target, Thinking, Trait, Traits};
use crate::targets;

use super::explain::PrintOptions;
use super::{Failure, Outcome};

/// Prints a target.
pub fn print(
    target: &'static Target,
    print_options: &PrintOptions,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    if print_options.json {
        write_pretty(&as_json(target), out)?;
        return Ok(Outcome::Clean);
    }
    let style = &print_options.style;
    write!(out, "{}", wrap_text(&format!("{}: {}", target.name, target.title), "", "  ", style))?;
    for (heading, paragraphs) in sections(target) {
        if paragraphs.is_empty() {
            continue;
        }
        writeln!(out, "\n{heading}")?;
        for text in paragraphs {
            write!(out, "{}", wrap_text(&text, "  ", "    ", style))?;
        }
    }
    Ok(Outcome::Clean)
}

/// A heading, and the paragraphs below it.
type Section = (&'static str, Vec<String>);

/// The sections of a target's page, in their order; empty ones are not printed.
fn sections(target: &'static Target) -> Vec<Section> {
    vec![
        ("Requests", requests(target)),
        ("Requirements", requirements(target)),
        ("Severities that differ from the rules' defaults", verdict_lines(target)),
        ("Evidence", vec![target.evidence.to_owned()]),
    ]
}

fn requests(target: &'static Target) -> Vec<String> {
    let stores = if target.store { "stores items unless the request says otherwise" } else { "stores no items" };
    let aliases: Vec<&str> = targets::aliases(target.name).collect();
    let mut all = vec![format!("dialect: {}", target.dialect), format!("storage: the server {stores}")];
    if !aliases.is_empty() {
        all.push(format!("other names: {}", aliases.join(", ")));
    }
    all
}

/// Rows of a table by model that have the same value: the patterns of the models, and the value.
fn by_value<T: Copy + PartialEq>(rows: &'static [(&'static str, T)]) -> Vec<(Vec<&'static str>, T)> {
    let mut all: Vec<(Vec<&'static str>, T)> = Vec::new();
    for (pattern, value) in rows {
        match all.iter_mut().find(|(_, other)| other == value) {
            Some((patterns, _)) => patterns.push(pattern),
            None => all.push((vec![pattern], *value)),
        }
    }
    all
}

/// Patterns of models in words; empty for all models.
fn models_in_words(patterns: &[&str]) -> String {
    if patterns.contains(&"") {
        return String::new();
    }
    let name = |pattern: &&str| match pattern.strip_suffix('$') {
        Some(whole) => whole.to_owned(),
        None => format!("{pattern}…"),
    };
    format!("{}: ", patterns.iter().map(name).collect::<Vec<_>>().join(", "))
}

fn thinking_in_words(thinking: Thinking) -> &'static str {
    match thinking {
        Thinking::Never => "Does not accept reasoning.",
        Thinking::ByDefault => "Reasons unless the request disables it.",
        Thinking::OnRequest => "Reasons only if the request enables it.",
        Thinking::Unknown => "It is not known whether it reasons.",
    }
}

fn descriptions(traits: Traits) -> Vec<&'static str> {
    traits.iter().map(Trait::description).collect()
}

/// What the API and its models require or reject.
fn requirements(target: &'static Target) -> Vec<String> {
    let of_traits = by_value(target.traits)
        .into_iter()
        .map(|(patterns, traits)| (models_in_words(&patterns), descriptions(traits).join(" ")));
    let of_thinking = by_value(target.models)
        .into_iter()
        .map(|(patterns, thinking)| (models_in_words(&patterns), thinking_in_words(thinking).to_owned()));
    let all = of_traits.chain(of_thinking).filter(|(_, text)| !text.is_empty());
    all.map(|(models, text)| format!("{models}{text}")).collect()
}

/// A severity, or a sentence, that a target has and the rule has not.
struct Deviation {
    code: String,
    name: &'static str,
    /// The message of the first variant that has it.
    message: &'static str,
    levels: Levels,
    sentence: Option<&'static str>,
}

impl Deviation {
    /// A line for it; with the message if the rule has several.
    fn text(&self, is_only: bool) -> String {
        let sentence = self.sentence.map(|sentence| format!(": {sentence}")).unwrap_or_default();
        let which = if is_only { String::new() } else { format!(" ({})", without_placeholders(self.message)) };
        format!("{} {}: {}{which}{sentence}", self.code, self.name, rulebook::level_words(self.levels))
    }
}

/// A template with dots for what its placeholders stand for.
fn without_placeholders(template: &str) -> String {
    let mut parts = template.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + "…" + part.split_once('}').map_or(part, |(_, after)| after))
}

/// The verdicts in words.
fn verdict_lines(target: &'static Target) -> Vec<String> {
    let all = verdicts(target);
    let is_only = |own: &Deviation| all.iter().filter(|other| other.code == own.code).count() == 1;
    all.iter().map(|own| own.text(is_only(own))).collect()
}

/// The target's verdicts that differ from the defaults of the rules. Variants of a rule with the same one are one.
fn verdicts(target: &'static Target) -> Vec<Deviation> {
    let mut all: Vec<Deviation> = Vec::new();
    for rule in RULES.iter().filter(|rule| rule.judges(target.dialect)) {
        for (n, variant) in rule.variants.iter().enumerate() {
            let levels = levels(rule, n as u8, target);
            let verdict = target.verdict(rule.code, n as u8);
            let sentence = verdict.and_then(|verdict| verdict.api).filter(|api| !api.is_empty());
            let sentence = sentence.filter(|api| Some(*api) != variant.api && levels != Levels::OFF);
            if levels == variant.levels && sentence.is_none() {
                continue;
            }
            let (code, name, message) = (rule.code.to_string(), rule.name, variant.message);
            let deviation = Deviation { code, name, message, levels, sentence };
            let is_same = |other: &Deviation| {
                other.code == deviation.code && other.levels == levels && other.sentence == sentence
            };
            if !all.iter().any(is_same) {
                all.push(deviation);
            }
        }
    }
    all
}

fn as_json(target: &'static Target) -> Value {
    let level = |level: Option<Severity>| level.map_or("off", Severity::name);
    let verdict = |deviation: &Deviation| {
        json!({
            "code": deviation.code,
            "name": deviation.name,
            "message": deviation.message,
            "severity": { "stored": level(deviation.levels.stored), "stateless": level(deviation.levels.stateless) },
            "api_message": deviation.sentence,
        })
    };
    let models = |patterns: &[&str]| match patterns.contains(&"") {
        true => Value::Null,
        false => json!(patterns),
    };
    let of_traits = by_value(target.traits)
        .into_iter()
        .map(|(patterns, traits)| json!({ "models": models(&patterns), "requirements": descriptions(traits) }));
    let of_thinking = by_value(target.models).into_iter().map(|(patterns, thinking)| {
        json!({ "models": models(&patterns), "requirements": [thinking_in_words(thinking)] })
    });
    json!({
        "version": 1,
        "name": target.name,
        "aliases": targets::aliases(target.name).collect::<Vec<_>>(),
        "title": target.title,
        "dialect": target.dialect,
        "store": target.store,
        "requirements": of_traits.chain(of_thinking).collect::<Vec<_>>(),
        "verdicts": verdicts(target).iter().map(verdict).collect::<Vec<_>>(),
        "evidence": target.evidence,
    })
}
