//! `check`: reports, and writes nothing.

use std::collections::HashMap;
use std::io::{self, Write};

use crate::convert;
use crate::history::Code;
use crate::history::Unsent;
use crate::judge::JudgedDoc;
use crate::read::Skipped;
use crate::report::html::draw;
use crate::report::mask;
use crate::report::prediction::promise;
use crate::report::prediction::promise::{Promise, Promises};
use crate::report::words::count;
use crate::report::{Content, Diagnostic, Picked, Seen, Summary, locations};
use crate::rule::About;
use crate::rules;
use crate::rules::container::unknown_format;
use crate::source::{Doc, Packing, words};

use super::run::Inputs;
use super::run::known_findings::Baseline;
use super::run::labels::label_of;
use super::run::{bugs, products, severities, walked_files};
use super::{Failure, Outcome, Run, complain, talk, unslim};

/// What one doc gave.
pub(super) struct Checked {
    pub seen: Seen,
    /// Met in a walk, and no conversation.
    pub skipped: bool,
    /// Met in a walk, and nothing in it looks like a conversation.
    foreign: bool,
    /// References of a slimmed log that were followed.
    references: u64,
    /// Records that were skipped because of a bug here.
    bugs: Vec<Skipped>,
    /// What was found, and what the default repair takes away.
    counted: Summary,
    /// The config file changes what findings count as, or accepts some.
    is_settled: bool,
}

impl Checked {
    /// What is reported of a doc, and promised. `known` findings are not reported, nor are those that are accepted.
    fn reported(&self, known: u64) -> Summary {
        if known == 0 && !self.is_settled {
            return self.counted.clone();
        }
        let mut reported = Summary::default();
        reported.count(&self.seen.diagnostics);
        let all = self.counted.fixable;
        let fixable = if known + self.seen.accepted > 0 { reported.fixable.min(all) } else { all };
        Summary { fixable, packed: self.counted.packed, ..reported }
    }
}

/// Reports what is found; with a baseline, what that does not know.
pub fn check(run: &Run, baseline: Option<&mut Baseline>, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let outcome = check_all(run, baseline, out)?;
    run.lints.idle_waivers(&run.folders()).iter().filter(|_| !run.quiet).for_each(|idle| complain(idle));
    Ok(outcome)
}

/// Checks one doc. `only_kinds` says that nothing else is read of findings that are only counted.
pub(super) fn look(
    run: &Run,
    mut doc: Doc,
    threads: usize,
    content: Content,
    only_kinds: bool,
) -> io::Result<Checked> {
    let proposes = run.outputs.iter().any(|output| output.name == "sarif");
    let mut options = run.lints.of(&doc.label).clone();
    options.read.unsent = run.verbose;
    let options = &options;
    let check = |doc: &Doc| convert::check(doc.id, &*doc.bytes, options, threads);
    let (mut found, mut references) = (check(&doc)?, 0);
    if unslim::is_slimmed(&doc, &found)? {
        references = unslim::put_together(&mut doc, options)?;
        found = check(&doc)?;
    }
    let met = found.format.is_none() && !doc.named;
    let is_settled = run.lints.in_force(&doc.label).settles();
    let (mut counted, mut more, mut page) = (Summary::default(), Vec::new(), None);
    let (mut diagnostics, skipped) = match met {
        true => {
            let damage = walked_files::damage(&doc, options, &mut found, content)?;
            let skipped = damage.is_none();
            let told = damage.unwrap_or_default();
            counted.count(&told);
            (told, skipped)
        }
        false => {
            // Offsets must be those of the file that an editor opens.
            let is_file = references == 0 && doc.segments.is_empty() && doc.packing == Packing::Plain;
            let proposes = proposes && is_file;
            let promises = match references {
                0 => {
                    let whole = proposes || run.draws();
                    promise::plan(doc.id, &*doc.bytes, &mut found, options, threads, whole)?
                }
                _ => refused(&found),
            };
            let picked = match only_kinds && !is_settled {
                true => Picked::of(&found, &promises.of, &run.style),
                false => Picked::all(&found),
            };
            let mut told = promises.diagnose(doc.id, &doc.label, &*doc.bytes, &found, &picked, content)?;
            if proposes {
                promises.propose(doc.id, &*doc.bytes, run.show_content, &mut told)?;
            }
            locations::diagnostics(&doc.segments, &mut told);
            counted.count_judged(&found.judged, &promises);
            counted.packed = counted.fixable > 0 && doc.packing != Packing::Plain;
            more = picked.more;
            if run.draws() {
                let drawing = run.drawing("check", &doc, options);
                page = Some(draw::found(drawing, &found, &told, promises.repair(&found.judged))?);
            }
            (told, false)
        }
    };
    if met && !skipped {
        page = run.drawn("check", &doc, &found, &diagnostics)?;
    }
    let accepted = severities::settle(run, &doc.label, &mut diagnostics);
    let bugs = std::mem::take(&mut found.bugs);
    let foreign = met && !walked_files::was_one(&diagnostics);
    let seen = Seen { accepted, more, page, ..Seen::new(&doc.label, &found, diagnostics) };
    Ok(Checked { seen, skipped, foreign, references, bugs, counted, is_settled })
}

/// The same, and leaves it to the caller what was of no use.
pub(super) fn check_all(
    run: &Run,
    mut baseline: Option<&mut Baseline>,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let Inputs { all: mut inputs, mut failed, ignored } = run.inputs()?;
    products::guard(run, &mut inputs, Vec::new())?;
    let mut recognised = 0;
    let mut sheets = run.sheets(run.style)?;
    let mut summary = Summary { ignored, ..Summary::default() };
    let mut broken = None;
    let content = run.content();
    // A baseline is compared with all findings.
    let only_kinds = baseline.is_none() && run.outputs.iter().all(|output| output.name == "text");
    let work = |doc: io::Result<Doc>, threads: usize| look(run, doc?, threads, content, only_kinds);
    run.each_doc(&inputs, work, |input, checked: io::Result<Checked>| {
        let mut checked = match checked {
            Ok(checked) => checked,
            Err(error) => {
                complain(&words(&label_of(input), &error));
                failed = true;
                return true;
            }
        };
        checked.bugs.iter().for_each(|skipped| bugs::report(&checked.seen.path, skipped));
        if checked.skipped {
            summary.skipped += 1;
            walked_files::say_skipped(run, &checked.seen.path);
            return true;
        }
        summary.count_file(input.database());
        summary.see(&checked.seen);
        unslim::tell(run, &checked.seen.path, checked.references);
        recognised += u64::from(!is_no_conversation(&checked.seen) && !checked.foreign);
        let known = baseline.as_mut().map_or(0, |baseline| baseline.take(&mut checked.seen));
        summary.known += known;
        let counted = checked.reported(known);
        if run.denies_warnings(&checked.seen.path) {
            summary.denied += counted.warnings;
        }
        summary.add(&counted);
        if run.verbose
            && let Some(format) = checked.seen.format
        {
            talk(&format!("{}: {format}, {} items", checked.seen.path, checked.seen.items));
            // What is alike is named once.
            let mut times: HashMap<(&str, &str), usize> = HashMap::new();
            let unsent = checked.seen.unsent.iter().map(|Unsent { what, why, .. }| (&**what, *why));
            unsent.clone().for_each(|one| *times.entry(one).or_default() += 1);
            for (what, why, n) in unsent.filter_map(|one| Some((one.0, one.1, times.remove(&one)?))) {
                let row = match what {
                    "" => "a row".to_owned(),
                    // It says itself what it is.
                    name if name.contains(' ') => mask::phrase(name),
                    name => format!("row {}", mask::label(name)),
                };
                let times = if n == 1 { String::new() } else { format!(" ({n} times)") };
                talk(&format!("{}: {row} is not sent: {why}{times}", checked.seen.path));
            }
        }
        sheets.retain_mut(|sheet| {
            let written = sheet.write(out, |report, out| report.doc(&checked.seen, out));
            written.map_err(|error| broken = Some(error)).is_ok()
        });
        // When nobody reads on, a report to a file is still made.
        broken.is_none() || !sheets.is_empty()
    });
    let answer = sheets.iter().find_map(|sheet| sheet.report.answer());
    // Files first: nobody may read on at the other end of a pipe.
    sheets.sort_by_key(|sheet| sheet.file.is_none());
    for mut sheet in sheets {
        sheet.write(out, |report, out| report.finish(&summary, out))?;
        sheet.save()?;
    }
    if let Some(error) = broken {
        return Err(error.into());
    }
    failed |= bugs::met();
    // What is no request at all is answered, too.
    if answer.is_none() || summary.files == 0 {
        failed |= nothing_found(run, recognised, &summary, failed);
    }
    let found = answer.unwrap_or(summary.fails());
    Ok(run.outcome(failed, found))
}

/// `fix` refuses a log that `slim` made shorter.
fn refused<T>(found: &JudgedDoc<T>) -> Promises {
    const WHY: &str =
        "the log contains references instead of items: run `replaylint slim --restore -w FILE` first";
    let mut promises = Promises::all(found, Promise::Asked);
    for (promise, judged) in promises.of.iter_mut().zip(&found.judged) {
        if promise.made(judged) != (false, None) {
            *promise = Promise::Never(WHY);
        }
    }
    promises
}

/// Whether a doc is known to be none of ours: not recognised, empty, or no JSON at all.
pub(super) fn is_no_conversation(seen: &Seen) -> bool {
    let diagnostics = &seen.diagnostics;
    let is_unknown = |found: &Diagnostic| found.rule == unknown_format::RULE.code && found.history.is_none();
    // Of a record that is not known, others in the file may be.
    seen.histories == 0
        && diagnostics.iter().any(is_unknown)
        && diagnostics.iter().all(|diagnostic| is_of_container(diagnostic.rule))
}

fn is_of_container(code: Code) -> bool {
    rules::by_code(code).is_some_and(|rule| rule.is_about(About::Container))
}

/// A run that saw no conversation is no success, unless that was allowed.
pub(super) fn nothing_found(run: &Run, recognised: u64, summary: &Summary, failed: bool) -> bool {
    if recognised > 0 || failed || run.allow_empty {
        return false;
    }
    let skipped = match (summary.skipped, summary.ignored.words()) {
        (0, None) => String::new(),
        (0, Some(ignored)) => format!(" ({ignored} ignored; --no-ignore reads what ignore files name)"),
        (n, None) => format!(" ({} skipped; -v lists them)", count(n, "file")),
        (n, Some(ignored)) => format!(" ({} skipped, {ignored} ignored; -v lists them)", count(n, "file")),
    };
    complain(&format!("no conversation was found{skipped}; use --allow-empty to exit with 0"));
    true
}
