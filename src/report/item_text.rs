//! The text of an item, in any dialect.

use crate::json::Val;

/// Paths at which the dialects store the text of an item, the most specific first.
const TEXT_PATHS: [&[&str]; 18] = [
    &["content"],
    &["text"],
    &["data", "text"],
    &["thinking"],
    &["arguments"],
    &["function", "arguments"],
    &["custom", "input"],
    &["input"],
    &["output"],
    &["summary"],
    &["action"],
    &["toolUse", "input"],
    &["toolResult", "content"],
    &["functionCall", "args"],
    &["functionResponse", "response"],
    &["reasoningContent", "reasoningText", "text"],
    &["parts"],
    &["result"],
];

/// The text of an item; empty if it has none.
pub(super) fn text(item: Val<'_>) -> String {
    let mut text = String::new();
    let value = match item.is_string() {
        true => Some(item),
        false => TEXT_PATHS.iter().find_map(|path| item.at(path).filter(|value| !value.is_null())),
    };
    if let Some(value) = value {
        collect_text(value, &mut text);
    }
    text
}

/// Texts of a value: a string, the texts of its parts, or else its JSON.
fn collect_text(val: Val<'_>, out: &mut String) {
    if let Some(text) = val.text() {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&String::from_utf8_lossy(&text));
    } else if val.is_array() {
        for part in val.elements() {
            match part.get("text").or_else(|| part.get("content")).filter(|text| text.is_string()) {
                Some(text) => collect_text(text, out),
                None if part.is_string() => collect_text(part, out),
                None => {}
            }
        }
    } else if !val.is_null() {
        out.push_str(&String::from_utf8_lossy(val.raw()));
    }
}
