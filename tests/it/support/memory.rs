//! Helpers of the tests and the fuzz targets in `fuzz/`: judge and convert a text in memory, and find edits near a change.

use replaylint::internals::convert::{CONVERT_DIALECTS, ConvertOptions, ConvertPlan, ConvertedDoc, convert_doc};
use replaylint::internals::json::{Tape, scan};
use replaylint::internals::judge::{self, JudgedDoc, Options};
use replaylint::internals::place::{DocId, Place};
use replaylint::internals::repair::{Action, HistoryPreview, Previewer};
use replaylint::internals::report::changes::ChangeNote;
use replaylint::internals::source::{GrowableBytes, ReadAt};

pub const DOC: DocId = DocId(0);

/// A text with room for the messages that its events add up to.
pub fn growable_text(text: &[u8]) -> GrowableBytes<Vec<u8>> {
    GrowableBytes::new(text.to_vec())
}

pub fn check(text: &[u8], options: &Options) -> JudgedDoc<HistoryPreview> {
    check_of(&growable_text(text), options)
}

pub fn check_of(bytes: &dyn ReadAt, options: &Options) -> JudgedDoc<HistoryPreview> {
    judge::judge(DOC, bytes, options, 1, &Previewer::default()).expect("memory reads")
}

pub fn plan(to: &str) -> ConvertPlan {
    let (_, to, written) = CONVERT_DIALECTS.iter().find(|(name, ..)| *name == to).copied().expect("a dialect");
    ConvertPlan::to(to, written)
}

pub fn convert_text(text: &[u8], options: &Options, plan: ConvertPlan) -> (Vec<u8>, ConvertedDoc) {
    convert_bytes(&growable_text(text), options, plan)
}

pub fn convert_bytes(bytes: &dyn ReadAt, options: &Options, plan: ConvertPlan) -> (Vec<u8>, ConvertedDoc) {
    let how = ConvertOptions::new(options, plan);
    let mut out = Vec::new();
    let done = convert_doc(DOC, bytes, &how, 1, &mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    });
    (out, done.expect("memory reads"))
}

pub fn is_json(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    scan(text, &mut Tape::new()).is_ok()
}

/// JSON, or lines of it: a log of one record looks like a document until it has another.
pub fn is_readable(text: &[u8]) -> bool {
    is_json(text) || text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).all(is_json)
}

/// The end of the message that contains the list in which an item ends at an offset.
fn end_of_message(text: &[u8], from: u64) -> u64 {
    let (mut depth, mut in_string, mut escaped) = (2, false, false);
    for (at, byte) in text.iter().enumerate().skip(from as usize) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at as u64 + 1;
        }
    }
    text.len() as u64
}

/// True if an edit is in the item, between it and its neighbours, on its line, or after the item that it will follow.
pub fn is_near(note: &ChangeNote, at: Place, text: &[u8]) -> bool {
    let line = |offset: u64| {
        let before = text[..offset as usize].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
        let after = text[offset as usize..]
            .iter()
            .position(|b| *b == b'\n')
            .map_or(text.len(), |n| offset as usize + n + 1);
        (before as u64, after as u64)
    };
    let spans = std::iter::once(note.at.start..note.at.end())
        .chain(note.other.iter().map(|other| other.span.0..other.span.1));
    for span in spans {
        let mut from = span.start.min(line(span.start).0);
        let mut to = span.end.max(line(span.end.saturating_sub(1)).1);
        // White space, commas and the neighbours' brackets.
        while from > 0 && (text[from as usize - 1].is_ascii_whitespace() || text[from as usize - 1] == b',') {
            from -= 1;
        }
        // A moved item goes after the message that contains the other.
        if note.action == Action::Move {
            to = to.max(end_of_message(text, span.end));
        }
        while (to as usize) < text.len() && text[to as usize].is_ascii_whitespace() {
            to += 1;
        }
        if from <= at.start && at.end() <= to {
            return true;
        }
    }
    // The removal of several neighbours is one edit.
    note.at.start >= at.start && note.at.end() <= at.end() || note.action == Action::Stub
}

/// True if a written request is a line of a batch, which its own format does not read.
pub fn is_batch_line(request: &[u8]) -> bool {
    let names = ["{\"custom_id\":", "{\"key\":", "{\"recordId\":"];
    names.iter().any(|name| request.starts_with(name.as_bytes()))
}

/// True if what was written is a line for training, which is copied, and no request.
pub fn is_training_line(line: &[u8]) -> bool {
    memchr::memmem::find(line, b"\"non_preferred_output\"").is_some()
}
