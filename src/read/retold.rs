//! What a store is retold as: the messages are written into one text, and read from there as any others are.

use std::io;
use std::ops::Range;

use crate::format::translate::{Say, ThreadReader};
use crate::format::{Format, FormatInfo, Mark, Sink};
use crate::history::Finding;
use crate::history::settings::{Around, Settings};
use crate::json::pieces::Pieced;
use crate::json::provenance::Written;
use crate::place::{DocId, Place};
use crate::source::{Made, ReadAt};

use super::stage::Stage;
use super::{Visitor, coverage, pieces};

/// What the records of a doc say.
pub(super) struct Retold {
    pub written: Written,
    pub histories: Vec<History>,
}

/// A history, or a tree of them.
pub(super) struct History {
    pub info: &'static FormatInfo,
    /// Where the members of its request lie in the written text.
    pub request: Option<Range<usize>>,
    pub says: Vec<Said>,
    /// What it does not say of its records.
    pub lost: Vec<Finding>,
}

impl History {
    fn part<'p>(&'p self, written: &'p Written, spans: Range<usize>) -> coverage::Part<'p> {
        let unsent = self.says.iter().filter_map(|said| match said {
            Said::Mark(Mark::Start(settings)) => Some(&settings.unsent),
            _ => None,
        });
        coverage::Part {
            spans: written.spans.get(spans).unwrap_or_default(),
            lost: &self.lost,
            unsent: unsent.flatten().collect(),
        }
    }
}

/// What is said of a history.
pub(super) enum Said {
    /// Where a message lies in the written text, and the number of the record that it begins in.
    Message(Range<usize>, u32),
    Mark(Mark),
    Find(Finding),
}

/// Retells the records at these places. `broken` says that others could not be read; `covering` is the format that tells
/// what none of the messages needs to say, if the rest is asked for.
pub(super) fn retell(
    bytes: &dyn ReadAt,
    records: &[(Place, u32)],
    mut teller: Box<dyn ThreadReader>,
    broken: bool,
    covering: Option<&'static dyn Format>,
) -> io::Result<Retold> {
    pieces::each(bytes, records, &mut |_, record| teller.take(record))?;
    let mut retold = Retold { written: Written::default(), histories: Vec::new() };
    let mut spans = Vec::new();
    for told in teller.finish() {
        let written = &mut retold.written;
        let first = written.spans.len();
        let request = told.request.map(|request| write(&request, written));
        let said = |say| match say {
            Say::Message(message, record) => Said::Message(write(&message, written), record),
            Say::Mark(Mark::Start(mut settings)) => {
                settings.broken |= broken;
                Said::Mark(Mark::Start(settings))
            }
            Say::Mark(mark) => Said::Mark(mark),
            Say::Find(finding) => Said::Find(finding),
        };
        let says = told.says.into_iter().map(said).collect();
        spans.push(first..retold.written.spans.len());
        retold.histories.push(History { info: told.info, request, says, lost: told.lost });
    }
    if let Some(format) = covering {
        let parts: Vec<coverage::Part<'_>> = retold
            .histories
            .iter()
            .zip(spans)
            .map(|(history, spans)| history.part(&retold.written, spans))
            .collect();
        let lost = coverage::lost(bytes, records, format, &parts)?;
        for (history, lost) in retold.histories.iter_mut().zip(lost) {
            history.lost.extend(lost);
        }
    }
    Ok(retold)
}

/// Writes a value on a line of its own. Gives where it lies.
fn write(val: &Pieced, out: &mut Written) -> Range<usize> {
    let start = out.text.len();
    val.write(out);
    let span = start..out.text.len();
    out.text.push(b'\n');
    span
}

/// Reads a history of the written text.
pub(super) fn read<V: Visitor>(history: History, id: DocId, made: &Made, stage: &mut Stage<'_, V>) {
    let info = history.info;
    let place = |span: Range<usize>| Place::new(id, made.start() + span.start as u64, span.len() as u32);
    let mut around = history.request.map(|span| Around::of(place(span)));
    let mut lost = history.lost.into_iter();
    if !history.says.iter().any(|said| matches!(said, Said::Mark(Mark::Start(_)))) {
        lost.by_ref().for_each(|finding| stage.mark(Mark::NotConverted(finding)));
    }
    for said in history.says {
        match said {
            Said::Mark(Mark::Start(settings)) => {
                let around = settings.around.or(around.take());
                stage.mark(Mark::Start(Box::new(Settings { around, ..*settings })));
                lost.by_ref().for_each(|finding| stage.mark(Mark::NotConverted(finding)));
            }
            Said::Message(span, record) => {
                let start = made.start() + span.start as u64;
                stage.message(made.text().get(span).unwrap_or_default(), start, record, info);
            }
            Said::Mark(mark) => stage.mark(mark),
            Said::Find(finding) => stage.batch.raised.push(finding),
        }
    }
}
