//! Incremental fingerprints of lists of messages that only grow at their end.

use crate::history::Role;

/// Fingerprint of a list of messages, with the instructions separate, because new instructions replace the old ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Digest {
    pub system: u64,
    pub messages: u64,
    pub count: u32,
}

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl Digest {
    /// Fingerprint of messages that are not all texts, which equals that of no other list.
    pub const NONE: Digest = Digest { system: 0, messages: 0, count: u32::MAX };

    /// Only instructions, by the fingerprint of their content.
    pub fn of_system(content: u64) -> Digest {
        Digest { system: content, ..Digest::default() }
    }

    /// One message, by its role and the fingerprint of its content.
    pub fn of_message(role: Role, content: u64) -> Digest {
        let mixed = (content ^ role as u64).wrapping_mul(MULTIPLIER);
        Digest { system: 0, messages: mixed.rotate_left(29).max(1), count: 1 }
    }

    /// Appends a message.
    pub fn append(&mut self, one: Digest) {
        self.messages = (self.messages.rotate_left(23) ^ one.messages).wrapping_mul(MULTIPLIER);
        self.count += one.count;
    }
}
