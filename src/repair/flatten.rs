//! Flat copies of logs whose lines may not move: one file with the whole history, including the parent that it
//! continues, under an id of its own, without numbered lines.

use std::io::{self, BufRead, BufReader, Write};

use xxhash_rust::xxh3::Xxh3;

use crate::format::{CopiedLine, NumberedLines};
use crate::json::edit::RecordBase;
use crate::json::{Tape, Val, scan};
use crate::place::{DocId, Patch};
use crate::source::{ReadAt, SequentialReader};

/// A flat copy of a log, ready to be written.
pub struct FlatCopy<'f> {
    bytes: &'f dyn ReadAt,
    kept: &'static dyn NumberedLines,
    /// The header line, unchanged.
    header: Vec<u8>,
    pub id: String,
}

impl<'f> FlatCopy<'f> {
    /// The copy of a log; `None` if it has no header, without which it cannot be resumed.
    pub fn of(bytes: &'f dyn ReadAt, kept: &'static dyn NumberedLines) -> io::Result<Option<Self>> {
        let (mut header, mut tape, mut hasher) = (None, Tape::new(), Xxh3::new());
        visit_lines(bytes, |line| {
            hasher.update(line);
            let found = parse_object(line, &mut tape).and_then(|val| kept.lineage(val));
            if let Some(lineage) = found
                && (header.is_none() || lineage.base.is_some())
            {
                header = Some((line.to_vec(), lineage.id));
            }
            Ok(())
        })?;
        Ok(header.map(|(header, old)| {
            hasher.update(old.as_bytes());
            FlatCopy { bytes, kept, header, id: derive_id(&old, hasher.digest128()) }
        }))
    }

    /// The file name of the copy, derived from the name of the original.
    pub fn file_name(&self, old: &str) -> String {
        let mut tape = Tape::new();
        parse_object(&self.header, &mut tape)
            .map(|header| self.kept.file_name(old, header, &self.id))
            .unwrap_or_default()
    }

    /// The folder of the copy below that of the agent's sessions.
    pub fn folder(&self, file_name: &str) -> String {
        self.kept.folder(file_name)
    }

    /// The command that resumes the copy.
    pub fn resume_command(&self) -> String {
        self.kept.resume_command(&self.id)
    }

    /// Writes the copy: the header, then all lines that are no headers.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut tape = Tape::new();
        self.write_line(&self.header, &mut tape, true, out)?;
        visit_lines(self.bytes, |line| self.write_line(line, &mut tape, false, out))
    }

    fn write_line(&self, line: &[u8], tape: &mut Tape, headers: bool, out: &mut dyn Write) -> io::Result<()> {
        let mut edits = Vec::new();
        let copied = match parse_object(line, tape) {
            Some(val) => self.kept.copy_line(val, &self.id, RecordBase::new(DOC, 0), &mut edits),
            // Unreadable lines are copied.
            None => CopiedLine::Line,
        };
        if (copied == CopiedLine::Header) != headers {
            return Ok(());
        }
        let mut patch = Patch::default();
        patch.add(edits);
        out.write_all(&patch.apply(DOC, line))?;
        out.write_all(b"\n")
    }
}

const DOC: DocId = DocId(0);

fn parse_object<'t>(line: &'t [u8], tape: &'t mut Tape) -> Option<Val<'t>> {
    scan(line, tape).ok()?;
    tape.root(line).filter(Val::is_object)
}

/// Calls `see` with each line that is not blank, without its trailing white space.
fn visit_lines(bytes: &dyn ReadAt, mut see: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut lines = BufReader::with_capacity(256 << 10, SequentialReader::new(bytes));
    let mut line = Vec::new();
    let mut first = true;
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let text = line.strip_prefix(b"\xef\xbb\xbf").filter(|_| first).unwrap_or(&line).trim_ascii_end();
        first = false;
        if !text.is_empty() {
            see(text)?;
        }
    }
}

/// A UUID of version 7 with the time of the old id, if it has one, and the rest from the content, so that the same
/// copy gets the same id again.
fn derive_id(old: &str, hash: u128) -> String {
    let digits: String = old.chars().filter(char::is_ascii_hexdigit).collect();
    let is_timed = digits.len() == 32 && digits.as_bytes().get(12) == Some(&b'7');
    let time = digits.get(..12).filter(|_| is_timed).unwrap_or("000000000000");
    let hash = format!("{hash:032x}");
    let variant = match hash.bytes().next().unwrap_or_default() & 3 {
        0 => '8',
        1 => '9',
        2 => 'a',
        _ => 'b',
    };
    let cut = |text: &str, range: std::ops::Range<usize>| text.get(range).unwrap_or_default().to_owned();
    let (high, low) = (cut(time, 0..8), cut(time, 8..12));
    let (a, b, c) = (cut(&hash, 1..4), cut(&hash, 4..7), cut(&hash, 7..19));
    let id = format!("{high}-{low}-7{a}-{variant}{b}-{c}");
    id.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_copy_is_of_version_7_and_keeps_the_time() {
        let old = "01A0c2b0-0000-7000-8000-00000000000a";
        let id = derive_id(old, 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        assert_eq!(id, "01a0c2b0-0000-7123-8456-789abcdef012");
        assert_ne!(id, derive_id(old, 1));
        assert!(derive_id("s1", 7).starts_with("00000000-0000-7"));
    }
}
