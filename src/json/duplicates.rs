//! Detection of duplicate keys: each key has a hash on the tape, and objects with possibly equal hashes are
//! checked again.

use xxhash_rust::xxh3::xxh3_64;

use super::key_words::{KeyWords, SHORT};
use super::string;
use super::tape::{Oddity, Tape};

/// The hash of a key.
pub(super) fn key_hash(key: &[u8]) -> u32 {
    if key.len() <= SHORT { KeyWords::of(key).hash() } else { xxh3_64(key) as u32 }
}

/// Objects of up to this many members are compared hash by hash; larger ones are sorted by their hashes.
const FEW: usize = 32;

/// Records each key that occurred before in its object.
#[inline(never)]
pub(super) fn duplicate_keys(bytes: &[u8], tape: &mut Tape, object: u32) {
    let end = tape.nodes[object as usize].next;
    let mut few = [0; FEW];
    tape.keys.clear();
    let (mut at, mut twice) = (object + 1, false);
    while at < end {
        let hash = tape.nodes[at as usize].hash;
        let n = tape.keys.len();
        match few.get_mut(n) {
            Some(place) => {
                *place = hash;
                twice |= few[..n].contains(&hash);
            }
            None => twice = true,
        }
        tape.keys.push((hash, at));
        at = tape.nodes[at as usize + 1].next;
    }
    if !twice {
        return;
    }
    tape.keys.sort_unstable();
    for n in 1..tape.keys.len() {
        let (hash, key) = tape.keys[n];
        let same_hash = tape.keys[..n].iter().rev().take_while(|(other, _)| *other == hash);
        let text = |ix: u32| {
            let node = &tape.nodes[ix as usize];
            let raw = &bytes[node.start as usize + 1..node.end as usize - 1];
            if node.escaped { string::decode(raw) } else { raw.to_vec() }
        };
        if same_hash.map(|(_, other)| *other).any(|other| text(other) == text(key)) {
            tape.odd.push((Oddity::DuplicateKey, tape.nodes[key as usize].start));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_hash_wherever_it_lies() {
        let keys =
            ["", "a", "b", "role", "content", "tool_use", "tool_call", "encrypted_content", "a b c d e f g h i"];
        let mut hashes: Vec<u32> = keys.iter().map(|key| key_hash(key.as_bytes())).collect();
        for (key, hash) in keys.iter().zip(&hashes).filter(|(key, _)| key.len() <= SHORT) {
            let text = format!("{key}\":1234567890123456}}");
            let words = KeyWords::of_short(text.as_bytes(), key.len()).map(KeyWords::hash);
            assert_eq!(words, Some(*hash), "{text}");
        }
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), keys.len());
    }
}
