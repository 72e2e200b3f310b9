//! Recovers an error as it was before gateways, loggers and terminals wrapped it: all layers of JSON escapes, escapes of
//! Markdown and URLs, colours, HTML entities and the frames of lines are removed, and quotes straightened. No JSON is
//! parsed for that, as a pasted text is often the middle of one.

use super::line_frames::strip_frames;

/// Layers of escapes that are removed, at most.
const LAYERS: usize = 8;

/// The text without its wrapping. Linear in its length.
pub fn unescape(text: &str) -> String {
    let mut out = text.to_owned();
    for _ in 0..LAYERS {
        if !out.contains('\\') {
            break;
        }
        let next = unescape_json(&out);
        // The rest is no escape.
        if next.len() == out.len() {
            break;
        }
        out = next;
    }
    strip_frames(&straighten_quotes(&strip_bold(&strip_colours(&decode_url(&out)))))
}

/// Removes the escapes of a URL, if the text has been part of one.
fn decode_url(text: &str) -> String {
    let spaced =
        ["%20", "%27", "%22", "%60", "%3A"].iter().map(|escape| text.matches(escape).count()).sum::<usize>();
    if spaced < 2 {
        return text.to_owned();
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let byte = digits.and_then(|two| u8::from_str_radix(two, 16).ok()).filter(|_| *first == b'%');
        out.push(byte.unwrap_or(*first));
        rest = tail.get(2..).filter(|_| byte.is_some()).unwrap_or(tail);
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Removes the stars of bold type; three or more mask something.
fn strip_bold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("**") {
        let stars = rest.len() - at - rest[at..].trim_start_matches('*').len();
        out.push_str(&rest[..at]);
        if stars > 2 {
            out.push_str(&rest[at..at + stars]);
        }
        rest = &rest[at + stars..];
    }
    out.push_str(rest);
    out
}

/// Removes one layer of JSON escapes, and the escapes of quotes that shells and other languages know.
fn unescape_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(c) = rest.chars().next() else {
            out.push('\\');
            break;
        };
        rest = &rest[c.len_utf8()..];
        match c {
            '\\' | '"' | '\'' | '`' | '/' => out.push(c),
            // Markdown escapes its own marks.
            '_' | '*' | '[' | ']' | '(' | ')' | '{' | '}' | '<' | '>' | '#' | '!' | '.' | '-' | '+' | '~'
            | '|' => {
                out.push(c);
            }
            'n' | 'r' => out.push('\n'),
            't' => out.push(' '),
            'u' => match rest.get(..4).and_then(|hex| u32::from_str_radix(hex, 16).ok()) {
                Some(code) => {
                    // Half of a pair, which no provider's sentence contains.
                    out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
                    rest = &rest[4..];
                }
                None => out.push_str("\\u"),
            },
            other => {
                out.push('\\');
                out.push(other);
            }
        }
    }
    out.push_str(rest);
    out
}

/// Removes the colours of a terminal.
fn strip_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        out.push_str(&rest[..at]);
        let code = &rest[at + 2..];
        let end = code.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(code.len());
        rest = code[end..].strip_prefix(|c: char| c.is_ascii_alphabetic()).unwrap_or(&code[end..]);
    }
    out.push_str(rest);
    out
}

const ENTITIES: [(&str, char); 7] = [
    ("&quot;", '"'),
    ("&#34;", '"'),
    ("&#39;", '\''),
    ("&#x27;", '\''),
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&amp;", '&'),
];

fn straighten_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let entity = ENTITIES.iter().find(|(name, _)| c == '&' && rest.starts_with(name));
        if let Some((name, meant)) = entity {
            out.push(*meant);
            rest = &rest[name.len()..];
            continue;
        }
        out.push(match c {
            '‘' | '’' => '\'',
            '“' | '”' => '"',
            '\u{a0}' => ' ',
            c => c,
        });
        rest = &rest[c.len_utf8()..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_comes_off() {
        let mut text = "Item 'fc_1' of \"type\" \\ 'é'".to_owned();
        let clean = text.clone();
        for _ in 0..3 {
            text = serde_json::to_string(&text).expect("JSON");
            assert!(unescape(&text).contains(&clean), "{text}");
        }
        assert_eq!(unescape("Item \\u0027fc_1\\u0027"), "Item 'fc_1'");
        assert_eq!(unescape("'it\\'s'"), "'it's'");
    }

    #[test]
    fn what_is_no_escape_stays() {
        for text in ["C:\\x", "end\\", "\\u12", "\\uzzzz", "é\\é"] {
            assert_eq!(unescape(text), text);
        }
    }

    #[test]
    fn wrapping_of_terminals_and_pages_goes() {
        assert_eq!(unescape("\u{1b}[31;1mItem\u{1b}[0m ‘x’ “y”\u{1b}["), "Item 'x' \"y\"");
        assert_eq!(unescape("&quot;Item&quot; &#39;x&#39; &amp; &other;"), "\"Item\" 'x' & &other;");
    }

    #[test]
    fn escapes_of_markdown_and_urls_go() {
        assert_eq!(unescape(r"tool\_use \[1\] **bold** messages.***.x"), "tool_use [1] bold messages.***.x");
        assert_eq!(unescape("No%20tool%20output%20%27x%27"), "No tool output 'x'");
        assert_eq!(unescape("100%20 of it"), "100%20 of it");
    }

    #[test]
    fn hostile_text_costs_no_more_than_its_length() {
        for text in ["\\".repeat(1 << 20), "\\u".repeat(1 << 19), "\u{1b}[".repeat(1 << 19), "&".repeat(1 << 20)] {
            assert!(unescape(&text).len() <= text.len());
        }
    }
}
