//! Zip archives: their files are read one by one, named after archive and member, and never written back. A problem of an
//! archive, or of a file in it, is reported once, and the rest is read.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;
use std::process::{Command, Output};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

const CHAT: &str = r#"{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}"#;
const ORPHAN: &str = r#"{"model":"gpt-4o","messages":[{"role":"user","content":"hi"},{"role":"tool","tool_call_id":"call_1","content":"x"},{"role":"user","content":"?"}]}"#;

fn archive(files: &[(&str, &[u8], CompressionMethod)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text, method) in files {
        zip.start_file(*name, SimpleFileOptions::default().compression_method(*method)).expect("a file");
        zip.write_all(text).expect("memory writes");
    }
    zip.finish().expect("an archive").into_inner()
}

fn run(folder: &Path, args: &[&str]) -> (Output, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_replaylint")).args(args).current_dir(folder).output();
    let out = out.expect("it runs");
    let output_text = [&*out.stdout, &*out.stderr].map(String::from_utf8_lossy).concat();
    (out, output_text)
}

#[test]
fn each_file_in_an_archive_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("export.zip");
    let packed = archive(&[
        ("a/one.json", CHAT.as_bytes(), CompressionMethod::Deflated),
        ("two.json", ORPHAN.as_bytes(), CompressionMethod::Stored),
        ("notes.md", b"nothing", CompressionMethod::Deflated),
        ("../out.json", CHAT.as_bytes(), CompressionMethod::Deflated),
    ]);
    fs::write(&path, &packed).expect("written");
    let check = ["check", "--isolated", "--output-format", "concise", "export.zip"];
    let (out, output_text) = run(folder.path(), &check);
    assert_eq!(out.status.code(), Some(1), "{output_text}");
    assert!(output_text.contains("export.zip: two.json:1:"), "{output_text}");
    assert!(output_text.contains("in 3 conversations (3 files)"), "{output_text}");
    // Archives are read-only.
    let (out, output_text) = run(folder.path(), &["fix", "--isolated", "-w", "--force", "export.zip"]);
    assert_eq!(out.status.code(), Some(2), "{output_text}");
    assert!(
        output_text.contains("export.zip: two.json: is in a zip archive, which is never modified"),
        "{output_text}"
    );
    assert_eq!(fs::read(&path).expect("readable"), packed);
    // Copies are below the folder, whatever paths the archive contains.
    let (_, output_text) = run(folder.path(), &["fix", "--isolated", "-o", "copies", "export.zip"]);
    for name in ["a/one.json", "two.json", "out.json"] {
        assert!(folder.path().join("copies/export.zip").join(name).is_file(), "{name}: {output_text}");
    }
    assert!(!folder.path().join("out.json").exists());
    let (_, output_text) =
        run(folder.path(), &["convert", "--isolated", "--to", "anthropic", "-o", "made", "export.zip"]);
    assert!(folder.path().join("made/export.zip/a/one.json").is_file(), "{output_text}");
    let (_, output_text) = run(folder.path(), &["tree", "--isolated", "export.zip"]);
    assert!(output_text.contains("export.zip: two.json"), "{output_text}");
}

#[test]
fn an_archive_of_one_file_is_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let packed = archive(&[("s.json", text.as_bytes(), CompressionMethod::Deflated)]);
        fs::write(folder.path().join(name), packed).expect("written");
    };
    write("a.zip", CHAT);
    write("b.zip", &CHAT.replace("hi", "ho"));
    assert_eq!(run(folder.path(), &["diff", "--isolated", "a.zip", "a.zip"]).0.status.code(), Some(0));
    assert_eq!(run(folder.path(), &["diff", "--isolated", "a.zip", "b.zip"]).0.status.code(), Some(1));
}

#[test]
fn problems_of_an_archive_are_reported_and_the_rest_is_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).expect("written");
    let bomb = [b"[".to_vec(), vec![b' '; 20 << 20], b"]".to_vec()].concat();
    write(
        "bomb.zip",
        &archive(&[
            ("bomb.json", &bomb, CompressionMethod::Deflated),
            ("good.json", CHAT.as_bytes(), CompressionMethod::Deflated),
        ]),
    );
    let whole = archive(&[("s.json", CHAT.repeat(40).as_bytes(), CompressionMethod::Deflated)]);
    write("cut.zip", &whole[..whole.len() / 2]);
    let mut corrupt = whole.clone();
    // An invalid type, 3, for the first block.
    corrupt[30 + "s.json".len()] |= 0b110;
    write("corrupt.zip", &corrupt);
    let mut locked = whole.clone();
    let directory = memchr::memmem::find(&locked, b"PK\x01\x02").expect("a directory");
    locked[6] |= 1;
    locked[directory + 8] |= 1;
    write("locked.zip", &locked);
    let (out, output_text) =
        run(folder.path(), &["check", "--isolated", "bomb.zip", "cut.zip", "corrupt.zip", "locked.zip"]);
    assert_eq!(out.status.code(), Some(2), "{output_text}");
    for line in [
        "bomb.zip: bomb.json: decompresses to far more than its compressed size",
        "cut.zip: not a readable zip archive",
        "corrupt.zip: s.json: ",
        "locked.zip: s.json: cannot be decompressed: Password required",
    ] {
        assert_eq!(output_text.matches(line).count(), 1, "{line}: {output_text}");
    }
    assert!(output_text.contains("1 conversation (1 file)"), "{output_text}");
}
