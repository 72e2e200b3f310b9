//! Damaged text of line stores, and what of it can be read. A line that does not parse may hold two values, a value after
//! one that was cut off, raw control characters within strings (a raw line feed spreads the value over several lines), or
//! runs of NUL bytes. What is found here is where the values lie, what keeps them from being lines of their own, and which
//! edits put that right. It runs only on lines that the scanner refuses.

use std::ops::Range;

use crate::json::{Fault, Tape, Val, What, scan, scan_prefix};

/// A value that is spread over several lines ends within so many bytes and lines.
pub const MOST_JOINED: usize = 4 << 20;
const MOST_LINES: usize = 1000;

/// What is wrong with a stretch of text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// A value begins on the line on which another one ends.
    Glued,
    /// A value that was cut off is on the line before another one.
    Prefix,
    /// A string holds raw control characters.
    Control,
    /// NUL bytes between, before or after values.
    Nul,
}

/// Damage, and the bytes that it is about: for [`Kind::Glued`] where the second value begins, for [`Kind::Control`] the
/// value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    pub kind: Kind,
    pub span: Range<usize>,
    /// Where it shows: the first of the control characters, else where the span begins.
    pub first: usize,
    /// Number of control characters.
    pub count: u32,
}

/// A stretch of the text.
#[derive(Debug)]
pub enum Part {
    /// A value; with its text after the repair, where its own cannot be parsed.
    Value(Range<usize>, Option<Escaped>),
    /// What cannot be read, up to the end of its line, and why.
    Lost(Range<usize>, Fault),
}

/// What a line holds, or the lines over which its values are spread.
#[derive(Debug, Default)]
pub struct Recovered {
    /// Length of the lines, without the last line end.
    pub len: usize,
    pub parts: Vec<Part>,
    pub damages: Vec<Damage>,
    /// The text ends within a string, and more of the document may end it.
    pub starved: bool,
}

/// A text without raw control characters in its strings.
#[derive(Debug, Default)]
pub struct Escaped {
    pub text: Vec<u8>,
    /// Runs of bytes: (offset in the escaped text, offset in the original).
    pub runs: Vec<(u32, u32)>,
    /// Where the control characters are in the original.
    pub controls: Vec<u32>,
    /// Where the value ends in the original.
    end: usize,
}

impl Escaped {
    /// A text that holds one value and nothing else; `None` if that does not make it JSON.
    pub fn of(text: &[u8]) -> Option<Escaped> {
        let escaped = escape(text, true).ok().filter(|escaped| escaped.end == text.len())?;
        scan(&escaped.text, &mut Tape::new()).is_ok().then_some(escaped)
    }

    /// The runs in a document in which the text starts at `start`.
    pub fn runs_from(&self, start: u64) -> Vec<(u32, u64)> {
        self.runs.iter().map(|(escaped, own)| (*escaped, start + u64::from(*own))).collect()
    }

    fn original(&self, at: u32) -> usize {
        let run = self.runs.partition_point(|(from, _)| *from <= at).saturating_sub(1);
        self.runs.get(run).map_or(0, |(from, own)| (own + (at - from)) as usize)
    }
}

/// Reads the damaged lines that a text starts with. `is_end` says that the document ends where the text does, `knows`
/// whether a value is one of the document's: nothing else is looked for after a value that was cut off.
pub fn recover(text: &[u8], is_end: bool, knows: &dyn Fn(Val<'_>) -> bool) -> Recovered {
    Recovery { text, is_end, knows, tape: Tape::new(), found: Recovered::default() }.all()
}

/// The edits that undo damage of the lines that are the text: what is replaced, and by what.
pub fn edits(text: &[u8], damage: &Damage) -> Vec<(Range<usize>, Vec<u8>)> {
    match damage.kind {
        Kind::Glued => {
            let end: &[u8] = if text.ends_with(b"\r\n") { b"\r\n" } else { b"\n" };
            vec![(damage.span.clone(), end.to_vec())]
        }
        Kind::Prefix | Kind::Nul => vec![(damage.span.clone(), Vec::new())],
        Kind::Control => {
            let Ok(escaped) = escape(within(text, damage.span.clone()), true) else { return Vec::new() };
            let edit = |at: &u32| {
                let at = damage.span.start + *at as usize;
                Some((at..at + 1, escape_of(*text.get(at)?)))
            };
            escaped.controls.iter().filter_map(edit).collect()
        }
    }
}

/// A stretch of a text; nothing where there is no such stretch.
fn within(text: &[u8], span: Range<usize>) -> &[u8] {
    text.get(span).unwrap_or_default()
}

struct Recovery<'t> {
    text: &'t [u8],
    is_end: bool,
    knows: &'t dyn Fn(Val<'_>) -> bool,
    tape: Tape,
    found: Recovered,
}

/// Why no value was read.
enum Fails {
    /// The faults: as the text is, and after control characters were escaped.
    At(Fault, Option<usize>),
    Starved,
}

impl Recovery<'_> {
    fn all(mut self) -> Recovered {
        let (mut at, mut line_end) = (0, self.line_end(0));
        let mut value_end: Option<usize> = None;
        loop {
            at = self.skip_space(at, line_end);
            if at == line_end {
                break;
            }
            let nul = run_of_nul(within(self.text, at..line_end));
            if nul > 0 {
                let end = at + nul;
                self.damage(Kind::Nul, at..end);
                at = end;
                continue;
            }
            let (start, value) = match self.value(at, line_end) {
                Ok(value) => (at, value),
                Err(Fails::Starved) => {
                    self.found.starved = true;
                    return self.found;
                }
                Err(Fails::At(fault, second)) => match self.after_prefix(at, line_end, fault, second) {
                    Some(found) => found,
                    None => {
                        self.lose(at, line_end, fault, value_end);
                        break;
                    }
                },
            };
            if value_end.is_some() {
                self.damage(Kind::Glued, at..at);
            }
            if start > at {
                self.damage(Kind::Prefix, at..start);
            }
            at = value.0;
            if let Some(escaped) = &value.1 {
                let first = start + escaped.controls.first().map_or(0, |at| *at as usize);
                let count = escaped.controls.len() as u32;
                self.found.damages.push(Damage { kind: Kind::Control, span: start..at, first, count });
            }
            self.found.parts.push(Part::Value(start..at, value.1));
            value_end = Some(at);
            if at > line_end {
                line_end = self.line_end(at);
            }
        }
        self.found.len = line_end;
        // A line of nothing but NUL bytes goes with its end.
        if let ([], [only]) = (self.found.parts.as_slice(), self.found.damages.as_mut_slice())
            && only.kind == Kind::Nul
        {
            only.span = 0..(line_end + 1).min(self.text.len());
        }
        self.found
    }

    /// The rest of a line cannot be read.
    fn lose(&mut self, at: usize, line_end: usize, fault: Fault, value_end: Option<usize>) {
        if value_end.is_some() && self.text.get(at) != Some(&b'{') {
            // Whatever this is, the values before it are not lines of a store.
            let whole = 0..line_end;
            self.found = Recovered::default();
            self.found.parts.push(Part::Lost(whole, Fault { what: What::TrailingText, at: at as u32 }));
            return;
        }
        if value_end.is_some() {
            self.damage(Kind::Glued, at..at);
        }
        let nul = within(self.text, at..line_end).iter().rev().take_while(|byte| **byte == 0).count();
        let end = line_end - nul;
        // What NUL bytes follow ends where they begin.
        let fault = match scan_prefix(within(self.text, at..end), &mut self.tape) {
            Err(own) if nul > 0 => Fault { at: own.at + at as u32, ..own },
            _ => fault,
        };
        self.found.parts.push(Part::Lost(at..end, fault));
        if nul > 0 {
            self.damage(Kind::Nul, line_end - nul..line_end);
        }
    }

    fn damage(&mut self, kind: Kind, span: Range<usize>) {
        self.found.damages.push(Damage { kind, first: span.start, span, count: 1 });
    }

    fn line_end(&self, at: usize) -> usize {
        memchr::memchr(b'\n', within(self.text, at..self.text.len())).map_or(self.text.len(), |n| at + n)
    }

    fn skip_space(&self, at: usize, end: usize) -> usize {
        at + within(self.text, at..end).iter().take_while(|byte| byte.is_ascii_whitespace()).count()
    }

    /// Where the value that begins at an offset ends, and its text if control characters had to be escaped. Only objects
    /// are looked for: no store has lines of anything else.
    fn value(&mut self, at: usize, line_end: usize) -> Result<(usize, Option<Escaped>), Fails> {
        let line = within(self.text, at..line_end);
        let is_object = line.first() == Some(&b'{');
        let scanned = match is_object {
            true => scan_prefix(line, &mut self.tape),
            false => scan(line, &mut self.tape).map(|()| line.len() as u32),
        };
        let fault = match scanned {
            Ok(end) if is_object => return Ok((at + end as usize, None)),
            Ok(_) => Fault { what: What::NoValue, at: at as u32 },
            Err(fault) => Fault { at: fault.at + at as u32, ..fault },
        };
        if !is_object || !matches!(fault.what, What::ControlCharacter | What::EndsEarly) {
            return Err(Fails::At(fault, None));
        }
        match escape(within(self.text, at..self.text.len()), self.is_end) {
            Ok(escaped) => match scan(&escaped.text, &mut self.tape) {
                Ok(()) => Ok((at + escaped.end, Some(escaped))),
                Err(second) => Err(Fails::At(fault, Some(at + escaped.original(second.at)))),
            },
            Err(Stopped::Starved) => Err(Fails::Starved),
            Err(Stopped::At(second)) => Err(Fails::At(fault, Some(at + second))),
        }
    }

    /// The value that begins where one that was cut off ends. The scanner notices that at once: at the value's first byte,
    /// or two bytes later where its first quote ends a string that was cut.
    fn after_prefix(
        &mut self,
        at: usize,
        line_end: usize,
        fault: Fault,
        second: Option<usize>,
    ) -> Option<(usize, (usize, Option<Escaped>))> {
        if self.text.get(at) != Some(&b'{') {
            return None;
        }
        for near in [fault.at as usize, second.unwrap_or(line_end)] {
            let nul = self.text.get(near..line_end).map_or(0, run_of_nul);
            for start in near.saturating_sub(2).max(at + 1)..(near + nul + 7).min(line_end) {
                if let Some(value) = self.record_at(start, line_end) {
                    return Some((start, value));
                }
            }
        }
        // A value that was cut off where another one may begin swallows the next record: that begins as it does.
        if fault.what != What::EndsEarly {
            return None;
        }
        let first_key = within(self.text, at..line_end).iter().take(80).enumerate();
        let end = first_key.filter(|(_, byte)| **byte == b'"').nth(1)?.0;
        let (token, rest) = (self.text.get(at..at + end + 1)?, self.text.get(at + 1..line_end)?);
        let hits: Vec<usize> = memchr::memmem::find_iter(rest, token).take(16).collect();
        hits.into_iter().find_map(|hit| {
            let start = at + 1 + hit;
            Some((start, self.record_at(start, line_end)?))
        })
    }

    /// The value that begins at an offset, if it is one of the document's and nothing but other values follows on the
    /// line.
    fn record_at(&mut self, start: usize, line_end: usize) -> Option<(usize, Option<Escaped>)> {
        if !within(self.text, start..self.text.len()).starts_with(b"{\"") {
            return None;
        }
        let value = self.value(start, line_end).ok()?;
        let text = value.1.as_ref().map_or(within(self.text, start..value.0), |escaped| &escaped.text);
        let end = if value.0 > line_end { self.line_end(value.0) } else { line_end };
        let next = self.skip_space(value.0, end);
        let ends = next == end || matches!(self.text.get(next), Some(0 | b'{'));
        (ends && self.tape.root(text).is_some_and(|val| (self.knows)(val))).then_some(value)
    }
}

fn run_of_nul(text: &[u8]) -> usize {
    text.iter().take_while(|byte| **byte == 0).count()
}

enum Stopped {
    /// Here the text is no longer JSON, or not within the limits.
    At(usize),
    /// The text ends in a string.
    Starved,
}

/// The object that a text starts with, with its control characters escaped.
fn escape(text: &[u8], is_end: bool) -> Result<Escaped, Stopped> {
    let mut out = Escaped { runs: vec![(0, 0)], ..Escaped::default() };
    let (mut depth, mut in_string, mut lines) = (0usize, false, 0);
    let mut at = 0;
    let mut kept = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' if in_string => {
                in_string = false;
                // Where a string ends too early, in a value that was cut off, no comma or bracket follows.
                let mut rest = text.iter().skip(at + 1);
                let next = rest.find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
                if !matches!(next, None | Some(b',' | b':' | b'}' | b']')) {
                    return Err(Stopped::At(at + 1));
                }
            }
            b'"' => in_string = true,
            // A backslash before a raw control character is no escape, and must not become one.
            b'\\' if in_string && text.get(at + 1).is_some_and(|next| *next < b' ') => {
                return Err(Stopped::At(at));
            }
            b'\\' if in_string => at += 1,
            0..=0x1f if in_string => {
                lines += usize::from(byte == b'\n');
                if byte == b'\n' && (lines == MOST_LINES || at > MOST_JOINED) {
                    return Err(Stopped::At(at));
                }
                out.text.extend_from_slice(within(text, kept..at));
                out.runs.push((out.text.len() as u32, at as u32));
                out.text.extend_from_slice(&escape_of(byte));
                out.controls.push(at as u32);
                kept = at + 1;
                out.runs.push((out.text.len() as u32, kept as u32));
            }
            b'\n' => return Err(Stopped::At(at)),
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    out.end = at + 1;
                    break;
                }
            }
            _ => {}
        }
        at += 1;
    }
    if out.end == 0 {
        let more = in_string && !is_end && at <= MOST_JOINED;
        return Err(if more { Stopped::Starved } else { Stopped::At(text.len()) });
    }
    if out.end > MOST_JOINED && lines > 0 {
        return Err(Stopped::At(out.end));
    }
    out.text.extend_from_slice(within(text, kept..out.end));
    Ok(out)
}

/// How JSON writes a control character.
pub fn escape_of(byte: u8) -> Vec<u8> {
    match byte {
        b'\n' => b"\\n".to_vec(),
        b'\r' => b"\\r".to_vec(),
        b'\t' => b"\\t".to_vec(),
        0x08 => b"\\b".to_vec(),
        0x0c => b"\\f".to_vec(),
        byte => format!("\\u{byte:04x}").into_bytes(),
    }
}
