//! `slim`: replaces repeated parts of logs with references; with `--restore`, restores them. Files are written only with
//! `-w` or `-o`, or as a filter of standard input.

use std::io::{self, Write};

use serde_json::Value;

use crate::options::UsageError;
use crate::place::{Edit, Pieces, Place};
use crate::rebuild::slim;
use crate::rebuild::slim::restore;
use crate::rebuild::slim::restore::RestoredDoc;
use crate::rebuild::slim::{DivergentBody, Savings, SlimPlan, SlimRefusal};
use crate::repair::guard;
use crate::report::command_line::CommandLine;
use crate::report::slim_report::{self, SlimReport};
use crate::report::words::{count, group_digits};
use crate::source::outputs::{commit, new_file};
use crate::source::{Doc, Input, PatchedView, ReadAt, describe_error, display_name, framing};

use super::run::Inputs;
use super::run::labels::label_of;
use super::run::outcome::commit_failure;
use super::run::products;
use super::run::products::{OutputMode, OutputPath, PlannedFile};
use super::{Failure, Outcome, Run, print_error, print_note, stderr};

/// Options of `slim`.
pub struct SlimOptions {
    pub to: OutputMode,
    /// Replace references with the original content.
    pub restore: bool,
    /// Print the report as JSON.
    pub json: bool,
}

/// Maximum number of kept bodies that are listed.
const MAX_LISTED_BODIES: usize = 10;

pub fn slim(run: &Run, wanted: &SlimOptions, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let Inputs { all: mut inputs, mut failed, .. } = run.inputs()?;
    if inputs.len() > 1 && matches!(wanted.to, OutputMode::Copy(_)) {
        return Err(UsageError::new("-o accepts a single log")
            .help("use -w to replace several logs, with backups")
            .into());
    }
    let planned = match &wanted.to {
        OutputMode::Copy(copies) => vec![PlannedFile::product(&copies.to, copies.existing)],
        _ => Vec::new(),
    };
    wanted.to.is_stream(inputs.len() > 1)?;
    products::check_collisions(run, &mut inputs, planned)?;
    let mut ended = None;
    let mut logs = wanted.json.then(Vec::new);
    let work = |doc: io::Result<Doc>, _: usize| {
        let doc = doc?;
        if doc.cells.is_some() {
            return Err(io::Error::other("slim does not support databases"));
        }
        let made = SlimResult::of(&doc, run, wanted.restore)?;
        Ok((doc, made))
    };
    run.each_doc(&inputs, work, |input, done: io::Result<(Doc, SlimResult)>| {
        let result = match done {
            Ok((doc, made)) => deliver(run, wanted, &doc, &made, *input == Input::Stdin, &mut logs, out),
            Err(error) => {
                print_error(&describe_error(&label_of(input), &error));
                Ok(Outcome::Failed)
            }
        };
        match result {
            Ok(outcome) => failed |= outcome == Outcome::Failed,
            Err(Failure::Usage(usage_error)) => {
                print_error(&usage_error.message);
                failed = true;
            }
            Err(fresh @ Failure::RecentlyModified(_)) => {
                print_error(&fresh.to_string());
                failed = true;
            }
            Err(failure) => ended = Some(failure),
        }
        ended.is_none()
    });
    if let Some(logs) = &logs {
        let is_stdin = inputs.contains(&Input::Stdin) && !matches!(wanted.to, OutputMode::Copy(_));
        let filters = is_stdin || matches!(wanted.to, OutputMode::Stream);
        let mut to: Box<dyn Write> = if filters { Box::new(stderr()) } else { Box::new(&mut *out) };
        slim_report::print(logs, &mut *to)?;
    }
    match ended {
        Some(failure) => Err(failure),
        None => Ok(if failed { Outcome::Failed } else { Outcome::Clean }),
    }
}

/// The result for one document.
struct SlimResult {
    /// The restored document; `None` if it has no references.
    restored: Option<RestoredDoc>,
    /// `None` if references are only restored.
    slim: Option<SlimPlan>,
}

impl SlimResult {
    /// A log that was slimmed before is restored first, then slimmed as a whole.
    fn of(doc: &Doc, run: &Run, restore: bool) -> io::Result<SlimResult> {
        let options = run.lints.options_for(&doc.label);
        let restored = match restore::has_references(&*doc.bytes)? {
            true => Some(restore::restore(doc.id, &*doc.bytes, &options.read)?),
            false => None,
        };
        let full = restored.as_ref().map_or(&*doc.bytes, |restored| &*restored.bytes);
        let sound = restored.as_ref().is_none_or(|restored| restored.unresolved.is_empty());
        let slim = (!restore && sound).then(|| slim::slim(doc.id, full, &options.read)).transpose()?;
        Ok(SlimResult { restored, slim })
    }

    fn full<'m>(&'m self, doc: &'m Doc) -> &'m dyn ReadAt {
        self.restored.as_ref().map_or(&*doc.bytes, |restored| &*restored.bytes)
    }
}

fn deliver(
    run: &Run,
    wanted: &SlimOptions,
    doc: &Doc,
    made: &SlimResult,
    is_stdin: bool,
    logs: &mut Option<Vec<Value>>,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let full = made.full(doc);
    let no_edits = Vec::new();
    let edits = made.slim.as_ref().map_or(&*no_edits, |slim| slim.patch.edits(doc.id));
    let view = PatchedView::new(full, Pieces::new(edits, doc.id, full.len()));
    let reason = match refusal(made, doc) {
        None => damage(made, doc, &view, edits)?.map(|bug| (bug, true)),
        reason => reason,
    };
    if let Some((message, is_failure)) = &reason {
        // A file found in a folder may be anything.
        if *is_failure || doc.named || run.verbose {
            print_error(message);
        }
    }
    let failed = reason.as_ref().is_some_and(|(_, is_failure)| *is_failure);
    let changed = reason.is_none() && !is_equal(&*doc.bytes, &view)?;
    let filter = match wanted.to {
        OutputMode::Stream => true,
        OutputMode::Preview | OutputMode::InPlace(_) => is_stdin,
        OutputMode::Copy(_) | OutputMode::Patch | OutputMode::Sql | OutputMode::Install => false,
    };
    let original = &*doc.bytes;
    let text: &dyn ReadAt = if changed { &view } else { original };
    if filter {
        commit::copy(text, out)?;
    }
    let mut summary_out: Box<dyn Write> = if filter { Box::new(stderr()) } else { Box::new(out) };
    let quiet = run.quiet || logs.is_some();
    if reason.is_none() && !quiet {
        match made.restored.as_ref().filter(|_| !changed && made.slim.is_some()) {
            Some(restored) => {
                let references = count(restored.references, "reference");
                writeln!(summary_out, "{}: already slim ({references})", display_name(&doc.label))?;
            }
            None => print_summary(made, doc, view.len(), &mut *summary_out)?,
        }
    }
    if matches!(wanted.to, OutputMode::InPlace(_)) {
        commit::sweep_doc_folders(doc);
    }
    let (mut written, mut backup) = (None, None);
    match &wanted.to {
        _ if filter || failed => {}
        OutputMode::InPlace(how) if changed => {
            let replaced = commit::replace(doc, &view, how).map_err(commit_failure)?;
            products::report_lost_metadata(&doc.label, &replaced.lost);
            backup = replaced.backup.map(|path| path.to_string_lossy().into_owned());
            written = Some(doc.label.clone());
            if !quiet {
                let old =
                    backup.as_ref().map(|path| format!("; backup: {}", display_name(path))).unwrap_or_default();
                print_note(&format!("{}: written{old}", display_name(&doc.label)));
            }
        }
        OutputMode::Copy(OutputPath { to, existing }) => {
            let lost = new_file::write_new(to, text, *existing).map_err(commit_failure)?;
            products::report_lost_metadata(&to.to_string_lossy(), &lost);
            written = Some(to.to_string_lossy().into_owned());
        }
        OutputMode::Preview if changed && !quiet => {
            let apply = CommandLine::new("slim").flag("-w").on_input(&doc.label);
            writeln!(summary_out, "  No files were changed. Apply with `{apply}` (keeps a backup).")?;
        }
        _ => {}
    }
    if let Some(logs) = logs {
        let after = if reason.is_none() { view.len() } else { doc.bytes.len() };
        let saving = SlimReport {
            path: &doc.label,
            before: doc.bytes.len(),
            full: full.len(),
            after,
            restored: made.restored.as_ref(),
            slim: made.slim.as_ref(),
            refused: reason.as_ref().map(|(why, _)| why.as_str()),
            written,
            backup,
        };
        logs.push(saving.value());
    }
    Ok(if failed { Outcome::Failed } else { Outcome::Clean })
}

/// Why a document is not slimmed, and whether that is a failure; `None` if it is.
fn refusal(made: &SlimResult, doc: &Doc) -> Option<(String, bool)> {
    let label = display_name(&doc.label);
    if let Some((record, why)) = made.restored.as_ref().and_then(|restored| restored.unresolved.first()) {
        return Some((format!("{label}: record {record}: {why}; nothing was changed"), true));
    }
    match made.slim.as_ref()?.refusal? {
        SlimRefusal::NoLog => Some((format!("{label}: nothing to slim (a single document, not a log)"), false)),
        SlimRefusal::Order(record) => Some((
            format!(
                "{label}: record {record}: the offset is not greater than the previous one (RL625), so the \
                 content of requests is uncertain; nothing was changed"
            ),
            true,
        )),
    }
}

/// Compares the result with the original before it is written; returns what differs.
fn damage(made: &SlimResult, doc: &Doc, view: &PatchedView<'_>, edits: &[Edit]) -> io::Result<Option<String>> {
    let full = made.full(doc);
    let compare = |before: &dyn ReadAt, after: &dyn ReadAt, touched: Option<&[Place]>| -> io::Result<_> {
        let container = framing::sniff(before)?;
        let texts = guard::PatchedTexts { id: doc.id, before, after, container, kept: Vec::new(), lines: &[] };
        let nothing = guard::RecordDetector { steps: &[], format: None };
        Ok(guard::check(&texts, touched, &nothing)?.damage)
    };
    let touched: Vec<Place> = edits.iter().map(|edit| edit.at).collect();
    let damage = match compare(full, view, Some(&touched))? {
        None if made.restored.is_some() => compare(&*doc.bytes, full, None)?,
        damage => damage,
    };
    Ok(damage.map(|damage| format!("{}: {}", display_name(&doc.label), damage.describe("slim"))))
}

fn is_equal(a: &dyn ReadAt, b: &dyn ReadAt) -> io::Result<bool> {
    const STEP: u64 = 1 << 20;
    if a.len() != b.len() {
        return Ok(false);
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for at in (0..a.len()).step_by(STEP as usize) {
        let len = STEP.min(a.len() - at) as usize;
        a.read_into(at, len, &mut left)?;
        b.read_into(at, len, &mut right)?;
        if left != right {
            return Ok(false);
        }
    }
    Ok(true)
}

fn print_summary(made: &SlimResult, doc: &Doc, after: u64, out: &mut dyn Write) -> io::Result<()> {
    let label = display_name(&doc.label);
    let full = made.full(doc).len();
    let Some(slim) = &made.slim else {
        let references = made.restored.as_ref().map_or(0, |restored| restored.references);
        let others = made.restored.as_ref().map_or(0, |restored| restored.reformatted);
        let bodies = count(references, "reference");
        writeln!(
            out,
            "{label}: {bodies} restored, {} bytes become {}",
            group_digits(doc.bytes.len()),
            group_digits(full)
        )?;
        return match others {
            0 => writeln!(out, "  byte-identical to the original"),
            n if n == references => {
                writeln!(out, "  same values; spacing or escapes may differ from the original bytes")
            }
            n => writeln!(
                out,
                "  {n} of them with the same values, but spacing or escapes may differ; the rest is byte-identical"
            ),
        };
    };
    let Savings { records: _, lists, items, repeated, references } = slim.saved;
    if lists == 0 {
        writeln!(out, "{label}: nothing to slim")?;
    } else {
        let percent = after * 100 / full.max(1);
        writeln!(out, "{label}: {} bytes become {} ({percent}%)", group_digits(full), group_digits(after))?;
        writeln!(
            out,
            "  {} in {}: {} repeated bytes replaced with {} bytes of references",
            count(items, "item"),
            count(lists, "list"),
            group_digits(repeated),
            group_digits(references)
        )?;
        writeln!(
            out,
            "  projected for a log ten times as long: {} bytes, slimmed {}",
            group_digits(projected_size(full, repeated)),
            group_digits(after * 10)
        )?;
    }
    if !slim.divergent.is_empty() {
        let bodies = if slim.divergent.len() == 1 {
            "1 body is kept"
        } else {
            &format!("{} bodies are kept", slim.divergent.len())
        };
        writeln!(out, "  {bodies}, because they differ from the history:")?;
    }
    for DivergentBody { record, pointer, request, difference } in slim.divergent.iter().take(MAX_LISTED_BODIES) {
        let (body, history) = (&difference.body, &difference.history);
        writeln!(out, "    record {record} {pointer}, request at offset {request}: {body}; history: {history}")?;
    }
    if slim.divergent.len() > MAX_LISTED_BODIES {
        writeln!(out, "    and {} more", slim.divergent.len() - MAX_LISTED_BODIES)?;
    }
    Ok(())
}

/// Projected bytes of the log at ten times its length: repeated parts grow quadratically.
pub fn projected_size(full: u64, repeated: u64) -> u64 {
    (full - repeated.min(full)) * 10 + repeated * 100
}
