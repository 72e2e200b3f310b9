//! The program without arguments: on a terminal it says what it is for, anywhere else it is an error.
#![cfg(unix)]

use std::fs::OpenOptions;
use std::io::Read;
use std::process::{Command, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

const PROGRAM: &str = env!("CARGO_BIN_EXE_replaylint");

#[test]
fn a_terminal_shows_five_lines() {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&ours).expect("granted");
    unlockpt(&ours).expect("unlocked");
    let name = ptsname(&ours, Vec::new()).expect("a name").into_string().expect("UTF-8");
    let theirs = OpenOptions::new().read(true).write(true).open(name).expect("opened");
    let mut program = Command::new(PROGRAM);
    program.stdin(Stdio::null()).stderr(Stdio::piped()).stdout(theirs);
    let child = program.spawn().expect("started");
    // It holds the other end, without which the terminal ends.
    drop(program);
    let mut shown = Vec::new();
    // The end of a terminal is an error on Linux.
    let _ = std::fs::File::from(ours).read_to_end(&mut shown);
    let output = child.wait_with_output().expect("ended");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
    let shown = String::from_utf8(shown).expect("UTF-8");
    assert_eq!(shown.lines().count(), 5, "{shown}");
    let widest = shown.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{shown}");
    // Its commands are commands.
    let commands = shown.lines().filter_map(|line| line.trim_start().strip_prefix("replaylint "));
    let names: Vec<&str> = commands.filter_map(|command| command.split_whitespace().next()).collect();
    assert_eq!(names.len(), 3, "{shown}");
    for name in names {
        let help = Command::new(PROGRAM).args([name, "-h"]).output().expect("started");
        assert!(help.status.success(), "{name}");
    }
}

#[test]
fn a_pipe_gets_an_error() {
    let output = Command::new(PROGRAM).stdin(Stdio::null()).output().expect("started");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Usage: replaylint <COMMAND>"));
}
