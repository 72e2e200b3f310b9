//! Cases as data: each file in `testdata/cases` contains histories with the expected findings; the report and the repaired
//! text of each are in its snapshot, `testdata/cases/<file>/<case>.snap`.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use replaylint::internals::history::{Code, ReasoningEffort, Usage};
use replaylint::internals::judge::{EnabledRules, Options};
use replaylint::internals::read;
use replaylint::internals::repair::{FixOptions, ImageOptions, Orphans, Reasoning};
use replaylint::internals::rule::AgeLimit;
use replaylint::internals::{formats, targets};
use serde::Deserialize;

use crate::support::snapshots::Snapshots;
use crate::support::{STYLE, codes, diagnostics, guarded_repair, preview, print_report};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleCaseFile {
    case: Vec<RuleCase>,
}

/// One history. `about` is the reason for the case.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RuleCase {
    name: String,
    about: String,
    input: String,
    /// Codes of errors and warnings, sorted.
    finds: Vec<String>,
    /// Codes of errors and warnings that remain after the repair.
    #[serde(default)]
    leaves: Vec<String>,
    target: Option<String>,
    store: Option<bool>,
    #[serde(rename = "as")]
    usage: Option<String>,
    model: Option<String>,
    effort: Option<String>,
    format: Option<String>,
    /// Only these rules run.
    #[serde(default)]
    select: Vec<String>,
    /// Rules whose messages the server gave when it rejected the history.
    #[serde(default)]
    proven: Vec<u16>,
    /// In seconds, counted from `now`.
    max_item_age: Option<u64>,
    #[serde(default)]
    now: u64,
    orphans: Option<String>,
    reasoning: Option<String>,
    #[serde(default)]
    lossless: bool,
    #[serde(default)]
    fix_warnings: bool,
    #[serde(default)]
    acknowledge_safety: bool,
    #[serde(default)]
    account_changed: bool,
    max_image_bytes: Option<u32>,
    provider: Option<String>,
    /// The text after the repair, if the case is about it and the snapshot alone would not show that.
    becomes: Option<String>,
}

impl RuleCase {
    fn options(&self) -> Options {
        Options {
            read: read::Options {
                format: self.format.as_deref().map(|name| formats::by_name(name).expect("a format")),
                usage: self.usage.as_deref().map(|name| if name == "log" { Usage::Log } else { Usage::Request }),
                effort: self.effort.as_deref().map(|level| ReasoningEffort::of(level.as_bytes())),
                ..read::Options::default()
            },
            target: self.target.as_deref().map(|name| targets::by_name(name).expect("a target")),
            store: self.store,
            model: self.model.clone(),
            account_changed: self.account_changed,
            age: self.max_item_age.map(|most| AgeLimit { max_seconds: most, now: self.now }),
            enabled: EnabledRules::new(|rule| {
                self.select.is_empty() || self.select.contains(&rule.code.to_string())
            })
            .with_proven(self.proven.iter().map(|code| Code(*code)).collect()),
            ..Options::default()
        }
    }

    fn fix_options(&self) -> FixOptions {
        FixOptions {
            orphans: match self.orphans.as_deref() {
                Some("stub") => Orphans::Stub,
                Some("drop") => Orphans::Drop,
                Some("text") => Orphans::Text,
                _ => Orphans::Auto,
            },
            reasoning: match self.reasoning.as_deref() {
                Some("strip") => Reasoning::Strip,
                Some("keep") => Reasoning::Keep,
                Some("reference") => Reasoning::Reference,
                Some("inline") => Reasoning::Inline,
                _ => Reasoning::Auto,
            },
            lossless: self.lossless,
            warnings: self.fix_warnings,
            selected: Vec::new(),
            acknowledge_safety: self.acknowledge_safety,
            images: ImageOptions { max_bytes: self.max_image_bytes, ..ImageOptions::default() },
            provider: self.provider.clone(),
            ..FixOptions::default()
        }
    }

    fn run(&self) -> String {
        let options = self.options();
        let text = self.input.trim_start_matches('\n').as_bytes();
        let found = diagnostics(text, &options);
        assert_eq!(codes(&found), self.finds, "{}: {}", self.name, print_report(&found));
        let repaired = guarded_repair(&self.name, text, &options, &self.fix_options());
        crate::repair::proposals::assert_repairing(&self.name, text, &options, &repaired.fixed);
        assert_eq!(
            codes(&repaired.remaining),
            self.leaves,
            "{}: {}",
            self.name,
            print_report(&repaired.remaining)
        );
        let after = String::from_utf8_lossy(&repaired.text).into_owned();
        if let Some(becomes) = &self.becomes {
            assert_eq!(after.trim(), becomes.trim(), "{}", self.name);
        }
        let mut page = format!("{}\n\n{}", self.about, print_report(&found));
        if repaired.fixed.patch.is_empty() {
            let _ = writeln!(page, "unchanged");
        } else {
            let diff = preview(&text.to_vec(), &repaired.fixed, &repaired.notes, STYLE);
            let _ = write!(page, "{diff}{after}");
        }
        for group in &repaired.fixed.skipped_groups {
            let _ = writeln!(page, "left alone at byte {}: {}", group.at.start, group.reason);
        }
        if !repaired.remaining.is_empty() {
            let _ = write!(page, "\nleft:\n{}", print_report(&repaired.remaining));
        }
        page
    }
}

#[test]
fn cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cases");
    let mut files: Vec<_> = fs::read_dir(&folder).expect("cases").flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    let mut snapshots = Snapshots::new("testdata/cases");
    for path in files {
        let file: RuleCaseFile = toml::from_str(&fs::read_to_string(&path).expect("UTF-8"))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let group = path.file_stem().expect("a name").to_string_lossy();
        for case in &file.case {
            snapshots.check(&group, &case.name, || case.run());
        }
    }
    let count = snapshots.finish();
    println!("{count} cases");
    assert!(count > 0);
}
