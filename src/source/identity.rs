//! Which file a path leads to, however it is spelled: through links, `..`, or a second name of the same file.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file. Two paths with one identity lead to the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Identity {
    /// Device and number of a file that is there.
    #[cfg(unix)]
    Node(u64, u64),
    /// A file that is not there yet, or any where files have no numbers.
    Path(PathBuf),
}

impl Identity {
    /// `None` for what is neither a file nor will be one: to a device or a pipe all may write.
    pub fn of(path: &Path) -> Option<Identity> {
        match fs::metadata(path) {
            Ok(meta) if meta.is_file() => Some(Identity::there(path, &meta)),
            Ok(_) => None,
            Err(_) => Some(Identity::Path(full(path))),
        }
    }

    #[cfg(unix)]
    fn there(_: &Path, meta: &fs::Metadata) -> Identity {
        use std::os::unix::fs::MetadataExt;
        Identity::Node(meta.dev(), meta.ino())
    }

    #[cfg(not(unix))]
    fn there(path: &Path, _: &fs::Metadata) -> Identity {
        Identity::Path(fs::canonicalize(path).unwrap_or_else(|_| full(path)))
    }
}

/// The path that a file will have, with all links resolved as far as it is there.
fn full(path: &Path) -> PathBuf {
    let path = follow(path).unwrap_or_else(|_| path.to_owned());
    let mut below: Vec<OsString> = Vec::new();
    let mut there = path.as_path();
    loop {
        let from = if there.as_os_str().is_empty() { Path::new(".") } else { there };
        if let Ok(real) = fs::canonicalize(from) {
            return below.iter().rev().fold(real, |path, name| path.join(name));
        }
        let (Some(parent), Some(name)) = (there.parent(), there.file_name()) else { return path };
        below.push(name.to_owned());
        there = parent;
    }
}

/// Links that may follow one another.
const LINKS: usize = 40;

/// The path that is written to: where links lead, even if there is nothing yet.
pub fn follow(path: &Path) -> io::Result<PathBuf> {
    if let Ok(real) = fs::canonicalize(path) {
        return Ok(real);
    }
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = path.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => return Ok(of_any_length(path)),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The path of a file that is not there yet. Windows takes long ones only if they are whole and say so, as canonical ones do.
fn of_any_length(path: PathBuf) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (cfg!(windows).then(|| fs::canonicalize(folder)), path.file_name()) {
        (Some(Ok(folder)), Some(name)) => folder.join(name),
        _ => path,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_itself_by_any_path() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let path = |name: &str| dir.path().join(name);
        fs::write(path("a"), "x")?;
        fs::create_dir(path("d"))?;
        std::os::unix::fs::symlink(dir.path(), path("d/up"))?;
        std::os::unix::fs::symlink("b", path("to-b"))?;
        fs::hard_link(path("a"), path("second"))?;
        let of = |name: &str| Identity::of(&path(name)).expect("a file");
        for name in ["d/../a", "d/up/a", "second"] {
            assert_eq!(of(name), of("a"), "{name}");
        }
        // What is not there yet.
        for name in ["d/../b", "d/up/b", "to-b"] {
            assert_eq!(of(name), of("b"), "{name}");
        }
        assert_eq!(of("new/x"), of("d/up/new/x"));
        assert_ne!(of("a"), of("b"));
        assert_eq!(Identity::of(Path::new("/dev/null")), None);
        Ok(())
    }
}
