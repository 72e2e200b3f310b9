//! Repairing databases in place: the rows that change, refusals, and the state after an interruption.

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::process::Command;

use replaylint::internals::source::outputs::backup::BackupPlace;
use replaylint::internals::source::outputs::commit::ReplaceOptions;
use replaylint::internals::source::sqlite::{self, CellChange, RowId, WriteStep};

use crate::report::reports::run;
use crate::source::writing::{backdate, names};
use crate::support::databases::{CALL, Database, OUTPUT, USER, open, rows};

/// Runs `fix` with these arguments on the database. Returns its exit code and all output.
fn fix(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = run(folder, &[&["fix", "--as", "request"], args, &["agents.db"]].concat());
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

fn is_sound(database: &Database) -> bool {
    let state: String =
        open(&database.path).query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a state");
    state == "ok" && database.count("SELECT count(*) FROM pragma_foreign_key_check") == 0
}

/// A session with an unanswered call, one with an orphaned output, and one that is fine.
fn broken_database() -> Database {
    Database::of(&[("a", &[USER, CALL, USER]), ("b", &[USER, OUTPUT]), ("c", &[USER, CALL, OUTPUT])])
}

#[test]
fn removed_rows_update_the_time_of_the_session() {
    let database = broken_database();
    let (folder, before) = (database.folder.path(), database.rows());
    let (code, output_text) = fix(folder, &[]);
    assert!(code == Some(1) && output_text.contains("2 items removed"), "{output_text}");
    assert_eq!((database.rows(), names(folder)), (before.clone(), vec!["agents.db".to_owned()]));
    let (code, output_text) = fix(folder, &["-w", "--dropped", "dropped.jsonl"]);
    assert!(code == Some(0) && output_text.contains("agents.db: fixed; backup: "), "{output_text}");
    assert_eq!(names(folder), ["agents.db", "agents.db.bak", "agents.db.bak.journal", "dropped.jsonl"]);
    assert_eq!(rows(&folder.join("agents.db.bak")), before);
    let kept: Vec<(i64, String)> = before.into_iter().filter(|(id, _)| ![2, 5].contains(id)).collect();
    assert_eq!(database.rows(), kept);
    assert!(is_sound(&database));
    assert_eq!(database.count("SELECT count(*) FROM agent_sessions WHERE updated_at <> '2020-01-01'"), 2);
    let dropped = fs::read_to_string(folder.join("dropped.jsonl")).expect("a list");
    assert!(
        dropped.lines().count() == 2 && dropped.contains("\"file\":\"agents.db: session a, row 2\""),
        "{dropped}"
    );
    let bytes = fs::read(&database.path).expect("readable");
    let (code, output_text) = fix(folder, &["-w"]);
    assert!(code == Some(0) && output_text.contains("Nothing to fix"), "{output_text}");
    assert_eq!(fs::read(&database.path).expect("readable"), bytes, "a second run changes nothing");
    assert_eq!(names(folder), ["agents.db", "agents.db.bak", "agents.db.bak.journal", "dropped.jsonl"]);
}

#[test]
fn a_row_changes_only_in_what_is_fixed() {
    let text = "{\"id\": \"fc_1\",\n  \"type\": \"function_call\", \"call_id\": \"call_1\", \"name\": \"f\", \"arguments\": \"{}\" }";
    let database = Database::of(&[("a", &[USER, text, OUTPUT])]);
    let (code, output_text) = fix(database.folder.path(), &["-w", "--fix-warnings"]);
    assert_eq!(code, Some(0), "{output_text}");
    let row = &database.rows()[1].1;
    assert_eq!(row, &text.replace("\"id\": \"fc_1\",\n  ", ""), "{output_text}");
    assert!(is_sound(&database));
}

#[test]
fn rows_are_neither_added_nor_moved() {
    let moved = Database::of(&[("a", &[USER, OUTPUT, CALL])]);
    for (database, args, exit) in [(&moved, &["-w"][..], 0), (&broken_database(), &["-w", "--orphans", "stub"], 1)]
    {
        let before = database.rows();
        let (code, output_text) = fix(database.folder.path(), args);
        assert!(
            code == Some(exit) && output_text.contains("database rows cannot be added or moved"),
            "{output_text}"
        );
        assert!(database.rows().len() <= before.len());
        assert!(database.rows().iter().all(|row| before.contains(row)));
    }
    let (code, output_text) = fix(broken_database().folder.path(), &["-o", "copy.db"]);
    assert!(code == Some(2) && output_text.contains("-o does not work on a database"), "{output_text}");
}

#[test]
fn a_removed_row_is_removed_from_its_branches() {
    let database = Database::with_branches(&[USER, CALL, USER, USER], &[("main", &[1, 2, 3]), ("b2", &[1, 2, 4])]);
    let (code, output_text) = fix(database.folder.path(), &["-w"]);
    assert_eq!(code, Some(0), "{output_text}");
    assert_eq!(database.rows().iter().map(|(id, _)| *id).collect::<Vec<_>>(), [1, 3, 4]);
    assert_eq!(database.count("SELECT count(*) FROM message_structure WHERE message_id = 2"), 0);
    assert_eq!(database.count("SELECT count(*) FROM message_structure"), 4);
    assert!(is_sound(&database));
}

#[test]
fn branches_that_need_different_repairs_are_left_alone() {
    // The call is answered in one branch only.
    let database =
        Database::with_branches(&[USER, CALL, OUTPUT, USER], &[("main", &[1, 2, 3]), ("b2", &[1, 2, 4])]);
    let before = database.rows();
    let (code, output_text) = fix(database.folder.path(), &["-w"]);
    assert_eq!(code, Some(2));
    assert!(output_text.contains("session s: row 2 is shared by more than one branch"), "{output_text}");
    assert_eq!((database.rows(), names(database.folder.path())), (before, vec!["agents.db".to_owned()]));
}

/// The name of a case, the change of the database, and the reason for the refusal.
type RefusalCase = (&'static str, fn(&Database), &'static str);

#[test]
fn a_database_that_may_be_in_use_is_left_alone() {
    let cases: [RefusalCase; 3] = [
        (
            "fresh",
            |database| {
                fs::File::options()
                    .write(true)
                    .open(&database.path)
                    .and_then(|file| file.set_modified(std::time::SystemTime::now()))
                    .expect("set")
            },
            "modified in the last 10 seconds",
        ),
        (
            "a trigger",
            |database| {
                database.run(|connection| {
                    let sql =
                        "CREATE TRIGGER t AFTER DELETE ON agent_messages BEGIN DELETE FROM agent_messages; END";
                    connection.execute_batch(sql).expect("SQL");
                })
            },
            "the database has unknown triggers",
        ),
        (
            "a later schema",
            |database| {
                database.run(|connection| {
                    connection.pragma_update(None, "user_version", 7).expect("set");
                })
            },
            "its schema version 7 is unknown",
        ),
    ];
    for (name, prepare, why) in cases {
        let database = broken_database();
        prepare(&database);
        let before = fs::read(&database.path).expect("readable");
        let (code, output_text) = fix(database.folder.path(), &["-w"]);
        assert!(
            code == Some(2) && output_text.contains(why) && output_text.contains("nothing was written"),
            "{name}: {output_text}"
        );
        // A temporary reason does not concern a preview.
        let (code, output_text) = fix(database.folder.path(), &[]);
        match name {
            "fresh" => assert!(code == Some(1) && output_text.contains("Would fix"), "{output_text}"),
            _ => assert!(
                code == Some(2)
                    && output_text.contains(why)
                    && !output_text.contains("Would fix")
                    && !output_text.contains("fix -w"),
                "{name}: {output_text}"
            ),
        }
        assert_eq!(fs::read(&database.path).expect("readable"), before, "{name}");
        assert!(!database.folder.path().join("agents.db.bak").exists(), "{name}");
    }
}

#[test]
fn a_database_that_is_open_is_left_alone() {
    for mode in ["WAL", "DELETE"] {
        let database = broken_database();
        database.run(|connection| {
            connection.pragma_update_and_check(None, "journal_mode", mode, |_| Ok(())).expect("set");
        });
        let user = open(&database.path);
        let seen: i64 = user.query_row("SELECT count(*) FROM agent_messages", [], |row| row.get(0)).expect("read");
        backdate(&database.path);
        // An idle reader has no lock in the older mode; it is only found where the system lists open files.
        if mode == "WAL" || cfg!(target_os = "linux") {
            let (code, output_text) = fix(database.folder.path(), &["-w"]);
            assert!(code == Some(2) && output_text.contains("nothing was written"), "{mode}: {output_text}");
        }
        assert_eq!(user.query_row("SELECT count(*) FROM agent_messages", [], |row| row.get(0)), Ok(seen));
        user.execute("INSERT INTO agent_messages (session_id, message_data) VALUES ('c', ?1)", [USER])
            .expect("written");
        if mode == "WAL" {
            backdate(&database.path);
            let (code, output_text) = fix(database.folder.path(), &["-w"]);
            assert!(code == Some(2) && output_text.contains("its -wal file contains rows"), "{output_text}");
        }
        user.close().expect("closed");
        backdate(&database.path);
        let (code, output_text) = fix(database.folder.path(), &["-w"]);
        assert_eq!(code, Some(0), "{mode}: {output_text}");
        assert_eq!(database.rows().len(), 7);
        assert_eq!(
            names(database.folder.path()),
            ["agents.db", "agents.db.bak", "agents.db.bak.journal"],
            "{mode}"
        );
    }
}

fn removal(id: i64, old: &str) -> CellChange {
    CellChange { id: RowId::Number(id), old: old.as_bytes().into(), is_text: true, new: None }
}

const HOW: ReplaceOptions = ReplaceOptions { backups: BackupPlace::Beside, force: false, is_live: true };

#[test]
fn a_concurrent_change_of_a_row_rolls_everything_back() {
    let database = broken_database();
    let key = &sqlite::histories(&database.path).expect("read").expect("known")[0];
    let before = database.rows();
    let changes = vec![removal(2, CALL), removal(3, CALL)];
    let failed = sqlite::write(&database.path, &[(key, changes)], &HOW).expect_err("changed");
    assert!(failed.to_string().contains("row 3 changed since it was read; nothing was written"), "{failed}");
    assert_eq!((database.rows(), names(database.folder.path())), (before, vec!["agents.db".to_owned()]));
    let no_json = CellChange { new: Some(b"{} {}".to_vec()), ..removal(2, CALL) };
    let failed = sqlite::write(&database.path, &[(key, vec![no_json])], &HOW).expect_err("two values");
    assert!(failed.to_string().contains("row 2 would no longer contain the same kind of JSON"), "{failed}");
}

const CHILD: &str = "REPLAYLINT_TEST_DIES";

/// Writes to the database that the environment names, and aborts midway. Without that variable it does nothing.
#[test]
fn child_that_dies_while_it_writes() {
    let Ok(wanted) = std::env::var(CHILD) else { return };
    let (path, at) = wanted.rsplit_once('#').expect("a path and a step");
    let (path, left) = (Path::new(path), Cell::new(at.parse::<u32>().expect("a number")));
    let key = &sqlite::histories(path).expect("read").expect("known")[0];
    let die = |_: WriteStep| match left.get() {
        0 => std::process::abort(),
        n => left.set(n - 1),
    };
    let written =
        sqlite::write_with_progress(path, &[(key, vec![removal(1, USER), removal(2, CALL)])], &HOW, &die);
    assert!(written.is_ok());
}

#[test]
fn a_kill_leaves_the_old_or_the_new_state() {
    for mode in ["WAL", "DELETE"] {
        let mut states = Vec::new();
        // After the backup, each row, the checks and the commit.
        for step in 0..5 {
            let database = broken_database();
            database.run(|connection| {
                connection.pragma_update_and_check(None, "journal_mode", mode, |_| Ok(())).expect("set");
            });
            let before = database.rows();
            backdate(&database.path);
            let child = Command::new(std::env::current_exe().expect("this program"))
                .args(["--exact", "source::sqlite_write::child_that_dies_while_it_writes"])
                .env(CHILD, format!("{}#{step}", database.path.display()))
                .output()
                .expect("it runs");
            assert!(!child.status.success(), "{}", String::from_utf8_lossy(&child.stdout));
            let (old, new) = (before.len(), before.len() - 2);
            let now = database.rows().len();
            assert!(now == old || now == new, "{mode} {step}: {now}");
            assert!(is_sound(&database));
            assert_eq!(rows(&database.folder.path().join("agents.db.bak")), before);
            states.push(now == new);
            // The next run completes the repair.
            backdate(&database.path);
            let (code, output_text) = fix(database.folder.path(), &["-w"]);
            assert_eq!(code, Some(0), "{mode} {step}: {output_text}");
        }
        assert_eq!(states, [false, false, false, false, true], "{mode}");
    }
}
