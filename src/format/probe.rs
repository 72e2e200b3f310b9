//! What formats look at to recognise a record: it is summed up once for all of them.

use crate::json::Val;

/// A record summed up for detection: which of the telling keys it has at its top.
pub struct Probe<'r> {
    pub val: Val<'r>,
    keys: u64,
    /// Number of keys of an object.
    pub count: u32,
}

/// Keys by which many records are recognised: these are looked up once for all formats.
const KEYS: [&str; 30] = [
    "type",
    "input",
    "model",
    "output",
    "object",
    "data",
    "request",
    "body",
    "response",
    "items",
    "session",
    "payload",
    "timestamp",
    "record_type",
    "id",
    "instructions",
    "git",
    "messages",
    "role",
    "content",
    "call_id",
    "custom_id",
    "method",
    "url",
    "encrypted_content",
    "message",
    "uuid",
    "parentUuid",
    "sessionId",
    "has_more",
];

impl<'r> Probe<'r> {
    pub fn new(val: Val<'r>) -> Self {
        let mut keys = 0;
        for member in val.members() {
            if let Some(n) = KEYS.iter().position(|key| member.key.raw == key.as_bytes()) {
                keys |= 1 << n;
            }
        }
        Probe { val, keys, count: if val.is_object() { val.count() } else { 0 } }
    }

    /// Whether the record is an object that has this key.
    pub fn has(&self, key: &str) -> bool {
        match KEYS.iter().position(|known| *known == key) {
            Some(n) => self.keys >> n & 1 == 1,
            None => self.val.get(key).is_some(),
        }
    }

    /// A string member of the record.
    pub fn text(&self, key: &str) -> Option<std::borrow::Cow<'r, [u8]>> {
        self.val.get(key).and_then(|v| v.text())
    }
}
