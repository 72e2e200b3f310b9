//! Paths that are listed in a file.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::source::{describe_error, display_path};

use super::usage_error::UsageError;

/// Reads the paths in a file or on standard input: one per line, or each ending with NUL. On Unix, paths are bytes.
pub fn read_path_list(path: &Path, by_nul: bool) -> Result<Vec<PathBuf>, UsageError> {
    let failed = |error: std::io::Error| UsageError::new(describe_error(&path.to_string_lossy(), &error));
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
        return Err(UsageError::new(what).help("use -0 for a list from `find -print0` or `git ls-files -z`"));
    }
    let names = split(&text, by_nul).filter(|name| !name.is_empty());
    names.map(|name| path_from_bytes(name).ok_or_else(|| utf8_error(path))).collect()
}

fn split(text: &[u8], by_nul: bool) -> impl Iterator<Item = &[u8]> {
    let ends = move |byte: &u8| *byte == if by_nul { 0 } else { b'\n' };
    // With NUL as separator, a name may end with any character.
    text.split(ends).map(move |name| if by_nul { name } else { name.strip_suffix(b"\r").unwrap_or(name) })
}

#[cfg(unix)]
fn path_from_bytes(name: &[u8]) -> Option<PathBuf> {
    Some(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name).into())
}

#[cfg(not(unix))]
fn path_from_bytes(name: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(name).ok().map(PathBuf::from)
}

fn utf8_error(path: &Path) -> UsageError {
    UsageError::new(format!("{}: the list contains a path that is not UTF-8", display_path(path)))
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
