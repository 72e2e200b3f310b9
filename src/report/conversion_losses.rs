//! Losses of conversions, grouped by kind. Text shows a loss that is the only one of its kind in full, and several in one
//! line: how many, and where the first is.

use std::ops::RangeInclusive;

use foldhash::{HashMap, HashSet};

use crate::history::Code;
use crate::source::display_name;
use crate::target::Severity;

use super::grouping::DiagnosticKind;
use super::words::{count, group_digits};
use super::{Diagnostic, Style, rule_page};

/// The rules about conversions.
const RULES: RangeInclusive<u16> = 901..=999;

/// Losses of one kind.
struct LossGroup {
    first: Diagnostic,
    count: u64,
    paths: HashSet<String>,
}

/// The losses of a run, by kind, in the order of their first occurrence.
#[derive(Default)]
pub(super) struct ConversionLosses {
    kinds: Vec<LossGroup>,
    numbers: HashMap<DiagnosticKind, usize>,
}

/// True if a rule is about conversions.
pub(super) fn is_loss(code: Code) -> bool {
    RULES.contains(&code.0)
}

impl ConversionLosses {
    /// Counts a loss; false if the diagnostic is none, such as an error that prevents a conversion.
    pub(super) fn add(&mut self, diagnostic: &Diagnostic) -> bool {
        if !is_loss(diagnostic.rule) || diagnostic.severity == Severity::Error {
            return false;
        }
        let number = *self.numbers.entry(DiagnosticKind::of(diagnostic)).or_insert(self.kinds.len());
        if number == self.kinds.len() {
            self.kinds.push(LossGroup { first: diagnostic.clone(), count: 0, paths: HashSet::default() });
        }
        if let Some(kind) = self.kinds.get_mut(number) {
            kind.count += 1;
            if !kind.paths.contains(&diagnostic.path) {
                kind.paths.insert(diagnostic.path.clone());
            }
        }
        true
    }

    /// Counts losses that have the message of one that was added.
    pub(super) fn add_similar(&mut self, like: &Diagnostic, count: u64) {
        let number = self.numbers.get(&DiagnosticKind::of(like));
        if let Some(kind) = number.and_then(|number| self.kinds.get_mut(*number)) {
            kind.count += count;
        }
    }

    /// The losses to show in full, and the lines about the others.
    pub(super) fn into_lines(self, style: &Style) -> (Vec<Diagnostic>, String) {
        // A note takes a line at most.
        let is_single = |kind: &LossGroup| kind.count == 1 && kind.first.severity > Severity::Info;
        let (single, mut several): (Vec<LossGroup>, Vec<LossGroup>) = self.kinds.into_iter().partition(is_single);
        several.sort_by_key(|kind| std::cmp::Reverse(kind.first.severity));
        let mut lines: String = several.iter().map(|kind| kind.line(style)).collect();
        if several.iter().any(|kind| kind.count > 1) {
            lines += "(show each with -v)\n";
        }
        (single.into_iter().map(|kind| kind.first).collect(), lines)
    }
}

impl LossGroup {
    fn line(&self, style: &Style) -> String {
        let LossGroup { first, count: n, paths } = self;
        let location = &first.location;
        let (times, at) = match (*n, paths.len()) {
            (1, _) => (String::new(), "at"),
            (n, 1) => (format!(" ({} times)", group_digits(n)), "first at"),
            (n, files) => (format!(" ({} times in {})", group_digits(n), count(files as u64, "file")), "first at"),
        };
        let text = format!(
            "{} {} {}{times}: {}, {at} {}:{}:{}",
            first.severity.name(),
            first.rule,
            first.name,
            first.message,
            display_name(&first.path),
            location.line,
            location.column,
        );
        rule_page::wrap_text(&text, "", "  ", style)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Code;
    use crate::report::grouping::tests::finding;

    fn loss(code: u16, line: u64, message: &str) -> Diagnostic {
        Diagnostic { rule: Code(code), name: "lost", ..finding(line, message) }
    }

    #[test]
    fn losses_of_a_kind_are_one_line_with_their_number() {
        let mut losses = ConversionLosses::default();
        assert!((1..=1204).all(|n| losses.add(&loss(901, n, "dropped reasoning"))));
        assert!(losses.add(&loss(903, 7, "dropped an image")));
        let noted = Diagnostic { severity: Severity::Info, ..loss(910, 2, "set a limit") };
        assert!(losses.add(&noted));
        let (single, lines) = losses.into_lines(&Style { width: 200, ..Style::SMALL });
        assert_eq!(single.iter().map(|loss| loss.rule).collect::<Vec<_>>(), [Code(903)]);
        let wanted = "warning RL901 lost (1,204 times): dropped reasoning, first at a.jsonl:1:1\n\
                      info RL910 lost: set a limit, at a.jsonl:2:1\n\
                      (show each with -v)\n";
        assert_eq!(lines, wanted);
    }

    #[test]
    fn what_prevents_a_conversion_and_what_is_wrong_with_a_history_are_no_losses() {
        let mut losses = ConversionLosses::default();
        let error = Diagnostic { severity: Severity::Error, ..loss(912, 1, "nothing can be converted") };
        assert!(!losses.add(&error));
        assert!(!losses.add(&loss(303, 1, "not stored")));
        assert_eq!(losses.into_lines(&Style::SMALL).1, "");
    }

    #[test]
    fn other_words_are_another_kind_and_files_are_counted() {
        let mut losses = ConversionLosses::default();
        losses.add(&loss(908, 1, "dropped the setting \"seed\""));
        losses.add(&loss(908, 2, "dropped the setting \"stop\""));
        losses.add(&Diagnostic { path: "b.jsonl".to_owned(), ..loss(908, 3, "dropped the setting \"stop\"") });
        let (single, lines) = losses.into_lines(&Style { width: 200, ..Style::SMALL });
        assert_eq!(single.len(), 1);
        assert!(lines.starts_with(
            "warning RL908 lost (2 times in 2 files): dropped the setting \"stop\", first at a.jsonl:2:1\n"
        ));
    }
}
