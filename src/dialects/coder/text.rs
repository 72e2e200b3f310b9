//! Texts as coder's chatd stores them: Postgres cannot store a NUL, so two private characters replace it.

use crate::json::{Val, string};

/// The text of a string; invalid UTF-8 becomes U+FFFD.
pub(super) fn text(val: Val<'_>) -> Option<String> {
    val.text().map(|text| String::from_utf8_lossy(&text).into_owned())
}

/// JSON as text, with the replacement of NUL as an escape.
pub(super) fn json_text(val: Val<'_>) -> String {
    let mut line = Vec::new();
    string::one_line(val.raw(), &mut line);
    let text = String::from_utf8_lossy(&line);
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    // The two characters may be written as escapes; a backslash after a backslash begins none.
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escape = rest[at..].get(..6).map(str::to_ascii_lowercase);
        let (c, len) = match escape.as_deref() {
            Some("\\ue000") => ("\u{e000}", 6),
            Some("\\ue001") => ("\u{e001}", 6),
            _ => {
                let len = 1 + rest[at + 1..].chars().next().map_or(0, char::len_utf8);
                (&rest[at..at + len], len)
            }
        };
        out.push_str(c);
        rest = &rest[at + len..];
    }
    out.push_str(rest);
    with_nul(&out, "\\u0000")
}

/// The text of a string, with NULs restored.
pub(super) fn plain(val: Val<'_>) -> String {
    with_nul(&text(val).unwrap_or_default(), "\0")
}

/// Restores NULs, which chatd stores as two private characters; it doubles the first where that means itself.
pub(super) fn with_nul(text: &str, nul: &str) -> String {
    if !text.contains('\u{e000}') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\u{e000}', Some('\u{e001}')) => {
                chars.next();
                out.push_str(nul);
            }
            ('\u{e000}', Some('\u{e000}')) => {
                chars.next();
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}
