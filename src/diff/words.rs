//! The words of a text that were replaced, from the longest sequence of words that both texts share.

use std::ops::Range;

use crate::json::string::fingerprint_of;

use super::sequence::{self, MAX_SEARCHED};

/// A range of words that was replaced, as bytes of both texts. One of them is empty if words were only added or removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordChange {
    pub before: Range<usize>,
    pub after: Range<usize>,
}

/// The words that were replaced, in order. Long texts are compared in pieces of several words first, so that the work is
/// limited; what differs in tens of thousands of words in a row is one change.
pub fn changes(before: &str, after: &str) -> Vec<WordChange> {
    let texts = (before, after);
    let words = (Pieces::words(before), Pieces::words(after));
    let all = match words.0.len() + words.1.len() > MAX_SEARCHED {
        false => words.0.replaced(&words.1, texts),
        true => {
            let pieces = words.0.joined(before).replaced(&words.1.joined(after), texts);
            pieces.into_iter().flat_map(|piece| changes_within(texts, piece)).collect()
        }
    };
    let mut changes: Vec<WordChange> = Vec::new();
    for change in all {
        match changes.last_mut().filter(|last| is_negligible(before, last, &change)) {
            Some(last) => {
                (last.before.end, last.after.end) = (change.before.end, change.after.end);
            }
            None => changes.push(change),
        }
    }
    changes.iter_mut().for_each(|change| trim(texts, change));
    changes
}

/// Words longer than this are data, such as an image, in bytes.
const MAX_WORD: usize = 64;

/// Leaves the characters out of a long change that both texts begin or end with, as those of data do.
fn trim((before, after): (&str, &str), change: &mut WordChange) {
    let (Some(old), Some(new)) = (before.get(change.before.clone()), after.get(change.after.clone())) else {
        return;
    };
    let is_long = |text: &str| text.len() > MAX_WORD && !text.contains(char::is_whitespace);
    if !is_long(old) || !is_long(new) {
        return;
    }
    let bytes = |same: &mut dyn Iterator<Item = (char, char)>| -> usize {
        same.take_while(|(a, b)| a == b).map(|(c, _)| c.len_utf8()).sum()
    };
    let head = bytes(&mut old.chars().zip(new.chars()));
    let (old, new) = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let tail = bytes(&mut old.chars().rev().zip(new.chars().rev()));
    for range in [&mut change.before, &mut change.after] {
        *range = range.start + head..range.end - tail;
    }
}

/// The words that were replaced within a change.
fn changes_within((before, after): (&str, &str), change: WordChange) -> Vec<WordChange> {
    let texts = (
        before.get(change.before.clone()).unwrap_or_default(),
        after.get(change.after.clone()).unwrap_or_default(),
    );
    let shifted = |range: Range<usize>, by: usize| range.start + by..range.end + by;
    let words = Pieces::words(texts.0).replaced(&Pieces::words(texts.1), texts).into_iter();
    let whole = words.map(|words| WordChange {
        before: shifted(words.before, change.before.start),
        after: shifted(words.after, change.after.start),
    });
    whole.collect()
}

/// True if the text between two changes is not worth reading on its own: it has no words, or few letters compared with both.
fn is_negligible(text: &str, last: &WordChange, next: &WordChange) -> bool {
    let between = text.get(last.before.end..next.before.start).unwrap_or_default();
    let letters = between.chars().filter(|c| c.is_alphanumeric()).count();
    let size = |change: &WordChange| change.before.len().min(change.after.len());
    letters == 0 || letters * 4 <= size(last).min(size(next))
}

/// The offsets at which the pieces of a text begin, and its end.
struct Pieces(Vec<usize>);

impl Pieces {
    /// Words, runs of blanks, and single characters.
    fn words(text: &str) -> Self {
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
        Pieces(starts)
    }

    /// Pieces of about 32 of these. Where one ends depends only on its last word, so that equal texts have equal pieces
    /// wherever they are.
    fn joined(&self, text: &str) -> Self {
        let mut starts = vec![0];
        for (word, end) in self.texts(text).into_iter().zip(self.0.iter().skip(1)) {
            if fingerprint_of(word.as_bytes()).is_multiple_of(32) {
                starts.push(*end);
            }
        }
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Pieces(starts)
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn texts<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let bounds = self.0.iter().zip(self.0.iter().skip(1));
        bounds.map(|(from, to)| text.get(*from..*to).unwrap_or_default()).collect()
    }

    fn replaced(&self, other: &Pieces, (before, after): (&str, &str)) -> Vec<WordChange> {
        let ranges = sequence::replaced(&self.texts(before), &other.texts(after)).into_iter();
        ranges.map(|(old, new)| WordChange { before: self.bytes(old), after: other.bytes(new) }).collect()
    }

    /// The bytes of a range of pieces.
    fn bytes(&self, pieces: Range<usize>) -> Range<usize> {
        let at = |piece: usize| self.0.get(piece).or(self.0.last()).copied().unwrap_or_default();
        at(pieces.start)..at(pieces.end)
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
        let data = "0123456789".repeat(9);
        assert_eq!(marked(&data, &data.replacen("90", "9é0", 1)), data.replacen("90", "9[|é]0", 1));
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
    fn long_texts_are_compared_with_limited_work() {
        let text = |of: &dyn Fn(u64) -> String| (0..60_000).map(of).collect::<String>();
        let word = |n: u64| format!("w{} ", n.wrapping_mul(2_654_435_761) >> 7 & 4_095);
        let before = text(&word);
        let edited = text(&|n| if n % 2_000 == 99 { "edited ".to_owned() } else { word(n) });
        let found = changes(&before, &edited);
        assert_eq!(found.len(), 30);
        assert!(found.iter().all(|change| &edited[change.after.clone()] == "edited"), "{found:?}");
        // Texts that share words in another order, and the same words throughout.
        for (before, after) in [(before, text(&|n| word(n * n))), ("a b ".repeat(60_000), "b c ".repeat(60_000))] {
            let (mut old, mut new) = (0, 0);
            for change in changes(&before, &after) {
                assert_eq!(before[old..change.before.start], after[new..change.after.start]);
                (old, new) = (change.before.end, change.after.end);
            }
            assert_eq!(before[old..], after[new..]);
        }
    }
}
