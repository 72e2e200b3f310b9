//! `fix`: previews repairs as a diff; with `-w`, `-o` or as a filter, applies them.

mod added_files;
pub mod agents;
mod deliver;
pub(super) mod plan;
mod statements;

use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::path::PathBuf;

use crate::options::UsageError;
use crate::repair::FixOptions;
use crate::report::change_counts::ChangeCounts;
use crate::report::changes::{self, ChangeNote};
use crate::report::command_line::CommandLine;
use crate::report::preview::Preview;
use crate::report::skipped_groups::{self, SkippedGroups};
use crate::report::{self, DocReport, Reporter, RunSummary, updates};
use crate::source::{Input, describe_error, display_name};

use super::check::{is_not_conversation, report_nothing_found};
use super::databases;
use super::dropped_items::DroppedItems;
use super::run::Inputs;
use super::run::consent::{Consent, ask};
use super::run::fix_summary::FixSummary;
use super::run::labels::label_of;
use super::run::outcome::recently_modified_message;
use super::run::products::{self, OutputMode, PlannedFile};
use super::run::walked_files;
use super::{Failure, Outcome, ReportOutput, Run, print_error, print_note, refusals, stderr};

use plan::{RepairOutcome, RepairPlanner};

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

pub fn fix(run: &Run, repairs: &Repairs, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let Inputs { all: mut inputs, failed, ignored_counts } = run.inputs()?;
    let several = products::has_several_outputs(run, &inputs);
    let mut planned = match &repairs.to {
        OutputMode::Copy(copies) => copies.planned_files(run, &inputs, several)?,
        _ => Vec::new(),
    };
    planned.extend(repairs.dropped.iter().map(|path| PlannedFile::list(path, "--dropped")));
    products::check_collisions(run, &mut inputs, planned)?;
    let mut session = FixRun::new(run, repairs, &inputs, several, failed)?;
    session.summary.ignored = ignored_counts;
    session.repair(&inputs, &|_| true, out)?;
    session.finish(out)
}

/// Writes the repair of one document without asking or printing; `None` if it could not be written, which was reported.
pub(super) fn write_one(
    run: &Run,
    repairs: &Repairs,
    input: &Input,
    repair: RepairOutcome,
) -> Result<Option<ReplacedFile>, Failure> {
    let mut session = FixRun::new(run, repairs, std::slice::from_ref(input), false, false)?;
    session.is_summed = true;
    session.add(repair, &mut io::sink())?;
    session.write_pending(&mut io::sink())?;
    recently_modified_message(&session.recently_modified).iter().for_each(|fresh| print_error(fresh));
    Ok(session.replaced.take().pop())
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
    /// Only totals are printed, neither a diff nor a line for each file.
    is_summed: bool,
    /// The files that were replaced.
    replaced: RefCell<Vec<ReplacedFile>>,
}

/// A file that was replaced by its repair.
pub(super) struct ReplacedFile {
    pub backup: Option<PathBuf>,
}

impl<'r> FixRun<'r> {
    /// Repairs the inputs, except those whose repair is not `wanted`.
    fn repair(
        &mut self,
        inputs: &[Input],
        wanted: &dyn Fn(&RepairOutcome) -> bool,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let planner = RepairPlanner::new(self.run, &self.repairs.options, inputs)
            .for_preview(self.only_previews())
            .for_text(self.run.has_only_text());
        let mut ended = None;
        self.run.each_doc(
            inputs,
            |doc, threads| planner.plan(doc?, threads),
            |input, done| {
                let result = match done {
                    Ok(done) if !wanted(&done) => Ok(()),
                    Ok(done) => self.add(done, out),
                    Err(error) => {
                        print_error(&describe_error(&label_of(input), &error));
                        self.failed = true;
                        Ok(())
                    }
                };
                ended = result.err();
                ended.is_none()
            },
        );
        ended.map_or_else(|| self.write_pending(out), Err)
    }

    /// True if only a preview shows changes, some of each kind.
    fn only_previews(&self) -> bool {
        matches!(self.repairs.to, OutputMode::Preview)
            && !self.is_filter
            && !self.repairs.all
            && self.run.has_only_text()
    }

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
        let is_filter = preview && inputs.contains(&Input::Stdin) || repairs.to.is_stream(several)?;
        let writes = is_filter || !matches!(repairs.to, OutputMode::Preview | OutputMode::Patch | OutputMode::Sql);
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
            consent: Consent::for_run(matches!(repairs.to, OutputMode::InPlace(_)) && !is_filter, repairs.yes),
            recently_modified: Vec::new(),
            is_filter,
            preview: RefCell::new(Preview::new(run.style, repairs.all)),
            has_machine_report: report_outputs
                .iter()
                .any(|report_output| report_output.file.is_none() && !report_output.report.is_for_people()),
            report_outputs,
            is_summed: false,
            replaced: RefCell::default(),
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
                plan.write(database, how, removed, self.dropped.as_ref()).map(|backup| {
                    backup
                        .into_iter()
                        .for_each(|backup| self.report_replaced(&database.to_string_lossy(), backup));
                })
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
            if matches!(self.repairs.to, OutputMode::Preview) {
                self.preview(&done, out)?;
            }
            self.count(done);
        }
        Ok(())
    }

    fn report_unwritten(&mut self, failure: Failure) -> Result<(), Failure> {
        match failure {
            Failure::Usage(usage_error) => print_error(&usage_error.message),
            // Among all sessions of an agent, one that is in use is expected.
            Failure::RecentlyModified(path) if self.is_summed => {
                self.recently_modified.push(path);
                self.unwritten += 1;
                return Ok(());
            }
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
        self.summary.add(&done.remaining_counts, self.run.denies_warnings(&done.remaining.path));
        let changed = !done.fixed.changes.is_empty();
        self.changed |= changed;
        self.counts.add(&done.fixed);
        self.summary.packed |= changed && !done.doc.has_writable_files();
        match self.changes.is_empty() {
            true => self.changes = done.notes,
            false => self.changes.extend(done.notes),
        }
        self.remaining.push(done.remaining);
        self.skipped_groups.extend(done.skipped_groups);
    }

    fn finish(mut self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        // With text, a patch or a diff on standard output, the summary goes to standard error.
        self.preview.get_mut().finish(out)?;
        out.flush()?;
        recently_modified_message(&self.recently_modified).iter().for_each(|fresh| print_error(fresh));
        let body = self.is_filter || matches!(self.repairs.to, OutputMode::Patch | OutputMode::Sql);
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
        !self.is_filter && matches!(self.repairs.to, OutputMode::Preview | OutputMode::Patch | OutputMode::Sql)
    }

    fn outcome(&self) -> Outcome {
        let failed = self.failed || report_nothing_found(self.run, self.recognised, &self.summary, self.failed);
        let found = self.summary.fails() || self.consent == Consent::Refused || self.changed && self.is_preview();
        self.run.outcome(failed, found)
    }
}
