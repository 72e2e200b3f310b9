//! The difference of two histories, for people and for programs.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use crate::diff::align::Became;
use crate::diff::entries::Entry;
use crate::diff::item::{self, Show};
use crate::json::Val;

use super::repair::{Paint, Shown, write_lines};
use super::words::printable;
use super::{Content, Style};

/// Two histories and what became of their entries.
pub struct Difference {
    pub before: Vec<Entry>,
    pub after: Vec<Entry>,
    pub fates: Vec<Became>,
}

/// How many entries met which fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fates {
    pub same: u64,
    pub changed: u64,
    pub moved: u64,
    pub added: u64,
    pub removed: u64,
}

impl Difference {
    pub fn count(&self) -> Fates {
        let mut count = Fates::default();
        for fate in &self.fates {
            match fate {
                Became::Same(..) => count.same += 1,
                Became::Changed(..) => count.changed += 1,
                Became::Moved(..) => count.moved += 1,
                Became::Removed(_) => count.removed += 1,
                Became::Added(_) => count.added += 1,
            }
        }
        count
    }
}

impl Fates {
    pub fn differ(&self) -> bool {
        self.changed + self.moved + self.added + self.removed > 0
    }

    pub fn add(&mut self, other: Fates) {
        self.same += other.same;
        self.changed += other.changed;
        self.moved += other.moved;
        self.added += other.added;
        self.removed += other.removed;
    }

    pub fn words(&self) -> String {
        let all = [
            (self.same, "same"),
            (self.changed, "changed"),
            (self.moved, "moved"),
            (self.added, "added"),
            (self.removed, "removed"),
        ];
        let told: Vec<String> =
            all.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        if told.is_empty() { "no items on either side".to_owned() } else { told.join(", ") }
    }

    pub fn value(&self) -> Value {
        json!({
            "same": self.same,
            "changed": self.changed,
            "moved": self.moved,
            "added": self.added,
            "removed": self.removed,
        })
    }
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

/// What became of the entries, without their content.
pub fn value(difference: &Difference) -> Value {
    let side = |entry: Option<&Entry>| {
        entry.map(|entry| json!({ "record": entry.record, "pointer": entry.pointer, "bytes": entry.text.len() }))
    };
    let told = difference.fates.iter().filter(|fate| !matches!(fate, Became::Same(..))).map(|fate| {
        let (_, before, after) = sides(difference, fate);
        let named = after.or(before);
        let (action, changed) = match fate {
            Became::Same(..) => ("same", false),
            Became::Changed(..) => ("changed", true),
            Became::Moved(.., changed) => ("moved", *changed),
            Became::Removed(_) => ("removed", false),
            Became::Added(_) => ("added", false),
        };
        json!({
            "action": action,
            "changed": changed,
            "kind": named.map(|entry| entry.kind.as_str()),
            "id": named.and_then(|entry| entry.id.as_deref()),
            "before": side(before),
            "after": side(after),
        })
    });
    json!({ "summary": difference.count().value(), "entries": told.collect::<Vec<_>>() })
}
