//! What all commands that read docs share: the options of a run, its inputs, and opening docs in order, on several
//! threads.

use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use crate::judge::{self, JudgedDoc};
use crate::options::Lints;
use crate::place::DocId;
use crate::read::detect::{self, Reading};
use crate::report::html::draw::{self, Drawing};
use crate::report::words::{grouped, printable};
use crate::report::{self, Content, Diagnostic, Style};
use crate::source::bug::{self, Bug};
use crate::source::lineage::{Family, Lookup};
use crate::source::walk::{Filter, walk};
use crate::source::{Doc, Input, Opening, folders, parallel, segments, sqlite};

use super::labels::label_of;
use super::outcome::Outcome;
use super::say::complain;
use super::{bugs, lineage};

/// Options of all commands that read docs.
pub struct Run {
    pub paths: Vec<PathBuf>,
    pub filter: Filter,
    pub lints: Lints,
    pub threads: usize,
    pub allow_empty: bool,
    pub exit_zero: bool,
    pub deny_warnings: bool,
    pub stdin_name: Option<String>,
    /// Bytes that a compressed file may be unpacked to.
    pub most_unpacked: u64,
    pub show_content: bool,
    pub verbose: bool,
    pub quiet: bool,
    pub style: Style,
    pub outputs: Vec<Output>,
    /// `-o` names the file of a report.
    pub report_flag: bool,
    /// Files that are read besides the inputs: lists of them, settings.
    pub also_read: Vec<PathBuf>,
    /// Where files are looked for that a log continues from.
    pub lookup: Lookup,
}

/// A report and where it goes.
pub struct Output {
    pub name: &'static str,
    pub make: report::Make,
    pub file: Option<PathBuf>,
}

/// A file up to this size is linted by one thread, side by side with others; a larger one by all threads.
const SMALL: u64 = 4 << 20;

impl Run {
    /// How a run ended that could not do all of its job, or found something.
    pub(super) fn outcome(&self, failed: bool, found: bool) -> Outcome {
        match (failed, found && !self.exit_zero) {
            (true, _) => Outcome::Failed,
            (false, true) => Outcome::Found,
            (false, false) => Outcome::Clean,
        }
    }

    /// Inputs in order; what could not be walked is said, and makes the run fail.
    pub(super) fn inputs(&self) -> (Vec<Input>, bool) {
        let (inputs, errors) = walk(&self.paths, &self.filter);
        for error in &errors {
            complain(&error.to_string());
        }
        let mut failed = !errors.is_empty();
        let mut all = Vec::with_capacity(inputs.len());
        for input in inputs {
            match self.filter.members(&input) {
                None => all.push(input),
                Some(Ok(members)) => all.extend(members),
                Some(Err(error)) => {
                    complain(&error.to_string());
                    failed = true;
                }
            }
        }
        (self.gathered(all), failed)
    }

    /// The histories of each database, in its place. One that cannot be read, or holds none, says so when it is opened.
    fn spread(inputs: Vec<Input>) -> Vec<Input> {
        let mut out = Vec::with_capacity(inputs.len());
        for input in inputs {
            match &input {
                Input::File { path, named } if sqlite::is_database(path) => match sqlite::histories(path) {
                    Ok(Ok(keys)) => {
                        let history = |key| Input::History { path: path.clone(), key, named: *named };
                        out.extend(keys.into_iter().map(history));
                    }
                    _ => out.push(input),
                },
                _ => out.push(input),
            }
        }
        out
    }

    /// Puts files together that are one log.
    pub(super) fn gathered(&self, inputs: Vec<Input>) -> Vec<Input> {
        let inputs = segments::gather(folders::gather(Self::spread(inputs)), has_segments);
        Family::new(&lineage::Peeker, &self.lookup, &inputs).gather(inputs)
    }

    /// Opens each input and hands it to `work`, with the number of threads that it may use; results come to `take` in
    /// the order of the inputs. `take` ends the run by returning `false`.
    pub(super) fn each_doc<R: Send>(
        &self,
        inputs: &[Input],
        work: impl Fn(io::Result<Doc>, usize) -> R + Sync,
        mut take: impl FnMut(&Input, R) -> bool,
    ) {
        let len = |path: &PathBuf| std::fs::metadata(path).map_or(u64::MAX, |meta| meta.len());
        let small = |input: &Input| match input {
            Input::Stdin | Input::Member { .. } => false,
            // Only its own rows are read.
            Input::History { .. } => true,
            Input::File { path, .. } => len(path) <= SMALL,
            Input::Tree { paths, .. } => paths.iter().map(len).fold(0, u64::saturating_add) <= SMALL,
            Input::Log { base, paths, .. } => {
                let base = base.iter().map(|earlier| &earlier.path);
                base.chain(paths).map(len).fold(0, u64::saturating_add) <= SMALL
            }
        };
        let open = |n: usize| Doc::open(DocId(n as u32), &inputs[n], &self.opening());
        let work = |n: usize, threads: usize| {
            let done = bug::caught(|| {
                let doc = open(n);
                let odd = doc.as_ref().ok().and_then(|doc| self.odd_size(doc));
                bug::provoke(label_of(&inputs[n]).as_bytes());
                (odd, work(doc, threads))
            });
            (n, done)
        };
        let mut take = |(n, done): (usize, Result<(Option<String>, R), Bug>)| {
            let Some(input) = inputs.get(n) else { return false };
            match done {
                Ok((odd, result)) => {
                    odd.iter().for_each(|odd| complain(odd));
                    take(input, result)
                }
                Err(bug) => {
                    bugs::report(&label_of(input), &format_args!("skipped: {bug}"));
                    true
                }
            }
        };
        let mut at = 0;
        while at < inputs.len() {
            let many = inputs[at..].iter().take_while(|input| small(input)).count();
            if many == 0 {
                if !take(work(at, self.threads)) {
                    return;
                }
                at += 1;
                continue;
            }
            let mut go_on = true;
            parallel::in_order(
                self.threads,
                many,
                || (),
                |(), n| work(at + n, 1),
                |result| {
                    go_on = take(result);
                    go_on
                },
            );
            if !go_on {
                return;
            }
            at += many;
        }
    }

    /// How inputs are opened.
    pub(super) fn opening(&self) -> Opening<'_> {
        Opening { stdin_name: self.stdin_name.as_deref(), most_unpacked: self.most_unpacked }
    }

    /// Opens an input of a command that takes one after the other.
    pub(super) fn open(&self, id: DocId, input: &Input) -> io::Result<Doc> {
        let doc = Doc::open(id, input, &self.opening())?;
        self.odd_size(&doc).iter().for_each(|odd| complain(odd));
        Ok(doc)
    }

    /// A warning about a doc that is far longer than the file that it was unpacked from.
    fn odd_size(&self, doc: &Doc) -> Option<String> {
        let unpacked = doc.unpacked.filter(|_| !self.quiet)?;
        let ratio = unpacked.odd_ratio()?;
        let (label, to) = (printable(&doc.label), grouped(unpacked.to));
        Some(format!("{label}: warning: unpacks to {to} bytes, {} times its size", grouped(ratio)))
    }

    /// Whether docs are drawn on a page.
    pub(super) fn draws(&self) -> bool {
        self.outputs.iter().any(|output| output.name == "html")
    }

    /// A doc with what was found in it, drawn, where a page is made.
    pub(super) fn drawn<T>(
        &self,
        command: &'static str,
        doc: &Doc,
        found: &JudgedDoc<T>,
        diagnostics: &[Diagnostic],
    ) -> io::Result<Option<Box<str>>> {
        let drawing = || self.drawing(command, doc, self.lints.of(&doc.label));
        self.draws().then(|| draw::plain(drawing(), found, diagnostics)).transpose()
    }

    /// How a doc is drawn. A page may be passed on, so content is on it only if that was asked for.
    pub(super) fn drawing<'d>(
        &self,
        command: &'static str,
        doc: &'d Doc,
        options: &'d judge::Options,
    ) -> Drawing<'d> {
        let Doc { id, label, bytes, .. } = doc;
        Drawing { command, id: *id, label, bytes: &**bytes, options, content: self.show_content }
    }

    /// Content is shown on a terminal, or where it was asked for.
    pub(super) fn content(&self) -> Content {
        let wanted = self.outputs.iter().any(|output| output.name == "text");
        match (wanted, self.show_content || io::stdout().is_terminal()) {
            (false, _) => Content::None,
            (true, true) => Content::Shown,
            (true, false) => Content::Masked,
        }
    }
}

/// Whether a file is a log of a kind that may lie in several files. Its first lines tell.
fn has_segments(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    let reading = read.ok().and_then(|_| detect::of_lines(&head, &[]));
    matches!(reading, Some(Reading::By(format)) if format.has_segments())
}

/// As much of a file as its format is detected by.
const HEAD: u64 = 256 << 10;
