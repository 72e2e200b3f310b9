//! `convert`: writes conversations as requests of another API; losses are reported on standard error.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use crate::carry::Destination;
use crate::convert::{ConvertOptions, ConvertedDoc, Plan, Thoughts, convert_to_spools};
use crate::dialect::{Dialect, Written};
use crate::place::DocId;
use crate::rebuild::slim::restore::has_references;
use crate::report::words::{count, grouped, printable};
use crate::report::{Content, Ignored, Seen, Style, Summary, diagnose, locations};
use crate::source::bytes::spool::Spool;
use crate::source::outputs::commit::CommitError;
use crate::source::outputs::product::{Existing, NewFile};
use crate::source::{Doc, Input, Packing, display_name, words};
use crate::target::Severity;
use crate::targets::models;

use super::carry_output::CarryOutput;
use super::check::{is_no_conversation, nothing_found};
use super::left_out;
use super::lost;
use super::parts::{Parts, Taken, Unsaved};
use super::run::Inputs;
use super::run::labels::label_of;
use super::run::products;
use super::run::products::Copies;
use super::run::{bugs, walked_files};
use super::{Failure, Outcome, Run, Sheet, complain, stderr, talk, unslim};

/// Losses of a doc that are looked at, so that those of one kind can be counted; more are only counted together.
const OF_KINDS: usize = 10_000;

/// Options of `convert` besides those of all commands.
pub struct Conversion {
    pub to: &'static dyn Dialect,
    pub written: Written,
    pub thoughts: Thoughts,
    pub deny_loss: Option<DenyLoss>,
    /// The file to write to, or the folder: for several inputs, or for a file for each conversation.
    pub output: Option<Copies>,
    /// Sessions of another agent are written.
    pub carry_output: Option<CarryOutput>,
}

/// What is not written if something would be lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DenyLoss {
    /// The file that holds the conversation.
    File,
    /// The conversation.
    Record,
}

impl Conversion {
    /// Whether nothing of a doc is written.
    pub(super) fn denies_file(&self, done: &Done) -> bool {
        self.deny_loss == Some(DenyLoss::File) && done.loses
    }
}

/// What one doc gave.
pub(super) struct Done {
    pub(super) label: String,
    /// Met in a walk, and no conversation.
    skipped: bool,
    /// Met in a walk, and not recognised.
    met: bool,
    converted: u32,
    failed: u32,
    loses: bool,
    /// Noted, warnings, errors.
    counts: [u64; 3],
    /// What is not sent.
    unsent: u64,
    items: u64,
    format: Option<&'static str>,
    /// References of a slimmed log that were followed.
    references: u64,
    seen: Seen,
    /// Conversations that are still to be written, and the path that their files are named after.
    apart: Option<(PathBuf, Parts)>,
    /// Where the sessions belong that were written.
    pub(super) destinations: Vec<Destination>,
}

/// Why a doc gave nothing.
pub(super) enum Trouble {
    Read(io::Error),
    /// Nobody reads on, or there is no room.
    Output(io::Error),
    Commit(CommitError),
    Path(Failure),
    /// So many conversations, where the result can only be one.
    Several(u32),
}

impl From<Unsaved> for Trouble {
    fn from(unsaved: Unsaved) -> Self {
        match unsaved {
            Unsaved::Commit(error) => Trouble::Commit(error),
            Unsaved::Clash(misuse) => Trouble::Path(misuse.into()),
        }
    }
}

pub fn convert(run: &Run, conversion: &Conversion, out: &mut dyn Write) -> Result<Outcome, Failure> {
    say_foreign_model(run, conversion);
    let Inputs { all: mut inputs, failed, ignored } = run.inputs()?;
    let several = inputs.len() > 1 || run.paths.iter().any(|path| path.is_dir());
    let planned = match &conversion.output {
        Some(copies) => copies.planned(&inputs, several)?,
        None => Vec::new(),
    };
    products::guard(run, &mut inputs, planned)?;
    let mut taken = taken(run, &inputs);
    let mut session = Session::new(run, failed, ignored);
    match &conversion.output {
        None if several => {
            return Err(products::several_to_stream().into());
        }
        None => {
            for input in &inputs {
                let open = || run.open(DocId(0), input);
                let convert = || in_full(run, open(), |doc| to_stream(run, conversion, doc, out));
                if let Some(done) = bugs::caught(&label_of(input), convert) {
                    session.take(input, done)?;
                }
            }
        }
        Some(to) => {
            let work = |doc: io::Result<Doc>, threads: usize| {
                in_full(run, doc, |doc| to_file(run, conversion, doc, to, several, threads))
            };
            let mut ended = Ok(());
            run.each_doc(&inputs, work, |input, done| {
                // Files whose number shows only now are written in the order of the inputs.
                let done = done.and_then(|done| save_apart(done, conversion, to.existing, &mut taken));
                ended = session.take(input, done);
                ended.is_ok()
            });
            ended?;
        }
    }
    out.flush()?;
    session.finish(conversion, out)
}

/// A model that was asked for, and that the target does not serve.
fn say_foreign_model(run: &Run, conversion: &Conversion) {
    let Some(model) = run.lints.of("").model.as_deref() else { return };
    let dialect = conversion.to.info().name;
    if models::maker(model).is_some_and(|maker| !models::serves(dialect, maker)) {
        complain(&format!("the model {} is not one that {dialect} requests are sent to", printable(model)));
    }
}

/// A log that was slimmed is converted as it was before.
pub(super) fn in_full(
    run: &Run,
    doc: io::Result<Doc>,
    work: impl FnOnce(&Doc) -> Result<Done, Trouble>,
) -> Result<Done, Trouble> {
    let mut doc = doc.map_err(Trouble::Read)?;
    let options = run.lints.of(&doc.label);
    let references = match has_references(&*doc.bytes).map_err(Trouble::Read)? {
        true => unslim::put_together(&mut doc, options).map_err(Trouble::Read)?,
        false => 0,
    };
    Ok(Done { references, ..work(&doc)? })
}

fn to_stream(run: &Run, conversion: &Conversion, doc: &Doc, out: &mut dyn Write) -> Result<Done, Trouble> {
    if conversion.deny_loss != Some(DenyLoss::File) && conversion.written == Written::Request {
        return one(run, conversion, doc, run.threads, &mut |made| made.copy_to(out));
    }
    // Whether anything is lost, and how many conversations there are, is known at the end: until then nothing is shown.
    let mut spool = tempfile::tempfile().map_err(Trouble::Output)?;
    let done = one(run, conversion, doc, run.threads, &mut |made| made.copy_to(&mut spool))?;
    if !(conversion.denies_file(&done)) {
        io::Seek::rewind(&mut spool).and_then(|()| io::copy(&mut spool, out)).map_err(Trouble::Output)?;
    }
    Ok(done)
}

fn to_file(
    run: &Run,
    conversion: &Conversion,
    doc: &Doc,
    to: &Copies,
    several: bool,
    threads: usize,
) -> Result<Done, Trouble> {
    let path = to.place(doc, several).map_err(Trouble::Path)?;
    if several || to.is_folder() {
        return to_folder(run, conversion, doc, path, to.existing, threads);
    }
    let mut file = NewFile::create(&path, true, to.existing).map_err(Trouble::Commit)?;
    let done = one(run, conversion, doc, threads, &mut |made| made.copy_to(&mut file))?;
    if done.converted > 0 && !(conversion.denies_file(&done)) {
        let lost = file.save().map_err(Trouble::Commit)?;
        products::say_lost(&path.to_string_lossy(), &lost);
    }
    Ok(done)
}

/// Writes the only conversation of a doc to a file called like it; several are left to be written to files of their own.
fn to_folder(
    run: &Run,
    conversion: &Conversion,
    doc: &Doc,
    path: PathBuf,
    existing: Existing,
    threads: usize,
) -> Result<Done, Trouble> {
    let mut parts = Parts::new();
    let mut done = in_any_number(run, conversion, doc, threads, &mut |made| parts.add(made))?;
    if done.converted > 0 && !(conversion.denies_file(&done)) {
        if parts.are_several() {
            done.apart = Some((path, parts));
        } else {
            let lost = parts.save_one(&path, existing).map_err(Trouble::Commit)?;
            products::say_lost(&path.to_string_lossy(), &lost);
        }
    }
    Ok(done)
}

fn save_apart(
    mut done: Done,
    conversion: &Conversion,
    existing: Existing,
    taken: &mut Taken,
) -> Result<Done, Trouble> {
    if let Some((path, parts)) = done.apart.take() {
        let ending = if conversion.written == Written::Items { "jsonl" } else { "json" };
        for (path, lost) in parts.save_each(&path, ending, existing, taken)? {
            products::say_lost(&path.to_string_lossy(), &lost);
        }
    }
    Ok(done)
}

/// What the files whose number is not known yet must not replace.
fn taken(run: &Run, inputs: &[Input]) -> Taken {
    let mut taken = Taken::default();
    for input in inputs {
        match input {
            Input::Stdin => {}
            Input::File { path, .. } | Input::History { path, .. } => taken.uses(path),
            Input::Member { member, .. } => taken.uses(&member.archive),
            Input::Log { paths, .. } | Input::Tree { paths, .. } => paths.iter().for_each(|path| taken.uses(path)),
        }
    }
    run.also_read.iter().for_each(|path| taken.uses(path));
    run.outputs.iter().filter_map(|output| output.file.as_ref()).for_each(|path| taken.uses(path));
    taken
}

/// Converts one doc to one product: lines of items are one conversation.
fn one(
    run: &Run,
    conversion: &Conversion,
    doc: &Doc,
    threads: usize,
    each: &mut dyn FnMut(&Spool) -> io::Result<()>,
) -> Result<Done, Trouble> {
    let done = in_any_number(run, conversion, doc, threads, each)?;
    let all = done.converted + done.seen.left_out.len() as u32;
    let several = conversion.written == Written::Items && all > 1;
    if several { Err(Trouble::Several(all)) } else { Ok(done) }
}

/// Converts one doc; `each` gets its conversations one by one.
pub(super) fn in_any_number(
    run: &Run,
    conversion: &Conversion,
    doc: &Doc,
    threads: usize,
    each: &mut dyn FnMut(&Spool) -> io::Result<()>,
) -> Result<Done, Trouble> {
    // The target is that of the result.
    let mut options = run.lints.of(&doc.label).clone();
    options.read.dialect = None;
    let options = &options;
    let machine = run.outputs.iter().any(|output| output.name != "text" && output.name != "concise");
    let plan = Plan {
        to: conversion.to,
        written: conversion.written,
        thoughts: conversion.thoughts,
        model: options.model.clone(),
        target: options.target,
    };
    let least = if machine || run.verbose { Severity::Info } else { Severity::Warning };
    let most = if machine { usize::MAX } else { run.style.limit.map_or(usize::MAX, |limit| limit.max(OF_KINDS)) };
    let lossless_only = conversion.deny_loss == Some(DenyLoss::Record);
    let carrying = conversion.carry_output.as_ref().map(|carry_output| carry_output.of(doc));
    let carry = carrying.as_ref();
    let how = ConvertOptions { options, plan, least, most, lossless_only, foreign_only: false, carry };
    let mut written = Ok(());
    let done = convert_to_spools(doc.id, &*doc.bytes, &how, threads, &mut |made| {
        each(made).map_err(|error| {
            let kind = error.kind();
            written = Err(error);
            kind.into()
        })
    });
    written.map_err(Trouble::Output)?;
    let done = done.map_err(Trouble::Read)?;
    tell(run, doc, done).map_err(Trouble::Read)
}

fn tell(run: &Run, doc: &Doc, mut done: ConvertedDoc) -> io::Result<Done> {
    let wanted = run.outputs.iter().any(|output| output.name == "text");
    let content = match (wanted, run.show_content || io::stderr().is_terminal()) {
        (false, _) => Content::None,
        (true, true) => Content::Shown,
        (true, false) => Content::Masked,
    };
    let mut told = Done {
        label: doc.label.clone(),
        skipped: false,
        met: done.format.is_none() && !doc.named,
        converted: done.converted,
        failed: done.failed,
        references: 0,
        apart: None,
        destinations: std::mem::take(&mut done.destinations),
        loses: done.loses(),
        counts: done.counts,
        unsent: done.unsent,
        items: done.items,
        format: done.format.map(|format| format.info().name),
        seen: Seen {
            path: doc.label.clone(),
            format: done.format.map(|format| format.info().name),
            items: done.items,
            histories: done.converted,
            records: done.records,
            apart: done.converted > 1,
            left_out: left_out::lines(&*doc.bytes, &done)?,
            ..Seen::default()
        },
    };
    let mut found = done.told();
    if told.met {
        let damage = walked_files::damage(doc, run.lints.of(&doc.label), &mut found, content)?;
        told.skipped = damage.is_none();
        told.seen.diagnostics = damage.unwrap_or_default();
        let of = |severity| told.seen.diagnostics.iter().filter(|found| found.severity == severity).count() as u64;
        let errors = of(Severity::Error);
        (told.counts, told.failed) = ([of(Severity::Info), of(Severity::Warning), errors], errors as u32);
        told.loses = false;
    } else {
        told.seen.diagnostics = diagnose(doc.id, &doc.label, &*doc.bytes, &found, content)?;
        if doc.cells.is_some() || doc.packing == Packing::Shared {
            locations::diagnostics(&doc.segments, &mut told.seen.diagnostics);
        }
    }
    told.seen.page = run.drawn("convert", doc, &found, &told.seen.diagnostics)?;
    if doc.bytes.is_cut() {
        let label = display_name(&doc.label);
        complain(&format!("{label}: the compressed file is truncated; only the readable part was converted"));
        told.failed = told.failed.max(1);
    }
    Ok(told)
}

pub(super) struct Session<'r> {
    run: &'r Run,
    pub(super) failed: bool,
    lossy: bool,
    records_failed: u64,
    recognised: u64,
    noted: u64,
    unsent: u64,
    summary: Summary,
    seen: Vec<Seen>,
}

impl<'r> Session<'r> {
    pub(super) fn new(run: &'r Run, failed: bool, ignored: Ignored) -> Self {
        Session {
            run,
            failed,
            lossy: false,
            records_failed: 0,
            recognised: 0,
            noted: 0,
            unsent: 0,
            summary: Summary { ignored, ..Summary::default() },
            seen: Vec::new(),
        }
    }

    pub(super) fn take(&mut self, input: &Input, done: Result<Done, Trouble>) -> Result<(), Failure> {
        let done = match done {
            Ok(done) => done,
            Err(Trouble::Output(error)) => return Err(error.into()),
            Err(trouble) => {
                complain(&match trouble {
                    Trouble::Read(error) | Trouble::Output(error) => words(&label_of(input), &error),
                    Trouble::Commit(error) => error.to_string(),
                    Trouble::Path(failure) => failure.to_string(),
                    Trouble::Several(n) => format!(
                        "{}: contains {n} conversations, but a file of items is one; use `-o DIR/` to write each to \
                         its own file, or `--to responses` for one request per line",
                        display_name(&label_of(input))
                    ),
                });
                self.failed = true;
                return Ok(());
            }
        };
        if done.skipped {
            self.summary.skipped += 1;
            walked_files::say_skipped(self.run, &done.label);
            return Ok(());
        }
        self.summary.count_file(input.database());
        unslim::tell(self.run, &done.label, done.references);
        let unknown = done.met && !walked_files::was_one(&done.seen.diagnostics) || is_no_conversation(&done.seen);
        self.recognised += u64::from(done.format.is_some() || !unknown);
        self.summary.histories += u64::from(done.converted);
        self.summary.items += done.items;
        let [noted, warnings, errors] = done.counts;
        self.noted += noted;
        self.unsent += done.unsent;
        self.summary.warnings += warnings;
        self.summary.errors += errors;
        self.records_failed += u64::from(done.failed);
        self.lossy |= done.loses;
        self.seen.push(done.seen);
        Ok(())
    }

    pub(super) fn finish(self, conversion: &Conversion, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let mut stderr = stderr();
        for output in &self.run.outputs {
            let machine = output.name != "text" && output.name != "concise";
            let style = Style { quiet: machine || self.run.quiet, ..self.run.style };
            // The words for people are this command's own.
            let none = Summary::default();
            let summary = if machine { &self.summary } else { &none };
            let mut sheet = Sheet::new(output, style, self.run.is_private())?;
            // A product on standard output leaves no room there for a report.
            let to: &mut dyn Write = if machine && conversion.output.is_some() { out } else { &mut stderr };
            for seen in &self.seen {
                sheet.write(to, |report, out| report.doc(seen, out))?;
            }
            sheet.write(to, |report, out| report.finish(summary, out))?;
            sheet.save()?;
        }
        self.seen.iter().filter_map(left_out::words).for_each(|words| talk(&words));
        let failed = self.failed || nothing_found(self.run, self.recognised, &self.summary, self.failed);
        if !self.run.quiet && self.summary.files > 0 {
            talk(&self.words(conversion));
        }
        let denied = (conversion.deny_loss.is_some() || self.run.deny_warnings) && self.lossy;
        let found = self.records_failed > 0 || denied;
        Ok(self.run.outcome(failed, found))
    }

    fn words(&self, conversion: &Conversion) -> String {
        let summary = &self.summary;
        let written = count(summary.histories, "conversation");
        let denied = conversion.deny_loss == Some(DenyLoss::File) && self.lossy;
        let mut text = match (summary.files, denied) {
            (_, true) => format!("{written} could only be converted with losses; nothing was written"),
            (1, false) => format!("Converted {written}"),
            (files, false) => format!("Converted {written} ({})", count(files, "file")),
        };
        if self.records_failed > 0 {
            text += &format!("; {} failed", count(self.records_failed, "record"));
        }
        let left_out = self.seen.iter().map(|seen| seen.left_out.len() as u64).sum();
        if left_out > 0 {
            text += &format!("; {} left out", grouped(left_out));
        }
        if summary.histories + left_out > 0 {
            text += &format!("; {}", lost::words(summary.warnings, self.noted, self.unsent));
        }
        text.push('.');
        let shown =
            self.seen.iter().flat_map(|seen| &seen.diagnostics).filter(|d| d.severity != Severity::Info).count()
                as u64;
        let all = summary.warnings + summary.errors;
        if shown < all {
            text += &format!(" {} not shown (--max-diagnostics 0 shows all).", grouped(all - shown));
        }
        text + &walked_files::skipped_in_words(summary)
    }
}
