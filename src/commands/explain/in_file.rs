//! Where in a file a pasted error comes from: the items that it names, what the rule finds there, and what `fix` would do.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::history::Usage;
use crate::judge::{self, JudgedDoc, Options};
use crate::report::page::{paint, wrapped};
use crate::report::recognise::Recognised;
use crate::report::seek::{NamedItem, Seek, Wanted, named};
use crate::report::words::{count, printable};
use crate::report::{self, Content, Diagnostic, Style, diagnose, diagnostic_value};
use crate::rule::is_end_of_log;
use crate::source::Doc;
use crate::target::{Severity, Target};

use super::super::Failure;
use super::error::{Pasted, flag, target};

/// What a file shows of an error.
pub(super) struct InFile {
    /// Items that the error names.
    named: Vec<NamedItem>,
    /// What the claimed rules find at them, or anywhere if the error names none.
    pub(super) there: Vec<Diagnostic>,
    /// Other errors at them.
    others: Vec<Diagnostic>,
    /// What the claimed rules find at other items.
    away: usize,
    /// What had to be assumed for the rule to find it.
    assumed: Option<String>,
    conversation: bool,
    /// What was looked for.
    wanted: Wanted,
    /// Ids that the error names and the file does not have; the index was looked for instead.
    missed: Vec<String>,
}

/// Looks for what the error names. If check finds nothing there as the file stands, then for the servers that do say so.
pub(super) fn look(doc: &Doc, one: &Recognised, mut wanted: Wanted, pasted: &Pasted) -> Result<InFile, Failure> {
    let own = pasted.lints.of(&doc.label);
    let mut first = try_look(doc, one, &wanted, own, pasted.content)?;
    if first.named.is_empty() && !wanted.ids.is_empty() && wanted.index.is_some() {
        let missed = std::mem::take(&mut wanted.ids);
        first = InFile { missed, ..try_look(doc, one, &wanted, own, pasted.content)? };
    }
    let at_end = |there: &Diagnostic| there.no_fix.is_some_and(is_end_of_log);
    if !first.there.is_empty() && first.there.iter().all(at_end) && own.read.usage.is_none() {
        // The log ends in what the message names: what was sent is a request.
        let mut options = assume(own, None, None);
        options.read.usage = Some(Usage::Request);
        let seen = try_look(doc, one, &wanted, &options, pasted.content)?;
        if !seen.there.is_empty() {
            return Ok(InFile { assumed: Some(AS_REQUEST.to_owned()), missed: first.missed, ..seen });
        }
    }
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
            let seen = try_look(doc, one, &wanted, &options, pasted.content)?;
            if !seen.there.is_empty() {
                let store = store.map(|store| format!(" --store {store}")).unwrap_or_default();
                return Ok(InFile {
                    assumed: Some(format!("{}{store}", flag(target))),
                    missed: first.missed,
                    ..seen
                });
            }
        }
    }
    Ok(first)
}

const AS_REQUEST: &str = " --as request";

/// The user's options with something assumed.
fn assume(own: &Options, target: Option<&'static Target>, store: Option<bool>) -> Options {
    Options {
        read: own.read.clone(),
        target: target.or(own.target),
        store: store.or(own.store),
        model: own.model.clone(),
        ..Options::default()
    }
}

fn try_look(
    doc: &Doc,
    one: &Recognised,
    wanted: &Wanted,
    options: &Options,
    content: Content,
) -> io::Result<InFile> {
    let lint: JudgedDoc<_> = judge::judge(doc.id, &*doc.bytes, options, 1, &Seek::new(wanted))?;
    let named = named(doc.id, &*doc.bytes, &lint, wanted)?;
    let diagnostics = diagnose(doc.id, &doc.label, &*doc.bytes, &lint, content)?;
    let (mut there, mut others, mut away) = (Vec::new(), Vec::new(), 0);
    let conversation = lint.format.is_some();
    for (judged, diagnostic) in lint.judged.iter().zip(diagnostics) {
        let finding = &judged.finding;
        let here =
            named.iter().any(|named| named.row.at == finding.row.at || finding.partner == Some(named.row.at));
        let is_claimed = one.claims.iter().any(|claim| claim.rule.code == finding.code);
        match (is_claimed, here || wanted.is_empty()) {
            (true, true) => there.push(diagnostic),
            (true, false) => away += 1,
            (false, true) if !wanted.is_empty() && judged.severity > Severity::Info => others.push(diagnostic),
            (false, _) => {}
        }
    }
    let (wanted, missed) = (wanted.clone(), Vec::new());
    Ok(InFile { named, there, others, away, assumed: None, conversation, wanted, missed })
}

/// Places that are listed before the rest is only counted.
const LISTED: usize = 5;

impl InFile {
    /// `claimed`: there are rules that know the error.
    pub(super) fn tell(&self, doc: &Doc, claimed: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}\n", paint(style, "1", &format!("In {}", doc.label)))?;
        let mut say = |text: &str| write!(out, "{}", wrapped(text, "  ", "  ", style));
        if !self.missed.is_empty() && !self.named.is_empty() {
            say(&format!("No item of this file has the id {}; the item with its number is:", ids(&self.missed)))?;
        }
        if !self.there.is_empty() {
            if let Some(flags) = &self.assumed {
                let why = match flags == AS_REQUEST {
                    true => "because the log ends here and the message is about a request",
                    false => "because the message comes from there",
                };
                say(&format!("Judged with `{}`, {why}.", flags.trim()))?;
                writeln!(out)?;
            }
            print(&self.there, style, out)?;
            return write!(out, "{}", wrapped(&self.repair(doc), "", "", style));
        }
        for named in self.named.iter().take(LISTED) {
            let spot = &named.spot;
            let record = format!("record {}", named.row.record + 1);
            let pointer = if spot.pointer.is_empty() { record } else { spot.pointers() };
            say(&format!("{}:{}:{}: {} ({pointer})", doc.label, spot.line, spot.column, named.name))?;
        }
        if self.named.len() > LISTED {
            say(&format!("… and {} more", self.named.len() - LISTED))?;
        }
        say(&self.why_not(claimed))?;
        if !self.others.is_empty() {
            writeln!(out)?;
            print(&self.others, style, out)?;
        }
        Ok(())
    }

    /// How to get the repair that the diagnostics promise.
    fn repair(&self, doc: &Doc) -> String {
        let fixable = || self.there.iter().filter(|there| there.fix.is_some());
        let mut flags_of = fixable().filter_map(|there| there.fix.as_ref()).map(|fix| fix.flag);
        let asked = match flags_of.clone().next() {
            None => return "There is no legal fix.".to_owned(),
            Some(_) if flags_of.clone().any(|flag| flag.is_none()) => String::new(),
            Some(_) => flags_of.find_map(|flag| flag).map(|flag| format!(" {flag}")).unwrap_or_default(),
        };
        let flags = self.assumed.as_deref().unwrap_or_default();
        format!("`replaylint fix{flags}{asked} {}` shows the fix, and -w applies it.", doc.label)
    }

    /// Why there is no diagnostic to show.
    fn why_not(&self, claimed: bool) -> String {
        if !self.conversation {
            return "The file is not a known conversation format; `replaylint check` says more.".to_owned();
        }
        let elsewhere = match self.away {
            0 => String::new(),
            n => format!(" The rule finds {} elsewhere.", count(n as u64, "fault")),
        };
        let name = match (&self.wanted.ids[..], self.wanted.index) {
            ([], None) if claimed => return "`replaylint check` finds no such problem here.".to_owned(),
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
                "`replaylint check` finds no such problem. The server may know something that is not in the \
                 file, or a different version of the file was sent.{elsewhere}"
            ),
            (true, false) => format!("`replaylint check` finds no such problem{end}{elsewhere}"),
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
            "missed": self.missed,
        })
    }
}

/// Ids as they may be printed.
fn ids(ids: &[String]) -> String {
    ids.iter().map(|id| printable(id)).collect::<Vec<_>>().join(" or ")
}

fn print(diagnostics: &[Diagnostic], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut sheet = (report::OUTPUTS[0].1)(Style { info: true, limit: Some(LISTED), ..*style });
    sheet.doc(&report::Seen { diagnostics: diagnostics.to_vec(), ..report::Seen::default() }, out)
}
