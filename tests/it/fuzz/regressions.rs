//! What the fuzz targets do, over the inputs that once failed (`fuzz/regressions/TARGET/`) and over stored files.

use std::fs;
use std::path::{Path, PathBuf};

#[path = "../../../fuzz/src/targets.rs"]
mod targets;

use targets::TARGETS;

fn project_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        walkdir::WalkDir::new(folder).into_iter().flatten().map(|entry| entry.into_path()).collect();
    files.retain(|path| path.is_file());
    files.sort();
    files
}

#[test]
fn inputs_that_once_failed_pass() {
    let folders = fs::read_dir(project_root().join("fuzz/regressions")).expect("a folder").flatten();
    for folder in folders.filter(|entry| entry.path().is_dir()) {
        let name = folder.file_name().into_string().expect("UTF-8");
        let (_, target) =
            TARGETS.iter().find(|(known, _)| *known == name).expect("a folder is named after a target");
        for path in files(&folder.path()) {
            println!("{}", path.display());
            target(&fs::read(path).expect("readable"));
        }
    }
}

#[test]
fn stored_files_pass() {
    let stored = files(&project_root().join("testdata/formats"));
    let small = stored.iter().filter(|path| path.metadata().is_ok_and(|meta| meta.len() < 4 << 10));
    let mut texts = 0;
    for path in small.step_by(32) {
        println!("{}", path.display());
        let text = fs::read(path).expect("readable");
        // With the default options.
        let input = [&[0], &text[..]].concat();
        TARGETS.iter().for_each(|(_, target)| target(&input));
        texts += 1;
    }
    assert!(texts > 5);
}

#[test]
fn every_target_has_a_binary() {
    let manifest = fs::read_to_string(project_root().join("fuzz/Cargo.toml")).expect("readable");
    for (name, _) in TARGETS {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
    }
    assert_eq!(manifest.matches("[[bin]]").count(), TARGETS.len());
}
