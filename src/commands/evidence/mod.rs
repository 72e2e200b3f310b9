//! `evidence`: judges recorded requests, and compares the verdicts with the providers' answers. It prints counts only.

pub mod answer;
mod counts;
mod json;
mod model_name;
mod recorded_request;
mod text;

use std::io::{self, Write};

use crate::judge;
use crate::report::recognise::Recogniser;
use crate::source::recordings::{self, MAX_RECORDING, RecordingError};
use crate::source::{Doc, describe_error};

use super::run::Inputs;
use super::run::labels::label_of;
use super::run::walked_files;
use super::{Failure, Outcome, Run, print_error};

use counts::Evidence;

/// Judges the requests of all recordings, and prints where the verdicts differ from the answers.
pub fn evidence(run: &Run, json: bool, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let Inputs { all: inputs, mut failed, .. } = run.inputs()?;
    let mut all = Evidence::default();
    let recogniser = Recogniser::shared();
    let work = |doc: io::Result<Doc>, _| -> io::Result<(String, Option<Evidence>)> {
        let doc = doc?;
        let found = read_recording(&doc, run.lints.options_for(&doc.label), recogniser)?;
        Ok((doc.label, found))
    };
    run.each_doc(&inputs, work, |input, read| {
        match read {
            Ok((_, Some(found))) => all.add(found),
            Ok((label, None)) => {
                all.files_skipped += 1;
                walked_files::report_skipped(run, &label);
            }
            Err(error) => {
                print_error(&describe_error(&label_of(input), &error));
                all.files_unreadable += 1;
                failed = true;
            }
        }
        true
    });
    match json {
        true => json::write(&all, out)?,
        false => text::write(&all, &run.style, out)?,
    }
    if all.files_read + all.files_unreadable == 0 && !failed {
        print_error("no recording found: cassettes of VCR (YAML or JSON) and HTTP archives (HAR) are read");
        failed = true;
    }
    Ok(run.outcome(failed, all.differs()))
}

/// Judges the requests of a file; `None` for a file in a folder that is no recording.
fn read_recording(doc: &Doc, options: &judge::Options, recogniser: &Recogniser) -> io::Result<Option<Evidence>> {
    if !recordings::may_be_recording(&start(doc, recordings::HEAD)?) {
        return if doc.named { Err(RecordingError::NoExchanges.into()) } else { Ok(None) };
    }
    let exchanges = match recordings::read(&start(doc, MAX_RECORDING + 1)?) {
        Err(RecordingError::NoExchanges) if !doc.named => return Ok(None),
        exchanges => exchanges?,
    };
    let mut found = Evidence { files_read: 1, ..Evidence::default() };
    for exchange in &exchanges {
        found.requests += 1;
        match recorded_request::judge(exchange, options)? {
            Some(request) => found.count(&request, answer::of(exchange), recogniser)?,
            None => found.requests_skipped += 1,
        }
    }
    Ok(Some(found))
}

/// The first bytes of a document, at most `most`.
fn start(doc: &Doc, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; doc.bytes.len().min(most) as usize];
    let read = doc.bytes.read_at(0, &mut bytes)?;
    bytes.truncate(read);
    Ok(bytes)
}
