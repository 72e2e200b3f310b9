//! What all commands that read docs share: the options of a run, its inputs, and opening docs in order, on several
//! threads.

pub mod bugs;
pub mod closing;
pub mod consent;
pub mod known_findings;
pub mod labels;
pub mod notice;
pub mod outcome;
pub mod output_file;
pub mod products;
pub mod progress;
pub mod severities;
pub mod walked_files;

use std::collections::HashSet;
use std::io::{self, IsTerminal, Read};
use std::path::{Path, PathBuf};

use crate::judge::{self, JudgedDoc};
use crate::options::{Lints, Misuse};
use crate::place::DocId;
use crate::read::detect::{self, Reading};
use crate::report::html::draw::{self, Drawing};
use crate::report::words::grouped;
use crate::report::{self, Content, Diagnostic, Ignored, Style};
use crate::source::bug::{self, Bug};
use crate::source::inputs::filter::Filters;
use crate::source::inputs::walk::{Passed, WalkError, walk};
use crate::source::lineage::{Family, Lookup};
use crate::source::{Doc, Input, Opening, display_name, display_path, folders, parallel, segments, sqlite};

use self::labels::label_of;
use self::notice::{complain, talk};
use self::outcome::{Failure, Outcome};
use self::progress::Progress;
use super::lineage;

/// Options of all commands that read docs.
pub struct Run {
    pub paths: Vec<PathBuf>,
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
    /// A person who waits may see how far the run is.
    pub progress: bool,
    pub style: Style,
    /// As many findings are shown as were asked for.
    pub most_shown: Option<usize>,
    /// The last of the paths, from this one on, are of a list that may name anything.
    pub lenient_from: usize,
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

/// What a run reads.
pub(super) struct Inputs {
    /// In order.
    pub all: Vec<Input>,
    /// Something could not be walked, which was said.
    pub failed: bool,
    /// What was met and not taken.
    pub ignored: Ignored,
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

    /// Inputs in order, and all config files that hold for them.
    pub(super) fn inputs(&self) -> Result<Inputs, Failure> {
        let walked = walk(&self.paths, &self.lints);
        for error in &walked.errors {
            complain(&error.to_string());
        }
        let mut failed = !walked.errors.is_empty();
        let mut all = Vec::with_capacity(walked.inputs.len());
        let lenient: HashSet<&PathBuf> = self.paths.iter().skip(self.lenient_from).collect();
        for mut input in walked.inputs {
            if let Input::File { path, named } = &mut input {
                *named &= !lenient.contains(path);
            }
            match self.members(&input) {
                Ok(None) => all.push(input),
                Ok(Some(members)) => all.extend(members),
                Err(error) => {
                    complain(&error.message);
                    failed = true;
                }
            }
        }
        let all = self.gathered(all);
        self.configure(&all)?;
        if self.verbose {
            for (path, why) in &walked.passed.each {
                talk(&format!("{}: ignored: {}", display_path(path), display_name(why)));
            }
        }
        let Passed { files, folders, .. } = walked.passed;
        Ok(Inputs { all, failed, ignored: Ignored { files, folders } })
    }

    /// The inputs as they are now, of files that come and grow. What could not be walked is not said.
    pub(super) fn inputs_now(&self) -> (Vec<Input>, Vec<WalkError>) {
        let walked = walk(&self.paths, &self.lints);
        (self.gathered(walked.inputs), walked.errors)
    }

    /// Reads the config files of the inputs, and says what is wrong with them.
    pub(super) fn configure(&self, inputs: &[Input]) -> Result<(), Failure> {
        let mut wrong = self.lints.wrong();
        for input in inputs {
            let label = match input {
                Input::Stdin => self.stdin_name.clone().unwrap_or_else(|| "-".to_owned()),
                input => label_of(input),
            };
            // The globs of the file learn here what they match.
            let held = self.lints.load(Path::new(&label)).map(|()| self.lints.in_force(&label));
            wrong.extend(held.err().filter(|new| wrong.iter().all(|old| old.message != new.message)));
        }
        if !wrong.is_empty() {
            let last = wrong.pop();
            for misuse in wrong {
                complain(&misuse.to_string());
                misuse.help.iter().for_each(|help| complain(help));
            }
            return last.map_or(Ok(()), |misuse| Err(misuse.into()));
        }
        if !self.quiet {
            self.lints.idle_globs(&self.folders()).iter().for_each(|idle| complain(idle));
        }
        Ok(())
    }

    /// The folders that were named.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        self.paths.iter().filter(|path| path.is_dir()).cloned().collect()
    }

    /// The files of an archive that was named.
    pub(super) fn members(&self, input: &Input) -> Result<Option<Vec<Input>>, Misuse> {
        let Input::File { path, named: true } = input else { return Ok(None) };
        let filter = self.lints.of_folder(path.parent().unwrap_or(Path::new("")));
        let Some(members) = filter.members(path) else { return Ok(None) };
        let wrong = |error| Misuse::new(WalkError { path: path.clone(), error }.to_string());
        let members = members.map_err(wrong)?.into_iter();
        Ok(Some(members.map(|member| Input::Member { member, named: false }).collect()))
    }

    /// Whether warnings about a doc fail the run.
    pub(super) fn denies_warnings(&self, label: &str) -> bool {
        self.deny_warnings || self.lints.in_force(label).denies_warnings()
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
        let lens: Vec<u64> = inputs.iter().map(|input| input_len(input, &len)).collect();
        let progress =
            Progress::new(self.progress, inputs.len(), lens.iter().fold(0, |all, len| all.saturating_add(*len)));
        let open = |n: usize, input| Doc::open(DocId(n as u32), input, &self.opening());
        #[expect(clippy::indexing_slicing, reason = "the loop below counts no further than to the last input")]
        let work = |n: usize, threads: usize| {
            let input = &inputs[n];
            let done = bug::caught(|| {
                let doc = open(n, input);
                let odd = doc.as_ref().ok().and_then(|doc| self.odd_size(doc));
                bug::provoke(label_of(input).as_bytes());
                (odd, work(doc, threads))
            });
            (n, done)
        };
        let mut take = |(n, done): (usize, Result<(Option<String>, R), Bug>)| {
            let (Some(input), Some(len)) = (inputs.get(n), lens.get(n)) else { return false };
            progress.step(*len);
            progress.aside(|| match done {
                Ok((odd, result)) => {
                    odd.iter().for_each(|odd| complain(odd));
                    take(input, result)
                }
                Err(bug) => {
                    bugs::report(&label_of(input), &format_args!("skipped: {bug}"));
                    true
                }
            })
        };
        let mut at = 0;
        while let Some(len) = lens.get(at) {
            let many = inputs.iter().skip(at).take_while(|input| small(input)).count();
            if many == 0 {
                progress.begin(*len);
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
        let (label, to) = (display_name(&doc.label), grouped(unpacked.to));
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

/// How much of files is read for an input; nothing is known of what comes from elsewhere.
fn input_len(input: &Input, len: &dyn Fn(&PathBuf) -> u64) -> u64 {
    let known = |path: &PathBuf| match len(path) {
        u64::MAX => 0,
        len => len,
    };
    match input {
        Input::Stdin | Input::Member { .. } | Input::History { .. } => 0,
        Input::File { path, .. } => known(path),
        Input::Tree { paths, .. } | Input::Log { paths, .. } => paths.iter().map(known).sum(),
    }
}

/// Whether a file is a log of a kind that may lie in several files. Its first lines tell.
fn has_segments(path: &Path) -> bool {
    let mut head = Vec::new();
    // What is read from a pipe is gone.
    if !path.is_file() {
        return false;
    }
    let read = std::fs::File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    let reading = read.ok().and_then(|_| detect::of_lines(&head, &[]));
    matches!(reading, Some(Reading::By(format)) if format.info().segments)
}

/// As much of a file as its format is detected by.
const HEAD: u64 = 256 << 10;
