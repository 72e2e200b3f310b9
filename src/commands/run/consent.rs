//! Whether repairs that lose something may be written: a person at a terminal is asked once. A script has decided when it
//! said `-w`, and is never asked.

use std::io::{self, BufRead, IsTerminal, Write};

use crate::report::changes::{self, ChangeNote};
use crate::report::words::count;
use crate::rule::Loss;

use crate::commands::{Failure, stderr};

/// As many losses are listed.
const SHOWN: usize = 10;

/// What is known of the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::commands) enum Consent {
    /// Given, or nobody has to give it.
    Given,
    /// To be asked for once something would be lost.
    Unasked,
    Refused,
}

impl Consent {
    /// Of a run that writes. `yes`: the answer is known.
    pub fn of_run(writes: bool, yes: bool) -> Consent {
        let is_watched = io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal();
        if writes && !yes && is_watched { Consent::Unasked } else { Consent::Given }
    }

    /// Whether changes may be written. The first that lose something decide about all that follow.
    pub fn covers<'n>(
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

/// Lists what would be lost, and asks. No answer means no.
pub(in crate::commands) fn ask(lossy: &[ChangeNote], several: bool) -> Result<bool, Failure> {
    let mut to = stderr();
    writeln!(to, "These repairs lose content:")?;
    changes::write_list(lossy.get(..SHOWN).unwrap_or(lossy), &mut to)?;
    if let Some(more @ 1..) = lossy.len().checked_sub(SHOWN) {
        writeln!(to, "and {}", count(more as u64, "more repair"))?;
    }
    let others = if several { ", and those in other files that lose content" } else { "" };
    write!(to, "Write these repairs{others}? [y/N] ")?;
    to.flush()?;
    let mut answer = String::new();
    if io::stdin().lock().read_line(&mut answer)? == 0 {
        // Nobody has ended the line.
        writeln!(to)?;
    }
    Ok(["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Row;
    use crate::place::{DocId, Place};
    use crate::repair::{Action, Cause};
    use crate::report::Spot;

    fn note(loss: Loss) -> ChangeNote {
        let at = Place { doc: DocId(0), len: 1, start: 0 };
        ChangeNote {
            rule: "RL102".to_owned(),
            name: "orphan-output",
            action: Action::Drop,
            loss,
            what: "drop the output",
            path: "h.json".to_owned(),
            spot: Spot::default(),
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
            assert!(consent.covers(lossless.iter(), true, never).expect("an answer"));
            let asked = consent.covers(lossy.iter(), true, |lossy, several| {
                assert_eq!((lossy.len(), several), (1, true));
                Ok(answer)
            });
            assert_eq!(asked.expect("an answer"), answer);
            assert_eq!(consent.covers(lossy.iter(), true, never).expect("an answer"), answer);
            assert!(consent.covers(lossless.iter(), true, never).expect("an answer"));
        }
    }

    #[test]
    fn who_does_not_write_is_not_asked() {
        assert_eq!(Consent::of_run(false, false), Consent::Given);
        assert_eq!(Consent::of_run(true, true), Consent::Given);
    }
}
