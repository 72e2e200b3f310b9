//! Fills the templates of rules with the values at the places of a finding. Messages contain keys, ids, types and
//! sizes, never content, and never a control character.

use std::borrow::Cow;
use std::io::{self, Write};

use unicode_width::UnicodeWidthChar;

use crate::source::{display_name, is_hidden};

/// Ids are shown up to this many characters.
const SHOWN: usize = 100;

/// Fills a template. A name that `of` does not know makes it `None`, unless it is between `⟨` and `⟩`: then only
/// that part is left out.
pub fn fill(template: &str, of: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    fill_or(template, of, &|| None)
}

/// The same, with another value for names that `of` does not know, except between `⟨` and `⟩`.
fn fill_or(
    template: &str,
    of: &dyn Fn(&str) -> Option<String>,
    unknown: &dyn Fn() -> Option<String>,
) -> Option<String> {
    let mut out = String::with_capacity(template.len() + 40);
    let mut rest = template;
    while let Some(at) = rest.find(['{', '⟨']) {
        out.push_str(&rest[..at]);
        let (open, close) = if rest[at..].starts_with('{') { ('{', '}') } else { ('⟨', '⟩') };
        let inner = &rest[at + open.len_utf8()..];
        let Some(end) = inner.find(close) else { break };
        match open {
            '{' => out.push_str(&of(&inner[..end]).or_else(unknown)?),
            _ => out.push_str(&fill(&inner[..end], of).unwrap_or_default()),
        }
        rest = &inner[end + close.len_utf8()..];
    }
    out.push_str(rest);
    Some(out)
}

/// Fills a template; names without a value are left out.
pub fn fill_known(template: &str, of: &dyn Fn(&str) -> Option<String>) -> String {
    let filled = fill_or(template, of, &|| Some(String::new())).unwrap_or_default();
    let mut out = String::with_capacity(filled.len());
    for word in filled.split(' ').filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out.replace(" :", ":").replace(" ,", ",")
}

/// A word of a conversation as it may be printed: control characters are escaped, and a long one is cut in the middle.
pub fn to_printable(text: &str) -> String {
    let count = text.chars().count();
    if count <= SHOWN {
        return display_name(text).into_owned();
    }
    let half = |chars: &mut dyn Iterator<Item = char>| display_name(&chars.collect::<String>()).into_owned();
    let head = half(&mut text.chars().take(SHOWN / 2));
    let tail = half(&mut text.chars().skip(count - SHOWN / 2));
    format!("{head}…({} more)…{tail}", count - SHOWN)
}

/// A text of any length with control characters and other hidden ones replaced.
pub fn replace_hidden(text: &str) -> String {
    if text.contains(is_hidden) {
        return text.chars().map(|c| if is_hidden(c) { char::REPLACEMENT_CHARACTER } else { c }).collect();
    }
    text.to_owned()
}

/// Wraps a text to a width, with a prefix for the first line and one for the others.
pub fn wrap<'t>(text: &'t str, width: usize, first: &str, other: &str) -> Vec<Cow<'t, str>> {
    // Most texts fit, and there may be hundreds of thousands.
    if text.is_ascii() && first.len() + text.len() <= width && !text.contains('\n') && !text.ends_with(' ') {
        return vec![if first.is_empty() { Cow::from(text) } else { Cow::from(format!("{first}{text}")) }];
    }
    let options = wrap_options(width).initial_indent(first).subsequent_indent(other);
    match glue_commands(text) {
        Cow::Borrowed(text) => textwrap::wrap(text, options),
        Cow::Owned(text) => textwrap::wrap(&text, options).iter().map(|line| Cow::from(unglue(line))).collect(),
    }
}

/// Writes a text wrapped to a width, with a prefix for the first line and one for the others.
pub fn write_wrapped(text: &str, width: usize, first: &str, other: &str, out: &mut dyn Write) -> io::Result<()> {
    wrap(text, width, first, other).iter().try_for_each(|line| writeln!(out, "{line}"))
}

/// Replaces a space at which no line may end.
const GLUE: char = '\u{e000}';

/// A text whose commands are one word each, so that they stay on one line and can be copied.
pub(super) fn glue_commands(text: &str) -> Cow<'_, str> {
    const BEGINS: &str = "`replaylint ";
    if !text.contains(BEGINS) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 32);
    let mut rest = text;
    while let Some(start) = rest.find(BEGINS)
        && let Some((before, after)) = rest.split_at_checked(start + 1)
        && let Some((command, after)) = after.split_once('`')
    {
        out.push_str(before);
        out.extend(command.chars().map(|c| if c == ' ' { GLUE } else { c }));
        out.push('`');
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// A text of [`glue_commands`] with its spaces restored.
pub(super) fn unglue(text: &str) -> String {
    text.replace(GLUE, " ")
}

/// Options to break lines at spaces only: ids, pointers and names stay whole, and can be searched for.
pub(super) fn wrap_options<'o>(width: usize) -> textwrap::Options<'o> {
    textwrap::Options::new(width)
        .break_words(false)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
}

/// A text, cut to a number of columns.
pub(super) fn truncate(text: &str, columns: usize) -> String {
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used >= columns && out.len() + c.len_utf8() < text.len() {
            out.push('…');
            break;
        }
        out.push(c);
    }
    out
}

/// A number of bytes, as people read it: "812 bytes", "2.1 KB".
pub fn byte_size(n: u64) -> String {
    let tenths = |unit: u64| format!("{}.{}", group_digits(n / unit), n % unit * 10 / unit);
    match n {
        0..1_000 => count(n, "byte"),
        1_000..1_000_000 => format!("{} KB", tenths(1_000)),
        _ => format!("{} MB", tenths(1_000_000)),
    }
}

/// A number of things: "1 error", "1,204 errors".
pub fn count(n: u64, thing: &str) -> String {
    let plural = match (n, thing.strip_suffix('y')) {
        (1, _) => thing.to_owned(),
        (_, Some(stem)) => format!("{stem}ies"),
        (_, None) => format!("{thing}s"),
    };
    format!("{} {plural}", group_digits(n))
}

/// Digits in groups of three.
pub fn group_digits(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str) -> Option<String> {
        (name == "id").then(|| "fc_1".to_owned())
    }

    #[test]
    fn templates_are_filled_or_not_at_all() {
        assert_eq!(fill("Item '{id}'.", &of).as_deref(), Some("Item 'fc_1'."));
        assert_eq!(fill("Item '{id}' of {type}", &of), None);
        assert_eq!(fill("input[{id}]⟨: '{type}'⟩.", &of).as_deref(), Some("input[fc_1]."));
        assert_eq!(fill("x⟨: '{id}'⟩.", &of).as_deref(), Some("x: 'fc_1'."));
        assert_eq!(fill_known("reasoning {type} precedes {id}", &of), "reasoning precedes fc_1");
    }

    #[test]
    fn nothing_printed_commands_a_terminal() {
        assert_eq!(to_printable("a\u{1b}[31m\n"), "a\\u{1b}[31m\\u{a}");
        assert_eq!(to_printable("x\u{202e}y"), "x\\u{202e}y");
        let long = to_printable(&"x".repeat(300));
        assert!(long.contains("…(200 more)…") && long.len() < 130, "{long}");
    }

    #[test]
    fn lines_are_broken_at_spaces_only() {
        assert_eq!(wrap("fits, in eighteen", 19, "- ", "  "), ["- fits, in eighteen"]);
        assert_eq!(wrap("fits, in eighteen", 18, "- ", "  "), ["- fits, in", "  eighteen"]);
        assert_eq!(wrap("fc_1234567890 is long", 8, "", "  "), ["fc_1234567890", "  is", "  long"]);
    }

    #[test]
    fn numbers_are_read_easily() {
        assert_eq!(count(1, "history"), "1 history");
        assert_eq!(count(1204567, "history"), "1,204,567 histories");
        assert_eq!(count(0, "error"), "0 errors");
    }
}
