//! `check`: reports findings, and writes no files.

use std::io::{self, Write};

use foldhash::HashMap;

use crate::convert;
use crate::history::Code;
use crate::history::UnsentItem;
use crate::judge::JudgedDoc;
use crate::read::SkippedRecord;
use crate::report::html::draw;
use crate::report::mask;
use crate::report::prediction::predictions;
use crate::report::prediction::predictions::{PredictedFix, Predictions};
use crate::report::words::count;
use crate::report::{ContentDisplay, Diagnostic, DocReport, FindingSample, RunSummary, segment_locations};
use crate::rule::RuleTag;
use crate::rules;
use crate::rules::container::unknown_format;
use crate::source::{Doc, Packing, describe_error};

use super::run::Inputs;
use super::run::known_findings::Baseline;
use super::run::labels::label_of;
use super::run::{bugs, products, severities, walked_files};
use super::{Failure, Outcome, Run, print_error, print_note, unslim};

/// With more findings, their diagnostics are not kept, if all outputs can do without.
const MAX_KEPT_DIAGNOSTICS: usize = 10_000;

/// What becomes of the findings of a document.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ReportMode {
    /// All are read from the text.
    All,
    /// Those that are only counted are not.
    Sample,
    /// They are read when they are written, if there are many.
    Stream,
}

type TakeDiagnostics<'t> = &'t mut dyn FnMut(&[Diagnostic]) -> io::Result<()>;

/// Reads the findings of a document, and passes them on batch by batch.
type DiagnosticStream<'r> = Box<dyn FnOnce(TakeDiagnostics<'_>) -> io::Result<()> + Send + 'r>;

/// The result of checking one document.
pub(super) struct DocCheck<'r> {
    pub report: DocReport,
    /// The document was found in a folder and contains no conversation.
    pub skipped: bool,
    /// The document was found in a folder, and nothing in it looks like a conversation.
    is_unrecognised: bool,
    /// Number of references of a slimmed log that were restored.
    pub references: u64,
    /// Records that were skipped because of a bug in this program.
    pub bugs: Vec<SkippedRecord>,
    /// Counts of the findings, and of those that the default repair resolves.
    counts: RunSummary,
    /// The config file overrides severities, or accepts findings.
    has_overrides: bool,
    /// The findings, if they are not in the report.
    stream: Option<DiagnosticStream<'r>>,
}

impl DocCheck<'_> {
    /// Counts of the reported findings: without the `known` ones and those that are accepted.
    fn reported_counts(&self, known: u64) -> RunSummary {
        if known == 0 && !self.has_overrides {
            return self.counts.clone();
        }
        let reported = RunSummary::of(&self.report.diagnostics);
        let all = self.counts.fixable;
        let fixable = if known + self.report.accepted > 0 { reported.fixable.min(all) } else { all };
        RunSummary { fixable, packed: self.counts.packed, ..reported }
    }
}

/// Reports findings; with a baseline, new ones only.
pub fn check(run: &Run, baseline: Option<&mut Baseline>, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let outcome = check_all(run, baseline, out)?;
    run.lints.unused_waivers(&run.folders()).iter().filter(|_| !run.quiet).for_each(|idle| print_error(idle));
    Ok(outcome)
}

/// Checks one document.
pub(super) fn check_doc<'r>(
    run: &'r Run,
    mut doc: Doc,
    threads: usize,
    content: ContentDisplay,
    mode: ReportMode,
) -> io::Result<DocCheck<'r>> {
    let effective = run.lints.effective(&doc.label);
    let has_overrides = effective.has_overrides();
    let mut options = effective.options.clone();
    options.read.unsent = run.verbose;
    let options = &options;
    let check = |doc: &Doc| convert::check(doc.id, &*doc.bytes, options, threads);
    let (mut found, mut references) = (check(&doc)?, 0);
    if unslim::is_slimmed(&doc, &found)? {
        references = unslim::restore_references(&mut doc, options)?;
        found = check(&doc)?;
    }
    let unrecognised = found.format.is_none() && !doc.named;
    let (mut similar, mut page) = (Vec::new(), None);
    let mut counts;
    // The predictions for findings that are read when they are written.
    let mut streamed: Option<Predictions> = None;
    let (mut diagnostics, skipped) = match unrecognised {
        true => {
            let damage = walked_files::damage(&doc, options, &mut found, content)?;
            let skipped = damage.is_none();
            let diagnostics = damage.unwrap_or_default();
            counts = RunSummary::of(&diagnostics);
            (diagnostics, skipped)
        }
        false => {
            // Offsets must be those of the file that an editor opens.
            let is_plain_file = references == 0 && doc.segments.is_empty() && doc.packing == Packing::Plain;
            let proposes = run.proposes && is_plain_file;
            let promises = match references {
                0 => {
                    let whole = proposes || run.has_page();
                    predictions::predict(doc.id, &*doc.bytes, &mut found, options, threads, whole)?
                }
                _ => slimmed_predictions(&found),
            };
            counts = RunSummary::of_judged(&found.findings, &promises);
            counts.packed = counts.fixable > 0 && !doc.has_writable_files();
            let has_many = found.findings.len() > MAX_KEPT_DIAGNOSTICS && found.histories > 0;
            let plain = !has_overrides && !proposes && !run.has_page() && doc.segments.is_empty();
            if mode == ReportMode::Stream && has_many && plain {
                streamed = Some(promises);
                (Vec::new(), false)
            } else {
                let picked = match mode == ReportMode::Sample && !has_overrides {
                    true => FindingSample::of(&found, &promises.outcomes, &run.style),
                    false => FindingSample::all(),
                };
                let mut diagnostics =
                    promises.diagnose(doc.id, &doc.label, &*doc.bytes, &found, &picked, content)?;
                if proposes {
                    promises.propose(doc.id, &*doc.bytes, run.show_content, &mut diagnostics)?;
                }
                segment_locations::diagnostics(&doc.segments, &mut diagnostics);
                similar = picked.similar;
                if run.has_page() {
                    let drawing = run.drawing("check", &doc, options);
                    let fix = promises.repair(&found.findings);
                    page = Some(draw::draw_with_fix(drawing, &found, &diagnostics, fix)?);
                }
                (diagnostics, false)
            }
        }
    };
    if unrecognised && !skipped {
        page = run.draw_page("check", &doc, &found, &diagnostics)?;
    }
    let accepted = severities::apply_overrides(run, &doc.label, &mut diagnostics);
    let bugs = std::mem::take(&mut found.bugs);
    let is_unrecognised = unrecognised && !walked_files::was_conversation(&diagnostics);
    let report = DocReport { accepted, similar, page, ..DocReport::new(&doc.label, &found, diagnostics) };
    let stream = streamed.map(|promises| -> DiagnosticStream<'r> {
        Box::new(move |take| {
            promises.diagnose_all(doc.id, &doc.label, &*doc.bytes, &found, content, &mut |batch| take(&batch))
        })
    });
    Ok(DocCheck { report, skipped, is_unrecognised, references, bugs, counts, has_overrides, stream })
}

/// Reports findings of all inputs, without warnings about unused settings.
pub(super) fn check_all(
    run: &Run,
    mut baseline: Option<&mut Baseline>,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let Inputs { all: mut inputs, mut failed, ignored_counts } = run.inputs()?;
    products::check_collisions(run, &mut inputs, Vec::new())?;
    let mut recognised = 0;
    let mut report_outputs = run.report_outputs(run.style)?;
    let mut summary = RunSummary { ignored: ignored_counts, ..RunSummary::default() };
    let mut broken = None;
    let content = run.content();
    let mode = match baseline.is_some() {
        // A baseline is compared with all findings.
        true => ReportMode::All,
        false if run.has_only_text() => ReportMode::Sample,
        false if report_outputs.iter_mut().all(|output| output.report.sink().is_some()) => ReportMode::Stream,
        false => ReportMode::All,
    };
    let work = |doc: io::Result<Doc>, threads: usize| check_doc(run, doc?, threads, content, mode);
    run.each_doc(&inputs, work, |input, checked: io::Result<DocCheck<'_>>| {
        let mut checked = match checked {
            Ok(checked) => checked,
            Err(error) => {
                print_error(&describe_error(&label_of(input), &error));
                failed = true;
                return true;
            }
        };
        checked.bugs.iter().for_each(|skipped| bugs::report(&checked.report.path, skipped));
        if checked.skipped {
            summary.skipped += 1;
            walked_files::report_skipped(run, &checked.report.path);
            return true;
        }
        summary.count_file(input.database());
        summary.add_doc(&checked.report);
        unslim::report_restored(run, &checked.report.path, checked.references);
        recognised += u64::from(!is_not_conversation(&checked.report) && !checked.is_unrecognised);
        let known = baseline.as_mut().map_or(0, |baseline| baseline.remove_known(&mut checked.report));
        summary.in_baseline += known;
        let counted = checked.reported_counts(known);
        summary.add(&counted, run.denies_warnings(&checked.report.path));
        if run.verbose
            && let Some(format) = checked.report.format
        {
            let items = count(checked.report.items, "item");
            print_note(&format!("{}: {format}, {items}", checked.report.path));
            // Equal rows are printed once, with their number.
            let mut times: HashMap<(&str, &str), usize> = HashMap::default();
            let unsent = checked
                .report
                .unsent
                .iter()
                .map(|UnsentItem { description: what, reason: why, .. }| (&**what, *why));
            unsent.clone().for_each(|one| *times.entry(one).or_default() += 1);
            for (what, why, n) in unsent.filter_map(|one| Some((one.0, one.1, times.remove(&one)?))) {
                let row = match what {
                    "" => "a row".to_owned(),
                    // The name is a description.
                    name if name.contains(' ') => mask::phrase(name),
                    name => format!("row {}", mask::label(name)),
                };
                let times = if n == 1 { String::new() } else { format!(" ({n} times)") };
                print_note(&format!("{}: {row} is not sent: {why}{times}", checked.report.path));
            }
        }
        report_outputs.retain_mut(|report_output| {
            let written = report_output.write(out, |report, out| report.write_doc(&checked.report, out));
            written.map_err(|error| broken = Some(error)).is_ok()
        });
        let streamed = checked.stream.take().map(|stream| {
            stream(&mut |batch| {
                report_outputs.retain_mut(|report_output| {
                    let written = report_output.write(out, |report, out| match report.sink() {
                        Some(sink) => sink.add_diagnostics(batch, out),
                        None => Ok(()),
                    });
                    written.map_err(|error| broken = Some(error)).is_ok()
                });
                Ok(())
            })
        });
        if let Some(Err(error)) = streamed {
            print_error(&describe_error(&label_of(input), &error));
            failed = true;
        }
        // With a closed pipe, a report to a file is still written.
        broken.is_none() || !report_outputs.is_empty()
    });
    let answer = report_outputs.iter().find_map(|report_output| report_output.report.is_refused());
    // Files first: the pipe of standard output may be closed.
    report_outputs.sort_by_key(|report_output| report_output.file.is_none());
    for mut report_output in report_outputs {
        report_output.write(out, |report, out| report.finish(&summary, out))?;
        report_output.save()?;
    }
    if let Some(error) = broken {
        return Err(error.into());
    }
    failed |= bugs::any_reported();
    // A refused request is reported even if it contains no conversation.
    if answer.is_none() || summary.files == 0 {
        failed |= report_nothing_found(run, recognised, &summary, failed);
    }
    let found = answer.unwrap_or(summary.fails());
    Ok(run.outcome(failed, found))
}

/// Predictions for a slimmed log, which `fix` refuses.
fn slimmed_predictions<T>(found: &JudgedDoc<T>) -> Predictions {
    const WHY: &str =
        "the log contains references instead of items; run `replaylint slim --restore -w FILE` first";
    let mut promises = Predictions::uniform(found, PredictedFix::Requested);
    for (promise, judged) in promises.outcomes.iter_mut().zip(&found.findings) {
        if promise.availability(judged) != (false, None) {
            *promise = PredictedFix::Impossible(WHY);
        }
    }
    promises
}

/// True if a document contains no conversation: not recognised, empty, or not JSON.
pub(super) fn is_not_conversation(seen: &DocReport) -> bool {
    let diagnostics = &seen.diagnostics;
    let is_unknown = |found: &Diagnostic| found.rule == unknown_format::RULE.code && found.history.is_none();
    // Other records of the file may be recognised.
    seen.histories == 0
        && diagnostics.iter().any(is_unknown)
        && diagnostics.iter().all(|diagnostic| is_of_container(diagnostic.rule))
}

fn is_of_container(code: Code) -> bool {
    rules::by_code(code).is_some_and(|rule| rule.has_tag(RuleTag::Container))
}

/// Reports that no conversation was found, unless `--allow-empty` is given; true if that fails the run.
pub(super) fn report_nothing_found(run: &Run, recognised: u64, summary: &RunSummary, failed: bool) -> bool {
    if recognised > 0 || failed || run.allow_empty {
        return false;
    }
    let skipped = match (summary.skipped, summary.ignored.words()) {
        (0, None) => String::new(),
        (0, Some(ignored)) => format!(" ({ignored} ignored; --no-ignore includes them)"),
        (n, None) => format!(" ({} skipped; -v lists them)", count(n, "file")),
        (n, Some(ignored)) => format!(" ({} skipped, {ignored} ignored; -v lists them)", count(n, "file")),
    };
    print_error(&format!("no conversation found{skipped}; use --allow-empty to exit with 0"));
    true
}
