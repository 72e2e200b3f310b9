//! Detecting the format of a document that is too large to be scanned at once: by as much of it as formats look at in a smaller
//! one. One element would not do: the first message of a user may be one of several APIs.

use std::io;

use crate::format::Format;
use crate::formats::scoring::SAMPLE;
use crate::formats::unsupported;
use crate::json::edit::RecordBase;
use crate::json::{Tape, name, scan};
use crate::place::DocId;
use crate::source::ReadAt;
use crate::source::split::{DocumentPiece, SplitError, split};

use super::{Options, detect};

/// Once a format is found, no more elements are looked at than are in this many bytes.
const ENOUGH: u64 = 2 << 20;
/// Where none is found, no more than in this many.
const MOST: u64 = 64 << 20;

/// What a document seems to be: its format, or the row of [`unsupported`] that it resembles.
pub(super) type LargeDocumentFormat = Result<&'static dyn Format, Option<u32>>;

/// Detects the format from the first elements of each array, and from the members after them if the model is among these.
pub(super) fn detect_format(
    id: DocId,
    bytes: &dyn ReadAt,
    start: u64,
    options: &Options,
) -> io::Result<LargeDocumentFormat> {
    let mut sample = DocumentSample::new(bytes, start, options);
    let mut failed = None;
    let done = split(bytes, id, start, options.max_record, |piece, _| {
        let goes_on = match piece {
            DocumentPiece::Element { section, index, bytes: element, base } => {
                sample.add_element(section, index, base.offset(0) + element.len() as u64)
            }
            DocumentPiece::Head { bytes: head, base } => sample.add_rest(head, base).map(|()| true),
        };
        goes_on.unwrap_or_else(|error| {
            failed = Some(error);
            false
        })
    });
    match (failed, done) {
        (Some(error), _) | (None, Err(SplitError::Io(error))) => Err(error),
        _ => Ok(sample.found),
    }
}

/// True if some format recognises a document that is too large to be scanned at once.
pub fn recognises_large(id: DocId, bytes: &dyn ReadAt) -> io::Result<bool> {
    Ok(detect_format(id, bytes, 0, &Options::default())?.is_ok())
}

/// The beginning of a document, with the format that it shows.
struct DocumentSample<'d> {
    bytes: &'d dyn ReadAt,
    start: u64,
    /// The end of the last element that is looked at.
    end: u64,
    options: &'d Options,
    tape: Tape,
    found: LargeDocumentFormat,
    /// True if nothing that follows its elements can change the format: it is an array, or its `model` came before them.
    is_decided: bool,
    /// No more elements are looked at.
    is_full: bool,
}

impl<'d> DocumentSample<'d> {
    fn new(bytes: &'d dyn ReadAt, start: u64, options: &'d Options) -> Self {
        let (tape, found) = (Tape::new(), Err(None));
        DocumentSample { bytes, start, end: start, options, tape, found, is_decided: false, is_full: false }
    }

    /// Adds an element that ends at an offset. False if nothing that follows matters.
    fn add_element(&mut self, section: &str, index: u32, end: u64) -> io::Result<bool> {
        let count = index as usize + 1;
        if self.is_full || count > SAMPLE {
            return Ok(true);
        }
        let most = if self.found.is_ok() { ENOUGH } else { MOST };
        self.is_full = end - self.start > most;
        if !self.is_full {
            self.end = end;
            // Whenever there are twice as many, they are scanned again.
            if count.is_power_of_two() {
                self.detect(if section.is_empty() { b"]" } else { b"]}" })?;
            }
            self.is_full = self.found.is_ok() && count == SAMPLE;
        }
        Ok(!self.is_full || self.found.is_ok() && !self.is_decided)
    }

    /// Adds what follows the elements, which is at the end of the document without its elements.
    fn add_rest(&mut self, head: &[u8], base: RecordBase<'_>) -> io::Result<()> {
        let (mut from, mut to) = (0, head.len());
        while from < to {
            let middle = from.midpoint(to);
            if base.offset(middle as u32) < self.end { from = middle + 1 } else { to = middle }
        }
        self.detect(head.get(from..).unwrap_or_default())
    }

    /// Looks for the format of the document up to the last element, with another end.
    fn detect(&mut self, rest: &[u8]) -> io::Result<()> {
        let mut text = Vec::new();
        self.bytes.read_into(self.start, (self.end - self.start) as usize, &mut text)?;
        text.extend_from_slice(rest);
        if scan(&text, &mut self.tape).is_ok()
            && let Some(val) = self.tape.root(&text)
        {
            self.is_decided = val.is_array() || val.get(name::model).is_some();
            let found = detect::of_document(val, self.options.dialect);
            self.found = found.ok_or_else(|| unsupported::find_row(val));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use serde_json::Value;

    use super::*;

    /// The formats of a document, read at once and piece by piece.
    fn formats_of(text: &[u8]) -> [Option<&'static str>; 2] {
        let options = Options::default();
        let mut tape = Tape::new();
        scan(text, &mut tape).expect("JSON");
        let whole = tape.root(text).and_then(|val| detect::of_document(val, None));
        let pieces = detect_format(DocId(0), &text.to_vec(), 0, &options).expect("memory reads").ok();
        [whole, pieces].map(|format| format.map(|format| format.info().name))
    }

    #[test]
    fn a_document_read_in_pieces_has_the_format_of_the_whole() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
        let mut seen = 0;
        for folder in fs::read_dir(root).expect("samples").flatten() {
            for file in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
                let Ok(text) = fs::read(file.path()) else { continue };
                let Ok(value) = serde_json::from_slice::<Value>(&text) else { continue };
                // As it is, and with its members in the order of their names.
                for text in [text, value.to_string().into_bytes()] {
                    let [whole, pieces] = formats_of(&text);
                    assert_eq!(pieces, whole, "{:?}", file.path());
                    seen += usize::from(whole.is_some());
                }
            }
        }
        assert!(seen > 150, "only {seen}");
    }

    #[test]
    fn what_tells_apis_apart_may_come_late() {
        let message = |n: usize| format!(r#"{{"role":"{}","content":"x"}}"#, ["user", "assistant"][n % 2]);
        let call = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}"#;
        let list = |plain: usize, more: &str| (0..plain).map(message).chain([more.to_owned()]).collect::<Vec<_>>();
        let messages = list(200, call).join(",");
        assert_eq!(formats_of(format!("[{messages}]").as_bytes()), [Some("chat-request"); 2]);
        let messages = list(300, &message(0)).join(",");
        let body =
            |model: &str| format!(r#"{{"max_tokens":9,"messages":[{messages}],"model":"{model}","stops":[]}}"#);
        assert_eq!(formats_of(body("claude-sonnet-4-5").as_bytes()), [Some("anthropic-request"); 2]);
        assert_eq!(formats_of(body("gpt-5").as_bytes()), [Some("chat-request"); 2]);
    }
}
