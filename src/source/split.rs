//! One large JSON document, element by element. The elements of the top array, or of arrays directly in the top
//! object, are scanned one at a time; the rest of the document (the head: the object with those arrays empty)
//! comes last, as a small record with a map to the offsets of its bytes.

use std::io;

use crate::json::edit::RecordBase;
use crate::json::scan::first_non_space;
use crate::json::{self, Fault, FaultKind, Tape};
use crate::place::DocId;

use super::bytes::read::ReadAt;

/// A piece of a split document.
pub enum DocumentPiece<'p> {
    /// An element of the array under the key `section`, or of the document if that is an array (empty).
    Element { section: &'p str, index: u32, bytes: &'p [u8], base: RecordBase<'p> },
    /// Everything but the elements. It comes last.
    Head { bytes: &'p [u8], base: RecordBase<'p> },
}

/// The error that ended a split.
#[derive(Debug)]
pub enum SplitError {
    Io(io::Error),
    /// Not JSON, at this offset in the doc.
    Fault(FaultKind, u64),
    /// One element or member is longer than the limit; it starts at this offset.
    TooLong(u64),
}

impl From<io::Error> for SplitError {
    fn from(error: io::Error) -> Self {
        SplitError::Io(error)
    }
}

const STEP: usize = 2 << 20;

/// Splits the document that starts at `start`. `take` is called with each piece and its tape; it returns `false`
/// to end the split.
pub fn split(
    doc: &dyn ReadAt,
    id: DocId,
    start: u64,
    limit: u64,
    take: impl FnMut(DocumentPiece<'_>, &mut Tape) -> bool,
) -> Result<(), SplitError> {
    split_at(doc, id, start, limit, &|_| true, take)
}

/// The same, but only the arrays under keys that `splits` is true for are split; others remain in the head.
pub fn split_at(
    doc: &dyn ReadAt,
    id: DocId,
    start: u64,
    limit: u64,
    splits: &dyn Fn(&str) -> bool,
    mut take: impl FnMut(DocumentPiece<'_>, &mut Tape) -> bool,
) -> Result<(), SplitError> {
    let mut window = SplitWindow { doc, base: start, buf: Vec::new(), at: 0, limit };
    let mut tape = Tape::new();
    let mut head = DocumentHead::default();
    let go_on = match window.peek()? {
        Some(b'[') => split_elements(&mut window, id, "", &mut head, &mut tape, &mut take),
        _ => split_members(&mut window, id, splits, &mut head, &mut tape, &mut take),
    };
    if let Err(SplitError::Fault(FaultKind::EndsEarly, _)) = &go_on
        && doc.is_truncated()
        && let Some(text) = json::salvage(&head.bytes)
        && json::scan(&text, &mut tape).is_ok()
    {
        // A truncated document is read as far as possible.
        take(DocumentPiece::Head { bytes: &text, base: RecordBase::of_runs(id, &head.runs) }, &mut tape);
    }
    let go_on = go_on?;
    if !go_on {
        return Ok(());
    }
    if window.peek()?.is_some() {
        return window.fault(FaultKind::TrailingText);
    }
    let fault = json::scan(&head.bytes, &mut tape);
    let base = RecordBase::of_runs(id, &head.runs);
    if let Err(fault) = fault {
        return Err(SplitError::Fault(fault.kind, base.offset(fault.at)));
    }
    take(DocumentPiece::Head { bytes: &head.bytes, base }, &mut tape);
    Ok(())
}

type PieceSink<'t> = dyn FnMut(DocumentPiece<'_>, &mut Tape) -> bool + 't;

fn split_members(
    window: &mut SplitWindow<'_>,
    id: DocId,
    splits: &dyn Fn(&str) -> bool,
    head: &mut DocumentHead,
    tape: &mut Tape,
    take: &mut PieceSink<'_>,
) -> Result<bool, SplitError> {
    window.copy_byte_to_head(head)?; // The opening brace.
    if window.peek()? == Some(b'}') {
        window.copy_byte_to_head(head)?;
        return Ok(true);
    }
    loop {
        if window.peek()? != Some(b'"') {
            return window.fault(FaultKind::ExpectedKey);
        }
        let len = window.value(tape)?;
        let key = tape
            .root(window.ahead(len))
            .and_then(|v| v.text())
            .map(|text| String::from_utf8_lossy(&text).into_owned())
            .unwrap_or_default();
        window.copy_to_head(head, len);
        if window.peek()? != Some(b':') {
            return window.fault(FaultKind::ExpectedColon);
        }
        window.copy_byte_to_head(head)?;
        if window.peek()? == Some(b'[') && splits(&key) {
            if !split_elements(window, id, &key, head, tape, take)? {
                return Ok(false);
            }
        } else {
            let len = window.value(tape)?;
            window.copy_to_head(head, len);
        }
        match window.peek()? {
            Some(b',') => window.copy_byte_to_head(head)?,
            Some(b'}') => {
                window.copy_byte_to_head(head)?;
                return Ok(true);
            }
            _ => return window.fault(FaultKind::ExpectedCommaOrEnd),
        }
        window.peek()?;
    }
}

fn split_elements(
    window: &mut SplitWindow<'_>,
    id: DocId,
    section: &str,
    head: &mut DocumentHead,
    tape: &mut Tape,
    take: &mut PieceSink<'_>,
) -> Result<bool, SplitError> {
    window.copy_byte_to_head(head)?; // The opening bracket.
    if window.peek()? == Some(b']') {
        window.copy_byte_to_head(head)?;
        return Ok(true);
    }
    for index in 0.. {
        window.peek()?;
        let len = window.value(tape)?;
        let base = RecordBase::new(id, window.offset());
        let bytes = window.ahead(len);
        if !take(DocumentPiece::Element { section, index, bytes, base }, tape) {
            return Ok(false);
        }
        window.at += len;
        match window.peek()? {
            Some(b',') => window.at += 1,
            Some(b']') => break,
            _ => return window.fault(FaultKind::ExpectedCommaOrEnd),
        }
    }
    window.copy_byte_to_head(head)?;
    Ok(true)
}

/// The bytes of the document without the elements of its arrays, and the offset of each run.
#[derive(Default)]
struct DocumentHead {
    bytes: Vec<u8>,
    runs: Vec<(u32, u64)>,
    /// Offset in the doc after the last byte copied.
    end: u64,
}

/// The part of the doc that is in memory.
struct SplitWindow<'r> {
    doc: &'r dyn ReadAt,
    /// Offset in the doc of `buf[0]`.
    base: u64,
    buf: Vec<u8>,
    at: usize,
    limit: u64,
}

impl SplitWindow<'_> {
    fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    fn fault<T>(&self, what: FaultKind) -> Result<T, SplitError> {
        let end = self.offset() >= self.doc.len();
        Err(SplitError::Fault(if end { FaultKind::EndsEarly } else { what }, self.offset()))
    }

    /// Reads more bytes and drops those already consumed. `false` at the end of the doc.
    fn read_more(&mut self) -> io::Result<bool> {
        let rest = self.doc.len() - (self.base + self.buf.len() as u64);
        if rest == 0 {
            return Ok(false);
        }
        self.buf.drain(..self.at);
        self.base += self.at as u64;
        self.at = 0;
        let have = self.buf.len();
        // A value longer than the limit need not be read to its end.
        let most = self.limit.saturating_add(2).saturating_sub(have as u64).max(STEP as u64).min(rest);
        let want = STEP.max(have).min(usize::try_from(most).unwrap_or(usize::MAX));
        self.doc.append_from(self.base + have as u64, want, &mut self.buf)?;
        Ok(true)
    }

    /// The next byte that is not white space.
    fn peek(&mut self) -> io::Result<Option<u8>> {
        loop {
            if let Some(at) = first_non_space(&self.buf, self.at) {
                self.at = at;
                return Ok(self.buf.get(at).copied());
            }
            self.at = self.buf.len();
            if !self.read_more()? {
                return Ok(None);
            }
        }
    }

    /// Scans the value at the cursor, reading more as needed. Returns its length; the cursor does not move.
    fn value(&mut self, tape: &mut Tape) -> Result<usize, SplitError> {
        loop {
            let text = self.buf.split_at(self.at).1;
            let at_end = self.base + self.buf.len() as u64 >= self.doc.len();
            match json::scan_prefix(text, tape) {
                // A number at the end of the buffer may continue.
                Ok(end) if end as usize == text.len() && !at_end => {}
                Ok(end) if u64::from(end) > self.limit => return Err(SplitError::TooLong(self.offset())),
                Ok(end) => return Ok(end as usize),
                Err(Fault { kind: FaultKind::EndsEarly, .. }) if !at_end => {}
                Err(fault) => return Err(SplitError::Fault(fault.kind, self.offset() + u64::from(fault.at))),
            }
            if text.len() as u64 > self.limit {
                return Err(SplitError::TooLong(self.offset()));
            }
            self.read_more()?;
        }
    }

    /// The next bytes, which have been scanned.
    #[expect(
        clippy::indexing_slicing,
        reason = "only what is in the buffer can have been scanned, and the cursor stayed"
    )]
    fn ahead(&self, len: usize) -> &[u8] {
        &self.buf[self.at..self.at + len]
    }

    /// Moves over `len` bytes, and copies them to the head.
    fn copy_to_head(&mut self, head: &mut DocumentHead, len: usize) {
        let from = self.offset();
        if head.runs.is_empty() || head.end != from {
            head.runs.push((head.bytes.len() as u32, from));
        }
        head.bytes.extend_from_slice(self.ahead(len));
        self.at += len;
        head.end = self.offset();
    }

    fn copy_byte_to_head(&mut self, head: &mut DocumentHead) -> Result<(), SplitError> {
        if self.peek()?.is_none() {
            return self.fault(FaultKind::EndsEarly);
        }
        self.copy_to_head(head, 1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Result<(Vec<String>, String), String> {
        let bytes = text.as_bytes().to_vec();
        let mut found = Vec::new();
        let mut head = String::new();
        split(&bytes, DocId(0), 0, 1 << 30, |piece, _| {
            match piece {
                DocumentPiece::Element { section, index, bytes, base } => {
                    let at = base.place(0, bytes.len() as u32);
                    assert_eq!(&text.as_bytes()[at.start as usize..at.end() as usize], bytes);
                    found.push(format!("{section}[{index}]={}", String::from_utf8_lossy(bytes)));
                }
                DocumentPiece::Head { bytes, base } => {
                    for n in 0..bytes.len() as u32 {
                        assert_eq!(bytes[n as usize], text.as_bytes()[base.offset(n) as usize]);
                    }
                    head = String::from_utf8_lossy(bytes).into_owned();
                }
            }
            true
        })
        .map_err(|e| format!("{e:?}"))?;
        Ok((found, head))
    }

    #[test]
    fn arrays_of_the_top_come_element_by_element_and_the_head_comes_last() {
        let (found, head) =
            pieces(r#" {"a" : 1, "in":[ {"x":[1]} , "y",3], "e": [], "z":{"k":[0]}} "#).expect("JSON");
        assert_eq!(found, [r#"in[0]={"x":[1]}"#, r#"in[1]="y""#, "in[2]=3"]);
        assert_eq!(head, r#"{"a":1,"in":[],"e":[],"z":{"k":[0]}}"#);
        let (found, head) = pieces("[1,\n2 ]").expect("JSON");
        assert_eq!((found.len(), head.as_str()), (2, "[]"));
    }

    #[test]
    fn faults_have_places() {
        assert_eq!(pieces(r#"{"a":[1,}"#), Err("Fault(NoValue, 8)".to_owned()));
        assert_eq!(pieces(r#"{"a":[1"#), Err("Fault(EndsEarly, 7)".to_owned()));
        assert_eq!(pieces(r#"{"a" 1}"#), Err("Fault(ExpectedColon, 5)".to_owned()));
        assert_eq!(pieces("[1] x"), Err("Fault(TrailingText, 4)".to_owned()));
    }

    #[test]
    fn elements_longer_than_a_step_are_read_whole() {
        let long = "x".repeat(STEP * 2 + 17);
        let (found, _) = pieces(&format!(r#"{{"in":["{long}",12]}}"#)).expect("JSON");
        assert_eq!(found.len(), 2);
        assert_eq!(found[1], "in[1]=12");
    }
}
