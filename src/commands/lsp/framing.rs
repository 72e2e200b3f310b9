//! Messages in the input: headers, and a body of a given length. After a body that is not a message, the
//! next message can be read; after a broken header, nothing can, so these are different errors.

use std::io::{self, BufRead, Read};

use lsp_server::Message;

/// The largest body, in bytes. It holds the whole text of a file.
const MAX_BODY: u64 = 1 << 30;
/// The longest header, in bytes.
const MAX_HEADER: u64 = 4096;

/// What was read from the input.
pub enum Incoming {
    Message(Message),
    /// The body is no message, or larger than one may be.
    Malformed,
    /// The input has ended.
    End,
    /// The input is not in the form of the protocol, or cannot be read.
    Broken,
}

/// Reads the next message.
pub fn read(input: &mut impl BufRead) -> Incoming {
    match read_message(input) {
        Ok(incoming) => incoming,
        Err(_) => Incoming::Broken,
    }
}

fn read_message(input: &mut impl BufRead) -> io::Result<Incoming> {
    let Some(len) = read_length(input)? else { return Ok(Incoming::End) };
    if len > MAX_BODY {
        io::copy(&mut input.take(len), &mut io::sink())?;
        return Ok(Incoming::Malformed);
    }
    // The length is what the client says: the memory is that of what comes.
    let mut body = Vec::new();
    input.take(len).read_to_end(&mut body)?;
    if (body.len() as u64) < len {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(serde_json::from_slice(&body).map_or(Incoming::Malformed, Incoming::Message))
}

/// The length that the headers of a message give; `None` at the end of the input.
fn read_length(input: &mut impl BufRead) -> io::Result<Option<u64>> {
    let (mut len, mut has_begun) = (None, false);
    loop {
        let mut line = Vec::new();
        input.take(MAX_HEADER).read_until(b'\n', &mut line)?;
        let Some(text) = line.strip_suffix(b"\n") else {
            return if line.is_empty() && !has_begun { Ok(None) } else { Err(io::ErrorKind::InvalidData.into()) };
        };
        let text = std::str::from_utf8(text).map_err(io::Error::other)?.trim_end_matches('\r');
        if text.is_empty() {
            return len.map(Some).ok_or_else(|| io::ErrorKind::InvalidData.into());
        }
        has_begun = true;
        let (name, value) = text.split_once(':').ok_or(io::ErrorKind::InvalidData)?;
        if name.eq_ignore_ascii_case("Content-Length") {
            len = Some(value.trim().parse().map_err(io::Error::other)?);
        }
    }
}
