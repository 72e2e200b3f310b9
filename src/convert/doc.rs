//! Converts one doc, from its bytes to the converted conversations: the histories that the reader assembles, each with
//! the request around it.

use std::io;

use crate::history::codes::truncated_last_line::COMPRESSED;
use crate::history::{Finding, Remedy, RepairAct, codes};
use crate::judge::{self, FindingsOnly, HistoryVisitor, JudgedHistory, WeighedFinding};
use crate::message::LossKind;
use crate::place::DocId;
use crate::rule::Loss;
use crate::source::bytes::spool::Spool;
use crate::source::{ReadAt, framing};
use crate::target::Severity;

use super::converted_doc::ConvertedDoc;
use super::history_converter::{Converter, HistoryOutput};
use super::options::ConvertOptions;

/// Receives the output of each history, in order, empty for one that could not be converted. An error ends the conversion.
pub type OutputVisitor<'e, T> = &'e mut dyn FnMut(&T) -> io::Result<()>;

/// Converts a doc on up to `threads` threads, and passes each output in memory.
pub fn convert_doc(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &ConvertOptions<'_>,
    threads: usize,
    each: OutputVisitor<'_, [u8]>,
) -> io::Result<ConvertedDoc> {
    convert_to_spools(id, bytes, options, threads, &mut |output| match output.in_memory() {
        Some(bytes) => each(bytes),
        None => {
            let mut bytes = Vec::new();
            output.copy_to(&mut bytes)?;
            each(&bytes)
        }
    })
}

/// Converts a doc on up to `threads` threads. Outputs may be larger than memory.
pub fn convert_to_spools(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &ConvertOptions<'_>,
    threads: usize,
    each: OutputVisitor<'_, Spool>,
) -> io::Result<ConvertedDoc> {
    let mut all = ConvertedDoc::new(framing::sniff(bytes)?);
    let visitor = ConversionVisitor { id, bytes, options };
    // Of the source only read errors are reported here; the outputs are judged, each by itself.
    let mut take = |output: &mut Vec<HistoryOutput>| {
        output.drain(..).try_for_each(|mut output| {
            if let Some(error) = output.error.take() {
                return Err(error);
            }
            if !output.is_joined {
                each(&output.out)?;
            }
            all.append(output, options);
            Ok(())
        })
    };
    let mut judge_options = judge::structural_options(options.judge);
    // A check reports no losses.
    (judge_options.read.coverage, judge_options.read.unsent) = (!options.foreign_only, !options.foreign_only);
    let mut found = judge::judge_streaming(id, bytes, &judge_options, threads, &visitor, &mut take)?;
    take(&mut found.outputs)?;
    let mut converter = Converter::new(id, bytes, options);
    // Records that could not be read are in none of the histories.
    let apart = found.format.is_none_or(|format| !format.info().histories.span_records());
    for judged in found.findings.iter().filter(|judged| judged.history.is_none()) {
        // A truncated last line is a lost conversation, unless it is only the end of a log.
        let is_cut =
            judged.finding.code == codes::TRUNCATED_LAST_LINE && judged.finding.variant != COMPRESSED && apart;
        // A damaged line whose repair is lossless was read in full.
        let is_whole =
            judged.finding.remedy == Remedy::One(RepairAct::RepairText) && judged.loss == Loss::Lossless;
        if judged.severity == Severity::Error && !is_whole || is_cut {
            converter.fail(Finding {
                code: if is_cut { codes::INVALID_JSON } else { judged.finding.code },
                ..judged.finding
            });
        }
    }
    all.append(converter.output, options);
    check_advice(id, bytes, options, &mut all)?;
    all.judged.sort_by_key(|judged| (judged.finding.row.record, judged.finding.row.at.start));
    all.format = found.format;
    all.records = found.records;
    all.lines = found.lines;
    Ok(all)
}

/// Results that would be rejected are reported with the advice to run `fix`: it is kept only where that repairs something.
fn check_advice(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &ConvertOptions<'_>,
    all: &mut ConvertedDoc,
) -> io::Result<()> {
    let is_refused = |judged: &WeighedFinding| LossKind::of(&judged.finding) == LossKind::RESULT_REFUSED;
    if !all.judged.iter().any(is_refused) {
        return Ok(());
    }
    let found = judge::judge(id, bytes, options.judge, 1, &FindingsOnly)?;
    let is_repaired =
        |judged: &&WeighedFinding| judged.severity == Severity::Error && judged.is_fixed_by_default();
    let spans = found.format.is_some_and(|format| format.info().histories.span_records());
    let mut repaired: Vec<u32> =
        found.findings.iter().filter(is_repaired).map(|judged| judged.finding.row.record).collect();
    repaired.sort_unstable();
    for judged in all.judged.iter_mut().filter(|judged| is_refused(judged)) {
        let record = judged.finding.row.record;
        if repaired.is_empty() || !spans && repaired.binary_search(&record).is_err() {
            judged.finding.variant = LossKind::RESULT_REFUSED_FOR_GOOD.variant;
        }
    }
    Ok(())
}

/// Converts each history once it is assembled.
struct ConversionVisitor<'c> {
    id: DocId,
    bytes: &'c dyn ReadAt,
    options: &'c ConvertOptions<'c>,
}

impl HistoryVisitor for ConversionVisitor<'_> {
    type Output = HistoryOutput;

    fn needs_findings(&self) -> bool {
        false
    }

    fn visit(&self, case: &JudgedHistory<'_>) -> Option<HistoryOutput> {
        let JudgedHistory { cx, info, .. } = *case;
        let mut converter = Converter::new(self.id, self.bytes, self.options).with_scanned(cx.text.scanned());
        converter.history(cx.history, info);
        let start = converter.start(cx.history).start;
        let mut output = converter.output;
        if self.options.lossless_only {
            output.leave_out_lossy(start);
        }
        Some(output)
    }

    fn renumber(_: &mut HistoryOutput, _: u32) {}

    fn renumber_records(output: &mut HistoryOutput, by: u32) {
        output.judged.iter_mut().for_each(|judged| judged.finding.row.record += by);
    }
}
