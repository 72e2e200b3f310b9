//! Each command that writes is killed at each system call that changes a file, and each of those calls is made to fail:
//! every file is the old one or the new one, and after the next run nothing is left that is neither.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::report::reports::run;
use crate::source::traced;
use crate::source::traced::Call;
use crate::source::writing::{BROKEN, WHOLE, settle};

/// A command that writes, and the folder that it is run in.
struct Case {
    args: &'static [&'static str],
    make: fn(&Path),
}

const REQUEST: &str = "{\"model\":\"gpt-5\",\"input\":[{\"role\":\"user\",\"content\":\"hi\"}]}\n";

fn file(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).expect("written");
    settle(&folder.join(name));
}

fn broken(folder: &Path) {
    file(folder, "h.json", BROKEN);
}

fn log(folder: &Path) {
    file(folder, "log.jsonl", &String::from_utf8(crate::logs::requests(8, 1)).expect("UTF-8"));
}

const CASES: [Case; 10] = [
    Case { args: &["fix", "-w", "h.json"], make: broken },
    Case { args: &["fix", "-w", "--no-backup", "h.json"], make: broken },
    Case {
        args: &["fix", "--undo", "h.json"],
        make: |folder| {
            broken(folder);
            assert_eq!(run(folder, &["fix", "-w", "h.json"]).status.code(), Some(0));
        },
    },
    Case { args: &["fix", "--force", "-o", "copy.json", "h.json"], make: broken },
    Case {
        args: &["fix", "--force", "-o", "copy.json", "h.json"],
        make: |folder| {
            broken(folder);
            file(folder, "copy.json", "an older copy");
        },
    },
    Case { args: &["slim", "-w", "log.jsonl"], make: log },
    Case { args: &["slim", "--force", "-o", "slim.jsonl", "log.jsonl"], make: log },
    Case {
        args: &["convert", "--to", "chat", "--force", "-o", "out.json", "q.json"],
        make: |folder| file(folder, "q.json", REQUEST),
    },
    Case {
        args: &["convert", "--to", "chat", "--force", "-o", "out", "-j1", "q.json", "r.json"],
        make: |folder| {
            file(folder, "q.json", REQUEST);
            file(folder, "r.json", REQUEST);
            fs::create_dir(folder.join("out")).expect("made");
            file(folder, "out/q.json", "an older result");
        },
    },
    Case { args: &["check", "--exit-zero", "-o", "report.txt", "h.json"], make: broken },
];

/// All files below a folder, with their bytes.
type Files = BTreeMap<PathBuf, Vec<u8>>;

fn files(folder: &Path) -> Files {
    let mut all = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder").flatten() {
            match entry.file_type().expect("a type").is_dir() {
                true => folders.push(entry.path()),
                false => {
                    let name = entry.path().strip_prefix(folder).expect("below it").to_owned();
                    let bytes = fs::read(entry.path()).expect("readable");
                    all.insert(name, if is_journal(&entry.path()) { timeless(&bytes) } else { bytes });
                }
            }
        }
    }
    all
}

fn is_journal(path: &Path) -> bool {
    path.to_string_lossy().ends_with(".bak.json")
}

/// A journal without its time, which is that of its run.
fn timeless(journal: &[u8]) -> Vec<u8> {
    let mut journal: serde_json::Value = serde_json::from_slice(journal).expect("a whole journal");
    journal["time"] = 0.into();
    journal.to_string().into_bytes()
}

fn is_litter(name: &Path) -> bool {
    name.to_string_lossy().contains(".replaylint-")
}

impl Case {
    fn folder(&self) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        (self.make)(folder.path());
        folder
    }

    /// What is there before a run, what after it, and the calls of the run that change files.
    fn ends(&self) -> (Files, Files, Vec<Call>) {
        let folder = self.folder();
        let old = files(folder.path());
        let calls = traced::changes(folder.path(), self.args);
        let new = files(folder.path());
        assert!(old != new && !new.keys().any(|name| is_litter(name)), "{:?}", new.keys());
        assert!(calls.len() > 3, "{:?}: {calls:?}", self.args);
        (old, new, calls)
    }
}

/// Each file is there as before or as after a whole run. Temporary files may be left if `litter`.
fn assert_old_or_new(now: &Files, old: &Files, new: &Files, litter: bool, when: &str) {
    for (name, bytes) in now {
        let is_known = old.get(name) == Some(bytes) || new.get(name) == Some(bytes);
        assert!(is_known || litter && is_litter(name), "{when}: {} is neither old nor new", name.display());
    }
    for name in old.keys().filter(|name| new.contains_key(*name)) {
        assert!(now.contains_key(name), "{when}: {} is gone", name.display());
    }
}

#[test]
fn a_kill_at_any_call_leaves_old_or_new_and_the_next_run_cleans_up() {
    if !traced::is_possible() {
        return;
    }
    for case in &CASES {
        let (old, new, calls) = case.ends();
        let mut left_new = 0;
        for call in &calls {
            let folder = case.folder();
            traced::killed(folder.path(), case.args, call);
            let when = format!("{:?} killed at {call:?}", case.args);
            let now = files(folder.path());
            assert_old_or_new(&now, &old, &new, true, &when);
            left_new += usize::from(now == new);
            let again = run(folder.path(), case.args);
            // What was taken back cannot be taken back again.
            let code = if now == new && case.args.contains(&"--undo") { 2 } else { 0 };
            assert_eq!(again.status.code(), Some(code), "{when}: {}", String::from_utf8_lossy(&again.stderr));
            let after = files(folder.path());
            assert!(after == new, "{when}: the next run leaves {:?}", after.keys());
        }
        println!("{:?}: {} calls, {left_new} of them after the last change", case.args, calls.len());
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a run that met an error may leave: all of it done, or nothing, as its exit code says.
fn assert_all_or_nothing(output: &Output, now: &Files, old: &Files, new: &Files, when: &str) {
    match output.status.code() {
        Some(0) => assert!(now == new, "{when}: it says that it succeeded, and leaves {:?}", now.keys()),
        Some(2) => {
            // Of several products, those that could be written are there.
            assert_old_or_new(now, old, new, false, when);
            assert!(!said(output).is_empty(), "{when}: it does not say why");
        }
        code => panic!("{when}: {code:?} {}", said(output)),
    }
}

/// Whether a call writes to the standard streams, which is the last that a run does.
fn is_talk(call: &Call) -> bool {
    call.name == "write" && (call.what.starts_with("1,") || call.what.starts_with("2,"))
}

#[test]
fn a_call_that_fails_changes_nothing_or_does_not_matter() {
    if !traced::is_possible() {
        return;
    }
    for case in &CASES {
        let (old, new, calls) = case.ends();
        let mut done = 0;
        // What cannot be removed any more stays until the next run.
        for call in calls.iter().filter(|call| !is_talk(call) && !call.name.starts_with("unlink")) {
            for error in ["ENOSPC", "EIO"] {
                let folder = case.folder();
                let output = traced::failing(folder.path(), case.args, std::slice::from_ref(call), error);
                let when = format!("{:?} with {error} of {call:?}", case.args);
                assert_all_or_nothing(&output, &files(folder.path()), &old, &new, &when);
                done += usize::from(output.status.success());
            }
        }
        println!("{:?}: {} calls, {done} of their errors do not matter", case.args, calls.len());
    }
}

#[test]
fn a_file_system_that_turns_read_only_keeps_old_or_new() {
    if !traced::is_possible() {
        return;
    }
    for case in &CASES {
        let (old, new, calls) = case.ends();
        let calls: Vec<Call> = calls.into_iter().filter(|call| !is_talk(call)).collect();
        for first in 0..calls.len().saturating_sub(1) {
            let folder = case.folder();
            let output = traced::failing(folder.path(), case.args, &calls[first..], "EROFS");
            let when = format!("{:?}, read-only from {:?}", case.args, calls[first]);
            // The temporary file cannot be removed, either.
            assert_old_or_new(&files(folder.path()), &old, &new, true, &when);
            assert!(matches!(output.status.code(), Some(0 | 2)), "{when}: {}", said(&output));
            let again = run(folder.path(), case.args);
            assert_eq!(again.status.code(), Some(0), "{when}: {}", said(&again));
            assert!(files(folder.path()) == new, "{when}");
        }
    }
}

#[cfg(feature = "sqlite")]
mod databases {
    use super::*;
    use crate::source::writing::names;
    use crate::support::databases::{CALL, Database, OUTPUT, USER, rows};

    const ARGS: [&str; 3] = ["fix", "-w", "agents.db"];

    /// A session with an unanswered call, one with an orphaned output, and one that is fine.
    fn database(mode: &str) -> Database {
        let database =
            Database::of(&[("a", &[USER, CALL, USER]), ("b", &[USER, OUTPUT]), ("c", &[USER, CALL, OUTPUT])]);
        database.run(|connection| {
            connection.pragma_update_and_check(None, "journal_mode", mode, |_| Ok(())).expect("set");
        });
        settle(&database.path);
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
        if !traced::is_possible() {
            return;
        }
        for mode in ["WAL", "DELETE"] {
            let whole = database(mode);
            let old = whole.rows();
            let calls = traced::changes(whole.folder.path(), &ARGS);
            assert!(assert_sound(&whole, &old, mode));
            let mut left_new = 0;
            for call in &calls {
                let database = database(mode);
                let folder = database.folder.path();
                let when = format!("{mode} killed at {call:?}");
                traced::killed(folder, &ARGS, call);
                let is_backup = |name: &&String| name.starts_with("agents.db.bak") && !name.ends_with(".json");
                for name in names(folder).iter().filter(is_backup) {
                    assert_eq!(rows(&folder.join(name)), old, "{when}: the backup");
                }
                // Opening it rolls back what was not committed, as any program's opening does.
                left_new += usize::from(assert_sound(&database, &old, &when));
                settle(&database.path);
                let again = run(folder, &ARGS);
                assert_eq!(again.status.code(), Some(0), "{when}: {}", said(&again));
                assert!(assert_sound(&database, &old, &when), "{when}: the next run does not finish it");
                let names = names(folder);
                let expected = |name: &String| {
                    // After the commit SQLite removes its journal, which is void by then: its head is overwritten.
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
    fn a_call_that_fails_takes_all_back() {
        if !traced::is_possible() {
            return;
        }
        for mode in ["WAL", "DELETE"] {
            let whole = database(mode);
            let old = whole.rows();
            let calls = traced::changes(whole.folder.path(), &ARGS);
            for call in calls.iter().filter(|call| !is_talk(call) && !call.name.starts_with("unlink")) {
                let database = database(mode);
                let folder = database.folder.path();
                let output = traced::failing(folder, &ARGS, std::slice::from_ref(call), "ENOSPC");
                let when = format!("{mode} without room at {call:?}");
                let is_new = assert_sound(&database, &old, &when);
                match output.status.code() {
                    Some(0) => assert!(is_new, "{when}: it says that it succeeded"),
                    Some(2) => {
                        assert!(!is_new || said(&output).contains("agents.db"), "{when}: {}", said(&output))
                    }
                    code => panic!("{when}: {code:?} {}", said(&output)),
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
