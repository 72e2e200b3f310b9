//! The address of the repository is in `Cargo.toml`, and nowhere else: what needs it refers to that place, or is filled in
//! while a release is built (`packaging/address.py`). No placeholder stands for it, which somebody would have to replace.

use std::fs;
use std::path::Path;

use regex::Regex;

/// Folders that are built or downloaded, and those whose addresses belong to conversations.
const SKIPPED: [&str; 6] = [".git", "target", "node_modules", "testdata", "tests", "fuzz"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// `repository` of the manifest.
fn address() -> Option<String> {
    let manifest: toml::Table = fs::read_to_string(root().join("Cargo.toml")).ok()?.parse().ok()?;
    Some(manifest["package"].get("repository")?.as_str()?.to_owned())
}

/// What an address looks like.
struct Patterns {
    repository: Regex,
    registry: Regex,
    placeholder: Regex,
    /// The address of the manifest.
    own: Option<String>,
}

impl Patterns {
    fn new(own: Option<String>) -> Self {
        let pattern = |text| Regex::new(text).expect("a pattern");
        Patterns {
            repository: pattern(
                r"(?:https?://|git@|github\.com|gitlab\.com)[^\s`'<>)]*[/:]replaylint(?:\.git)?(?:$|[^\w.-])",
            ),
            registry: pattern(r"https://(?:docs\.rs|crates\.io|pypi\.org|www\.npmjs\.com)/\S*"),
            placeholder: pattern(r"\b(?:OWNER|YOUR[-_]ORG|USERNAME)\b"),
            own,
        }
    }

    /// What is wrong with a line of a file, by its path.
    fn faults(&self, path: &str, line: &str) -> Vec<&'static str> {
        if path == "Cargo.toml" && line.starts_with("repository = ") {
            return Vec::new();
        }
        // Pages show conversations, and conversations have addresses.
        let shows_conversations = path.starts_with("docs/") || path.starts_with("src/");
        let line = self.registry.replace_all(line, "");
        let mut faults = Vec::new();
        if self.placeholder.is_match(&line) {
            faults.push("a placeholder");
        }
        if self.repository.is_match(&line) || self.own.as_ref().is_some_and(|own| line.contains(own)) {
            faults.push("an address of the repository");
        }
        if line.contains("example.com") && !shows_conversations {
            faults.push("an address that is an example");
        }
        faults
    }
}

#[test]
fn the_address_is_in_one_place() {
    let patterns = Patterns::new(address());
    let is_kept = |entry: &walkdir::DirEntry| !SKIPPED.iter().any(|name| entry.file_name() == *name);
    let (mut files, mut found) = (0, Vec::new());
    for entry in walkdir::WalkDir::new(root()).into_iter().filter_entry(is_kept).flatten() {
        // Pictures and archives are no text.
        let Ok(text) = fs::read_to_string(entry.path()) else { continue };
        let path = entry.path().strip_prefix(root()).expect("below").to_string_lossy().replace('\\', "/");
        files += 1;
        for (n, line) in text.lines().enumerate() {
            found.extend(patterns.faults(&path, line).iter().map(|fault| format!("{path}:{}: {fault}", n + 1)));
        }
    }
    assert!(files > 500, "{files} files");
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn addresses_and_placeholders_are_found() {
    let patterns = Patterns::new(Some("https://forge.test/a/rl".to_owned()));
    let fault = |path: &str, line: &str| patterns.faults(path, line).first().copied();
    let address = Some("an address of the repository");
    assert_eq!(fault("README.md", "see https://github.com/a/replaylint/issues"), address);
    assert_eq!(fault("go.mod", "module github.com/a/replaylint/go"), address);
    assert_eq!(fault("ci.md", "git clone git@gitlab.com:a/replaylint.git"), address);
    assert_eq!(fault("README.md", "https://forge.test/a/rl/releases"), address);
    assert_eq!(fault("Cargo.toml", "repository = \"https://forge.test/a/rl\""), None);
    assert_eq!(fault("docs/ci.md", "uses: OWNER/name@v1"), Some("a placeholder"));
    assert_eq!(fault("install.sh", "https://example.com/x"), Some("an address that is an example"));
    assert_eq!(fault("docs/rules/RL702.md", "{\"url\":\"https://example.com/a.png\"}"), None);
    assert_eq!(fault("src/report/rulebook.rs", "https://docs.rs/crate/replaylint/0.1.0/source"), None);
}

/// Who reads the first page knows whether the first commands work.
#[test]
fn the_readme_says_whether_there_is_a_release() {
    let readme = fs::read_to_string(root().join("README.md")).expect("a page");
    assert!(address().is_some() || readme.contains("There is no release yet"));
    let first = readme.find("```text\n").expect("a block");
    let commands = &readme[first..];
    for command in ["pip install replaylint", "npx replaylint", "cargo binstall replaylint", "sh install.sh"] {
        assert!(commands.contains(command), "{command}");
    }
}
