//! `fix --undo`: puts the backups of an earlier `fix -w` back.

use std::io::Write;

use crate::options::Misuse;
use crate::report::words::count;
use crate::source::inputs::walk::walk;
use crate::source::outputs::restore::{Journals, Restored};
use crate::source::{Input, display_path, words};

use super::run::products::say_lost;
use super::{Failure, Outcome, Run, complain, talk};

/// Restores each file that was named, and those in folders that were replaced. Files are taken one by one, whatever log
/// they are part of: each has a backup of its own.
pub fn undo(run: &Run, force: bool, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let walked = walk(&run.paths, &run.lints);
    run.configure(&[])?;
    walked.errors.iter().for_each(|error| complain(&error.to_string()));
    let (mut restored, mut stay) = (0, walked.errors.len() as u64);
    let mut journals = Journals::default();
    for input in &walked.inputs {
        let Input::File { path, named } = input else {
            return Err(Misuse::new("--undo requires the name of a file or a folder, not standard input").into());
        };
        // What a walk meets was perhaps never repaired.
        if !named && !journals.know(path) {
            continue;
        }
        match journals.restore(path, force) {
            Ok(Restored { backup, lost, unremoved }) => {
                restored += 1;
                if !run.quiet {
                    talk(&format!("{}: restored from {backup}", display_path(path)));
                }
                say_lost(&path.to_string_lossy(), &lost);
                for (path, error) in unremoved {
                    complain(&format!("{} (it is no longer needed)", words(&path.to_string_lossy(), &error)));
                }
            }
            Err(error) => {
                stay += 1;
                complain(&error.to_string());
            }
        }
    }
    if restored == 0 && stay == 0 && !run.allow_empty {
        complain("no fix to undo: no file there has a backup with a journal");
        return Ok(Outcome::Failed);
    }
    if !run.quiet {
        if stay > 0 {
            writeln!(out, "Not restored: {}.", count(stay, "file"))?;
        }
        if restored > 0 {
            writeln!(out, "Restored: {}.", count(restored, "file"))?;
        }
    }
    Ok(if stay > 0 { Outcome::Failed } else { Outcome::Clean })
}
