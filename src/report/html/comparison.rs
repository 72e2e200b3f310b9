//! Two documents on a page: the items of both, in one list, each with its fate.

use std::io::{self, Write};

use serde_json::json;

use crate::diff::align::EntryStatus;
use crate::diff::compare::{DiffCounts, HistoryComparison};
use crate::diff::entry::text_of;
use crate::diff::item::{self, DiffLine};
use crate::diff::renames::RenamedIds;
use crate::report::changes::Paint;
use crate::report::diff_contract::DiffSummary;
use crate::report::outputs::json::put;
use crate::report::value_changes::{self, ValueNote};
use crate::report::{history_diff, mask};

use super::data::{PageDoc, PageHistory, PageItem};
use super::frame::PageFrame;
use super::item::{of_text, value_display};

/// Writes the comparison of two documents.
pub fn write(
    paths: (&str, &str),
    differences: &[HistoryComparison],
    reordered: bool,
    content: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut doc =
        PageDoc { command: "diff", path: format!("{} → {}", paths.0, paths.1), content, ..PageDoc::default() };
    let mut sum = DiffCounts::default();
    for (number, difference) in (0u32..).zip(differences) {
        sum.add(difference.count());
        let start = doc.items.len() as u32;
        let renames = RenamedIds::of(&difference.renames);
        let items = difference.statuses.iter().filter_map(|fate| item_of(difference, fate, &renames, content));
        doc.items.extend(items);
        let end = doc.items.len() as u32;
        let label = (differences.len() > 1).then(|| history_diff::heading(difference));
        doc.histories.push(PageHistory {
            number,
            label,
            start,
            end,
            length: end - start,
            notes: notes(difference, content),
            ..PageHistory::default()
        });
    }
    let mut frame = PageFrame::default();
    frame.doc(&serde_json::to_string(&doc)?, out)?;
    let mut summary = json!(DiffSummary::from(sum));
    put(&mut summary, "words", json!(history_diff::summary_words(&sum, reordered)));
    frame.finish(&json!({ "summary": summary }), out)
}

/// The differences that are not in items.
fn notes(difference: &HistoryComparison, content: bool) -> Vec<String> {
    let show = value_display(content);
    let mut notes = history_diff::continuation_lines(difference);
    notes.extend(
        difference.settings.iter().map(|change| {
            value_changes::sentence(change, &ValueNote::new(change, &show), &Paint { color: false })
        }),
    );
    let renamed = difference.renames.iter();
    notes.extend(
        renamed.map(|rename| format!("renamed {} → {}", mask::id(&rename.before), mask::id(&rename.after))),
    );
    notes.extend(history_diff::unsent_lines(difference));
    notes
}

fn item_of(
    difference: &HistoryComparison,
    fate: &EntryStatus,
    renames: &RenamedIds<'_>,
    content: bool,
) -> Option<PageItem> {
    let old = |ix: usize| difference.before.get(ix);
    let new = |ix: usize| difference.after.get(ix);
    let (name, before, after) = match *fate {
        EntryStatus::Same(a, b) => ("same", old(a), new(b)),
        EntryStatus::Changed(a, b) => ("changed", old(a), new(b)),
        EntryStatus::Moved(a, b, _) => ("moved", old(a), new(b)),
        EntryStatus::Removed(a) => ("removed", old(a), None),
        EntryStatus::Added(b) => ("added", None, new(b)),
    };
    let own = after.or(before)?;
    let changed = matches!(fate, EntryStatus::Changed(..) | EntryStatus::Moved(.., true));
    let show = value_display(content);
    let changes = history_diff::value_changes(difference, fate, renames);
    let lines: Vec<DiffLine> = match changes.as_slice() {
        [] if changed => item::lines(&text_of(before), &text_of(after), &show),
        changes => changes.iter().flat_map(|change| ValueNote::new(change, &show).lines()).collect(),
    };
    let (says, json) = of_text(&own.text.bytes(), content);
    let pointers: Vec<&str> = [before, after].into_iter().flatten().map(|entry| &*entry.pointer).collect();
    let pointer = match *pointers.as_slice() {
        [a, b] if a != b => format!("{a} → {b}"),
        [one, ..] => one.to_owned(),
        [] => String::new(),
    };
    Some(PageItem {
        kind: mask::phrase(&own.kind),
        class: class(&own.kind),
        id: own.id.as_deref().map(mask::id),
        pointer,
        record: own.record,
        bytes: own.text.size() as u64,
        says,
        json,
        fate: Some(name),
        lines: lines.into_iter().map(Into::into).collect(),
        ..PageItem::default()
    })
}

/// The author of an entry, as far as its kind says.
fn class(kind: &str) -> &'static str {
    const CLASSES: [(&str, &str); 12] = [
        ("(user)", "user"),
        ("(assistant)", "model"),
        ("(model)", "model"),
        ("(tool)", "output"),
        ("message", "instructions"),
        ("reasoning", "reasoning"),
        ("output", "output"),
        ("result", "output"),
        ("call", "call"),
        ("text of the user", "user"),
        ("text", "model"),
        ("instructions", "instructions"),
    ];
    CLASSES.iter().find(|(part, _)| kind.contains(part)).map_or("other", |(_, class)| class)
}
