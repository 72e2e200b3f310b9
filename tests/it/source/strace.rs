//! Runs of the program under strace: its system calls, and runs in which one of them kills or stops it, or fails.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

const BINARY: &str = env!("CARGO_BIN_EXE_replaylint");

/// The system calls that change files. Calls that open a file are not included: their number depends on what else
/// runs on the machine, and each new file is locked, written or synced next.
const CHANGING: [&str; 29] = [
    "write",
    "writev",
    "pwrite64",
    "pwritev",
    "pwritev2",
    "copy_file_range",
    "sendfile",
    "splice",
    "ftruncate",
    "fallocate",
    "fsync",
    "fdatasync",
    "flock",
    "fchmod",
    "fchmodat",
    "fchown",
    "fchownat",
    "fsetxattr",
    "utimensat",
    "rename",
    "renameat",
    "renameat2",
    "link",
    "linkat",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "ioctl",
];

/// True if runs can be traced here; otherwise prints why the test is skipped.
pub fn is_possible() -> bool {
    let traced = Command::new("strace").args(["-f", "-o", "/dev/null", "true"]).output();
    let can = traced.is_ok_and(|output| output.status.success());
    if !can {
        println!("skipped: strace is not installed, or may not trace");
    }
    can
}

/// A system call of the main thread: its name, its number among the calls of that name, from 1, and its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SystemCall {
    pub name: String,
    pub occurrence: usize,
    pub arguments: String,
}

impl SystemCall {
    /// True if the call may change a file.
    fn changes(&self) -> bool {
        match self.name.as_str() {
            // Clones a file, where the file system can.
            "ioctl" => self.arguments.contains("FICLONE"),
            _ => CHANGING.contains(&self.name.as_str()),
        }
    }
}

fn strace(folder: &Path, trace: &Path, inject: &[String], args: &[&str]) -> Command {
    let mut strace = Command::new("strace");
    strace.args(["-f", "-qq", "-s", "100", "-o"]).arg(trace);
    for inject in inject {
        strace.args(["-e", &format!("inject={inject}")]);
    }
    strace.arg(BINARY).args(args).current_dir(folder);
    strace
}

fn trace_file() -> tempfile::NamedTempFile {
    tempfile::NamedTempFile::new().expect("a file")
}

fn parse(trace: &Path) -> Vec<SystemCall> {
    let text = String::from_utf8_lossy(&fs::read(trace).expect("a trace")).into_owned();
    let mut main = None;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut calls = Vec::new();
    for line in text.lines() {
        let Some((process, call)) = line.split_once(' ') else { continue };
        let call = call.trim_start();
        let Some((name, arguments)) = call.split_once('(').filter(|_| !call.starts_with('<')) else { continue };
        if *main.get_or_insert(process) == process {
            let occurrence = counts.entry(name).or_default();
            *occurrence += 1;
            calls.push(SystemCall {
                name: name.to_owned(),
                occurrence: *occurrence,
                arguments: arguments.to_owned(),
            });
        }
    }
    calls
}

/// The calls of a whole run that change files, in order.
pub fn changes(folder: &Path, args: &[&str]) -> Vec<SystemCall> {
    let trace = trace_file();
    let output = strace(folder, trace.path(), &[], args).output().expect("strace runs");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    parse(trace.path()).into_iter().filter(SystemCall::changes).collect()
}

/// Runs the program, and kills it at a call, before the call is executed.
pub fn run_killed(folder: &Path, args: &[&str], at: &SystemCall) {
    let inject = format!("{}:signal=KILL:when={}", at.name, at.occurrence);
    let output = strace(folder, trace_file().path(), &[inject], args).output().expect("strace runs");
    assert!(!output.status.success(), "it was not killed at {at:?}");
}

/// Runs the program, and makes one call fail, or all calls that change files from the first one on.
pub fn run_failing(folder: &Path, args: &[&str], at: &[SystemCall], error: &str) -> Output {
    let inject: Vec<String> = match at {
        [one] => vec![format!("{}:error={error}:when={}", one.name, one.occurrence)],
        all => {
            let mut first: BTreeMap<&str, usize> = BTreeMap::new();
            for call in all {
                first.entry(&call.name).or_insert(call.occurrence);
            }
            first.iter().map(|(name, occurrence)| format!("{name}:error={error}:when={occurrence}+")).collect()
        }
    };
    strace(folder, trace_file().path(), &inject, args).output().expect("strace runs")
}

/// A run that is stopped after a call.
pub struct StoppedRun {
    child: Child,
    trace: PathBuf,
    _file: tempfile::NamedTempFile,
}

impl StoppedRun {
    pub fn after(folder: &Path, args: &[&str], call: &SystemCall) -> StoppedRun {
        let file = trace_file();
        let trace = file.path().to_owned();
        let inject = format!("{}:signal=STOP:when={}", call.name, call.occurrence);
        let mut strace = strace(folder, &trace, &[inject], args);
        let child = strace.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("strace runs");
        let mut stopped = StoppedRun { child, trace, _file: file };
        while !stopped.lines().any(|line| line.contains("--- stopped by SIGSTOP")) {
            assert!(stopped.child.try_wait().expect("asked").is_none(), "it ends before {call:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
        stopped
    }

    fn lines(&self) -> impl Iterator<Item = String> {
        let text = String::from_utf8_lossy(&fs::read(&self.trace).expect("a trace")).into_owned();
        text.lines().map(str::to_owned).collect::<Vec<_>>().into_iter()
    }

    /// Continues the run, and waits for its end.
    pub fn resume(self) -> Output {
        let process = self.lines().find_map(|line| line.split(' ').next()?.parse().ok()).expect("a process");
        let process = rustix::process::Pid::from_raw(process).expect("a process");
        rustix::process::kill_process(process, rustix::process::Signal::CONT).expect("sent");
        self.child.wait_with_output().expect("it ends")
    }
}
