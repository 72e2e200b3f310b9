//! One doc, from its bytes to the converted conversations: the histories that the reader puts together, each with the
//! request around it.

use std::io;

use crate::history::{Act, Finding, Remedy, codes};
use crate::judge::{self, Case, OnHistory};
use crate::place::DocId;
use crate::rule::Loss;
use crate::source::bytes::spool::Spool;
use crate::source::{ReadAt, framing};
use crate::target::Severity;

use super::done::ConvertedDoc;
use super::options::ConvertOptions;
use super::record::{Converter, Made};

/// Takes what comes out, once for each history and in their order, nothing for one that could not be converted; ends the
/// conversion by failing.
pub type Each<'e, T> = &'e mut dyn FnMut(&T) -> io::Result<()>;

/// Converts a doc on up to `threads` threads, and hands over what comes out in memory.
pub fn convert_doc(
    id: DocId,
    bytes: &dyn ReadAt,
    how: &ConvertOptions<'_>,
    threads: usize,
    each: Each<'_, [u8]>,
) -> io::Result<ConvertedDoc> {
    convert_to_spools(id, bytes, how, threads, &mut |made| match made.in_memory() {
        Some(bytes) => each(bytes),
        None => {
            let mut bytes = Vec::new();
            made.copy_to(&mut bytes)?;
            each(&bytes)
        }
    })
}

/// Converts a doc on up to `threads` threads. What comes out may be larger than memory.
pub fn convert_to_spools(
    id: DocId,
    bytes: &dyn ReadAt,
    how: &ConvertOptions<'_>,
    threads: usize,
    each: Each<'_, Spool>,
) -> io::Result<ConvertedDoc> {
    let mut all = ConvertedDoc::new(framing::sniff(bytes)?);
    let converting = Converting { id, bytes, how };
    // Nothing is judged here but whether the doc can be read: what comes out is judged, each by itself.
    let mut take = |made: &mut Vec<Made>| {
        made.drain(..).try_for_each(|mut made| {
            if let Some(error) = made.error.take() {
                return Err(error);
            }
            each(&made.out)?;
            all.take(made, how);
            Ok(())
        })
    };
    let mut options = judge::unjudged(how.options);
    // A check says nothing of losses.
    (options.read.coverage, options.read.unsent) = (!how.foreign_only, !how.foreign_only);
    let mut found = judge::judging(id, bytes, &options, threads, &converting, &mut take)?;
    take(&mut found.made)?;
    let mut converter = Converter::new(id, bytes, how);
    // What could not be read is in none of the histories.
    let apart = found.format.is_none_or(|format| !format.info().histories.span_records());
    for judged in found.judged.iter().filter(|judged| judged.history.is_none()) {
        // A last line that is cut off is one conversation less, unless it is only the end of a log.
        let is_cut = judged.finding.code == codes::TRUNCATED_LAST_LINE && judged.finding.variant == 0 && apart;
        // Of a damaged line whose repair loses nothing, all was read.
        let is_whole = judged.finding.remedy == Remedy::One(Act::Text) && judged.loss == Loss::Lossless;
        if judged.severity == Severity::Error && !is_whole || is_cut {
            converter.fail(Finding {
                code: if is_cut { codes::INVALID_JSON } else { judged.finding.code },
                ..judged.finding
            });
        }
    }
    all.take(converter.made, how);
    all.judged.sort_by_key(|judged| (judged.finding.row.record, judged.finding.row.at.start));
    all.format = found.format;
    all.records = found.records;
    all.lines = found.lines;
    Ok(all)
}

/// Converts each history once it is put together.
struct Converting<'c> {
    id: DocId,
    bytes: &'c dyn ReadAt,
    how: &'c ConvertOptions<'c>,
}

impl OnHistory for Converting<'_> {
    type Made = Made;

    fn judges(&self) -> bool {
        false
    }

    fn history(&self, case: &Case<'_>) -> Option<Made> {
        let Case { cx, info, .. } = *case;
        let mut converter = Converter::new(self.id, self.bytes, self.how).knowing(cx.look.scanned());
        converter.history(cx.history, info);
        let start = converter.start(cx.history).start;
        let mut made = converter.made;
        if self.how.lossless_only {
            made.leave_out_lossy(start);
        }
        Some(made)
    }

    fn renumber(_: &mut Made, _: u32) {}

    fn renumber_records(made: &mut Made, by: u32) {
        made.judged.iter_mut().for_each(|judged| judged.finding.row.record += by);
    }
}
