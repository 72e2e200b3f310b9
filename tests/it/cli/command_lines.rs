//! Commands that the program names can be pasted: each one that an example of `testdata/cli`, of the README or of a page
//! prints is run by a shell, in a copy of the files of the example. It must be accepted; one that promises a fix changes a
//! file, and the example prints something else afterwards.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use replaylint::internals::formats::agents::resume::AGENTS;
use tempfile::TempDir;

use crate::source::writing::backdate;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// An example: its folder, and its commands in order.
struct ConsoleExample {
    name: String,
    /// The folder to copy; if `None`, the files that a command names are copied.
    folder: Option<PathBuf>,
    typed: Vec<String>,
}

fn commands_in(text: &str) -> Vec<String> {
    let commands = text.lines().filter_map(|line| line.strip_prefix("$ "));
    commands.filter(|command| command.contains("replaylint")).map(str::to_owned).collect()
}

/// The examples of the command line, and of the pages.
fn examples() -> Vec<ConsoleExample> {
    let listed = |folder: &Path, ending: &str| -> Vec<PathBuf> {
        let files = fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
        files.filter(|path| path.extension().is_some_and(|own| own == ending)).collect()
    };
    let mut paths = listed(&root().join("testdata/cli"), "trycmd");
    paths.extend(listed(&root().join("docs"), "md"));
    paths.push(root().join("README.md"));
    paths.sort();
    let example = |path: PathBuf| {
        let folder = path.with_extension("in");
        let typed = commands_in(&fs::read_to_string(&path).expect("UTF-8"));
        let name = path.strip_prefix(root()).expect("below").display().to_string();
        ConsoleExample { name, folder: folder.is_dir().then_some(folder), typed }
    };
    paths.into_iter().map(example).filter(|example| !example.typed.is_empty()).collect()
}

struct ShellResult {
    code: Option<i32>,
    text: String,
}

fn run_shell(script: &str, folder: &Path, input: Option<&Path>) -> ShellResult {
    let bin = Path::new(env!("CARGO_BIN_EXE_replaylint")).parent().expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(bin.to_owned()).chain(std::env::split_paths(&path)));
    let input = input.map_or(Stdio::null(), |input| Stdio::from(fs::File::open(input).expect("an input")));
    let mut command = Command::new("sh");
    for folders in AGENTS.iter().map(|agent| &agent.session_folders) {
        let names = folders.list.iter().chain([&folders.variable]).filter(|name| !name.is_empty());
        names.for_each(|name| {
            command.env_remove(name);
        });
    }
    let result = command
        .args(["-c", &format!("{{ {script}\n}} 2>&1")])
        .current_dir(folder)
        .env("PATH", path.expect("a path"))
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        // A command about the sessions of agents must not find those of whoever runs the tests.
        .env("HOME", folder.join("home"))
        .env_remove("REPLAYLINT_OUTPUT_FORMAT")
        .env_remove("XDG_STATE_HOME")
        .env_remove("CODEX_HOME")
        .stdin(input)
        .output()
        .expect("a shell");
    ShellResult { code: result.status.code(), text: String::from_utf8_lossy(&result.stdout).into_owned() }
}

/// A command in the output, and the line that contains it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct PrintedCommand {
    command: String,
    /// The line of the command, with those before and after it.
    context: String,
}

/// The commands in a text, except for those with a placeholder in capitals, which the reader chooses.
fn printed_commands(text: &str) -> BTreeSet<PrintedCommand> {
    let mut found = BTreeSet::new();
    let lines: Vec<&str> = text.lines().collect();
    for (n, line) in lines.iter().enumerate() {
        // A sentence may go on in the next line.
        let around = lines.get(n.saturating_sub(1)..(n + 2).min(lines.len())).unwrap_or_default();
        let codes = line.split("`replaylint ").skip(1).map(|rest| {
            assert!(rest.contains('`'), "a command is broken in two: {line}");
            rest.split('`').next().unwrap_or_default()
        });
        let listed = line.split_once("Details: replaylint ").map(|(_, command)| command);
        for command in codes.chain(listed) {
            let is_placeholder = |word: &str| word.len() > 1 || word == "A" || word == "B" || word == "N";
            let chosen = command
                .split(' ')
                .any(|word| is_placeholder(word) && word.chars().all(|c| c.is_ascii_uppercase() || c == '|'));
            if !chosen {
                let words: Vec<&str> = around.iter().flat_map(|line| line.split_whitespace()).collect();
                found
                    .insert(PrintedCommand { command: format!("replaylint {command}"), context: words.join(" ") });
            }
        }
    }
    found
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        fs::create_dir_all(to).expect("a folder");
        for entry in fs::read_dir(from).expect("a folder").flatten() {
            copy(&entry.path(), &to.join(entry.file_name()));
        }
        return;
    }
    fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
    fs::copy(from, to).expect("copied");
    backdate(to);
}

/// The files in commands, relative to the root.
fn files_in(commands: &[&str]) -> BTreeSet<PathBuf> {
    let words = commands.iter().flat_map(|command| command.split([' ', '\'', '"', '=', '|', '<', '>']));
    let paths = words.filter(|word| !word.is_empty() && !word.starts_with('-') && !word.starts_with('/'));
    let paths = paths.map(PathBuf::from).filter(|path| path != Path::new(".") && root().join(path).exists());
    // The files in a list are beside it.
    let beside = |path: PathBuf| match path.extension().is_some_and(|ending| ending == "txt") {
        true => path.parent().map(Path::to_owned).unwrap_or_default(),
        false => path,
    };
    paths.map(beside).collect()
}

/// The contents of the files of a folder.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).expect("a folder").flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                all.push((path.clone(), fs::read(&path).expect("readable")));
            }
        }
    }
    all.sort();
    all
}

/// The file that a command reads from standard input: `replaylint … < FILE`, `cat FILE | replaylint …`.
fn input_of(typed: &str) -> Option<&str> {
    let after = |mark: &str| typed.split_once(mark).and_then(|(_, rest)| rest.split_whitespace().next());
    after("< ").or_else(|| typed.strip_prefix("cat ").and_then(|rest| rest.split(' ').next()))
}

/// True if a sentence promises that a command fixes something.
fn claims_a_fix(named: &PrintedCommand) -> bool {
    let PrintedCommand { command, context } = named;
    let fixes = [format!("with `{command}`"), format!("`{command}` fixes ")];
    let is_write = command.split(' ').any(|word| word == "-w" || word == "-o") || command.ends_with(" -");
    is_write && fixes.iter().any(|claim| context.contains(claim.as_str()))
}

/// Runs a command that `typed` printed, in `folder`. Returns what is wrong with it, if anything.
fn find_fault(named: &PrintedCommand, typed: &str, folder: &Path) -> Option<String> {
    let input = input_of(typed).map(|path| folder.join(path));
    let input = input.as_deref().filter(|_| named.command.ends_with(" -"));
    let before = contents(folder);
    let result = run_shell(&named.command, folder, input);
    // A file without a conversation gets no other message.
    let is_accepted = matches!(result.code, Some(0 | 1)) || result.text.contains("no conversation found");
    if !is_accepted {
        return Some(format!("is not accepted ({:?}): {}", result.code, result.text));
    }
    if !claims_a_fix(named) {
        return None;
    }
    if let Some(input) = input {
        let is_same = result.text.contains(&fs::read_to_string(input).expect("UTF-8"));
        return is_same.then(|| format!("changes nothing: {}", result.text));
    }
    if contents(folder) == before {
        return Some(format!("changes nothing: {}", result.text));
    }
    if !named.command.contains(" -w") {
        // Copies leave the file as it is.
        return None;
    }
    let again = run_shell(typed, folder, None);
    again
        .text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .contains(&named.context)
        .then(|| format!("fixes nothing: {}", again.text))
}

#[test]
fn printed_commands_can_be_pasted() {
    let (mut tried, mut fixes, mut faults) = (0, 0, Vec::new());
    for example in examples() {
        let state = TempDir::new().expect("a folder");
        if let Some(folder) = &example.folder {
            copy(folder, state.path());
        }
        for typed in &example.typed {
            let here = if example.folder.is_some() { state.path() } else { root() };
            let all = printed_commands(&run_shell(typed, here, None).text);
            for named in all {
                let folder = TempDir::new().expect("a folder");
                match &example.folder {
                    Some(_) => copy(state.path(), folder.path()),
                    None => files_in(&[typed, &named.command]).into_iter().for_each(|path| {
                        copy(&root().join(&path), &folder.path().join(&path));
                    }),
                }
                tried += 1;
                fixes += usize::from(claims_a_fix(&named));
                if let Some(wrong) = find_fault(&named, typed, folder.path()) {
                    faults.push(format!("{}: $ {typed}\n{}\n{wrong}", example.name, named.command));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n\n{}", faults.len(), faults.join("\n\n"));
    assert!(tried >= 60 && fixes >= 20, "{tried} commands, {fixes} of them fix something");
}
