//! Ids that are the same in each run: they are derived from what the conversation says, and from positions in it.

use crate::json::string::fingerprint_of;
use crate::message::{Input, PartKind, ResultPart, Thread};

/// Gives ids.
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
                        Input::Text(text) => text.raw(),
                        Input::Json(raw) => raw.bytes(),
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

    fn half(self, what: &str, n: usize) -> u64 {
        fingerprint_of(format!("{:x} {what} {n}", self.seed).as_bytes())
    }

    /// The UUID of the session: version 7, whose first digits are its time.
    pub fn session(self, ms: i64) -> String {
        let (a, b) = (self.half("session", 0), self.half("session", 1));
        let ms = u64::try_from(ms).unwrap_or_default() & 0xffff_ffff_ffff;
        let (high, low) = (ms >> 16, ms & 0xffff);
        format!("{high:08x}-{low:04x}-7{:03x}-{:04x}-{:012x}", a & 0xfff, variant(b), b & 0xffff_ffff_ffff)
    }

    /// A UUID of version 4.
    pub fn uuid(self, what: &str, n: usize) -> String {
        let (a, b) = (self.half(what, n), self.half(what, !n));
        let (high, mid) = (a >> 32, a >> 16 & 0xffff);
        format!("{high:08x}-{mid:04x}-4{:03x}-{:04x}-{:012x}", a & 0xfff, variant(b), b & 0xffff_ffff_ffff)
    }

    /// Eight hex digits, no two alike: the number is spread over all of them.
    pub fn short(self, n: usize) -> String {
        let start = self.seed as u32;
        // An odd factor makes of different numbers different ones.
        format!("{:08x}", (n as u32).wrapping_mul(0x9e37_79b1).wrapping_add(start))
    }

    /// Letters and digits.
    pub fn letters(self, what: &str, n: usize, len: usize) -> String {
        const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let mut out = String::with_capacity(len);
        let mut more = 0;
        while out.len() < len {
            let mut digits = self.half(&format!("{what} {more}"), n);
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

/// The two bits that say how a UUID is made.
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
