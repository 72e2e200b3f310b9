//! A build without support for databases reports them, and reads the rest.

use crate::report::reports::run;

#[test]
fn a_database_is_reported_as_not_supported() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut bytes = b"SQLite format 3\0".to_vec();
    bytes.resize(4096, 0);
    std::fs::write(folder.path().join("agents.db"), bytes).expect("written");
    std::fs::write(folder.path().join("h.json"), "[{\"role\":\"user\",\"content\":\"hi\"}]").expect("written");
    let output = run(folder.path(), &["check", "--output-format", "concise", "agents.db", "h.json"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("agents.db:1:1: error RL004 this build cannot read SQLite databases"), "{text}");
    assert!(output.status.code() == Some(1) && text.contains("2 files"), "{text}");
}
