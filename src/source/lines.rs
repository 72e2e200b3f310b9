//! Reading lines in chunks, so that several threads can work on one file. A line belongs to the chunk in which it
//! starts; a buffer grows only to the longest line.

use std::io;

use crate::place::{DocId, Place};

use super::bytes::read::ReadAt;

/// Bytes that one thread reads at a time.
pub const CHUNK: u64 = 2 << 20;

/// The lines of one chunk.
#[derive(Debug)]
pub struct LineChunk<'b> {
    /// Offset in the doc of the first byte.
    pub start: u64,
    /// Whole lines, with their ends.
    pub bytes: &'b [u8],
    /// Start of the last line, if that is longer than the limit and was not read.
    pub too_long: Option<u64>,
}

/// Number of chunks of a doc whose text starts at `start`.
pub fn chunk_count(len: u64, start: u64) -> usize {
    usize::try_from((len - start.min(len)).div_ceil(CHUNK)).unwrap_or(usize::MAX)
}

/// Reads the lines that start in chunk `n` of a doc whose text starts at `start`.
pub fn read_chunk<'b>(
    doc: &'b dyn ReadAt,
    start: u64,
    n: usize,
    limit: u64,
    buf: &'b mut Vec<u8>,
) -> io::Result<LineChunk<'b>> {
    let from = start + n as u64 * CHUNK;
    // One byte back: if it ends a line, the chunk's first byte starts one.
    read_span(doc, (from, from + CHUNK), u64::from(n > 0), limit, buf)
}

/// Reads the first lines of a doc whose text starts at `start`: those of the first chunk, and more if these are few, so that a
/// format is not recognised by one long line.
pub fn read_sample<'b>(
    doc: &'b dyn ReadAt,
    start: u64,
    limit: u64,
    buf: &'b mut Vec<u8>,
) -> io::Result<LineChunk<'b>> {
    let most = doc.len().min(start + MOST_SAMPLED);
    let (mut to, mut ended) = (start, 0);
    while to < most && ended < SAMPLED_LINES {
        let len = SAMPLE_STEP.min(most - to) as usize;
        ended += memchr::memchr_iter(b'\n', doc.borrow_or_read(to, len, buf)?).count();
        to += len as u64;
    }
    read_span(doc, (start, to.max(start + CHUNK)), 0, limit, buf)
}

/// Number of lines by which a format is recognised.
pub const SAMPLED_LINES: usize = 16;
/// No more bytes are read for them.
const MOST_SAMPLED: u64 = 32 << 20;
/// So many bytes at a time are searched for the ends of lines.
const SAMPLE_STEP: u64 = 64 << 10;

/// Reads the lines that start in a part of a doc, which begins so many bytes after the end of the line before.
fn read_span<'b>(
    doc: &'b dyn ReadAt,
    (from, to): (u64, u64),
    back: u64,
    limit: u64,
    buf: &'b mut Vec<u8>,
) -> io::Result<LineChunk<'b>> {
    let to = to.min(doc.len());
    if let Some(bytes) = doc.in_memory() {
        return Ok(in_memory(bytes, from, to, back, limit));
    }
    doc.read_into(from - back, (to - from + back) as usize, buf)?;
    let skip = if back == 0 {
        0
    } else {
        match memchr::memchr(b'\n', buf) {
            Some(end) => end + 1,
            None => buf.len(),
        }
    };
    let first = from - back + skip as u64;
    if first >= to {
        return Ok(LineChunk { start: to, bytes: &[], too_long: None });
    }
    let mut too_long = None;
    if buf.last() != Some(&b'\n') && to < doc.len() {
        let last = memchr::memrchr(b'\n', buf.split_at(skip).1).map_or(skip, |n| skip + n + 1);
        if !read_to_line_end(doc, from - back, last, limit, buf)? {
            buf.truncate(last);
            too_long = Some(from - back + last as u64);
        }
    }
    Ok(LineChunk { start: first, bytes: buf.split_at(skip).1, too_long })
}

/// The same for bytes in memory.
fn in_memory(bytes: &[u8], from: u64, to: u64, back: u64, limit: u64) -> LineChunk<'_> {
    let nothing = LineChunk { start: to, bytes: &[], too_long: None };
    let (Ok(before), Ok(end)) = (usize::try_from(from - back), usize::try_from(to)) else { return nothing };
    let line_end = |at: usize| memchr::memchr(b'\n', bytes.get(at..)?).map(|n| at + n + 1);
    let first = if back == 0 { before } else { line_end(before).unwrap_or(end) };
    let Some(within) = bytes.get(first..end).filter(|within| !within.is_empty()) else { return nothing };
    let start = first as u64;
    if within.ends_with(b"\n") || end == bytes.len() {
        return LineChunk { start, bytes: within, too_long: None };
    }
    let last = memchr::memrchr(b'\n', within).map_or(first, |n| first + n + 1);
    let (whole, most) = match line_end(end) {
        Some(line_end) => (line_end, limit.saturating_add(1)),
        None => (bytes.len(), limit),
    };
    let rest = bytes.split_at(first).1;
    match (whole - last) as u64 <= most {
        true => LineChunk { start, bytes: rest.split_at(whole - first).0, too_long: None },
        false => LineChunk { start, bytes: rest.split_at(last - first).0, too_long: Some(last as u64) },
    }
}

/// The end of a longer line is located before the line is read.
const LONG: usize = 16 << 20;

/// Reads to the end of the line that starts at `last` in `buf`. `false` if it is longer than the limit.
fn read_to_line_end(doc: &dyn ReadAt, base: u64, last: usize, limit: u64, buf: &mut Vec<u8>) -> io::Result<bool> {
    let mut step = 64 << 10;
    loop {
        let have = buf.len();
        let at = base + have as u64;
        let known = (have - last) as u64;
        if known > limit {
            return Ok(false);
        }
        if at >= doc.len() {
            return Ok(true);
        }
        if have - last > LONG {
            let Some(end) = line_end(doc, at, limit + 1 - known)? else { return Ok(false) };
            return doc.append_from(at, (end - at) as usize, buf).map(|()| true);
        }
        let want = step.min((doc.len() - at) as usize);
        doc.append_from(at, want, buf)?;
        if let Some(end) = memchr::memchr(b'\n', buf.split_at(have).1) {
            buf.truncate(have + end + 1);
            return Ok((buf.len() - last) as u64 <= limit + 1);
        }
        step = (step * 2).min(64 << 20);
    }
}

/// The end of the line that contains an offset, or of the doc; `None` if it is not within the next `most` bytes.
fn line_end(doc: &dyn ReadAt, from: u64, most: u64) -> io::Result<Option<u64>> {
    let mut buf = vec![0; SHORT];
    let mut at = from;
    while at - from < most {
        let len = (most - (at - from)).min(buf.len() as u64);
        let part = buf.split_at_mut(len as usize).0;
        let n = doc.read_at(at, part)?;
        if let Some(end) = memchr::memchr(b'\n', part.split_at(n).0) {
            return Ok(Some(at + end as u64 + 1));
        }
        at += n as u64;
        if n < part.len() {
            return Ok(Some(at));
        }
        grow(&mut buf);
    }
    Ok(None)
}

/// Initial buffer size: most lines are short, and there are many requests.
const SHORT: usize = 1 << 10;

fn grow(buf: &mut Vec<u8>) {
    buf.resize((buf.len() * 4).min(1 << 20), 0);
}

/// Length of the first line, without its end.
pub fn line_len(text: &[u8]) -> usize {
    memchr::memchr(b'\n', text).unwrap_or(text.len())
}

/// Splits whole lines: `(offset in the bytes, line without its end)`.
pub fn split(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let start = at;
        let end = line_len(rest);
        at += end + 1;
        Some((start, rest.split_at(end).0))
    })
}

/// The line that contains an offset, with its line end. `start` is where the doc's text starts.
pub fn line_at(doc: &dyn ReadAt, id: DocId, start: u64, offset: u64) -> io::Result<Place> {
    let mut buf = vec![0; SHORT];
    let mut from = offset;
    while from > start {
        let step = (from - start).min(buf.len() as u64);
        let part = buf.split_at_mut(step as usize).0;
        doc.read_at(from - step, part)?;
        if let Some(end) = memchr::memrchr(b'\n', part) {
            from = from - step + end as u64 + 1;
            break;
        }
        from -= step;
        grow(&mut buf);
    }
    let end = doc.len().max(offset);
    let to = line_end(doc, offset, end - offset)?.unwrap_or(end);
    Ok(Place::new(id, from, u32::try_from(to - from).unwrap_or(u32::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_in_the_chunk_where_it_starts() -> io::Result<()> {
        let mut text = Vec::new();
        for n in 0..3000usize {
            text.extend(std::iter::repeat_n(b'a' + (n % 26) as u8, n * 7 % 5000));
            text.push(b'\n');
        }
        text.extend(std::iter::repeat_n(b'z', 5 << 20));
        let expected: Vec<Vec<u8>> = text.split(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
        let mut seen = Vec::new();
        let mut buf = Vec::new();
        for n in 0..chunk_count(text.len() as u64, 0) {
            let lines = read_chunk(&text, 0, n, u64::MAX / 2, &mut buf)?;
            for (at, line) in split(lines.bytes) {
                assert_eq!(&text[lines.start as usize + at..][..line.len()], line);
                seen.push(line.to_vec());
            }
        }
        assert_eq!(seen, expected);
        Ok(())
    }

    #[test]
    fn a_line_over_the_limit_is_named_and_skipped() -> io::Result<()> {
        let mut text = b"short\n".to_vec();
        text.extend(std::iter::repeat_n(b'x', 5 << 20));
        text.extend(b"\nlast\n");
        let mut buf = Vec::new();
        let mut seen = Vec::new();
        let mut long = Vec::new();
        for n in 0..chunk_count(text.len() as u64, 0) {
            let lines = read_chunk(&text, 0, n, 3 << 20, &mut buf)?;
            long.extend(lines.too_long);
            seen.extend(split(lines.bytes).map(|(_, line)| line.to_vec()));
        }
        assert_eq!(seen, [b"short".to_vec(), b"last".to_vec()]);
        assert_eq!(long, [6]);
        Ok(())
    }
}
