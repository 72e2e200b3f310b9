//! `convert`: writes conversations as requests of another API; losses are reported on standard error.

mod convert_run;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use crate::carry::Destination;
use crate::convert::{ConvertOptions, ConvertPlan, ConvertedDoc, ReasoningMode, ServerTools, convert_to_spools};
use crate::dialect::{Dialect, OutputShape};
use crate::options::UsageError;
use crate::place::DocId;
use crate::rebuild::slim::restore::has_references;
use crate::report::words::to_printable;
use crate::report::{ContentDisplay, DocReport, FindingSample, diagnose_some, segment_locations};
use crate::source::bytes::spool::Spool;
use crate::source::outputs::commit::CommitError;
use crate::source::outputs::new_file::{ExistingFile, NewFile};
use crate::source::{Doc, Input, Packing, display_name};
use crate::target::Severity;
use crate::targets::models;

use super::carry_output::CarryOutput;
use super::conversation_files::{ConversationFiles, ReservedPaths, SaveError};
use super::omitted_conversations;
use super::run::Inputs;
use super::run::labels::label_of;
use super::run::products;
use super::run::products::OutputPath;
use super::run::{bugs, walked_files};
use super::{Failure, Outcome, Run, print_error, unslim};

pub(super) use convert_run::ConvertRun;

/// Losses of a document that are examined, to count them by kind; more are only counted.
const MAX_EXAMINED_LOSSES: usize = 100_000;

/// Options of `convert` besides those of all commands.
pub struct Conversion {
    pub to: &'static dyn Dialect,
    pub shape: OutputShape,
    pub reasoning: ReasoningMode,
    pub server_tools: ServerTools,
    pub deny_loss: Option<DenyLoss>,
    /// The file to write to, or the folder for several inputs or one file per conversation.
    pub output: Option<OutputPath>,
    /// Set if sessions for another agent are written.
    pub carry_output: Option<CarryOutput>,
}

/// The part that `--deny-loss` leaves out if something would be lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DenyLoss {
    /// The whole file.
    File,
    /// Only the conversation with the loss.
    Record,
}

impl Conversion {
    /// True if nothing of a document is written because of a loss.
    pub(super) fn denies_file(&self, done: &DocConversion) -> bool {
        self.deny_loss == Some(DenyLoss::File) && done.loses
    }
}

/// The result of converting one document.
pub(super) struct DocConversion {
    pub(super) label: String,
    /// The document was found in a folder and contains no conversation.
    skipped: bool,
    /// The document was found in a folder and not recognised.
    is_unrecognised: bool,
    converted: u32,
    /// Number of conversations that are lines of a batch.
    batch_lines: u32,
    failed: u32,
    loses: bool,
    /// Numbers of notes, warnings and errors.
    counts: [u64; 3],
    /// Number of items that are not sent.
    unsent: u64,
    items: u64,
    format: Option<&'static str>,
    /// Number of references of a slimmed log that were restored.
    references: u64,
    report: DocReport,
    /// Conversations that are not yet written, and the path that their files are named after.
    pending_files: Option<(PathBuf, ConversationFiles)>,
    /// The destinations of the written sessions.
    pub(super) destinations: Vec<Destination>,
}

/// Why a document could not be converted.
pub(super) enum ConversionError {
    Read(io::Error),
    /// The output is closed, or there is no space.
    Output(io::Error),
    Commit(CommitError),
    Clash(UsageError),
    /// The document contains so many conversations, where only one can be written.
    TooManyConversations(u32),
}

impl From<SaveError> for ConversionError {
    fn from(unsaved: SaveError) -> Self {
        match unsaved {
            SaveError::Commit(error) => ConversionError::Commit(error),
            SaveError::Clash(usage_error) => ConversionError::Clash(usage_error),
        }
    }
}

pub fn convert(run: &Run, conversion: &Conversion, out: &mut dyn Write) -> Result<Outcome, Failure> {
    warn_foreign_model(run, conversion);
    let Inputs { all: mut inputs, failed, ignored_counts } = run.inputs()?;
    let several = inputs.len() > 1 || run.paths.iter().any(|path| path.is_dir());
    let planned = match &conversion.output {
        Some(copies) => copies.planned_files(run, &inputs, several)?,
        None => Vec::new(),
    };
    products::check_collisions(run, &mut inputs, planned)?;
    let mut taken = reserved_paths(run, &inputs);
    let mut session = ConvertRun::new(run, failed, ignored_counts);
    match &conversion.output {
        None if several => {
            return Err(products::several_inputs_error().into());
        }
        None => {
            for input in &inputs {
                let open = || run.open(DocId(0), input);
                let convert = || convert_restored(run, open(), |doc| to_stream(run, conversion, doc, out));
                if let Some(done) = bugs::catch(&label_of(input), convert) {
                    session.record(input, done)?;
                }
            }
        }
        Some(to) => {
            let work = |doc: io::Result<Doc>, threads: usize| {
                convert_restored(run, doc, |doc| to_file(run, conversion, doc, to, several, threads))
            };
            let mut ended = Ok(());
            run.each_doc(&inputs, work, |input, done| {
                // Files for several conversations are written in the order of the inputs.
                let done = done.and_then(|done| save_pending(done, conversion, to.existing, &mut taken));
                ended = session.record(input, done);
                ended.is_ok()
            });
            ended?;
        }
    }
    out.flush()?;
    session.finish(conversion, out)
}

/// Warns about a `--model` that the target does not serve.
fn warn_foreign_model(run: &Run, conversion: &Conversion) {
    let Some(model) = run.lints.options_for("").written_model() else { return };
    let dialect = conversion.to.info().name;
    if models::vendor(model).is_some_and(|maker| !models::serves(dialect, maker)) {
        print_error(&format!("warning: {dialect} APIs do not serve the model {}", to_printable(model)));
    }
}

/// Converts a document, a slimmed log with its references restored.
pub(super) fn convert_restored(
    run: &Run,
    doc: io::Result<Doc>,
    work: impl FnOnce(&Doc) -> Result<DocConversion, ConversionError>,
) -> Result<DocConversion, ConversionError> {
    let mut doc = doc.map_err(ConversionError::Read)?;
    let options = run.lints.options_for(&doc.label);
    let references = match has_references(&*doc.bytes).map_err(ConversionError::Read)? {
        true => unslim::restore_references(&mut doc, options).map_err(ConversionError::Read)?,
        false => 0,
    };
    Ok(DocConversion { references, ..work(&doc)? })
}

fn to_stream(
    run: &Run,
    conversion: &Conversion,
    doc: &Doc,
    out: &mut dyn Write,
) -> Result<DocConversion, ConversionError> {
    if conversion.deny_loss != Some(DenyLoss::File) && conversion.shape == OutputShape::Request {
        return convert_single(run, conversion, doc, run.threads, &mut |made| made.copy_to(out));
    }
    // Losses and the number of conversations are known only at the end; until then nothing is printed.
    let mut spool = tempfile::tempfile().map_err(ConversionError::Output)?;
    let done = convert_single(run, conversion, doc, run.threads, &mut |made| made.copy_to(&mut spool))?;
    if !(conversion.denies_file(&done)) {
        io::Seek::rewind(&mut spool).and_then(|()| io::copy(&mut spool, out)).map_err(ConversionError::Output)?;
    }
    Ok(done)
}

fn to_file(
    run: &Run,
    conversion: &Conversion,
    doc: &Doc,
    to: &OutputPath,
    several: bool,
    threads: usize,
) -> Result<DocConversion, ConversionError> {
    let path = to.path_for(run, doc, several);
    if several || to.is_folder() {
        return to_folder(run, conversion, doc, path, to.existing, threads);
    }
    let mut file = NewFile::create_with_folders(&path, to.existing).map_err(ConversionError::Commit)?;
    let done = convert_single(run, conversion, doc, threads, &mut |made| made.copy_to(&mut file))?;
    if done.converted > 0 && !(conversion.denies_file(&done)) {
        let lost = file.save().map_err(ConversionError::Commit)?;
        products::report_lost_metadata(&path.to_string_lossy(), &lost);
    }
    Ok(done)
}

/// Writes the only conversation of a document to a file of the same name; several conversations stay pending.
fn to_folder(
    run: &Run,
    conversion: &Conversion,
    doc: &Doc,
    path: PathBuf,
    existing: ExistingFile,
    threads: usize,
) -> Result<DocConversion, ConversionError> {
    let mut parts = ConversationFiles::new();
    let mut done = convert_each(run, conversion, doc, threads, &mut |made| parts.add(made))?;
    if done.converted > 0 && !(conversion.denies_file(&done)) {
        let is_batch = done.batch_lines == done.converted;
        if parts.has_several() && !is_batch {
            done.pending_files = Some((path, parts));
        } else {
            let lost = parts.save_one(&path, existing).map_err(ConversionError::Commit)?;
            products::report_lost_metadata(&path.to_string_lossy(), &lost);
        }
    }
    Ok(done)
}

fn save_pending(
    mut done: DocConversion,
    conversion: &Conversion,
    existing: ExistingFile,
    taken: &mut ReservedPaths,
) -> Result<DocConversion, ConversionError> {
    if let Some((path, parts)) = done.pending_files.take() {
        let ending = if conversion.shape == OutputShape::Items { "jsonl" } else { "json" };
        for (path, lost) in parts.save_each(&path, ending, existing, taken)? {
            products::report_lost_metadata(&path.to_string_lossy(), &lost);
        }
    }
    Ok(done)
}

/// Files that must not be overwritten by conversations: inputs and reports.
fn reserved_paths(run: &Run, inputs: &[Input]) -> ReservedPaths {
    let mut taken = ReservedPaths::default();
    for input in inputs {
        match input {
            Input::Stdin => {}
            Input::File { path, .. } | Input::History { path, .. } => taken.reserve(path),
            Input::Member { member, .. } => taken.reserve(&member.archive),
            Input::Log { paths, .. } | Input::Tree { paths, .. } => {
                paths.iter().for_each(|path| taken.reserve(path))
            }
        }
    }
    run.also_read.iter().for_each(|path| taken.reserve(path));
    run.outputs.iter().filter_map(|output| output.file.as_ref()).for_each(|path| taken.reserve(path));
    taken
}

/// Converts one document to one output: lines of items are one conversation.
fn convert_single(
    run: &Run,
    conversion: &Conversion,
    doc: &Doc,
    threads: usize,
    each: &mut dyn FnMut(&Spool) -> io::Result<()>,
) -> Result<DocConversion, ConversionError> {
    let done = convert_each(run, conversion, doc, threads, each)?;
    let all = done.converted + done.report.left_out.len() as u32;
    let several = conversion.shape == OutputShape::Items && all > 1;
    if several { Err(ConversionError::TooManyConversations(all)) } else { Ok(done) }
}

/// Converts one document; `each` receives its conversations one by one.
pub(super) fn convert_each(
    run: &Run,
    conversion: &Conversion,
    doc: &Doc,
    threads: usize,
    each: &mut dyn FnMut(&Spool) -> io::Result<()>,
) -> Result<DocConversion, ConversionError> {
    // The target applies to the result, not to the source.
    let mut options = run.lints.options_for(&doc.label).clone();
    options.read.dialect = None;
    let options = &options;
    let machine = run.outputs.iter().any(|output| output.name != "text" && output.name != "concise");
    let plan = ConvertPlan {
        dialect: conversion.to,
        shape: conversion.shape,
        reasoning: conversion.reasoning,
        server_tools: conversion.server_tools,
        model: options.written_model().map(str::to_owned),
        target: options.target,
    };
    let least = if machine || run.verbose { Severity::Info } else { Severity::Warning };
    let most = if machine {
        usize::MAX
    } else {
        run.style.limit.map_or(usize::MAX, |limit| limit.max(MAX_EXAMINED_LOSSES))
    };
    let lossless_only = conversion.deny_loss == Some(DenyLoss::Record);
    let carrying =
        conversion.carry_output.as_ref().map(|carry_output| carry_output.for_doc(doc, options.written_model()));
    let carry = carrying.as_ref();
    let how = ConvertOptions {
        judge: options,
        plan,
        min_severity: least,
        max_findings: most,
        lists_each: machine || run.verbose,
        digests_names: counts_losses(run),
        lossless_only,
        foreign_only: false,
        carry,
    };
    let mut written = Ok(());
    let done = convert_to_spools(doc.id, &*doc.bytes, &how, threads, &mut |made| {
        each(made).map_err(|error| {
            let kind = error.kind();
            written = Err(error);
            kind.into()
        })
    });
    written.map_err(ConversionError::Output)?;
    let done = done.map_err(ConversionError::Read)?;
    build_report(run, doc, done).map_err(ConversionError::Read)
}

/// True if losses of a kind are only counted: the findings are for people, who see the first of a kind.
fn counts_losses(run: &Run) -> bool {
    run.style.grouped && run.has_only_text()
}

fn build_report(run: &Run, doc: &Doc, mut done: ConvertedDoc) -> io::Result<DocConversion> {
    let wanted = run.outputs.iter().any(|output| output.name == "text");
    let content = match (wanted, run.show_content || io::stderr().is_terminal()) {
        (false, _) => ContentDisplay::None,
        (true, true) => ContentDisplay::Shown,
        (true, false) => ContentDisplay::Masked,
    };
    let mut result = DocConversion {
        label: doc.label.clone(),
        skipped: false,
        is_unrecognised: done.format.is_none() && !doc.named,
        converted: done.converted,
        batch_lines: done.batch_lines,
        failed: done.failed,
        references: 0,
        pending_files: None,
        destinations: std::mem::take(&mut done.destinations),
        loses: done.loses(),
        counts: done.counts,
        unsent: done.unsent,
        items: done.items,
        format: done.format.map(|format| format.info().name),
        report: DocReport {
            path: doc.label.clone(),
            format: done.format.map(|format| format.info().name),
            items: done.items,
            histories: done.converted,
            records: done.records,
            is_per_record: done.converted > 1,
            left_out: omitted_conversations::omitted_lines(&*doc.bytes, &done)?,
            ..DocReport::default()
        },
    };
    let sample = match counts_losses(run) {
        true => FindingSample::of_losses(&done.judged, &done.name_digests),
        false => FindingSample::all(),
    };
    let mut found = done.into_judged_doc();
    if result.is_unrecognised {
        let damage = walked_files::damage(doc, run.lints.options_for(&doc.label), &mut found, content)?;
        result.skipped = damage.is_none();
        result.report.diagnostics = damage.unwrap_or_default();
        let of =
            |severity| result.report.diagnostics.iter().filter(|found| found.severity == severity).count() as u64;
        let errors = of(Severity::Error);
        (result.counts, result.failed) = ([of(Severity::Info), of(Severity::Warning), errors], errors as u32);
        result.loses = false;
    } else {
        let picked = sample.pick(&found.findings);
        result.report.diagnostics = diagnose_some(doc.id, &doc.label, &*doc.bytes, &found, &picked, content)?;
        result.report.similar = sample.similar;
        if doc.cells.is_some() || doc.packing == Packing::Shared {
            segment_locations::diagnostics(&doc.segments, &mut result.report.diagnostics);
        }
    }
    result.report.page = run.draw_page("convert", doc, &found, &result.report.diagnostics)?;
    if doc.bytes.is_truncated() {
        let label = display_name(&doc.label);
        print_error(&format!("{label}: the compressed file is truncated; only the readable part was converted"));
        result.failed = result.failed.max(1);
    }
    Ok(result)
}
