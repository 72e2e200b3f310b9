//! A patch in the unified format, computed from edits: only the lines of edits are read, so the cost depends on the
//! changes, not on the size of the file.

use std::io::{self, Write};

use crate::place::{DocId, Edit, Pieces, ReplacementPart};
use crate::source::{ReadAt, append_piece};

/// Unchanged lines around a change.
const CONTEXT: usize = 3;

/// A range of whole lines with edits: original bytes `from..to`.
struct EditedLines {
    from: u64,
    to: u64,
    edits: Vec<Edit>,
}

/// Writes the patch of a document. `name` is its path in the patch.
pub fn write(name: &str, id: DocId, bytes: &dyn ReadAt, edits: &[Edit], out: &mut dyn Write) -> io::Result<()> {
    if edits.is_empty() {
        return Ok(());
    }
    let quoted = quoted_name(name);
    write!(out, "--- {}\n+++ {}\n", quoted("a/"), quoted("b/"))?;
    let mut counter = LineCounter { bytes, at: 0, line: 1 };
    let mut shift: i64 = 0;
    for range in edited_lines(bytes, edits)? {
        let old = read(bytes, range.from, range.to)?;
        let new = patched(id, bytes, &range)?;
        let before = context_before(bytes, range.from)?;
        let after = context_after(bytes, range.to)?;
        let first = counter.line_of(range.from - before.len() as u64)?;
        shift += write_hunk(&before, &old, &new, &after, first, shift, out)?;
    }
    Ok(())
}

/// Writes the patch that adds a file with this one line. `name` is its path in the patch.
pub fn write_new_file(name: &str, line: &[u8], out: &mut dyn Write) -> io::Result<()> {
    write!(out, "--- /dev/null\n+++ {}\n@@ -0,0 +1 @@\n+", quoted_name(name)("b/"))?;
    out.write_all(line)?;
    out.write_all(b"\n\\ No newline at end of file\n")
}

/// The name as git writes it: quoted if it contains unusual characters.
fn quoted_name(name: &str) -> impl Fn(&str) -> String + '_ {
    move |prefix| {
        let name = name.trim_start_matches('/');
        let unusual = name.bytes().any(|b| b < b' ' || matches!(b, b'"' | b'\\') || b >= 0x7f);
        if unusual {
            let mut text = format!("\"{prefix}");
            for byte in name.bytes() {
                match byte {
                    b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
                    b' '..=b'~' => text.push(char::from(byte)),
                    _ => text.push_str(&format!("\\{byte:03o}")),
                }
            }
            text.push('"');
            return text;
        }
        // A tab ends a name with spaces.
        if name.contains(' ') { format!("{prefix}{name}\t") } else { format!("{prefix}{name}") }
    }
}

/// Edits widened to whole lines; ranges with overlapping context are merged.
fn edited_lines(bytes: &dyn ReadAt, edits: &[Edit]) -> io::Result<Vec<EditedLines>> {
    let mut found: Vec<EditedLines> = Vec::new();
    for edit in edits {
        let from = line_start(bytes, edit.at.start)?;
        let to = match (edit.at.len, edit.at.start == from) {
            // An insertion between lines changes neither, unless the line before has no line feed.
            (0, true) if from == edit.at.start && edit.at.start < bytes.len() || edit.at.start == 0 => from,
            _ => line_end(bytes, edit.at.end().max(edit.at.start + 1).min(bytes.len()))?,
        };
        // If only the line feed of a line is removed, the next line is joined to it.
        let to = if joins_next_line(edit, from, to) { line_end(bytes, to + 1)? } else { to };
        let near = match found.last() {
            Some(last) => lines_between(bytes, last.to, from)? <= CONTEXT * 2,
            None => false,
        };
        match found.last_mut().filter(|_| near) {
            Some(last) => {
                last.to = last.to.max(to);
                last.edits.push(edit.clone());
            }
            None => found.push(EditedLines { from, to, edits: vec![edit.clone()] }),
        }
    }
    Ok(found)
}

fn joins_next_line(edit: &Edit, from: u64, to: u64) -> bool {
    let is_whole = edit.at.start == from && edit.with.is_empty();
    let ends = matches!(edit.with.last(), Some(ReplacementPart::Text(text)) if text.ends_with(b"\n"));
    edit.at.len > 0 && edit.at.end() == to && !is_whole && !ends
}

fn read(bytes: &dyn ReadAt, from: u64, to: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    bytes.read_into(from, (to - from) as usize, &mut text)?;
    Ok(text)
}

/// The patched text of a range.
fn patched(id: DocId, bytes: &dyn ReadAt, range: &EditedLines) -> io::Result<Vec<u8>> {
    let pieces = Pieces::new(&range.edits, id, range.to);
    let mut out = Vec::new();
    // There are no edits before the range, so its offset is unchanged.
    pieces.walk(range.from, pieces.len(), |piece| append_piece(bytes, piece, &mut out))?;
    Ok(out)
}

/// The start of the line that contains an offset.
fn line_start(bytes: &dyn ReadAt, offset: u64) -> io::Result<u64> {
    let mut buf = vec![0; 64 << 10];
    let mut at = offset;
    while at > 0 {
        let step = at.min(buf.len() as u64);
        let part = buf.split_at_mut(step as usize).0;
        bytes.read_at(at - step, part)?;
        if let Some(end) = memchr::memrchr(b'\n', part) {
            return Ok(at - step + end as u64 + 1);
        }
        at -= step;
    }
    Ok(0)
}

/// The end of the line that contains the byte before an offset, after its line feed.
fn line_end(bytes: &dyn ReadAt, offset: u64) -> io::Result<u64> {
    let mut buf = vec![0; 64 << 10];
    let mut at = offset.saturating_sub(1);
    while at < bytes.len() {
        let n = bytes.read_at(at, &mut buf)?;
        if let Some(end) = memchr::memchr(b'\n', buf.get(..n).unwrap_or(&buf)) {
            return Ok(at + end as u64 + 1);
        }
        if n == 0 {
            break;
        }
        at += n as u64;
    }
    Ok(bytes.len())
}

/// The number of whole lines between two offsets, up to one more than merging requires.
fn lines_between(bytes: &dyn ReadAt, from: u64, to: u64) -> io::Result<usize> {
    if from >= to {
        return Ok(0);
    }
    let mut at = from;
    for n in 0..=CONTEXT * 2 {
        if at >= to {
            return Ok(n);
        }
        at = line_end(bytes, at + 1)?;
    }
    Ok(CONTEXT * 2 + 1)
}

fn context_before(bytes: &dyn ReadAt, from: u64) -> io::Result<Vec<u8>> {
    let mut start = from;
    for _ in 0..CONTEXT {
        if start == 0 {
            break;
        }
        start = line_start(bytes, start - 1)?;
    }
    read(bytes, start, from)
}

fn context_after(bytes: &dyn ReadAt, to: u64) -> io::Result<Vec<u8>> {
    let mut end = to;
    for _ in 0..CONTEXT {
        if end >= bytes.len() {
            break;
        }
        end = line_end(bytes, end + 1)?;
    }
    read(bytes, to, end)
}

/// Line numbers, counted forward.
struct LineCounter<'r> {
    bytes: &'r dyn ReadAt,
    at: u64,
    line: u64,
}

impl LineCounter<'_> {
    fn line_of(&mut self, offset: u64) -> io::Result<u64> {
        let mut buf = vec![0; 1 << 20];
        while self.at < offset {
            let want = (offset - self.at).min(buf.len() as u64) as usize;
            let n = self.bytes.read_at(self.at, buf.split_at_mut(want).0)?;
            if n == 0 {
                break;
            }
            self.line += memchr::memchr_iter(b'\n', buf.get(..n).unwrap_or(&buf)).count() as u64;
            self.at += n as u64;
        }
        Ok(self.line)
    }
}

fn split_lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|b| *b == b'\n').collect()
}

/// Writes a hunk; returns the number of lines by which the new text is longer.
fn write_hunk(
    before: &[u8],
    old: &[u8],
    new: &[u8],
    after: &[u8],
    first: u64,
    shift: i64,
    out: &mut dyn Write,
) -> io::Result<i64> {
    let (mut before, mut old, mut new, mut after) =
        (split_lines(before), split_lines(old), split_lines(new), split_lines(after));
    // Unchanged lines of a range are context.
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    before.extend(old.drain(..same));
    new.drain(..same);
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let tail: Vec<&[u8]> = old.split_off(old.len() - same);
    new.truncate(new.len() - same);
    after.splice(0..0, tail);
    if old.is_empty() && new.is_empty() {
        return Ok(0);
    }
    let cut = before.len().saturating_sub(CONTEXT);
    before.drain(..cut);
    after.truncate(CONTEXT);
    let start = first + cut as u64;
    let (old_count, new_count) = (before.len() + old.len() + after.len(), before.len() + new.len() + after.len());
    // A hunk without lines on one side names the line before it.
    let number = |count: usize, start: i64| if count == 0 { start - 1 } else { start };
    writeln!(
        out,
        "@@ -{},{old_count} +{},{new_count} @@",
        number(old_count, start as i64),
        number(new_count, start as i64 + shift)
    )?;
    for (sign, lines) in [(b" ", &before), (b"-", &old), (b"+", &new), (b" ", &after)] {
        for line in lines {
            out.write_all(sign)?;
            out.write_all(line)?;
            if !line.ends_with(b"\n") {
                out.write_all(b"\n\\ No newline at end of file\n")?;
            }
        }
    }
    Ok(new.len() as i64 - old.len() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::{Patch, Place};

    fn patch_of(text: &str, edits: Vec<Edit>) -> String {
        let mut patch = Patch::default();
        assert!(patch.add(edits).is_empty());
        let mut out = Vec::new();
        write("f.jsonl", DocId(0), &text.as_bytes().to_vec(), patch.edits(DocId(0)), &mut out).expect("written");
        String::from_utf8(out).expect("UTF-8")
    }

    fn place(start: u64, len: u32) -> Place {
        Place::new(DocId(0), start, len)
    }

    #[test]
    fn a_removed_line_and_an_inserted_one() {
        let text = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n";
        let patch = patch_of(text, vec![Edit::remove(place(2, 2)), Edit::replace(place(20, 0), "J\n")]);
        assert_eq!(
            patch,
            "--- a/f.jsonl\n+++ b/f.jsonl\n@@ -1,5 +1,4 @@\n a\n-b\n c\n d\n e\n@@ -8,4 +7,5 @@\n h\n i\n j\n+J\n k\n"
        );
    }

    #[test]
    fn a_missing_last_newline_is_marked() {
        let patch = patch_of("a\nb", vec![Edit::replace(place(2, 1), "c")]);
        assert!(
            patch.ends_with(" a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"),
            "{patch}"
        );
        let patch = patch_of("a\nb", vec![Edit::replace(place(3, 0), "\nc")]);
        assert!(
            patch.ends_with(" a\n-b\n\\ No newline at end of file\n+b\n+c\n\\ No newline at end of file\n"),
            "{patch}"
        );
    }
}
