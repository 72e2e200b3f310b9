//! Settings that differ: one line each, with both values. Names, numbers and switches are shown, texts are content.

use std::io::{self, Write};

use crate::diff::equivalence::FREE_FORM_MEMBERS;
use crate::diff::item::ValuePrinter;
use crate::diff::settings::SettingChange;
use crate::json::{NodeKind, Tape, Val, scan};

use super::changes::{Paint, ValueDisplay};
use super::contract::SettingDiff;
use super::distinct_masks::DistinctMasks;
use super::mask;
use super::words::{count, to_printable, write_wrapped};

/// Lines of one setting or tool that are shown; the others are counted.
const MOST: usize = 8;

/// Members whose text is one of a few words, or the name of a model or tool.
const NAMES: [&str; 25] = [
    "allowedFunctionNames",
    "anthropic_version",
    "display",
    "effort",
    "format",
    "include",
    "mode",
    "model",
    "modelId",
    "name",
    "order",
    "output_format",
    "previous_response_id",
    "prompt_cache_retention",
    "reasoning_effort",
    "responseMimeType",
    "service_tier",
    "serviceTier",
    "summary",
    "thinkingLevel",
    "tool_choice",
    "truncation",
    "type",
    "verbosity",
    "voice",
];

/// Writes the settings that differ, and an empty line.
pub(super) fn write(
    changes: &[SettingChange],
    show: &ValueDisplay,
    paint: &Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    writeln!(out, "{}", paint.bold("settings"))?;
    for of in changes.chunk_by(|a, b| a.of == b.of) {
        for change in of.iter().take(MOST) {
            write_change(change, show, out)?;
        }
        let left = of.len().saturating_sub(MOST);
        if let Some(first) = of.first().filter(|_| left > 0) {
            writeln!(out, "  {}: … {} more", setting(&first.of), count(left as u64, "change"))?;
        }
    }
    writeln!(out)
}

fn write_change(change: &SettingChange, show: &ValueDisplay, out: &mut dyn Write) -> io::Result<()> {
    let name = match change.part.as_str() {
        "" => setting(&change.of),
        part if part.starts_with('[') => format!("{}{}", setting(&change.of), mask::path(part)),
        part if change.of.starts_with("tool ") => format!("{}: {}", setting(&change.of), mask::path(part)),
        part => format!("{}.{}", setting(&change.of), mask::path(part)),
    };
    let (before, after) = values(change, show);
    let is_tool = change.part.is_empty() && change.of.starts_with("tool ");
    let text = match (before, after) {
        (Some(_), None) if is_tool => format!("  {name}: removed"),
        (None, Some(_)) if is_tool => format!("  {name}: added"),
        (before, after) => {
            let value = |value: Option<String>| value.unwrap_or_else(|| "not set".to_owned());
            format!("  {name}: {} → {}", value(before), value(after))
        }
    };
    write_wrapped(&text, show.width, "", "      ", out)
}

/// A member of the request, or a tool by its name.
fn setting(of: &str) -> String {
    match of.strip_prefix("tool ") {
        Some(tool) => format!("tool {}", mask::name(tool)),
        None => mask::word(of),
    }
}

/// Both values; if their masks are the same, they are numbered.
fn values(change: &SettingChange, show: &ValueDisplay) -> (Option<String>, Option<String>) {
    let masks = DistinctMasks::new(show);
    let last = change.part.rsplit('.').next().filter(|part| !part.is_empty()).unwrap_or(&change.of);
    let key = last.split('[').next().filter(|key| !key.is_empty()).unwrap_or(&change.of).to_owned();
    // What a user puts into metadata, or an author into a schema, is content under any name.
    let is_free = change.part.split('.').chain([&*change.of]).any(|step| FREE_FORM_MEMBERS.contains(&step));
    let names = if is_free { &[][..] } else { &NAMES[..] };
    let value = |text: &Option<Vec<u8>>| {
        let text = text.as_ref()?;
        let mut tape = Tape::new();
        let val = scan(text, &mut tape).ok().and_then(|()| tape.root(text));
        Some(val.map_or_else(|| "…".to_owned(), |val| display_value(val, &key, names, &masks)))
    };
    (value(&change.before), value(&change.after))
}

fn display_value(val: Val<'_>, key: &str, names: &[&str], masks: &DistinctMasks<'_>) -> String {
    match val.kind() {
        NodeKind::String => {
            let text = val.text().unwrap_or_default();
            // A name is short and has no spaces; anything else may be content.
            let plain =
                text.len() <= 80 && text.iter().all(|b| b.is_ascii_alphanumeric() || b"_-.:/@".contains(b));
            match plain && names.contains(&key) {
                true => format!("\"{}\"", mask_named(key, &String::from_utf8_lossy(&text))),
                false => masks.string(val, Some(key)),
            }
        }
        NodeKind::Number | NodeKind::True | NodeKind::False | NodeKind::Null => {
            to_printable(&String::from_utf8_lossy(val.raw()))
        }
        NodeKind::Array if val.count() <= 8 && val.elements().all(|e| !e.is_object() && !e.is_array()) => {
            let elements: Vec<String> =
                val.elements().map(|element| display_value(element, key, names, masks)).collect();
            format!("[{}]", elements.join(", "))
        }
        NodeKind::Array => format!("[{}]", count(u64::from(val.count()), "element")),
        NodeKind::Object if val.count() == 0 => "{}".to_owned(),
        NodeKind::Object => {
            let name =
                |member: crate::json::Member<'_>| mask::word(&String::from_utf8_lossy(&member.key.decode()));
            let names: Vec<String> = val.members().take(4).map(name).collect();
            let more = if val.count() > 4 { ", …" } else { "" };
            format!("{{{}{more}}}", names.join(", "))
        }
    }
}

/// The value of a member that names something.
fn mask_named(key: &str, text: &str) -> String {
    match key {
        "model" | "modelId" => mask::model(text),
        "name" | "allowedFunctionNames" => mask::name(text),
        "previous_response_id" => mask::id(text),
        _ => mask::word(text),
    }
}

/// The changes for programs, with texts masked.
pub(super) fn notes(changes: &[SettingChange]) -> Vec<SettingDiff> {
    let show = ValueDisplay { masked: true, width: 80 };
    let note = |change: &SettingChange| {
        let (before, after) = values(change, &show);
        SettingDiff {
            action: match (&before, &after) {
                (None, _) => "added",
                (_, None) => "removed",
                _ => "changed",
            },
            name: setting(&change.of),
            part: Some(mask::path(&change.part)).filter(|part| !part.is_empty()),
            before,
            after,
        }
    };
    changes.iter().map(note).collect()
}
