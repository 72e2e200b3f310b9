//! Values that raw line feeds spread over several lines, where they cross from one chunk into the next: the chunk in which
//! such a value begins reads on, and the next one begins after it.

use std::io;

use crate::place::DocId;
use crate::source::damage::{MOST_JOINED, Part, recover};
use crate::source::{ReadAt, lines};

/// The text of the line that starts at `from`, and of those on which a value may end that begins there. Also says whether
/// the doc ends with it.
pub fn text_from(bytes: &dyn ReadAt, from: u64, buf: &mut Vec<u8>) -> io::Result<bool> {
    let end = from.saturating_add(MOST_JOINED as u64).min(bytes.len());
    let end = if end < bytes.len() { lines::around(bytes, DocId(0), from, end)?.end() } else { end };
    bytes.read_into(from, (end - from) as usize, buf)?;
    Ok(end == bytes.len())
}

/// Where the first line begins that no value from before `at` reaches into. `start` is where the text of the doc begins,
/// and a line begins at `at`.
pub fn first_free(bytes: &dyn ReadAt, start: u64, at: u64) -> io::Result<u64> {
    let from = at.saturating_sub(MOST_JOINED as u64).max(start);
    let mut before = Vec::new();
    bytes.read_into(from, (at - from) as usize, &mut before)?;
    let mut end = before.len();
    while let Some((_, above)) = before.get(..end).and_then(|before| before.split_last()) {
        let line = memchr::memrchr(b'\n', above).map_or(0, |n| n + 1);
        // No value reaches beyond the first quote of a line that begins another one.
        if before.get(line..end).is_some_and(|text| text.trim_ascii_start().starts_with(b"{\""))
            && (line > 0 || from == start)
        {
            let line = from + line as u64;
            let mut text = Vec::new();
            let is_end = text_from(bytes, line, &mut text)?;
            let found = recover(&text, is_end, &|_| false);
            let spread = found.parts.iter().any(|part| matches!(part, Part::Value(_, Some(_))));
            let next = line + found.len as u64;
            return Ok(if spread && next > at { next } else { at });
        }
        end = line;
    }
    Ok(at)
}
