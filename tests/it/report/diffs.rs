//! Properties of the comparison of two documents, for each sample of each format.

use replaylint::internals::diff::align::EntryStatus;
use replaylint::internals::diff::compare::{DiffScope, DiffSide, DocDiff, HistoryComparison, compare};
use replaylint::internals::diff::renames::RenamedIds;
use replaylint::internals::diff::values::{ValueChange, ValueComparison};
use replaylint::internals::diff::words;
use replaylint::internals::formats;
use replaylint::internals::judge::Options;
use replaylint::internals::place::DocId;
use replaylint::internals::read;

use crate::formats::nets::samples;
use crate::support::{DOC, growable_text};

fn comparison(format: &str, before: &[u8], after: &[u8]) -> DocDiff {
    let named = formats::by_name(format).filter(|format| format.info().is_explicit_only);
    let options = Options { read: read::Options { format: named, ..Default::default() }, ..Options::default() };
    let (old, new) = (growable_text(before), growable_text(after));
    let side = |id, bytes| DiffSide { id, bytes, options: &options };
    compare(side(DOC, &old), side(DocId(1), &new), DiffScope::All).expect("memory reads")
}

fn value_changes(difference: &HistoryComparison) -> Vec<ValueChange> {
    let renames = RenamedIds::of(&difference.renames);
    let changes = difference.statuses.iter().flat_map(|status| match *status {
        EntryStatus::Changed(a, b) => {
            ValueComparison::of_entries(&difference.before[a], &difference.after[b], &renames)
        }
        _ => Vec::new(),
    });
    changes.chain(difference.settings.iter().cloned()).collect()
}

#[test]
fn a_document_equals_itself() {
    for (format, file, text) in samples() {
        let compared = comparison(&format, &text, &text);
        let differs = compared.differences.iter().any(|difference| difference.count().has_differences());
        assert!(!differs && !compared.reordered, "{format}/{file}");
    }
}

/// The replacement of a word.
const OTHER: &str = "replaced";

/// Words of prose that occur once in a text.
fn unique_words(text: &str) -> Vec<&str> {
    let words = text.match_indices(' ').filter_map(|(at, _)| {
        let rest = text.get(at + 1..)?;
        let word = rest.split(|c: char| !c.is_ascii_alphabetic()).next().filter(|word| word.len() > 3)?;
        // A letter after a backslash would be an escape.
        Some(word).filter(|_| rest[word.len()..].starts_with([' ', '.', ',']))
    });
    words.filter(|word| text.matches(word).count() == 1).take(4).collect()
}

#[test]
fn a_changed_word_is_the_only_difference() {
    let mut compared = 0;
    for (format, file, text) in samples() {
        let Ok(text) = String::from_utf8(text) else { continue };
        for word in unique_words(&text) {
            let changed = text.replace(word, OTHER);
            let all = comparison(&format, text.as_bytes(), changed.as_bytes());
            let mut changes: Vec<ValueChange> = all.differences.iter().flat_map(value_changes).collect();
            let one_status = all.differences.iter().all(|difference| {
                let count = difference.count();
                count.added + count.removed + count.moved + count.unpaired + count.renamed == 0
            });
            // What is not sent is no difference, and what no message contains is removed and added.
            if !one_status || changes.is_empty() {
                continue;
            }
            // A store may be read as several conversations with the same text.
            changes.dedup();
            let words: Vec<(String, String)> = changes
                .iter()
                .flat_map(|change| {
                    let text = |json: &Option<Vec<u8>>| {
                        let json = json.as_ref().unwrap_or_else(|| panic!("{format}/{file}: {word}: {change:?}"));
                        serde_json::from_slice::<String>(json)
                            .unwrap_or_else(|_| panic!("{format}/{file}: {word}: {change:?}"))
                    };
                    let (before, after) = (text(&change.before), text(&change.after));
                    let words = words::changes(&before, &after).into_iter();
                    words
                        .map(|words| (before[words.before].to_owned(), after[words.after].to_owned()))
                        .collect::<Vec<_>>()
                })
                .collect();
            assert!(
                !words.is_empty() && words.iter().all(|(before, after)| before == word && after == OTHER),
                "{format}/{file}: {word}: {words:?}"
            );
            compared += 1;
        }
    }
    println!("{compared} words");
    assert!(compared > 200, "{compared}");
}
