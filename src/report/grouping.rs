//! Groups of findings that differ only in their location. Text shows the first of a group in full, and for the others
//! how many there are and where the next ones are.

use foldhash::HashMap;

use crate::source::display_name;
use crate::target::Severity;

use super::words::group_digits;
use super::{Diagnostic, Style, rule_page};

/// Findings of a group that are shown in full.
pub(super) const SHOWN_IN_FULL: usize = 2;
/// Locations that are named for the rest of a group.
pub(super) const NAMED_PLACES: usize = 8;

/// What the findings of a group have in common.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct DiagnosticKind {
    rule: u16,
    severity: Severity,
    /// The message without ids and numbers.
    words: String,
    fix: Option<String>,
    no_fix: Option<&'static str>,
}

impl DiagnosticKind {
    pub(super) fn of(diagnostic: &Diagnostic) -> DiagnosticKind {
        let ids = [&diagnostic.id, &diagnostic.call_id].map(|id| id.as_deref().map(bare));
        let mut words = String::with_capacity(diagnostic.message.len());
        for (n, word) in diagnostic.message.split(' ').enumerate() {
            let is_name = word.bytes().any(|b| b.is_ascii_digit()) || ids.contains(&Some(bare(word)));
            words.push_str(if n > 0 { " " } else { "" });
            words.push_str(if is_name { "#" } else { word });
        }
        DiagnosticKind {
            rule: diagnostic.rule.0,
            severity: diagnostic.severity,
            words,
            fix: diagnostic.fix.as_ref().map(|fix| fix.title.clone()),
            no_fix: diagnostic.no_fix,
        }
    }
}

/// A word without punctuation: a masked id ends with an ellipsis.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_')
}

/// The findings of a document: those to show in full, and the rest of each larger group.
pub(super) struct DiagnosticGroups<'d> {
    pub(super) in_full: Vec<&'d Diagnostic>,
    pub(super) others: Vec<OtherFindings<'d>>,
    /// Number of findings that were only counted, and whose group is shown in full.
    pub(super) only_counted: u64,
}

/// The findings of a group that are not shown in full.
pub(super) struct OtherFindings<'d> {
    pub(super) findings: Vec<&'d Diagnostic>,
    /// Number of further findings, which were only counted.
    pub(super) more: u64,
}

impl<'d> DiagnosticGroups<'d> {
    /// `more` gives, for some diagnostics, how many similar ones were only counted.
    pub(super) fn of(diagnostics: Vec<&'d Diagnostic>, more: &[(&'d Diagnostic, u64)], style: &Style) -> Self {
        if !style.grouped {
            return DiagnosticGroups { in_full: diagnostics, others: Vec::new(), only_counted: 0 };
        }
        let mut numbers: HashMap<DiagnosticKind, usize> = HashMap::default();
        let mut kinds: Vec<Vec<&Diagnostic>> = Vec::new();
        let mut of = Vec::with_capacity(diagnostics.len());
        for diagnostic in &diagnostics {
            let number = *numbers.entry(DiagnosticKind::of(diagnostic)).or_insert(kinds.len());
            match kinds.get_mut(number) {
                Some(kind) => {
                    of.push((number, kind.len()));
                    kind.push(diagnostic);
                }
                None => {
                    of.push((number, 0));
                    kinds.push(vec![diagnostic]);
                }
            }
        }
        // A line that says "1 more" is no shorter than that finding.
        let is_many = |kind: &[&Diagnostic]| kind.len() > SHOWN_IN_FULL + 1;
        let in_full = diagnostics.into_iter().zip(of);
        let is_few = |kind: usize| kinds.get(kind).is_none_or(|kind| !is_many(kind));
        let in_full = in_full.filter(|(_, (kind, nth))| *nth < SHOWN_IN_FULL || is_few(*kind));
        let in_full = in_full.map(|(diagnostic, _)| diagnostic).collect();
        let mut counts: HashMap<usize, u64> = HashMap::default();
        for (like, count) in more {
            if let Some(number) = numbers.get(&DiagnosticKind::of(like)) {
                *counts.entry(*number).or_default() += count;
            }
        }
        let others =
            kinds.iter().enumerate().filter(|(_, kind)| is_many(kind)).map(|(number, kind)| OtherFindings {
                findings: kind.iter().skip(SHOWN_IN_FULL).copied().collect(),
                more: counts.get(&number).copied().unwrap_or(0),
            });
        let others = others.collect();
        let only_counted = counts.iter().filter(|(number, _)| is_few(**number)).map(|(_, count)| count).sum();
        DiagnosticGroups { in_full, others, only_counted }
    }
}

/// One line about the rest of a group: how many, and where the first of them are.
pub(super) fn summary_line(others: &OtherFindings<'_>, style: &Style) -> Option<String> {
    let OtherFindings { findings: others, more } = others;
    let first = others.first()?;
    let same_line = others.iter().all(|other| other.location.line == first.location.line);
    let place = |other: &&Diagnostic| match same_line && !other.location.pointer.is_empty() {
        true => other.location.pointers(),
        false => other.location.line.to_string(),
    };
    let mut places: Vec<String> = others.iter().map(place).collect();
    places.dedup();
    // Findings that were only counted are elsewhere, unless all are on one line without places of its own.
    let is_one_place = same_line && first.location.pointer.is_empty();
    let rest = if places.len() > NAMED_PLACES || *more > 0 && !is_one_place { ", …" } else { "" };
    places.truncate(NAMED_PLACES);
    let at = match (same_line && !first.location.pointer.is_empty(), places.len()) {
        (true, _) => "at",
        (false, 1) => "on line",
        (false, _) => "on lines",
    };
    let text = format!(
        "{} {} {}: {} more in {} {at} {}{rest} (show all with -v)",
        first.severity.name(),
        first.rule,
        first.name,
        group_digits(others.len() as u64 + more),
        display_name(&first.path),
        places.join(", "),
    );
    Some(rule_page::wrap_text(&text, "", "  ", style))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::history::Code;
    use crate::report::Location;
    use crate::rule::Evidence;

    pub(in crate::report) fn finding(n: u64, message: &str) -> Diagnostic {
        Diagnostic {
            rule: Code(303),
            variant: 0,
            name: "item-not-stored",
            severity: Severity::Warning,
            always_shown: false,
            message: message.to_owned(),
            path: "a.jsonl".to_owned(),
            history: Some(0),
            record: n as u32,
            location: Location { line: n, column: 1, pointer: "/payload".to_owned(), ..Location::default() },
            id: None,
            identity: crate::report::FindingIdentity::default(),
            call_id: Some("call_rome".to_owned()),
            related: Vec::new(),
            api_message: None,
            status: 400,
            error_type: "",
            error_param: None,
            error_code: None,
            evidence: Evidence::Reported,
            target: "openai",
            format: None,
            fix: None,
            no_fix: None,
            conversation_pointer: None,
            snippet: None,
            proposal: Vec::new(),
        }
    }

    #[test]
    fn many_of_a_kind_are_two_and_a_line() {
        let mut all: Vec<Diagnostic> =
            (1..=4000).map(|n| finding(n, &format!("item msg_{n} is not stored"))).collect();
        all.push(finding(4001, "item call_rome is not stored"));
        all.push(finding(4002, "another message"));
        let kinds = DiagnosticGroups::of(all.iter().collect(), &[], &Style::SMALL);
        let lines: Vec<u64> = kinds.in_full.iter().map(|d| d.location.line).collect();
        assert_eq!(lines, [1, 2, 4002]);
        let line = summary_line(&kinds.others[0], &Style { width: 200, ..Style::SMALL }).expect("a line");
        assert_eq!(
            line,
            "warning RL303 item-not-stored: 3,999 more in a.jsonl on lines 3, 4, 5, 6, 7, 8, 9, 10, … (show all with -v)\n"
        );
    }

    #[test]
    fn a_few_of_a_kind_and_all_that_were_asked_for_are_shown() {
        let all: Vec<Diagnostic> = (1..=3).map(|n| finding(n, "item is not stored")).collect();
        assert_eq!(DiagnosticGroups::of(all.iter().collect(), &[], &Style::SMALL).in_full.len(), 3);
        let all: Vec<Diagnostic> = (1..=9).map(|n| finding(n, "item is not stored")).collect();
        let style = Style { grouped: false, ..Style::SMALL };
        assert_eq!(DiagnosticGroups::of(all.iter().collect(), &[], &style).in_full.len(), 9);
    }

    #[test]
    fn places_on_one_line_are_named_by_their_pointers() {
        let mut all: Vec<Diagnostic> = (1..=4).map(|_| finding(1, "item is not stored")).collect();
        for (n, finding) in all.iter_mut().enumerate() {
            finding.location.pointer = format!("/input/{n}");
        }
        let kinds = DiagnosticGroups::of(all.iter().collect(), &[], &Style::SMALL);
        let line = summary_line(&kinds.others[0], &Style { width: 200, ..Style::SMALL }).expect("a line");
        assert!(line.contains("2 more in a.jsonl at /input/2, /input/3 (show"), "{line}");
    }
}
