//! How the records of a doc are framed, and where in a line one begins.

/// How the records of a doc are framed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Container {
    /// Nothing but white space.
    Empty,
    /// One JSON value, from `start` (after a byte-order mark).
    Document { start: u64 },
    /// A JSON value a line.
    Lines { start: u64 },
    /// A stream of server-sent events: a JSON value after each `data:`.
    Events { start: u64 },
    /// UTF-16 text, in this byte order.
    Utf16 { little: bool },
    /// Text that starts like no JSON array or object, and holds no lines of JSON.
    Text,
    /// Bytes that are no text.
    Binary,
}

impl Container {
    /// Length of the byte-order mark that the doc starts with.
    pub fn mark(self) -> u64 {
        match self {
            Container::Document { start } | Container::Lines { start } | Container::Events { start } => start,
            _ => 0,
        }
    }

    /// Where the record begins in a line; `None` if the line of a stream holds none.
    pub fn record_in(self, line: &[u8]) -> Option<usize> {
        match self {
            Container::Events { .. } => event(line),
            _ => Some(0),
        }
    }

    /// The length of the event whose value begins here, without the end of its last line, if the next line may go on
    /// with it.
    pub fn event_in(self, text: &[u8]) -> Option<usize> {
        if matches!(self, Container::Events { .. }) { lines_of_event(text) } else { None }
    }
}

/// The length of the lines of an event from where its value begins; `None` if it has only one.
pub fn lines_of_event(text: &[u8]) -> Option<usize> {
    let first = memchr::memchr(b'\n', text)?;
    let mut end = first;
    while let Some(rest) = text.get(end + 1..).filter(|rest| rest.starts_with(b"data:")) {
        end += 1 + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }
    (end > first).then_some(end)
}

/// Where the JSON value begins in a line of a stream of events; `None` if the line holds none: a comment, the name of
/// the event, or the word that ends some streams.
pub fn event(line: &[u8]) -> Option<usize> {
    let data = line.strip_prefix(b"data:")?;
    let data = data.strip_prefix(b" ").unwrap_or(data);
    let value = data.trim_ascii_start();
    let empty = value.is_empty() || data.starts_with(b"\n") || value.starts_with(b"[DONE]");
    (!empty).then_some(line.len() - data.len())
}
