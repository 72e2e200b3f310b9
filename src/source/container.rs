//! The framing of a doc's records, and where in a line a record begins.

/// The framing of a doc's records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Container {
    /// Nothing but white space.
    Empty,
    /// One JSON value, from `start` (after a byte-order mark).
    Document { start: u64 },
    /// JSON Lines: one value per line.
    Lines { start: u64 },
    /// A stream of server-sent events: a JSON value after each `data:`.
    Events { start: u64 },
    /// UTF-16 text, in this byte order.
    Utf16 { little: bool },
    /// Text that does not start like a JSON array or object and contains no lines of JSON.
    Text,
    /// Bytes that are not text.
    Binary,
}

impl Container {
    /// Length in bytes of the byte-order mark at the start of the doc.
    pub fn bom_len(self) -> u64 {
        match self {
            Container::Document { start } | Container::Lines { start } | Container::Events { start } => start,
            _ => 0,
        }
    }

    /// Offset of the record in a line; `None` if the line of a stream contains none.
    pub fn record_start(self, line: &[u8]) -> Option<usize> {
        match self {
            Container::Events { .. } => event_value_start(line),
            _ => Some(0),
        }
    }

    /// Length of the event whose value begins here, without its last line end; `None` unless it continues on the
    /// next line.
    pub fn event_len(self, text: &[u8]) -> Option<usize> {
        if matches!(self, Container::Events { .. }) { multiline_event_len(text) } else { None }
    }
}

/// Length of an event from the start of its value over all its lines; `None` if it has only one line.
pub fn multiline_event_len(text: &[u8]) -> Option<usize> {
    let first = memchr::memchr(b'\n', text)?;
    let mut end = first;
    while let Some(rest) = text.get(end + 1..).filter(|rest| rest.starts_with(b"data:")) {
        end += 1 + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }
    (end > first).then_some(end)
}

/// Offset of the JSON value in a line of an event stream; `None` if there is none: a comment, the name of the
/// event, or the `[DONE]` that ends some streams.
pub fn event_value_start(line: &[u8]) -> Option<usize> {
    let data = line.strip_prefix(b"data:")?;
    let data = data.strip_prefix(b" ").unwrap_or(data);
    let value = data.trim_ascii_start();
    let empty = value.is_empty() || data.starts_with(b"\n") || value.starts_with(b"[DONE]");
    (!empty).then_some(line.len() - data.len())
}
