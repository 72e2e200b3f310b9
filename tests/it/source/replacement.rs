//! Replacing a file in place: attributes that the new file keeps, refusals, and the state after a run that was interrupted
//! or could not write.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::report::reports::run;
use crate::source::writing::{BROKEN, WHOLE, backdate, folder_with, names, read};

const BINARY: &str = env!("CARGO_BIN_EXE_replaylint");

/// The id of a user who owns no files.
const NOBODY: u32 = 12_345;

/// True if the test runs as superuser, who can change owners and run programs as other users.
fn is_superuser() -> bool {
    let file = tempfile::NamedTempFile::new().expect("a file");
    file.as_file().metadata().expect("there").uid() == 0
}

fn as_nobody(folder: &Path, args: &[&str]) -> Output {
    Command::new(BINARY).args(args).current_dir(folder).uid(NOBODY).gid(NOBODY).output().expect("the program runs")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("there").permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
}

#[test]
fn owner_group_permissions_and_attributes_are_kept() {
    let folder = folder_with("h.json", BROKEN);
    let path = folder.path().join("h.json");
    let has_attributes = xattr::set(&path, "user.note", b"keep me").is_ok();
    if is_superuser() {
        std::os::unix::fs::chown(&path, Some(NOBODY), Some(NOBODY + 1)).expect("given away");
    }
    set_mode(&path, 0o440);
    let before = fs::metadata(&path).expect("there");
    let output = run(folder.path(), &["fix", "-w", "h.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(!stderr(&output).contains("not preserved"), "{}", stderr(&output));
    let after = fs::metadata(&path).expect("there");
    assert_eq!(read(folder.path(), "h.json"), WHOLE);
    assert_eq!((after.uid(), after.gid(), after.mode()), (before.uid(), before.gid(), before.mode()));
    if has_attributes {
        assert_eq!(xattr::get(&path, "user.note").expect("read").as_deref(), Some(&b"keep me"[..]));
    }
}

#[test]
fn attributes_that_cannot_be_kept_are_reported() {
    if !is_superuser() {
        return;
    }
    let folder = folder_with("h.json", BROKEN);
    set_mode(folder.path(), 0o777);
    set_mode(&folder.path().join("h.json"), 0o664);
    let output = as_nobody(folder.path(), &["fix", "-w", "h.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("not preserved: owner (user 12345 instead of 0); group"), "{output:?}");
    // The group is another one, with the same permissions as others.
    assert_eq!((mode(&folder.path().join("h.json")), read(folder.path(), "h.json").as_str()), (0o644, WHOLE));
}

#[test]
fn an_unwritable_folder_leaves_everything_unchanged() {
    if !is_superuser() {
        return;
    }
    let folder = folder_with("h.json", BROKEN);
    set_mode(&folder.path().join("h.json"), 0o666);
    // No file can be created; or files can be created, but those of others cannot be replaced.
    for (folder_mode, why) in [(0o755, "cannot create a temporary file in"), (0o1777, "cannot be written")] {
        set_mode(folder.path(), folder_mode);
        let output = as_nobody(folder.path(), &["fix", "-w", "h.json"]);
        assert_eq!(output.status.code(), Some(2), "{folder_mode:o}");
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
        assert_eq!(names(folder.path()), ["h.json"], "{folder_mode:o}");
        assert_eq!(read(folder.path(), "h.json"), BROKEN);
    }
}

#[test]
fn a_full_disk_leaves_everything_unchanged() {
    let folder = folder_with("h.jsonl", &log(20_000));
    let old = read(folder.path(), "h.jsonl");
    // No file may become larger than this.
    let script = "trap '' XFSZ; ulimit -f 100; exec \"$0\" \"$@\"";
    for to in [&["-w"][..], &["-o", "copy.jsonl"], &["-w", "--dropped", "/dev/full"]] {
        let args = [&["-c", script, BINARY, "fix", "h.jsonl"], to].concat();
        let output = Command::new("sh").args(args).current_dir(folder.path()).output().expect("sh runs");
        assert_eq!(output.status.code(), Some(2), "{to:?} {}", stderr(&output));
        assert!(
            stderr(&output).contains("cannot be") || stderr(&output).contains("No space"),
            "{}",
            stderr(&output)
        );
        assert_eq!(names(folder.path()), ["h.jsonl"], "{to:?}");
    }
    assert_eq!(read(folder.path(), "h.jsonl"), old);
    let output = run(folder.path(), &["fix", "-o", "/dev/full", "h.jsonl"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn a_file_with_hard_links_is_refused() {
    let folder = folder_with("h.json", BROKEN);
    let path = |name: &str| folder.path().join(name);
    fs::hard_link(path("h.json"), path("other.json")).expect("linked");
    let output = run(folder.path(), &["fix", "-w", "h.json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("2 hard links") && stderr(&output).contains("--force"), "{output:?}");
    assert_eq!(names(folder.path()), ["h.json", "other.json"]);
    let output = run(folder.path(), &["fix", "-w", "--force", "h.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(
        (read(folder.path(), "h.json").as_str(), read(folder.path(), "other.json").as_str()),
        (WHOLE, BROKEN)
    );
    // The backup that a killed run made just before replacing the file does not count.
    let folder = folder_with("h.json", BROKEN);
    fs::hard_link(folder.path().join("h.json"), folder.path().join("h.json.bak")).expect("linked");
    let output = run(folder.path(), &["fix", "-w", "h.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(names(folder.path()), ["h.json", "h.json.bak", "h.json.bak.journal"]);
    assert_eq!(
        (read(folder.path(), "h.json").as_str(), read(folder.path(), "h.json.bak").as_str()),
        (WHOLE, BROKEN)
    );
}

#[test]
fn a_symlink_stays_a_symlink() {
    let folder = folder_with("h.json", BROKEN);
    fs::create_dir(folder.path().join("links")).expect("made");
    symlink("../h.json", folder.path().join("links/to.json")).expect("linked");
    // The same file twice is one input.
    let output = run(folder.path(), &["fix", "-w", "links/to.json", "h.json", "./links/../h.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!((names(folder.path()), names(&folder.path().join("links"))), {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        (names(&["h.json", "h.json.bak", "h.json.bak.journal", "links"]), names(&["to.json"]))
    });
    assert!(folder.path().join("links/to.json").is_symlink());
    assert_eq!(read(folder.path(), "links/to.json"), WHOLE);
}

#[test]
fn a_pipe_is_not_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let made = Command::new("mkfifo").arg(folder.path().join("pipe")).status().expect("mkfifo runs");
    assert!(made.success());
    for (force, code) in [(false, 2), (true, 0)] {
        let path = folder.path().join("pipe");
        let writer = std::thread::spawn(move || fs::write(path, BROKEN));
        let args: &[&str] = if force { &["fix", "-w", "--force", "pipe"] } else { &["fix", "-w", "pipe"] };
        let output = run(folder.path(), args);
        writer.join().expect("joined").expect("written");
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        assert_eq!(stderr(&output).contains("is a named pipe"), !force, "{}", stderr(&output));
        assert_eq!(fs::metadata(folder.path().join("pipe")).expect("there").is_file(), force);
    }
    assert_eq!(read(folder.path(), "pipe"), WHOLE);
    assert_eq!(run(folder.path(), &["fix", "-w", "--force", "/dev/null"]).status.code(), Some(2));
    assert!(!fs::metadata("/dev/null").expect("there").is_file());
}

/// A log of this many lines, whose repair drops its first item.
fn log(lines: usize) -> String {
    let mut text = "{\"type\":\"function_call_output\",\"call_id\":\"call_1\",\"output\":\"lost\"}\n".to_owned();
    let filler = "x".repeat(64);
    for n in 0..lines {
        text += &format!("{{\"role\":\"user\",\"content\":\"{n:08} {filler}\"}}\n");
    }
    text
}

/// Kills `fix -w` at many moments: the file is always complete, and the next run removes temporary files.
#[test]
fn a_killed_run_leaves_the_old_or_the_new_file() {
    let kills: u32 = std::env::var("REPLAYLINT_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(8);
    // The requested size, or a quick one.
    let old = log(if kills >= 100 { 560_000 } else { 40_000 });
    let new = &old[old.find('\n').expect("a line") + 1..];
    let folder = folder_with("h.jsonl", &old);
    let path = folder.path().join("h.jsonl");
    let start = || {
        let mut fix = Command::new(BINARY);
        fix.args(["fix", "-w", "-q", "h.jsonl"]).current_dir(folder.path());
        fix.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program runs")
    };
    let began = Instant::now();
    assert!(start().wait().expect("it ends").success());
    let whole = began.elapsed();
    use rustix::process::{Pid, Signal, kill_process};
    let signals = [Signal::KILL, Signal::TERM, Signal::KILL, Signal::INT, Signal::KILL, Signal::HUP];
    let mut seen = [0; 2];
    for n in 0..kills {
        for name in names(folder.path()) {
            fs::remove_file(folder.path().join(name)).expect("removed");
        }
        fs::write(&path, &old).expect("written");
        backdate(&path);
        let signal = signals[n as usize % signals.len()];
        let mut child = start();
        // During the whole run, most often near its end, where it writes.
        let part = f64::from(n + 1) / f64::from(kills);
        std::thread::sleep(whole.mul_f64(part.sqrt()));
        let pid = Pid::from_raw(child.id() as i32).expect("a process");
        let _ = kill_process(pid, signal);
        let ended = child.wait().expect("it ends");
        let text = read(folder.path(), "h.jsonl");
        assert!(text == old || text == new, "kill {n}: the file is torn, {} bytes", text.len());
        seen[usize::from(text == new)] += 1;
        let litter = || names(folder.path()).into_iter().filter(|name| name.contains(".replaylint-")).count();
        if signal != Signal::KILL {
            assert_eq!(litter(), 0, "kill {n}: {signal:?} left a temporary file ({ended})");
            assert!(text == new || names(folder.path()) == ["h.jsonl"], "kill {n}: {:?}", names(folder.path()));
        }
        assert!(start().wait().expect("it ends").success());
        assert_eq!(names(folder.path()), ["h.jsonl", "h.jsonl.bak", "h.jsonl.bak.journal"], "kill {n}");
        assert!(read(folder.path(), "h.jsonl") == new && read(folder.path(), "h.jsonl.bak") == old, "kill {n}");
    }
    println!("{kills} kills: {} left the old file, {} the new one", seen[0], seen[1]);
}

/// True if a process, or this one (`self`), ignores a signal.
fn is_ignored(process: &str, signal: i32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

#[test]
fn an_interrupted_run_removes_its_temporary_file() {
    use rustix::process::{Pid, Signal, kill_process};
    for (signal, ignored) in
        [(Signal::INT, false), (Signal::TERM, false), (Signal::HUP, false), (Signal::HUP, true)]
    {
        // Under nohup or in the background of a script, this process and its children ignore some signals.
        if !ignored && is_ignored("self", signal.as_raw()) {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        // The report is a temporary file until all inputs are read, and this input never ends.
        let script = if ignored { "trap '' HUP; exec \"$0\" \"$@\"" } else { "exec \"$0\" \"$@\"" };
        let args = ["-c", script, BINARY, "check", "-q", "-o", "report.txt", "-"];
        let mut child = Command::new("sh")
            .args(args)
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("sh runs");
        while !names(folder.path()).iter().any(|name| name.starts_with(".replaylint-")) {
            assert!(child.try_wait().expect("asked").is_none(), "it ends without a temporary file");
            std::thread::sleep(Duration::from_millis(5));
        }
        // The handlers are installed before the file is created.
        kill_process(Pid::from_raw(child.id() as i32).expect("a process"), signal).expect("sent");
        if ignored && cfg!(target_os = "linux") {
            let id = child.id().to_string();
            assert!(is_ignored(&id, signal.as_raw()), "a signal that the caller ignores is handled");
        }
        // Waiting closes the input, and a run that has finished need not notice the signal.
        let input = child.stdin.take();
        if ignored {
            drop(input);
        }
        let ended = child.wait().expect("it ends");
        let by = std::os::unix::process::ExitStatusExt::signal(&ended);
        assert_eq!(by, (!ignored).then_some(signal.as_raw()), "{ended}");
        let left: &[&str] = if ignored { &["report.txt"] } else { &[] };
        assert_eq!(names(folder.path()), left, "{signal:?}");
    }
}
