//! `fix`: previews repairs as a diff; with `-w`, `-o` or as a filter, applies them.

mod deliver;

use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::options::UsageError;
use crate::place::Pieces;
use crate::repair::{self, DocRepair, FixOptions, handover};
use crate::report::change_counts::ChangeCounts;
use crate::report::changes::{self, ChangeNote};
use crate::report::command_line::CommandLine;
use crate::report::html::draw;
use crate::report::preview::Preview;
use crate::report::skipped_groups::{self, SkippedGroups};
use crate::report::{self, DocReport, Reporter, RunSummary, segment_locations, updates};
use crate::source::outputs::commit::ReplaceOptions;
use crate::source::{Doc, Input, Packing, PatchedView, describe_error, display_name, segments};

use super::check::{is_not_conversation, report_nothing_found};
use super::databases;
use super::dropped_items::DroppedItems;
use super::numbered_logs::ForkIndex;
use super::run::Inputs;
use super::run::consent::{Consent, ask};
use super::run::fix_summary::FixSummary;
use super::run::labels::label_of;
use super::run::outcome::recently_modified_message;
use super::run::products::{self, OutputMode, PlannedFile};
use super::run::{severities, walked_files};
use super::{Failure, Outcome, ReportOutput, Run, print_error, print_note, refusals, stderr};

/// Options of `fix` besides those of all commands.
pub struct Repairs {
    pub options: FixOptions,
    pub to: OutputMode,
    /// File to which removed items are appended, one per line.
    pub dropped: Option<PathBuf>,
    /// The preview shows every change, not only the first ones of each kind.
    pub all: bool,
    /// Lossy repairs are written without asking.
    pub yes: bool,
}

/// The repair of one document.
struct RepairOutcome {
    doc: Doc,
    fixed: DocRepair,
    notes: Vec<ChangeNote>,
    remaining: DocReport,
    skipped_groups: Vec<SkippedGroups>,
    /// The document was found in a folder, and nothing in it looks like a conversation.
    is_unrecognised: bool,
    skipped: bool,
    /// Files that continue from a part of it, so that it is not changed in place.
    pinned_by: Vec<String>,
}

impl RepairOutcome {
    /// The database that contains the document.
    fn database(&self) -> Option<&Path> {
        self.doc.cells.as_ref().map(|cells| cells.path.as_path())
    }
}

/// Only a file that a program maintains may be incomplete right after a modification.
fn replace_options(done: &RepairOutcome, how: ReplaceOptions) -> ReplaceOptions {
    ReplaceOptions { is_live: done.fixed.before.format.is_none_or(|format| format.info().is_live_store()), ..how }
}

pub fn fix(run: &Run, repairs: &Repairs, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let Inputs { all: mut inputs, failed, ignored_counts: ignored } = run.inputs()?;
    let several = products::has_several_outputs(run, &inputs);
    let mut planned = match &repairs.to {
        OutputMode::Copy(copies) => copies.planned_files(&inputs, several)?,
        _ => Vec::new(),
    };
    planned.extend(repairs.dropped.iter().map(|path| PlannedFile::list(path, "--dropped")));
    products::check_collisions(run, &mut inputs, planned)?;
    let mut session = FixRun::new(run, repairs, &inputs, several, failed)?;
    session.summary.ignored = ignored;
    let content = run.content();
    let pins = ForkIndex::new(run, &inputs);
    let work = |doc: io::Result<Doc>, threads: usize| -> io::Result<RepairOutcome> {
        let doc = doc?;
        let options = run.lints.options_for(&doc.label);
        let wanted = severities::with_accepted_findings(run, &doc, options, &repairs.options, threads)?;
        let mut fixed = repair::fix(doc.id, &*doc.bytes, options, &wanted, threads)?;
        let moves = fixed.has_numbered_lines && (!fixed.patch.is_empty() || fixed.provider_refusal.is_some());
        let pinned_by = if moves && !repairs.options.writes_copy { pins.forks_of(&doc) } else { Vec::new() };
        if !pinned_by.is_empty() {
            let pinned = FixOptions { pinned: true, ..wanted.into_owned() };
            fixed = repair::fix(doc.id, &*doc.bytes, options, &pinned, threads)?;
        }
        if let Some(why) = refusals::refusal(&doc, &fixed, options)? {
            return Err(io::Error::other(why));
        }
        let unrecognised = fixed.before.format.is_none() && !doc.named;
        let mut notes = changes::notes(doc.id, &doc.label, &*doc.bytes, &fixed)?;
        let left = match unrecognised {
            true => walked_files::damage(&doc, options, &mut fixed.before, content)?,
            false => Some(changes::remaining_diagnostics(doc.id, &doc.label, &*doc.bytes, &fixed, content)?),
        };
        let skipped = left.is_none();
        let mut left = left.unwrap_or_default();
        let is_unrecognised = unrecognised && !walked_files::was_conversation(&left);
        let accepted = severities::apply_overrides(run, &doc.label, &mut left);
        let skipped_groups = skipped_groups::notes(doc.id, &doc.label, &*doc.bytes, &fixed)?;
        segment_locations::notes(&doc.segments, &mut notes);
        if !doc.segments.is_empty() {
            let edits = fixed.patch.edits(doc.id);
            let view = PatchedView::new(&*doc.bytes, Pieces::new(edits, doc.id, doc.bytes.len()));
            segment_locations::diagnostics(&segments::shift_segments(&doc.segments, edits, &view)?, &mut left);
        }
        let update = handover::build_update(doc.id, &*doc.bytes, &fixed)?;
        let page = match run.has_page() && !skipped {
            true => Some(draw::draw_repair(run.drawing("fix", &doc, options), &fixed, &notes, &left)?),
            false => None,
        };
        let left = DocReport { update, page, accepted, ..DocReport::new(&doc.label, fixed.remaining(), left) };
        Ok(RepairOutcome {
            doc,
            fixed,
            notes,
            remaining: left,
            skipped_groups,
            is_unrecognised,
            skipped,
            pinned_by,
        })
    };
    let mut ended = None;
    run.each_doc(&inputs, work, |input, done| {
        let result = match done {
            Ok(done) => session.add(done, out),
            Err(error) => {
                print_error(&describe_error(&label_of(input), &error));
                session.failed = true;
                Ok(())
            }
        };
        ended = result.err();
        ended.is_none()
    });
    match ended {
        Some(failure) => Err(failure),
        None => session.write_pending(out).and_then(|()| session.finish(out)),
    }
}

struct FixRun<'r> {
    run: &'r Run,
    repairs: &'r Repairs,
    several: bool,
    failed: bool,
    /// Number of documents whose repair could not be written.
    unwritten: u64,
    changed: bool,
    recognised: u64,
    summary: RunSummary,
    counts: ChangeCounts,
    changes: Vec<ChangeNote>,
    remaining: Vec<DocReport>,
    /// Groups that `--reasoning` selects and that cannot be changed.
    skipped_groups: Vec<SkippedGroups>,
    /// The list of removed items; `None` in a preview.
    dropped: Option<DroppedItems>,
    /// Histories of the current database, which are written together.
    pending: Vec<RepairOutcome>,
    /// True if something of the current document was written.
    wrote: Cell<bool>,
    consent: Consent,
    /// Files that were just modified, so that their programs may still be writing.
    recently_modified: Vec<PathBuf>,
    /// The repaired text goes to standard output, and everything else to standard error.
    is_filter: bool,
    report_outputs: Vec<ReportOutput>,
    preview: RefCell<Preview>,
    /// A report for programs goes to standard output, so no diff is printed.
    has_machine_report: bool,
}

impl<'r> FixRun<'r> {
    fn new(
        run: &'r Run,
        repairs: &'r Repairs,
        inputs: &[Input],
        several: bool,
        failed: bool,
    ) -> Result<Self, Failure> {
        let preview = matches!(repairs.to, OutputMode::Preview | OutputMode::InPlace(_));
        let report_outputs = run.report_outputs(report::Style { quiet: true, ..run.style })?;
        if report_outputs.iter().any(|report_output| report_output.report.is_refused().is_some()) {
            return Err(UsageError::new("fix has no output format api-error")
                .help(format!(
                    "`{}` prints it",
                    CommandLine::new("check").with("--output-format", "api-error").on_all_inputs()
                ))
                .into());
        }
        let filter = preview && inputs.contains(&Input::Stdin) || repairs.to.is_stream(several)?;
        let writes = filter || !matches!(repairs.to, OutputMode::Preview | OutputMode::Patch);
        let dropped =
            repairs.dropped.as_ref().filter(|_| writes).map(|path| DroppedItems::new(path)).transpose()?;
        Ok(FixRun {
            run,
            repairs,
            several,
            failed,
            unwritten: 0,
            changed: false,
            recognised: 0,
            summary: RunSummary::default(),
            counts: ChangeCounts::default(),
            changes: Vec::new(),
            remaining: Vec::new(),
            skipped_groups: Vec::new(),
            dropped,
            pending: Vec::new(),
            wrote: Cell::new(false),
            consent: Consent::for_run(matches!(repairs.to, OutputMode::InPlace(_)) && !filter, repairs.yes),
            recently_modified: Vec::new(),
            is_filter: filter,
            preview: RefCell::new(Preview::new(run.style, repairs.all)),
            has_machine_report: report_outputs
                .iter()
                .any(|report_output| report_output.file.is_none() && !report_output.report.is_for_people()),
            report_outputs,
        })
    }

    fn add(&mut self, done: RepairOutcome, out: &mut dyn Write) -> Result<(), Failure> {
        if self.pending.first().is_some_and(|first| first.database() != done.database()) {
            self.write_pending(out)?;
        }
        let in_place = matches!(self.repairs.to, OutputMode::InPlace(_) | OutputMode::Preview);
        if done.database().is_some() && in_place && !done.skipped {
            self.pending.push(done);
            return Ok(());
        }
        self.begin(&done);
        if done.skipped {
            return Ok(());
        }
        if !self.consent.permits(done.notes.iter(), self.several, ask)? {
            self.report_declined(&done);
            return Ok(());
        }
        if let Err(failure) = self.save_dropped_and_deliver(&done, out) {
            return self.report_unwritten(failure);
        }
        self.count(done);
        Ok(())
    }

    /// Reports that the repair of a document was declined.
    fn report_declined(&mut self, done: &RepairOutcome) {
        print_note(&format!("{}: not changed", display_name(&done.doc.label)));
        self.unwritten += 1;
    }

    /// Writes the pending histories of a database, or previews the changes.
    fn write_pending(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        let pending = std::mem::take(&mut self.pending);
        let Some(database) = pending.first().and_then(RepairOutcome::database) else { return Ok(()) };
        pending.iter().for_each(|done| self.begin(done));
        let notes = pending.iter().flat_map(|done| &done.notes);
        if !self.consent.permits(notes, self.several, ask)? {
            pending.first().into_iter().for_each(|done| self.report_declined(done));
            return Ok(());
        }
        let plan = databases::DatabasePlan::of(pending.iter().map(|done| (&done.doc, &done.fixed)))?;
        for dispute in plan.conflict_messages() {
            print_error(&dispute);
            self.failed = true;
        }
        let written = match &self.repairs.to {
            OutputMode::InPlace(how) => {
                let removed = pending.iter().map(|done| (&done.doc, done.notes.as_slice()));
                plan.write(database, *how, removed, self.dropped.as_ref(), self.run.quiet)
            }
            _ => plan.refusal(database)?.map_or(Ok(()), Err),
        };
        let stays: Vec<bool> = (0..pending.len()).map(|n| plan.is_skipped(n, written.is_ok())).collect();
        if let Err(failure) = written {
            self.report_unwritten(failure)?;
        } else if stays.contains(&true) {
            self.unwritten += 1;
        }
        for (done, _) in pending.into_iter().zip(stays).filter(|(_, stays)| !stays) {
            if matches!(self.repairs.to, OutputMode::Preview) && !self.has_machine_report {
                self.preview(&done, out)?;
            }
            self.count(done);
        }
        Ok(())
    }

    fn report_unwritten(&mut self, failure: Failure) -> Result<(), Failure> {
        match failure {
            Failure::Usage(usage_error) => print_error(&usage_error.message),
            Failure::RecentlyModified(path) => self.recently_modified.push(path),
            failure => return Err(failure),
        }
        self.failed = true;
        self.unwritten += 1;
        Ok(())
    }

    /// Counts and reports a document before anything is written.
    fn begin(&mut self, done: &RepairOutcome) {
        if done.skipped {
            self.summary.skipped += 1;
            walked_files::report_skipped(self.run, &done.doc.label);
            return;
        }
        self.summary.count_file(done.database());
        self.recognised += u64::from(!done.is_unrecognised && !is_not_conversation(&done.remaining));
        if let Some(bug) = &done.fixed.bug {
            print_error(&format!("{}: {bug}", display_name(&done.doc.label)));
            self.failed = true;
        }
        let provider = self.repairs.options.provider.is_some();
        self.failed |= refusals::report(&done.doc.label, &done.fixed, &done.pinned_by, provider, self.run.quiet);
    }

    fn count(&mut self, done: RepairOutcome) {
        self.summary.add_doc(&done.remaining);
        self.summary.count(&done.remaining.diagnostics);
        self.summary.count_denied(&done.remaining.diagnostics, self.run.denies_warnings(&done.remaining.path));
        self.changed |= !done.notes.is_empty();
        self.counts.add(&done.notes);
        self.counts.count_resolved(&done.fixed);
        self.summary.packed |= !done.notes.is_empty() && done.doc.packing != Packing::Plain;
        self.changes.extend(done.notes);
        self.remaining.push(done.remaining);
        self.skipped_groups.extend(done.skipped_groups);
    }

    fn finish(mut self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        // With text, a patch or a diff on standard output, the summary goes to standard error.
        self.preview.get_mut().finish(out)?;
        out.flush()?;
        recently_modified_message(&self.recently_modified).iter().for_each(|fresh| print_error(fresh));
        let body = self.is_filter || matches!(self.repairs.to, OutputMode::Patch);
        let diff = matches!(self.repairs.to, OutputMode::Preview);
        let mut stderr = stderr();
        for mut report_output in std::mem::take(&mut self.report_outputs) {
            let people = report_output.report.is_for_people();
            let to: &mut dyn Write = if body || diff && people { &mut stderr } else { &mut *out };
            report_output.write(to, |report, to| self.write_report(report, to))?;
            report_output.save()?;
        }
        Ok(self.outcome())
    }

    fn write_report(&self, report: &mut dyn Reporter, out: &mut dyn Write) -> io::Result<()> {
        let people = report.is_for_people();
        if people && (!matches!(self.repairs.to, OutputMode::Preview) || self.is_filter) {
            changes::write_list(&self.changes, out)?;
        }
        report.add_repairs(&self.changes, &self.counts);
        self.remaining.iter().try_for_each(|seen| report.write_doc(seen, out))?;
        if people && !self.run.quiet {
            skipped_groups::write(&self.skipped_groups, self.repairs.options.reasoning, out)?;
        }
        if people {
            self.remaining.iter().try_for_each(|seen| updates::write(seen, out))?;
        }
        report.finish(&self.summary, out)?;
        let summary = FixSummary {
            failed: self.failed,
            unwritten: self.unwritten,
            is_preview: self.is_preview(),
            shows_hint: matches!(self.repairs.to, OutputMode::Preview),
            keeps_dropped: self.repairs.dropped.is_some(),
            counts: &self.counts,
            summary: &self.summary,
            width: self.run.style.width,
        };
        if people && !self.run.quiet { summary.write(out) } else { Ok(()) }
    }

    fn is_preview(&self) -> bool {
        !self.is_filter && matches!(self.repairs.to, OutputMode::Preview | OutputMode::Patch)
    }

    fn outcome(&self) -> Outcome {
        let failed = self.failed || report_nothing_found(self.run, self.recognised, &self.summary, self.failed);
        let found = self.summary.fails() || self.consent == Consent::Refused || self.changed && self.is_preview();
        self.run.outcome(failed, found)
    }
}
