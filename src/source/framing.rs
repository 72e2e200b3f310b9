//! Detection of a doc's framing: one JSON document, lines of JSON, or neither. It is decided by the first bytes,
//! not by the name: pretty-printed JSON fails a test of "the first line parses", and a document on one line passes
//! it.

use std::io;

use crate::json::{self, FaultKind, Tape};

use super::bytes::hints::ByteHints;
use super::bytes::read::ReadAt;
use super::container::{Container, event_value_start};
use super::damage::{self, RecoveredPart};

/// A document up to this size is read and scanned at once; a larger one element by element.
pub const MAX_WHOLE_DOCUMENT: u64 = 8 << 20;

/// True for a document of several lines.
pub fn is_multiline_document(bytes: &dyn ReadAt) -> io::Result<bool> {
    let Container::Document { start } = sniff(bytes)? else { return Ok(false) };
    has_second_line(bytes, start, false)
}

/// A text, and for each of its runs the offset in it and in the doc.
pub type JoinedEvent = (Vec<u8>, Vec<(u32, u64)>);

/// Joins the lines of an event, all but the first of which begin with `data:`. `start` is the offset of the text
/// in the doc. `None` for a single line, or if a line does not begin so.
pub fn join_event_lines(text: &[u8], start: u64) -> Option<JoinedEvent> {
    let (mut plain, mut runs) = (Vec::with_capacity(text.len()), Vec::new());
    for (n, (at, line)) in super::lines::split(text).enumerate() {
        let own = if n > 0 { line.strip_prefix(b"data:")? } else { line };
        runs.push((plain.len() as u32, start + (at + line.len() - own.len()) as u64));
        plain.extend_from_slice(own);
        plain.push(b'\n');
    }
    (runs.len() > 1).then_some((plain, runs))
}

/// Offset of the value in a line: 0 except in a stream of events.
pub fn value_offset(line: &[u8]) -> usize {
    event_value_start(line).unwrap_or(0)
}

/// True if the text begins like an event stream and contains a JSON event.
fn is_event_stream(text: &[u8]) -> bool {
    const FIELDS: [&[u8]; 5] = [b"data:", b"event:", b"id:", b"retry:", b":"];
    FIELDS.iter().any(|field| text.starts_with(field))
        && text
            .split(|b| *b == b'\n')
            .any(|line| event_value_start(line).and_then(|at| line.get(at)) == Some(&b'{'))
}

/// Detects the framing of a doc.
pub fn sniff(bytes: &dyn ReadAt) -> io::Result<Container> {
    Ok(sniff_into(bytes, &mut Tape::new())?.0)
}

/// Detects the framing of a doc; true if it is a document that was scanned as a whole, of which this is the tape.
pub fn sniff_into(bytes: &dyn ReadAt, tape: &mut Tape) -> io::Result<(Container, bool)> {
    match bytes.hints() {
        Some(ByteHints::Lines { .. }) => return Ok((Container::Lines { start: 0 }, false)),
        Some(ByteHints::Unread(_)) => return Ok((Container::Binary, false)),
        None => {}
    }
    let mut buf = Vec::new();
    let mut want = HEAD.min(bytes.len());
    if let Some(text) = bytes.in_memory()
        && is_value_on_one_line(text.get(..want as usize).unwrap_or(text))
    {
        want = MAX_WHOLE_DOCUMENT.min(bytes.len());
    }
    loop {
        let head = match bytes.in_memory().and_then(|text| text.get(..want as usize)) {
            Some(head) => head,
            None => {
                // What was read before is not read again.
                let have = buf.len();
                bytes.append_from(have as u64, want as usize - have, &mut buf)?;
                &buf
            }
        };
        let whole = want == bytes.len();
        if let Some(found) = sniff_head(head, whole, tape) {
            return Ok(found);
        }
        if whole {
            return Ok((Container::Document { start: bom_len(head) as u64 }, false));
        }
        if want >= MAX_WHOLE_DOCUMENT {
            return Ok((sniff_long_value(bytes, head)?, false));
        }
        want = MAX_WHOLE_DOCUMENT.min(bytes.len());
    }
}

/// This much is enough for most docs.
const HEAD: u64 = 256 << 10;

/// True for the head of a text that is on one line and begins a value: what follows decides, so that scanning the head by itself
/// would be for nothing.
fn is_value_on_one_line(head: &[u8]) -> bool {
    matches!(head, [b'{' | b'[', b'"' | b'{' | b'[', ..]) && memchr::memchr(b'\n', head).is_none()
}

fn bom_len(head: &[u8]) -> usize {
    if head.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 }
}

/// `None` if more bytes are needed. True if the head is a document, of which this is the tape.
fn sniff_head(head: &[u8], whole: bool, tape: &mut Tape) -> Option<(Container, bool)> {
    let found = |container| Some((container, false));
    if let [a, b, ..] = head {
        match (a, b) {
            (0xff, 0xfe) => return found(Container::Utf16 { little: true }),
            (0xfe, 0xff) => return found(Container::Utf16 { little: false }),
            // NUL bytes before plain text are damage.
            (0, b'{' | b'[') if head.get(2).is_none_or(|c| *c == 0) => {
                return found(Container::Utf16 { little: false });
            }
            (b'{' | b'[', 0) => return found(Container::Utf16 { little: true }),
            _ => {}
        }
    }
    let start = bom_len(head);
    let text = head.split_at(start).1;
    let value = text.trim_ascii_start();
    let Some(first) = value.first() else {
        return whole.then_some((Container::Empty, false));
    };
    let start = start as u64;
    if !is_text(text) {
        return found(Container::Binary);
    }
    if is_event_stream(value) {
        return found(Container::Events { start });
    }
    let lines = found(Container::Lines { start });
    let json = matches!(first, b'{' | b'[' | 0);
    let document = found(if json { Container::Document { start } } else { Container::Text });
    match json::scan_prefix(text, tape) {
        Ok(end) => match json::scan::first_non_space(text, end as usize) {
            None if whole => document.map(|(container, _)| (container, json)),
            None => None,
            // Another value follows the first: lines, even if two values share one.
            Some(_) if json => lines,
            Some(_) => has_json_lines(text, tape).and_then(|several| if several { lines } else { document }),
        },
        Err(fault) => match has_json_lines(text, tape) {
            Some(true) => lines,
            Some(false) if whole || fault.kind != FaultKind::EndsEarly => document,
            None if whole => document,
            _ => None,
        },
    }
}

/// True for text. Control characters below the tab mean binary data, except runs of NUL in a log (left by a
/// crashed machine) and a few in strings (left by a careless writer).
fn is_text(text: &[u8]) -> bool {
    let sample = text.get(..4096).unwrap_or(text);
    let end = sample.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1);
    let sample = sample.split_at(end).0;
    // Without a branch, which takes a tenth of counting.
    if sample.iter().fold(0, |any, b| any | u8::from(*b < b'\t')) == 0 {
        return !sample.is_empty();
    }
    let control = sample.iter().filter(|b| **b < b'\t').count();
    let space = |b: &&u8| b.is_ascii_whitespace() || **b == 0;
    let mut begins = text.iter().skip_while(space);
    let is_json = match (begins.next(), begins.find(|b| !b.is_ascii_whitespace())) {
        (Some(b'{'), next) => matches!(next, Some(b'"' | b'}')),
        (Some(b'['), next) => matches!(next, Some(b'{' | b'[' | b'"' | b']')),
        _ => false,
    };
    let nul = sample.iter().filter(|b| **b == 0).count();
    is_json && (control - nul) * 16 < sample.len()
}

/// True if the first few lines are values by themselves; `None` without a whole line.
fn has_json_lines(text: &[u8], tape: &mut Tape) -> Option<bool> {
    let (mut good, mut recovered) = (0, 0);
    let mut seen = 0;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|_| seen < 50)
        && let Some(end) = memchr::memchr(b'\n', rest)
    {
        let (from, line) = (at, rest.split_at(end).0.trim_ascii());
        at += end + 1;
        if line.is_empty() {
            continue;
        }
        seen += 1;
        // A bare bracket or number on a line is part of a pretty-printed document.
        if line.starts_with(b"{") && json::scan(line, tape).is_ok() {
            good += 1;
        } else if line.starts_with(b"{\"") || line.starts_with(&[0]) {
            let found = damage::recover(rest, true, &|val| val.is_object());
            recovered += found.parts.iter().filter(|part| matches!(part, RecoveredPart::Value(..))).count();
            seen -= usize::from(found.parts.is_empty());
            at = text.len().min(from + found.len + 1);
        }
    }
    // A pretty-printed array may have short objects on lines of their own, but they end in a comma. One damaged
    // value alone may as well be a damaged document.
    (seen > 0).then_some((good > 0 || recovered > 1) && (good + recovered) * 2 >= seen)
}

/// The framing of a doc whose first value is longer than [`MAX_WHOLE_DOCUMENT`]: lines if text follows the first
/// line, else a document.
fn sniff_long_value(bytes: &dyn ReadAt, head: &[u8]) -> io::Result<Container> {
    let start = bom_len(head) as u64;
    if memchr::memchr(b'\n', head).is_some() {
        return Ok(Container::Document { start });
    }
    match has_second_line(bytes, head.len() as u64, true)? {
        true => Ok(Container::Lines { start }),
        false => Ok(Container::Document { start }),
    }
}

/// True if text follows a line. It is looked for from `at` on, which is in the line if that has `begun`.
fn has_second_line(bytes: &dyn ReadAt, mut at: u64, begun: bool) -> io::Result<bool> {
    let mut search = SecondLine { begun, ended: false };
    if let Some(text) = bytes.in_memory() {
        return Ok(search.is_in(text.get(at as usize..).unwrap_or_default()));
    }
    let mut buf = vec![0; (1 << 20).min(bytes.len().saturating_sub(at) as usize)];
    while at < bytes.len() {
        let n = bytes.read_at(at, &mut buf)?;
        if search.is_in(buf.split_at(n).0) {
            return Ok(true);
        }
        if n == 0 {
            break;
        }
        at += n as u64;
    }
    Ok(false)
}

/// The search for text after a line.
struct SecondLine {
    /// The line has begun, and ended.
    begun: bool,
    ended: bool,
}

impl SecondLine {
    /// True if the text is in this part, which follows the parts before.
    fn is_in(&mut self, mut part: &[u8]) -> bool {
        if !self.begun {
            part = part.trim_ascii_start();
            self.begun = !part.is_empty();
        }
        if !self.ended
            && let Some(end) = memchr::memchr(b'\n', part)
        {
            self.ended = true;
            part = part.split_at(end).1;
        }
        self.ended && part.iter().any(|b| !b.is_ascii_whitespace())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Container {
        sniff(&text.as_bytes().to_vec()).expect("memory reads")
    }

    const DOCUMENT: Container = Container::Document { start: 0 };
    const LINES: Container = Container::Lines { start: 0 };

    #[test]
    fn documents_and_lines_are_told_by_content() {
        assert_eq!(of("{\"a\":1}"), DOCUMENT);
        assert_eq!(of("{\"a\":1}\n"), DOCUMENT);
        assert_eq!(of("[\n  {\"a\":1},\n  {\"a\":2}\n]\n"), DOCUMENT);
        assert_eq!(of("{\n  \"a\": 1\n}\n"), DOCUMENT);
        assert_eq!(of("{\"a\":1}\n{\"a\":2}\n"), LINES);
        assert_eq!(of("{\"a\":1}{\"a\":2}"), LINES);
        assert_eq!(of("{\"a\":\n{\"a\":2}\n{\"b\":3}\n"), LINES);
        assert_eq!(of("{\"a\":1}\n{\"a\":"), LINES);
        assert_eq!(of("{\"a\":"), DOCUMENT);
        assert_eq!(of("{\n  \"a\": NaN,\n  \"b\": 1\n}"), DOCUMENT);
        assert_eq!(of("\u{feff}{\"a\":1}"), Container::Document { start: 3 });
        assert_eq!(of(" \n"), Container::Empty);
        assert_eq!(of(""), Container::Empty);
        assert_eq!(of("Dear diary\n"), Container::Text);
        assert_eq!(of("12 monkeys\n"), Container::Text);
        assert_eq!(of("starting up\n{\"a\":1}\n{\"a\":2}\n"), LINES);
        assert_eq!(of("{\"a\":1}\n\0\0\0\0"), LINES);
        let events = Container::Events { start: 0 };
        assert_eq!(of(": hello\n\nevent: a\ndata: {\"a\":1}\n\ndata: [DONE]\n"), events);
        assert_eq!(of("data:{\"a\":1}"), events);
        assert_eq!(of("id: 5\nname: x\n"), Container::Text);
    }

    #[test]
    fn what_is_no_text_is_named() {
        assert_eq!(sniff(&vec![0xff, 0xfe, b'{', 0]).ok(), Some(Container::Utf16 { little: true }));
        assert_eq!(sniff(&vec![0, b'{', 0, b'}']).ok(), Some(Container::Utf16 { little: false }));
        assert_eq!(sniff(&vec![1, 2, 3, 0]).ok(), Some(Container::Binary));
    }

    #[test]
    fn a_long_first_line_is_a_line_if_more_follows() {
        let long = format!("[{}1]", "1,".repeat(5 << 20));
        assert_eq!(of(&long), DOCUMENT);
        assert_eq!(of(&format!("{long}\n")), DOCUMENT);
        assert_eq!(of(&format!("{long}\n[1]\n")), LINES);
        assert_eq!(of(&format!("\n{long}")), DOCUMENT);
    }
}
