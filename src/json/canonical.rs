//! Semantic equality of values: objects regardless of order, strings without escapes, numbers by value.

use xxhash_rust::xxh3::xxh3_64;

use super::tape::{NodeKind, Val};

/// Values nested deeper than this are compared byte by byte, to limit recursion.
const DEPTH: u32 = 256;

/// Equality of canonical JSON. Of duplicate keys, the last value counts.
pub fn is_equal(a: Val<'_>, b: Val<'_>) -> bool {
    is_equal_within(a, b, DEPTH)
}

fn is_equal_within(a: Val<'_>, b: Val<'_>, depth: u32) -> bool {
    // Most values that are compared are copies.
    if a.raw() == b.raw() {
        return true;
    }
    if depth == 0 {
        return false;
    }
    let is_equal = |a, b| is_equal_within(a, b, depth - 1);
    if a.kind() != b.kind() {
        return false;
    }
    match a.kind() {
        NodeKind::True | NodeKind::False | NodeKind::Null => true,
        NodeKind::String => a.text() == b.text(),
        NodeKind::Number => a.raw() == b.raw() || number(a).zip(number(b)).is_some_and(|(a, b)| a == b),
        NodeKind::Array => a.count() == b.count() && a.elements().zip(b.elements()).all(|(a, b)| is_equal(a, b)),
        NodeKind::Object => {
            let (a, b) = (sorted(a), sorted(b));
            a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| a.0 == b.0 && is_equal(a.1, b.1))
        }
    }
}

/// A hash that is equal for equal values. Members of the root with the keys in `without` do not count.
pub fn hash(val: Val<'_>, without: &[&str]) -> u64 {
    hash_within(val, without, DEPTH)
}

fn hash_within(val: Val<'_>, without: &[&str], depth: u32) -> u64 {
    let mixed = |kind: u64, hash: u64| xxh3_64(&[kind.to_le_bytes(), hash.to_le_bytes()].concat());
    match val.kind() {
        _ if depth == 0 => xxh3_64(val.raw()),
        NodeKind::Null => 1,
        NodeKind::True => 2,
        NodeKind::False => 3,
        NodeKind::String => val.text().map_or(4, |text| mixed(4, xxh3_64(&text))),
        NodeKind::Number => mixed(5, number(val).map_or_else(|| xxh3_64(val.raw()), f64::to_bits)),
        NodeKind::Array => {
            val.elements().fold(6, |hash, element| mixed(hash, hash_within(element, &[], depth - 1)))
        }
        NodeKind::Object => {
            let left_out = |key: &[u8]| without.iter().any(|name| name.as_bytes() == key);
            let members = sorted(val).into_iter().filter(|(key, _)| !left_out(key));
            members.fold(7, |hash, (key, val)| mixed(hash, mixed(xxh3_64(&key), hash_within(val, &[], depth - 1))))
        }
    }
}

/// The value of a number; `None` for an integer with so many digits that another could have the same `f64`.
fn number(val: Val<'_>) -> Option<f64> {
    let text = std::str::from_utf8(val.raw()).ok()?;
    let exact = text.len() <= 15 || text.contains(['.', 'e', 'E']);
    exact.then(|| text.parse().ok()).flatten()
}

type MemberEntry<'t> = (std::borrow::Cow<'t, [u8]>, Val<'t>);

fn sorted<'t>(object: Val<'t>) -> Vec<MemberEntry<'t>> {
    let mut entries: Vec<MemberEntry<'t>> = object.members().map(|m| (m.key.decode(), m.val)).collect();
    // The sort is stable, so the last of equal keys is the last in the text.
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    entries.reverse();
    entries.dedup_by(|a, b| a.0 == b.0);
    entries
}

#[cfg(test)]
mod tests {
    use super::super::{Tape, scan};
    use super::*;

    fn equal(a: &str, b: &str) -> bool {
        let (mut left, mut right) = (Tape::new(), Tape::new());
        assert_eq!(scan(a.as_bytes(), &mut left), Ok(()));
        assert_eq!(scan(b.as_bytes(), &mut right), Ok(()));
        let (a, b) = (left.root(a.as_bytes()).expect("scanned"), right.root(b.as_bytes()).expect("scanned"));
        assert_eq!(is_equal(a, b), hash(a, &[]) == hash(b, &[]));
        is_equal(a, b)
    }

    #[test]
    fn what_means_the_same_is_the_same() {
        assert!(equal(r#"{"a":1,"b":["x"]}"#, r#"{ "b" : ["\u0078"], "a" : 1.0 }"#));
        assert!(equal(r#"{"a":1,"a":2}"#, r#"{"a":2}"#));
        assert!(!equal(r#"{"a":1}"#, r#"{"a":1,"b":null}"#));
        assert!(!equal("[1,2]", "[2,1]"));
        assert!(!equal("1", "\"1\""));
        assert!(equal("123456789012345678901", "123456789012345678901"));
        assert!(!equal("9007199254740992", "9007199254740993"));
    }
}
