//! The difference of two histories, for people.

use std::io::{self, Write};

use foldhash::HashSet;

use crate::diff::align::EntryStatus;
use crate::diff::compare::{DiffCounts, HistoryComparison};
use crate::diff::continuation::{CacheBreak, Continuation, continuation};
use crate::diff::entries::UnsentEntry;
use crate::diff::entry::{Entry, text_of};
use crate::diff::equivalence::IdKind;
use crate::diff::item;
use crate::diff::renames::{Rename, RenamedIds};
use crate::diff::values::{ValueChange, ValueComparison};
use crate::history::Flags;
use crate::place::{DocId, Place};
use crate::source::{ReadAt, display_name, framing};

use super::changes::{Paint, ValueDisplay, write_lines};
use super::locator::pointers;
use super::mask;
use super::words::{count, wrap, write_wrapped};
use super::{ContentDisplay, Style, value_changes};

/// The summary of a comparison in words.
pub fn summary_words(sum: &DiffCounts, reordered: bool) -> String {
    let all = [
        (sum.same, "same"),
        (sum.changed, "changed"),
        (sum.moved, "moved"),
        (sum.added, "added"),
        (sum.removed, "removed"),
    ];
    let parts: Vec<String> = all.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    let mut words = if parts.is_empty() { "no items on either side".to_owned() } else { parts.join(", ") };
    let only_ids = !sum.has_item_differences() && sum.settings + sum.unpaired == 0 && !reordered;
    match sum.renamed {
        0 => {}
        n if only_ids => words.push_str(&format!("; only ids differ: {n} renamed")),
        n => words.push_str(&format!("; ids differ: {n} renamed")),
    }
    if sum.settings > 0 {
        words.push_str(&format!("; settings differ: {}", sum.settings));
    }
    if sum.unpaired > 0 {
        words.push_str(&format!("; only on one side: {}", count(sum.unpaired, "conversation")));
    }
    if reordered {
        words.push_str("; conversations in a different order");
    }
    words
}

/// The heading of one history of several: its number, its label and its records.
pub fn heading(difference: &HistoryComparison) -> String {
    let (before, after) = (&difference.histories.0, &difference.histories.1);
    let number = match (before, after) {
        (Some(a), Some(b)) if a.number != b.number => format!("{} → {}", a.number + 1, b.number + 1),
        (Some(found), _) | (_, Some(found)) => (found.number + 1).to_string(),
        (None, None) => String::new(),
    };
    let Some(found) = after.as_ref().or(before.as_ref()) else { return format!("conversation {number}") };
    let entries = if after.is_some() { &difference.after } else { &difference.before };
    let mut names: Vec<String> = found.label.iter().map(|label| mask::label(label)).collect();
    let records = || entries.iter().map(|entry| entry.record);
    match (records().min(), records().max()) {
        (Some(_), Some(last)) if found.is_branch => names.push(format!("branch to record {last}")),
        (Some(first), Some(last)) if first != last => names.push(format!("records {first} to {last}")),
        (Some(only), _) if only > 1 => names.push(format!("record {only}")),
        _ => {}
    }
    let names = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    let side = match (before, after) {
        (Some(_), None) => ": only in the first file",
        (None, Some(_)) => ": only in the second file",
        _ => "",
    };
    format!("conversation {number}{names}{side}")
}

/// True if there is anything to print: equal histories may differ in what a provider caches.
pub fn has_news(difference: &HistoryComparison) -> bool {
    difference.count().has_differences() || !continuation_lines(difference).is_empty()
}

/// Renamed ids that are listed; the others are counted.
const MOST_RENAMES: usize = 20;

/// Writes everything that differs, with the changes within it.
pub fn write(
    difference: &HistoryComparison,
    style: &Style,
    content: ContentDisplay,
    out: &mut dyn Write,
) -> io::Result<()> {
    let show = ValueDisplay { masked: content != ContentDisplay::Shown, width: style.width };
    let paint = Paint { color: style.color };
    for line in continuation_lines(difference) {
        let (what, rest) = line.split_once(':').unwrap_or((&line, ""));
        write_wrapped(&format!("{}:{rest}", paint.bold(what)), style.width, "", "  ", out)?;
        writeln!(out)?;
    }
    if !difference.settings.is_empty() {
        writeln!(out, "{}", paint.bold("settings"))?;
        for changes in difference.settings.chunk_by(|a, b| a.of == b.of) {
            value_changes::write(changes, &show, &paint, out)?;
        }
        writeln!(out)?;
    }
    for rename in difference.renames.iter().take(MOST_RENAMES) {
        let (words, place) = rename_words(difference, rename);
        let text = format!("{words} {place}");
        for (n, line) in wrap(&text, style.width, "", "  ").iter().enumerate() {
            match line.split_once(' ').filter(|_| n == 0) {
                Some((word, rest)) => writeln!(out, "{} {rest}", paint.bold(word))?,
                None => writeln!(out, "{line}")?,
            }
        }
    }
    if let Some(left) = difference.renames.len().checked_sub(MOST_RENAMES).filter(|left| *left > 0) {
        writeln!(out, "… {}", count(left as u64, "more renamed id"))?;
    }
    if !difference.renames.is_empty() {
        writeln!(out)?;
    }
    let unsent = unsent_lines(difference);
    for line in unsent.iter().flat_map(|text| wrap(text, style.width, "", "  ")) {
        writeln!(out, "{line}")?;
    }
    if !unsent.is_empty() {
        writeln!(out)?;
    }
    let renames = RenamedIds::of(&difference.renames);
    for fate in difference.statuses.iter().filter(|fate| !matches!(fate, EntryStatus::Same(..))) {
        let (_, before, after) = sides(difference, fate);
        let (head, place) = (entry_words(difference, fate), entry_place(difference, fate));
        // A place that does not fit beside the name is on a line of its own.
        let fits = head.chars().count() + place.chars().count() < style.width;
        writeln!(out, "{}{}{place}", paint.bold(&head), if fits { " " } else { "\n  " })?;
        match value_changes(difference, fate, &renames) {
            changes if !changes.is_empty() => value_changes::write(&changes, &show, &paint, out)?,
            _ if matches!(fate, EntryStatus::Moved(.., false)) => {}
            _ => write_lines(&item::lines(&text_of(before), &text_of(after), &show), &paint, out)?,
        }
        writeln!(out)?;
    }
    Ok(())
}

/// What happened to an entry, and its name.
pub(super) fn entry_words(difference: &HistoryComparison, fate: &EntryStatus) -> String {
    format!("{} {}", sides(difference, fate).0, entry_name(difference, fate))
}

/// The type of an entry and its id.
fn entry_name(difference: &HistoryComparison, fate: &EntryStatus) -> String {
    let (_, before, after) = sides(difference, fate);
    let name = after.or(before).map(|entry| match &entry.id {
        Some(id) => format!("{} {}", mask::phrase(&entry.kind), mask::id(id)),
        None => mask::phrase(&entry.kind),
    });
    name.unwrap_or_default()
}

/// Where an entry is, or was and is now.
pub(super) fn entry_place(difference: &HistoryComparison, fate: &EntryStatus) -> String {
    match sides(difference, fate) {
        (_, Some(before), Some(after)) => places(before, after),
        (_, before, after) => after.or(before).map(|entry| place(entry, false)).unwrap_or_default(),
    }
}

/// The members of an entry that changed; empty if it was added, removed or only moved.
pub(super) fn value_changes(
    difference: &HistoryComparison,
    fate: &EntryStatus,
    renames: &RenamedIds<'_>,
) -> Vec<ValueChange> {
    match (fate, sides(difference, fate)) {
        (EntryStatus::Changed(..) | EntryStatus::Moved(.., true), (_, Some(before), Some(after))) => {
            ValueComparison::of_entries(before, after, renames)
        }
        _ => Vec::new(),
    }
}

/// How the second history continues the first one, and whether the provider's prompt cache survives.
pub(super) fn continuation_lines(difference: &HistoryComparison) -> Vec<String> {
    let Continuation { appended, missing, cache_break } = continuation(difference);
    let mut lines = Vec::new();
    if appended > 0 {
        let names = kinds(difference.after.iter().skip(difference.after.len() - appended));
        lines.push(format!("appended {}: {names}", count(appended as u64, "item")));
    }
    if missing > 0 {
        let names = kinds(difference.before.iter().skip(difference.before.len() - missing));
        lines.push(format!("the second file lacks the last {}: {names}", count(missing as u64, "item")));
    }
    lines.extend(cache_break.map(|at| cache_words(difference, at)));
    lines
}

/// The types of entries, each with its number if there are several.
fn kinds<'e>(entries: impl Iterator<Item = &'e Entry>) -> String {
    let mut kinds: Vec<(&str, u64)> = Vec::new();
    for entry in entries {
        match kinds.iter_mut().find(|(kind, _)| *kind == entry.kind) {
            Some((_, n)) => *n += 1,
            None => kinds.push((&entry.kind, 1)),
        }
    }
    let words = |(kind, n): &(&str, u64)| match n {
        1 => mask::phrase(kind),
        n => format!("{n} × {}", mask::phrase(kind)),
    };
    kinds.iter().map(words).collect::<Vec<_>>().join(", ")
}

fn cache_words(difference: &HistoryComparison, at: CacheBreak) -> String {
    let n = match at {
        CacheBreak::Setting(n) => {
            let of = difference.settings.get(n).map_or("", |change| &change.of);
            return match of.starts_with("model") {
                true => "prompt cache: lost, because each model has its own".to_owned(),
                false => format!("prompt cache: lost from {} on, before all items", value_changes::setting(of)),
            };
        }
        CacheBreak::Entry(n) => n,
    };
    let Some(fate) = difference.statuses.get(n) else { return String::new() };
    let (name, place) = (entry_name(difference, fate), entry_place(difference, fate));
    // The item counts as the same, but providers do not sort keys.
    let why = match fate {
        EntryStatus::Same(..) => ", where the order of keys or the spacing of JSON differs",
        _ => "",
    };
    let kept = match n {
        0 => "no item can be reused".to_owned(),
        1 => "the first item can be reused".to_owned(),
        n => format!("the first {} can be reused", count(n as u64, "item")),
    };
    format!("prompt cache: lost from {name} on ({place}){why}; {kept}")
}

/// The items of both sides that are not sent, a sentence for each reason.
pub fn unsent_lines(difference: &HistoryComparison) -> Vec<String> {
    let [before, after] = difference.unsent.each_ref().map(|left| group_unsent(left));
    let mut parts = Vec::new();
    for group in &before {
        let file = if after.contains(group) { "both files" } else { "the first file" };
        parts.push(group.words(file));
    }
    parts.extend(after.iter().filter(|group| !before.contains(group)).map(|group| group.words("the second file")));
    parts
}

/// Items that are not sent, for one reason.
#[derive(PartialEq, Eq)]
struct UnsentGroup {
    why: &'static str,
    count: u64,
    /// Number of the first record.
    record: u32,
}

impl UnsentGroup {
    fn words(&self, file: &str) -> String {
        let UnsentGroup { why, count: n, record } = self;
        let items = count(*n, "item");
        match n {
            1 => format!("{items} of {file} is not sent, because {why} (record {record})"),
            _ => format!("{items} of {file} are not sent, each because {why} (first in record {record})"),
        }
    }
}

fn group_unsent(left: &[UnsentEntry]) -> Vec<UnsentGroup> {
    let mut all: Vec<UnsentGroup> = Vec::new();
    for UnsentEntry { why, record, .. } in left {
        match all.iter_mut().find(|group| group.why == *why) {
            Some(group) => group.count += 1,
            None => all.push(UnsentGroup { why, count: 1, record: *record }),
        }
    }
    all
}

/// A renamed id in words, and where it is.
#[expect(clippy::indexing_slicing, reason = "a difference names its own entries")]
pub(super) fn rename_words(difference: &HistoryComparison, rename: &Rename) -> (String, String) {
    let (a, b) = rename.first;
    let place = places(&difference.before[a], &difference.after[b]);
    let others = match (rename.places, rename.tie) {
        (0 | 1, _) => String::new(),
        (2, IdKind::Call) => ", and in its result".to_owned(),
        (n, _) => format!(", and in {}", count(n as u64 - 1, "more item")),
    };
    (format!("renamed {} → {}{others}", mask::id(&rename.before), mask::id(&rename.after)), place)
}

#[expect(clippy::indexing_slicing, reason = "a difference names its own entries")]
pub(super) fn sides<'d>(
    difference: &'d HistoryComparison,
    fate: &EntryStatus,
) -> (&'static str, Option<&'d Entry>, Option<&'d Entry>) {
    let (before, after) = (&difference.before, &difference.after);
    match *fate {
        EntryStatus::Same(a, b) => ("same", Some(&before[a]), Some(&after[b])),
        EntryStatus::Changed(a, b) => ("changed", Some(&before[a]), Some(&after[b])),
        EntryStatus::Moved(a, b, true) => ("moved and changed", Some(&before[a]), Some(&after[b])),
        EntryStatus::Moved(a, b, false) => ("moved", Some(&before[a]), Some(&after[b])),
        EntryStatus::Removed(a) => ("removed", Some(&before[a]), None),
        EntryStatus::Added(b) => ("added", None, Some(&after[b])),
    }
}

/// The place of an entry. Its record is named if it is not the first, or its counterpart is in another one.
fn place(entry: &Entry, with_record: bool) -> String {
    let pointer = display_name(&entry.pointer);
    match pointer.is_empty() {
        true => format!("record {}", entry.record),
        false if entry.record > 1 || with_record => format!("record {}, {pointer}", entry.record),
        false => pointer.into_owned(),
    }
}

fn places(before: &Entry, after: &Entry) -> String {
    let apart = before.record != after.record;
    let (before, after) = (place(before, apart), place(after, apart));
    if before == after { after } else { format!("{before} → {after}") }
}

/// Sets the pointer of each entry that is shown.
pub fn locate(
    differences: &mut [HistoryComparison],
    before: (DocId, &dyn ReadAt),
    after: (DocId, &dyn ReadAt),
) -> io::Result<()> {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for difference in differences {
        let (mut in_old, mut in_new) = (HashSet::default(), HashSet::default());
        for fate in &difference.statuses {
            match *fate {
                EntryStatus::Same(..) => {}
                EntryStatus::Changed(a, b) | EntryStatus::Moved(a, b, _) => {
                    in_old.insert(a);
                    in_new.insert(b);
                }
                EntryStatus::Removed(a) => drop(in_old.insert(a)),
                EntryStatus::Added(b) => drop(in_new.insert(b)),
            }
        }
        if let Some(CacheBreak::Entry(n)) = continuation(difference).cache_break
            && let Some(EntryStatus::Same(a, b)) = difference.statuses.get(n)
        {
            in_old.insert(*a);
            in_new.insert(*b);
        }
        in_old.extend(difference.renames.iter().map(|rename| rename.first.0));
        in_new.extend(difference.renames.iter().map(|rename| rename.first.1));
        let HistoryComparison { before, after, unsent: [left_old, left_new], .. } = difference;
        old.extend(
            before.iter_mut().enumerate().filter(|(n, _)| in_old.contains(n)).map(|(_, e)| (e.at, &mut e.pointer)),
        );
        new.extend(
            after.iter_mut().enumerate().filter(|(n, _)| in_new.contains(n)).map(|(_, e)| (e.at, &mut e.pointer)),
        );
        old.extend(left_old.iter_mut().map(|left| (left.at, &mut left.pointer)));
        new.extend(left_new.iter_mut().map(|left| (left.at, &mut left.pointer)));
    }
    locate_side(before, old)?;
    locate_side(after, new)
}

/// A place whose pointer is asked for, and the string that receives it.
type PointerSlot<'w> = (Place, &'w mut String);

fn locate_side((id, bytes): (DocId, &dyn ReadAt), wanted: Vec<PointerSlot<'_>>) -> io::Result<()> {
    if wanted.is_empty() {
        return Ok(());
    }
    let places: Vec<_> = wanted.iter().map(|(at, _)| (*at, Flags::default())).collect();
    let pointers = pointers(id, bytes, framing::sniff(bytes)?, &places)?;
    for (at, pointer) in wanted {
        *pointer = pointers.get(&at).map(|found| found.outer.clone()).unwrap_or_default();
    }
    Ok(())
}
