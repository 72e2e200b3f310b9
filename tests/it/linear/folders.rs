//! The work for a file is linear in the number of folders above it: globs, ignore files and config files are looked up
//! folder by folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use replaylint::internals::options::{ConfigLookup, FileOptions, LintSettings, WalkOptions};
use replaylint::internals::source::inputs::globs::Glob;
use replaylint::internals::source::inputs::walk::walk;

use crate::support::work::Work;

/// A file below this many folders, in a repository with ignore rules and a config file.
fn nested(depth: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path();
    fs::create_dir(root.join(".git")).expect("a folder");
    fs::write(root.join(".gitignore"), "*.none\n/a/b\n").expect("written");
    fs::write(root.join("replaylint.toml"), "exclude = [\"x\", \"a/**\", \"**/none/*.json\"]\n").expect("written");
    let below: PathBuf = std::iter::repeat_n("d", depth).collect();
    fs::create_dir_all(root.join(&below)).expect("folders");
    fs::write(root.join(below).join("a.json"), "{}").expect("written");
    folder
}

/// The work of walking a folder of some files and loading their configs.
pub(super) fn walk_work(root: &Path, files: usize) -> Work {
    let globs = ["y", "b/*.json"].map(|glob| Arc::new(Glob::new(root, glob).expect("a glob")));
    let walking = WalkOptions { exclude: globs.to_vec(), ..WalkOptions::default() };
    let lints = LintSettings::new(FileOptions::default(), walking, ConfigLookup::Nearest).expect("options");
    let is_configured = root.join("replaylint.toml").exists();
    let (work, walked) = Work::of(|| {
        let walked = walk(&[root.to_owned()], &lints);
        for file in &walked.inputs {
            let replaylint::internals::source::Input::File { path, .. } = file else { panic!("a file") };
            lints.load(path).expect("a config file");
            assert_eq!(lints.effective(&path.to_string_lossy()).config.is_some(), is_configured);
        }
        walked
    });
    assert_eq!((walked.inputs.len(), walked.errors.len()), (files, 0));
    work
}

#[test]
fn a_deeply_nested_file_takes_work_linear_in_its_depth() {
    let [small, large] = [200, 800].map(|depth| walk_work(nested(depth).path(), 1));
    assert!(small.steps > 200, "{small:?}");
    // Bytes of paths grow quadratically with the depth, so only steps are counted.
    let [small, large] = [small, large].map(|work| Work { allocated: 0, ..work });
    crate::support::work::grows_linearly("folders", small, large);
}
