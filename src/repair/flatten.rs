//! Copies of logs whose lines may not move: one file with the whole history, also what it continues from, under an id of its
//! own, in which lines are neither numbered nor pointed at.

use std::io::{self, BufRead, BufReader, Write};

use xxhash_rust::xxh3::Xxh3;

use crate::format::{Copied, KeptLines};
use crate::json::edit::Base;
use crate::json::{Tape, Val, scan};
use crate::place::{DocId, Patch};
use crate::source::{ReadAt, Sequential};

use super::edit::item_text::patched;

/// A copy that can be written.
pub struct Flat<'f> {
    bytes: &'f dyn ReadAt,
    kept: &'static dyn KeptLines,
    /// Its header, as it is.
    header: Vec<u8>,
    pub id: String,
}

impl<'f> Flat<'f> {
    /// The copy of a log; `None` if it has no header, without which nobody can go on with it.
    pub fn of(bytes: &'f dyn ReadAt, kept: &'static dyn KeptLines) -> io::Result<Option<Self>> {
        let (mut header, mut tape, mut hasher) = (None, Tape::new(), Xxh3::new());
        each_line(bytes, |line| {
            hasher.update(line);
            let found = seen(line, &mut tape).and_then(|val| kept.lineage(val));
            if let Some(lineage) = found
                && (header.is_none() || lineage.base.is_some())
            {
                header = Some((line.to_vec(), lineage.id));
            }
            Ok(())
        })?;
        Ok(header.map(|(header, old)| {
            hasher.update(old.as_bytes());
            Flat { bytes, kept, header, id: derived(&old, hasher.digest128()) }
        }))
    }

    /// What its file is called, by the name of the one that it is made of.
    pub fn file_name(&self, old: &str) -> String {
        let mut tape = Tape::new();
        seen(&self.header, &mut tape).map(|header| self.kept.file_name(old, header, &self.id)).unwrap_or_default()
    }

    /// The command that goes on with it.
    pub fn resume(&self) -> String {
        self.kept.resume(&self.id)
    }

    /// Writes it: the header, and then all lines that are none.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut tape = Tape::new();
        self.line(&self.header, &mut tape, true, out)?;
        each_line(self.bytes, |line| self.line(line, &mut tape, false, out))
    }

    fn line(&self, line: &[u8], tape: &mut Tape, headers: bool, out: &mut dyn Write) -> io::Result<()> {
        let mut edits = Vec::new();
        let copied = match seen(line, tape) {
            Some(val) => self.kept.copied(val, &self.id, Base::new(DOC, 0), &mut edits),
            // What cannot be read is nobody's to leave out.
            None => Copied::Line,
        };
        if (copied == Copied::Header) != headers {
            return Ok(());
        }
        let mut patch = Patch::default();
        patch.add(edits);
        out.write_all(&patched(line, &patch, DOC))?;
        out.write_all(b"\n")
    }
}

const DOC: DocId = DocId(0);

fn seen<'t>(line: &'t [u8], tape: &'t mut Tape) -> Option<Val<'t>> {
    scan(line, tape).ok()?;
    tape.root(line).filter(Val::is_object)
}

/// Calls `see` with each line that holds something, without the white space at its end.
fn each_line(bytes: &dyn ReadAt, mut see: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut lines = BufReader::with_capacity(256 << 10, Sequential::new(bytes));
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

/// A UUID of version 7 with the time of the old id, if that has one, and the rest from the content: the same copy gets the
/// same id again.
fn derived(old: &str, hash: u128) -> String {
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
        let id = derived(old, 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef);
        assert_eq!(id, "01a0c2b0-0000-7123-8456-789abcdef012");
        assert_ne!(id, derived(old, 1));
        assert!(derived("s1", 7).starts_with("00000000-0000-7"));
    }
}
