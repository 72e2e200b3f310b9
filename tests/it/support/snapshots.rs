//! Snapshots of cases, one file each, so that a diff shows the change of one case. All cases of a test run before it fails,
//! and a snapshot without a case fails it as well.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// The snapshots of one test, in folders below `root`.
pub struct Snapshots {
    root: PathBuf,
    seen: BTreeSet<PathBuf>,
    failed: Vec<String>,
    /// Accept all snapshots, and remove those without a case.
    accept: bool,
}

impl Snapshots {
    /// `root` is a folder of the project.
    pub fn new(root: &str) -> Self {
        Snapshots {
            root: Path::new(env!("CARGO_MANIFEST_DIR")).join(root),
            seen: BTreeSet::new(),
            failed: Vec::new(),
            accept: std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always"),
        }
    }

    /// Runs a case and compares the page that it returns with `<root>/<group>/<name>.snap`.
    pub fn check(&mut self, group: &str, name: &str, case: impl FnOnce() -> String) {
        let file = file_name(name);
        let folder = self.root.join(group);
        if !self.seen.insert(folder.join(format!("{file}.snap"))) {
            self.failed.push(format!("{group}: {name}: another case has this snapshot"));
            return;
        }
        let passes = catch_unwind(AssertUnwindSafe(|| {
            let page = case();
            let mut settings = insta::Settings::new();
            settings.set_snapshot_path(&folder);
            settings.set_prepend_module_to_snapshot(false);
            settings.set_omit_expression(true);
            settings.bind(|| insta::assert_snapshot!(file, page));
        }));
        if passes.is_err() {
            self.failed.push(format!("{group}: {name}"));
        }
    }

    /// Fails if any of the cases failed, or if there is a snapshot without a case. Returns the number of cases.
    pub fn finish(self) -> usize {
        let (count, failed) = self.verdict();
        assert!(failed.is_empty(), "{} of {count} cases failed:\n{}", failed.len(), failed.join("\n"));
        count
    }

    fn verdict(mut self) -> (usize, Vec<String>) {
        for path in below(&self.root).into_iter().filter(|path| !self.seen.contains(path)) {
            if self.accept {
                fs::remove_file(&path).expect("removed");
                // An empty folder is removed as well.
                let _ = path.parent().map(fs::remove_dir);
            } else {
                self.failed.push(format!("{}: a snapshot without a case", path.display()));
            }
        }
        (self.seen.len(), self.failed)
    }
}

/// The snapshots in the folders below a folder.
fn below(root: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let folders = entries(root).filter(|path| path.is_dir());
    let files = folders.flat_map(|folder| entries(&folder).collect::<Vec<_>>());
    let mut snapshots: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|ending| ending == "snap")).collect();
    snapshots.sort();
    snapshots
}

/// The name of a case as a file name for any system: words, separated by hyphens.
fn file_name(name: &str) -> String {
    let kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
    let lower = name.to_ascii_lowercase();
    lower.split(|c: char| !kept(c)).filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

#[test]
fn every_failure_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let group = folder.path().join("group");
    fs::create_dir(&group).expect("made");
    let snapshot = "---\nsource: tests/it/snapshots.rs\n---\nthe page\n";
    fs::write(group.join("as-it-was.snap"), snapshot).expect("written");
    fs::write(group.join("removed.snap"), snapshot).expect("written");
    let run = |accept: bool| {
        let mut snapshots = Snapshots::new(folder.path().to_str().expect("UTF-8"));
        snapshots.accept = accept;
        snapshots.check("group", "As it was", || "the page".to_owned());
        snapshots.check("group", "as it was!", || "the page".to_owned());
        snapshots.check("group", "panics", || panic!("as it should"));
        let (seen, failed) = snapshots.verdict();
        (seen, failed.join("; ").replace(folder.path().to_str().expect("UTF-8"), "…"))
    };
    let of_cases = "group: as it was!: another case has this snapshot; group: panics";
    assert_eq!(run(false), (2, format!("{of_cases}; …/group/removed.snap: a snapshot without a case")));
    assert_eq!(run(true), (2, of_cases.to_owned()));
    assert!(!group.join("removed.snap").exists() && group.join("as-it-was.snap").exists());
}
