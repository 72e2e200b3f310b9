//! Names as they are printed. What files, members of archives, rows and keys are called may be anything, and a terminal or
//! the log of a CI system obeys some of it.

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

/// A name without hidden characters, and without what CI systems run where it begins a line (`::error`) or anywhere in it
/// (`##[error]`, `##vso[…]`): the character in question is written as `\u{…}`. A wrapped line may begin at any word.
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

/// The path of a file or a folder. What Windows puts before absolute paths of any length is left out.
pub fn display_path(path: &Path) -> String {
    let path = path.to_string_lossy();
    let short = path.strip_prefix(r"\\?\").filter(|rest| cfg!(windows) && !rest.starts_with("UNC"));
    display_name(short.unwrap_or(&path)).into_owned()
}

/// A text of several lines, which were made of names by [`display_name`], without hidden characters from elsewhere.
pub fn display_lines(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_hidden(c) && c != '\n') {
        return Cow::Borrowed(text);
    }
    let lines: Vec<Cow<'_, str>> = text.split('\n').map(display_name).collect();
    Cow::Owned(lines.join("\n"))
}

/// A word as a POSIX shell takes it in a command that a message proposes.
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
    fn nothing_in_a_name_is_obeyed() {
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
