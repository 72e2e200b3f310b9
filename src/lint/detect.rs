//! Which format a doc has: every record of a sample votes, because progress and telemetry lines may be the majority.

use crate::format::{Format, Histories, Probe};
use crate::formats::FORMATS;
use crate::json::{Tape, Val, pointer, scan};
use crate::source::{Container, framing, lines};

/// Records that vote, at most.
const SAMPLE: usize = 200;

/// How the records of a doc are read.
#[derive(Clone, Copy)]
pub enum Reading {
    /// All by this format.
    By(&'static dyn Format),
    /// Each by the format that recognises it, as a history by itself.
    Each,
    /// The one record, by the format that recognises it.
    Document,
}

/// The format of one record that is a history by itself.
pub fn of_record(val: Val<'_>) -> Option<&'static dyn Format> {
    best(&Probe::new(val), |format| format.info().histories == Histories::PerRecord)
}

/// The format of a document.
pub fn of_document(val: Val<'_>) -> Option<&'static dyn Format> {
    best(&Probe::new(val), |_| true)
}

fn best(probe: &Probe<'_>, among: impl Fn(&dyn Format) -> bool) -> Option<&'static dyn Format> {
    let mut best: Option<(u8, &'static dyn Format)> = None;
    for format in FORMATS.iter().copied().filter(|format| among(*format)) {
        let score = format.detect(probe);
        if score > best.map_or(0, |(score, _)| score) {
            best = Some((score, format));
        }
    }
    best.map(|(_, format)| format)
}

/// The format of lines or events, told from the first ones. `None` if none is of any. What is merely not impossible is
/// no format of a stream: other APIs stream, too.
pub fn of(container: Container, text: &[u8], steps: &[String]) -> Option<Reading> {
    of_records(text, steps, if matches!(container, Container::Events { .. }) { 50 } else { 1 })
}

/// The format of lines, told from the first ones.
pub fn of_lines(text: &[u8], steps: &[String]) -> Option<Reading> {
    of_records(text, steps, 1)
}

/// The format that the first records vote for; votes below `least` do not count.
fn of_records(text: &[u8], steps: &[String], least: u8) -> Option<Reading> {
    let mut tape = Tape::new();
    let mut votes = vec![0u32; FORMATS.len()];
    let mut voters = 0;
    for (_, line) in lines::split(text) {
        if voters == SAMPLE {
            break;
        }
        let line = &line[framing::before_value(line)..];
        if line.trim_ascii().is_empty() || scan(line, &mut tape).is_err() {
            continue;
        }
        let Some(val) = tape.root(line).and_then(|root| pointer::resolve(root, steps)) else { continue };
        voters += 1;
        let probe = Probe::new(val);
        for (vote, format) in votes.iter_mut().zip(FORMATS) {
            let score = format.detect(&probe);
            *vote += if score < least { 0 } else { u32::from(score) };
        }
    }
    // The first of the best.
    let (mut winner, mut most) = (None, 0);
    for (format, vote) in FORMATS.iter().copied().zip(&votes) {
        if *vote > most {
            (winner, most) = (Some(format), *vote);
        }
    }
    winner.map(|format| match format.info().histories.span_records() {
        true => Reading::By(format),
        false => Reading::Each,
    })
}
