//! Sessions of Mistral Vibe: the files of a folder, which are one session.

use std::fs;
use std::path::Path;

use crate::report::reports::run;

/// The lines of a sample as the files of a session, and the name of its last chunk.
fn session(sample: &str, root: &Path) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats/vibe-session").join(sample);
    let text = fs::read_to_string(path).expect("a sample");
    let (mut chunks, mut files) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let name = match line {
            _ if line.starts_with('[') => {
                let digest = DIGESTS.iter().find(|(start, _)| line.starts_with(start)).expect("a known chunk").1;
                chunks.push(digest);
                format!("chunks/{digest}.json")
            }
            _ if line.contains("store_format") => "CURRENT".to_owned(),
            _ if line.contains("runtime_state_version") => {
                "generations/0000000000000021/runtime-state.json".to_owned()
            }
            _ => "generations/0000000000000021/checkpoint.json".to_owned(),
        };
        files.push((name, line.to_owned()));
    }
    let list: Vec<String> = chunks.iter().map(|digest| format!(r#""{digest}""#)).collect();
    let manifest = format!(
        r#"{{"manifest_version":1,"checkpoint":{{"chunks":[{}]}},"recovery_journal_segment":{{"path":"{JOURNAL}"}}}}"#,
        list.join(",")
    );
    files.push(("generations/0000000000000021/manifest.json".to_owned(), manifest));
    files.push(("meta.json".to_owned(), r#"{"session_id":"s"}"#.to_owned()));
    // Chunks of the program's own state, and of earlier generations.
    files.push((format!("chunks/{}.json", "0".repeat(64)), r#"[{"role":"user","type":"message"}]"#.to_owned()));
    for (name, text) in files {
        write(&root.join(name), &(text + "\n"));
    }
    write(&root.join(JOURNAL), "");
    (*chunks.last().expect("a chunk")).to_owned()
}

const JOURNAL: &str = "journal/0000000000000022.jsonl";

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(path, text).expect("written");
}

/// The SHA-256 of the chunks of `unanswered.jsonl` and `rich.jsonl`, by their beginnings.
const DIGESTS: [(&str, &str); 3] = [
    (
        r#"[{"message":{"content":[{"text":"Water"#,
        "541db0a89bb0e25ab593d5145b2db82221ee62c9aca03e82a0adc7a9615aeb9e",
    ),
    (
        r#"[{"message":{"content":[{"text":"Which bird"#,
        "166c40fd91eafa1b209a1dd1619781fb8201a962d74c83d5f3c0a70fcea5d0ea",
    ),
    (
        r#"[{"message":{"content":[{"content":[{"text":"Both"#,
        "4480b97fb7ddd04265ea1e1e5f4a1a70974684096d8718e202e3e793904145f1",
    ),
];

fn check(folder: &Path, named: &str) -> (Option<i32>, String) {
    let output = run(folder, &["check", "-v", "--output-format", "concise", named]);
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn the_files_of_a_folder_are_one_session() {
    let folder = tempfile::tempdir().expect("a folder");
    let last = session("rich.jsonl", &folder.path().join("unified/s"));
    for named in ["unified", "unified/s/CURRENT", &format!("unified/s/chunks/{last}.json")] {
        let (code, text) = check(folder.path(), named);
        assert_eq!(code, Some(0), "{named}: {text}");
        assert!(text.contains("CURRENT: vibe-session, 16 items"), "{named}: {text}");
        assert!(text.contains("No problems found in 1 conversation (1 file)."), "{named}: {text}");
    }
}

#[test]
fn changed_and_missing_chunks_are_errors_and_nothing_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let last = session("rich.jsonl", &folder.path().join("s"));
    let chunk = folder.path().join(format!("s/chunks/{last}.json"));
    let text = fs::read_to_string(&chunk).expect("read");
    fs::write(&chunk, text.replace("ivy", "oak")).expect("written");
    let (code, text) = check(folder.path(), "s");
    assert!(code == Some(1) && text.contains("RL669 the content of the chunk does not match its name"), "{text}");
    let fixed = run(folder.path(), &["fix", "-w", "--force", "s"]);
    assert_eq!(fixed.status.code(), Some(1));
    fs::remove_file(&chunk).expect("removed");
    let (code, text) = check(folder.path(), "s");
    assert!(code == Some(1) && text.contains("RL669 a file of the session is missing"), "{text}");
}

#[test]
fn a_journal_that_is_not_read_is_noted() {
    let folder = tempfile::tempdir().expect("a folder");
    session("unanswered.jsonl", &folder.path().join("s"));
    let (code, text) = check(folder.path(), "s");
    assert!(code == Some(1) && text.contains("RL501"), "{text}");
    write(&folder.path().join("s").join(JOURNAL), "{}\n");
    let (_, text) = check(folder.path(), "s");
    assert!(text.contains("manifest.json:1:1: info RL669 the journal continues the session"), "{text}");
}
