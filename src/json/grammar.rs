//! The grammar of JSON: one pass over bytes, without recursion, into a [`Tape`].
//!
//! Most bytes of a transcript are in long strings, so strings are skipped 64 bytes at a time: one mask of the
//! bytes that matter (quote, backslash, control character), then only those are looked at. The grammar is written
//! once and compiled for AVX-512, for AVX2 and for machines without either. A differential test and a fuzz target
//! compare them with serde_json and each other.
//!
//! UTF-8 is not validated here; the tape records whether any byte is not ASCII.

use super::block::{BlockSorter, HEX, LANES, below, escaped_bytes};
use super::duplicates::{duplicate_keys, key_hash};
use super::fault::{Fault, FaultKind};
use super::key_words::KeyWords;
use super::names::{KeyName, name};
use super::string;
use super::tape::{Node, NodeKind, Oddity, OpenContainer, Tape};

/// The whole grammar, to be compiled for the instructions of a sorter of blocks.
#[inline(always)]
pub(super) fn grammar<B: BlockSorter>(bytes: &[u8], tape: &mut Tape, one_line: bool) -> Result<u32, Fault> {
    Grammar { bytes, tape, at: 0, one_line, inside: OpenContainer::ROOT, high: 0 }.value::<B>()
}

/// Levels of arrays and objects. Whatever visits values calls itself for each level, and a stack is finite; parsers of
/// providers stop long before.
const MAX_DEPTH: usize = 1024;

/// The state of a scan. All its methods are inlined, so that the compiler can keep it in registers.
struct Grammar<'a> {
    bytes: &'a [u8],
    tape: &'a mut Tape,
    at: usize,
    /// A line feed ends the text.
    one_line: bool,
    /// The innermost open container; those around it are on the tape.
    inside: OpenContainer,
    /// Not 0 if a string may contain a byte above 0x7f.
    high: u64,
}

impl<'a> Grammar<'a> {
    #[inline(always)]
    fn fault<T>(&self, kind: FaultKind, at: usize) -> Result<T, Fault> {
        let kind = if at >= self.bytes.len() { FaultKind::EndsEarly } else { kind };
        Err(Fault { kind, at: at.min(self.bytes.len()) as u32 })
    }

    #[inline(always)]
    fn skip_space(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            if byte > b' ' || !is_space(byte) || byte == b'\n' && self.one_line {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    #[inline(always)]
    fn push(&mut self, start: usize, end: usize, kind: NodeKind, escaped: bool) -> u32 {
        self.push_key(start, end, kind, escaped, (0, KeyName::NONE))
    }

    #[inline(always)]
    fn push_key(&mut self, start: usize, end: usize, kind: NodeKind, escaped: bool, key: (u32, KeyName)) -> u32 {
        let ix = self.tape.nodes.len() as u32;
        let (hash, name) = key;
        self.tape.nodes.push(Node {
            start: start as u32,
            end: end as u32,
            next: ix + 1,
            hash,
            name,
            kind,
            escaped,
        });
        ix
    }

    /// Scans one value with everything in it. Returns its end.
    #[inline(always)]
    fn value<B: BlockSorter>(&mut self) -> Result<u32, Fault> {
        loop {
            let Some(byte) = self.skip_space() else { return self.fault(FaultKind::NoValue, self.at) };
            match byte {
                b'"' => {
                    let start = self.at;
                    let escaped = self.string::<B>()?;
                    self.push(start, self.at, NodeKind::String, escaped);
                }
                b'{' => {
                    self.enter(NodeKind::Object)?;
                    if self.skip_space() == Some(b'}') {
                        self.leave();
                    } else {
                        self.key::<B>()?;
                        continue;
                    }
                }
                b'[' => {
                    self.enter(NodeKind::Array)?;
                    if self.skip_space() == Some(b']') {
                        self.leave();
                    } else {
                        continue;
                    }
                }
                b'-' | b'0'..=b'9' => self.number()?,
                b't' => self.literal(b"true", NodeKind::True)?,
                b'f' => self.literal(b"false", NodeKind::False)?,
                b'n' => self.literal(b"null", NodeKind::Null)?,
                b'N' | b'I' => return self.fault(FaultKind::NotANumber, self.at),
                _ => return self.fault(FaultKind::NoValue, self.at),
            }
            // After a value: more of its container, or the ends of containers, or the end of the root.
            loop {
                if self.inside.node == OpenContainer::ROOT.node {
                    self.tape.ascii = self.high == 0;
                    return Ok(self.at as u32);
                }
                self.inside.count += 1;
                match (self.skip_space(), self.inside.is_object) {
                    (Some(b','), true) => {
                        self.at += 1;
                        self.skip_space();
                        self.key::<B>()?;
                        break;
                    }
                    (Some(b','), false) => {
                        self.at += 1;
                        break;
                    }
                    (Some(b'}'), true) | (Some(b']'), false) => self.leave(),
                    _ => return self.fault(FaultKind::ExpectedCommaOrEnd, self.at),
                }
            }
        }
    }

    #[inline(always)]
    fn enter(&mut self, kind: NodeKind) -> Result<(), Fault> {
        if self.tape.open.len() >= MAX_DEPTH {
            return self.fault(FaultKind::TooDeep, self.at);
        }
        let node = self.push(self.at, self.at, kind, false);
        self.tape.open.push(self.inside);
        self.inside =
            OpenContainer { node, count: 0, keys: 0, is_object: kind == NodeKind::Object, suspect: false };
        self.at += 1;
        Ok(())
    }

    #[inline(always)]
    fn leave(&mut self) {
        self.at += 1;
        let next = self.tape.nodes.len() as u32;
        let node = &mut self.tape.nodes[self.inside.node as usize];
        node.end = self.at as u32;
        node.next = next;
        node.hash = self.inside.count;
        if self.inside.suspect {
            duplicate_keys(self.bytes, self.tape, self.inside.node);
        }
        self.inside = self.tape.open.pop().unwrap_or(OpenContainer::ROOT);
    }

    #[inline(always)]
    fn key<B: BlockSorter>(&mut self) -> Result<(), Fault> {
        if self.bytes.get(self.at) != Some(&b'"') {
            return self.fault(FaultKind::ExpectedKey, self.at);
        }
        let start = self.at;
        let escaped = self.string::<B>()?;
        let inner = start + 1..self.at - 1;
        let short = KeyWords::of_short(&self.bytes[inner.start..], inner.len()).filter(|_| !escaped);
        let (hash, name) = match short {
            Some(words) => {
                let hash = words.hash();
                (hash, KeyName::from_words(words, hash))
            }
            None => hash_and_name(&self.bytes[inner], escaped),
        };
        self.tape.has_replaylint_ref |= name == name::replaylint_ref;
        self.push_key(start, self.at, NodeKind::String, escaped, (hash, name));
        // Most objects have few keys, and most pairs of keys differ in these six bits.
        let bit = 1 << (hash >> 26);
        self.inside.suspect |= self.inside.keys & bit != 0;
        self.inside.keys |= bit;
        if self.skip_space() != Some(b':') {
            return self.fault(FaultKind::ExpectedColon, self.at);
        }
        self.at += 1;
        Ok(())
    }

    /// From the opening quote to after the closing one. Returns whether there was an escape.
    #[inline(always)]
    fn string<B: BlockSorter>(&mut self) -> Result<bool, Fault> {
        let mut at = self.at + 1;
        let mut any_escape = false;
        let mut first_is_escaped = 0;
        loop {
            let rest = self.bytes.get(at..).unwrap_or_default();
            let last;
            let block = match rest.first_chunk::<LANES>() {
                Some(block) => block,
                None => {
                    last = padded(rest);
                    &last
                }
            };
            let masks = B::masks(block);
            self.high |= masks.high;
            let mut quote = masks.quote;
            if masks.backslash | first_is_escaped != 0 {
                let (escaped, next) = escaped_bytes(masks.backslash, first_is_escaped);
                quote &= !escaped;
                // Up to the closing quote, every escaped byte must be one that JSON knows.
                let letters = escaped & below(quote);
                if letters != 0 {
                    any_escape = true;
                    self.escapes(at, letters & !B::short_escapes(block))?;
                }
                first_is_escaped = next;
            }
            let control = masks.control & below(quote);
            if control != 0 {
                return self.fault(FaultKind::ControlCharacter, at + control.trailing_zeros() as usize);
            }
            if quote != 0 {
                self.at = at + quote.trailing_zeros() as usize + 1;
                return Ok(any_escape);
            }
            at += LANES;
        }
    }

    /// Checks the escapes whose letters are at the bits of a mask, counted from `at`.
    #[inline(always)]
    fn escapes(&mut self, at: usize, mut letters: u64) -> Result<(), Fault> {
        while letters != 0 {
            let letter = at + letters.trailing_zeros() as usize;
            letters &= letters - 1;
            match self.bytes.get(letter) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {}
                Some(b'u') => self.unicode_escape(letter)?,
                _ => {
                    return self
                        .fault(FaultKind::BadEscape, letter.max(1) - usize::from(letter < self.bytes.len()));
                }
            }
        }
        Ok(())
    }

    /// Checks the four digits after a `u`, and records a lone surrogate.
    #[inline(always)]
    fn unicode_escape(&mut self, letter: usize) -> Result<(), Fault> {
        let code = self.hex4(letter + 1)?;
        if code & 0xf800 == 0xd800 && !is_paired(self.bytes, letter, code) {
            self.tape.odd.push((Oddity::LoneSurrogate, letter as u32 - 1));
        }
        Ok(())
    }

    /// The code of four hexadecimal digits.
    #[inline(always)]
    fn hex4(&self, at: usize) -> Result<u32, Fault> {
        match hex4(self.bytes, at) {
            None => self.fault(FaultKind::EndsEarly, self.bytes.len()),
            // A byte that is not a digit sets bits above 0xffff.
            Some(code) if code > 0xffff => self.fault(FaultKind::BadEscape, at - 2),
            Some(code) => Ok(code),
        }
    }

    #[inline(always)]
    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at - start
    }

    #[inline(always)]
    fn number(&mut self) -> Result<(), Fault> {
        let start = self.at;
        if self.bytes[self.at] == b'-' {
            self.at += 1;
            if self.bytes.get(self.at) == Some(&b'I') {
                return self.fault(FaultKind::NotANumber, start);
            }
        }
        let leading_zero = self.bytes.get(self.at) == Some(&b'0');
        let digits = self.digits();
        if digits == 0 || (leading_zero && digits > 1) {
            return self.fault(FaultKind::BadNumber, if digits == 0 { self.at } else { start });
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return self.fault(FaultKind::BadNumber, self.at);
            }
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return self.fault(FaultKind::BadNumber, self.at);
            }
        }
        self.push(start, self.at, NodeKind::Number, false);
        Ok(())
    }

    #[inline(always)]
    fn literal(&mut self, text: &'static [u8], kind: NodeKind) -> Result<(), Fault> {
        let rest = &self.bytes[self.at..];
        if rest.starts_with(text) {
            let start = self.at;
            self.at += text.len();
            self.push(start, self.at, kind, false);
            return Ok(());
        }
        let cut = text.starts_with(rest);
        self.fault(FaultKind::BadLiteral, if cut { self.bytes.len() } else { self.at })
    }
}

/// The last bytes of a text as a block. What is behind them are zeros: control characters, which end the scan.
#[inline(never)]
fn padded(rest: &[u8]) -> [u8; LANES] {
    let mut block = [0; LANES];
    for (place, byte) in block.iter_mut().zip(rest) {
        *place = *byte;
    }
    block
}

/// The hash and the name of a key.
#[inline(never)]
fn hash_and_name(key: &[u8], escaped: bool) -> (u32, KeyName) {
    let decoded;
    let key = match escaped {
        true => {
            decoded = string::decode(key);
            &decoded
        }
        false => key,
    };
    (key_hash(key), KeyName::find(key))
}

/// The value of four hexadecimal digits; above 0xffff if one of them is not a digit.
#[inline(always)]
fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    Some(digits.iter().fold(0, |code, digit| code << 4 | HEX[usize::from(*digit)]))
}

/// True if a surrogate has its other half: a low one right after a high one. `letter` is the offset of its `u`.
#[cold]
fn is_paired(bytes: &[u8], letter: usize, code: u32) -> bool {
    let half_at = |at: usize, range: std::ops::Range<u32>| {
        bytes.get(at..at + 2) == Some(b"\\u") && hex4(bytes, at + 2).is_some_and(|code| range.contains(&code))
    };
    // The six bytes before are an escape only if their backslash is not escaped itself.
    let is_escaped =
        |backslash: usize| bytes[..backslash].iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1;
    if code < 0xdc00 {
        half_at(letter + 5, 0xdc00..0xe000)
    } else {
        letter >= 7 && half_at(letter - 7, 0xd800..0xdc00) && !is_escaped(letter - 7)
    }
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}
