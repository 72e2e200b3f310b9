//! The text of JSON strings: reading escapes, writing them, and hashing their decoded text.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

/// A string's text between the quotes.
#[derive(Clone, Copy, Debug)]
pub struct Str<'t> {
    pub raw: &'t [u8],
    pub escaped: bool,
}

impl<'t> Str<'t> {
    pub fn is(&self, text: &[u8]) -> bool {
        if !self.escaped {
            return self.raw == text;
        }
        // An escape of six bytes may encode one.
        (text.len()..=text.len() * 6).contains(&self.raw.len()) && decode(self.raw) == text
    }

    /// The text without escapes; a lone surrogate becomes U+FFFD.
    pub fn decode(&self) -> Cow<'t, [u8]> {
        if self.escaped { Cow::Owned(decode(self.raw)) } else { Cow::Borrowed(self.raw) }
    }

    /// Number of characters of the decoded text.
    pub fn characters(&self) -> usize {
        characters(&self.decode())
    }

    pub fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// True if it contains only white space. Reads no further than the first other byte.
    pub fn is_blank(&self) -> bool {
        let mut decoder = Decoder::new(self.raw);
        std::iter::from_fn(|| decoder.next_part()).all(|part| part.as_bytes().iter().all(u8::is_ascii_whitespace))
    }
}

/// The text of bytes, of which nearly all are UTF-8: what is not becomes U+FFFD. The standard library looks for that byte by
/// byte.
pub fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    simdutf8::basic::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// Number of characters of a text without escapes.
pub fn characters(text: &[u8]) -> usize {
    // Continuation bytes are not counted.
    text.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// Decodes the escapes of a string that the scanner accepted. A lone surrogate becomes U+FFFD.
pub fn decode(raw: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(raw.len());
    let mut rest = raw;
    loop {
        // Escapes are often close together, so that `memchr` is expensive.
        let near = rest.iter().take(NEAR).position(|byte| *byte == b'\\');
        let run = near.or_else(|| memchr::memchr(b'\\', rest)).unwrap_or(rest.len());
        let (plain, tail) = rest.split_at(run);
        out.extend_from_slice(plain);
        if tail.is_empty() {
            return out;
        }
        let (char, used) = escape(tail);
        match u8::try_from(char) {
            Ok(byte) if byte.is_ascii() => out.push(byte),
            _ => out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
        }
        rest = tail.get(used..).unwrap_or_default();
    }
}

/// Bytes in which the next escape is searched for without `memchr`.
const NEAR: usize = 8;

/// The result of one step of a [`Decoder`]: unescaped bytes, or the character of an escape.
pub enum DecodedPart<'a> {
    Run(&'a [u8]),
    Char([u8; 4], u8),
}

impl DecodedPart<'_> {
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            DecodedPart::Run(run) => run,
            DecodedPart::Char(bytes, len) => bytes.get(..usize::from(*len)).unwrap_or(bytes),
        }
    }
}

/// Decodes a string piece by piece, to map offsets in its raw text to offsets in the decoded one.
pub struct Decoder<'a> {
    raw: &'a [u8],
    at: usize,
}

impl<'a> Decoder<'a> {
    pub fn new(raw: &'a [u8]) -> Self {
        Decoder { raw, at: 0 }
    }

    /// Offset in the raw text of the next part.
    pub fn offset(&self) -> usize {
        self.at
    }

    pub fn next_part(&mut self) -> Option<DecodedPart<'a>> {
        let rest = self.raw.get(self.at..).filter(|rest| !rest.is_empty())?;
        let run = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
        if run > 0 {
            self.at += run;
            return Some(DecodedPart::Run(rest.split_at(run).0));
        }
        let (char, used) = escape(rest);
        self.at += used;
        let mut bytes = [0; 4];
        let len = char.encode_utf8(&mut bytes).len() as u8;
        Some(DecodedPart::Char(bytes, len))
    }
}

/// Reads the escape that `text` starts with: its character and its length in the text.
fn escape(text: &[u8]) -> (char, usize) {
    let char = match text.get(1) {
        Some(b'u') => {
            let Some(first) = hex4(text.get(2..6)) else { return (char::REPLACEMENT_CHARACTER, text.len()) };
            if !(0xd800..0xdc00).contains(&first) {
                return (char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), 6);
            }
            let second = (text.get(6..8) == Some(b"\\u")).then(|| hex4(text.get(8..12))).flatten();
            return match second {
                Some(second) if (0xdc00..0xe000).contains(&second) => {
                    let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                    (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12)
                }
                _ => (char::REPLACEMENT_CHARACTER, 6),
            };
        }
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(other) => char::from(*other),
        None => return (char::REPLACEMENT_CHARACTER, text.len()),
    };
    (char, 2)
}

fn hex4(digits: Option<&[u8]>) -> Option<u32> {
    digits?.iter().try_fold(0, |sum, digit| Some(sum * 16 + char::from(*digit).to_digit(16)?))
}

/// Appends `text` as a JSON string with quotes.
pub fn encode(text: &str, out: &mut Vec<u8>) {
    // Writing to a Vec cannot fail.
    let _ = serde_json::to_writer(out, text);
}

/// `text` as a JSON string with quotes.
pub fn quoted(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 2);
    encode(text, &mut out);
    out
}

/// Appends a JSON text without the white space between its tokens, so that it is on one line.
pub fn one_line(text: &[u8], out: &mut Vec<u8>) {
    let mut in_string = false;
    let mut escaped = false;
    for &byte in text {
        if in_string || !byte.is_ascii_whitespace() {
            out.push(byte);
        }
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_string,
            b'"' => in_string = !in_string,
            _ => {}
        }
    }
}

/// `text` escaped for use between the quotes of a JSON string.
pub fn escaped(text: &str) -> String {
    let quoted = String::from_utf8(quoted(text)).unwrap_or_default();
    quoted.get(1..quoted.len().max(1) - 1).unwrap_or_default().to_owned()
}

/// Fingerprint of the decoded string, never 0.
pub fn fingerprint(text: Str<'_>) -> u64 {
    fingerprint_of(&text.decode())
}

/// Fingerprint of a text, never 0.
pub fn fingerprint_of(text: &[u8]) -> u64 {
    xxh3_64(text).max(1)
}

/// A name in camelCase as one in snake_case.
pub fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_read_as_serde_json_reads_them() {
        let raw = r#"a\"b\\\/\b\f\n\r\té\u00e9\ud83d\ude00"#;
        let expected: String = serde_json::from_str(&format!("\"{raw}\"")).unwrap_or_default();
        assert_eq!(decode(raw.as_bytes()), expected.as_bytes());
    }

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        assert_eq!(decode(br"x\ud800y"), "x\u{fffd}y".as_bytes());
        assert_eq!(decode(br"\ud800\u0041"), "\u{fffd}A".as_bytes());
        assert_eq!(decode(br"\udc00"), "\u{fffd}".as_bytes());
    }

    #[test]
    fn a_fingerprint_is_of_the_meaning() {
        let plain = Str { raw: b"call_A", escaped: false };
        let escaped = Str { raw: br"call_\u0041", escaped: true };
        assert_eq!(fingerprint(plain), fingerprint(escaped));
    }
}
