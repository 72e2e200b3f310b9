//! Evidence for an error message in a file: the items that it names, the findings there, and the command that fixes them.

use std::collections::BTreeSet;
use std::io::{self, Write};

use serde_json::{Value, json};

use crate::history::{Code, Usage};
use crate::judge::{self, JudgedDoc, Options};
use crate::report::command_line::CommandLine;
use crate::report::error_place::{ErrorReference, NamedItem, ReferencedRows, find_items};
use crate::report::mask;
use crate::report::recognise::RecognisedError;
use crate::report::rule_page::{style_text, wrap_text};
use crate::report::words::count;
use crate::report::{self, ContentDisplay, Diagnostic, Style, diagnose, diagnostic_value};
use crate::rule::is_end_of_log;
use crate::source::{Doc, display_name};
use crate::target::{Severity, Target};

use super::super::Failure;
use super::pasted_error::PastedError;
use super::repair_command::{RepairCommand, find_repair, strip_reasoning};

/// Evidence for an error in a file.
pub(super) struct FileEvidence {
    /// Items that the error names.
    items: Vec<NamedItem>,
    /// Findings of the claimed rules at these items, or anywhere if the error names none. A warning of `check` is an error
    /// here, because the server reported it.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Other errors at these items.
    other_errors: Vec<Diagnostic>,
    /// Number of findings of the claimed rules at other items.
    elsewhere: usize,
    /// Flags that the rule requires to find the error; `None` if it requires none.
    assumed_flags: Option<String>,
    is_conversation: bool,
    /// The items that the error refers to.
    reference: ErrorReference,
    /// Ids of the error that the file does not contain; its index was used instead.
    missing_ids: Vec<String>,
    /// Some of the diagnostics are only warnings in `check`.
    is_proven: bool,
    /// No rule claims the error, but the diagnostics may be its cause.
    is_suspect: bool,
    repair: Option<RepairCommand>,
    /// The file, as given by the user.
    label: String,
}

/// Searches a file for the items of an error, and for the command that fixes it.
pub(super) fn find_in_file(
    doc: &Doc,
    one: &RecognisedError,
    wanted: ErrorReference,
    pasted: &PastedError,
) -> Result<FileEvidence, Failure> {
    let own = pasted.lints.options_for(&doc.label);
    let look = ErrorSearch { doc, one, own, content: pasted.content };
    let (mut seen, options) = look.search(wanted)?;
    let codes: Vec<Code> = seen.diagnostics.iter().map(|there| there.rule).collect();
    if !codes.is_empty() {
        let flags = seen.assumed_flags.clone().unwrap_or_default();
        let proof = (format!("{flags} --proven {}", code_list(&codes)), prove(&options, &codes));
        seen.repair = find_repair(doc, &codes, &[(flags, options), proof])?;
    }
    if one.other_error.is_some_and(|elsewhere| elsewhere.reasoning_strip_helps) && seen.repair.is_none() {
        seen.repair = strip_reasoning(doc, own)?;
    }
    for there in seen.diagnostics.iter_mut().filter(|there| there.severity == Severity::Warning) {
        (there.severity, seen.is_proven) = (Severity::Error, true);
    }
    Ok(seen)
}

struct ErrorSearch<'l> {
    doc: &'l Doc,
    one: &'l RecognisedError,
    /// The user's options.
    own: &'l Options,
    content: ContentDisplay,
}

impl ErrorSearch<'_> {
    /// The evidence under the first assumption with findings, and its options: as `check` judges the file, then for the
    /// servers that use the message, and last with the message as proof.
    fn search(&self, mut wanted: ErrorReference) -> io::Result<(FileEvidence, Options)> {
        let own = self.own;
        let claimed: Vec<Code> = self.one.claims.iter().map(|claim| claim.rule.code).collect();
        let mut first = self.evaluate(&claimed, &wanted, own)?;
        if first.items.is_empty() && !wanted.ids.is_empty() && wanted.index.is_some() {
            let missed = std::mem::take(&mut wanted.ids);
            first = FileEvidence { missing_ids: missed, ..self.evaluate(&claimed, &wanted, own)? };
        }
        for (flags, options) in self.assumptions(&first) {
            let seen = self.evaluate(&claimed, &wanted, &options)?;
            if !seen.diagnostics.is_empty() {
                return Ok((
                    FileEvidence { assumed_flags: Some(flags), missing_ids: first.missing_ids, ..seen },
                    options,
                ));
            }
        }
        if !first.diagnostics.is_empty() {
            return Ok((first, own.clone()));
        }
        let suspects = self.one.other_error.map_or(&[][..], |elsewhere| elsewhere.suspects);
        let suspects: Vec<Code> = suspects.iter().map(|(code, _)| *code).collect();
        let (codes, wanted) = match claimed.is_empty() {
            true => (suspects, ErrorReference::default()),
            false => (claimed, wanted),
        };
        let is_suspect = self.one.claims.is_empty();
        if is_suspect {
            let seen = self.evaluate(&codes, &wanted, own)?;
            if seen.diagnostics.iter().any(|there| there.severity == Severity::Error) {
                return Ok((FileEvidence { missing_ids: first.missing_ids, is_suspect, ..seen }, own.clone()));
            }
        }
        let options = prove(own, &codes);
        let seen = self.evaluate(&codes, &wanted, &options)?;
        if seen.diagnostics.is_empty() {
            return Ok((first, own.clone()));
        }
        let found: Vec<Code> = seen.diagnostics.iter().map(|there| there.rule).collect();
        let assumed_flags = Some(format!(" --proven {}", code_list(&found)));
        Ok((
            FileEvidence { assumed_flags, missing_ids: first.missing_ids, is_proven: true, is_suspect, ..seen },
            prove(own, &found),
        ))
    }

    /// Assumptions to try, in order, and their flags.
    fn assumptions(&self, first: &FileEvidence) -> Vec<(String, Options)> {
        let own = self.own;
        let at_end = |there: &Diagnostic| there.no_fix.is_some_and(is_end_of_log);
        if !first.diagnostics.is_empty() {
            // The log ends with the item of the message, so it was sent as a request.
            let ends = first.diagnostics.iter().all(at_end) && own.read.usage.is_none();
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
                // Options of the user are not overridden.
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

    fn evaluate(&self, codes: &[Code], reference: &ErrorReference, options: &Options) -> io::Result<FileEvidence> {
        let doc = self.doc;
        let lint: JudgedDoc<_> = judge::judge(doc.id, &*doc.bytes, options, 1, &ReferencedRows::new(reference))?;
        let items = find_items(doc.id, &*doc.bytes, &lint, reference)?;
        let diagnostics = diagnose(doc.id, &doc.label, &*doc.bytes, &lint, self.content)?;
        let (mut there, mut other_errors, mut elsewhere) = (Vec::new(), Vec::new(), 0);
        for (judged, diagnostic) in lint.findings.iter().zip(diagnostics) {
            let finding = &judged.finding;
            let here =
                items.iter().any(|item| item.row.at == finding.row.at || finding.partner == Some(item.row.at));
            match (codes.contains(&finding.code), here || reference.is_empty()) {
                (true, true) => there.push(diagnostic),
                (true, false) => elsewhere += 1,
                (false, true) if !reference.is_empty() && judged.severity > Severity::Info => {
                    other_errors.push(diagnostic)
                }
                (false, _) => {}
            }
        }
        Ok(FileEvidence {
            items,
            diagnostics: there,
            other_errors,
            elsewhere,
            assumed_flags: None,
            is_conversation: lint.format.is_some(),
            reference: reference.clone(),
            missing_ids: Vec::new(),
            is_proven: false,
            is_suspect: false,
            repair: None,
            label: doc.label.clone(),
        })
    }
}

const AS_REQUEST: &str = " --as request";

/// The user's options with an assumed target and store.
fn assume(own: &Options, target: Option<&'static Target>, store: Option<bool>) -> Options {
    Options { target: target.or(own.target), store: store.or(own.store), ..own.clone() }
}

/// The user's options, with the message as proof for the findings of these rules.
fn prove(own: &Options, codes: &[Code]) -> Options {
    Options { enabled: own.enabled.clone().with_proven(codes.to_vec()), ..own.clone() }
}

/// Codes as the value of a flag, each once.
fn code_list(codes: &[Code]) -> String {
    let codes: BTreeSet<String> = codes.iter().map(|code| code.to_string()).collect();
    codes.into_iter().collect::<Vec<_>>().join(",")
}

/// Maximum number of places that are listed.
const LISTED: usize = 5;

impl FileEvidence {
    /// Prints the evidence. `claimed`: there are rules for the error.
    pub(super) fn print(&self, doc: &Doc, claimed: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}\n", style_text(style, "1", &format!("In {}", display_name(&doc.label))))?;
        let mut print_text = |text: &str| write!(out, "{}", wrap_text(text, "  ", "  ", style));
        if !self.missing_ids.is_empty() && !self.items.is_empty() {
            print_text(&format!(
                "No item of this file has the id {}; the item with this index is:",
                id_list(&self.missing_ids)
            ))?;
        }
        if !self.diagnostics.is_empty() {
            if let Some(why) = self.grounds() {
                print_text(&why)?;
                writeln!(out)?;
            }
            print_diagnostics(&self.diagnostics, style, out)?;
            return write!(out, "{}", wrap_text(&self.repair_advice(), "", "", style));
        }
        for named in self.items.iter().take(LISTED) {
            let spot = &named.location;
            let record = format!("record {}", named.row.record + 1);
            let pointer = if spot.pointer.is_empty() { record } else { spot.pointers() };
            print_text(&format!(
                "{}:{}:{}: {} ({pointer})",
                display_name(&doc.label),
                spot.line,
                spot.column,
                named.name
            ))?;
        }
        if self.items.len() > LISTED {
            print_text(&format!("… and {} more", self.items.len() - LISTED))?;
        }
        print_text(&self.absence_reason(claimed))?;
        if !self.other_errors.is_empty() {
            writeln!(out)?;
            print_diagnostics(&self.other_errors, style, out)?;
        }
        match &self.repair {
            Some(_) => write!(out, "\n{}", wrap_text(&self.repair_advice(), "", "", style)),
            None => Ok(()),
        }
    }

    /// Why the diagnostics are shown; `None` if `check` reports them as well.
    fn grounds(&self) -> Option<String> {
        let judged = |flags: &str, why: &str| Some(format!("Checked with `{}`, because {why}.", flags.trim()));
        match self.assumed_flags.as_deref() {
            None if self.is_suspect => Some("`check` reports this as well; it is the likely cause.".to_owned()),
            _ if self.is_suspect => Some(
                "Servers usually accept this, so `check` does not report it; given this message, it is the likely \
                 cause."
                    .to_owned(),
            ),
            Some(AS_REQUEST) => judged(AS_REQUEST, "the log ends here, and the message is about a request"),
            Some(flags) if self.is_proven && flags.starts_with(" --proven") => {
                judged(flags, "other servers accept this, but the message proves that this one does not")
            }
            Some(flags) => judged(flags, "this target uses the message"),
            None if self.is_proven => Some(
                "`check` reports this as a warning, because some servers accept it; the message proves that this \
                 one does not."
                    .to_owned(),
            ),
            None => None,
        }
    }

    /// The command that fixes the error, or why there is none.
    fn repair_advice(&self) -> String {
        let on_file = |command: &str| CommandLine::new(command).on_input(&self.label);
        if let Some(RepairCommand { flags, changes }) = &self.repair {
            let changes = count(*changes as u64, "change");
            let fix = on_file("fix").with_flags("-w").with_flags(flags);
            return format!("Fix it with `{fix}` ({changes}; preview without -w).");
        }
        match self.diagnostics.iter().find_map(|there| there.no_fix) {
            Some(why) => format!("No automatic fix: {why}."),
            None if self.diagnostics.iter().any(|there| there.fix.is_some()) => format!(
                "No single command fixes everything; `{}` shows what can be fixed.",
                on_file("fix").flag("--fix-warnings")
            ),
            None => "No automatic fix.".to_owned(),
        }
    }

    /// Why there is no diagnostic.
    fn absence_reason(&self, claimed: bool) -> String {
        if !self.is_conversation {
            let check = CommandLine::new("check").on_input(&self.label);
            return format!("The file is not in a known conversation format; run `{check}` for details.");
        }
        let elsewhere = match self.elsewhere {
            0 => String::new(),
            n => format!(" The rule has {} elsewhere in the file.", count(n as u64, "finding")),
        };
        let name = match (&self.reference.ids[..], self.reference.index) {
            ([], None) if claimed => return "`check` finds no such error here.".to_owned(),
            ([], None) => return "The message names no item, and no rule can detect this in a file.".to_owned(),
            ([], Some((list, index))) if self.missing_ids.is_empty() => format!("is {list}[{index}]"),
            ([], Some((list, index))) => {
                format!("has the id {}, or is {list}[{index}]", id_list(&self.missing_ids))
            }
            (wanted, _) => format!("has the id {}", id_list(wanted)),
        };
        if self.items.is_empty() {
            return format!("No item of this file {name}; the file may not be what was sent.{elsewhere}");
        }
        let end = if self.other_errors.is_empty() { "." } else { ", but:" };
        match (claimed, self.other_errors.is_empty()) {
            (false, _) => {
                format!("This is the item; no rule can detect in a file what the server reports about it{end}")
            }
            (true, true) => format!(
                "`check` finds no such error. The server may know something that is not in the file, or a \
                 different version of the file was sent.{elsewhere}"
            ),
            (true, false) => format!("`check` finds no such error{end}{elsewhere}"),
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let named = |named: &NamedItem| {
            json!({
                "name": named.name,
                "history": named.history,
                "index": named.index,
                "record": named.row.record + 1,
                "line": named.location.line,
                "column": named.location.column,
                "span": { "start": named.location.span.0, "end": named.location.span.1 },
                "pointer": named.location.pointer,
            })
        };
        let list = |list: &[Diagnostic]| list.iter().map(diagnostic_value).collect::<Vec<_>>();
        json!({
            "items": self.items.iter().map(named).collect::<Vec<_>>(),
            "diagnostics": list(&self.diagnostics),
            "others": list(&self.other_errors),
            "assumed": self.assumed_flags.as_deref().map(str::trim),
            "proven": self.is_proven,
            "suspected": self.is_suspect,
            "command": self.repair.as_ref().map(|heals| {
                CommandLine::new("fix").with_flags(&heals.flags).on_input(&self.label).to_string()
            }),
            "missed": self.missing_ids,
        })
    }
}

/// Ids, masked for printing.
fn id_list(ids: &[String]) -> String {
    ids.iter().map(|id| mask::id(id)).collect::<Vec<_>>().join(" or ")
}

fn print_diagnostics(diagnostics: &[Diagnostic], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let style = Style { info: true, quiet: true, statistics: false, limit: Some(LISTED), ..*style };
    let Some((_, text)) = report::OUTPUTS.first() else { return Ok(()) };
    let mut report_output = text(style);
    report_output.write_doc(
        &report::DocReport { diagnostics: diagnostics.to_vec(), ..report::DocReport::default() },
        out,
    )?;
    report_output.finish(&report::RunSummary::default(), out)
}
