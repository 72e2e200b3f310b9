//! The scanner: strict JSON over bytes, in one pass, without recursion, into a [`Tape`].
//!
//! Most bytes of a transcript lie in long strings, so strings are skipped 32 bytes at a time: one mask of the bytes
//! that matter (quote, backslash, control character), then only those are looked at. The grammar is written once
//! and compiled twice: with AVX2 where the machine has it, and with a portable twin. A differential test and a fuzz
//! target hold both against serde_json.
//!
//! UTF-8 is not checked here: a caller validates a whole chunk at once, which is faster, and the scanner never
//! leaves a multi-byte character half read.

use super::block::{BlockSorter, HEX, LANES, Portable, below, escaped_bytes};
use super::duplicates::{duplicate_keys, hash_at, hash_of};
use super::fault::{Fault, What};
use super::string;
use super::tape::{Frame, Node, NodeKind, Oddity, Tape};

/// Scans a text that holds one value and nothing else.
pub fn scan(bytes: &[u8], tape: &mut Tape) -> Result<(), Fault> {
    let end = scan_prefix(bytes, tape)?;
    match first_non_space(bytes, end as usize) {
        Some(at) => Err(Fault { what: What::TrailingText, at: at as u32 }),
        None => Ok(()),
    }
}

/// Scans the one value that a text starts with and returns where it ends.
pub fn scan_prefix(bytes: &[u8], tape: &mut Tape) -> Result<u32, Fault> {
    run(bytes, tape, avx2_usable(), false)
}

/// Scans a text up to the end of its first line, if that line holds one value and nothing else: returns where it ends.
/// `None` says only that [`scan`] has to look at that line. Finding the value's end finds the line's: no string holds a
/// bare line feed.
pub fn scan_line(bytes: &[u8], tape: &mut Tape) -> Option<u32> {
    let end = run(bytes, tape, avx2_usable(), true).ok()?;
    let rest = bytes[end as usize..].iter();
    let at = end + rest.take_while(|b| matches!(b, b' ' | b'\t' | b'\r')).count() as u32;
    matches!(bytes.get(at as usize), None | Some(b'\n')).then_some(at)
}

/// [`scan_prefix`] without vector instructions, for the test that holds the twins against each other.
pub fn scan_prefix_portable(bytes: &[u8], tape: &mut Tape) -> Result<u32, Fault> {
    run(bytes, tape, false, false)
}

/// A key that is noted where it is, so that no text need be searched for it.
pub const NOTED: &str = "replaylint_ref";

fn run(bytes: &[u8], tape: &mut Tape, vector: bool, one_line: bool) -> Result<u32, Fault> {
    tape.nodes.clear();
    tape.open.clear();
    tape.odd.clear();
    tape.noted = false;
    if u32::try_from(bytes.len()).is_err() {
        return Err(Fault { what: What::TooLong, at: 0 });
    }
    #[cfg(target_arch = "x86_64")]
    if vector {
        return avx2::run(bytes, tape, one_line);
    }
    let _ = vector;
    Grammar::new(bytes, tape, one_line).value::<Portable>()
}

fn avx2_usable() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Offset of the first byte from `from` on that is no JSON white space.
pub fn first_non_space(bytes: &[u8], from: usize) -> Option<usize> {
    bytes[from..].iter().position(|b| !is_space(*b)).map(|n| from + n)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    #![expect(unsafe_code, reason = "vector instructions behind a check that the machine has them")]

    use std::arch::x86_64::*;

    use super::super::block::Masks;
    use super::{BlockSorter, Fault, Grammar, LANES, Tape};

    struct Avx2;

    impl BlockSorter for Avx2 {
        #[inline(always)]
        fn masks(block: &[u8; LANES]) -> Masks {
            // SAFETY: this type is used only below `grammar`, which is entered only where AVX2 is there; the load is
            // unaligned and reads the 32 bytes of the array.
            unsafe {
                let bytes = _mm256_loadu_si256(block.as_ptr().cast());
                let is = |byte: u8| _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8)));
                let last = _mm256_set1_epi8(0x1f);
                let control = _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(bytes, last), last));
                Masks { quote: is(b'"') as u32, backslash: is(b'\\') as u32, control: control as u32 }
            }
        }

        /// Each letter is recognised by its two nibbles: a bit for each high nibble, looked up by the low one.
        #[inline(always)]
        fn short_escapes(block: &[u8; LANES]) -> u32 {
            const HIGH: [i8; 16] = {
                let mut table = [0; 16];
                (table[0x2], table[0x5], table[0x6], table[0x7]) = (1, 2, 4, 8);
                table
            };
            const LOW: [i8; 16] = {
                let mut table = [0; 16];
                (table[0x2], table[0xf], table[0xc]) = (1 | 4 | 8, 1, 2);
                (table[0x6], table[0xe], table[0x4]) = (4, 4, 8);
                table
            };
            // SAFETY: as above.
            unsafe {
                let bytes = _mm256_loadu_si256(block.as_ptr().cast());
                let table = |table: &[i8; 16]| _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
                let nibble = _mm256_set1_epi8(0x0f);
                let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), nibble);
                let high = _mm256_shuffle_epi8(table(&HIGH), high);
                let low = _mm256_shuffle_epi8(table(&LOW), _mm256_and_si256(bytes, nibble));
                let none = _mm256_cmpeq_epi8(_mm256_and_si256(high, low), _mm256_setzero_si256());
                !(_mm256_movemask_epi8(none) as u32)
            }
        }
    }

    pub(super) fn run(bytes: &[u8], tape: &mut Tape, one_line: bool) -> Result<u32, Fault> {
        // SAFETY: `run` of the parent calls this only if the machine has AVX2 (and with it BMI1).
        unsafe { grammar(bytes, tape, one_line) }
    }

    #[target_feature(enable = "avx2,bmi1")]
    fn grammar(bytes: &[u8], tape: &mut Tape, one_line: bool) -> Result<u32, Fault> {
        Grammar::new(bytes, tape, one_line).value::<Avx2>()
    }
}

/// The state of a scan. No method that is not inlined takes it, so that the compiler can keep it in registers.
struct Grammar<'a> {
    bytes: &'a [u8],
    tape: &'a mut Tape,
    at: usize,
    /// A line feed ends the text.
    one_line: bool,
    /// The container that is being read; those around it are on the tape.
    inside: Frame,
}

impl<'a> Grammar<'a> {
    #[inline(always)]
    fn new(bytes: &'a [u8], tape: &'a mut Tape, one_line: bool) -> Self {
        Grammar { bytes, tape, at: 0, one_line, inside: Frame::ROOT }
    }

    #[inline(always)]
    fn fault<T>(&self, what: What, at: usize) -> Result<T, Fault> {
        let what = if at >= self.bytes.len() { What::EndsEarly } else { what };
        Err(Fault { what, at: at.min(self.bytes.len()) as u32 })
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
        let ix = self.tape.nodes.len() as u32;
        self.tape.nodes.push(Node { start: start as u32, end: end as u32, next: ix + 1, hash: 0, kind, escaped });
        ix
    }

    /// One value with all that lies in it. Returns where it ends.
    #[inline(always)]
    fn value<B: BlockSorter>(&mut self) -> Result<u32, Fault> {
        loop {
            let Some(byte) = self.skip_space() else { return self.fault(What::NoValue, self.at) };
            match byte {
                b'"' => {
                    let start = self.at;
                    let escaped = self.string::<B>()?;
                    self.push(start, self.at, NodeKind::String, escaped);
                }
                b'{' => {
                    self.enter(NodeKind::Object);
                    if self.skip_space() == Some(b'}') {
                        self.leave();
                    } else {
                        self.key::<B>()?;
                        continue;
                    }
                }
                b'[' => {
                    self.enter(NodeKind::Array);
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
                b'N' | b'I' => return self.fault(What::NotANumber, self.at),
                _ => return self.fault(What::NoValue, self.at),
            }
            // Behind a value: more of the container it lies in, or the ends of containers, or the end of all.
            loop {
                if self.inside.node == Frame::ROOT.node {
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
                    _ => return self.fault(What::ExpectedCommaOrEnd, self.at),
                }
            }
        }
    }

    #[inline(always)]
    fn enter(&mut self, kind: NodeKind) {
        let node = self.push(self.at, self.at, kind, false);
        self.tape.open.push(self.inside);
        self.inside = Frame { node, count: 0, keys: 0, is_object: kind == NodeKind::Object, suspect: false };
        self.at += 1;
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
        self.inside = self.tape.open.pop().unwrap_or(Frame::ROOT);
    }

    #[inline(always)]
    fn key<B: BlockSorter>(&mut self) -> Result<(), Fault> {
        if self.bytes.get(self.at) != Some(&b'"') {
            return self.fault(What::ExpectedKey, self.at);
        }
        let start = self.at;
        let escaped = self.string::<B>()?;
        let inner = start + 1..self.at - 1;
        let hash = match escaped {
            true => hash_of(&string::decode(&self.bytes[inner.clone()])),
            false => hash_at(self.bytes, inner.clone()),
        };
        self.tape.noted |= inner.len() == NOTED.len() && &self.bytes[inner] == NOTED.as_bytes();
        let ix = self.push(start, self.at, NodeKind::String, escaped);
        self.tape.nodes[ix as usize].hash = hash;
        // Most objects have few keys, and most pairs of keys differ in these six bits.
        let bit = 1 << (hash >> 26);
        self.inside.suspect |= self.inside.keys & bit != 0;
        self.inside.keys |= bit;
        if self.skip_space() != Some(b':') {
            return self.fault(What::ExpectedColon, self.at);
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
        while let Some(block) = self.bytes.get(at..).and_then(|rest| rest.first_chunk::<LANES>()) {
            let masks = B::masks(block);
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
                return self.fault(What::ControlCharacter, at + control.trailing_zeros() as usize);
            }
            if quote != 0 {
                self.at = at + quote.trailing_zeros() as usize + 1;
                return Ok(any_escape);
            }
            at += LANES;
        }
        // The last bytes of the text, too few for a block.
        if first_is_escaped != 0 {
            any_escape = true;
            self.escapes(at, 1)?;
            at += 1;
        }
        loop {
            match self.bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(any_escape);
                }
                Some(b'\\') => {
                    any_escape = true;
                    self.escapes(at + 1, 1)?;
                    at += 2;
                }
                Some(0..=0x1f) => return self.fault(What::ControlCharacter, at),
                Some(_) => at += 1,
                None => return self.fault(What::EndsEarly, at),
            }
        }
    }

    /// Checks escapes whose letters stand at the bits of a mask, counted from `at`.
    #[inline(always)]
    fn escapes(&mut self, at: usize, mut letters: u32) -> Result<(), Fault> {
        while letters != 0 {
            let letter = at + letters.trailing_zeros() as usize;
            letters &= letters - 1;
            match self.bytes.get(letter) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {}
                Some(b'u') => self.unicode_escape(letter)?,
                _ => return self.fault(What::BadEscape, letter.max(1) - usize::from(letter < self.bytes.len())),
            }
        }
        Ok(())
    }

    /// Checks the four digits after a `u`, and notes half of a surrogate pair.
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
            None => self.fault(What::EndsEarly, self.bytes.len()),
            // A byte that is no digit sets bits that no digit sets.
            Some(code) if code > 0xffff => self.fault(What::BadEscape, at - 2),
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
                return self.fault(What::NotANumber, start);
            }
        }
        let leading_zero = self.bytes.get(self.at) == Some(&b'0');
        let digits = self.digits();
        if digits == 0 || (leading_zero && digits > 1) {
            return self.fault(What::BadNumber, if digits == 0 { self.at } else { start });
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return self.fault(What::BadNumber, self.at);
            }
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return self.fault(What::BadNumber, self.at);
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
        self.fault(What::BadLiteral, if cut { self.bytes.len() } else { self.at })
    }
}

/// What four hexadecimal digits say; above 0xffff if one of them is none.
#[inline(always)]
fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    Some(digits.iter().fold(0, |code, digit| code << 4 | HEX[usize::from(*digit)]))
}

/// Whether half of a surrogate pair has its other half: a high one wants a low one right behind it, a low one a high one
/// right before it. `letter` is where its `u` stands.
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
