//! Totals of a repair: how many changes there are, which findings they resolve, and what they remove, by kind and size.
//! That is what a person wants to know before anything is written.

use std::collections::BTreeMap;

use foldhash::HashMap;
use serde::Serialize;

use crate::history::{BlockFlags, ItemFlags, Kind, Role, Row};
use crate::judge::WeighedFinding;
use crate::place::Place;
use crate::repair::{Action, DocRepair, LengthChange};
use crate::rule::Loss;
use crate::target::Severity;

use super::words::{byte_size, count};

/// Numbers of items that a repair removed, moved, answered and rewrote, and what is lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeCounts {
    pub dropped: u64,
    pub moved: u64,
    pub stubbed: u64,
    pub rewritten: u64,
    pub lost: LossSummary,
    /// The length of what `--max-tokens` shortens; `None` without that.
    pub length: Option<LengthChange>,
    /// Errors and warnings that the repair resolves.
    pub errors: u64,
    pub warnings: u64,
}

impl ChangeCounts {
    /// Adds the repair of a document.
    pub fn add(&mut self, fixed: &DocRepair) {
        for change in &fixed.changes {
            match change.action {
                Action::Drop => self.dropped += 1,
                Action::Move => self.moved += 1,
                Action::Stub => self.stubbed += 1,
                Action::Rewrite | Action::Strip => self.rewritten += 1,
            }
        }
        self.lost.add(fixed);
        let of = |severity: Severity| {
            let count =
                |judged: &[WeighedFinding]| judged.iter().filter(|one| one.severity == severity).count() as u64;
            count(&fixed.before.findings).saturating_sub(count(&fixed.remaining().findings))
        };
        self.length = [self.length, fixed.length].into_iter().flatten().reduce(LengthChange::plus);
        self.errors += of(Severity::Error);
        self.warnings += of(Severity::Warning);
    }

    /// Number of all changes.
    pub fn total(&self) -> u64 {
        self.dropped + self.moved + self.stubbed + self.rewritten
    }

    /// The resolved findings in words: "1 error and 2 warnings"; `None` if there are none.
    pub fn resolved_words(&self) -> Option<String> {
        let kinds = [(self.errors, "error"), (self.warnings, "warning")].into_iter().filter(|(n, _)| *n > 0);
        let kinds: Vec<String> = kinds.map(|(n, what)| count(n, what)).collect();
        (!kinds.is_empty()).then(|| kinds.join(" and "))
    }

    /// All changes in words: "1 item removed, 2 placeholders added".
    pub fn words(&self) -> String {
        let parts = [
            (self.dropped, "item", "removed"),
            (self.moved, "item", "moved"),
            (self.stubbed, "placeholder", "added"),
            (self.rewritten, "item", "rewritten"),
        ];
        let parts = parts.into_iter().filter(|(n, ..)| *n > 0);
        parts.map(|(n, what, done)| format!("{} {done}", count(n, what))).collect::<Vec<_>>().join(", ")
    }
}

/// Losses of one kind: their number and their bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LossCount {
    /// `web search`, `encrypted reasoning`, `part of an item`.
    pub kind: String,
    pub count: u64,
    pub bytes: u64,
}

/// Losses by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LossSummary(BTreeMap<String, (u64, u64)>);

/// The kind of what is removed from an item that stays.
const PART: &str = "part of an item";

impl LossSummary {
    /// Adds what the changes of a document remove; only lossy ones count.
    fn add(&mut self, fixed: &DocRepair) {
        let mut parts: HashMap<Place, u64> = HashMap::default();
        for removed in &fixed.removed {
            *parts.entry(removed.item).or_default() += u64::from(removed.at.len);
        }
        for change in &fixed.changes {
            // The first change of an item removes its parts.
            let parts = parts.remove(&change.row.at).unwrap_or_default();
            if change.loss != Loss::Lossy {
                continue;
            }
            let (kind, bytes) = match change.action {
                Action::Drop => (noun(&change.row), u64::from(change.row.at.len)),
                Action::Move | Action::Stub | Action::Rewrite | Action::Strip => (PART.to_owned(), parts),
            };
            let of_kind = self.0.entry(kind).or_default();
            *of_kind = (of_kind.0 + 1, of_kind.1 + bytes);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The losses of each kind, sorted by name.
    pub fn list(&self) -> Vec<LossCount> {
        let all = self.0.iter();
        all.map(|(kind, (count, bytes))| LossCount { kind: kind.clone(), count: *count, bytes: *bytes }).collect()
    }

    /// All losses in words: "1 web search (812 bytes), 2 encrypted reasoning (2.1 KB)".
    pub fn words(&self) -> String {
        let words = self.0.iter().map(|(kind, (n, size))| match size {
            0 => count_words(*n, kind),
            size => format!("{} ({})", count_words(*n, kind), byte_size(*size)),
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

/// A number of things of a kind, in words.
fn count_words(n: u64, kind: &str) -> String {
    if kind == PART {
        return if n == 1 { "part of 1 item".to_owned() } else { format!("parts of {}", count(n, "item")) };
    }
    match kind.split_once(" of ") {
        Some((what, of)) => format!("{} of {of}", count(n, what)),
        None if n == 1 || kind.ends_with("ing") => format!("{} {kind}", super::words::group_digits(n)),
        None if kind.ends_with("ch") => format!("{} {kind}es", super::words::group_digits(n)),
        None => count(n, kind),
    }
}

/// The kind that an item is counted as.
fn noun(row: &Row) -> String {
    let with_role = |what: &str| match row.role {
        Role::User => format!("{what} of the user"),
        Role::Assistant => format!("{what} of the model"),
        _ => what.to_owned(),
    };
    match row.kind {
        _ if row.is_reference() => "reference".to_owned(),
        Kind::Reasoning if row.has(ItemFlags::BLOB) => "encrypted reasoning".to_owned(),
        Kind::Thinking if row.has(BlockFlags::SIGNED) => "signed thinking".to_owned(),
        Kind::Message | Kind::BlockMessage => with_role("message"),
        Kind::Media => "image or file".to_owned(),
        Kind::WebSearchCall => "web search".to_owned(),
        Kind::FileSearchCall => "file search".to_owned(),
        Kind::ImageGenerationCall => "generated image".to_owned(),
        Kind::McpCall => "MCP call".to_owned(),
        Kind::McpListTools => "MCP tool list".to_owned(),
        Kind::Unknown => "item".to_owned(),
        kind => kind.name().replace('_', " "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted_in_plain_words() {
        assert_eq!(count_words(1, "web search"), "1 web search");
        assert_eq!(count_words(2, "web search"), "2 web searches");
        assert_eq!(count_words(2, "encrypted reasoning"), "2 encrypted reasoning");
        assert_eq!(count_words(1_200, "message of the user"), "1,200 messages of the user");
        assert_eq!(count_words(3, PART), "parts of 3 items");
    }
}
