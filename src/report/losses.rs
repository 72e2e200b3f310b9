//! What conversions lose: hundreds of losses of one kind say no more than one of them. Text shows a loss that is the only one
//! of its kind in full, and of several one line: how many, and where the first is.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use crate::history::Code;
use crate::source::display_name;
use crate::target::Severity;

use super::counts::Kind;
use super::words::{count, grouped};
use super::{Diagnostic, Style, page};

/// The rules about conversions.
const RULES: RangeInclusive<u16> = 901..=999;

/// Losses of one kind.
struct Several {
    first: Diagnostic,
    count: u64,
    paths: HashSet<String>,
}

/// The losses of a run, by kind, in the order in which the kinds were met.
#[derive(Default)]
pub(super) struct Losses {
    kinds: Vec<Several>,
    numbers: HashMap<Kind, usize>,
}

/// Whether a rule is about conversions.
pub(super) fn is_loss(code: Code) -> bool {
    RULES.contains(&code.0)
}

impl Losses {
    /// Counts a loss. What prevents a conversion is none.
    pub(super) fn take(&mut self, diagnostic: &Diagnostic) -> bool {
        if !is_loss(diagnostic.rule) || diagnostic.severity == Severity::Error {
            return false;
        }
        let number = *self.numbers.entry(Kind::of(diagnostic)).or_insert(self.kinds.len());
        if number == self.kinds.len() {
            self.kinds.push(Several { first: diagnostic.clone(), count: 0, paths: HashSet::new() });
        }
        if let Some(kind) = self.kinds.get_mut(number) {
            kind.count += 1;
            if !kind.paths.contains(&diagnostic.path) {
                kind.paths.insert(diagnostic.path.clone());
            }
        }
        true
    }

    /// Those to show in full, and the lines about the others.
    pub(super) fn told(self, style: &Style) -> (Vec<Diagnostic>, String) {
        // What is only noted takes a line at most.
        let is_single = |kind: &Several| kind.count == 1 && kind.first.severity > Severity::Info;
        let (single, mut several): (Vec<Several>, Vec<Several>) = self.kinds.into_iter().partition(is_single);
        several.sort_by_key(|kind| std::cmp::Reverse(kind.first.severity));
        let mut lines: String = several.iter().map(|kind| kind.line(style)).collect();
        if several.iter().any(|kind| kind.count > 1) {
            lines += "(-v shows each of them)\n";
        }
        (single.into_iter().map(|kind| kind.first).collect(), lines)
    }
}

impl Several {
    fn line(&self, style: &Style) -> String {
        let Several { first, count: n, paths } = self;
        let spot = &first.spot;
        let (times, at) = match (*n, paths.len()) {
            (1, _) => (String::new(), "at"),
            (n, 1) => (format!(" ({} times)", grouped(n)), "first at"),
            (n, files) => (format!(" ({} times in {})", grouped(n), count(files as u64, "file")), "first at"),
        };
        let text = format!(
            "{} {} {}{times}: {}, {at} {}:{}:{}",
            first.severity.name(),
            first.rule,
            first.name,
            first.message,
            display_name(&first.path),
            spot.line,
            spot.column,
        );
        page::wrapped(&text, "", "  ", style)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Code;
    use crate::report::counts::tests::finding;

    fn loss(code: u16, line: u64, message: &str) -> Diagnostic {
        Diagnostic { rule: Code(code), name: "lost", ..finding(line, message) }
    }

    #[test]
    fn losses_of_a_kind_are_one_line_with_their_number() {
        let mut losses = Losses::default();
        assert!((1..=1204).all(|n| losses.take(&loss(901, n, "dropped reasoning"))));
        assert!(losses.take(&loss(903, 7, "dropped an image")));
        let noted = Diagnostic { severity: Severity::Info, ..loss(910, 2, "set a limit") };
        assert!(losses.take(&noted));
        let (single, lines) = losses.told(&Style { width: 200, ..Style::SMALL });
        assert_eq!(single.iter().map(|loss| loss.rule).collect::<Vec<_>>(), [Code(903)]);
        let wanted = "warning RL901 lost (1,204 times): dropped reasoning, first at a.jsonl:1:1\n\
                      info RL910 lost: set a limit, at a.jsonl:2:1\n\
                      (-v shows each of them)\n";
        assert_eq!(lines, wanted);
    }

    #[test]
    fn what_prevents_a_conversion_and_what_is_wrong_with_a_history_are_no_losses() {
        let mut losses = Losses::default();
        let error = Diagnostic { severity: Severity::Error, ..loss(912, 1, "nothing can be converted") };
        assert!(!losses.take(&error));
        assert!(!losses.take(&loss(303, 1, "not stored")));
        assert_eq!(losses.told(&Style::SMALL).1, "");
    }

    #[test]
    fn other_words_are_another_kind_and_files_are_counted() {
        let mut losses = Losses::default();
        losses.take(&loss(908, 1, "dropped the setting \"seed\""));
        losses.take(&loss(908, 2, "dropped the setting \"stop\""));
        losses.take(&Diagnostic { path: "b.jsonl".to_owned(), ..loss(908, 3, "dropped the setting \"stop\"") });
        let (single, lines) = losses.told(&Style { width: 200, ..Style::SMALL });
        assert_eq!(single.len(), 1);
        assert!(lines.starts_with(
            "warning RL908 lost (2 times in 2 files): dropped the setting \"stop\", first at a.jsonl:2:1\n"
        ));
    }
}
