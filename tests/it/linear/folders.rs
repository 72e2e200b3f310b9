//! A file below many folders costs as much for each of them as one below few: the globs, ignore files and config files that
//! hold for it are looked up folder by folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use replaylint::internals::options::{FileOptions, Lints, Lookup, Walking};
use replaylint::internals::source::inputs::globs::Glob;
use replaylint::internals::source::inputs::walk::walk;

use crate::support::work::Work;

/// A file below this many folders, in a repository with rules of its own.
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

fn walked(root: &Path) -> Work {
    let typed = ["y", "b/*.json"].map(|glob| Arc::new(Glob::new(root, glob).expect("a glob")));
    let walking = Walking { exclude: typed.to_vec(), ..Walking::default() };
    let lints = Lints::new(FileOptions::default(), walking, Lookup::Nearest).expect("options");
    let (work, walked) = Work::of(|| {
        let walked = walk(&[root.to_owned()], &lints);
        for file in &walked.inputs {
            let replaylint::internals::source::Input::File { path, .. } = file else { panic!("a file") };
            lints.load(path).expect("a config file");
            assert!(lints.in_force(&path.to_string_lossy()).config.is_some());
        }
        walked
    });
    assert_eq!((walked.inputs.len(), walked.errors.len()), (1, 0));
    work
}

#[test]
fn a_file_below_many_folders_costs_as_much_for_each() {
    let [small, large] = [200, 800].map(|depth| walked(nested(depth).path()));
    assert!(small.steps > 200, "{small:?}");
    // The bytes of a path grow with it, and so do those of all paths on the way: only what is done with them is counted.
    let [small, large] = [small, large].map(|work| Work { allocated: 0, ..work });
    crate::support::work::grows_linearly("folders", small, large);
}
