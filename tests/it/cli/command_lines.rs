//! Commands that the program names can be pasted: each one that an example of `testdata/cli`, of the README or of a page
//! prints is run by a shell, in a copy of the files of the example. It must be accepted; one that is said to fix
//! something changes a file, and what named it says something else afterwards.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::source::writing::settle;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// An example: where it is run, and what is typed, one after the other.
struct Example {
    name: String,
    /// The folder that a copy is made of; without one, the files that a command names are copied.
    folder: Option<PathBuf>,
    typed: Vec<String>,
}

fn typed(text: &str) -> Vec<String> {
    let commands = text.lines().filter_map(|line| line.strip_prefix("$ "));
    commands.filter(|command| command.contains("replaylint")).map(str::to_owned).collect()
}

/// The examples of the command line, and of the pages.
fn examples() -> Vec<Example> {
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
        let typed = typed(&fs::read_to_string(&path).expect("UTF-8"));
        let name = path.strip_prefix(root()).expect("below").display().to_string();
        Example { name, folder: folder.is_dir().then_some(folder), typed }
    };
    paths.into_iter().map(example).filter(|example| !example.typed.is_empty()).collect()
}

struct Done {
    code: Option<i32>,
    text: String,
}

fn shell(script: &str, folder: &Path, input: Option<&Path>) -> Done {
    let bin = Path::new(env!("CARGO_BIN_EXE_replaylint")).parent().expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(bin.to_owned()).chain(std::env::split_paths(&path)));
    let input = input.map_or(Stdio::null(), |input| Stdio::from(fs::File::open(input).expect("an input")));
    let done = Command::new("sh")
        .args(["-c", &format!("{{ {script}\n}} 2>&1")])
        .current_dir(folder)
        .env("PATH", path.expect("a path"))
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        .env_remove("REPLAYLINT_OUTPUT_FORMAT")
        .stdin(input)
        .output()
        .expect("a shell");
    Done { code: done.status.code(), text: String::from_utf8_lossy(&done.stdout).into_owned() }
}

/// A command that was named, and the line that names it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Named {
    command: String,
    line: String,
}

/// The commands that a text names, but for those with a placeholder: what is in capitals is for the reader to choose.
fn named(text: &str) -> BTreeSet<Named> {
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let codes = line.split("`replaylint ").skip(1).map(|rest| {
            assert!(rest.contains('`'), "a command is broken in two: {line}");
            rest.split('`').next().unwrap_or_default()
        });
        let listed = line.split_once("Look at one: replaylint ").map(|(_, command)| command);
        for command in codes.chain(listed) {
            let is_placeholder = |word: &str| word.len() > 1 || word == "A" || word == "B" || word == "N";
            let chosen = command
                .split(' ')
                .any(|word| is_placeholder(word) && word.chars().all(|c| c.is_ascii_uppercase() || c == '|'));
            if !chosen {
                let line = line.trim().to_owned();
                found.insert(Named { command: format!("replaylint {command}"), line });
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
    settle(to);
}

/// The files that are named in commands, below the root.
fn files_in(commands: &[&str]) -> BTreeSet<PathBuf> {
    let words = commands.iter().flat_map(|command| command.split([' ', '\'', '"', '=', '|', '<', '>']));
    let paths = words.filter(|word| !word.is_empty() && !word.starts_with('-') && !word.starts_with('/'));
    let paths = paths.map(PathBuf::from).filter(|path| path != Path::new(".") && root().join(path).exists());
    // What a list names lies beside it.
    let beside = |path: PathBuf| match path.extension().is_some_and(|ending| ending == "txt") {
        true => path.parent().map(Path::to_owned).unwrap_or_default(),
        false => path,
    };
    paths.map(beside).collect()
}

/// What is in the files of a folder.
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

/// What a command got on standard input: `replaylint … < FILE`, `cat FILE | replaylint …`.
fn input_of(typed: &str) -> Option<&str> {
    let after = |mark: &str| typed.split_once(mark).and_then(|(_, rest)| rest.split_whitespace().next());
    after("< ").or_else(|| typed.strip_prefix("cat ").and_then(|rest| rest.split(' ').next()))
}

/// Whether a line says that a command fixes something.
fn claims_a_fix(named: &Named) -> bool {
    let Named { command, line } = named;
    let fixes = [format!("with `{command}`"), format!("`{command}` fixes ")];
    let is_write = command.split(' ').any(|word| word == "-w" || word == "-o") || command.ends_with(" -");
    is_write && fixes.iter().any(|claim| line.contains(claim.as_str()))
}

/// Runs a command that was named by `typed`, in `folder`. What is wrong with it, if anything.
fn wrong(named: &Named, typed: &str, folder: &Path) -> Option<String> {
    let input = input_of(typed).map(|path| folder.join(path));
    let input = input.as_deref().filter(|_| named.command.ends_with(" -"));
    let before = contents(folder);
    let done = shell(&named.command, folder, input);
    // Of a file without a conversation nothing else is said.
    let is_accepted = matches!(done.code, Some(0 | 1)) || done.text.contains("no conversation was found");
    if !is_accepted {
        return Some(format!("is not accepted ({:?}): {}", done.code, done.text));
    }
    if !claims_a_fix(named) {
        return None;
    }
    if let Some(input) = input {
        let is_same = done.text.contains(&fs::read_to_string(input).expect("UTF-8"));
        return is_same.then(|| format!("changes nothing: {}", done.text));
    }
    if contents(folder) == before {
        return Some(format!("changes nothing: {}", done.text));
    }
    if !named.command.contains(" -w") {
        // Copies leave the file as it is.
        return None;
    }
    let again = shell(typed, folder, None);
    again.text.lines().any(|line| line.trim() == named.line).then(|| format!("fixes nothing: {}", again.text))
}

#[test]
fn commands_that_are_named_can_be_pasted() {
    let (mut tried, mut fixes, mut faults) = (0, 0, Vec::new());
    for example in examples() {
        let state = TempDir::new().expect("a folder");
        if let Some(folder) = &example.folder {
            copy(folder, state.path());
        }
        for typed in &example.typed {
            let here = if example.folder.is_some() { state.path() } else { root() };
            let all = named(&shell(typed, here, None).text);
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
                if let Some(wrong) = wrong(&named, typed, folder.path()) {
                    faults.push(format!("{}: $ {typed}\n{}\n{wrong}", example.name, named.command));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n\n{}", faults.len(), faults.join("\n\n"));
    assert!(tried >= 60 && fixes >= 20, "{tried} commands, {fixes} of them fix something");
}
