//! Consent to lossy repairs: a person at a terminal is asked once. A script is never asked, because `-w` is its consent.

use std::io::{self, BufRead, IsTerminal, Write};

use crate::report::changes::{self, ChangeNote};
use crate::report::words::count;
use crate::rule::Loss;

use crate::commands::{Failure, stderr};

/// Maximum number of losses that are listed.
const MAX_LISTED_LOSSES: usize = 10;

/// The state of the consent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::commands) enum Consent {
    /// Given, or not required.
    Given,
    /// To be requested before the first lossy repair.
    Unasked,
    Refused,
}

impl Consent {
    /// The initial consent of a run. `yes`: given by `--yes`.
    pub fn for_run(writes: bool, yes: bool) -> Consent {
        if writes && !yes && is_interactive() { Consent::Unasked } else { Consent::Given }
    }

    /// True if changes may be written. The answer for the first lossy ones applies to all that follow.
    pub fn permits<'n>(
        &mut self,
        notes: impl Iterator<Item = &'n ChangeNote>,
        several: bool,
        ask: impl FnOnce(&[ChangeNote], bool) -> Result<bool, Failure>,
    ) -> Result<bool, Failure> {
        if *self == Consent::Given {
            return Ok(true);
        }
        let lossy: Vec<ChangeNote> = notes.filter(|note| note.loss == Loss::Lossy).cloned().collect();
        if lossy.is_empty() {
            return Ok(true);
        }
        if *self == Consent::Unasked {
            *self = if ask(&lossy, several)? { Consent::Given } else { Consent::Refused };
        }
        Ok(*self == Consent::Given)
    }
}

/// True if a person at a terminal can be asked.
pub(in crate::commands) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal()
}

/// Reads the answer to a question that was written. No answer means no.
pub(in crate::commands) fn read_answer(to: &mut dyn Write) -> io::Result<bool> {
    to.flush()?;
    let mut answer = String::new();
    if io::stdin().lock().read_line(&mut answer)? == 0 {
        // The line has no end yet.
        writeln!(to)?;
    }
    Ok(["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()))
}

/// Lists the losses, and asks. No answer means no.
pub(in crate::commands) fn ask(lossy: &[ChangeNote], several: bool) -> Result<bool, Failure> {
    let mut to = stderr();
    writeln!(to, "These repairs are lossy:")?;
    changes::write_list(lossy.get(..MAX_LISTED_LOSSES).unwrap_or(lossy), &mut to)?;
    if let Some(more @ 1..) = lossy.len().checked_sub(MAX_LISTED_LOSSES) {
        writeln!(to, "and {}", count(more as u64, "more repair"))?;
    }
    let others = if several { ", and lossy repairs of other files" } else { "" };
    write!(to, "Write these repairs{others}? [y/N] ")?;
    Ok(read_answer(&mut to)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Row;
    use crate::place::{DocId, Place};
    use crate::repair::{Action, Cause};
    use crate::report::Location;

    fn note(loss: Loss) -> ChangeNote {
        let at = Place { doc: DocId(0), len: 1, start: 0 };
        ChangeNote {
            number: 0,
            rule: "RL102".to_owned(),
            name: "orphan-output",
            action: Action::Drop,
            loss,
            description: "drop the output",
            images: None,
            path: "h.json".into(),
            location: Location::default(),
            other: None,
            bytes: 1,
            reason: None,
            api_message: None,
            item: "function_call_output call_1".to_owned(),
            record: 1,
            at,
            row: Row::of_place(at, 0),
            other_at: None,
            cause: Cause::Flag("--reasoning strip"),
            turn: None,
            removed: Vec::new(),
        }
    }

    #[test]
    fn the_first_loss_is_asked_about_and_no_other() {
        let (lossless, lossy) = ([note(Loss::Lossless)], [note(Loss::Lossless), note(Loss::Lossy)]);
        for answer in [true, false] {
            let mut consent = Consent::Unasked;
            let never = |_: &[ChangeNote], _| panic!("asked");
            assert!(consent.permits(lossless.iter(), true, never).expect("an answer"));
            let asked = consent.permits(lossy.iter(), true, |lossy, several| {
                assert_eq!((lossy.len(), several), (1, true));
                Ok(answer)
            });
            assert_eq!(asked.expect("an answer"), answer);
            assert_eq!(consent.permits(lossy.iter(), true, never).expect("an answer"), answer);
            assert!(consent.permits(lossless.iter(), true, never).expect("an answer"));
        }
    }

    #[test]
    fn who_does_not_write_is_not_asked() {
        assert_eq!(Consent::for_run(false, false), Consent::Given);
        assert_eq!(Consent::for_run(true, true), Consent::Given);
    }
}
