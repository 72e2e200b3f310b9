//! A changed text for people: the words that changed with a little text around them or, where content is masked, how many
//! words changed and where.

use crate::diff::words::{self, WordChange};
use crate::json::string::escaped;

use super::words::{count, group_digits, replace_hidden};

/// A part of a changed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextRun {
    pub kind: RunKind,
    /// As in JSON, with escapes.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunKind {
    Same,
    Removed,
    Added,
    /// Text that is left out, and how much.
    Gap,
}

/// Characters of unchanged text on each side of a change.
const CONTEXT: usize = 40;
/// Characters of the words that were removed or added.
const MAX_CHANGED: usize = 240;
/// Changes of a text that are shown; the others are counted.
const MAX_CHANGES: usize = 8;

/// A text whose words changed.
pub(super) struct WordDiff<'t> {
    before: &'t str,
    after: &'t str,
    changes: Vec<WordChange>,
}

impl<'t> WordDiff<'t> {
    pub(super) fn new(before: &'t str, after: &'t str) -> Self {
        WordDiff { before, after, changes: words::changes(before, after) }
    }

    /// The changed words and the text around them.
    pub(super) fn runs(&self) -> Vec<TextRun> {
        let mut runs = Vec::new();
        let mut at = 0;
        for (n, change) in self.changes.iter().take(MAX_CHANGES).enumerate() {
            let between = self.before.get(at..change.before.start).unwrap_or_default();
            push_shortened(between, if n == 0 { 0 } else { CONTEXT }, CONTEXT, RunKind::Same, &mut runs);
            for (kind, text) in [(RunKind::Removed, self.removed(change)), (RunKind::Added, self.added(change))] {
                push_shortened(text, MAX_CHANGED / 3 * 2, MAX_CHANGED / 3, kind, &mut runs);
            }
            at = change.before.end;
        }
        let rest = self.before.get(at..).unwrap_or_default();
        match self.changes.len().saturating_sub(MAX_CHANGES) {
            0 => push_shortened(rest, CONTEXT, 0, RunKind::Same, &mut runs),
            more => {
                let next = rest.chars().take(CONTEXT).collect::<String>();
                push(&next, RunKind::Same, &mut runs);
                let text = format!("…({})", count(more as u64, "more change"));
                runs.push(TextRun { kind: RunKind::Gap, text });
            }
        }
        runs
    }

    /// The changes, each with its place and its words.
    pub(super) fn changes(&self) -> impl Iterator<Item = PlacedWords<'_>> {
        let (mut seen, mut line, mut character) = (0, 1, 1);
        self.changes.iter().map(move |change| {
            let between = self.before.get(seen..change.before.start).unwrap_or_default();
            line += count_lines(between);
            character += between.chars().count() as u64;
            let placed = PlacedWords { line, character, before: self.removed(change), after: self.added(change) };
            seen = change.before.start;
            placed
        })
    }

    /// How many words changed, and where in the text before: no content.
    pub(super) fn summary(&self) -> String {
        let (mut removed, mut added) = (0, 0);
        let (mut first, mut last) = (None, None);
        for change in self.changes() {
            removed += count_words(change.before);
            added += count_words(change.after);
            let end = Position {
                line: change.line + count_lines(change.before),
                character: change.character + (change.before.chars().count() as u64).saturating_sub(1),
            };
            first.get_or_insert(Position { line: change.line, character: change.character });
            last = Some(end);
        }
        let words = match (removed, added) {
            (0, 0) => "spacing or punctuation changed".to_owned(),
            (0, n) => format!("{} added", count(n, "word")),
            (n, 0) => format!("{} removed", count(n, "word")),
            (n, m) => format!("{} removed, {} added", count(n, "word"), group_digits(m)),
        };
        let (Some(first), Some(last)) = (first, last) else { return words };
        let range = |what: &str, from: u64, to: u64| match from == to {
            true => format!("{what} {}", group_digits(from)),
            false => format!("{what}s {} to {}", group_digits(from), group_digits(to)),
        };
        let characters = range("character", first.character, last.character);
        match self.before.contains('\n') {
            true => format!("{words} in {} ({characters})", range("line", first.line, last.line)),
            false => format!("{words} at {characters}"),
        }
    }

    fn removed(&self, change: &WordChange) -> &'t str {
        self.before.get(change.before.clone()).unwrap_or_default()
    }

    fn added(&self, change: &WordChange) -> &'t str {
        self.after.get(change.after.clone()).unwrap_or_default()
    }
}

/// Words that changed, and where they begin in the text before.
pub(super) struct PlacedWords<'t> {
    /// From 1.
    pub line: u64,
    /// From 1.
    pub character: u64,
    pub before: &'t str,
    pub after: &'t str,
}

#[derive(Clone, Copy)]
struct Position {
    line: u64,
    character: u64,
}

fn count_lines(text: &str) -> u64 {
    memchr::memchr_iter(b'\n', text.as_bytes()).count() as u64
}

fn count_words(text: &str) -> u64 {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).count() as u64
}

fn push(text: &str, kind: RunKind, runs: &mut Vec<TextRun>) {
    if !text.is_empty() {
        runs.push(TextRun { kind, text: replace_hidden(&escaped(text)) });
    }
}

/// Appends the head and the tail of a text, and the number of characters between.
fn push_shortened(text: &str, head: usize, tail: usize, kind: RunKind, runs: &mut Vec<TextRun>) {
    let chars = text.chars().count();
    // The words that say how much is left out need room themselves.
    const GAP: usize = 12;
    if chars <= head + tail + GAP {
        push(text, kind, runs);
        return;
    }
    push(&text.chars().take(head).collect::<String>(), kind, runs);
    let left_out = format!("…({})…", count((chars - head - tail) as u64, "char"));
    runs.push(TextRun { kind: RunKind::Gap, text: left_out });
    push(&text.chars().skip(chars - tail).collect::<String>(), kind, runs);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(before: &str, after: &str) -> String {
        let mark = |run: TextRun| match run.kind {
            RunKind::Same | RunKind::Gap => run.text,
            RunKind::Removed => format!("[-{}-]", run.text),
            RunKind::Added => format!("{{+{}+}}", run.text),
        };
        WordDiff::new(before, after).runs().into_iter().map(mark).collect()
    }

    #[test]
    fn a_change_is_shown_with_text_around_it() {
        let text = |word: &str| format!("{}\n{word} {}", "before ".repeat(20), "after ".repeat(20));
        assert_eq!(
            shown(&text("old"), &text("new")),
            "…(101 chars)…ore before before before before before \\n[-old-]{+new+} after after after after after after aft…(81 chars)…"
        );
        let summary = WordDiff::new(&text("old"), &text("new")).summary();
        assert_eq!(summary, "1 word removed, 1 added in line 2 (characters 142 to 144)");
        assert_eq!(WordDiff::new("a b", "a  b").summary(), "spacing or punctuation changed at character 2");
        assert_eq!(WordDiff::new("a b", "a new b").summary(), "1 word added at character 3");
    }

    #[test]
    fn many_changes_are_counted() {
        let text = |word: &str| (0..20).map(|n| format!("number{n} {word} and so on, ")).collect::<String>();
        let shown = shown(&text("old"), &text("new"));
        assert!(shown.ends_with("…(12 more changes)"), "{shown}");
        assert_eq!(shown.matches("[-old-]{+new+}").count(), MAX_CHANGES);
    }
}
