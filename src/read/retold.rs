//! What a store is retold as: the messages are written into one text, and read from there as any others are.

use std::io;
use std::ops::Range;

use crate::format::retelling::{Say, Teller};
use crate::format::{FormatInfo, Mark, Sink};
use crate::history::Finding;
use crate::json::pieces::Written;
use crate::place::Place;
use crate::source::{Made, ReadAt};

use super::stage::Stage;
use super::{Visitor, pieces};

/// What the records of a doc say.
pub(super) struct Retold {
    pub written: Written,
    pub histories: Vec<History>,
}

/// A history, or a tree of them.
pub(super) struct History {
    pub info: &'static FormatInfo,
    pub says: Vec<Said>,
}

/// What is said of a history.
pub(super) enum Said {
    /// Where a message lies in the written text, and the number of the record that it begins in.
    Message(Range<usize>, u32),
    Mark(Mark),
    Find(Finding),
}

/// Retells the records at these places. `broken` says that others could not be read.
pub(super) fn retell(
    bytes: &dyn ReadAt,
    records: &[(Place, u32)],
    mut teller: Box<dyn Teller>,
    broken: bool,
) -> io::Result<Retold> {
    pieces::each(bytes, records, &mut |_, record| teller.take(record))?;
    let mut retold = Retold { written: Written::default(), histories: Vec::new() };
    for told in teller.finish() {
        let written = &mut retold.written;
        let said = |say| match say {
            Say::Message(message, record) => {
                let start = written.text.len();
                message.write(written);
                let span = start..written.text.len();
                written.text.push(b'\n');
                Said::Message(span, record)
            }
            Say::Mark(Mark::Start(mut settings)) => {
                settings.broken |= broken;
                Said::Mark(Mark::Start(settings))
            }
            Say::Mark(mark) => Said::Mark(mark),
            Say::Find(finding) => Said::Find(finding),
        };
        let says = told.says.into_iter().map(said).collect();
        retold.histories.push(History { info: told.info, says });
    }
    Ok(retold)
}

/// Reads a history of the written text.
pub(super) fn read<V: Visitor>(says: Vec<Said>, made: &Made, stage: &mut Stage<'_, V>, info: &'static FormatInfo) {
    for said in says {
        match said {
            Said::Message(span, record) => {
                let start = made.start() + span.start as u64;
                stage.message(made.text().get(span).unwrap_or_default(), start, record, info);
            }
            Said::Mark(mark) => stage.mark(mark),
            Said::Find(finding) => stage.batch.raised.push(finding),
        }
    }
}
