//! Planning the repair of a document: nothing is written yet.

use std::io;
use std::path::Path;

use crate::place::Pieces;
use crate::repair::{self, DocRepair, FixOptions, handover};
use crate::report::changes::{self, ChangeNote};
use crate::report::html::draw;
use crate::report::prediction::predictions::Predictions;
use crate::report::skipped_groups::{self, SkippedGroups};
use crate::report::{
    ContentDisplay, Diagnostic, DocReport, FindingSample, RunSummary, SimilarFindings, segment_locations,
};
use crate::source::outputs::commit::ReplaceOptions;
use crate::source::{Doc, Input, PatchedView, segments};

use crate::commands::numbered_logs::ForkIndex;
use crate::commands::run::{severities, walked_files};
use crate::commands::{Run, refusals};

/// The repair of one document.
pub(in crate::commands) struct RepairOutcome {
    pub doc: Doc,
    pub fixed: DocRepair,
    pub notes: Vec<ChangeNote>,
    pub remaining: DocReport,
    /// Counts of all findings that remain.
    pub remaining_counts: RunSummary,
    pub skipped_groups: Vec<SkippedGroups>,
    /// The document was found in a folder, and nothing in it looks like a conversation.
    pub is_unrecognised: bool,
    pub skipped: bool,
    /// Files that continue from a part of it, so that it is not changed in place.
    pub pinned_by: Vec<String>,
}

impl RepairOutcome {
    /// The database that contains the document.
    pub fn database(&self) -> Option<&Path> {
        self.doc.cells.as_ref().map(|cells| cells.path.as_path())
    }
}

/// Only a file that a program maintains may be incomplete right after a modification.
pub(super) fn replace_options(done: &RepairOutcome, how: &ReplaceOptions) -> ReplaceOptions {
    let is_live = done.fixed.before.format.is_none_or(|format| format.info().is_live_store());
    ReplaceOptions { is_live, ..how.clone() }
}

/// Plans the repairs of documents.
pub(in crate::commands) struct RepairPlanner<'r> {
    run: &'r Run,
    options: &'r FixOptions,
    pins: ForkIndex<'r>,
    content: ContentDisplay,
    /// Only a preview shows changes, some of each kind.
    is_preview: bool,
    /// Of the findings that remain, those that text only counts are not read.
    is_sampled: bool,
}

impl<'r> RepairPlanner<'r> {
    pub fn new(run: &'r Run, options: &'r FixOptions, inputs: &'r [Input]) -> Self {
        let pins = ForkIndex::new(run, inputs);
        RepairPlanner { run, options, pins, content: run.content(), is_preview: false, is_sampled: false }
    }

    /// The same, for a preview that shows some changes of each kind, or for a report of all.
    pub fn for_preview(self, is_preview: bool) -> Self {
        RepairPlanner { is_preview, ..self }
    }

    /// The same, for text that shows some of the findings that remain, or for a report of all.
    pub fn for_text(self, is_sampled: bool) -> Self {
        RepairPlanner { is_sampled, ..self }
    }

    /// Plans the repair of a document.
    pub fn plan(&self, doc: Doc, threads: usize) -> io::Result<RepairOutcome> {
        let run = self.run;
        let options = run.lints.options_for(&doc.label);
        let wanted = severities::with_accepted_findings(run, &doc, options, self.options, threads)?;
        let mut fixed = repair::fix(doc.id, &*doc.bytes, options, &wanted, threads)?;
        let moves = fixed.has_numbered_lines && (!fixed.patch.is_empty() || fixed.provider_refusal.is_some());
        let pinned_by = if moves && !self.options.writes_copy { self.pins.forks_of(&doc) } else { Vec::new() };
        if !pinned_by.is_empty() {
            let pinned = FixOptions { pinned: true, ..wanted.into_owned() };
            fixed = repair::fix(doc.id, &*doc.bytes, options, &pinned, threads)?;
        }
        if let Some(why) = refusals::refusal(&doc, &fixed, options)? {
            return Err(io::Error::other(why));
        }
        let unrecognised = fixed.before.format.is_none() && !doc.named;
        // Locations in one of several files are found by those in the whole log.
        let is_preview = self.is_preview && doc.segments.is_empty();
        let describe = if is_preview { changes::notes_for_preview } else { changes::notes };
        let mut notes = describe(doc.id, &doc.label, &*doc.bytes, &fixed)?;
        let read = match unrecognised {
            true => {
                let damage = walked_files::damage(&doc, options, &mut fixed.before, self.content)?;
                damage.map(|diagnostics| RemainingFindings { diagnostics, ..RemainingFindings::default() })
            }
            false => Some(self.read_remaining(&doc, &fixed)?),
        };
        let skipped = read.is_none();
        let RemainingFindings { mut diagnostics, similar, counts } = read.unwrap_or_default();
        let is_unrecognised = unrecognised && !walked_files::was_conversation(&diagnostics);
        let accepted = severities::apply_overrides(run, &doc.label, &mut diagnostics);
        let remaining_counts = counts.unwrap_or_else(|| RunSummary::of(&diagnostics));
        let skipped_groups = skipped_groups::notes(doc.id, &doc.label, &*doc.bytes, &fixed)?;
        segment_locations::notes(&doc.segments, &mut notes);
        if !doc.segments.is_empty() {
            let edits = fixed.patch.edits(doc.id);
            let view = PatchedView::new(&*doc.bytes, Pieces::new(edits, doc.id, doc.bytes.len()));
            segment_locations::diagnostics(
                &segments::shift_segments(&doc.segments, edits, &view)?,
                &mut diagnostics,
            );
        }
        let update = handover::build_update(doc.id, &*doc.bytes, &fixed)?;
        let page = match run.has_page() && !skipped {
            true => Some(draw::draw_repair(run.drawing("fix", &doc, options), &fixed, &notes, &diagnostics)?),
            false => None,
        };
        let remaining = DocReport {
            update,
            page,
            accepted,
            similar,
            ..DocReport::new(&doc.label, fixed.remaining(), diagnostics)
        };
        Ok(RepairOutcome {
            doc,
            fixed,
            notes,
            remaining,
            remaining_counts,
            skipped_groups,
            is_unrecognised,
            skipped,
            pinned_by,
        })
    }

    /// Reads the findings that remain after a repair, or a sample of them.
    fn read_remaining(&self, doc: &Doc, fixed: &DocRepair) -> io::Result<RemainingFindings> {
        let (run, findings) = (self.run, fixed.remaining());
        let has_overrides = run.lints.effective(&doc.label).has_overrides();
        let predictions = Predictions::of_remaining(fixed);
        let sample = match self.is_sampled && !has_overrides {
            true => FindingSample::of(findings, &predictions.outcomes, &run.style),
            false => FindingSample::all(),
        };
        let counts = (!has_overrides).then(|| RunSummary::of_judged(&findings.findings, &predictions));
        let diagnostics = changes::diagnose_remaining(
            doc.id,
            &doc.label,
            &*doc.bytes,
            fixed,
            &predictions,
            &sample,
            self.content,
        )?;
        Ok(RemainingFindings { diagnostics, similar: sample.similar, counts })
    }
}

/// The findings that remain after a repair.
#[derive(Default)]
struct RemainingFindings {
    diagnostics: Vec<Diagnostic>,
    similar: Vec<SimilarFindings>,
    /// Counts of all of them; `None` if the diagnostics are to be counted: the config file overrides some.
    counts: Option<RunSummary>,
}
