//! Message templates: text with placeholders in braces. Text between `⟨` and `⟩` is omitted if it contains a
//! placeholder without a value. The compiler checks the placeholders of each rule, and a test compares this list with
//! the code that fills them.

/// All placeholders.
pub const NAMES: &[&str] = &[
    // The item.
    "type",
    "id",
    "call_id",
    "any_id",
    "name",
    "noun",
    "prefix",
    "role",
    "approval",
    "text",
    "shape",
    "id_length",
    "call_id_length",
    // Its partner.
    "partner_type",
    "partner_id",
    "partner_call_id",
    "partner_noun",
    "partner_role",
    "partner_message",
    "checks",
    // Its position: the number in its history, and those in its pointer.
    "index",
    "message",
    "block",
    "ordinal",
    "where",
    "list",
    // A field, and what is wrong with its value.
    "field",
    "member",
    "value",
    "kind",
    "expected",
    "got",
    "limit",
    "length",
    "problem",
    "key",
    // The old value of the key, and what a conversion writes instead.
    "was",
    "to",
    // The number of a finding, and derived texts.
    "arg",
    "items",
    "outputs",
    "characters",
    "reachable",
    "healed",
    "fault",
    "order",
    "looks",
    "format",
    // A part that is an image, a sound, a video or a file.
    "media",
    "media_place",
    "media_path",
    "media_type",
    "bytes_type",
    // Why there is no fix.
    "why",
];

/// True if every placeholder of a template is in the list.
pub const fn is_filled(template: &str) -> bool {
    let mut rest = template.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        if *first == b'{' {
            let mut len = 0;
            while len < rest.len() && !matches!(rest.split_at(len).1, [b'}', ..]) {
                len += 1;
            }
            if !is_name(rest.split_at(len).0) {
                return false;
            }
        }
    }
    true
}

const fn is_name(word: &[u8]) -> bool {
    let mut names = NAMES;
    while let [name, others @ ..] = names {
        if is_same(name.as_bytes(), word) {
            return true;
        }
        names = others;
    }
    false
}

const fn is_same(mut one: &[u8], mut other: &[u8]) -> bool {
    loop {
        match (one, other) {
            ([], []) => return true,
            ([a, rest @ ..], [b, others @ ..]) if *a == *b => (one, other) = (rest, others),
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_is_found() {
        assert!(is_filled("{type} {id}⟨ with {call_id}⟩") && is_filled("nothing"));
        assert!(!is_filled("{cal_id}") && !is_filled("{type} {") && !is_filled("{}"));
    }

    /// The code that fills templates handles exactly these names.
    #[test]
    fn every_name_is_filled() {
        let source = include_str!("../report/diagnose.rs");
        let (_, body) = source.split_once("match name {").expect("it fills names");
        let (body, _) = body.split_once("_ => None").expect("it ends");
        let arms = body.lines().filter_map(|line| line.trim_start().split_once(" =>")).map(|(names, _)| names);
        let words = arms.flat_map(|names| names.split(" if ").next().unwrap_or_default().split('|'));
        let filled: std::collections::BTreeSet<&str> =
            words.filter_map(|word| word.trim().strip_prefix('"')?.strip_suffix('"')).collect();
        assert_eq!(filled, NAMES.iter().copied().collect());
    }
}
