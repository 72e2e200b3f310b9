//! The words of a text that were replaced, from the longest sequence of words that both texts share.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// A range of words that was replaced, as bytes of both texts. One of them is empty if words were only added or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordChange {
    pub before: Range<usize>,
    pub after: Range<usize>,
}

/// The words that were replaced, in order. The search is limited: in texts that share next to nothing, some words that both
/// have count as replaced.
pub fn changes(before: &str, after: &str) -> Vec<WordChange> {
    let (old, new) = (Words::of(before), Words::of(after));
    let ops = capture_diff_slices(Algorithm::Myers, &old.texts(before), &new.texts(after));
    let mut changes: Vec<WordChange> = Vec::new();
    for op in ops {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let change = WordChange { before: old.bytes(op.old_range()), after: new.bytes(op.new_range()) };
        match changes.last_mut().filter(|last| is_negligible(before, last, &change)) {
            Some(last) => {
                (last.before.end, last.after.end) = (change.before.end, change.after.end);
            }
            None => changes.push(change),
        }
    }
    changes
}

/// True if the text between two changes is not worth reading on its own: it has no words, or few letters compared with both.
fn is_negligible(text: &str, last: &WordChange, next: &WordChange) -> bool {
    let between = text.get(last.before.end..next.before.start).unwrap_or_default();
    let letters = between.chars().filter(|c| c.is_alphanumeric()).count();
    let size = |change: &WordChange| change.before.len().min(change.after.len());
    letters == 0 || letters * 4 <= size(last).min(size(next))
}

/// The places where the words of a text begin, and its end.
struct Words(Vec<usize>);

impl Words {
    fn of(text: &str) -> Self {
        let mut starts = Vec::new();
        let mut last = CharClass::Single;
        for (at, c) in text.char_indices() {
            let class = CharClass::of(c);
            if class == CharClass::Single || class != last {
                starts.push(at);
            }
            last = class;
        }
        starts.push(text.len());
        Words(starts)
    }

    fn texts<'t>(&self, text: &'t str) -> Vec<&'t str> {
        self.0
            .iter()
            .zip(self.0.iter().skip(1))
            .map(|(from, to)| text.get(*from..*to).unwrap_or_default())
            .collect()
    }

    /// The bytes of a range of words.
    fn bytes(&self, words: Range<usize>) -> Range<usize> {
        let at = |word: usize| self.0.get(word).or(self.0.last()).copied().unwrap_or_default();
        at(words.start)..at(words.end)
    }
}

/// What a character is to the division into words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CharClass {
    /// Part of a word.
    Letter,
    /// Part of a run of blanks.
    Blank,
    /// A word by itself: punctuation, the end of a line, and ideographs, which are written without blanks.
    Single,
}

impl CharClass {
    fn of(c: char) -> Self {
        match c {
            '\n' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{20000}'.. => {
                CharClass::Single
            }
            '_' => CharClass::Letter,
            c if c.is_alphanumeric() => CharClass::Letter,
            c if c.is_whitespace() => CharClass::Blank,
            _ => CharClass::Single,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(before: &str, after: &str) -> String {
        let (mut out, mut at) = (String::new(), 0);
        for change in changes(before, after) {
            out.push_str(&before[at..change.before.start]);
            at = change.before.end;
            out.push_str(&format!("[{}|{}]", &before[change.before], &after[change.after]));
        }
        out + &before[at..]
    }

    #[test]
    fn changed_words_are_found() {
        assert_eq!(marked("a red fox", "a brown fox"), "a [red|brown] fox");
        assert_eq!(marked("a red fox", "a fox"), "a [red |]fox");
        assert_eq!(marked("a fox\n", "a fox\n\n"), "a fox\n[|\n]");
        assert_eq!(marked("f0.py", "f1.py"), "[f0|f1].py");
        assert_eq!(marked("same", "same"), "same");
        assert_eq!(marked("", "new"), "[|new]");
        assert_eq!(marked("我喜欢茶", "我喜欢咖啡"), "我喜欢[茶|咖啡]");
    }

    #[test]
    fn blanks_between_changes_belong_to_them() {
        assert_eq!(marked("one two three", "uno dos three"), "[one two|uno dos] three");
        assert_eq!(
            marked("entirely a different", "something a altogether"),
            "[entirely a different|something a altogether]"
        );
        assert_eq!(marked("left common right", "LEFT common RIGHT"), "[left|LEFT] common [right|RIGHT]");
    }

    #[test]
    fn the_search_is_limited() {
        let text = |seed: u64| {
            let word = |n: u64| format!("w{} ", (n.wrapping_mul(seed) >> 20) % 5_000);
            (0..100_000).map(|n| word(n * 7_919 + seed)).collect::<String>()
        };
        let (before, after) = (text(2_654_435_761), text(40_503));
        let changes = changes(&before, &after);
        assert!(!changes.is_empty());
        let (mut old, mut new) = (0, 0);
        for change in changes {
            assert_eq!(before[old..change.before.start], after[new..change.after.start]);
            (old, new) = (change.before.end, change.after.end);
        }
        assert_eq!(before[old..], after[new..]);
    }
}
