//! Evidence for an error message in a file: the items that it names, the findings there, and the command that fixes them.

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::{Value, json};

use crate::history::Version;
use crate::report::client_versions::{ClientFault, FaultRole};
use crate::report::command_line::{CommandLine, fill_commands};
use crate::report::error_place::{ErrorReference, NamedItem, NamedItems};
use crate::report::mask;
use crate::report::rule_page::{style_text, wrap_text};
use crate::report::words::count;
use crate::report::{self, Diagnostic, Style, diagnostic_value};
use crate::source::{Doc, display_name};

use super::repair_command::RepairCommand;

/// Evidence for an error in a file.
pub(super) struct FileEvidence {
    /// Items that the error names, and the requests in which they were searched.
    pub(super) named: NamedItems,
    /// Findings of the claimed rules at these items, or anywhere if the error names none or nothing is found there. A
    /// warning of `check` is an error here, because the server reported it.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Other errors at these items.
    pub(super) other_errors: Vec<Diagnostic>,
    /// The diagnostics are at other items than those that the error names.
    pub(super) is_elsewhere: bool,
    /// Flags that the rule requires to find the error; `None` if it requires none.
    pub(super) assumed_flags: Option<String>,
    pub(super) is_conversation: bool,
    /// The items that the error refers to.
    pub(super) reference: ErrorReference,
    /// Ids of the error that the file does not contain; its index was used instead.
    pub(super) missing_ids: Vec<String>,
    /// Some of the diagnostics are only warnings in `check`.
    pub(super) is_proven: bool,
    /// No rule claims the error, but the diagnostics may be its cause.
    pub(super) is_suspect: bool,
    pub(super) repair: Option<RepairCommand>,
    /// `fix` repairs some of the diagnostics.
    pub(super) repairs_some: bool,
    /// Why `fix` leaves a diagnostic for which the rule has a fix.
    pub(super) refusal: Option<&'static str>,
    /// Why the command that is meant for such errors would not help.
    pub(super) useless_command: Option<String>,
    /// The faults of the client that wrote the file, in its version, that belong to the diagnostics.
    pub(super) client_faults: Vec<&'static ClientFault>,
    /// The version of that client, and how it is known.
    pub(super) client_version: Option<(Version, &'static str)>,
    /// The file, as given by the user.
    pub(super) label: String,
    /// The name of the target of its first history.
    pub(super) target: &'static str,
}

/// The flags of an error of the last call of a log, which was sent as a request.
pub(super) const AS_REQUEST: &str = " --as request";

/// Maximum number of places that are listed.
const LISTED: usize = 5;

impl FileEvidence {
    /// Prints the evidence. `claimed`: there are rules for the error.
    pub(super) fn print(&self, doc: &Doc, claimed: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}\n", style_text(style, "1", &format!("In {}", display_name(&doc.label))))?;
        let mut print_text = |text: &str| write!(out, "{}", wrap_text(text, "  ", "  ", style));
        let items = self.named.items.as_slice();
        if !self.missing_ids.is_empty() && !items.is_empty() {
            print_text(&format!(
                "No item of this file has the id {}; the item with this index is:",
                id_list(&self.missing_ids)
            ))?;
        }
        if !self.diagnostics.is_empty() && !self.is_elsewhere {
            return self.print_findings("", style, out);
        }
        for named in items.iter().take(LISTED) {
            print_text(&self.line_of(named))?;
        }
        if items.len() > LISTED {
            print_text(&format!("… and {} more", items.len() - LISTED))?;
        }
        print_text(&self.absence_reason(claimed))?;
        if let Some(shifted) = self.named.after_instructions.first() {
            print_text(&format!(
                "If the request began with instructions, which this file does not contain, it is {}.",
                self.line_of(shifted)
            ))?;
        }
        if !self.other_errors.is_empty() {
            writeln!(out)?;
            print_diagnostics(&self.other_errors, style, out)?;
        }
        if self.is_elsewhere {
            writeln!(out)?;
            let lead = match self.diagnostics.len() {
                1 => "This finding elsewhere in the file may be the cause.",
                _ => "These findings elsewhere in the file may be the cause.",
            };
            return self.print_findings(lead, style, out);
        }
        match (&self.repair, &self.useless_command) {
            (Some(_), _) => write!(out, "\n{}", wrap_text(&self.repair_advice(), "", "", style)),
            (None, Some(why)) => write!(
                out,
                "\n{}",
                wrap_text(&format!("No command repairs it: {}.", self.fill(why)), "", "", style)
            ),
            (None, None) => Ok(()),
        }
    }

    /// Prints the findings, after a sentence about them, and the command that repairs them.
    fn print_findings(&self, lead: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        let grounds = self.grounds().unwrap_or_default();
        let text = [lead, &grounds].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
        if !text.is_empty() {
            writeln!(out, "{}", wrap_text(&text, "  ", "  ", style))?;
        }
        print_diagnostics(&self.diagnostics, style, out)?;
        write!(out, "{}", wrap_text(&self.repair_advice(), "", "", style))?;
        for sentence in self.client_sentences() {
            write!(out, "\n{}", wrap_text(&sentence, "", "", style))?;
        }
        Ok(())
    }

    /// What the version of the client that wrote the file has to do with the findings: whether it makes the fault, and
    /// whether it fails on it.
    fn client_sentences(&self) -> Vec<String> {
        let Some((version, whose)) = self.client_version else { return Vec::new() };
        let roles = [FaultRole::Makes, FaultRole::Fails];
        let faults = roles.iter().filter_map(|role| self.client_faults.iter().find(|fault| fault.role == *role));
        faults.map(|fault| fault.sentence(version, whose, "this fault", false)).collect()
    }

    /// An item, and where it is.
    fn line_of(&self, named: &NamedItem) -> String {
        let spot = &named.location;
        let record = format!("record {}", named.record);
        let pointer = if spot.pointer.is_empty() { record } else { spot.pointers() };
        let answer = if named.is_added { "the result that the agent adds to " } else { "" };
        let label = display_name(named.path.as_ref().unwrap_or(&self.label));
        format!("{label}:{}:{}: {answer}{} ({pointer})", spot.line, spot.column, named.name)
    }

    /// A reason with the file in its commands.
    fn fill<'w>(&self, why: &'w str) -> Cow<'w, str> {
        fill_commands(why, &self.label, self.target)
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
                "`check` reports this only as a warning or a note, because some servers accept it; the message \
                 proves that this one does not."
                    .to_owned(),
            ),
            None => None,
        }
    }

    /// The command that fixes the error, or why there is none.
    fn repair_advice(&self) -> String {
        let on_file = |command: &str| CommandLine::new(command).on_input(&self.label);
        if let Some(repair) = &self.repair {
            let changes = count(repair.changes as u64, "change");
            return match repair.writes_copy {
                true => format!("Repair a copy with `{}` ({changes}).", on_file("fix").with_flags(&repair.flags)),
                false => {
                    let fix = on_file("fix").with_flags("-w").with_flags(&repair.flags);
                    format!("Fix it with `{fix}` ({changes}; preview without -w).")
                }
            };
        }
        let refusal = self.refusal.filter(|_| !self.repairs_some);
        match self.diagnostics.iter().find_map(|there| there.no_fix).or(refusal) {
            Some(why) => format!("No automatic fix: {}.", self.fill(why)),
            None if self.repairs_some => format!(
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
        if self.named.items.is_empty() {
            return match (&self.reference.ids[..], &self.reference.path) {
                ([], None) if claimed => "`check` finds no such error here.".to_owned(),
                ([], None) => "The message names no item, and no rule can detect this in a file.".to_owned(),
                ([], Some(path)) => self.missing_item(&path.item(), path.index),
                (wanted, _) => format!("No item of this file has the id {}.", id_list(wanted)),
            };
        }
        let end = if self.other_errors.is_empty() { "." } else { ", but:" };
        match (claimed, self.other_errors.is_empty()) {
            (false, _) => {
                format!("This is the item; no rule can detect in a file what the server reports about it{end}")
            }
            (true, true) if self.is_elsewhere => "`check` finds no such error there.".to_owned(),
            (true, true) => {
                "`check` finds no such error. The server may know something that is not in the file, or a \
                             different version of the file was sent."
                    .to_owned()
            }
            (true, false) => format!("`check` finds no such error{end}"),
        }
    }

    /// Why no item of the file is the one that the message names.
    fn missing_item(&self, item: &str, index: u32) -> String {
        let id = match self.missing_ids.is_empty() {
            true => String::new(),
            false => format!("No item of this file has the id {}. ", id_list(&self.missing_ids)),
        };
        let reason = match self.named.request_len {
            Some(len) if len <= index as usize => format!(
                "The request that continues it has no {item}: it has {}. This may not be the history that was sent.",
                count(len as u64, if item.starts_with("input") { "item" } else { "message" })
            ),
            Some(_) => format!("No item of this file is {item}."),
            None => format!("No request in this file has {item}. It may not be the history that was sent."),
        };
        id + &reason
    }

    pub(super) fn to_json(&self) -> Value {
        let named = |named: &NamedItem| {
            json!({
                "added": named.is_added,
                "name": named.name,
                "history": named.history,
                "index": named.index,
                "path": named.path,
                "record": named.record,
                "line": named.location.line,
                "column": named.location.column,
                "span": { "start": named.location.span.0, "end": named.location.span.1 },
                "pointer": named.location.pointer,
            })
        };
        let list = |list: &[Diagnostic]| list.iter().map(diagnostic_value).collect::<Vec<_>>();
        json!({
            "items": self.named.items.iter().map(named).collect::<Vec<_>>(),
            "diagnostics": list(&self.diagnostics),
            "others": list(&self.other_errors),
            "assumed": self.assumed_flags.as_deref().map(str::trim),
            "proven": self.is_proven,
            "suspected": self.is_suspect,
            "elsewhere": self.is_elsewhere,
            "command": self.repair.as_ref().map(|heals| {
                CommandLine::new("fix").with_flags(&heals.flags).on_input(&self.label).to_string()
            }),
            "missed": self.missing_ids,
            "client_version": self.client_version.map(|(version, _)| version.to_string()),
            "clients": self.client_faults.iter().map(|fault| fault.to_json()).collect::<Vec<_>>(),
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
