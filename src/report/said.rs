//! What an item says, in any dialect.

use crate::json::Val;

/// Where the dialects keep what an item says, most telling first.
const SAYS: [&[&str]; 17] = [
    &["content"],
    &["text"],
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

/// The text of an item; empty if it says nothing.
pub(super) fn text(item: Val<'_>) -> String {
    let mut text = String::new();
    let said = match item.is_string() {
        true => Some(item),
        false => SAYS.iter().find_map(|path| item.at(path).filter(|said| !said.is_null())),
    };
    if let Some(said) = said {
        gather(said, &mut text);
    }
    text
}

/// Texts of a value: a string, the texts of its parts, or else its JSON.
fn gather(val: Val<'_>, out: &mut String) {
    if let Some(text) = val.text() {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&String::from_utf8_lossy(&text));
    } else if val.is_array() {
        for part in val.elements() {
            match part.get("text").or_else(|| part.get("content")).filter(|text| text.is_string()) {
                Some(text) => gather(text, out),
                None if part.is_string() => gather(part, out),
                None => {}
            }
        }
    } else if !val.is_null() {
        out.push_str(&String::from_utf8_lossy(val.raw()));
    }
}
