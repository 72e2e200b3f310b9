//! `slim`: takes out of logs what each of their records repeats; with `--restore` puts it back. Nothing is written
//! unless `-w` or `-o` says so, or standard input is filtered.

use std::io::{self, Write};

use serde_json::Value;

use crate::options::Misuse;
use crate::place::{Edit, Pieces, Place};
use crate::rebuild::slim;
use crate::rebuild::slim::restore;
use crate::rebuild::slim::restore::Restored;
use crate::rebuild::slim::{KeptBody, Saved, Slim, Unfit};
use crate::repair::guard;
use crate::report::command_line::CommandLine;
use crate::report::saving::{self, Saving};
use crate::report::words::{count, grouped};
use crate::source::outputs::{commit, product};
use crate::source::{Doc, Input, Patched, ReadAt, display_name, framing, words};

use super::run::Inputs;
use super::run::labels::label_of;
use super::run::outcome::unwritten;
use super::run::products;
use super::run::products::{Copies, Destination, Planned};
use super::{Failure, Outcome, Run, complain, stderr, talk};

/// Options of `slim`.
pub struct Slimming {
    pub to: Destination,
    /// Put back what was taken out.
    pub restore: bool,
    /// Tell programs, as JSON.
    pub json: bool,
}

/// Kept bodies that are reported one by one.
const TOLD: usize = 10;

pub fn slim(run: &Run, wanted: &Slimming, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let Inputs { all: mut inputs, mut failed, .. } = run.inputs()?;
    if inputs.len() > 1 && matches!(wanted.to, Destination::Copy(_)) {
        return Err(Misuse::new("-o takes one log at a time").help("-w writes each beside its backup").into());
    }
    let planned = match &wanted.to {
        Destination::Copy(copies) => vec![Planned::product(&copies.to, copies.existing)],
        _ => Vec::new(),
    };
    wanted.to.is_stream(inputs.len() > 1)?;
    products::guard(run, &mut inputs, planned)?;
    let mut ended = None;
    let mut logs = wanted.json.then(Vec::new);
    let work = |doc: io::Result<Doc>, _: usize| {
        let doc = doc?;
        if doc.cells.is_some() {
            return Err(io::Error::other("rows of a database are not made shorter"));
        }
        let made = Made::of(&doc, run, wanted.restore)?;
        Ok((doc, made))
    };
    run.each_doc(&inputs, work, |input, done: io::Result<(Doc, Made)>| {
        let told = match done {
            Ok((doc, made)) => deliver(run, wanted, &doc, &made, *input == Input::Stdin, &mut logs, out),
            Err(error) => {
                complain(&words(&label_of(input), &error));
                Ok(Outcome::Failed)
            }
        };
        match told {
            Ok(outcome) => failed |= outcome == Outcome::Failed,
            Err(Failure::Misuse(misuse)) => {
                complain(&misuse.message);
                failed = true;
            }
            Err(fresh @ Failure::Fresh(_)) => {
                complain(&fresh.to_string());
                failed = true;
            }
            Err(failure) => ended = Some(failure),
        }
        ended.is_none()
    });
    if let Some(logs) = &logs {
        let is_stdin = inputs.contains(&Input::Stdin) && !matches!(wanted.to, Destination::Copy(_));
        let filters = is_stdin || matches!(wanted.to, Destination::Stream);
        let mut to: Box<dyn Write> = if filters { Box::new(stderr()) } else { Box::new(&mut *out) };
        saving::print(logs, &mut *to)?;
    }
    match ended {
        Some(failure) => Err(failure),
        None => Ok(if failed { Outcome::Failed } else { Outcome::Clean }),
    }
}

/// What was made of a doc.
struct Made {
    /// The doc without references, if it has any.
    restored: Option<Restored>,
    /// `None` if only references were put back.
    slim: Option<Slim>,
}

impl Made {
    /// A log that was slimmed before, and went on, is put together first: then it is slimmed as if for the first time.
    fn of(doc: &Doc, run: &Run, restore: bool) -> io::Result<Made> {
        let options = run.lints.of(&doc.label);
        let restored = match restore::has_references(&*doc.bytes)? {
            true => Some(restore::restore(doc.id, &*doc.bytes, &options.read)?),
            false => None,
        };
        let full = restored.as_ref().map_or(&*doc.bytes, |restored| &*restored.bytes);
        let sound = restored.as_ref().is_none_or(|restored| restored.broken.is_empty());
        let slim = (!restore && sound).then(|| slim::slim(doc.id, full, &options.read)).transpose()?;
        Ok(Made { restored, slim })
    }

    fn full<'m>(&'m self, doc: &'m Doc) -> &'m dyn ReadAt {
        self.restored.as_ref().map_or(&*doc.bytes, |restored| &*restored.bytes)
    }
}

fn deliver(
    run: &Run,
    wanted: &Slimming,
    doc: &Doc,
    made: &Made,
    is_stdin: bool,
    logs: &mut Option<Vec<Value>>,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let full = made.full(doc);
    let no_edits = Vec::new();
    let edits = made.slim.as_ref().map_or(&*no_edits, |slim| slim.patch.edits(doc.id));
    let view = Patched::new(full, Pieces::new(edits, doc.id, full.len()));
    let reason = match refusal(made, doc) {
        None => damage(made, doc, &view, edits)?.map(|bug| (bug, true)),
        reason => reason,
    };
    if let Some((message, is_failure)) = &reason {
        // What a walk meets may be anything.
        if *is_failure || doc.named || run.verbose {
            complain(message);
        }
    }
    let failed = reason.as_ref().is_some_and(|(_, is_failure)| *is_failure);
    let changed = reason.is_none() && !same(&*doc.bytes, &view)?;
    let filter = match wanted.to {
        Destination::Stream => true,
        Destination::Preview | Destination::InPlace(_) => is_stdin,
        Destination::Copy(_) | Destination::Patch => false,
    };
    let as_it_was = &*doc.bytes;
    let product: &dyn ReadAt = if changed { &view } else { as_it_was };
    if filter {
        commit::copy(product, out)?;
    }
    let mut talk_to: Box<dyn Write> = if filter { Box::new(stderr()) } else { Box::new(out) };
    let quiet = run.quiet || logs.is_some();
    if reason.is_none() && !quiet {
        match made.restored.as_ref().filter(|_| !changed && made.slim.is_some()) {
            Some(restored) => {
                let references = count(restored.references, "reference");
                writeln!(talk_to, "{}: already slim, {references}", display_name(&doc.label))?;
            }
            None => told(made, doc, view.len(), &mut *talk_to)?,
        }
    }
    if matches!(wanted.to, Destination::InPlace(_)) {
        commit::sweep_beside(doc);
    }
    let (mut written, mut backup) = (None, None);
    match &wanted.to {
        _ if filter || failed => {}
        Destination::InPlace(how) if changed => {
            let replaced = commit::replace(doc, &view, *how).map_err(unwritten)?;
            products::say_lost(&doc.label, &replaced.lost);
            backup = replaced.backup.map(|path| path.to_string_lossy().into_owned());
            written = Some(doc.label.clone());
            if !quiet {
                let old =
                    backup.as_ref().map(|path| format!("; backup: {}", display_name(path))).unwrap_or_default();
                talk(&format!("{}: written{old}", display_name(&doc.label)));
            }
        }
        Destination::Copy(Copies { to, existing }) => {
            let lost = product::write_new(to, product, *existing).map_err(unwritten)?;
            products::say_lost(&to.to_string_lossy(), &lost);
            written = Some(to.to_string_lossy().into_owned());
        }
        Destination::Preview if changed && !quiet => {
            let apply = CommandLine::new("slim").flag("-w").on(&doc.label);
            writeln!(talk_to, "  No files were changed. Apply with `{apply}` (keeps a backup).")?;
        }
        _ => {}
    }
    if let Some(logs) = logs {
        let after = if reason.is_none() { view.len() } else { doc.bytes.len() };
        let saving = Saving {
            path: &doc.label,
            before: doc.bytes.len(),
            full: full.len(),
            after,
            restored: made.restored.as_ref(),
            slim: made.slim.as_ref(),
            refused: reason.as_ref().map(|(why, _)| why.as_str()),
            written,
            backup,
        };
        logs.push(saving.value());
    }
    Ok(if failed { Outcome::Failed } else { Outcome::Clean })
}

/// Why nothing is made of a doc, and whether that is a failure.
fn refusal(made: &Made, doc: &Doc) -> Option<(String, bool)> {
    let label = display_name(&doc.label);
    if let Some((record, why)) = made.restored.as_ref().and_then(|restored| restored.broken.first()) {
        return Some((format!("{label}: record {record}: {why}; nothing was changed"), true));
    }
    match made.slim.as_ref()?.refused? {
        Unfit::NoLog => Some((format!("{label}: a single document, not a log; nothing is repeated"), false)),
        Unfit::Order(record) => Some((
            format!(
                "{label}: record {record}: the offset is not greater than the previous one (RL625), so the \
                 content of requests is uncertain; nothing was changed"
            ),
            true,
        )),
    }
}

/// What was made is held against what is there before it is written.
fn damage(made: &Made, doc: &Doc, view: &Patched<'_>, edits: &[Edit]) -> io::Result<Option<String>> {
    let full = made.full(doc);
    let hold = |before: &dyn ReadAt, after: &dyn ReadAt, touched: Option<&[Place]>| -> io::Result<_> {
        let container = framing::sniff(before)?;
        let texts = guard::Texts { id: doc.id, before, after, container, kept: Vec::new(), lines: &[] };
        let nothing = guard::Recognise { steps: &[], format: None };
        Ok(guard::check(&texts, touched, &nothing)?.damage)
    };
    let touched: Vec<Place> = edits.iter().map(|edit| edit.at).collect();
    let damage = match hold(full, view, Some(&touched))? {
        None if made.restored.is_some() => hold(&*doc.bytes, full, None)?,
        damage => damage,
    };
    Ok(damage.map(|damage| format!("{}: {}", display_name(&doc.label), damage.words("slim"))))
}

fn same(a: &dyn ReadAt, b: &dyn ReadAt) -> io::Result<bool> {
    const STEP: u64 = 1 << 20;
    if a.len() != b.len() {
        return Ok(false);
    }
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for at in (0..a.len()).step_by(STEP as usize) {
        let len = STEP.min(a.len() - at) as usize;
        a.read_into(at, len, &mut left)?;
        b.read_into(at, len, &mut right)?;
        if left != right {
            return Ok(false);
        }
    }
    Ok(true)
}

fn told(made: &Made, doc: &Doc, after: u64, out: &mut dyn Write) -> io::Result<()> {
    let label = display_name(&doc.label);
    let full = made.full(doc).len();
    let Some(slim) = &made.slim else {
        let references = made.restored.as_ref().map_or(0, |restored| restored.references);
        let others = made.restored.as_ref().map_or(0, |restored| restored.in_other_bytes);
        let bodies = count(references, "reference");
        writeln!(out, "{label}: {bodies} restored, {} bytes become {}", grouped(doc.bytes.len()), grouped(full))?;
        return match others {
            0 => writeln!(out, "  byte for byte as before"),
            n if n == references => {
                writeln!(out, "  the values are the same; spacing or escapes may differ from the original bytes")
            }
            n => writeln!(
                out,
                "  {n} of them with the same values, but spacing or escapes may differ; the rest byte for byte"
            ),
        };
    };
    let Saved { records: _, lists, items, repeated, references } = slim.saved;
    if lists == 0 {
        writeln!(out, "{label}: no repetition that a reference would shorten")?;
    } else {
        let percent = after * 100 / full.max(1);
        writeln!(out, "{label}: {} bytes become {} ({percent}%)", grouped(full), grouped(after))?;
        writeln!(
            out,
            "  {} in {}: {} bytes that repeat the log, replaced by {} bytes of references",
            count(items, "item"),
            count(lists, "list"),
            grouped(repeated),
            grouped(references)
        )?;
        writeln!(
            out,
            "  ten times as long: {} bytes, slimmed {}",
            grouped(grown(full, repeated)),
            grouped(after * 10)
        )?;
    }
    if !slim.kept.is_empty() {
        let bodies =
            if slim.kept.len() == 1 { "1 body is kept" } else { &format!("{} bodies are kept", slim.kept.len()) };
        writeln!(out, "  {bodies}, because the history differs:")?;
    }
    for KeptBody { record, pointer, request, difference } in slim.kept.iter().take(TOLD) {
        let (body, history) = (&difference.body, &difference.history);
        writeln!(
            out,
            "    record {record} {pointer}, request at offset {request}: {body}; in the history {history}"
        )?;
    }
    if slim.kept.len() > TOLD {
        writeln!(out, "    and {} more", slim.kept.len() - TOLD)?;
    }
    Ok(())
}

/// Bytes of a log that goes on like this to ten times its length: what is repeated grows with the square of it.
pub fn grown(full: u64, repeated: u64) -> u64 {
    (full - repeated.min(full)) * 10 + repeated * 100
}
