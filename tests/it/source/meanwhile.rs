//! What others do to a file while it is repaired: replace it, append to it, keep it open, repair it too.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;

use crate::report::reports::run;
use crate::source::traced;
use crate::source::traced::{Call, Stopped};
use crate::source::writing::{BROKEN, WHOLE, folder_with, names, read, settle};

const ARGS: [&str; 3] = ["fix", "-w", "h.json"];

/// The calls at which a repair can be stopped before it replaces the file: from the temporary file to the backup.
fn before_the_replacement() -> Vec<Call> {
    let folder = folder_with("h.json", BROKEN);
    let calls = traced::changes(folder.path(), &ARGS);
    let replaces = calls.iter().position(|call| call.name.starts_with("rename")).expect("a renaming");
    assert!(replaces >= 3 && calls[replaces - 1].name.starts_with("link"), "{calls:?}");
    calls[..replaces].to_vec()
}

fn said(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_file_that_another_process_replaces_or_appends_to_is_left_alone() {
    if !traced::is_possible() {
        return;
    }
    let theirs = "[{\"role\":\"user\",\"content\":\"theirs\"}]\n";
    let replaced = |folder: &Path| {
        fs::write(folder.join("new"), theirs).expect("written");
        settle(&folder.join("new"));
        fs::rename(folder.join("new"), folder.join("h.json")).expect("replaced");
    };
    let appended = |folder: &Path| {
        let mut log = File::options().append(true).open(folder.join("h.json")).expect("open");
        log.write_all(b"\n").expect("written");
    };
    let longer = format!("{BROKEN}\n");
    type Act<'a> = &'a dyn Fn(&Path);
    let cases: [(Act<'_>, &str, bool); 2] = [(&replaced, theirs, true), (&appended, &longer, false)];
    for call in before_the_replacement() {
        for (act, text, is_new_file) in cases {
            let folder = folder_with("h.json", BROKEN);
            let stopped = Stopped::after(folder.path(), &ARGS, &call);
            act(folder.path());
            let output = stopped.goes_on();
            assert_eq!(output.status.code(), Some(2), "{call:?}: {}", said(&output));
            assert!(said(&output).contains("changed while it was read; nothing was written"), "{}", said(&output));
            assert_eq!(read(folder.path(), "h.json"), text, "{call:?}");
            // A backup that is all that is left of the old file stays.
            let backed_up = is_new_file && call.name.starts_with("link");
            let left: &[&str] = if backed_up { &["h.json", "h.json.bak"] } else { &["h.json"] };
            assert_eq!(names(folder.path()), left, "{call:?}");
            assert!(!backed_up || read(folder.path(), "h.json.bak") == BROKEN, "{call:?}");
        }
    }
}

#[test]
fn two_runs_at_once_leave_one_repair_and_the_old_file() {
    if !traced::is_possible() {
        return;
    }
    for call in before_the_replacement() {
        let folder = folder_with("h.json", BROKEN);
        let stopped = Stopped::after(folder.path(), &ARGS, &call);
        // The second one begins and ends while the first one waits.
        let second = run(folder.path(), &ARGS);
        assert_eq!(second.status.code(), Some(0), "{call:?}: {}", said(&second));
        let first = stopped.goes_on();
        assert_eq!(first.status.code(), Some(2), "{call:?}: {}", said(&first));
        assert_eq!(read(folder.path(), "h.json"), WHOLE, "{call:?}");
        assert_eq!(names(folder.path()), ["h.json", "h.json.bak", "h.json.bak.json"], "{call:?}");
        assert_eq!(read(folder.path(), "h.json.bak"), BROKEN, "{call:?}");
    }
}

#[test]
fn runs_that_race_leave_one_repair_and_the_old_file() {
    for round in 0..5 {
        let folder = folder_with("h.json", BROKEN);
        let start = || {
            let mut fix = Command::new(env!("CARGO_BIN_EXE_replaylint"));
            fix.args(ARGS).arg("-q").current_dir(folder.path()).spawn().expect("the program runs")
        };
        let runs = [start(), start(), start(), start()];
        let codes = runs.map(|mut run| run.wait().expect("it ends").code());
        assert!(
            codes.contains(&Some(0)) && codes.iter().all(|code| matches!(code, Some(0 | 2))),
            "{round}: {codes:?}"
        );
        assert_eq!(read(folder.path(), "h.json"), WHOLE);
        let names = names(folder.path());
        assert!(!names.iter().any(|name| name.contains(".replaylint-")), "{round}: {names:?}");
        let backups = names.iter().filter(|name| name.starts_with("h.json.bak") && !name.ends_with(".bak.json"));
        assert!(backups.clone().any(|name| read(folder.path(), name) == BROKEN), "{round}: {names:?} {codes:?}");
    }
}

#[test]
fn an_agent_that_keeps_its_log_open_loses_no_line() {
    let folder = folder_with("h.json", BROKEN);
    let path = folder.path().join("h.json");
    let mut agent = File::options().append(true).open(&path).expect("open");
    let output = run(folder.path(), &ARGS);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let why = format!("process {} has it open for writing; nothing was written", std::process::id());
    assert!(said(&output).contains(&why), "{}", said(&output));
    assert_eq!(
        (read(folder.path(), "h.json").as_str(), names(folder.path())),
        (BROKEN, vec!["h.json".to_owned()])
    );
    // Who insists: the agent goes on in the file that it opened, which is the backup.
    let output = run(folder.path(), &["fix", "-w", "--force", "h.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    agent.write_all(b"one more line\n").expect("written");
    assert_eq!(read(folder.path(), "h.json"), WHOLE);
    assert_eq!(read(folder.path(), "h.json.bak"), format!("{BROKEN}one more line\n"));
}

#[test]
fn a_reader_does_not_keep_a_file_from_its_repair() {
    let folder = folder_with("h.json", BROKEN);
    let _reader = File::open(folder.path().join("h.json")).expect("open");
    let output = run(folder.path(), &ARGS);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(read(folder.path(), "h.json"), WHOLE);
}
