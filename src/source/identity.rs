//! The identity of the file that a path leads to, however it is spelled: through links, `..`, or a hard link.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The identity of a file. Paths with equal identities lead to the same file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FileIdentity {
    /// Device and inode of an existing file.
    #[cfg(unix)]
    Node(u64, u64),
    /// The canonical path of a file that does not exist yet, or of any file on systems without inodes.
    Path(PathBuf),
}

impl FileIdentity {
    /// `None` for devices and pipes, to which everybody may write.
    pub fn of(path: &Path) -> Option<FileIdentity> {
        match fs::metadata(path) {
            Ok(meta) if meta.is_file() => Some(FileIdentity::of_existing(path, &meta)),
            Ok(_) => None,
            Err(_) => Some(FileIdentity::Path(resolve_path(path))),
        }
    }

    #[cfg(unix)]
    fn of_existing(_: &Path, meta: &fs::Metadata) -> FileIdentity {
        use std::os::unix::fs::MetadataExt;
        FileIdentity::Node(meta.dev(), meta.ino())
    }

    #[cfg(not(unix))]
    fn of_existing(path: &Path, _: &fs::Metadata) -> FileIdentity {
        FileIdentity::Path(fs::canonicalize(path).unwrap_or_else(|_| resolve_path(path)))
    }
}

/// The path of a file that does not exist, with all existing links resolved.
fn resolve_path(path: &Path) -> PathBuf {
    let path = follow_links(path).unwrap_or_else(|_| path.to_owned());
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

/// Maximum number of links followed in a row.
const LINKS: usize = 40;

/// The path that links lead to, even if nothing exists there.
pub fn follow_links(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path).or_else(|_| follow_broken_links(path))
}

/// The same for a path where nothing exists.
pub fn follow_broken_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = path.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => return Ok(long_path(path)),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The path of a file that does not exist yet. Windows accepts long paths only in canonical form.
fn long_path(path: PathBuf) -> PathBuf {
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
        let of = |name: &str| FileIdentity::of(&path(name)).expect("a file");
        for name in ["d/../a", "d/up/a", "second"] {
            assert_eq!(of(name), of("a"), "{name}");
        }
        // Files that do not exist yet.
        for name in ["d/../b", "d/up/b", "to-b"] {
            assert_eq!(of(name), of("b"), "{name}");
        }
        assert_eq!(of("new/x"), of("d/up/new/x"));
        assert_ne!(of("a"), of("b"));
        assert_eq!(FileIdentity::of(Path::new("/dev/null")), None);
        Ok(())
    }
}
