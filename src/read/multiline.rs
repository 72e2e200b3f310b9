//! Values with raw line feeds that cross from one chunk into the next: the chunk in which such a value begins
//! reads on, and the next one begins after it.

use std::io;

use crate::place::DocId;
use crate::source::damage::{MOST_JOINED, RecoveredPart, recover};
use crate::source::{ReadAt, lines};

/// Reads the line at `from`, and the lines on which a value that begins there may end. Returns true if the doc
/// ends with them.
pub fn read_multiline(bytes: &dyn ReadAt, from: u64, buf: &mut Vec<u8>) -> io::Result<bool> {
    let end = from.saturating_add(MOST_JOINED as u64).min(bytes.len());
    let end = if end < bytes.len() { lines::line_at(bytes, DocId(0), from, end)?.end() } else { end };
    bytes.read_into(from, (end - from) as usize, buf)?;
    Ok(end == bytes.len())
}

/// Offset of the first line from `at` on that is not part of a value from before `at`. `start` is where the text
/// of the doc begins, and a line begins at `at`.
pub fn skip_multiline(bytes: &dyn ReadAt, start: u64, at: u64) -> io::Result<u64> {
    let from = at.saturating_sub(MOST_JOINED as u64).max(start);
    let mut before = Vec::new();
    bytes.read_into(from, (at - from) as usize, &mut before)?;
    let mut end = before.len();
    while let Some((_, above)) = before.get(..end).and_then(|before| before.split_last()) {
        let line = memchr::memrchr(b'\n', above).map_or(0, |n| n + 1);
        // No value extends beyond the first quote of a line that begins another one.
        if before.get(line..end).is_some_and(|text| text.trim_ascii_start().starts_with(b"{\""))
            && (line > 0 || from == start)
        {
            let line = from + line as u64;
            let mut text = Vec::new();
            let is_end = read_multiline(bytes, line, &mut text)?;
            let found = recover(&text, is_end, &|_| false);
            let spread = found.parts.iter().any(|part| matches!(part, RecoveredPart::Value(_, Some(_))));
            let next = line + found.len as u64;
            return Ok(if spread && next > at { next } else { at });
        }
        end = line;
    }
    Ok(at)
}
