//! `explain --error`: what a pasted error means, where in a file it comes from, and what `fix` would do there.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::options::Misuse;
use crate::place::DocId;
use crate::report::command_line::{CommandLine, filled};
use crate::report::error_place::Wanted;
use crate::report::page::{paint, render, wrapped};
use crate::report::recognise::{Recognised, Recogniser, Topic, plain};
use crate::report::words::{harmless, printable};
use crate::report::{Style, rulebook, write_pretty};
use crate::rule::Rule;
use crate::source::{Doc, Input, Opening, words};
use crate::target::Target;

use super::super::{Failure, Outcome};
use super::Telling;
use super::in_file::{InFile, look};
use super::pasted::Pasted;

/// Explains the errors that the text tells of.
pub fn error(pasted: &Pasted, telling: &Telling, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let recogniser = Recogniser::new();
    let found = recogniser.recognise(&pasted.text);
    if found.is_empty() {
        unknown(&recogniser, pasted, telling, out)?;
        return Ok(Outcome::Found);
    }
    let doc = pasted.path.as_deref().map(open).transpose()?;
    let mut values = Vec::new();
    let index = Wanted::index_in(&plain(&pasted.text));
    for (n, mut one) in found.into_iter().enumerate() {
        let wanted = Wanted { ids: one.ids(), index };
        // What is not about the history is in no file.
        let doc = doc.as_ref().filter(|_| one.topic.is_none());
        let seen = doc.map(|doc| look(doc, &one, wanted, pasted)).transpose()?;
        if let Some(seen) = &seen {
            // Of rules that share their words the one that the file breaks is meant.
            one.claims.sort_by_key(|claim| !seen.there.iter().any(|there| there.rule == claim.rule.code));
        }
        if telling.json {
            values.push(value(&one, seen.as_ref(), pasted.path.as_deref()));
            continue;
        }
        if n > 0 {
            writeln!(out)?;
        }
        tell(&one, seen.as_ref(), pasted.path.as_deref(), &telling.style, out)?;
        if let (Some(doc), Some(seen)) = (doc, &seen) {
            writeln!(out)?;
            seen.tell(doc, !one.claims.is_empty(), &telling.style, out)?;
        }
    }
    if telling.json {
        write_pretty(&json!({ "version": 1, "recognised": values }), out)?;
    }
    Ok(Outcome::Clean)
}

fn open(path: &Path) -> Result<Doc, Misuse> {
    let input = Input::File { path: path.to_owned(), named: true };
    Doc::open(DocId(0), &input, &Opening::default())
        .map_err(|error| Misuse::new(words(&path.to_string_lossy(), &error)))
}

/// Nothing proves what the message is: what it resembles.
fn unknown(recogniser: &Recogniser, pasted: &Pasted, telling: &Telling, out: &mut dyn Write) -> io::Result<()> {
    let near = recogniser.nearest(&pasted.text);
    let text = plain(&pasted.text).split_whitespace().collect::<Vec<_>>().join(" ");
    if telling.json {
        let near: Vec<Value> = near
            .iter()
            .map(|(template, claims)| {
                let rule = claims.first().map(|claim| claim.rule);
                json!({ "template": template, "rule": rule.map(|rule| rule.code.to_string()), "name": rule.map(|rule| rule.name) })
            })
            .collect();
        let said = shortened(&text);
        return write_pretty(
            &json!({ "version": 1, "api_message": said, "recognised": [], "nearest": near }),
            out,
        );
    }
    writeln!(out, "No rule matches this message.\n")?;
    write!(out, "{}", wrapped(&format!("the message says: {}", shortened(&text)), "  ", "    ", &telling.style))?;
    if !near.is_empty() {
        writeln!(out, "\nNearest:\n")?;
    }
    for (template, claims) in near {
        let line = match claims.first().map(|claim| claim.rule) {
            Some(rule) => format!("{} {}: {}", rule.code, rule.name, rulebook::sentence(rule)),
            None => format!("`{template}`, which no rule can find in a file"),
        };
        write!(out, "{}", wrapped(&line, "  ", "    ", &telling.style))?;
    }
    let check = with_file(CommandLine::new("check"), pasted.path.as_deref());
    writeln!(out, "\n`{check}` checks a history without an error message.")
}

/// The rules that claim a sentence, each once, the likeliest first.
fn rules(one: &Recognised) -> Vec<&'static Rule> {
    let mut rules: Vec<&'static Rule> = Vec::new();
    for claim in &one.claims {
        if !rules.iter().any(|rule| rule.code == claim.rule.code) {
            rules.push(claim.rule);
        }
    }
    rules
}

/// What was pasted of the provider's sentence, as far as it may be printed.
fn said(one: &Recognised) -> String {
    shortened(&one.quote)
}

/// The beginning of a text that may be long, as far as it may be printed.
fn shortened(text: &str) -> String {
    let rest = text.chars().count().saturating_sub(QUOTED);
    let start: String = text.chars().take(QUOTED).collect();
    let more = if rest > 0 { format!("… ({rest} more)") } else { String::new() };
    harmless(&start) + &more
}

/// Characters of what was pasted that are printed, at most.
const QUOTED: usize = 600;

fn tell(
    one: &Recognised,
    seen: Option<&InFile>,
    path: Option<&Path>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rules = rules(one);
    let Some(rule) = rules.first() else {
        return match one.topic {
            Some(topic) => tell_topic(one, topic, path, style, out),
            None => tell_elsewhere(one, path, style, out),
        };
    };
    writeln!(out, "{}\n", paint(style, "1", &format!("{} {}", rule.code, rule.name)))?;
    write!(out, "{}", wrapped(&format!("the API says: {}", said(one)), "  ", "    ", style))?;
    let what = rulebook::section(rule, "What it does");
    writeln!(out, "\n{}\n", paint(style, "1", "The rule"))?;
    write!(out, "{}", render(what, style))?;
    writeln!(out, "\n{}\n", paint(style, "1", "The fix"))?;
    write!(out, "{}", render(rulebook::section(rule, "Fix"), style))?;
    let mut notes = Vec::new();
    if seen.is_none() {
        let fix = CommandLine::new("fix");
        let fix = target(one).into_iter().fold(fix, |fix, target| fix.assuming("--target", target.name));
        notes.push(format!("`{fix}` shows the fix, and -w applies it."));
    }
    notes.push(format!("See `replaylint explain {}` for the whole page.", rule.code));
    if rules.len() > 1 {
        let others: Vec<String> =
            rules.iter().skip(1).map(|rule| format!("{} {}", rule.code, rule.name)).collect();
        let has = |rule: &Rule| seen.is_some_and(|seen| seen.there.iter().any(|there| there.rule == rule.code));
        let found: Vec<String> = rules.iter().filter(|rule| has(rule)).map(|rule| rule.code.to_string()).collect();
        let here = match (seen.is_some(), found.is_empty()) {
            (false, _) => String::new(),
            (true, true) => " None of them is found in this file.".to_owned(),
            (true, false) => format!(" In this file it is {}.", found.join(" and ")),
        };
        notes.push(format!("The same message is used for {}.{here}", others.join(", ")));
    }
    writeln!(out)?;
    write!(out, "{}", wrapped(&notes.join(" "), "", "", style))
}

fn tell_elsewhere(one: &Recognised, path: Option<&Path>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}\n", paint(style, "1", "A known error that no rule can find in a file"))?;
    write!(out, "{}", wrapped(&format!("the API says: {}", said(one)), "  ", "    ", style))?;
    if let Some(elsewhere) = one.elsewhere {
        write!(out, "{}", wrapped(&format!("because {}", elsewhere.because), "  ", "    ", style))?;
        let remedy = for_file(elsewhere.remedy, one, path);
        write!(out, "{}", wrapped(&format!("remedy: {remedy}"), "  ", "    ", style))?;
    }
    Ok(())
}

/// What is not about the history: what it is, and what to do next.
fn tell_topic(
    one: &Recognised,
    topic: &Topic,
    path: Option<&Path>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}\n", paint(style, "1", &format!("Not a problem of the history: {}", topic.name)))?;
    write!(out, "{}", wrapped(&format!("the message says: {}", said(one)), "  ", "    ", style))?;
    write!(out, "{}", wrapped(&format!("which means that {}", topic.what), "  ", "    ", style))?;
    write!(out, "{}", wrapped(&format!("next: {}", for_file(topic.next, one, path)), "  ", "    ", style))
}

/// A remedy with the file that was named in its commands.
fn for_file<'r>(remedy: &'r str, one: &Recognised, path: Option<&Path>) -> Cow<'r, str> {
    match path {
        Some(path) => filled(remedy, &path.to_string_lossy(), target(one).map_or("", |target| target.name)),
        None => Cow::Borrowed(remedy),
    }
}

/// A command on the file that was named.
fn with_file(line: CommandLine, path: Option<&Path>) -> CommandLine {
    match path {
        Some(path) => line.on(&path.to_string_lossy()),
        None => line,
    }
}

/// The target whose words these are, if no other says so.
fn target(one: &Recognised) -> Option<&'static Target> {
    one.claims.first().and_then(|claim| claim.target)
}

fn value(one: &Recognised, seen: Option<&InFile>, path: Option<&Path>) -> Value {
    let mut value = Map::new();
    let mut set = |key: &str, member: Value| value.insert(key.to_owned(), member);
    let rules = rules(one);
    let rule = |rule: &&'static Rule| json!({ "code": rule.code.to_string(), "name": rule.name });
    set("rule", rules.first().map_or(Value::Null, |rule| json!(rule.code.to_string())));
    set("name", rules.first().map_or(Value::Null, |rule| json!(rule.name)));
    set("api_message", json!(said(one)));
    set("template", json!(one.template));
    let captures: Map<String, Value> =
        one.captures.iter().map(|(name, text)| (name.clone(), json!(printable(text)))).collect();
    set("captures", Value::Object(captures));
    set("target", json!(target(one).map(|target| target.name)));
    set("also", rules.iter().skip(1).map(rule).collect());
    set("topic", json!(one.topic.map(|topic| topic.name)));
    let (because, remedy) = match (rules.first(), one.elsewhere, one.topic) {
        (Some(rule), ..) => {
            let fix = rulebook::section(rule, "Fix").split_whitespace().collect::<Vec<_>>().join(" ");
            (Some(rulebook::sentence(rule).to_owned()), fix)
        }
        (None, Some(elsewhere), _) => {
            (Some(elsewhere.because.to_owned()), for_file(elsewhere.remedy, one, path).into_owned())
        }
        (None, None, Some(topic)) => (Some(topic.what.to_owned()), for_file(topic.next, one, path).into_owned()),
        (None, None, None) => (None, String::new()),
    };
    set("remedy", json!(remedy));
    set("because", json!(because));
    set("in_file", seen.map_or(Value::Null, InFile::value));
    Value::Object(value)
}
