//! Constant sets of keys that are searched for in every message. A key with a name is compared by number; most
//! other keys are ruled out by their length and first letter.

use super::names::{KeyName, NameSet};
use super::tape::Member;

/// A set of keys, built at compile time.
#[derive(Debug)]
pub struct KeySet {
    keys: &'static [&'static str],
    names: NameSet,
    /// For the keys without a name: by length modulo 32, a bit mask of first letters modulo 32.
    first: [u32; 32],
}

impl KeySet {
    pub const fn new(keys: &'static [&'static str]) -> Self {
        let (mut names, mut first) = (NameSet::EMPTY, [0; 32]);
        let mut n = 0;
        while n < keys.len() {
            let key = keys[n].as_bytes();
            let name = KeyName::find(key);
            names = names.with(name);
            if !key.is_empty() && !name.is_some() {
                first[key.len() % 32] |= 1 << (key[0] % 32);
            }
            n += 1;
        }
        KeySet { keys, names, first }
    }

    /// True if the key of a member is in the set.
    #[inline]
    pub fn has(&self, member: &Member<'_>) -> bool {
        if member.name.is_some() {
            return self.names.has(member.name);
        }
        let key = member.key;
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
    use crate::json::{Tape, scan};

    #[test]
    fn keys_are_found_also_with_escapes() {
        const LONG: &str = "a_name_that_is_longer_than_thirty_two_letters";
        static KEYS: KeySet = KeySet::new(&["role", "content", "colour", LONG]);
        let has = |raw: &str| {
            let text = format!("{{\"{raw}\":1}}");
            let mut tape = Tape::new();
            scan(text.as_bytes(), &mut tape).expect("JSON");
            tape.root(text.as_bytes()).expect("a value").members().all(|member| KEYS.has(&member))
        };
        assert!(has("role") && has("content") && has("colour") && has(LONG));
        assert!(has("r\\u006fle") && has("c\\u006flour"));
        assert!(!has("rose") && !has("roles") && !has("") && !has("contend") && !has("type") && !has("colours"));
    }
}
