//! A reader that closes the pipe, as `head` does, does not change the exit code: it is that of a run whose output is read
//! to the end. Each command is run with each of its outputs.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use clap::CommandFactory;
use replaylint::internals::cli::Cli;
use replaylint::internals::report::OUTPUTS;
use tempfile::TempDir;

/// A request with an unanswered call, as one line.
const BROKEN: &str = r#"{"model":"gpt-5","input":[{"role":"user","content":"a"},{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},{"role":"user","content":"b"}]}"#;
const WHOLE: &str = r#"{"model":"gpt-5","input":[{"role":"user","content":"a"},{"role":"user","content":"c"}]}"#;

/// So many lines that their report exceeds a pipe and a buffer.
const MANY: usize = 400;

fn folder() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write("one.json", BROKEN);
    write("whole.json", WHOLE);
    write("many.jsonl", &format!("{BROKEN}\n").repeat(MANY));
    write("baseline.json", "{\"version\": 1, \"findings\": []}");
    folder
}

/// Command lines; after `<` the file for standard input.
fn cases() -> Vec<String> {
    let mut cases: Vec<String> = Vec::new();
    for input in ["one.json", "many.jsonl", "whole.json"] {
        for (output, _) in OUTPUTS {
            cases.push(format!("check --output-format {output} {input}"));
            cases.push(format!("fix --output-format {output} {input}"));
            cases.push(format!("convert --to chat -o out.jsonl --output-format {output} {input}"));
        }
        let others = [
            "check -v {}",
            "check --statistics {}",
            "check -o /dev/stdout {}",
            "check --baseline baseline.json {}",
            "baseline check --baseline baseline.json {}",
            "baseline write {}",
            "baseline prune --baseline baseline.json {}",
            "fix --patch {}",
            "fix -o /dev/stdout {}",
            "fix -w --force {}",
            "fix < {}",
            "fix --lossless < {}",
            "convert --to anthropic {}",
            "convert --to anthropic --deny-loss -o /dev/stdout {}",
            "convert --to chat < {}",
            "diff whole.json {}",
            "diff --output-format json whole.json {}",
            "diff --output-format html whole.json {}",
            "slim {}",
            "slim --output-format json {}",
            "slim < {}",
            "serve --stdio < {}",
            "lsp < {}",
            "tree {}",
            "tree --output-format json {}",
            "tree --output-format dot {}",
            "tree --output-format mermaid {}",
            "rebuild {}",
            "rebuild --ask more {}",
            "config {}",
            "explain --error no_tool_output {}",
        ];
        cases.extend(others.iter().map(|case| case.replace("{}", input)));
    }
    let others = [
        "check .",
        "check --agents",
        "check --agents --output-format json",
        "check nowhere.json",
        "check --output-format nothing one.json",
        "config --output-format json",
        "explain RL101",
        "explain RL101 --output-format json",
        "explain RL999",
        "rules",
        "rules --output-format json",
        "formats",
        "formats --output-format json",
        "targets",
        "targets --output-format json",
        "agents",
        "agents --output-format json",
        "doctor",
        "doctor --output-format json",
        "evidence one.json",
        "evidence --output-format json one.json",
        "init",
        "completions bash",
        "completions zsh",
        "completions fish",
        "man",
        "man fix",
        "--help",
        "fix --help",
        "--version",
        "fix --dry-run one.json",
    ];
    cases.extend(others.map(str::to_owned));
    cases
}

/// The part of a run's output that is read.
#[derive(Clone, Copy, PartialEq, Debug)]
enum OutputReader {
    All,
    /// This many bytes of standard output.
    Some(usize),
    /// Nobody ever reads standard output.
    NoOutput,
    /// Nobody reads standard error.
    NoErrors,
}

fn run(case: &str, output_reader: OutputReader) -> (Option<i32>, usize) {
    let folder = folder();
    let (typed, input) = case.split_once(" < ").unwrap_or((case, ""));
    let mut command = Command::new(env!("CARGO_BIN_EXE_replaylint"));
    command.args(typed.split(' ')).current_dir(folder.path()).env("HOME", folder.path());
    command.env_remove("REPLAYLINT_OUTPUT_FORMAT").env_remove("CODEX_HOME").env_remove("CLAUDE_CONFIG_DIR");
    command.stdin(match input {
        "" => Stdio::null(),
        input => Stdio::from(fs::File::open(folder.path().join(input)).expect("an input")),
    });
    let (mut reader, writer) = std::io::pipe().expect("a pipe");
    match output_reader {
        OutputReader::NoErrors => command.stderr(writer).stdout(Stdio::null()),
        _ => command.stdout(writer).stderr(Stdio::null()),
    };
    let mut read = Vec::new();
    if matches!(output_reader, OutputReader::NoOutput | OutputReader::NoErrors) {
        drop(reader);
        let mut child = command.spawn().expect("the program runs");
        return (child.wait().expect("an end").code(), 0);
    }
    let mut child = command.spawn().expect("the program runs");
    // Only the child has the writing end of the pipe now.
    drop(command);
    let most = if let OutputReader::Some(most) = output_reader { most as u64 } else { u64::MAX };
    reader.by_ref().take(most).read_to_end(&mut read).expect("readable");
    drop(reader);
    (child.wait().expect("an end").code(), read.len())
}

#[test]
fn an_exit_code_does_not_depend_on_the_reader() {
    let cases = cases();
    let names: BTreeSet<String> =
        Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect();
    let tried: BTreeSet<String> =
        cases.iter().filter_map(|case| case.split(' ').next().map(str::to_owned)).collect();
    assert!(names.is_subset(&tried), "not tried: {:?}", names.difference(&tried));
    let mut wrong = Vec::new();
    let (mut codes, mut large) = (BTreeSet::new(), 0);
    for case in &cases {
        let (whole, printed) = run(case, OutputReader::All);
        codes.insert(whole);
        // Only output larger than a pipe meets one that is closed after a few bytes.
        large += usize::from(printed > 100_000);
        let partly =
            if printed > 100_000 { vec![OutputReader::Some(10), OutputReader::Some(70_000)] } else { Vec::new() };
        for output_reader in partly.into_iter().chain([OutputReader::NoOutput, OutputReader::NoErrors]) {
            let (code, _) = run(case, output_reader);
            if code != whole {
                wrong.push(format!("{case} ({output_reader:?}): {code:?} instead of {whole:?}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(codes, BTreeSet::from([Some(0), Some(1), Some(2)]));
    assert!(large >= 10, "only {large} reports are larger than a pipe");
}

/// A followed log ends only with its reader.
#[test]
fn following_ends_with_its_reader() {
    let folder = folder();
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = Command::new(env!("CARGO_BIN_EXE_replaylint"));
    command.args(["check", "--follow", "--as", "request", "one.json"]).current_dir(Path::new(folder.path()));
    let mut child = command.stdout(writer).stderr(Stdio::null()).spawn().expect("the program runs");
    assert_eq!(child.wait().expect("an end").code(), Some(1));
}
