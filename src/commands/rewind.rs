//! `fix --rewind-to`: a copy of a session that ends at an earlier turn. The session itself does not change.

use std::io::Write;

use crate::rebuild::rewind::{RewindOutcome, RewindTarget, TextPrefix, rewind};
use crate::report::mask;
use crate::report::words::{count, to_printable};
use crate::source::outputs::{commit, new_file};
use crate::source::{describe_error, display_name, display_path};

use super::run::Inputs;
use super::run::labels::label_of;
use super::run::outcome::commit_failure;
use super::run::products;
use super::run::products::OutputPath;
use super::{Failure, Outcome, Run, print_error, print_note};

/// Writes a copy of each session up to a turn.
pub fn fix_by_rewinding(
    run: &Run,
    to: &RewindTarget,
    copies: Option<&OutputPath>,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let Inputs { all: mut inputs, mut failed, .. } = run.inputs()?;
    let several = inputs.len() > 1 || run.paths.iter().any(|path| path.is_dir());
    let planned = match copies {
        Some(copies) => copies.planned_files(run, &inputs, several)?,
        None if several => return Err(products::several_inputs_error().into()),
        None => Vec::new(),
    };
    products::check_collisions(run, &mut inputs, planned)?;
    let mut ended = None;
    let work = |doc: std::io::Result<crate::source::Doc>, _: usize| {
        let doc = doc?;
        let rewound = rewind(doc.id, &*doc.bytes, run.lints.options_for(&doc.label), to)?;
        Ok((doc, rewound))
    };
    run.each_doc(&inputs, work, |input, done: std::io::Result<_>| {
        let (doc, rewound) = match done {
            Ok(done) => done,
            Err(error) => {
                print_error(&describe_error(&label_of(input), &error));
                failed = true;
                return true;
            }
        };
        let RewindOutcome::Cut { len, last } = rewound else {
            if let RewindOutcome::Refused(why) = rewound {
                print_error(&format!("{}: {}", display_name(&doc.label), to_printable(&why)));
            }
            failed = true;
            return true;
        };
        let beginning = TextPrefix { bytes: &*doc.bytes, len };
        let written = match copies {
            Some(copies) => {
                let path = copies.path_for(run, &doc, several);
                let lost = new_file::write_new(&path, &beginning, copies.existing);
                lost.map_err(commit_failure).map(|lost| (lost, path))
            }
            None => commit::copy(&beginning, out).map(|()| (Vec::new(), "-".into())).map_err(Failure::from),
        };
        match written {
            Ok((lost, path)) => {
                products::report_lost_metadata(&path.to_string_lossy(), &lost);
                if !run.quiet {
                    let left = doc.bytes.len() - len;
                    let path = display_path(&path);
                    print_note(&match left {
                        0 => format!("{path}: the complete session; nothing was removed"),
                        _ => format!("{path}: ends at {}; removed {}", mask::id(&last), count(left, "byte")),
                    });
                }
            }
            Err(failure) => ended = Some(failure),
        }
        ended.is_none()
    });
    out.flush()?;
    match (ended, failed) {
        (Some(failure), _) => Err(failure),
        (None, true) => Ok(Outcome::Failed),
        (None, false) => Ok(Outcome::Clean),
    }
}
