//! Two documents on a page: the items of both, in one list, each with what became of it.

use std::io::{self, Write};

use serde_json::json;

use crate::diff::align::Became;
use crate::diff::compare::{Difference, Fates};
use crate::diff::entry::text_of;
use crate::diff::item;
use crate::report::contract::{DiffSummary, SettingDiff};
use crate::report::outputs::json::put;
use crate::report::telling::Telling;
use crate::report::{histories, mask, settings};

use super::data::{Doc, History, Item};
use super::frame::Frame;
use super::item::{of_text, shown};

/// Writes what became of the items of one document in another.
pub fn write(
    paths: (&str, &str),
    differences: &[Difference],
    reordered: bool,
    content: bool,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut doc = Doc { command: "diff", path: format!("{} → {}", paths.0, paths.1), content, ..Doc::default() };
    let mut sum = Fates::default();
    for (number, difference) in (0u32..).zip(differences) {
        sum.add(difference.count());
        let start = doc.items.len() as u32;
        doc.items.extend(difference.fates.iter().filter_map(|fate| item_of(difference, fate, content)));
        let end = doc.items.len() as u32;
        let label = (differences.len() > 1).then(|| histories::heading(difference));
        doc.histories.push(History {
            number,
            label,
            start,
            end,
            length: end - start,
            notes: notes(difference),
            ..History::default()
        });
    }
    let mut frame = Frame::default();
    frame.doc(&serde_json::to_string(&doc)?, out)?;
    let mut summary = json!(DiffSummary::from(sum));
    put(&mut summary, "words", json!(histories::words(&sum, reordered)));
    frame.finish(&json!({ "summary": summary }), out)
}

/// What differs beside the items.
fn notes(difference: &Difference) -> Vec<String> {
    let mut notes: Vec<String> = settings::notes(&difference.settings).iter().map(setting).collect();
    let renamed = difference.renames.iter();
    notes.extend(
        renamed.map(|rename| format!("renamed {} → {}", mask::id(&rename.before), mask::id(&rename.after))),
    );
    notes.extend(histories::unsent(difference));
    notes
}

fn setting(note: &SettingDiff) -> String {
    let name = note.part.as_ref().map_or_else(|| note.name.clone(), |part| format!("{}.{part}", note.name));
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "not set".to_owned());
    format!("{name}: {} → {}", value(&note.before), value(&note.after))
}

fn item_of(difference: &Difference, fate: &Became, content: bool) -> Option<Item> {
    let old = |ix: usize| difference.before.get(ix);
    let new = |ix: usize| difference.after.get(ix);
    let (name, before, after) = match *fate {
        Became::Same(a, b) => ("same", old(a), new(b)),
        Became::Changed(a, b) => ("changed", old(a), new(b)),
        Became::Moved(a, b, _) => ("moved", old(a), new(b)),
        Became::Removed(a) => ("removed", old(a), None),
        Became::Added(b) => ("added", None, new(b)),
    };
    let own = after.or(before)?;
    let changed = matches!(fate, Became::Changed(..) | Became::Moved(.., true));
    let show = shown(content);
    let lines = match changed {
        true => item::lines(&text_of(before), &text_of(after), &Telling::new(&show))
            .into_iter()
            .map(Into::into)
            .collect(),
        false => Vec::new(),
    };
    let (says, json) = of_text(&own.text.bytes(), content);
    let pointers: Vec<&str> = [before, after].into_iter().flatten().map(|entry| &*entry.pointer).collect();
    let pointer = match *pointers.as_slice() {
        [a, b] if a != b => format!("{a} → {b}"),
        [one, ..] => one.to_owned(),
        [] => String::new(),
    };
    Some(Item {
        kind: mask::phrase(&own.kind),
        class: class(&own.kind),
        id: own.id.as_deref().map(mask::id),
        pointer,
        record: own.record,
        bytes: own.text.size() as u64,
        says,
        json,
        fate: Some(name),
        lines,
        ..Item::default()
    })
}

/// What the kind of an entry says about who made it.
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
