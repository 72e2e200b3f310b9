//! The changes of an item or of settings, member by member: the path of each, and its value before and after. Names,
//! switches and the numbers of settings are shown, texts are content.

use std::io::{self, Write};

use crate::diff::item::{DiffLine, Sign, ValuePrinter};
use crate::diff::values::ValueChange;
use crate::json::string::one_line;
use crate::json::{NodeKind, Tape, Val, scan};

use super::changes::{Paint, ValueDisplay};
use super::diff_contract::{SettingDiff, ValueDiff, WordReplacement};
use super::mask;
use super::snippet::mask_string;
use super::word_diff::{PlacedWords, RunKind, TextRun, WordDiff};
use super::words::{count, replace_hidden, to_printable, write_wrapped};

/// Changes of one setting, tool or item that are shown; the others are counted.
pub(super) const MAX_CHANGES: usize = 12;

/// Characters of a value up to which it is shown as a whole.
const MAX_WHOLE: usize = 48;

/// Members of settings whose text is one of a few words, or the name of a model or tool.
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

/// A change that can be printed.
pub(super) struct ValueNote {
    /// The setting and the path in it, or the path in the item; empty for all of it.
    pub name: String,
    pub before: Option<String>,
    pub after: Option<String>,
    /// A long text with its changed words marked; empty for other values.
    pub runs: Vec<TextRun>,
    /// How much of a long text changed, and where, if it is masked.
    pub summary: Option<String>,
}

impl ValueNote {
    pub(super) fn new(change: &ValueChange, show: &ValueDisplay) -> Self {
        let printer = ChangePrinter { change, show };
        let value = |text: &Option<Vec<u8>>| text.as_ref().map(|text| printer.value(text));
        let mut note = ValueNote {
            name: name(change),
            before: value(&change.before),
            after: value(&change.after),
            runs: Vec::new(),
            summary: None,
        };
        if let Some([before, after]) = printer.long_texts() {
            let diff = WordDiff::new(&before, &after);
            match show.masked {
                true => note.summary = Some(diff.summary()),
                false => note.runs = diff.runs(),
            }
        }
        note
    }

    /// What became of the value, on one line.
    pub(super) fn words(&self, paint: &Paint) -> String {
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "not set".to_owned());
        if !self.runs.is_empty() {
            return format!("\"{}\"", self.runs.iter().map(|run| marked(run, paint)).collect::<String>());
        }
        let (before, after) = (value(&self.before), value(&self.after));
        let summary = self.summary.as_ref().map(|summary| format!(", {summary}")).unwrap_or_default();
        let before = paint.removed_text(&before);
        format!("{before} → {}{summary}", paint.added_text(&after))
    }

    /// The change as lines of a difference: the name, the value before and the value after.
    pub(super) fn lines(&self) -> Vec<DiffLine> {
        let line = |sign, text: &str| DiffLine { sign, text: text.to_owned(), marks: Vec::new() };
        let mut lines = Vec::new();
        if !self.name.is_empty() {
            lines.push(line(Sign::Same, &self.name));
        }
        if self.runs.is_empty() {
            lines.extend(self.before.iter().map(|before| line(Sign::Removed, before)));
            lines.extend(self.after.iter().map(|after| line(Sign::Added, after)));
        } else {
            lines.push(self.side(Sign::Removed, RunKind::Added));
            lines.push(self.side(Sign::Added, RunKind::Removed));
        }
        lines.extend(self.summary.iter().map(|summary| line(Sign::Gap, summary)));
        lines
    }

    /// The text of one side, without the runs of the other one.
    fn side(&self, sign: Sign, other: RunKind) -> DiffLine {
        let mut side = DiffLine { sign, text: "\"".to_owned(), marks: Vec::new() };
        for run in self.runs.iter().filter(|run| run.kind != other) {
            let start = side.text.len();
            side.text.push_str(&run.text);
            if matches!(run.kind, RunKind::Removed | RunKind::Added) {
                side.marks.push((start, side.text.len()));
            }
        }
        side.text.push('"');
        side
    }
}

/// A run with marks like those of `git diff --word-diff`: colours on a terminal that has them, else brackets.
fn marked(run: &TextRun, paint: &Paint) -> String {
    let TextRun { kind, text } = run;
    match (kind, paint.color) {
        (RunKind::Same, _) => text.clone(),
        (RunKind::Gap, _) => paint.dim(text),
        (RunKind::Removed, true) => paint.removed_text(text),
        (RunKind::Added, true) => paint.added_text(text),
        (RunKind::Removed, false) => format!("[-{text}-]"),
        (RunKind::Added, false) => format!("{{+{text}+}}"),
    }
}

/// Writes changes, one below the other, with long ones wrapped.
pub(super) fn write(
    changes: &[ValueChange],
    show: &ValueDisplay,
    paint: &Paint,
    out: &mut dyn Write,
) -> io::Result<()> {
    for change in changes.iter().take(MAX_CHANGES) {
        let note = ValueNote::new(change, show);
        write_wrapped(&format!("  {}", sentence(change, &note, paint)), show.width, "", "      ", out)?;
    }
    match changes.len().saturating_sub(MAX_CHANGES) {
        0 => Ok(()),
        more => writeln!(out, "  … {}", count(more as u64, "more change")),
    }
}

/// The name of a change and what became of its value.
pub(super) fn sentence(change: &ValueChange, note: &ValueNote, paint: &Paint) -> String {
    let is_tool = change.path.is_empty() && change.of.starts_with("tool ");
    match (&note.before, &note.after) {
        (Some(_), None) if is_tool => format!("{}: removed", note.name),
        (None, Some(_)) if is_tool => format!("{}: added", note.name),
        _ if note.name.is_empty() => note.words(paint),
        _ => format!("{}: {}", note.name, note.words(paint)),
    }
}

fn name(change: &ValueChange) -> String {
    let path = mask::path(&change.path);
    let of = setting(&change.of);
    match (of.as_str(), change.path.as_str()) {
        ("", _) => path,
        (_, "") => of,
        (_, own) if own.starts_with('[') => format!("{of}{path}"),
        (tool, _) if tool.starts_with("tool ") => format!("{of}: {path}"),
        _ => format!("{of}.{path}"),
    }
}

/// A member of the request, or a tool by its name.
pub(super) fn setting(of: &str) -> String {
    match of.strip_prefix("tool ") {
        Some(tool) => format!("tool {}", mask::name(tool)),
        None => mask::word(of),
    }
}

/// Prints the values of a change.
struct ChangePrinter<'c> {
    change: &'c ValueChange,
    show: &'c ValueDisplay,
}

impl ChangePrinter<'_> {
    fn value(&self, text: &[u8]) -> String {
        if !self.show.masked {
            return shorten_value(&compact(text));
        }
        let mut tape = Tape::new();
        let val = scan(text, &mut tape).ok().and_then(|()| tape.root(text));
        val.map_or_else(|| "…".to_owned(), |val| self.masked(val))
    }

    fn masked(&self, val: Val<'_>) -> String {
        let is_setting = !self.change.of.is_empty();
        match val.kind() {
            NodeKind::String => self.masked_text(val),
            NodeKind::Number if !is_setting => self.show.number(val),
            NodeKind::Number | NodeKind::True | NodeKind::False | NodeKind::Null => {
                to_printable(&String::from_utf8_lossy(val.raw()))
            }
            NodeKind::Array if val.count() <= 8 && val.elements().all(|e| !e.is_object() && !e.is_array()) => {
                let elements: Vec<String> = val.elements().map(|element| self.masked(element)).collect();
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

    fn masked_text(&self, val: Val<'_>) -> String {
        // What a user puts into metadata, or a model into arguments, is content under any name.
        if self.change.is_free_form {
            // The types of a schema are published words; others are masked there.
            return mask_string(val, Some(self.change.key()).filter(|key| *key == "type"));
        }
        let text = val.text().unwrap_or_default();
        // A name is short and has no spaces; anything else may be content.
        let is_plain = text.len() <= 80 && text.iter().all(|b| b.is_ascii_alphanumeric() || b"_-.:/@".contains(b));
        let key = self.change.key();
        match is_plain && !self.change.of.is_empty() && NAMES.contains(&key) {
            true => format!("\"{}\"", mask_named(key, &String::from_utf8_lossy(&text))),
            false => mask_string(val, Some(key)),
        }
    }

    /// Both texts, if they are too long to be read next to each other.
    fn long_texts(&self) -> Option<[String; 2]> {
        let (before, after) = (self.change.before.as_ref()?, self.change.after.as_ref()?);
        let texts = [string_of(before)?, string_of(after)?];
        let is_long = texts.iter().any(|text| text.chars().nth(MAX_WHOLE).is_some() || text.contains('\n'));
        (is_long && texts.iter().all(|text| !text.is_empty())).then_some(texts)
    }
}

/// The text of a JSON string; `None` for other values.
fn string_of(json: &[u8]) -> Option<String> {
    let mut tape = Tape::new();
    scan(json, &mut tape).ok()?;
    let text = tape.root(json)?.text()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// A JSON text on one line.
fn compact(json: &[u8]) -> String {
    let mut line = Vec::with_capacity(json.len());
    one_line(json, &mut line);
    String::from_utf8_lossy(&line).into_owned()
}

fn shorten_value(json: &str) -> String {
    // The text is JSON already, and is not escaped again.
    let chars = json.chars().count();
    const HEAD: usize = 160;
    const TAIL: usize = 60;
    if chars <= HEAD + TAIL {
        return replace_hidden(json);
    }
    let head: String = json.chars().take(HEAD).collect();
    let tail: String = json.chars().skip(chars - TAIL).collect();
    let left_out = count((chars - HEAD - TAIL) as u64, "char");
    format!("{}…({left_out})…{}", replace_hidden(&head), replace_hidden(&tail))
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

/// A change for programs: whole values, or masked ones.
pub(super) fn value_diff(change: &ValueChange, masked: bool) -> ValueDiff {
    let show = ValueDisplay { masked, width: 80 };
    let printer = ChangePrinter { change, show: &show };
    let value = |text: &Option<Vec<u8>>| {
        let text = text.as_ref()?;
        Some(if masked { printer.value(text) } else { compact(text) })
    };
    let (before, after) = (value(&change.before), value(&change.after));
    let word = |text: &str| if masked { mask::size(text) } else { text.to_owned() };
    let words = printer.long_texts().map(|[before, after]| {
        let replacement = |words: PlacedWords<'_>| WordReplacement {
            line: words.line,
            character: words.character,
            before: word(words.before),
            after: word(words.after),
        };
        WordDiff::new(&before, &after).changes().map(replacement).collect()
    });
    let action = match (&before, &after) {
        (None, _) => "added",
        (_, None) => "removed",
        _ => "changed",
    };
    ValueDiff { action, path: mask::path(&change.path), before, after, words: words.unwrap_or_default() }
}

/// A change of a setting for programs.
pub(super) fn setting_diff(change: &ValueChange, masked: bool) -> SettingDiff {
    let ValueDiff { action, path, before, after, words } = value_diff(change, masked);
    let part = Some(path).filter(|path| !path.is_empty());
    SettingDiff { action, name: setting(&change.of), part, before, after, words }
}
