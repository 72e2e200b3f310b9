//! Keys that an object has twice: each key has a hash on the tape, and objects two of whose hashes may be equal are
//! looked at again.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::string;
use super::tape::{Oddity, Tape};

/// Keys of up to this many bytes are hashed as two words.
const SHORT: usize = 16;

/// Which bytes of two words belong to a key, by its length.
const MASKS: [[u64; 2]; SHORT + 1] = {
    let mut masks = [[0; 2]; SHORT + 1];
    let mut len = 1;
    while len <= SHORT {
        let whole = u128::MAX >> (8 * (SHORT - len));
        masks[len] = [whole as u64, (whole >> 64) as u64];
        len += 1;
    }
    masks
};

/// The hash of the key that lies in a range of the text, without escapes.
#[inline(always)]
pub(super) fn hash_at(bytes: &[u8], range: Range<usize>) -> u32 {
    let len = range.len();
    match bytes.get(range.start..).and_then(|rest| rest.first_chunk::<SHORT>()) {
        Some(block) if len <= SHORT => of_words(block, len),
        _ => hash_of(&bytes[range]),
    }
}

/// The hash of a key.
#[inline(never)]
pub(super) fn hash_of(key: &[u8]) -> u32 {
    let mut block = [0; SHORT];
    match block.get_mut(..key.len()) {
        Some(part) => {
            part.copy_from_slice(key);
            of_words(&block, key.len())
        }
        None => xxh3_64(key) as u32,
    }
}

/// Two words, folded by one multiplication. Equal hashes cost time, no more: the keys are compared.
#[inline(always)]
fn of_words(block: &[u8; SHORT], len: usize) -> u32 {
    let words = u128::from_le_bytes(*block);
    let [low, high] = MASKS[len];
    let (low, high) = (words as u64 & low, (words >> 64) as u64 & high);
    let product = u128::from(low ^ 0x9e37_79b9_7f4a_7c15) * u128::from(high ^ 0xd6e8_feb8_6659_fd93);
    let folded = product as u64 ^ (product >> 64) as u64;
    (folded ^ folded >> 32) as u32
}

/// Objects of up to this many members are compared hash by hash; larger ones are sorted by their hashes.
const FEW: usize = 32;

/// Notes each key that its object has had before.
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
        let mut hashes: Vec<u32> = keys.iter().map(|key| hash_of(key.as_bytes())).collect();
        for (key, hash) in keys.iter().zip(&hashes) {
            let text = format!("{{\"{key}\":1234567890123456}}");
            assert_eq!(hash_at(text.as_bytes(), 2..2 + key.len()), *hash, "{key}");
            let text = format!("{{\"{key}\"");
            assert_eq!(hash_at(text.as_bytes(), 2..2 + key.len()), *hash, "{key} at the end of a text");
        }
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), keys.len());
    }
}
