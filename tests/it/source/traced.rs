//! Runs of the program under strace: which system calls it makes, and what happens if one of them does not return, fails,
//! or takes long.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

const BINARY: &str = env!("CARGO_BIN_EXE_replaylint");

/// The system calls that change files. Those that open one are not among them: how many there are depends on what else
/// runs on the machine, and each file that is made is locked, written or synced next.
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

/// Whether runs can be traced here; if not, says so.
pub fn is_possible() -> bool {
    let traced = Command::new("strace").args(["-f", "-o", "/dev/null", "true"]).output();
    let can = traced.is_ok_and(|output| output.status.success());
    if !can {
        println!("skipped: strace is not installed, or may not trace");
    }
    can
}

/// A system call of the main thread: its name, which of that name it is, counted from 1, and what it is asked to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    pub name: String,
    pub nth: usize,
    pub what: String,
}

impl Call {
    /// Whether it may change a file.
    fn changes(&self) -> bool {
        match self.name.as_str() {
            // Clones a file, where the file system can.
            "ioctl" => self.what.contains("FICLONE"),
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

fn parse(trace: &Path) -> Vec<Call> {
    let text = String::from_utf8_lossy(&fs::read(trace).expect("a trace")).into_owned();
    let mut main = None;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut calls = Vec::new();
    for line in text.lines() {
        let Some((process, call)) = line.split_once(' ') else { continue };
        let call = call.trim_start();
        let Some((name, what)) = call.split_once('(').filter(|_| !call.starts_with('<')) else { continue };
        if *main.get_or_insert(process) == process {
            let nth = counts.entry(name).or_default();
            *nth += 1;
            calls.push(Call { name: name.to_owned(), nth: *nth, what: what.to_owned() });
        }
    }
    calls
}

/// The calls of a whole run that change files, in order.
pub fn changes(folder: &Path, args: &[&str]) -> Vec<Call> {
    let trace = trace_file();
    let output = strace(folder, trace.path(), &[], args).output().expect("strace runs");
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    parse(trace.path()).into_iter().filter(Call::changes).collect()
}

/// Runs the program, and kills it at a call, before that is carried out.
pub fn killed(folder: &Path, args: &[&str], at: &Call) {
    let inject = format!("{}:signal=KILL:when={}", at.name, at.nth);
    let output = strace(folder, trace_file().path(), &[inject], args).output().expect("strace runs");
    assert!(!output.status.success(), "it was not killed at {at:?}");
}

/// Runs the program, and lets a call fail: only that one, or all that change files from then on.
pub fn failing(folder: &Path, args: &[&str], at: &[Call], error: &str) -> Output {
    let inject: Vec<String> = match at {
        [one] => vec![format!("{}:error={error}:when={}", one.name, one.nth)],
        all => {
            let mut first: BTreeMap<&str, usize> = BTreeMap::new();
            for call in all {
                first.entry(&call.name).or_insert(call.nth);
            }
            first.iter().map(|(name, nth)| format!("{name}:error={error}:when={nth}+")).collect()
        }
    };
    strace(folder, trace_file().path(), &inject, args).output().expect("strace runs")
}

/// A run that is stopped after a call.
pub struct Stopped {
    child: Child,
    trace: PathBuf,
    _file: tempfile::NamedTempFile,
}

impl Stopped {
    pub fn after(folder: &Path, args: &[&str], call: &Call) -> Stopped {
        let file = trace_file();
        let trace = file.path().to_owned();
        let inject = format!("{}:signal=STOP:when={}", call.name, call.nth);
        let mut strace = strace(folder, &trace, &[inject], args);
        let child = strace.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("strace runs");
        let mut stopped = Stopped { child, trace, _file: file };
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

    /// Lets it go on to its end.
    pub fn goes_on(self) -> Output {
        let process = self.lines().find_map(|line| line.split(' ').next()?.parse().ok()).expect("a process");
        let process = rustix::process::Pid::from_raw(process).expect("a process");
        rustix::process::kill_process(process, rustix::process::Signal::CONT).expect("sent");
        self.child.wait_with_output().expect("it ends")
    }
}
