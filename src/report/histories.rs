//! The difference of two histories, for people and for programs.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, Write};

use crate::diff::align::Became;
use crate::diff::compare::{Difference, Fates};
use crate::diff::entries::Entry;
use crate::diff::item::{self, Show};
use crate::history::Flags;
use crate::json::Val;
use crate::place::DocId;
use crate::source::{ReadAt, framing};

use super::contract;
use super::place::pointers;
use super::repair::{Paint, Shown, write_lines};
use super::words::printable;
use super::{Content, Style};

/// The fates in words.
pub fn words(fates: &Fates) -> String {
    let all = [
        (fates.same, "same"),
        (fates.changed, "changed"),
        (fates.moved, "moved"),
        (fates.added, "added"),
        (fates.removed, "removed"),
    ];
    let told: Vec<String> = all.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    if told.is_empty() { "no items on either side".to_owned() } else { told.join(", ") }
}

/// Everything but what is the same, with what changed in it.
pub fn write(difference: &Difference, style: &Style, content: Content, out: &mut dyn Write) -> io::Result<()> {
    let show = Shown { masked: content != Content::Shown, width: style.width };
    let paint = Paint { color: style.color };
    for fate in &difference.fates {
        let (word, before, after) = sides(difference, fate);
        if matches!(fate, Became::Same(..)) {
            continue;
        }
        let named = after.or(before);
        let place = match (before, after) {
            (Some(before), Some(after)) if place(before) != place(after) => {
                format!("{} → {}", place(before), place(after))
            }
            _ => named.map(place).unwrap_or_default(),
        };
        let name = named.map(|entry| match &entry.id {
            Some(id) => format!("{} {}", printable(&entry.kind), printable(id)),
            None => printable(&entry.kind),
        });
        writeln!(out, "{} {place}", paint.bold(&format!("{word} {}", name.unwrap_or_default())))?;
        if !matches!(fate, Became::Moved(.., false)) {
            let text = |entry: Option<&Entry>| entry.map(|entry| entry.text.clone()).unwrap_or_default();
            let telling = Telling { show: &show, seen: RefCell::default() };
            write_lines(&item::lines(&text(before), &text(after), &telling), &paint, out)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Two strings that differ must not look alike because they are masked.
struct Telling<'s> {
    show: &'s Shown,
    /// How a string looks → the strings that look so.
    seen: RefCell<HashMap<String, Vec<Vec<u8>>>>,
}

impl Telling<'_> {
    fn told_apart(&self, looks: String, val: Val<'_>) -> String {
        let mut seen = self.seen.borrow_mut();
        let alike = seen.entry(looks.clone()).or_default();
        let n = alike.iter().position(|own| own == val.raw()).unwrap_or_else(|| {
            alike.push(val.raw().to_vec());
            alike.len() - 1
        });
        if n == 0 { looks } else { format!("{looks} (different, {})", n + 1) }
    }
}

impl Show for Telling<'_> {
    fn string(&self, val: Val<'_>, key: Option<&str>) -> String {
        self.told_apart(self.show.string(val, key), val)
    }

    fn number(&self, val: Val<'_>) -> String {
        self.told_apart(self.show.number(val), val)
    }
}

fn sides<'d>(difference: &'d Difference, fate: &Became) -> (&'static str, Option<&'d Entry>, Option<&'d Entry>) {
    let (before, after) = (&difference.before, &difference.after);
    match *fate {
        Became::Same(a, b) => ("same", Some(&before[a]), Some(&after[b])),
        Became::Changed(a, b) => ("changed", Some(&before[a]), Some(&after[b])),
        Became::Moved(a, b, true) => ("moved and changed", Some(&before[a]), Some(&after[b])),
        Became::Moved(a, b, false) => ("moved", Some(&before[a]), Some(&after[b])),
        Became::Removed(a) => ("removed", Some(&before[a]), None),
        Became::Added(b) => ("added", None, Some(&after[b])),
    }
}

fn place(entry: &Entry) -> String {
    match entry.pointer.is_empty() {
        true => format!("record {}", entry.record),
        false if entry.record > 1 => format!("record {}, {}", entry.record, entry.pointer),
        false => entry.pointer.clone(),
    }
}

/// Says of each entry where in its record it is.
pub fn locate(
    differences: &mut [Difference],
    before: (DocId, &dyn ReadAt),
    after: (DocId, &dyn ReadAt),
) -> io::Result<()> {
    locate_side(before, differences.iter_mut().flat_map(|difference| &mut difference.before).collect())?;
    locate_side(after, differences.iter_mut().flat_map(|difference| &mut difference.after).collect())
}

fn locate_side((id, bytes): (DocId, &dyn ReadAt), entries: Vec<&mut Entry>) -> io::Result<()> {
    let wanted: Vec<_> = entries.iter().map(|entry| (entry.at, Flags::default())).collect();
    let pointers = pointers(id, bytes, framing::sniff(bytes)?, &wanted)?;
    for entry in entries {
        entry.pointer = pointers.get(&entry.at).map(|found| found.outer.clone()).unwrap_or_default();
    }
    Ok(())
}

/// What became of the entries, without their content.
pub fn history(difference: &Difference) -> contract::HistoryDiff {
    let side = |entry: Option<&Entry>| {
        entry.map(|entry| contract::Side {
            record: entry.record,
            pointer: entry.pointer.clone(),
            bytes: entry.text.len() as u64,
        })
    };
    let differ = difference.fates.iter().filter(|fate| !matches!(fate, Became::Same(..)));
    let entries = differ.map(|fate| {
        let (_, before, after) = sides(difference, fate);
        let named = after.or(before);
        let (action, changed) = match fate {
            Became::Same(..) => ("same", false),
            Became::Changed(..) => ("changed", true),
            Became::Moved(.., changed) => ("moved", *changed),
            Became::Removed(_) => ("removed", false),
            Became::Added(_) => ("added", false),
        };
        contract::EntryDiff {
            action,
            changed,
            kind: named.map(|entry| entry.kind.clone()).unwrap_or_default(),
            id: named.and_then(|entry| entry.id.clone()),
            before: side(before),
            after: side(after),
        }
    });
    contract::HistoryDiff { summary: difference.count().into(), entries: entries.collect() }
}

/// The difference of two docs.
pub fn diff(differences: &[Difference]) -> contract::Diff {
    let mut sum = Fates::default();
    differences.iter().for_each(|difference| sum.add(difference.count()));
    contract::Diff {
        version: contract::VERSION,
        summary: sum.into(),
        histories: differences.iter().map(history).collect(),
    }
}
