//! `serve`: a worker for programs in other languages. One request a line in, one answer a line out, in order. Nothing is
//! kept from one request to the next, and no file is opened.

mod methods;
mod rejection;
mod request;

use std::io::{self, BufRead, BufReader, Read, Write};

use crate::json::ScratchBuffers;
use crate::options::UsageError;
use crate::source::bug;

use super::{Failure, Outcome};

use rejection::Rejection;
use request::{NO_ID, Request};

/// Bytes that are read from the input at once.
const READ: usize = 1 << 16;
/// Larger buffers are freed after the request that needed them.
const KEPT: usize = 1 << 20;

/// Answers the requests of the input until it ends, or until the reader of the answers has gone. A request has at most
/// `max_size` bytes.
pub fn serve(input: &mut dyn Read, max_size: usize, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let mut input = BufReader::with_capacity(READ, input);
    let (mut line, mut answered) = (Vec::new(), Vec::new());
    let mut is_first = true;
    loop {
        line.clear();
        line.shrink_to(KEPT);
        answered.clear();
        answered.shrink_to(KEPT);
        let read = read_line(&mut input, max_size, &mut line)
            .map_err(|error| UsageError::new(format!("standard input: {error}")))?;
        match read {
            LineRead::End => return Ok(Outcome::Clean),
            LineRead::TooLong => Rejection::too_large(max_size).write(NO_ID, &mut answered),
            LineRead::Whole => {
                let text = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first).unwrap_or(&line);
                if text.trim_ascii().is_empty() {
                    is_first = false;
                    continue;
                }
                answer(text, &mut answered);
            }
        }
        is_first = false;
        // An answer is never held back while the next request is waited for.
        let more = memchr::memchr(b'\n', input.buffer()).is_some();
        let sent = out.write_all(&answered).and_then(|()| if more { Ok(()) } else { out.flush() });
        match sent.map_err(Failure::from) {
            Err(failure) if failure.is_broken_pipe() => return Ok(Outcome::Clean),
            sent => sent?,
        }
    }
}

/// Some programs begin a stream of text with it.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// Appends the answer to a request, and a line feed. A panic is an answer, too.
pub fn answer(line: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    let mut scratch = ScratchBuffers::acquire();
    let (id, done) = match Request::parse(line, &mut scratch.tape) {
        // Without an id that can be read, the answer has none.
        Err(rejection) => (NO_ID, Err(rejection)),
        Ok(request) => {
            let done = bug::catch_panic(|| methods::run(&request, out));
            (request.id, done.unwrap_or_else(|bug| Err(Rejection::internal(&bug))))
        }
    };
    if let Err(rejection) = done {
        out.truncate(start);
        rejection.write(id, out);
    }
}

enum LineRead {
    Whole,
    /// It was read to its end, and is not kept.
    TooLong,
    End,
}

/// Reads a line without its line feed. The last one may have none.
fn read_line(input: &mut impl BufRead, max_size: usize, line: &mut Vec<u8>) -> io::Result<LineRead> {
    let (mut is_too_long, mut has_begun) = (false, false);
    loop {
        let bytes = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            bytes => bytes?,
        };
        let end = memchr::memchr(b'\n', bytes);
        let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
        let (used, is_done) = (part.len() + usize::from(end.is_some()), end.is_some() || bytes.is_empty());
        has_begun |= used > 0;
        is_too_long |= part.len() > max_size - line.len();
        match is_too_long {
            true => line.clear(),
            false => line.extend_from_slice(part),
        }
        input.consume(used);
        if is_done {
            return Ok(match (has_begun, is_too_long) {
                (false, _) => LineRead::End,
                (true, true) => LineRead::TooLong,
                (true, false) => LineRead::Whole,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines are the same however the input comes in pieces, and a line that is too long costs no memory.
    #[test]
    fn lines_are_read_in_pieces_of_any_size() {
        let text = b"one\n\n0123456789\nlast";
        for size in 1..text.len() {
            let mut input = BufReader::with_capacity(size, &text[..]);
            let mut read = Vec::new();
            loop {
                let mut line = Vec::new();
                match read_line(&mut input, 8, &mut line).unwrap() {
                    LineRead::End => break,
                    LineRead::TooLong => read.push("(too long)".to_owned()),
                    LineRead::Whole => read.push(String::from_utf8(line).unwrap()),
                }
            }
            assert_eq!(read, ["one", "", "(too long)", "last"], "{size}");
        }
    }
}
