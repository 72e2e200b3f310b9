//! Where in a file a pasted error comes from: the items that it names, what the rule finds there, and what `fix` would do.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::{Value, json};

use crate::history::{Code, Usage};
use crate::judge::{self, JudgedDoc, Options};
use crate::report::command_line::CommandLine;
use crate::report::error_place::{NamedItem, Seek, Wanted, named};
use crate::report::mask;
use crate::report::page::{paint, wrapped};
use crate::report::recognise::Recognised;
use crate::report::words::count;
use crate::report::{self, Content, Diagnostic, Style, diagnose, diagnostic_value};
use crate::rule::is_end_of_log;
use crate::source::{Doc, display_name};
use crate::target::{Severity, Target};

use super::super::Failure;
use super::heal::{Heals, heals, strips};
use super::pasted::Pasted;

/// What a file shows of an error.
pub(super) struct InFile {
    /// Items that the error names.
    named: Vec<NamedItem>,
    /// What the claimed rules find at them, or anywhere if the error names none. What `check` would call a warning is an
    /// error here: the server has proven it.
    pub(super) there: Vec<Diagnostic>,
    /// Other errors at them.
    others: Vec<Diagnostic>,
    /// What the claimed rules find at other items.
    away: usize,
    /// What had to be assumed for the rule to find it, as flags.
    assumed: Option<String>,
    conversation: bool,
    /// What was looked for.
    wanted: Wanted,
    /// Ids that the error names and the file does not have; the index was looked for instead.
    missed: Vec<String>,
    /// Some of what is there is only a warning to `check`.
    proven: bool,
    /// Nothing claims the error, and what is there may be its cause.
    suspected: bool,
    heals: Option<Heals>,
    /// The file, as the user named it.
    label: String,
}

/// Looks for what the error names, and for what repairs it.
pub(super) fn look(doc: &Doc, one: &Recognised, wanted: Wanted, pasted: &Pasted) -> Result<InFile, Failure> {
    let own = pasted.lints.of(&doc.label);
    let look = Look { doc, one, own, content: pasted.content };
    let (mut seen, options) = look.first(wanted)?;
    let codes: Vec<Code> = seen.there.iter().map(|there| there.rule).collect();
    if !codes.is_empty() {
        let flags = seen.assumed.clone().unwrap_or_default();
        let proof = (format!("{flags} --proven {}", list(&codes)), proving(&options, &codes));
        seen.heals = heals(doc, &codes, &[(flags, options), proof])?;
    }
    if one.elsewhere.is_some_and(|elsewhere| elsewhere.strips) && seen.heals.is_none() {
        seen.heals = strips(doc, own)?;
    }
    for there in seen.there.iter_mut().filter(|there| there.severity == Severity::Warning) {
        (there.severity, seen.proven) = (Severity::Error, true);
    }
    Ok(seen)
}

struct Look<'l> {
    doc: &'l Doc,
    one: &'l Recognised,
    /// The user's options.
    own: &'l Options,
    content: Content,
}

impl Look<'_> {
    /// What is seen under the first assumption under which something is, and the options that make it. If check finds
    /// nothing as the file is, then for the servers that do say so, and last with the message as proof.
    fn first(&self, mut wanted: Wanted) -> io::Result<(InFile, Options)> {
        let own = self.own;
        let claimed: Vec<Code> = self.one.claims.iter().map(|claim| claim.rule.code).collect();
        let mut first = self.see(&claimed, &wanted, own)?;
        if first.named.is_empty() && !wanted.ids.is_empty() && wanted.index.is_some() {
            let missed = std::mem::take(&mut wanted.ids);
            first = InFile { missed, ..self.see(&claimed, &wanted, own)? };
        }
        for (flags, options) in self.assumptions(&first) {
            let seen = self.see(&claimed, &wanted, &options)?;
            if !seen.there.is_empty() {
                return Ok((InFile { assumed: Some(flags), missed: first.missed, ..seen }, options));
            }
        }
        if !first.there.is_empty() {
            return Ok((first, own.clone()));
        }
        let suspects = self.one.elsewhere.map_or(&[][..], |elsewhere| elsewhere.suspects);
        let suspects: Vec<Code> = suspects.iter().map(|(code, _)| *code).collect();
        let (codes, wanted) = match claimed.is_empty() {
            true => (suspects, Wanted::default()),
            false => (claimed, wanted),
        };
        let suspected = self.one.claims.is_empty();
        if suspected {
            let seen = self.see(&codes, &wanted, own)?;
            if seen.there.iter().any(|there| there.severity == Severity::Error) {
                return Ok((InFile { missed: first.missed, suspected, ..seen }, own.clone()));
            }
        }
        let options = proving(own, &codes);
        let seen = self.see(&codes, &wanted, &options)?;
        if seen.there.is_empty() {
            return Ok((first, own.clone()));
        }
        let found: Vec<Code> = seen.there.iter().map(|there| there.rule).collect();
        let assumed = Some(format!(" --proven {}", list(&found)));
        Ok((InFile { assumed, missed: first.missed, proven: true, suspected, ..seen }, proving(own, &found)))
    }

    /// What may be assumed, in order, and the flags that say so.
    fn assumptions(&self, first: &InFile) -> Vec<(String, Options)> {
        let own = self.own;
        let at_end = |there: &Diagnostic| there.no_fix.is_some_and(is_end_of_log);
        if !first.there.is_empty() {
            // The log ends in what the message names: what was sent is a request.
            let ends = first.there.iter().all(at_end) && own.read.usage.is_none();
            let mut request = assume(own, None, None);
            request.read.usage = Some(Usage::Request);
            return if ends { vec![(AS_REQUEST.to_owned(), request)] } else { Vec::new() };
        }
        if self.one.claims.is_empty() {
            return Vec::new();
        }
        let mut all = Vec::new();
        let said = self.one.claims.iter().filter_map(|claim| claim.target);
        let mut targets: Vec<Option<&'static Target>> = Vec::new();
        for target in said.chain(own.target).map(Some).chain([None]) {
            if !targets.iter().any(|other| other.map(|t| t.name) == target.map(|t| t.name)) {
                targets.push(target);
            }
        }
        for target in targets {
            for store in [None, Some(false), Some(true)] {
                // What the user said holds.
                let free = (own.target.is_none() || target.is_none()) && (own.store.is_none() || store.is_none());
                if free && (target.is_some() || store.is_some()) {
                    let stored = store.map(|store| format!(" --store {store}")).unwrap_or_default();
                    let named = target.map(|target| format!(" --target {}", target.name)).unwrap_or_default();
                    all.push((format!("{named}{stored}"), assume(own, target, store)));
                }
            }
        }
        all
    }

    fn see(&self, codes: &[Code], wanted: &Wanted, options: &Options) -> io::Result<InFile> {
        let doc = self.doc;
        let lint: JudgedDoc<_> = judge::judge(doc.id, &*doc.bytes, options, 1, &Seek::new(wanted))?;
        let named = named(doc.id, &*doc.bytes, &lint, wanted)?;
        let diagnostics = diagnose(doc.id, &doc.label, &*doc.bytes, &lint, self.content)?;
        let (mut there, mut others, mut away) = (Vec::new(), Vec::new(), 0);
        let conversation = lint.format.is_some();
        for (judged, diagnostic) in lint.judged.iter().zip(diagnostics) {
            let finding = &judged.finding;
            let here =
                named.iter().any(|named| named.row.at == finding.row.at || finding.partner == Some(named.row.at));
            match (codes.contains(&finding.code), here || wanted.is_empty()) {
                (true, true) => there.push(diagnostic),
                (true, false) => away += 1,
                (false, true) if !wanted.is_empty() && judged.severity > Severity::Info => others.push(diagnostic),
                (false, _) => {}
            }
        }
        let (wanted, missed) = (wanted.clone(), Vec::new());
        let (assumed, proven, suspected, heals) = (None, false, false, None);
        let label = doc.label.clone();
        Ok(InFile {
            named,
            there,
            others,
            away,
            assumed,
            conversation,
            wanted,
            missed,
            proven,
            suspected,
            heals,
            label,
        })
    }
}

const AS_REQUEST: &str = " --as request";

/// The user's options with something assumed.
fn assume(own: &Options, target: Option<&'static Target>, store: Option<bool>) -> Options {
    Options { target: target.or(own.target), store: store.or(own.store), ..own.clone() }
}

/// The user's options, and the message as proof of what these rules find.
fn proving(own: &Options, codes: &[Code]) -> Options {
    Options { enabled: own.enabled.clone().proving(codes.to_vec()), ..own.clone() }
}

/// Codes as a flag takes them, each once.
fn list(codes: &[Code]) -> String {
    let codes: BTreeSet<String> = codes.iter().map(|code| code.to_string()).collect();
    codes.into_iter().collect::<Vec<_>>().join(",")
}

/// Places that are listed before the rest is only counted.
const LISTED: usize = 5;

impl InFile {
    /// `claimed`: there are rules that know the error.
    pub(super) fn tell(&self, doc: &Doc, claimed: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}\n", paint(style, "1", &format!("In {}", display_name(&doc.label))))?;
        let mut say = |text: &str| write!(out, "{}", wrapped(text, "  ", "  ", style));
        if !self.missed.is_empty() && !self.named.is_empty() {
            say(&format!("No item of this file has the id {}; the item with its number is:", ids(&self.missed)))?;
        }
        if !self.there.is_empty() {
            if let Some(why) = self.why_here() {
                say(&why)?;
                writeln!(out)?;
            }
            print(&self.there, style, out)?;
            return write!(out, "{}", wrapped(&self.repair(), "", "", style));
        }
        for named in self.named.iter().take(LISTED) {
            let spot = &named.spot;
            let record = format!("record {}", named.row.record + 1);
            let pointer = if spot.pointer.is_empty() { record } else { spot.pointers() };
            say(&format!(
                "{}:{}:{}: {} ({pointer})",
                display_name(&doc.label),
                spot.line,
                spot.column,
                named.name
            ))?;
        }
        if self.named.len() > LISTED {
            say(&format!("… and {} more", self.named.len() - LISTED))?;
        }
        say(&self.why_not(claimed))?;
        if !self.others.is_empty() {
            writeln!(out)?;
            print(&self.others, style, out)?;
        }
        match &self.heals {
            Some(_) => write!(out, "\n{}", wrapped(&self.repair(), "", "", style)),
            None => Ok(()),
        }
    }

    /// On what grounds the diagnostics are shown, where it is not simply what `check` says.
    fn why_here(&self) -> Option<String> {
        let judged = |flags: &str, why: &str| Some(format!("Judged with `{}`, because {why}.", flags.trim()));
        match self.assumed.as_deref() {
            None if self.suspected => Some("`check` reports this; it is the likely cause.".to_owned()),
            _ if self.suspected => Some(
                "Servers accept this as a rule, so `check` does not report it; after this message it is the likely \
                 cause."
                    .to_owned(),
            ),
            Some(AS_REQUEST) => judged(AS_REQUEST, "the log ends here and the message is about a request"),
            Some(flags) if self.proven && flags.starts_with(" --proven") => {
                judged(flags, "other servers accept this, and the message proves that this one does not")
            }
            Some(flags) => judged(flags, "the message comes from there"),
            None if self.proven => Some(
                "`check` reports this as a warning, because some servers accept it; the message proves that this \
                 one does not."
                    .to_owned(),
            ),
            None => None,
        }
    }

    /// The command that repairs it, or why there is none.
    fn repair(&self) -> String {
        let on_file = |command: &str| CommandLine::new(command).on(&self.label);
        if let Some(Heals { flags, changes }) = &self.heals {
            let changes = count(*changes as u64, "change");
            let fix = on_file("fix").and("-w").and(flags);
            return format!("Fix it with `{fix}` ({changes}; preview without -w).");
        }
        match self.there.iter().find_map(|there| there.no_fix) {
            Some(why) => format!("There is no legal fix: {why}."),
            None if self.there.iter().any(|there| there.fix.is_some()) => format!(
                "No single command repairs all of it; `{}` shows what can be repaired.",
                on_file("fix").flag("--fix-warnings")
            ),
            None => "There is no legal fix.".to_owned(),
        }
    }

    /// Why there is no diagnostic to show.
    fn why_not(&self, claimed: bool) -> String {
        if !self.conversation {
            let check = CommandLine::new("check").on(&self.label);
            return format!("The file is not a known conversation format; `{check}` says more.");
        }
        let elsewhere = match self.away {
            0 => String::new(),
            n => format!(" The rule finds {} elsewhere.", count(n as u64, "fault")),
        };
        let name = match (&self.wanted.ids[..], self.wanted.index) {
            ([], None) if claimed => return "`check` finds no such problem here.".to_owned(),
            ([], None) => return "The message names no item, and no rule can detect this in a file.".to_owned(),
            ([], Some((list, index))) if self.missed.is_empty() => format!("is {list}[{index}]"),
            ([], Some((list, index))) => format!("has the id {}, or is {list}[{index}]", ids(&self.missed)),
            (wanted, _) => format!("has the id {}", ids(wanted)),
        };
        if self.named.is_empty() {
            return format!("No item of this file {name}; this may not be the history that was sent.{elsewhere}");
        }
        let end = if self.others.is_empty() { "." } else { ", but:" };
        match (claimed, self.others.is_empty()) {
            (false, _) => format!(
                "This is the item; no rule can detect in a file what the server reports \
                                   about it{end}"
            ),
            (true, true) => format!(
                "`check` finds no such problem. The server may know something that is not in the \
                 file, or a different version of the file was sent.{elsewhere}"
            ),
            (true, false) => format!("`check` finds no such problem{end}{elsewhere}"),
        }
    }

    pub(super) fn value(&self) -> Value {
        let named = |named: &NamedItem| {
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
            "proven": self.proven,
            "suspected": self.suspected,
            "command": self.heals.as_ref().map(|heals| {
                CommandLine::new("fix").and(&heals.flags).on(&self.label).to_string()
            }),
            "missed": self.missed,
        })
    }
}

/// Ids as they may be printed.
fn ids(ids: &[String]) -> String {
    ids.iter().map(|id| mask::id(id)).collect::<Vec<_>>().join(" or ")
}

fn print(diagnostics: &[Diagnostic], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let style = Style { info: true, quiet: true, statistics: false, limit: Some(LISTED), ..*style };
    let Some((_, text)) = report::OUTPUTS.first() else { return Ok(()) };
    let mut sheet = text(style);
    sheet.doc(&report::Seen { diagnostics: diagnostics.to_vec(), ..report::Seen::default() }, out)?;
    sheet.finish(&report::Summary::default(), out)
}
