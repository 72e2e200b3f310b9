//! The README and the pages in `docs/` as tests: each console example is run as shown, and must print the shown
//! output. An exit code other than 0 is given after the language of its block (`console exit=1`), which is not visible in
//! the rendered page. `UPDATE_README=1` updates the outputs.

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

/// The output of a command, both streams in order, and its exit code.
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

/// A page with the current outputs of its examples, and the number of examples.
fn update_examples(text: &str) -> (String, usize) {
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
        let (run, examples) = update_examples(&text);
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
fn the_readme_is_short() {
    let readme = fs::read_to_string(root().join("README.md")).expect("a README");
    assert!(readme.lines().count() <= 200, "{} lines", readme.lines().count());
}

/// The anchor of a heading, as GitHub and mdBook make it.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The headings of a page, without those lines of its examples that begin with `#`.
fn anchors(text: &str) -> Vec<String> {
    let mut is_code = false;
    let headings = text.lines().filter(|line| {
        is_code ^= line.starts_with("```");
        !is_code && line.starts_with('#')
    });
    headings.map(anchor).collect()
}

/// Every link of every page points to an existing file, and to a heading in it.
#[test]
fn links_have_targets() {
    let mut all = pages();
    let folders = ["docs/rules", "packaging/npm", "packaging/python", "benches", "tests/sdk", "tests/count"];
    all.extend(
        folders
            .iter()
            .flat_map(|name| fs::read_dir(root().join(name)).expect("a folder"))
            .flatten()
            .map(|entry| entry.path()),
    );
    all.retain(|path| path.extension().is_some_and(|ext| ext == "md"));
    let mut dead = Vec::new();
    for path in &all {
        let text = fs::read_to_string(path).expect("UTF-8");
        for (at, _) in text.match_indices("](") {
            let link = text[at + 2..].split(')').next().expect("a link");
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            if link.starts_with("http") || link.contains(char::is_whitespace) {
                continue;
            }
            let to = if file.is_empty() { path.clone() } else { path.parent().expect("a folder").join(file) };
            let reaches = to.exists()
                && (heading.is_empty()
                    || fs::read_to_string(&to).is_ok_and(|text| anchors(&text).contains(&heading.to_owned())));
            if !reaches {
                dead.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(all.len() > 200 && dead.is_empty(), "{} pages; missing targets:\n{}", all.len(), dead.join("\n"));
}
