//! Snippets of items: a window on their bytes where content may be shown, else the item with its strings
//! masked. Either way it is short, however long the line in the file is.

use crate::json::{NodeKind, Val, string};
use crate::place::Place;
use crate::source::ReadAt;

use super::mask;
use super::words::replace_hidden;

/// A short line of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    pub text: String,
}

/// Bytes of a window.
const WINDOW: usize = 160;

/// Members whose strings name things, and may be shown anywhere.
pub(in crate::report) const NAMING_KEYS: [&str; 15] = [
    "type",
    "id",
    "call_id",
    "tool_call_id",
    "tool_use_id",
    "parent_id",
    "toolUseId",
    "role",
    "status",
    "approval_request_id",
    "execution",
    "model",
    "object",
    "phase",
    "previous_response_id",
];

/// The context of a place of a few bytes.
pub fn context(bytes: &dyn ReadAt, at: Place) -> Option<Snippet> {
    let start = at.start.saturating_sub(WINDOW as u64 / 4);
    let len = (bytes.len() - start.min(bytes.len())).min(WINDOW as u64 / 2) as u32;
    let around = window(bytes, Place { start, len, ..at })?;
    Some(if start > 0 { Snippet { text: format!("…{}", around.text) } } else { around })
}

/// The beginning of a place, unmasked.
pub fn window(bytes: &dyn ReadAt, at: Place) -> Option<Snippet> {
    let mut text = vec![0; WINDOW.min(at.len as usize)];
    let n = bytes.read_at(at.start, &mut text).ok()?;
    text.truncate(n);
    let cut = n < at.len as usize;
    let text = string::lossy(&text);
    // A window may begin and end inside a character.
    let text = text.trim_matches('\u{fffd}');
    let line: Vec<&str> = text.split_whitespace().collect();
    Some(Snippet { text: format!("{}{}", replace_hidden(&line.join(" ")), if cut { "…" } else { "" }) })
}

/// An item on one line, with the strings masked that do not name things.
pub fn masked_snippet(item: Val<'_>) -> Snippet {
    let mut text = String::new();
    push_masked(item, None, 0, &mut text);
    if text.chars().count() > WINDOW {
        text = text.chars().take(WINDOW).collect();
        text.push('…');
    }
    Snippet { text }
}

/// Appends a value with its content masked: strings by their length, deep values by their size.
fn push_masked(val: Val<'_>, key: Option<&str>, depth: usize, out: &mut String) {
    match val.kind() {
        NodeKind::String => out.push_str(&mask_string(val, key)),
        NodeKind::Object if depth < 2 => {
            out.push('{');
            for (n, member) in val.members().enumerate() {
                if n > 0 {
                    out.push_str(", ");
                }
                let key = string::lossy(&member.key.decode()).into_owned();
                out.push_str(&format!("\"{}\": ", mask::word(&key)));
                push_masked(member.val, Some(&key), depth + 1, out);
            }
            out.push('}');
        }
        NodeKind::Object => out.push_str("{…}"),
        NodeKind::Array if val.count() == 0 => out.push_str("[]"),
        NodeKind::Array if depth < 2 => {
            out.push('[');
            for (n, element) in val.elements().enumerate() {
                if n > 0 {
                    out.push_str(", ");
                }
                push_masked(element, key, depth + 1, out);
            }
            out.push(']');
        }
        NodeKind::Array => out.push_str("[…]"),
        // A number can be content as well (an account, an amount); its digits are not needed to find the place.
        NodeKind::Number => out.push('#'),
        NodeKind::True | NodeKind::False | NodeKind::Null => out.push_str(&string::lossy(val.raw())),
    }
}

/// A string as it may be shown: itself if it names something, else only its length.
pub(in crate::report) fn mask_string(val: Val<'_>, key: Option<&str>) -> String {
    let text = val.text().unwrap_or_default();
    let text = string::lossy(&text);
    if let Some(key) = key.filter(|key| NAMING_KEYS.contains(key)) {
        let shown = match key {
            "type" | "role" | "status" | "execution" | "object" | "phase" => mask::word(&text),
            "model" => mask::model(&text),
            _ => mask::id(&text),
        };
        return format!("\"{shown}\"");
    }
    let chars = text.chars().count() as u64;
    if chars == 0 { "\"\"".to_owned() } else { format!("\"… ({})\"", super::words::count(chars, "char")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Tape, scan};
    use crate::place::DocId;

    #[test]
    fn content_is_masked_and_names_are_not() {
        let text =
            br#"{"type":"function_call","call_id":"call_1","arguments":"{\"secret\":1}","index":4711,"salary":null}"#;
        let mut tape = Tape::new();
        assert_eq!(scan(text, &mut tape), Ok(()));
        let shown = masked_snippet(tape.root(text).expect("scanned")).text;
        assert_eq!(
            shown,
            r##"{"type": "function_call", "call_id": "call_1", "arguments": "… (12 chars)", "index": #, "… (6 chars)": null}"##
        );
    }

    #[test]
    fn a_window_is_short_on_any_line() {
        let text = format!("{{\"a\":\"{}\"}}", "é".repeat(1 << 20)).into_bytes();
        let at = Place::new(DocId(0), 0, text.len() as u32);
        let shown = window(&text, at).expect("read").text;
        assert!(shown.chars().count() < 170 && shown.ends_with('…'), "{shown}");
    }
}
