//! Paths that are listed in a file.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::source::{display_path, words};

use super::misuse::Misuse;

/// Paths listed in a file or on standard input: one a line, or with NUL after each. Names are bytes, where the system
/// says so.
pub fn listed(path: &Path, by_nul: bool) -> Result<Vec<PathBuf>, Misuse> {
    let failed = |error: std::io::Error| Misuse::new(words(&path.to_string_lossy(), &error));
    let text = match path.as_os_str() == "-" {
        true => {
            let mut text = Vec::new();
            std::io::stdin().read_to_end(&mut text).map(|_| text)
        }
        false => std::fs::read(path),
    };
    let text = text.map_err(failed)?;
    if !by_nul && text.contains(&0) {
        let what = format!("{}: the list contains NUL bytes", display_path(path));
        return Err(Misuse::new(what).help("add -0 for a list that find -print0 or git ls-files -z has written"));
    }
    let names = split(&text, by_nul).filter(|name| !name.is_empty());
    names.map(|name| of_bytes(name).ok_or_else(|| not_utf8(path))).collect()
}

fn split(text: &[u8], by_nul: bool) -> impl Iterator<Item = &[u8]> {
    let ends = move |byte: &u8| *byte == if by_nul { 0 } else { b'\n' };
    // With NUL after it, a name may end in anything.
    text.split(ends).map(move |name| if by_nul { name } else { name.strip_suffix(b"\r").unwrap_or(name) })
}

#[cfg(unix)]
fn of_bytes(name: &[u8]) -> Option<PathBuf> {
    Some(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name).into())
}

#[cfg(not(unix))]
fn of_bytes(name: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(name).ok().map(PathBuf::from)
}

fn not_utf8(path: &Path) -> Misuse {
    Misuse::new(format!("{}: a name in the list is not UTF-8", display_path(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_with_the_line_or_with_nul() {
        let names = |text: &'static [u8], by_nul| split(text, by_nul).collect::<Vec<_>>();
        assert_eq!(names(b"a b\r\nc", false), [b"a b".as_slice(), b"c"]);
        assert_eq!(names(b"a\nb\0c\r\0", true), [b"a\nb".as_slice(), b"c\r", b""]);
    }
}
