//! Each command that writes is killed at each system call that changes a file, and each of those calls is made to fail:
//! every file is the old one or the new one, and after the next run no other files remain.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::report::reports::run;
use crate::source::strace;
use crate::source::strace::SystemCall;
use crate::source::writing::{BROKEN, WHOLE, backdate};

/// A command that writes, and the setup of its folder.
struct WriteCase {
    args: &'static [&'static str],
    setup: fn(&Path),
}

const REQUEST: &str = "{\"model\":\"gpt-5\",\"input\":[{\"role\":\"user\",\"content\":\"hi\"}]}\n";

fn write_file(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("written");
    backdate(&folder.join(name));
}

fn write_broken(folder: &Path) {
    write_file(folder, "h.json", BROKEN);
}

fn write_log(folder: &Path) {
    write_file(folder, "log.jsonl", &String::from_utf8(crate::logs::requests(8, 1)).expect("UTF-8"));
}

const CASES: [WriteCase; 10] = [
    WriteCase { args: &["fix", "-w", "h.json"], setup: write_broken },
    WriteCase { args: &["fix", "-w", "--no-backup", "h.json"], setup: write_broken },
    WriteCase {
        args: &["fix", "--undo", "h.json"],
        setup: |folder| {
            write_broken(folder);
            assert_eq!(run(folder, &["fix", "-w", "h.json"]).status.code(), Some(0));
        },
    },
    WriteCase { args: &["fix", "--force", "-o", "copy.json", "h.json"], setup: write_broken },
    WriteCase {
        args: &["fix", "--force", "-o", "copy.json", "h.json"],
        setup: |folder| {
            write_broken(folder);
            write_file(folder, "copy.json", "an older copy");
        },
    },
    WriteCase { args: &["slim", "-w", "log.jsonl"], setup: write_log },
    WriteCase { args: &["slim", "--force", "-o", "slim.jsonl", "log.jsonl"], setup: write_log },
    WriteCase {
        args: &["convert", "--to", "chat", "--force", "-o", "out.json", "q.json"],
        setup: |folder| write_file(folder, "q.json", REQUEST),
    },
    WriteCase {
        args: &["convert", "--to", "chat", "--force", "-o", "out", "-j1", "q.json", "r.json"],
        setup: |folder| {
            write_file(folder, "q.json", REQUEST);
            write_file(folder, "r.json", REQUEST);
            fs::create_dir(folder.join("out")).expect("made");
            write_file(folder, "out/q.json", "an older result");
        },
    },
    WriteCase { args: &["check", "--exit-zero", "-o", "report.txt", "h.json"], setup: write_broken },
];

/// All files below a folder, with their bytes.
type FileContents = BTreeMap<PathBuf, Vec<u8>>;

fn files(folder: &Path) -> FileContents {
    let mut all = FileContents::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder").flatten() {
            match entry.file_type().expect("a type").is_dir() {
                true => folders.push(entry.path()),
                false => {
                    let name = entry.path().strip_prefix(folder).expect("below it").to_owned();
                    let bytes = fs::read(entry.path()).expect("readable");
                    all.insert(name, if is_journal(&entry.path()) { without_time(&bytes) } else { bytes });
                }
            }
        }
    }
    all
}

fn is_journal(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".bak.journal")
}

/// A journal without its time, which is that of its run.
fn without_time(journal: &[u8]) -> Vec<u8> {
    let mut journal: serde_json::Value = serde_json::from_slice(journal).expect("a whole journal");
    journal["time"] = 0.into();
    journal.to_string().into_bytes()
}

fn is_temporary(name: &Path) -> bool {
    name.to_string_lossy().contains(".replaylint-")
}

impl WriteCase {
    fn folder(&self) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        (self.setup)(folder.path());
        folder
    }

    /// The files before and after a whole run, and the calls of the run that change files.
    fn run_whole(&self) -> (FileContents, FileContents, Vec<SystemCall>) {
        let folder = self.folder();
        let old = files(folder.path());
        let calls = strace::changes(folder.path(), self.args);
        let new = files(folder.path());
        assert!(old != new && !new.keys().any(|name| is_temporary(name)), "{:?}", new.keys());
        assert!(calls.len() > 3, "{:?}: {calls:?}", self.args);
        (old, new, calls)
    }
}

/// Asserts that each file is as before or as after a whole run. Temporary files may remain if `with_temporary`.
fn assert_old_or_new(
    now: &FileContents,
    old: &FileContents,
    new: &FileContents,
    with_temporary: bool,
    when: &str,
) {
    for (name, bytes) in now {
        let is_known = old.get(name) == Some(bytes) || new.get(name) == Some(bytes);
        assert!(
            is_known || with_temporary && is_temporary(name),
            "{when}: {} is neither old nor new",
            name.display()
        );
    }
    for name in old.keys().filter(|name| new.contains_key(*name)) {
        assert!(now.contains_key(name), "{when}: {} is gone", name.display());
    }
}

#[test]
fn a_kill_at_any_call_leaves_old_or_new_files_and_the_next_run_cleans_up() {
    if !strace::is_possible() {
        return;
    }
    for case in &CASES {
        let (old, new, calls) = case.run_whole();
        let mut left_new = 0;
        for call in &calls {
            let folder = case.folder();
            strace::run_killed(folder.path(), case.args, call);
            let when = format!("{:?} killed at {call:?}", case.args);
            let now = files(folder.path());
            assert_old_or_new(&now, &old, &new, true, &when);
            left_new += usize::from(now == new);
            let again = run(folder.path(), case.args);
            // A restored file cannot be restored again.
            let code = if now == new && case.args.contains(&"--undo") { 2 } else { 0 };
            assert_eq!(again.status.code(), Some(code), "{when}: {}", String::from_utf8_lossy(&again.stderr));
            let after = files(folder.path());
            assert!(after == new, "{when}: the next run leaves {:?}", after.keys());
        }
        println!("{:?}: {} calls, {left_new} of them after the last change", case.args, calls.len());
    }
}

fn output_text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Asserts that a run with an error has done everything or nothing, and that its exit code says so.
fn assert_all_or_nothing(output: &Output, now: &FileContents, old: &FileContents, new: &FileContents, when: &str) {
    match output.status.code() {
        Some(0) => assert!(now == new, "{when}: it says that it succeeded, and leaves {:?}", now.keys()),
        Some(2) => {
            // Of several outputs, some may be complete.
            assert_old_or_new(now, old, new, false, when);
            assert!(!output_text(output).is_empty(), "{when}: it does not say why");
        }
        code => panic!("{when}: {code:?} {}", output_text(output)),
    }
}

/// True if a call writes to the standard streams, which a run does last.
fn is_output(call: &SystemCall) -> bool {
    call.name == "write" && (call.arguments.starts_with("1,") || call.arguments.starts_with("2,"))
}

#[test]
fn a_failed_call_changes_nothing_or_does_not_matter() {
    if !strace::is_possible() {
        return;
    }
    for case in &CASES {
        let (old, new, calls) = case.run_whole();
        let mut done = 0;
        // A temporary file that cannot be removed remains until the next run.
        for call in calls.iter().filter(|call| !is_output(call) && !call.name.starts_with("unlink")) {
            for error in ["ENOSPC", "EIO"] {
                let folder = case.folder();
                let output = strace::run_failing(folder.path(), case.args, std::slice::from_ref(call), error);
                let when = format!("{:?} with {error} of {call:?}", case.args);
                assert_all_or_nothing(&output, &files(folder.path()), &old, &new, &when);
                done += usize::from(output.status.success());
            }
        }
        println!("{:?}: {} calls, {done} of their errors do not matter", case.args, calls.len());
    }
}

#[test]
fn a_file_system_that_turns_read_only_keeps_old_or_new_files() {
    if !strace::is_possible() {
        return;
    }
    for case in &CASES {
        let (old, new, calls) = case.run_whole();
        let calls: Vec<SystemCall> = calls.into_iter().filter(|call| !is_output(call)).collect();
        for first in 0..calls.len().saturating_sub(1) {
            let folder = case.folder();
            let output = strace::run_failing(folder.path(), case.args, &calls[first..], "EROFS");
            let when = format!("{:?}, read-only from {:?}", case.args, calls[first]);
            // The temporary file cannot be removed, either.
            assert_old_or_new(&files(folder.path()), &old, &new, true, &when);
            assert!(matches!(output.status.code(), Some(0 | 2)), "{when}: {}", output_text(&output));
            let again = run(folder.path(), case.args);
            assert_eq!(again.status.code(), Some(0), "{when}: {}", output_text(&again));
            assert!(files(folder.path()) == new, "{when}");
        }
    }
}

#[cfg(feature = "sqlite")]
mod databases {
    use super::*;
    use crate::source::writing::names;
    use crate::support::databases::{CALL, Database, OUTPUT, USER, rows};

    const ARGS: [&str; 5] = ["fix", "-w", "--as", "request", "agents.db"];

    /// A session with an unanswered call, one with an orphaned output, and one that is fine.
    fn database(mode: &str) -> Database {
        let database =
            Database::of(&[("a", &[USER, CALL, USER]), ("b", &[USER, OUTPUT]), ("c", &[USER, CALL, OUTPUT])]);
        database.run(|connection| {
            connection.pragma_update_and_check(None, "journal_mode", mode, |_| Ok(())).expect("set");
        });
        backdate(&database.path);
        database
    }

    fn assert_sound(database: &Database, old: &[(i64, String)], when: &str) -> bool {
        let state: String = crate::support::databases::open(&database.path)
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .expect("a state");
        let now = database.rows();
        assert_eq!(state, "ok", "{when}");
        let new: Vec<_> = old.iter().filter(|(id, _)| ![2, 5].contains(id)).cloned().collect();
        assert!(now == old || now == new, "{when}: {now:?}");
        now == new
    }

    #[test]
    fn a_kill_at_any_call_leaves_the_old_or_the_new_rows() {
        if !strace::is_possible() {
            return;
        }
        for mode in ["WAL", "DELETE"] {
            let whole = database(mode);
            let old = whole.rows();
            let calls = strace::changes(whole.folder.path(), &ARGS);
            assert!(assert_sound(&whole, &old, mode));
            let mut left_new = 0;
            for call in &calls {
                let database = database(mode);
                let folder = database.folder.path();
                let when = format!("{mode} killed at {call:?}");
                strace::run_killed(folder, &ARGS, call);
                let is_backup = |name: &&String| name.starts_with("agents.db.bak") && !name.ends_with(".journal");
                for name in names(folder).iter().filter(is_backup) {
                    assert_eq!(rows(&folder.join(name)), old, "{when}: the backup");
                }
                // Opening the database rolls back an interrupted transaction.
                left_new += usize::from(assert_sound(&database, &old, &when));
                backdate(&database.path);
                let again = run(folder, &ARGS);
                assert_eq!(again.status.code(), Some(0), "{when}: {}", output_text(&again));
                assert!(assert_sound(&database, &old, &when), "{when}: the next run does not finish it");
                let names = names(folder);
                let expected = |name: &String| {
                    // After the commit SQLite removes its journal, which is already invalid: its header is overwritten.
                    let is_void = name == "agents.db-journal"
                        && fs::read(folder.join(name))
                            .is_ok_and(|journal| journal.iter().take(28).all(|byte| *byte == 0));
                    name == "agents.db" || name.starts_with("agents.db.bak") || is_void
                };
                assert!(names.iter().all(expected), "{when}: {names:?}");
                assert_eq!(rows(&folder.join("agents.db.bak")), old, "{when}");
            }
            println!("{mode}: {} calls, {left_new} after the commit", calls.len());
        }
    }

    #[test]
    fn a_failed_call_rolls_everything_back() {
        if !strace::is_possible() {
            return;
        }
        for mode in ["WAL", "DELETE"] {
            let whole = database(mode);
            let old = whole.rows();
            let calls = strace::changes(whole.folder.path(), &ARGS);
            for call in calls.iter().filter(|call| !is_output(call) && !call.name.starts_with("unlink")) {
                let database = database(mode);
                let folder = database.folder.path();
                let output = strace::run_failing(folder, &ARGS, std::slice::from_ref(call), "ENOSPC");
                let when = format!("{mode} without room at {call:?}");
                let is_new = assert_sound(&database, &old, &when);
                match output.status.code() {
                    Some(0) => assert!(is_new, "{when}: it says that it succeeded"),
                    Some(2) => {
                        assert!(
                            !is_new || output_text(&output).contains("agents.db"),
                            "{when}: {}",
                            output_text(&output)
                        )
                    }
                    code => panic!("{when}: {code:?} {}", output_text(&output)),
                }
                assert!(
                    !names(folder).iter().any(|name| name.contains(".replaylint-")),
                    "{when}: {:?}",
                    names(folder)
                );
            }
        }
    }
}

#[test]
fn the_cases_repair() {
    let folder = CASES[0].folder();
    assert_eq!(run(folder.path(), CASES[0].args).status.code(), Some(0));
    assert_eq!(fs::read_to_string(folder.path().join("h.json")).expect("readable"), WHOLE);
}
