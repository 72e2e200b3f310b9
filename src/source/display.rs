//! Printing of names. Files, members of archives, rows and keys may have any name, and terminals and CI logs
//! interpret some characters.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// True for control characters, and for those that change how others are shown: direction marks, joiners, tags.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// A name without hidden characters, and without commands of CI systems at the start of a line (`::error`) or
/// anywhere in it (`##[error]`, `##vso[…]`): the character in question is written as `\u{…}`. A wrapped line may
/// begin at any word.
pub fn display_name(name: &str) -> Cow<'_, str> {
    let is_plain = |byte: &u8| matches!(byte, b' '..=b'~') && *byte != b':' && *byte != b'#';
    if name.as_bytes().iter().all(is_plain) {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len());
    let mut before = ' ';
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        let is_command = match c {
            ':' => before.is_whitespace() && chars.peek() == Some(&':'),
            '#' => before != '#' && chars.peek() == Some(&'#'),
            _ => false,
        };
        if is_command || is_hidden(c) {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
        before = c;
    }
    Cow::Owned(out)
}

/// The path of a file or a folder, without the prefix of extended-length paths on Windows.
pub fn display_path(path: &Path) -> String {
    let path = path.to_string_lossy();
    let short = path.strip_prefix(r"\\?\").filter(|rest| cfg!(windows) && !rest.starts_with("UNC"));
    display_name(short.unwrap_or(&path)).into_owned()
}

/// A text of several lines with [`display_name`] applied to each.
pub fn display_lines(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_hidden(c) && c != '\n') {
        return Cow::Borrowed(text);
    }
    let lines: Vec<Cow<'_, str>> = text.split('\n').map(display_name).collect();
    Cow::Owned(lines.join("\n"))
}

/// A word quoted for a POSIX shell, for commands in messages.
pub fn shell_word(path: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@%:,~".contains(c);
    if !path.is_empty() && path.chars().all(is_plain) {
        return path.to_owned();
    }
    if !path.contains(is_hidden) {
        return format!("'{}'", path.replace('\'', "'\\''"));
    }
    let mut out = "$'".to_owned();
    for c in path.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            c if is_hidden(c) => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(out, "\\x{byte:02x}");
                }
            }
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_terminal_and_no_ci_system_interprets_a_name() {
        for (name, shown) in [
            ("a/b c.json", "a/b c.json"),
            ("é–名.json", "é–名.json"),
            ("a\u{1b}[31m\n", "a\\u{1b}[31m\\u{a}"),
            ("x\u{202e}y\u{9b}z", "x\\u{202e}y\\u{9b}z"),
            ("::error::x", "\\u{3a}:error::x"),
            ("a.zip: ::error::x", "a.zip: \\u{3a}:error::x"),
            ("a::b", "a::b"),
            ("a##[error]", "a\\u{23}#[error]"),
        ] {
            assert_eq!(display_name(name), shown);
        }
        assert_eq!(display_lines("a\u{7}b\nc"), "a\\u{7}b\nc");
    }

    #[test]
    fn a_shell_reads_the_path_itself() {
        assert_eq!(shell_word("~/a-b.json"), "~/a-b.json");
        assert_eq!(shell_word("a b.json"), "'a b.json'");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word("a'\u{1b}\u{9b}"), "$'a\\'\\x1b\\xc2\\x9b'");
    }
}
