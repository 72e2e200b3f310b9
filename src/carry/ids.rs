//! Ids that are the same in each run: they are derived from the content of the conversation, and from positions in it.

use crate::json::string::fingerprint_of;
use crate::message::{CallInput, PartKind, ResultPart, Thread};

/// Generates ids.
#[derive(Clone, Copy, Debug)]
pub struct Ids {
    seed: u64,
}

impl Ids {
    pub fn new(writer: &str, session: &str, cwd: &str, conversation: &Thread) -> Self {
        let mut seed = fingerprint_of(format!("{writer}\n{session}\n{cwd}").as_bytes());
        let mut take = |bytes: &[u8]| seed = fingerprint_of(&[&seed.to_le_bytes(), bytes].concat());
        for block in conversation.messages.iter().flat_map(|message| &message.parts) {
            match &block.kind {
                PartKind::Text { text, .. } | PartKind::Refusal(text) => take(&text.raw()),
                PartKind::Call(call) => {
                    take(&call.id.raw());
                    take(&match &call.input {
                        CallInput::Text(text) => text.raw(),
                        CallInput::Json(raw) => raw.bytes(),
                    });
                }
                PartKind::Result(result) => {
                    take(&result.id.raw());
                    result.parts.iter().for_each(|part| match part {
                        ResultPart::Text(text) => take(&text.raw()),
                        ResultPart::Json(raw) => take(&raw.bytes()),
                        ResultPart::Media(..) | ResultPart::Opaque(..) => take(b"media"),
                    });
                }
                _ => take(b"other"),
            }
        }
        Ids { seed }
    }

    fn hash_of(self, what: &str, n: usize) -> u64 {
        fingerprint_of(format!("{:x} {what} {n}", self.seed).as_bytes())
    }

    /// A UUID of version 7 for the session: its first digits are the time.
    pub fn session(self, ms: i64) -> String {
        let (a, b) = (self.hash_of("session", 0), self.hash_of("session", 1));
        let ms = u64::try_from(ms).unwrap_or_default() & 0xffff_ffff_ffff;
        let (high, low) = (ms >> 16, ms & 0xffff);
        format!("{high:08x}-{low:04x}-7{:03x}-{:04x}-{:012x}", a & 0xfff, variant(b), b & 0xffff_ffff_ffff)
    }

    /// A UUID of version 4.
    pub fn uuid(self, what: &str, n: usize) -> String {
        let (a, b) = (self.hash_of(what, n), self.hash_of(what, !n));
        let (high, mid) = (a >> 32, a >> 16 & 0xffff);
        format!("{high:08x}-{mid:04x}-4{:03x}-{:04x}-{:012x}", a & 0xfff, variant(b), b & 0xffff_ffff_ffff)
    }

    /// Eight hex digits, different for each number.
    pub fn short(self, n: usize) -> String {
        let start = self.seed as u32;
        // Multiplication with an odd factor keeps different numbers different.
        format!("{:08x}", (n as u32).wrapping_mul(0x9e37_79b1).wrapping_add(start))
    }

    /// Letters and digits.
    pub fn letters(self, what: &str, n: usize, len: usize) -> String {
        const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let mut out = String::with_capacity(len);
        let mut more = 0;
        while out.len() < len {
            let mut digits = self.hash_of(&format!("{what} {more}"), n);
            for _ in 0..8 {
                out.extend(LETTERS.get((digits % 62) as usize).copied().map(char::from));
                digits /= 62;
            }
            more += 1;
        }
        out.truncate(len);
        out
    }
}

/// Sets the two variant bits of a UUID.
fn variant(half: u64) -> u64 {
    half >> 48 & 0x3fff | 0x8000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_their_form_and_stay_the_same() {
        let ids = Ids::new("x", "s", "/w", &Thread::default());
        let session = ids.session(1_780_308_000_123);
        assert_eq!((session.len(), &session[..15]), (36, "019e82a0-3d7b-7"));
        let uuid = ids.uuid("line", 3);
        assert_eq!((uuid.len(), &uuid[14..15]), (36, "4"));
        assert!(matches!(&uuid[19..20], "8" | "9" | "a" | "b"), "{uuid}");
        assert_eq!(uuid, ids.uuid("line", 3));
        assert_ne!(uuid, ids.uuid("line", 4));
        assert_ne!(uuid, Ids::new("y", "s", "/w", &Thread::default()).uuid("line", 3));
        assert_eq!(ids.letters("a", 0, 14).len(), 14);
    }
}
