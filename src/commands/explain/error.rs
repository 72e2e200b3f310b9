//! `explain --error`: what an error message means, where in a file it comes from, and how to fix it.

use std::io::{self, Write};
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::options::UsageError;
use crate::place::DocId;
use crate::report::command_line::{CommandLine, fill_commands};
use crate::report::error_place::ErrorReference;
use crate::report::recognise::{OtherError, RecognisedError, Recogniser, Topic, unescape};
use crate::report::request_path::RequestPath;
use crate::report::rule_page::{render, style_text, wrap_text};
use crate::report::words::{replace_hidden, to_printable};
use crate::report::{Style, rulebook, write_pretty};
use crate::rule::Rule;
use crate::source::{Doc, Input, InputOptions, describe_error};
use crate::target::Target;

use super::super::{Failure, Outcome};
use super::PrintOptions;
use super::error_search::find_in_file;
use super::file_evidence::FileEvidence;
use super::pasted_error::PastedError;
use super::repair_command::can_rebuild;

/// Explains the errors in the text.
pub fn explain_error(
    pasted: &PastedError,
    print_options: &PrintOptions,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let recogniser = Recogniser::shared();
    let found = recogniser.recognise(&pasted.text);
    if found.is_empty() {
        print_unrecognised(recogniser, pasted, print_options, out)?;
        return Ok(Outcome::Found);
    }
    let doc = pasted.path.as_deref().map(open).transpose()?;
    let mut values = Vec::new();
    let path = RequestPath::find(&unescape(&pasted.text));
    for (n, mut one) in found.into_iter().enumerate() {
        let wanted = ErrorReference { ids: one.ids(), path: path.clone() };
        // An error that is not about the conversation has no place in the file.
        let doc = doc.as_ref().filter(|_| one.topic.is_none());
        let seen = doc.map(|doc| find_in_file(doc, &one, wanted, pasted)).transpose()?;
        let remedy = remedy_of(&one, pasted)?;
        if let Some(seen) = &seen {
            // Of rules with the same message, the one that the file violates comes first.
            one.claims.sort_by_key(|claim| !seen.diagnostics.iter().any(|there| there.rule == claim.rule.code));
        }
        if print_options.json {
            values.push(to_json(&one, seen.as_ref(), &remedy));
            continue;
        }
        if n > 0 {
            writeln!(out)?;
        }
        print_explanation(&one, seen.as_ref(), &remedy, &print_options.style, out)?;
        if let (Some(doc), Some(seen)) = (doc, &seen) {
            writeln!(out)?;
            seen.print(doc, !one.claims.is_empty(), &print_options.style, out)?;
        }
    }
    if print_options.json {
        write_pretty(&json!({ "version": 1, "recognised": values }), out)?;
    }
    Ok(Outcome::Clean)
}

fn open(path: &Path) -> Result<Doc, UsageError> {
    let input = Input::File { path: path.to_owned(), named: true };
    Doc::open(DocId(0), &input, &InputOptions::default())
        .map_err(|error| UsageError::new(describe_error(&path.to_string_lossy(), &error)))
}

/// Prints the known messages that an unrecognised one resembles.
fn print_unrecognised(
    recogniser: &Recogniser,
    pasted: &PastedError,
    print_options: &PrintOptions,
    out: &mut dyn Write,
) -> io::Result<()> {
    let near = recogniser.nearest(&pasted.text);
    let vague = recogniser.vague(&pasted.text);
    let text = unescape(&pasted.text).split_whitespace().collect::<Vec<_>>().join(" ");
    if print_options.json {
        let near: Vec<Value> = near
            .iter()
            .map(|(template, claims)| {
                let rule = claims.first().map(|claim| claim.rule);
                json!({ "template": template, "rule": rule.map(|rule| rule.code.to_string()), "name": rule.map(|rule| rule.name) })
            })
            .collect();
        let said = shorten(&text);
        return write_pretty(
            &json!({ "version": 1, "api_message": said, "recognised": [], "nearest": near, "hint": vague.map(|vague| vague.hint) }),
            out,
        );
    }
    writeln!(out, "No rule matches this message.\n")?;
    write!(out, "{}", wrap_text(&format!("message: {}", shorten(&text)), "  ", "    ", &print_options.style))?;
    if !near.is_empty() {
        writeln!(out, "\nNearest:\n")?;
    }
    for (template, claims) in near {
        let line = match claims.first().map(|claim| claim.rule) {
            Some(rule) => format!("{} {}: {}", rule.code, rule.name, rulebook::first_sentence(rule)),
            None => format!("`{template}`, which no rule can detect in a file"),
        };
        write!(out, "{}", wrap_text(&line, "  ", "    ", &print_options.style))?;
    }
    if let Some(vague) = vague {
        write!(
            out,
            "\n{}",
            wrap_text(&format!("It does not say what is wrong: {}", vague.hint), "", "", &print_options.style)
        )?;
    }
    let check = with_file(CommandLine::new("check"), pasted.path.as_deref());
    let hint = format!("Run `{check}` to check a conversation without an error message.");
    write!(out, "\n{}", wrap_text(&hint, "", "", &print_options.style))
}

/// The rules that an error may come from, each once, the likeliest first.
fn claiming_rules(one: &RecognisedError) -> Vec<&'static Rule> {
    let mut rules: Vec<&'static Rule> = Vec::new();
    for claim in &one.claims {
        if !rules.iter().any(|rule| rule.code == claim.rule.code) {
            rules.push(claim.rule);
        }
    }
    rules
}

/// The provider's sentence from the pasted text, masked for printing.
fn quote(one: &RecognisedError) -> String {
    shorten(&one.quote)
}

/// The beginning of a text, masked for printing.
fn shorten(text: &str) -> String {
    let rest = text.chars().count().saturating_sub(MAX_QUOTED_CHARS);
    let start: String = text.chars().take(MAX_QUOTED_CHARS).collect();
    let more = if rest > 0 { format!("… ({rest} more)") } else { String::new() };
    replace_hidden(&start) + &more
}

/// Maximum number of characters of the pasted text that are printed.
const MAX_QUOTED_CHARS: usize = 600;

fn print_explanation(
    one: &RecognisedError,
    seen: Option<&FileEvidence>,
    remedy: &str,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rules = claiming_rules(one);
    let Some(rule) = rules.first() else {
        return match one.topic {
            Some(topic) => print_topic(one, topic, remedy, style, out),
            None => print_unfindable(one, remedy, style, out),
        };
    };
    writeln!(out, "{}\n", style_text(style, "1", &format!("{} {}", rule.code, rule.name)))?;
    write!(out, "{}", wrap_text(&format!("API message: {}", quote(one)), "  ", "    ", style))?;
    let what = rulebook::section(rule, "What it does");
    writeln!(out, "\n{}\n", style_text(style, "1", "The rule"))?;
    write!(out, "{}", render(what, style))?;
    writeln!(out, "\n{}\n", style_text(style, "1", "The fix"))?;
    write!(out, "{}", render(rulebook::section(rule, "Fix"), style))?;
    let mut notes = Vec::new();
    let has_fix = rule.variants.iter().any(|variant| !variant.fix.is_empty());
    if seen.is_none() && has_fix {
        let fix = CommandLine::new("fix");
        let fix =
            claimed_target(one).into_iter().fold(fix, |fix, target| fix.with_default("--target", target.name));
        notes.push(format!("Preview the fix with `{fix}`; -w applies it."));
    }
    notes.push(format!("Run `replaylint explain {}` for the full rule page.", rule.code));
    if rules.len() > 1 {
        let others: Vec<String> =
            rules.iter().skip(1).map(|rule| format!("{} {}", rule.code, rule.name)).collect();
        let has =
            |rule: &Rule| seen.is_some_and(|seen| seen.diagnostics.iter().any(|there| there.rule == rule.code));
        let found: Vec<String> = rules.iter().filter(|rule| has(rule)).map(|rule| rule.code.to_string()).collect();
        let here = match (seen.is_some(), found.is_empty()) {
            (false, _) => String::new(),
            (true, true) => " None of these rules applies to this file.".to_owned(),
            (true, false) => format!(" In this file it comes from {}.", found.join(" and ")),
        };
        notes.push(format!("The same message is used for: {}.{here}", others.join(", ")));
    }
    writeln!(out)?;
    write!(out, "{}", wrap_text(&notes.join(" "), "", "", style))
}

fn print_unfindable(one: &RecognisedError, remedy: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}\n", style_text(style, "1", "A known error that no rule can detect in a file"))?;
    write!(out, "{}", wrap_text(&format!("API message: {}", quote(one)), "  ", "    ", style))?;
    if let Some(elsewhere) = one.other_error {
        write!(out, "{}", wrap_text(&format!("cause: {}", elsewhere.cause), "  ", "    ", style))?;
        write!(out, "{}", wrap_text(&format!("remedy: {remedy}"), "  ", "    ", style))?;
    }
    Ok(())
}

/// Prints an error that is not about the conversation, and the next step.
fn print_topic(
    one: &RecognisedError,
    topic: &Topic,
    remedy: &str,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let kind =
        if topic.is_of_history { "About the whole conversation" } else { "Not an error of the conversation" };
    writeln!(out, "{}\n", style_text(style, "1", &format!("{kind}: {}", topic.name)))?;
    write!(out, "{}", wrap_text(&format!("message: {}", quote(one)), "  ", "    ", style))?;
    write!(out, "{}", wrap_text(&format!("meaning: {}", topic.description), "  ", "    ", style))?;
    write!(out, "{}", wrap_text(&format!("next: {remedy}"), "  ", "    ", style))
}

/// What to do about an error that no rule finds, with the given file in its commands. Empty for the error of a rule. A
/// command that repairs the file is reported with the evidence, if it helps.
fn remedy_of(one: &RecognisedError, pasted: &PastedError) -> io::Result<String> {
    let with_command = |remedy: &str, command: &str, what: &str, by_node: bool| -> io::Result<String> {
        let command = &one.fill(command);
        let is_offered = match &pasted.path {
            None => true,
            // That a topic is about what the file holds is not known before the command runs.
            Some(_) if command.starts_with("replaylint fix ") => one.topic.is_some(),
            Some(path) if command.starts_with("replaylint rebuild ") => can_rebuild(path, &pasted.lints, by_node)?,
            Some(_) => true,
        };
        Ok(match (is_offered, what) {
            (false, _) => remedy.to_owned(),
            (true, "") => format!("{remedy}: `{command}`"),
            (true, what) => format!("{remedy} `{command}` {what}."),
        })
    };
    let text = match (one.other_error, one.topic) {
        (Some(OtherError { remedy, command: Some(command), .. }), _) => with_command(remedy, command, "", false)?,
        (Some(elsewhere), _) => one.fill(elsewhere.remedy),
        (None, Some(Topic { advice, command: Some((command, what)), .. })) => {
            with_command(advice, command, what, true)?
        }
        (None, Some(topic)) => topic.advice.to_owned(),
        (None, None) => String::new(),
    };
    Ok(match &pasted.path {
        Some(path) => {
            let target = claimed_target(one).map_or("", |target| target.name);
            fill_commands(&text, &path.to_string_lossy(), target).into_owned()
        }
        None => text,
    })
}

/// A command on the given file.
fn with_file(line: CommandLine, path: Option<&Path>) -> CommandLine {
    match path {
        Some(path) => line.on_input(&path.to_string_lossy()),
        None => line,
    }
}

/// The target that uses this message, if it is the only one.
fn claimed_target(one: &RecognisedError) -> Option<&'static Target> {
    one.claims.first().and_then(|claim| claim.target)
}

fn to_json(one: &RecognisedError, seen: Option<&FileEvidence>, remedy: &str) -> Value {
    let mut value = Map::new();
    let mut set = |key: &str, member: Value| value.insert(key.to_owned(), member);
    let rules = claiming_rules(one);
    let rule = |rule: &&'static Rule| json!({ "code": rule.code.to_string(), "name": rule.name });
    set("rule", rules.first().map_or(Value::Null, |rule| json!(rule.code.to_string())));
    set("name", rules.first().map_or(Value::Null, |rule| json!(rule.name)));
    set("api_message", json!(quote(one)));
    set("template", json!(one.template));
    let captures: Map<String, Value> =
        one.captures.iter().map(|(name, text)| (name.clone(), json!(to_printable(text)))).collect();
    set("captures", Value::Object(captures));
    set("target", json!(claimed_target(one).map(|target| target.name)));
    set("also", rules.iter().skip(1).map(rule).collect());
    set("topic", json!(one.topic.map(|topic| topic.name)));
    let (because, remedy) = match (rules.first(), one.other_error, one.topic) {
        (Some(rule), ..) => {
            let fix = rulebook::section(rule, "Fix").split_whitespace().collect::<Vec<_>>().join(" ");
            (Some(rulebook::first_sentence(rule)), fix)
        }
        (None, Some(elsewhere), _) => (Some(elsewhere.cause.to_owned()), remedy.to_owned()),
        (None, None, topic) => (topic.map(|topic| topic.description.to_owned()), remedy.to_owned()),
    };
    set("remedy", json!(remedy));
    set("because", json!(because));
    set("in_file", seen.map_or(Value::Null, FileEvidence::to_json));
    Value::Object(value)
}
