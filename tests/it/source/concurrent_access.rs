//! Concurrent access to a file under repair: others replace it, append to it, keep it open, or repair it too.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;

use crate::report::reports::run;
use crate::source::strace;
use crate::source::strace::{StoppedRun, SystemCall};
use crate::source::writing::{BROKEN, WHOLE, backdate, folder_with, names, read};

const ARGS: [&str; 3] = ["fix", "-w", "h.json"];

/// The calls at which a repair can be stopped before it replaces the file: from the temporary file to the backup.
fn before_the_replacement() -> Vec<SystemCall> {
    let folder = folder_with("h.json", BROKEN);
    let calls = strace::changes(folder.path(), &ARGS);
    let replaces = calls.iter().position(|call| call.name.starts_with("rename")).expect("a renaming");
    assert!(replaces >= 3 && calls[replaces - 1].name.starts_with("link"), "{calls:?}");
    calls[..replaces].to_vec()
}

fn output_text(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_file_that_another_process_replaces_or_appends_to_is_left_alone() {
    if !strace::is_possible() {
        return;
    }
    let theirs = "[{\"role\":\"user\",\"content\":\"theirs\"}]\n";
    let replaced = |folder: &Path| {
        fs::write(folder.join("new"), theirs).expect("written");
        backdate(&folder.join("new"));
        fs::rename(folder.join("new"), folder.join("h.json")).expect("replaced");
    };
    let appended = |folder: &Path| {
        let mut log = File::options().append(true).open(folder.join("h.json")).expect("open");
        log.write_all(b"\n").expect("written");
    };
    let longer = format!("{BROKEN}\n");
    type Intervention<'a> = &'a dyn Fn(&Path);
    let cases: [(Intervention<'_>, &str, bool); 2] = [(&replaced, theirs, true), (&appended, &longer, false)];
    for call in before_the_replacement() {
        for (intervene, text, is_new_file) in cases {
            let folder = folder_with("h.json", BROKEN);
            let stopped = StoppedRun::after(folder.path(), &ARGS, &call);
            intervene(folder.path());
            let output = stopped.resume();
            assert_eq!(output.status.code(), Some(2), "{call:?}: {}", output_text(&output));
            assert!(
                output_text(&output).contains("changed while being read; nothing was written"),
                "{}",
                output_text(&output)
            );
            assert_eq!(read(folder.path(), "h.json"), text, "{call:?}");
            // A backup that is the only copy of the old file is kept.
            let backed_up = is_new_file && call.name.starts_with("link");
            let left: &[&str] = if backed_up { &["h.json", "h.json.bak"] } else { &["h.json"] };
            assert_eq!(names(folder.path()), left, "{call:?}");
            assert!(!backed_up || read(folder.path(), "h.json.bak") == BROKEN, "{call:?}");
        }
    }
}

#[test]
fn two_runs_at_once_leave_one_repair_and_the_old_file() {
    if !strace::is_possible() {
        return;
    }
    for call in before_the_replacement() {
        let folder = folder_with("h.json", BROKEN);
        let stopped = StoppedRun::after(folder.path(), &ARGS, &call);
        // The second run begins and ends while the first one is stopped.
        let second = run(folder.path(), &ARGS);
        assert_eq!(second.status.code(), Some(0), "{call:?}: {}", output_text(&second));
        let first = stopped.resume();
        assert_eq!(first.status.code(), Some(2), "{call:?}: {}", output_text(&first));
        assert_eq!(read(folder.path(), "h.json"), WHOLE, "{call:?}");
        assert_eq!(names(folder.path()), ["h.json", "h.json.bak", "h.json.bak.journal"], "{call:?}");
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
        let backups =
            names.iter().filter(|name| name.starts_with("h.json.bak") && !name.ends_with(".bak.journal"));
        assert!(backups.clone().any(|name| read(folder.path(), name) == BROKEN), "{round}: {names:?} {codes:?}");
    }
}

#[test]
fn an_agent_that_keeps_its_log_open_loses_no_line() {
    let folder = folder_with("h.json", BROKEN);
    let path = folder.path().join("h.json");
    let mut agent = File::options().append(true).open(&path).expect("open");
    let output = run(folder.path(), &ARGS);
    assert_eq!(output.status.code(), Some(2), "{}", output_text(&output));
    let why = format!("process {} has it open for writing; nothing was written", std::process::id());
    assert!(output_text(&output).contains(&why), "{}", output_text(&output));
    assert_eq!(
        (read(folder.path(), "h.json").as_str(), names(folder.path())),
        (BROKEN, vec!["h.json".to_owned()])
    );
    // With --force, the agent continues in the file that it opened, which is the backup.
    let output = run(folder.path(), &["fix", "-w", "--force", "h.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    agent.write_all(b"one more line\n").expect("written");
    assert_eq!(read(folder.path(), "h.json"), WHOLE);
    assert_eq!(read(folder.path(), "h.json.bak"), format!("{BROKEN}one more line\n"));
}

#[test]
fn a_reader_does_not_prevent_a_repair() {
    let folder = folder_with("h.json", BROKEN);
    let _reader = File::open(folder.path().join("h.json")).expect("open");
    let output = run(folder.path(), &ARGS);
    assert_eq!(output.status.code(), Some(0), "{}", output_text(&output));
    assert_eq!(read(folder.path(), "h.json"), WHOLE);
}
