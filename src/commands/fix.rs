//! `fix`: shows the diagnostic diff of the repairs; with `-w`, `-o` or as a filter it makes them.

use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::diff::unified;
use crate::options::Misuse;
use crate::place::Pieces;
use crate::repair::{self, FixOptions, Fixed, handover};
use crate::report::changes::{self, ChangeNote};
use crate::report::command_line::CommandLine;
use crate::report::html::draw;
use crate::report::left_alone::{self, LeftAlone};
use crate::report::preview::{Preview, Repair};
use crate::report::sums::Counts;
use crate::report::{self, Report, Seen, Summary, locations, updates};
use crate::source::outputs::commit::{self, Replace};
use crate::source::{Doc, Input, Packing, Patched, display_name, display_path, outputs, segments, words};

use super::check::{is_no_conversation, nothing_found};
use super::databases;
use super::dropped::Dropped;
use super::numbered_logs::{Pins, flattened, write_body};
use super::positions;
use super::run::Inputs;
use super::run::closing::{Closing, relative};
use super::run::consent::{Consent, ask};
use super::run::labels::label_of;
use super::run::outcome::{fresh_in_words, unwritten};
use super::run::products::{self, Copies, Destination, Planned};
use super::run::{severities, walked_files};
use super::{Failure, Outcome, Run, Sheet, complain, not_done, stderr, talk};

/// Options of `fix` besides those of all commands.
pub struct Repairs {
    pub options: FixOptions,
    pub to: Destination,
    /// Removed items go here, one a line.
    pub dropped: Option<PathBuf>,
    /// The diff shows each change, however many there are of one kind.
    pub all: bool,
    /// Repairs that lose something are written without a question.
    pub yes: bool,
}

/// What one doc gave.
struct Done {
    doc: Doc,
    fixed: Fixed,
    notes: Vec<ChangeNote>,
    left: Seen,
    left_alone: Vec<LeftAlone>,
    /// Met in a walk, and nothing in it looks like a conversation.
    foreign: bool,
    skipped: bool,
    /// Files that continue from a part of it, so that it stays as it is.
    pinned_by: Vec<String>,
}

impl Done {
    /// The database that it is a history of.
    fn database(&self) -> Option<&Path> {
        self.doc.cells.as_ref().map(|cells| cells.path.as_path())
    }
}

/// Only a file that a program keeps may be half written when it has just changed.
fn how_of(done: &Done, how: Replace) -> Replace {
    Replace { is_kept: done.fixed.before.format.is_none_or(|format| format.info().is_kept()), ..how }
}

pub fn fix(run: &Run, repairs: &Repairs, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let Inputs { all: mut inputs, failed, ignored } = run.inputs()?;
    let several = products::are_several(run, &inputs);
    let mut planned = match &repairs.to {
        Destination::Copy(copies) => copies.planned(&inputs, several)?,
        _ => Vec::new(),
    };
    planned.extend(repairs.dropped.iter().map(|path| Planned::list(path, "--dropped")));
    products::guard(run, &mut inputs, planned)?;
    let mut session = Session::new(run, repairs, &inputs, several, failed)?;
    session.summary.ignored = ignored;
    let content = run.content();
    let pins = Pins::new(run, &inputs);
    let work = |doc: io::Result<Doc>, threads: usize| -> io::Result<Done> {
        let doc = doc?;
        let options = run.lints.of(&doc.label);
        let wanted = severities::accepting(run, &doc, options, &repairs.options, threads)?;
        let mut fixed = repair::fix(doc.id, &*doc.bytes, options, &wanted, threads)?;
        let moves = fixed.numbered && (!fixed.patch.is_empty() || fixed.provider_left.is_some());
        let pinned_by = if moves && !repairs.options.copies { pins.of(&doc) } else { Vec::new() };
        if !pinned_by.is_empty() {
            let pinned = FixOptions { pinned: true, ..wanted.into_owned() };
            fixed = repair::fix(doc.id, &*doc.bytes, options, &pinned, threads)?;
        }
        if let Some(why) = not_done::refusal(&doc, &fixed, options)? {
            return Err(io::Error::other(why));
        }
        let met = fixed.before.format.is_none() && !doc.named;
        let mut notes = changes::notes(doc.id, &doc.label, &*doc.bytes, &fixed)?;
        let left = match met {
            true => walked_files::damage(&doc, options, &mut fixed.before, content)?,
            false => Some(changes::left(doc.id, &doc.label, &*doc.bytes, &fixed, content)?),
        };
        let skipped = left.is_none();
        let mut left = left.unwrap_or_default();
        let foreign = met && !walked_files::was_one(&left);
        let accepted = severities::settle(run, &doc.label, &mut left);
        let left_alone = left_alone::notes(doc.id, &doc.label, &*doc.bytes, &fixed)?;
        locations::notes(&doc.segments, &mut notes);
        if !doc.segments.is_empty() {
            let edits = fixed.patch.edits(doc.id);
            let view = Patched::new(&*doc.bytes, Pieces::new(edits, doc.id, doc.bytes.len()));
            locations::diagnostics(&segments::patched(&doc.segments, edits, &view)?, &mut left);
        }
        let update = handover::update(doc.id, &*doc.bytes, &fixed)?;
        let page = match run.draws() && !skipped {
            true => Some(draw::repaired(run.drawing("fix", &doc, options), &fixed, &notes, &left)?),
            false => None,
        };
        let left = Seen { update, page, accepted, ..Seen::new(&doc.label, fixed.left(), left) };
        Ok(Done { doc, fixed, notes, left, left_alone, foreign, skipped, pinned_by })
    };
    let mut ended = None;
    run.each_doc(&inputs, work, |input, done| {
        let told = match done {
            Ok(done) => session.doc(done, out),
            Err(error) => {
                complain(&words(&label_of(input), &error));
                session.failed = true;
                Ok(())
            }
        };
        ended = told.err();
        ended.is_none()
    });
    match ended {
        Some(failure) => Err(failure),
        None => session.write_held(out).and_then(|()| session.finish(out)),
    }
}

struct Session<'r> {
    run: &'r Run,
    repairs: &'r Repairs,
    several: bool,
    failed: bool,
    /// Docs whose repair could not be written.
    unwritten: u64,
    changed: bool,
    recognised: u64,
    summary: Summary,
    counts: Counts,
    changes: Vec<ChangeNote>,
    left: Vec<Seen>,
    /// Groups that `--reasoning` asks to change and that stay as they are.
    left_alone: Vec<LeftAlone>,
    /// Where what is taken out is kept; not in a preview.
    dropped: Option<Dropped>,
    /// Histories of one database, which are written together.
    held: Vec<Done>,
    /// Something of the current doc was written.
    wrote: Cell<bool>,
    consent: Consent,
    /// Files that their programs may still be writing to.
    fresh: Vec<PathBuf>,
    /// The product is a body on standard output, so everything else is talk.
    filter: bool,
    sheets: Vec<Sheet>,
    diff: RefCell<Preview>,
    /// A report for programs goes to standard output, so there is no diff.
    data: bool,
}

impl<'r> Session<'r> {
    fn new(
        run: &'r Run,
        repairs: &'r Repairs,
        inputs: &[Input],
        several: bool,
        failed: bool,
    ) -> Result<Self, Failure> {
        let preview = matches!(repairs.to, Destination::Preview | Destination::InPlace(_));
        let sheets = run.sheets(report::Style { quiet: true, ..run.style })?;
        if sheets.iter().any(|sheet| sheet.report.answer().is_some()) {
            return Err(Misuse::new("api-error is not an output format of fix")
                .help(format!(
                    "`{}` prints it",
                    CommandLine::new("check").with("--output-format", "api-error").on_all()
                ))
                .into());
        }
        let filter = preview && inputs.contains(&Input::Stdin) || repairs.to.is_stream(several)?;
        let writes = filter || !matches!(repairs.to, Destination::Preview | Destination::Patch);
        let dropped = repairs.dropped.as_ref().filter(|_| writes).map(|path| Dropped::new(path)).transpose()?;
        Ok(Session {
            run,
            repairs,
            several,
            failed,
            unwritten: 0,
            changed: false,
            recognised: 0,
            summary: Summary::default(),
            counts: Counts::default(),
            changes: Vec::new(),
            left: Vec::new(),
            left_alone: Vec::new(),
            dropped,
            held: Vec::new(),
            wrote: Cell::new(false),
            consent: Consent::of_run(matches!(repairs.to, Destination::InPlace(_)) && !filter, repairs.yes),
            fresh: Vec::new(),
            filter,
            diff: RefCell::new(Preview::new(run.style, repairs.all)),
            data: sheets.iter().any(|sheet| sheet.file.is_none() && !sheet.report.is_for_people()),
            sheets,
        })
    }

    fn doc(&mut self, done: Done, out: &mut dyn Write) -> Result<(), Failure> {
        if self.held.first().is_some_and(|first| first.database() != done.database()) {
            self.write_held(out)?;
        }
        let in_place = matches!(self.repairs.to, Destination::InPlace(_) | Destination::Preview);
        if done.database().is_some() && in_place && !done.skipped {
            self.held.push(done);
            return Ok(());
        }
        self.begin(&done);
        if done.skipped {
            return Ok(());
        }
        if !self.consent.covers(done.notes.iter(), self.several, ask)? {
            self.declined(&done);
            return Ok(());
        }
        if let Err(failure) = self.keep_and_deliver(&done, out) {
            return self.not_written(failure);
        }
        self.count(done);
        Ok(())
    }

    /// A doc stays as it is because nobody wants what its repair would lose.
    fn declined(&mut self, done: &Done) {
        talk(&format!("{}: not changed", display_name(&done.doc.label)));
        self.unwritten += 1;
    }

    /// Writes the histories of a database that were looked at, or shows what would be written.
    fn write_held(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        let held = std::mem::take(&mut self.held);
        let Some(database) = held.first().and_then(Done::database) else { return Ok(()) };
        held.iter().for_each(|done| self.begin(done));
        let notes = held.iter().flat_map(|done| &done.notes);
        if !self.consent.covers(notes, self.several, ask)? {
            held.first().into_iter().for_each(|done| self.declined(done));
            return Ok(());
        }
        let plan = databases::Plan::of(held.iter().map(|done| (&done.doc, &done.fixed)))?;
        for dispute in plan.disputes() {
            complain(&dispute);
            self.failed = true;
        }
        let written = match &self.repairs.to {
            Destination::InPlace(how) => {
                let removed = held.iter().map(|done| (&done.doc, done.notes.as_slice()));
                plan.write(database, *how, removed, self.dropped.as_ref(), self.run.quiet)
            }
            _ => plan.refusal(database)?.map_or(Ok(()), Err),
        };
        let stays: Vec<bool> = (0..held.len()).map(|n| plan.stays(n, written.is_ok())).collect();
        if let Err(failure) = written {
            self.not_written(failure)?;
        } else if stays.contains(&true) {
            self.unwritten += 1;
        }
        for (done, _) in held.into_iter().zip(stays).filter(|(_, stays)| !stays) {
            if matches!(self.repairs.to, Destination::Preview) && !self.data {
                self.preview(&done, out)?;
            }
            self.count(done);
        }
        Ok(())
    }

    fn not_written(&mut self, failure: Failure) -> Result<(), Failure> {
        match failure {
            Failure::Misuse(misuse) => complain(&misuse.message),
            Failure::Fresh(path) => self.fresh.push(path),
            failure => return Err(failure),
        }
        self.failed = true;
        self.unwritten += 1;
        Ok(())
    }

    /// Says what is to be said of a doc before anything is written.
    fn begin(&mut self, done: &Done) {
        if done.skipped {
            self.summary.skipped += 1;
            walked_files::say_skipped(self.run, &done.doc.label);
            return;
        }
        self.summary.count_file(done.database());
        self.recognised += u64::from(!done.foreign && !is_no_conversation(&done.left));
        if let Some(bug) = &done.fixed.bug {
            complain(&format!("{}: {bug}", display_name(&done.doc.label)));
            self.failed = true;
        }
        let provider = self.repairs.options.provider.is_some();
        self.failed |= not_done::say(&done.doc.label, &done.fixed, &done.pinned_by, provider, self.run.quiet);
    }

    fn count(&mut self, done: Done) {
        self.summary.see(&done.left);
        self.summary.count(&done.left.diagnostics);
        self.summary.deny(&done.left.diagnostics, self.run.denies_warnings(&done.left.path));
        self.changed |= !done.notes.is_empty();
        self.counts.add(&done.notes);
        self.counts.mended(&done.fixed);
        self.summary.packed |= !done.notes.is_empty() && done.doc.packing != Packing::Plain;
        self.changes.extend(done.notes);
        self.left.push(done.left);
        self.left_alone.extend(done.left_alone);
    }

    /// What is taken out is kept before the file loses it.
    fn keep_and_deliver(&self, done: &Done, out: &mut dyn Write) -> Result<(), Failure> {
        let Some(dropped) = &self.dropped else { return self.deliver(done, out) };
        let kept = dropped.append(&done.notes, &*done.doc.bytes);
        let kept = kept.map_err(|error| dropped.unsaved(&done.doc, &error))?;
        self.wrote.set(false);
        let delivered = self.deliver(done, out);
        if let (Some(kept), Err(_), false) = (&kept, &delivered, self.wrote.get()) {
            dropped.take_back(kept);
        }
        delivered
    }

    /// Sends the repaired text where it was asked for.
    fn deliver(&self, done: &Done, out: &mut dyn Write) -> Result<(), Failure> {
        let doc = &done.doc;
        match &self.repairs.to {
            _ if doc.cells.is_none() => {}
            Destination::Patch => return Err(databases::only_in_place(doc, "--patch")),
            Destination::Copy(_) | Destination::Stream => return Err(databases::only_in_place(doc, "-o")),
            Destination::Preview | Destination::InPlace(_) => {}
        }
        let edits = done.fixed.patch.edits(doc.id);
        let pieces = Pieces::new(edits, doc.id, doc.bytes.len());
        let view = Patched::new(&*doc.bytes, pieces);
        if doc.path.is_none() && doc.segments.is_empty() && self.filter {
            self.wrote.set(true);
            commit::copy(&view, out)?;
            return Ok(());
        }
        if matches!(self.repairs.to, Destination::Stream) {
            self.wrote.set(true);
            let format = done.fixed.before.format.filter(|_| done.fixed.numbered);
            return write_body(doc, &view, format, out);
        }
        if matches!(self.repairs.to, Destination::InPlace(_)) {
            commit::sweep_beside(doc);
            if let Some(format) = done.fixed.before.format.filter(|_| !edits.is_empty())
                && let Some(why) = positions::refusal(doc, &view, format)?
            {
                return Err(Misuse::new(why).into());
            }
        }
        if let (Destination::Copy(copies), true) = (&self.repairs.to, done.fixed.numbered)
            && let Some(format) = done.fixed.before.format
            && let Some(path) = flattened(copies, doc, &view, format, self.several, self.run.quiet)?
        {
            self.wrote.set(true);
            products::say_lost(&path.0.to_string_lossy(), &path.1);
            return Ok(());
        }
        if !doc.segments.is_empty() && !matches!(self.repairs.to, Destination::Preview) {
            return self.deliver_segments(done, out);
        }
        match &self.repairs.to {
            Destination::Preview if self.data => {}
            Destination::Preview => self.preview(done, out)?,
            Destination::Patch => unified::write(&relative(&doc.label), doc.id, &*doc.bytes, edits, out)?,
            Destination::InPlace(how) if !edits.is_empty() => self.replace(doc, &view, how_of(done, *how))?,
            Destination::InPlace(_) | Destination::Stream => {}
            Destination::Copy(copies) => self.copy(copies, doc, &view)?,
        }
        Ok(())
    }

    /// Sends each file of a log where it was asked for.
    fn deliver_segments(&self, done: &Done, out: &mut dyn Write) -> Result<(), Failure> {
        let doc = &done.doc;
        let (edits, total) = (done.fixed.patch.edits(doc.id), doc.bytes.len());
        for segment in doc.segments.iter().filter(|segment| !segment.is_base) {
            let own = segments::own_edits(segment, edits, doc.id, total);
            let changed = own.is_some();
            let own = own.unwrap_or_else(|| segments::alone(segment, doc.id, total));
            let view = Patched::new(&*doc.bytes, Pieces::new(&own, doc.id, total));
            match &self.repairs.to {
                Destination::InPlace(how) if changed => {
                    self.replace(&doc.of_segment(segment), &view, how_of(done, *how))?
                }
                Destination::Patch if changed => {
                    let local = segments::local_edits(segment, edits, doc.id, &*doc.bytes)?;
                    let file = Patched::new(
                        &*doc.bytes,
                        Pieces::new(&segments::alone(segment, doc.id, total), doc.id, total),
                    );
                    unified::write(&relative(&segment.label), doc.id, &file, &local, out)?;
                }
                Destination::Copy(copies) => self.copy(copies, &doc.of_segment(segment), &view)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn replace(&self, doc: &Doc, view: &Patched<'_>, how: Replace) -> Result<(), Failure> {
        let replaced = commit::replace(doc, view, how).map_err(unwritten)?;
        self.wrote.set(true);
        products::say_lost(&doc.label, &replaced.lost);
        let backup = replaced.backup.map(|path| format!("; backup: {}", display_path(&path))).unwrap_or_default();
        if !self.run.quiet {
            talk(&format!("{}: fixed{backup}", display_name(&doc.label)));
        }
        Ok(())
    }

    fn copy(&self, copies: &Copies, doc: &Doc, view: &Patched<'_>) -> Result<(), Failure> {
        let path = copies.place(doc, self.several)?;
        let lost = outputs::product::write_new(&path, view, copies.existing).map_err(unwritten)?;
        self.wrote.set(true);
        products::say_lost(&path.to_string_lossy(), &lost);
        Ok(())
    }

    fn preview(&self, done: &Done, out: &mut dyn Write) -> io::Result<()> {
        let repair = Repair { fixed: &done.fixed, notes: &done.notes, bytes: &*done.doc.bytes };
        self.diff.borrow_mut().doc(&repair, self.run.content(), out)
    }

    fn finish(mut self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        // With a body, a patch or a diff on standard output, the rest is talk.
        self.diff.get_mut().finish(out)?;
        out.flush()?;
        fresh_in_words(&self.fresh).iter().for_each(|fresh| complain(fresh));
        let body = self.filter || matches!(self.repairs.to, Destination::Patch);
        let diff = matches!(self.repairs.to, Destination::Preview);
        let mut stderr = stderr();
        for mut sheet in std::mem::take(&mut self.sheets) {
            let people = sheet.report.is_for_people();
            let to: &mut dyn Write = if body || diff && people { &mut stderr } else { &mut *out };
            sheet.write(to, |report, to| self.tell(report, to))?;
            sheet.save()?;
        }
        Ok(self.outcome())
    }

    fn tell(&self, report: &mut dyn Report, out: &mut dyn Write) -> io::Result<()> {
        let people = report.is_for_people();
        if people && (!matches!(self.repairs.to, Destination::Preview) || self.filter) {
            changes::write_list(&self.changes, out)?;
        }
        report.repairs(&self.changes, &self.counts);
        self.left.iter().try_for_each(|seen| report.doc(seen, out))?;
        if people && !self.run.quiet {
            left_alone::write(&self.left_alone, self.repairs.options.reasoning, out)?;
        }
        if people {
            self.left.iter().try_for_each(|seen| updates::write(seen, out))?;
        }
        report.finish(&self.summary, out)?;
        let closing = Closing {
            failed: self.failed,
            unwritten: self.unwritten,
            is_preview: self.is_preview(),
            hints: matches!(self.repairs.to, Destination::Preview),
            keeps: self.repairs.dropped.is_some(),
            counts: &self.counts,
            summary: &self.summary,
        };
        if people && !self.run.quiet { closing.write(out) } else { Ok(()) }
    }

    fn is_preview(&self) -> bool {
        !self.filter && matches!(self.repairs.to, Destination::Preview | Destination::Patch)
    }

    fn outcome(&self) -> Outcome {
        let failed = self.failed || nothing_found(self.run, self.recognised, &self.summary, self.failed);
        let found = self.summary.fails() || self.consent == Consent::Refused || self.changed && self.is_preview();
        self.run.outcome(failed, found)
    }
}
