//! `explain --error`: what a pasted error means, where in a file it comes from, and what `fix` would do there.

use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::lint::{self, DocLint, Options};
use crate::options::{Lints, Misuse};
use crate::place::DocId;
use crate::report::page::{paint, render, wrapped};
use crate::report::recognise::{Recognised, Recogniser, plain};
use crate::report::seek::{Named, Seek, Wanted, named};
use crate::report::words::{fill, printable};
use crate::report::{
    self, Content, Diagnostic, Report, Style, diagnose, diagnostic_value, rulebook, write_pretty,
};
use crate::rule::Rule;
use crate::source::{Doc, Input, words};
use crate::target::{Severity, Target};

use super::super::{Failure, Outcome};
use super::Telling;

/// An error that was pasted, and the file that it is said of.
pub struct Pasted {
    pub text: String,
    pub path: Option<PathBuf>,
    pub lints: Lints,
    pub content: Content,
}

/// Explains the errors that the text tells of.
pub fn error(pasted: &Pasted, telling: &Telling, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let recogniser = Recogniser::new();
    let found = recogniser.recognise(&pasted.text);
    if found.is_empty() {
        unknown(&recogniser, pasted, telling, out)?;
        return Ok(Outcome::Found);
    }
    let doc = pasted.path.as_ref().map(open).transpose()?;
    let mut values = Vec::new();
    for (n, one) in found.iter().enumerate() {
        let index = Wanted::index_in(&plain(&pasted.text));
        let wanted = Wanted { ids: one.ids(), index };
        let seen = doc.as_ref().map(|doc| look(doc, one, &wanted, pasted)).transpose()?;
        if telling.json {
            values.push(value(one, seen.as_ref()));
            continue;
        }
        if n > 0 {
            writeln!(out)?;
        }
        tell(one, doc.is_some(), &telling.style, out)?;
        if let (Some(doc), Some(seen)) = (&doc, &seen) {
            writeln!(out)?;
            seen.tell(doc, &wanted, &telling.style, out)?;
        }
    }
    if telling.json {
        write_pretty(&json!({ "version": 1, "recognised": values }), out)?;
    }
    Ok(Outcome::Clean)
}

fn open(path: &PathBuf) -> Result<Doc, Misuse> {
    let input = Input::File { path: path.clone(), named: true };
    Doc::open(DocId(0), &input, None).map_err(|error| Misuse::new(words(&path.display(), &error)))
}

/// Nobody knows the message: what comes nearest.
fn unknown(recogniser: &Recogniser, pasted: &Pasted, telling: &Telling, out: &mut dyn Write) -> io::Result<()> {
    let near = recogniser.nearest(&pasted.text);
    let code = |claims: &[report::recognise::Claim]| claims.first().map(|claim| claim.rule.code.to_string());
    if telling.json {
        let near: Vec<Value> = near
            .iter()
            .map(|(template, claims)| json!({ "api_message": template, "rule": code(claims) }))
            .collect();
        return write_pretty(&json!({ "version": 1, "recognised": [], "nearest": near }), out);
    }
    writeln!(out, "No rule knows this message.")?;
    if !near.is_empty() {
        writeln!(out, "Nearest:\n")?;
    }
    for (template, claims) in near {
        let code = code(&claims).map(|code| format!("{code}  ")).unwrap_or_default();
        write!(out, "{}", wrapped(&format!("{code}{template}"), "  ", "         ", &telling.style))?;
    }
    writeln!(out, "\n`replaylint check FILE` finds what is wrong with a history without its error.")
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

/// The provider's sentence with what was pasted in it, as far as it may be printed.
fn said(one: &Recognised) -> String {
    let of = |name: &str| {
        let found = one.captures.iter().find(|(known, _)| known == name);
        found.map(|(_, text)| printable(text))
    };
    fill(one.template, &|name| of(name).or_else(|| Some("…".to_owned()).filter(|_| !name.starts_with("partner_"))))
        .unwrap_or_else(|| one.template.to_owned())
}

fn tell(one: &Recognised, with_file: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let rules = rules(one);
    let Some(rule) = rules.first() else {
        return tell_elsewhere(one, style, out);
    };
    writeln!(out, "{}\n", paint(style, "1", &format!("{} {}", rule.code, rule.name)))?;
    write!(out, "{}", wrapped(&format!("the API says: {}", said(one)), "  ", "    ", style))?;
    let what = rulebook::section(rule, "What it does");
    writeln!(out, "\n{}\n", paint(style, "1", "The rule"))?;
    write!(out, "{}", render(what, style))?;
    writeln!(out, "\n{}\n", paint(style, "1", "What heals it"))?;
    write!(out, "{}", render(rulebook::section(rule, "Fix"), style))?;
    let mut notes = Vec::new();
    if !with_file {
        notes.push(format!("`replaylint fix{} FILE` shows the repair, and -w makes it.", flag(target(one))));
    }
    notes.push(format!("`replaylint explain {}` tells the rest.", rule.code));
    if rules.len() > 1 {
        let others: Vec<String> = rules[1..].iter().map(|rule| format!("{} {}", rule.code, rule.name)).collect();
        notes.push(format!("The same words are used for {}.", others.join(", ")));
    }
    writeln!(out)?;
    write!(out, "{}", wrapped(&notes.join(" "), "", "", style))
}

fn tell_elsewhere(one: &Recognised, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}\n", paint(style, "1", "Known, and nothing that a rule finds in a history"))?;
    write!(out, "{}", wrapped(&format!("the API says: {}", said(one)), "  ", "    ", style))?;
    if let Some(elsewhere) = one.elsewhere {
        write!(out, "{}", wrapped(&format!("because {}", elsewhere.because), "  ", "    ", style))?;
        write!(out, "{}", wrapped(&format!("remedy: {}", elsewhere.remedy), "  ", "    ", style))?;
    }
    Ok(())
}

/// The target whose words these are, if no other says so.
fn target(one: &Recognised) -> Option<&'static Target> {
    one.claims.first().and_then(|claim| claim.target)
}

fn flag(target: Option<&Target>) -> String {
    target.map(|target| format!(" --target {}", target.name)).unwrap_or_default()
}

/// What a file shows of an error.
struct Seen {
    /// Items that the error names.
    named: Vec<Named>,
    /// What the claimed rules find at them, or anywhere if the error names none.
    there: Vec<Diagnostic>,
    /// Other errors at them.
    others: Vec<Diagnostic>,
    /// What the claimed rules find at other items.
    away: usize,
    /// What had to be assumed for the rule to find it.
    assumed: Option<String>,
    conversation: bool,
}

/// Looks for what the error names. If check finds nothing there as the file stands, then for the servers that do say so.
fn look(doc: &Doc, one: &Recognised, wanted: &Wanted, pasted: &Pasted) -> Result<Seen, Failure> {
    let own = pasted.lints.of(&doc.label);
    let first = try_look(doc, one, wanted, own, pasted.content)?;
    if !first.there.is_empty() || one.claims.is_empty() {
        return Ok(first);
    }
    let targets = target(one).into_iter().chain(own.target).map(Some).chain([None]);
    for target in targets {
        for store in [None, Some(false), Some(true)] {
            // What the user said holds.
            let free = (own.target.is_none() || target.is_none()) && (own.store.is_none() || store.is_none());
            if !free || target.is_none() && store.is_none() {
                continue;
            }
            let options = assume(own, target, store);
            let mut seen = try_look(doc, one, wanted, &options, pasted.content)?;
            if !seen.there.is_empty() {
                let store = store.map(|store| format!(" --store {store}")).unwrap_or_default();
                seen.assumed = Some(format!("{}{store}", flag(target)));
                return Ok(seen);
            }
        }
    }
    Ok(first)
}

/// The user's options with something assumed.
fn assume(own: &Options, target: Option<&'static Target>, store: Option<bool>) -> Options {
    Options {
        format: own.format,
        target: target.or(own.target),
        store: store.or(own.store),
        usage: own.usage,
        model: own.model.clone(),
        effort: own.effort,
        pointer: own.pointer.clone(),
        newest_first: own.newest_first,
        max_record: own.max_record,
        ..Options::default()
    }
}

fn try_look(
    doc: &Doc,
    one: &Recognised,
    wanted: &Wanted,
    options: &Options,
    content: Content,
) -> io::Result<Seen> {
    let lint: DocLint<_> = lint::lint(doc.id, &*doc.bytes, options, 1, &Seek::new(wanted))?;
    let named = named(doc.id, &*doc.bytes, &lint, wanted)?;
    let diagnostics = diagnose(doc.id, &doc.label, &*doc.bytes, &lint, content)?;
    let claimed = rules(one);
    let (mut there, mut others, mut away) = (Vec::new(), Vec::new(), 0);
    let conversation = lint.format.is_some();
    for (judged, diagnostic) in lint.judged.iter().zip(diagnostics) {
        let finding = &judged.finding;
        let here =
            named.iter().any(|named| named.row.at == finding.row.at || finding.partner == Some(named.row.at));
        let is_claimed = claimed.iter().any(|rule| rule.code == finding.code);
        match (is_claimed, here || wanted.is_empty()) {
            (true, true) => there.push(diagnostic),
            (true, false) => away += 1,
            (false, true) if !wanted.is_empty() && judged.severity > Severity::Info => others.push(diagnostic),
            (false, _) => {}
        }
    }
    Ok(Seen { named, there, others, away, assumed: None, conversation })
}

/// Places that are listed before the rest is only counted.
const LISTED: usize = 5;

impl Seen {
    fn tell(&self, doc: &Doc, wanted: &Wanted, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}\n", paint(style, "1", &format!("In {}", doc.label)))?;
        if !self.there.is_empty() {
            print(&self.there, style, out)?;
            let flags = self.assumed.as_deref().unwrap_or_default();
            let line = format!("`replaylint fix{flags} {}` shows the repair, and -w makes it.", doc.label);
            return write!(out, "{}", wrapped(&line, "", "", style));
        }
        for named in self.named.iter().take(LISTED) {
            let spot = &named.spot;
            let place = format!("{}:{}:{}", doc.label, spot.line, spot.column);
            let record = format!("record {}", named.row.record + 1);
            let pointer = if spot.pointer.is_empty() { record } else { spot.pointers() };
            write!(out, "{}", wrapped(&format!("{place}: {} ({pointer})", named.name), "  ", "    ", style))?;
        }
        if self.named.len() > LISTED {
            writeln!(out, "  … and {} more", self.named.len() - LISTED)?;
        }
        write!(out, "{}", wrapped(&self.why_not(wanted), "  ", "  ", style))?;
        if !self.others.is_empty() {
            writeln!(out)?;
            print(&self.others, style, out)?;
        }
        Ok(())
    }

    /// Why there is no diagnostic to show.
    fn why_not(&self, wanted: &Wanted) -> String {
        if !self.conversation {
            return "This is no conversation that is recognised: `replaylint check` says what was looked for."
                .to_owned();
        }
        let elsewhere = match self.away {
            0 => String::new(),
            n => format!(" Elsewhere the rule finds {}.", report::words::count(n as u64, "fault")),
        };
        let name = match (&wanted.ids[..], wanted.index) {
            ([], None) => return "`replaylint check` does not find this broken here.".to_owned(),
            ([], Some((list, index))) => format!("is {list}[{index}]"),
            (ids, _) => {
                format!("has the id {}", ids.iter().map(|id| printable(id)).collect::<Vec<_>>().join(" or "))
            }
        };
        match (self.named.is_empty(), self.others.is_empty()) {
            (true, _) => {
                format!("No item of this file {name}: this may not be the history that was sent.{elsewhere}")
            }
            (false, true) => format!(
                "`replaylint check` does not find this broken. The server may know what the file does not show, or \
                 another state of the file was sent.{elsewhere}"
            ),
            (false, false) => format!("`replaylint check` does not find this broken, but:{elsewhere}"),
        }
    }

    fn value(&self) -> Value {
        let named = |named: &Named| {
            json!({
                "name": named.name,
                "history": named.history,
                "index": named.index,
                "record": named.row.record + 1,
                "line": named.spot.line,
                "column": named.spot.column,
                "span": { "start": named.spot.span.0, "end": named.spot.span.1 },
                "pointer": named.spot.pointer,
            })
        };
        let list = |list: &[Diagnostic]| list.iter().map(diagnostic_value).collect::<Vec<_>>();
        json!({
            "items": self.named.iter().map(named).collect::<Vec<_>>(),
            "diagnostics": list(&self.there),
            "others": list(&self.others),
            "assumed": self.assumed.as_deref().map(str::trim),
        })
    }
}

fn print(diagnostics: &[Diagnostic], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut sheet: Box<dyn Report> = (report::OUTPUTS[0].1)(Style { info: true, limit: Some(LISTED), ..*style });
    sheet.diagnostics(diagnostics, out)
}

fn value(one: &Recognised, seen: Option<&Seen>) -> Value {
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
    let remedy = match (rules.first(), one.elsewhere) {
        (Some(rule), _) => rulebook::section(rule, "Fix").split_whitespace().collect::<Vec<_>>().join(" "),
        (None, Some(elsewhere)) => elsewhere.remedy.to_owned(),
        (None, None) => String::new(),
    };
    set("remedy", json!(remedy));
    set(
        "because",
        rules.first().map_or_else(|| json!(one.elsewhere.map(|e| e.because)), |r| json!(rulebook::sentence(r))),
    );
    set("in_file", seen.map_or(Value::Null, Seen::value));
    Value::Object(value)
}
