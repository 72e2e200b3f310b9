//! `fix --undo`: files that are restored, refusals with their reasons, and the files that remain.

use std::fs;
use std::path::Path;

use crate::report::reports::run;
use crate::source::writing::{BROKEN, WHOLE, backdate, folder_with, names, read};

/// A call without an output and an output without a call: faults of two rules.
const TWICE: &str = "[\n  {\"role\":\"user\",\"content\":\"a\"},\n  {\"type\":\"function_call\",\"call_id\":\"call_2\",\"name\":\"f\",\"arguments\":\"{}\"},\n  {\"type\":\"function_call_output\",\"call_id\":\"call_1\",\"output\":\"kept\"},\n  {\"role\":\"user\",\"content\":\"b\"}\n]\n";

/// Runs `fix` with these arguments. Returns exit code, standard output and standard error.
fn fix(folder: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let output = run(folder, &[&["fix"], args].concat());
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn repaired_folder() -> tempfile::TempDir {
    let folder = folder_with("h.json", BROKEN);
    let (code, _, stderr) = fix(folder.path(), &["-w", "h.json"]);
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(names(folder.path()), ["h.json", "h.json.bak", "h.json.bak.journal"]);
    assert_eq!(read(folder.path(), "h.json"), WHOLE);
    folder
}

/// All files with their contents.
fn state(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let content = |name: String| (name.clone(), fs::read(folder.join(&name)).unwrap_or_default());
    names(folder).into_iter().map(content).collect()
}

#[test]
fn a_fix_is_undone_byte_for_byte() {
    let folder = folder_with("h.json", BROKEN);
    let path = folder.path().join("h.json");
    #[cfg(unix)]
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o640)).expect("set");
    assert_eq!(fix(folder.path(), &["-w", "h.json"]).0, Some(0));
    let journal: serde_json::Value =
        serde_json::from_str(&read(folder.path(), "h.json.bak.journal")).expect("a journal");
    let lengths = (journal["written"]["bytes"].as_u64(), journal["backup"]["bytes"].as_u64());
    assert_eq!(lengths, (Some(WHOLE.len() as u64), Some(BROKEN.len() as u64)));
    assert_eq!((&journal["file"], &journal["version"]), (&"h.json".into(), &1.into()));
    let (code, report, stderr) = fix(folder.path(), &["--undo", "h.json"]);
    assert_eq!(
        (code, report.as_str(), stderr.as_str()),
        (Some(0), "Restored: 1 file.\n", "h.json: restored from h.json.bak\n")
    );
    assert_eq!(state(folder.path()), [("h.json".to_owned(), BROKEN.as_bytes().to_vec())]);
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::MetadataExt::mode(&fs::metadata(&path).expect("there")) & 0o777, 0o640);
    let (code, _, stderr) = fix(folder.path(), &["--undo", "h.json"]);
    assert!(code == Some(2) && stderr.contains("h.json: nothing to undo: it has no backup"), "{stderr}");
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_a_journal() {
    let folder = repaired_folder();
    let meta = fs::metadata(folder.path().join("h.json.bak.journal")).expect("there");
    assert_eq!(std::os::unix::fs::MetadataExt::mode(&meta) & 0o777, 0o600);
}

#[test]
fn two_fixes_are_undone_one_after_the_other() {
    let folder = folder_with("h.json", TWICE);
    assert_eq!(fix(folder.path(), &["-w", "--select", "RL102", "h.json"]).0, Some(0));
    let between = read(folder.path(), "h.json");
    assert_eq!(fix(folder.path(), &["-w", "h.json"]).0, Some(0));
    assert_eq!(
        names(folder.path()),
        ["h.json", "h.json.bak", "h.json.bak.1", "h.json.bak.1.journal", "h.json.bak.journal"]
    );
    assert!(between != TWICE && between != read(folder.path(), "h.json"));
    let (code, _, stderr) = fix(folder.path(), &["--undo", "h.json"]);
    assert!(code == Some(0) && stderr == "h.json: restored from h.json.bak.1\n", "{stderr}");
    assert_eq!(read(folder.path(), "h.json"), between);
    assert_eq!(names(folder.path()), ["h.json", "h.json.bak", "h.json.bak.journal"]);
    assert_eq!(fix(folder.path(), &["--undo", "-q", "h.json"]), (Some(0), String::new(), String::new()));
    assert_eq!(state(folder.path()), [("h.json".to_owned(), TWICE.as_bytes().to_vec())]);
}

/// A change after a fix, and the reason why nothing is restored then.
type ChangeCase = (fn(&Path), &'static str);

#[test]
fn a_file_that_changed_after_the_fix_is_not_restored() {
    let cases: [ChangeCase; 6] = [
        (
            |folder| fs::write(folder.join("h.json"), format!("{WHOLE}\n")).expect("written"),
            "changed since the fix; nothing was restored (to discard the changes, copy h.json.bak over it)",
        ),
        (
            |folder| fs::remove_file(folder.join("h.json.bak")).expect("removed"),
            "its backup h.json.bak is missing; nothing was restored",
        ),
        (
            |folder| fs::write(folder.join("h.json.bak"), WHOLE).expect("written"),
            "its backup h.json.bak changed since the fix; nothing was restored",
        ),
        (
            |folder| fs::remove_file(folder.join("h.json.bak.journal")).expect("removed"),
            "its backup h.json.bak has no journal (h.json.bak.journal)",
        ),
        (
            |folder| fs::write(folder.join("h.json.bak.journal"), "{}").expect("written"),
            "its backup h.json.bak has no journal (h.json.bak.journal)",
        ),
        (
            |folder| {
                fs::remove_file(folder.join("h.json.bak")).expect("removed");
                fs::remove_file(folder.join("h.json.bak.journal")).expect("removed");
            },
            "nothing to undo: it has no backup",
        ),
    ];
    for (change, why) in cases {
        let folder = repaired_folder();
        change(folder.path());
        let before = state(folder.path());
        for force in [&[][..], &["--force"]] {
            let (code, report, stderr) = fix(folder.path(), &[&["--undo", "h.json"], force].concat());
            assert!(code == Some(2) && stderr.contains(why), "{why}: {code:?} {stderr}");
            assert_eq!(report, "Not restored: 1 file.\n");
            assert_eq!(state(folder.path()), before, "{why}");
        }
    }
}

#[test]
fn undo_of_a_manually_restored_file_removes_its_backup() {
    for put_back in [fs::rename, |from: std::path::PathBuf, to| fs::copy(from, to).map(drop)] {
        let folder = repaired_folder();
        put_back(folder.path().join("h.json.bak"), folder.path().join("h.json")).expect("put back");
        let (code, _, stderr) = fix(folder.path(), &["--undo", "h.json"]);
        assert_eq!(code, Some(0), "{stderr}");
        assert_eq!(state(folder.path()), [("h.json".to_owned(), BROKEN.as_bytes().to_vec())]);
    }
}

#[test]
fn without_a_backup_there_is_no_journal() {
    let folder = folder_with("h.json", BROKEN);
    assert_eq!(fix(folder.path(), &["-w", "--no-backup", "h.json"]).0, Some(0));
    assert_eq!(names(folder.path()), ["h.json"]);
}

#[test]
fn a_backup_replaces_no_foreign_file() {
    let folder = folder_with("h.json", BROKEN);
    fs::write(folder.path().join("h.json.bak.journal"), WHOLE).expect("written");
    assert_eq!(fix(folder.path(), &["-w", "h.json"]).0, Some(0));
    assert_eq!(names(folder.path()), ["h.json", "h.json.bak.1", "h.json.bak.1.journal", "h.json.bak.journal"]);
    assert_eq!(read(folder.path(), "h.json.bak.journal"), WHOLE);
    assert_eq!(fix(folder.path(), &["--undo", "h.json"]).0, Some(0));
    assert_eq!((names(folder.path()).len(), read(folder.path(), "h.json").as_str()), (2, BROKEN));
}

#[test]
fn undo_of_a_folder_restores_its_files() {
    let folder = folder_with("h.json", BROKEN);
    fs::create_dir(folder.path().join("below")).expect("made");
    for (name, text) in [("below/g.json", BROKEN), ("whole.json", WHOLE), ("mine.bak.json", WHOLE)] {
        fs::write(folder.path().join(name), text).expect("written");
        backdate(&folder.path().join(name));
    }
    assert_eq!(fix(folder.path(), &["-w", "."]).0, Some(0));
    assert!(folder.path().join("below/g.json.bak.journal").exists());
    // Journals are not read as conversations.
    let output = run(folder.path(), &["check", "-v", "."]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!stderr.contains("skipped") && stderr.contains("mine.bak.json"), "{stderr}");
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(report.contains("4 conversations (4 files)"), "{report}");
    // A changed file is reported; the others are restored.
    fs::write(folder.path().join("below/g.json"), format!("{WHOLE}\n")).expect("written");
    let (code, report, stderr) = fix(folder.path(), &["--undo", "."]);
    assert_eq!((code, report.as_str()), (Some(2), "Not restored: 1 file.\nRestored: 1 file.\n"));
    assert!(
        stderr.contains("g.json: changed since the fix") && stderr.contains("h.json: restored from"),
        "{stderr}"
    );
    assert!(!stderr.contains("whole.json"), "{stderr}");
    assert_eq!(read(folder.path(), "h.json"), BROKEN);
    fs::write(folder.path().join("below/g.json"), WHOLE).expect("written");
    assert_eq!(fix(folder.path(), &["--undo", "."]).0, Some(0));
    assert_eq!(read(folder.path(), "below/g.json"), BROKEN);
    // There is nothing more to undo.
    let (code, _, stderr) = fix(folder.path(), &["--undo", "."]);
    assert!(code == Some(2) && stderr.contains("nothing to undo"), "{stderr}");
    assert_eq!(fix(folder.path(), &["--undo", "--allow-empty", "."]).0, Some(0));
}

#[test]
fn a_file_with_a_long_name_has_a_backup_and_is_restored() {
    let name = format!("{}.json", "n".repeat(245));
    let folder = folder_with(&name, BROKEN);
    assert_eq!(fix(folder.path(), &["-w", &name]).0, Some(0));
    assert_eq!(names(folder.path()).len(), 3, "{:?}", names(folder.path()));
    let (code, _, stderr) = fix(folder.path(), &["--undo", &name]);
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(state(folder.path()), [(name, BROKEN.as_bytes().to_vec())]);
}

#[cfg(unix)]
#[test]
fn the_target_of_a_symlink_is_restored() {
    let folder = repaired_folder();
    fs::create_dir(folder.path().join("links")).expect("made");
    std::os::unix::fs::symlink("../h.json", folder.path().join("links/to.json")).expect("linked");
    let (code, _, stderr) = fix(folder.path(), &["--undo", "links/to.json"]);
    assert!(code == Some(0) && stderr.contains("h.json.bak"), "{stderr}");
    assert!(folder.path().join("links/to.json").is_symlink());
    assert_eq!(read(folder.path(), "h.json"), BROKEN);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_being_written_is_not_restored() {
    let folder = repaired_folder();
    let writer = fs::OpenOptions::new().append(true).open(folder.path().join("h.json")).expect("open");
    let (code, _, stderr) = fix(folder.path(), &["--undo", "h.json"]);
    assert!(code == Some(2) && stderr.contains("has it open for writing"), "{stderr}");
    assert_eq!(read(folder.path(), "h.json"), WHOLE);
    assert_eq!(fix(folder.path(), &["--undo", "--force", "h.json"]).0, Some(0));
    drop(writer);
    assert_eq!(read(folder.path(), "h.json"), BROKEN);
}

#[cfg(feature = "sqlite")]
mod databases {
    use super::*;
    use crate::support::databases::{CALL, Database, USER, open};

    fn fixed_database(mode: &str) -> (Database, Vec<(i64, String)>) {
        let database = Database::of(&[("a", &[USER, CALL, USER])]);
        database.run(|connection| {
            connection.pragma_update_and_check(None, "journal_mode", mode, |_| Ok(())).expect("set");
        });
        let before = database.rows();
        backdate(&database.path);
        let (code, _, stderr) = fix(database.folder.path(), &["-w", "--as", "request", "agents.db"]);
        assert_eq!(code, Some(0), "{stderr}");
        assert_eq!(names(database.folder.path()), ["agents.db", "agents.db.bak", "agents.db.bak.journal"]);
        (database, before)
    }

    #[test]
    fn a_database_is_restored() {
        for mode in ["WAL", "DELETE"] {
            let (database, before) = fixed_database(mode);
            assert_ne!(database.rows(), before);
            let backup = fs::read(database.folder.path().join("agents.db.bak")).expect("readable");
            // Reading it changes nothing.
            let (code, _, stderr) = fix(database.folder.path(), &["--undo", "agents.db"]);
            assert!(code == Some(0) && stderr == "agents.db: restored from agents.db.bak\n", "{mode}: {stderr}");
            assert_eq!(fs::read(&database.path).expect("readable"), backup);
            assert_eq!(names(database.folder.path()), ["agents.db"]);
            assert_eq!(database.rows(), before);
        }
    }

    #[test]
    fn a_database_with_later_changes_is_not_restored() {
        let insert = "INSERT INTO agent_messages (session_id, message_data) VALUES ('a', '{}')";
        let (database, _) = fixed_database("DELETE");
        database.run(|connection| assert_eq!(connection.execute(insert, []), Ok(1)));
        let (rows, folder) = (database.rows(), database.folder.path());
        let (code, _, stderr) = fix(folder, &["--undo", "agents.db"]);
        assert!(code == Some(2) && stderr.contains("changed since the fix"), "{stderr}");
        // Rows in the -wal file are not part of the database file.
        let (database, _) = fixed_database("WAL");
        let user = open(&database.path);
        user.execute(insert, []).expect("inserted");
        let (code, _, stderr) = fix(database.folder.path(), &["--undo", "--force", "agents.db"]);
        assert!(code == Some(2) && stderr.contains("its -wal file contains rows"), "{stderr}");
        assert!(stderr.contains("(the backup from before the fix is agents.db.bak)"), "{stderr}");
        assert_eq!(rows.len(), 3);
        drop(user);
        assert_eq!(database.rows().len(), 3);
    }

    #[test]
    fn a_database_with_an_interrupted_transaction_is_not_restored() {
        let (database, _) = fixed_database("DELETE");
        fs::write(database.folder.path().join("agents.db-journal"), [0xd9; 64]).expect("written");
        let (code, _, stderr) = fix(database.folder.path(), &["--undo", "agents.db"]);
        assert!(
            code == Some(2) && stderr.contains("its -journal file contains an interrupted transaction"),
            "{stderr}"
        );
    }
}
