//! Fixed sets of keys that are looked for in every message of every record: most other keys are told apart by their length
//! and their first letter, without being compared.

use super::string::Str;

/// A set of keys, made at compile time.
#[derive(Debug)]
pub struct KeySet {
    keys: &'static [&'static str],
    /// For each length, modulo 32, which first letters occur, modulo 32.
    first: [u32; 32],
}

impl KeySet {
    pub const fn new(keys: &'static [&'static str]) -> Self {
        let mut first = [0; 32];
        let mut n = 0;
        while n < keys.len() {
            let key = keys[n].as_bytes();
            if !key.is_empty() {
                first[key.len() % 32] |= 1 << (key[0] % 32);
            }
            n += 1;
        }
        KeySet { keys, first }
    }

    /// Whether a key is one of them.
    #[inline]
    pub fn has(&self, key: Str<'_>) -> bool {
        if key.escaped {
            let key = key.decode();
            return self.keys.iter().any(|own| own.as_bytes() == key.as_ref());
        }
        let Some(letter) = key.raw.first() else { return false };
        self.first[key.raw.len() % 32] >> (letter % 32) & 1 == 1
            && self.keys.iter().any(|own| own.as_bytes() == key.raw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_also_with_escapes() {
        static KEYS: KeySet = KeySet::new(&["role", "content", "a_name_that_is_longer_than_thirty_two_letters"]);
        let has = |raw: &str| KEYS.has(Str { raw: raw.as_bytes(), escaped: raw.contains('\\') });
        assert!(has("role") && has("content") && has("a_name_that_is_longer_than_thirty_two_letters"));
        assert!(has("r\\u006fle"));
        assert!(!has("rose") && !has("roles") && !has("") && !has("contend"));
    }
}
