//! `fix --undo`: restores the backups of an earlier `fix -w`.

use std::io::Write;

use crate::options::UsageError;
use crate::report::words::count;
use crate::source::inputs::walk::walk;
use crate::source::outputs::restore::{Journals, RestoredFile};
use crate::source::{Input, describe_error, display_path};

use super::run::products::report_lost_metadata;
use super::{Failure, Outcome, Run, print_error, print_note};

/// Restores each given file, and the replaced files in given folders. Files of one log are restored one by one, because
/// each has its own backup.
pub fn undo(run: &Run, force: bool, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let walked = walk(&run.paths, &run.lints);
    run.configure(&[])?;
    walked.errors.iter().for_each(|error| print_error(&error.to_string()));
    let (mut restored, mut unrestored) = (0, walked.errors.len() as u64);
    let mut journals = Journals::default();
    for input in &walked.inputs {
        let Input::File { path, named } = input else {
            return Err(UsageError::new("--undo requires a file or a folder, not standard input").into());
        };
        // A file found in a folder may never have been repaired.
        if !named && !journals.has_journal(path) {
            continue;
        }
        match journals.restore(path, force) {
            Ok(RestoredFile { backup, lost, unremoved }) => {
                restored += 1;
                if !run.quiet {
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
                unrestored += 1;
                print_error(&error.to_string());
            }
        }
    }
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
