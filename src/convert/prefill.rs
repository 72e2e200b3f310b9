//! The beginning of an answer that the model is to continue: Claude rejects one that ends with white space.

use crate::message::{LossKind, Losses, PartKind, Role, Text, Thread};

/// Removes the white space at the end of a last message of the model.
pub fn trim(conversation: &mut Thread, losses: &mut Losses) {
    let last = conversation.messages.last_mut().filter(|message| message.role == Role::Assistant);
    let Some(part) = last.and_then(|message| message.parts.last_mut()) else { return };
    let at = part.at;
    if let PartKind::Text { text, .. } = &mut part.kind
        && let Some(trimmed) = without_trailing_space(text)
    {
        *text = trimmed;
        losses.add(LossKind::TRAILING_SPACE, at);
    }
}

/// The text without white space at its end; `None` if it has none there, or nothing else.
fn without_trailing_space(text: &Text) -> Option<Text> {
    let raw = text.raw();
    let mut end = raw.len();
    while let Some(before) = raw.get(..end) {
        let escapes = before.strip_suffix(b"\\n").or_else(|| before.strip_suffix(b"\\r"));
        let rest = escapes.or_else(|| before.strip_suffix(b"\\t")).or_else(|| before.strip_suffix(b" "));
        match rest {
            // The backslash of an escaped backslash escapes nothing.
            Some(rest) if rest.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0 => {
                end = rest.len()
            }
            _ => break,
        }
    }
    (end > 0 && end < raw.len()).then(|| text.slice(0, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_white_space_at_the_end_goes() {
        let trimmed = |raw: &str| {
            let text = without_trailing_space(&Text::of_raw(raw.as_bytes()))?;
            Some(String::from_utf8(text.raw().into_owned()).expect("UTF-8"))
        };
        assert_eq!(trimmed(r"Sure: ").as_deref(), Some("Sure:"));
        assert_eq!(trimmed(r"a b\n\t ").as_deref(), Some("a b"));
        assert_eq!(trimmed(r"C:\\n"), None);
        assert_eq!(trimmed(r"a"), None);
        assert_eq!(trimmed(r" \n"), None);
    }
}
