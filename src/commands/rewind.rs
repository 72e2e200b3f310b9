//! `fix --rewind-to`: a copy of a session that ends at an earlier turn. The session itself stays as it is.

use std::io::Write;

use crate::rebuild::rewind::{Beginning, RewindTo, Rewound, rewind};
use crate::report::mask;
use crate::report::words::printable;
use crate::source::outputs::{commit, product};
use crate::source::{display_name, display_path, words};

use super::run::Inputs;
use super::run::labels::label_of;
use super::run::outcome::unwritten;
use super::run::products;
use super::run::products::Copies;
use super::{Failure, Outcome, Run, complain, talk};

/// Writes a copy of each session up to a turn.
pub fn fix_by_rewinding(
    run: &Run,
    to: &RewindTo,
    copies: Option<&Copies>,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let Inputs { all: mut inputs, mut failed, .. } = run.inputs()?;
    let several = inputs.len() > 1 || run.paths.iter().any(|path| path.is_dir());
    let planned = match copies {
        Some(copies) => copies.planned(&inputs, several)?,
        None if several => return Err(products::several_to_stream().into()),
        None => Vec::new(),
    };
    products::guard(run, &mut inputs, planned)?;
    let mut ended = None;
    let work = |doc: std::io::Result<crate::source::Doc>, _: usize| {
        let doc = doc?;
        let rewound = rewind(doc.id, &*doc.bytes, run.lints.of(&doc.label), to)?;
        Ok((doc, rewound))
    };
    run.each_doc(&inputs, work, |input, done: std::io::Result<_>| {
        let (doc, rewound) = match done {
            Ok(done) => done,
            Err(error) => {
                complain(&words(&label_of(input), &error));
                failed = true;
                return true;
            }
        };
        let Rewound::To { len, last } = rewound else {
            if let Rewound::Not(why) = rewound {
                complain(&format!("{}: {}", display_name(&doc.label), printable(&why)));
            }
            failed = true;
            return true;
        };
        let beginning = Beginning { bytes: &*doc.bytes, len };
        let written = match copies {
            Some(copies) => copies.place(&doc, several).and_then(|path| {
                let lost = product::write_new(&path, &beginning, copies.existing);
                Ok((lost.map_err(unwritten)?, path))
            }),
            None => commit::copy(&beginning, out).map(|()| (Vec::new(), "-".into())).map_err(Failure::from),
        };
        match written {
            Ok((lost, path)) => {
                products::say_lost(&path.to_string_lossy(), &lost);
                if !run.quiet {
                    let left = doc.bytes.len() - len;
                    let path = display_path(&path);
                    talk(&match left {
                        0 => format!("{path}: the whole session; nothing had to be left out"),
                        _ => format!("{path}: ends at {}; left out {left} bytes", mask::id(&last)),
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
