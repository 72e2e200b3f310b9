//! Privacy of archives: files with canaries are packed, and no canary is printed. The names of members are places, like
//! paths, and printed.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::privacy::{CANARY, print_without_leaks, write_planted_files};
use super::reports::run;

/// Packs the files of a folder with these placements of canaries.
fn pack(folder: &Path, to: &Path, placements: &[&str]) {
    let mut zip = ZipWriter::new(File::create(to).expect("made"));
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name() {
        let path = entry.expect("readable").into_path();
        if !path.file_stem().is_some_and(|placement| placements.iter().any(|wanted| placement == *wanted))
            || !path.is_file()
        {
            continue;
        }
        let name = path.strip_prefix(folder).expect("below").to_string_lossy().into_owned();
        let text = fs::read(&path).expect("readable");
        // Stored members are read in place, deflated ones are unpacked.
        let method = if text.len() % 2 == 0 { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        zip.start_file(name, SimpleFileOptions::default().compression_method(method)).expect("a file");
        zip.write_all(&text).expect("written");
    }
    zip.finish().expect("an archive");
}

#[test]
fn no_command_prints_a_canary_of_an_archive() {
    let folder = tempfile::tempdir().expect("a folder");
    let (files, archives) = (folder.path().join("files"), folder.path().join("archives"));
    write_planted_files(&files);
    fs::create_dir(&archives).expect("made");
    // All strings, keys, and members that no schema has.
    for entry in fs::read_dir(&files).expect("readable") {
        let entry = entry.expect("readable");
        let name = format!("{}.zip", entry.file_name().to_string_lossy());
        pack(&entry.path(), &archives.join(name), &["1", "2", "3"]);
    }
    // A truncated archive, and a file that is no archive despite its name.
    let whole = fs::read(archives.join("claude-ai-export.zip")).expect("readable");
    fs::write(archives.join("cut.zip"), &whole[..whole.len() / 2]).expect("written");
    fs::write(archives.join("text.zip"), CANARY).expect("written");
    // Archives are read if they are named, not if they are found in a folder.
    let names: Vec<String> = fs::read_dir(&archives)
        .expect("readable")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let printed = print_without_leaks(&archives, &names);
    assert!(printed.contains("x-customer-0…") && printed.contains(".zip: "), "{printed}");
    let shown = run(&archives, &["check", "--show-content", "responses-request.zip"]);
    assert!(String::from_utf8_lossy(&shown.stdout).contains(CANARY), "--show-content shows it");
}
