//! `fix --undo`: restores the backups of an earlier `fix -w`.

use std::io::Write;
use std::path::Path;

use crate::options::UsageError;
use crate::report::words::count;
use crate::source::inputs::walk::walk;
use crate::source::outputs::restore::{Journals, RestoredFile};
use crate::source::{Input, describe_error, display_path};

use super::backup_folders::folders_of_runs;
use super::run::products::report_lost_metadata;
use super::{Failure, Outcome, Run, print_error, print_note};

/// Restores each given file, and the replaced files in given folders; for a folder of backups, the files that these are
/// of. Files of one log are restored one by one, because each has its own backup.
pub fn undo(run: &Run, force: bool, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let mut undo = UndoRun { force, quiet: run.quiet, restored: 0, unrestored: 0 };
    let mut paths = Vec::with_capacity(run.paths.len());
    for path in &run.paths {
        let mut journals = Journals::below(path);
        let files = journals.files();
        files.iter().for_each(|file| undo.restore(&mut journals, file));
        // A folder may also contain files with backups of their own. Empty folders of backups are removed.
        if files.is_empty() || path.is_dir() {
            paths.push(path.clone());
        }
    }
    let walked = walk(&paths, &run.lints);
    run.configure(&[])?;
    walked.errors.iter().for_each(|error| print_error(&error.to_string()));
    undo.unrestored += walked.errors.len() as u64;
    let mut journals = Journals::everywhere(folders_of_runs());
    for input in &walked.inputs {
        let Input::File { path, named } = input else {
            return Err(UsageError::new("--undo requires a file or a folder, not standard input").into());
        };
        // A file found in a folder may never have been repaired.
        if *named || journals.has_journal(path) {
            undo.restore(&mut journals, path);
        }
    }
    let UndoRun { restored, unrestored, .. } = undo;
    if restored == 0 && unrestored == 0 && !run.allow_empty {
        print_error("nothing to undo: no file has a backup with a journal");
        return Ok(Outcome::Failed);
    }
    if !run.quiet {
        if unrestored > 0 {
            writeln!(out, "Not restored: {}.", count(unrestored, "file"))?;
        }
        if restored > 0 {
            writeln!(out, "Restored: {}.", count(restored, "file"))?;
        }
    }
    Ok(if unrestored > 0 { Outcome::Failed } else { Outcome::Clean })
}

/// The progress of `--undo`.
struct UndoRun {
    force: bool,
    quiet: bool,
    restored: u64,
    unrestored: u64,
}

impl UndoRun {
    fn restore(&mut self, journals: &mut Journals, path: &Path) {
        match journals.restore(path, self.force) {
            Ok(RestoredFile { backup, lost, unremoved }) => {
                self.restored += 1;
                if !self.quiet {
                    print_note(&format!("{}: restored from {backup}", display_path(path)));
                }
                report_lost_metadata(&path.to_string_lossy(), &lost);
                for (path, error) in unremoved {
                    print_error(&format!(
                        "{} (the file is no longer needed)",
                        describe_error(&path.to_string_lossy(), &error)
                    ));
                }
            }
            Err(error) => {
                self.unrestored += 1;
                print_error(&error.to_string());
            }
        }
    }
}
