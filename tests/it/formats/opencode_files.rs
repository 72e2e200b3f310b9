//! Sessions of opencode in its storage folder: a file for each message and part is one session, whichever file is named.

use std::fs;
use std::path::Path;

use crate::report::reports::run;

const SESSION: &str = r#"{"id":"ses_1","version":"1.0.1","projectID":"p","directory":"/w","title":"t","time":{"created":1,"updated":2}}"#;
const ASKS: &str = r#"{"id":"msg_1","sessionID":"ses_1","role":"user","agent":"build","time":{"created":1},"model":{"providerID":"anthropic","modelID":"claude-sonnet-4-5"}}"#;
const SAYS: &str = r#"{"id":"msg_2","sessionID":"ses_1","role":"assistant","mode":"build","agent":"build","parentID":"msg_1","time":{"created":2},"providerID":"anthropic","modelID":"claude-sonnet-4-5"}"#;
const HI: &str = r#"{"id":"prt_1","sessionID":"ses_1","messageID":"msg_1","type":"text","text":"Hi\nthere"}"#;
/// Older versions say in the path alone which message a part is of.
const BARE: &str = r#"{"id":"prt_2","type":"text","text":"Yes"}"#;
const RUNS: &str = r#"{"id":"prt_3","sessionID":"ses_1","messageID":"msg_2","type":"tool","callID":"t1","tool":"ls","state":{"status":"running","input":{},"time":{"start":1}}}"#;

/// Writes a file with its members on lines of their own, as opencode does.
fn write(folder: &Path, path: &str, text: &str) {
    let path = folder.join("storage").join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    let pretty = serde_json::from_str::<serde_json::Value>(text)
        .map_or(text.to_owned(), |val| serde_json::to_string_pretty(&val).expect("JSON"));
    fs::write(path, pretty).expect("written");
}

fn tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [
        ("session/p/ses_1.json", SESSION),
        ("message/ses_1/msg_2.json", SAYS),
        ("message/ses_1/msg_1.json", ASKS),
        ("part/msg_1/prt_1.json", HI),
        ("part/msg_2/prt_3.json", RUNS),
        ("part/msg_2/prt_2.json", BARE),
        ("session/p/ses_9.json", &SESSION.replace("ses_1", "ses_9")),
        ("session_diff/ses_1.json", "[]"),
    ];
    files.iter().for_each(|(path, text)| write(folder.path(), path, text));
    folder
}

/// Runs a command: exit code, and all output.
fn command_output(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = run(folder, args);
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn the_files_of_a_session_are_one_history() {
    let folder = tree();
    for named in ["storage", "storage/session/p/ses_1.json", "storage/message/ses_1/msg_2.json"] {
        let (code, text) = command_output(folder.path(), &["check", "-v", named]);
        assert!(
            code == Some(0) && text.contains("storage/session/p/ses_1.json: opencode-session, 5 items"),
            "{text}"
        );
        assert!(text.contains("in 1 conversation"), "{named}: {text}");
    }
    let all = [
        "check",
        "storage/message/ses_1/msg_1.json",
        "storage/session/p/ses_1.json",
        "storage/part/msg_1/prt_1.json",
    ];
    let (code, text) = command_output(folder.path(), &all);
    assert!(code == Some(0) && text.contains("in 1 conversation (1 file)"), "{text}");
}

#[test]
fn a_part_alone_is_no_conversation() {
    let folder = tree();
    let (code, text) = command_output(folder.path(), &["check", "storage/part/msg_1/prt_1.json"]);
    assert_eq!(code, Some(2));
    let words = text.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("a part of an opencode message (check the file of its session, or the folder `storage`)"),
        "{text}"
    );
}

#[test]
fn findings_name_the_file_and_nothing_is_written() {
    let folder = tree();
    write(folder.path(), "part/msg_2/prt_4.json", r#"{"id":"prt_4","ty"#);
    let (code, text) =
        command_output(folder.path(), &["check", "--as", "request", "--output-format", "concise", "storage"]);
    assert_eq!(code, Some(1));
    assert!(text.contains("storage/part/msg_2/prt_3.json:1:1: error RL530"), "{text}");
    assert!(text.contains("storage/part/msg_2/prt_4.json:1:18: warning RL003"), "{text}");
    let before = fs::read(folder.path().join("storage/part/msg_2/prt_3.json")).expect("readable");
    let (_, text) = command_output(folder.path(), &["fix", "-w", "--force", "--as", "request", "storage"]);
    assert!(text.contains("editing files of opencode's storage folder"), "{text}");
    assert_eq!(fs::read(folder.path().join("storage/part/msg_2/prt_3.json")).expect("readable"), before);
    let (code, text) = command_output(folder.path(), &["convert", "storage", "--to", "chat", "-o", "out/"]);
    assert!(code != Some(2) && text.contains("storage/part/msg_2/prt_3.json:1:1"), "{text}");
    let made = fs::read_to_string(folder.path().join("out/session/p/ses_1.json")).expect("written");
    assert!(made.contains(r#""content":"Hi\nthere""#) && made.contains(r#""content":"Yes""#), "{made}");
}

/// As `check --agents opencode` finds it.
#[test]
fn the_agents_home_is_looked_into() {
    let folder = tree();
    fs::create_dir(folder.path().join("opencode")).expect("made");
    fs::rename(folder.path().join("storage"), folder.path().join("opencode/storage")).expect("moved");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_replaylint"))
        .args(["check", "--agents", "opencode"])
        .env("XDG_DATA_HOME", folder.path())
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("opencode: 1 session in "), "{text}");
}
