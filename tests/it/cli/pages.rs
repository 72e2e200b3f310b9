//! The README and the pages in `docs/` as tests: each console example is run as it is shown, and must print what is
//! shown. An example that exits with another code than 0 says so after the language of its block (`console exit=1`),
//! which no reader of the rendered page sees. `UPDATE_README=1` writes the outputs anew.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The README, the other pages for readers at the root, and all of `docs/`.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].iter().map(|name| root().join(name)).collect();
    let docs = fs::read_dir(root().join("docs")).expect("docs").flatten().map(|entry| entry.path());
    pages.extend(docs.filter(|path| path.extension().is_some_and(|ext| ext == "md")));
    pages.retain(|path| path.exists());
    pages.sort();
    pages
}

/// What a command prints, both streams as they come, and its exit code.
fn run(command: &str) -> (String, i32) {
    let bin = Path::new(env!("CARGO_BIN_EXE_replaylint")).parent().expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(std::iter::once(bin.to_owned()).chain(std::env::split_paths(&path)));
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {command}\n}} 2>&1")])
        .current_dir(root())
        .env("PATH", path.expect("a path"))
        .env("TERM", "xterm")
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        .env_remove("REPLAYLINT_OUTPUT_FORMAT")
        .output()
        .expect("a shell");
    (String::from_utf8(output.stdout).expect("UTF-8"), output.status.code().expect("an exit code"))
}

/// A page with the outputs of its examples as they are now, and how many examples it has.
fn as_run(text: &str) -> (String, usize) {
    let (mut out, mut examples) = (String::new(), 0);
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if !line.starts_with("```console") {
            let _ = writeln!(out, "{line}");
            continue;
        }
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let command = block.first().and_then(|line| line.strip_prefix("$ ")).expect("a command after `$ `");
        assert!(!block[1..].iter().any(|line| line.starts_with("$ ")), "one command a block: {command}");
        let (printed, code) = run(command);
        let mark = if code == 0 { String::new() } else { format!(" exit={code}") };
        let _ = writeln!(out, "```console{mark}\n$ {command}\n{}\n```", printed.trim_end());
        examples += 1;
    }
    (out, examples)
}

#[test]
#[cfg(unix)]
fn examples_print_what_is_shown() {
    let mut all = 0;
    for path in pages() {
        let text = fs::read_to_string(&path).expect("UTF-8");
        let (run, examples) = as_run(&text);
        all += examples;
        if std::env::var_os("UPDATE_README").is_some() {
            if run != text {
                fs::write(&path, run).expect("written");
            }
            continue;
        }
        for (n, (shown, printed)) in text.lines().zip(run.lines()).enumerate() {
            assert_eq!(shown, printed, "{}:{}; UPDATE_README=1 writes it anew", path.display(), n + 1);
        }
        assert_eq!(text.lines().count(), run.lines().count(), "{}", path.display());
    }
    assert!(all >= 15, "{all} examples");
}

#[test]
fn the_readme_is_short_and_its_links_lead_somewhere() {
    let readme = fs::read_to_string(root().join("README.md")).expect("a README");
    assert!(readme.lines().count() <= 250, "{} lines", readme.lines().count());
    for path in pages() {
        let text = fs::read_to_string(&path).expect("UTF-8");
        for (at, _) in text.match_indices("](") {
            let link = text[at + 2..].split(')').next().expect("a link");
            let file = link.split('#').next().expect("a file");
            if file.is_empty() || link.starts_with("http") {
                continue;
            }
            let to = path.parent().expect("a folder").join(file);
            assert!(to.exists(), "{}: nothing is at {link}", path.display());
        }
    }
}
