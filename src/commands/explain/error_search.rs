//! The search for the cause of an error in a file: under which assumptions `check` finds it, and which command repairs it.

use std::collections::BTreeSet;
use std::io;

use crate::formats::agents::resume::agent_of;
use crate::history::{Code, Usage};
use crate::judge::{self, FindingsOnly, Options};
use crate::report::client_versions::faults_of_findings;
use crate::report::error_place::{ErrorReference, NamedItem, NamedItems, find_items};
use crate::report::recognise::RecognisedError;
use crate::report::{ContentDisplay, Diagnostic, diagnose, segment_locations};
use crate::rule::is_end_of_log;
use crate::rules::by_code;
use crate::source::Doc;
use crate::target::{Severity, Target};
use crate::targets::hosts;

use super::super::Failure;
use super::file_evidence::{AS_REQUEST, FileEvidence};
use super::pasted_error::PastedError;
use super::repair_command::{RepairTrial, find_repair, repairs_some, try_command};

/// Searches a file for the items of an error, and for the command that fixes it.
pub(super) fn find_in_file(
    doc: &Doc,
    one: &RecognisedError,
    wanted: ErrorReference,
    pasted: &PastedError,
) -> Result<FileEvidence, Failure> {
    let own = pasted.lints.options_for(&doc.label);
    let look = ErrorSearch { doc, one, own, content: pasted.content, named: hosts::named_in(&pasted.text) };
    let has_place = !wanted.is_empty();
    let (mut seen, mut options) = look.search(wanted)?;
    if seen.diagnostics.is_empty() && has_place && !one.claims.is_empty() {
        // Ids change from one request to the next, and a file may be a part of what was sent.
        let (everywhere, its_options) = look.search(ErrorReference::default())?;
        if !everywhere.diagnostics.is_empty() {
            let FileEvidence { named, reference, missing_ids, other_errors, .. } = seen;
            seen = FileEvidence { is_elsewhere: true, named, reference, missing_ids, other_errors, ..everywhere };
            options = its_options;
        }
    }
    let codes: Vec<Code> = seen.diagnostics.iter().map(|there| there.rule).collect();
    if !codes.is_empty() {
        let flags = seen.assumed_flags.clone().unwrap_or_default();
        let proof = (format!("{flags} --proven {}", code_list(&codes)), prove(&options, &codes));
        seen.repair = find_repair(doc, &codes, &[(flags, options), proof])?;
        if seen.repair.is_none() {
            (seen.repairs_some, seen.refusal) = repairs_some(doc, &codes, own)?;
        }
    }
    if let Some(command) = one.other_error.and_then(|elsewhere| elsewhere.command)
        && seen.repair.is_none()
    {
        match try_command(doc, own, &one.fill(command))? {
            RepairTrial::Works(repair) => seen.repair = Some(repair),
            RepairTrial::Fails(why) => seen.useless_command = why,
        }
    }
    // What is a note for every target stays one.
    let is_raised = |there: &&mut Diagnostic| match there.severity {
        Severity::Error => false,
        Severity::Warning => true,
        Severity::Info => by_code(there.rule).is_some_and(|rule| !rule.variant(there.variant).levels.is_note()),
    };
    for there in seen.diagnostics.iter_mut().filter(is_raised) {
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
    /// The targets that the pasted text names.
    named: &'static [&'static Target],
}

impl ErrorSearch<'_> {
    /// The evidence under the first assumption with findings, and its options: as `check` judges the file, then for the
    /// servers that use the message, and last with the message as proof.
    fn search(&self, mut wanted: ErrorReference) -> io::Result<(FileEvidence, Options)> {
        let own = self.own;
        let claimed: Vec<Code> = self.one.claims.iter().map(|claim| claim.rule.code).collect();
        let mut named = self.find_items(&wanted)?;
        let mut missing_ids = Vec::new();
        if named.items.is_empty() && !wanted.ids.is_empty() && wanted.path.is_some() {
            missing_ids = std::mem::take(&mut wanted.ids);
            named = self.find_items(&wanted)?;
        }
        let first = self.evaluate(&claimed, &wanted, &named, own)?;
        let first = FileEvidence { missing_ids, ..first };
        if let Some(target) = self.named_target().filter(|target| target.name != first.target) {
            let options = assume(own, Some(target), None);
            let seen = self.evaluate(&claimed, &wanted, &named, &options)?;
            if !seen.diagnostics.is_empty() {
                let assumed_flags = Some(format!(" --target {}", target.name));
                return Ok((FileEvidence { assumed_flags, missing_ids: first.missing_ids, ..seen }, options));
            }
        }
        for (flags, options) in self.assumptions(&first) {
            let seen = self.evaluate(&claimed, &wanted, &named, &options)?;
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
        let (codes, wanted, named) = match claimed.is_empty() {
            true => (suspects, ErrorReference::default(), named),
            false => (claimed, wanted, named),
        };
        let is_suspect = self.one.claims.is_empty();
        if is_suspect {
            let seen = self.evaluate(&codes, &wanted, &named, own)?;
            if seen.diagnostics.iter().any(|there| there.severity == Severity::Error) {
                return Ok((FileEvidence { missing_ids: first.missing_ids, is_suspect, ..seen }, own.clone()));
            }
        }
        let options = prove(own, &codes);
        let seen = self.evaluate(&codes, &wanted, &named, &options)?;
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

    /// The target that the pasted text names, if the user names none and a claimed rule judges it.
    fn named_target(&self) -> Option<&'static Target> {
        let judges =
            |target: &&'static Target| self.one.claims.iter().any(|claim| claim.rule.judges(target.dialect));
        self.named.iter().copied().filter(|_| self.own.target.is_none()).find(judges)
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

    fn find_items(&self, wanted: &ErrorReference) -> io::Result<NamedItems> {
        let target = self.one.claims.iter().find_map(|claim| claim.target);
        let mut named = find_items(self.doc.id, &*self.doc.bytes, self.own, wanted, target)?;
        segment_locations::items(&self.doc.segments, &mut named.items);
        segment_locations::items(&self.doc.segments, &mut named.after_instructions);
        Ok(named)
    }

    fn evaluate(
        &self,
        codes: &[Code],
        reference: &ErrorReference,
        named: &NamedItems,
        options: &Options,
    ) -> io::Result<FileEvidence> {
        let doc = self.doc;
        let lint = judge::judge(doc.id, &*doc.bytes, options, 1, &FindingsOnly)?;
        let mut diagnostics = diagnose(doc.id, &doc.label, &*doc.bytes, &lint, self.content)?;
        segment_locations::diagnostics(&doc.segments, &mut diagnostics);
        let version = match (options.read.agent_version, lint.agent_version) {
            (Some(given), _) => Some((given, "--agent-version")),
            (None, own) => own.map(|own| (own, "this file's version")),
        };
        let agent = lint.format.and_then(|format| agent_of(format.info().name));
        let (mut there, mut other_errors) = (Vec::new(), Vec::new());
        for (judged, diagnostic) in lint.findings.iter().zip(diagnostics) {
            let finding = &judged.finding;
            let is_meant =
                |item: &NamedItem| item.row.at == finding.row.at || finding.partner == Some(item.row.at);
            let here = named.items.iter().any(is_meant);
            match (codes.contains(&finding.code), here || reference.is_empty()) {
                (true, true) => there.push(diagnostic),
                (false, true) if !reference.is_empty() && judged.severity > Severity::Info => {
                    other_errors.push(diagnostic)
                }
                _ => {}
            }
        }
        let found = there.iter().map(|diagnostic: &Diagnostic| (diagnostic.rule, diagnostic.variant));
        let client_faults = match (agent, version) {
            (Some(agent), Some((version, _))) => faults_of_findings(agent.id, version, found),
            _ => Vec::new(),
        };
        Ok(FileEvidence {
            client_faults,
            client_version: version,
            named: named.clone(),
            diagnostics: there,
            other_errors,
            is_elsewhere: false,
            assumed_flags: None,
            is_conversation: lint.format.is_some(),
            reference: reference.clone(),
            missing_ids: Vec::new(),
            is_proven: false,
            is_suspect: false,
            repair: None,
            repairs_some: false,
            refusal: None,
            useless_command: None,
            label: doc.label.clone(),
            target: lint.targets.first().copied().unwrap_or_default(),
        })
    }
}

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
