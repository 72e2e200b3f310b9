//! Globs of a config file or of the command line. They work as in a `.gitignore`: without a separator a glob
//! matches a name at any depth, with one it is relative to the folder of the config file, and a folder that
//! matches includes everything below it. The spelling of the path does not matter: both are made absolute first.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use globset::{GlobBuilder, GlobMatcher};

use crate::json::steps;

/// A glob, and the folder that it is relative to.
#[derive(Debug)]
pub struct Glob {
    text: String,
    base: PathBuf,
    matcher: GlobMatcher,
    /// It matches a name at any depth.
    anywhere: bool,
    matched: AtomicBool,
}

impl Glob {
    /// `base` is absolute.
    pub fn new(base: &Path, text: &str) -> Result<Glob, globset::Error> {
        let mut rest = text.strip_suffix('/').unwrap_or(text);
        let mut base = base.to_owned();
        let mut anywhere = !rest.contains('/');
        loop {
            if let Some(below) = rest.strip_prefix("./") {
                rest = below;
            } else if let Some(above) = rest.strip_prefix("../") {
                base.pop();
                rest = above;
            } else if let Some(absolute) = rest.strip_prefix('/') {
                base = PathBuf::from("/");
                rest = absolute;
            } else {
                break;
            }
            anywhere = false;
        }
        let matcher = GlobBuilder::new(rest).literal_separator(true).build()?.compile_matcher();
        Ok(Glob { text: text.to_owned(), base, matcher, anywhere, matched: AtomicBool::new(false) })
    }

    /// True if an absolute path, or a folder above it, matches.
    pub fn is_match(&self, path: &Path) -> bool {
        let matches = match (self.anywhere, path.strip_prefix(&self.base)) {
            (true, _) => names_below(&self.base, path).any(|name| self.matches(name)),
            (false, Ok(below)) => self.matches_below(below),
            (false, Err(_)) => false,
        };
        if matches {
            self.matched.store(true, Ordering::Relaxed);
        }
        matches
    }

    /// The same for a path of which no folder above it matches.
    pub fn is_match_itself(&self, path: &Path) -> bool {
        let matches = match (self.anywhere, path.strip_prefix(&self.base)) {
            (true, _) => {
                let is_above =
                    path.as_os_str().len() <= self.base.as_os_str().len() && self.base.starts_with(path);
                !is_above && path.file_name().is_some_and(|name| self.matches(name))
            }
            (false, Ok(below)) => !below.as_os_str().is_empty() && self.matches(below),
            (false, Err(_)) => false,
        };
        if matches {
            self.matched.store(true, Ordering::Relaxed);
        }
        matches
    }

    fn matches_below(&self, below: &Path) -> bool {
        // A glob cannot match the folder that it is relative to.
        below.ancestors().filter(|part| !part.as_os_str().is_empty()).any(|part| self.matches(part))
    }

    fn matches(&self, part: impl AsRef<Path>) -> bool {
        steps::count();
        self.matcher.is_match(part)
    }

    /// True if anything has matched it so far.
    pub fn has_matched(&self) -> bool {
        self.matched.load(Ordering::Relaxed)
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The names in `path` after those that it has in common with `base`.
fn names_below<'p>(base: &Path, path: &'p Path) -> impl Iterator<Item = &'p OsStr> {
    let common = base.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    path.components().skip(common).map(Component::as_os_str)
}

/// The path from the root, without `.` and `..` in it. Links are not followed.
pub fn absolute(path: &Path) -> PathBuf {
    let here = || std::env::current_dir().unwrap_or_default();
    absolute_from(&if path.is_absolute() { PathBuf::new() } else { here() }, path)
}

/// The same for a path that may be relative to `here`.
pub fn absolute_from(here: &Path, path: &Path) -> PathBuf {
    let mut out = PathBuf::with_capacity(here.as_os_str().len() + 1 + path.as_os_str().len());
    if !path.is_absolute() {
        out.push(here);
    }
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(out.pop()),
            part => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_fit_as_in_a_gitignore() {
        let matches = |glob: &str, path: &str| {
            Glob::new(Path::new("/data/logs"), glob).expect("a glob").is_match(Path::new(path))
        };
        for (glob, path, wanted) in [
            ("*.json", "/data/logs/a/b.json", true),
            ("a", "/data/logs/a/b.json", true),
            ("a/", "/data/logs/a/b.json", true),
            ("./a", "/data/logs/a/b.json", true),
            ("a/*.json", "/data/logs/a/b.json", true),
            ("a/*.json", "/data/logs/a/c/b.json", false),
            ("a/**", "/data/logs/a/c/b.json", true),
            ("**/c/*.json", "/data/logs/a/c/b.json", true),
            ("/data/logs/a", "/data/logs/a/b.json", true),
            ("../other/*.json", "/data/other/b.json", true),
            // Above the folder of the glob nothing is meant.
            ("data", "/data/logs/a/b.json", false),
            ("logs", "/data/logs/a/b.json", false),
            ("**/*.json", "/data/other/b.json", false),
            // A name may be that of a file elsewhere, if the command line names it.
            ("b.json", "/other/b.json", true),
        ] {
            assert_eq!(matches(glob, path), wanted, "{glob} {path}");
        }
        assert!(Glob::new(Path::new("/"), "a[").is_err());
    }

    #[test]
    fn any_way_to_name_a_path_leads_to_the_same_one() {
        let here = std::env::current_dir().expect("a folder");
        for path in ["a/b.json", "./a/b.json", "a/../a/./b.json"] {
            assert_eq!(absolute(Path::new(path)), here.join("a/b.json"), "{path}");
        }
        assert_eq!(absolute(Path::new(".")), here);
        assert_eq!(absolute(Path::new("/a/../b")), Path::new("/b"));
    }
}
