//! Where the repair of a document goes: to its file, to a copy, to a patch, or to the screen as a preview.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::diff::unified;
use crate::options::UsageError;
use crate::place::Pieces;
use crate::report::preview::RepairView;
use crate::source::outputs::commit::{self, ReplaceOptions};
use crate::source::outputs::new_file::ExistingFile;
use crate::source::{Doc, PatchedView, display_name, display_path, outputs, segments};

use crate::commands::databases;
use crate::commands::numbered_logs::{install_flattened, write_body, write_flattened};
use crate::commands::positions;
use crate::commands::run::fix_summary::patch_path;
use crate::commands::run::outcome::commit_failure;
use crate::commands::run::products::{self, OutputMode, OutputPath};
use crate::commands::{Failure, print_note};

use super::added_files::{self, AddedFile};
use super::plan::{RepairOutcome, replace_options};
use super::{FixRun, ReplacedFile, statements};

impl FixRun<'_> {
    /// Saves removed items, then delivers the repaired document.
    pub(super) fn save_dropped_and_deliver(
        &self,
        done: &RepairOutcome,
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let Some(dropped) = &self.dropped else { return self.deliver(done, out) };
        let kept = dropped.append(&done.notes, &*done.doc.bytes);
        let kept = kept.map_err(|error| dropped.unsaved_error(&done.doc, &error))?;
        self.wrote.set(false);
        let delivered = self.deliver(done, out);
        if let (Some(kept), Err(_), false) = (&kept, &delivered, self.wrote.get()) {
            dropped.undo_append(kept);
        }
        delivered
    }

    /// Delivers the repaired text to the requested output.
    fn deliver(&self, done: &RepairOutcome, out: &mut dyn Write) -> Result<(), Failure> {
        let doc = &done.doc;
        match &self.repairs.to {
            _ if doc.cells.is_none() => {}
            OutputMode::Patch => return Err(databases::in_place_only_error(doc, "--patch")),
            OutputMode::Copy(_) | OutputMode::Stream => return Err(databases::in_place_only_error(doc, "-o")),
            OutputMode::Install => return Err(databases::in_place_only_error(doc, "--install")),
            OutputMode::Preview | OutputMode::InPlace(_) | OutputMode::Sql => {}
        }
        if matches!(self.repairs.to, OutputMode::Sql) {
            return statements::write(done, out);
        }
        let edits = done.fixed.patch.edits(doc.id);
        let pieces = Pieces::new(edits, doc.id, doc.bytes.len());
        let view = PatchedView::new(&*doc.bytes, pieces);
        if doc.path.is_none() && doc.segments.is_empty() && self.is_filter {
            self.wrote.set(true);
            commit::copy(&view, out)?;
            return Ok(());
        }
        if matches!(self.repairs.to, OutputMode::Install) {
            if !edits.is_empty() || done.fixed.is_renumbered {
                let format = done.fixed.before.format.filter(|_| done.fixed.has_numbered_lines);
                install_flattened(self.run, doc, &view, format)?;
                self.wrote.set(true);
            }
            return Ok(());
        }
        if matches!(self.repairs.to, OutputMode::Stream) {
            self.wrote.set(true);
            let format = done.fixed.before.format.filter(|_| done.fixed.has_numbered_lines);
            return write_body(doc, &view, format, out);
        }
        if matches!(self.repairs.to, OutputMode::InPlace(_)) {
            commit::sweep_doc_folders(doc);
            if let Some(format) = done.fixed.before.format.filter(|_| !edits.is_empty())
                && let Some(why) = positions::refusal(doc, &view, format)?
            {
                return Err(UsageError::new(why).into());
            }
        }
        if let (OutputMode::Copy(copies), true) = (&self.repairs.to, done.fixed.has_numbered_lines)
            && let Some(format) = done.fixed.before.format
            && let Some(path) = write_flattened(self.run, copies, doc, &view, format, self.several)?
        {
            self.wrote.set(true);
            products::report_lost_metadata(&path.0.to_string_lossy(), &path.1);
            return Ok(());
        }
        if !doc.segments.is_empty() && !matches!(self.repairs.to, OutputMode::Preview) {
            return self.deliver_segments(done, out);
        }
        match &self.repairs.to {
            OutputMode::Preview => self.preview(done, out)?,
            OutputMode::Patch => unified::write(&patch_path(&doc.label), doc.id, &*doc.bytes, edits, out)?,
            OutputMode::InPlace(how) if !edits.is_empty() => {
                self.replace(doc, &view, &replace_options(done, how))?
            }
            OutputMode::InPlace(_) | OutputMode::Stream | OutputMode::Sql | OutputMode::Install => {}
            OutputMode::Copy(copies) => self.copy(copies, doc, &view)?,
        }
        Ok(())
    }

    /// Delivers each file of a log to the requested output.
    fn deliver_segments(&self, done: &RepairOutcome, out: &mut dyn Write) -> Result<(), Failure> {
        let doc = &done.doc;
        let (added, edits) = added_files::split(doc, done.fixed.patch.edits(doc.id))?;
        let (edits, total) = (edits.as_slice(), doc.bytes.len());
        for segment in doc.segments.iter().filter(|segment| !segment.is_base) {
            let own = segments::segment_edits(segment, edits, doc.id, total);
            let changed = own.is_some();
            let own = own.unwrap_or_else(|| segments::isolate(segment, doc.id, total));
            let view = PatchedView::new(&*doc.bytes, Pieces::new(&own, doc.id, total));
            match &self.repairs.to {
                OutputMode::InPlace(how) if changed => {
                    self.replace(&doc.of_segment(segment), &view, &replace_options(done, how))?
                }
                OutputMode::Patch if changed => {
                    let local = segments::local_edits(segment, edits, doc.id, &*doc.bytes)?;
                    let file = PatchedView::new(
                        &*doc.bytes,
                        Pieces::new(&segments::isolate(segment, doc.id, total), doc.id, total),
                    );
                    unified::write(&patch_path(&segment.label), doc.id, &file, &local, out)?;
                }
                OutputMode::Copy(copies) => self.copy(copies, &doc.of_segment(segment), &view)?,
                _ => {}
            }
        }
        added.iter().try_for_each(|file| self.add_file(doc, file, out))
    }

    /// Writes a file that a session does not have yet to the requested output.
    fn add_file(&self, doc: &Doc, file: &AddedFile, out: &mut dyn Write) -> Result<(), Failure> {
        let AddedFile { path, content } = file;
        match &self.repairs.to {
            OutputMode::InPlace(how) => {
                for segment in doc.segments.iter().rev().take(1) {
                    commit::check_age(&segment.path, how).map_err(commit_failure)?;
                }
                outputs::new_file::write_new(path, content, ExistingFile::Refuse).map_err(commit_failure)?;
                self.wrote.set(true);
                if !self.run.quiet {
                    print_note(&format!("{}: added (delete it to undo the repair)", display_path(path)));
                }
            }
            OutputMode::Patch => unified::write_new_file(&patch_path(&path.to_string_lossy()), content, out)?,
            OutputMode::Copy(copies) => {
                let copy = Doc { path: Some(path.clone()), ..Doc::of_bytes(doc.id, "", Vec::new()) };
                self.copy(
                    copies,
                    &copy,
                    &PatchedView::new(content, Pieces::new(&[], doc.id, content.len() as u64)),
                )?;
            }
            OutputMode::Preview | OutputMode::Stream | OutputMode::Sql | OutputMode::Install => {}
        }
        Ok(())
    }

    fn replace(&self, doc: &Doc, view: &PatchedView<'_>, how: &ReplaceOptions) -> Result<(), Failure> {
        let replaced = commit::replace(doc, view, how).map_err(commit_failure)?;
        self.wrote.set(true);
        products::report_lost_metadata(&doc.label, &replaced.lost);
        self.report_replaced(&doc.label, replaced.backup);
        Ok(())
    }

    /// Reports that a file was replaced.
    pub(super) fn report_replaced(&self, label: &str, backup: Option<PathBuf>) {
        if !self.run.quiet && (!self.is_summed || self.run.verbose) {
            let backup = backup.as_ref().map(|path| format!("; backup: {}", display_path(path)));
            print_note(&format!("{}: fixed{}", display_name(label), backup.unwrap_or_default()));
        }
        self.replaced.borrow_mut().push(ReplacedFile { backup });
    }

    fn copy(&self, copies: &OutputPath, doc: &Doc, view: &PatchedView<'_>) -> Result<(), Failure> {
        let path = copies.path_for(self.run, doc, self.several);
        let lost = outputs::new_file::write_new(&path, view, copies.existing).map_err(commit_failure)?;
        self.wrote.set(true);
        products::report_lost_metadata(&path.to_string_lossy(), &lost);
        Ok(())
    }

    pub(super) fn preview(&self, done: &RepairOutcome, out: &mut dyn Write) -> io::Result<()> {
        if self.has_machine_report || self.is_summed {
            return Ok(());
        }
        let repair = RepairView { fixed: &done.fixed, notes: &done.notes, bytes: &*done.doc.bytes };
        self.preview.borrow_mut().doc(&repair, self.run.content(), out)
    }
}
