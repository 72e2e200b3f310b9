//! Fingerprints of lists of messages that grow at their end, so that each list is known from the one before.

use crate::history::Role;

/// Fingerprint of some messages: the instructions and the rest apart, because new instructions replace the old ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Digest {
    pub system: u64,
    pub messages: u64,
    pub count: u32,
}

const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

impl Digest {
    /// Messages that are no list of texts with their roles: like no others.
    pub const NONE: Digest = Digest { system: 0, messages: 0, count: u32::MAX };

    /// Instructions of this fingerprint.
    pub fn of_system(content: u64) -> Digest {
        Digest { system: content, ..Digest::default() }
    }

    /// One message; its content has this fingerprint.
    pub fn of_message(role: Role, content: u64) -> Digest {
        let mixed = (content ^ role as u64).wrapping_mul(ODD);
        Digest { system: 0, messages: mixed.rotate_left(29).max(1), count: 1 }
    }

    /// Adds one message after the others.
    pub fn append(&mut self, one: Digest) {
        self.messages = (self.messages.rotate_left(23) ^ one.messages).wrapping_mul(ODD);
        self.count += one.count;
    }
}
