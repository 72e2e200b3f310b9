//! Each file in `testdata/formats/<name>` is recognised by its content, regardless of its name, and has the histories in
//! its snapshot.

use std::fs;
use std::path::Path;

use replaylint::internals::judge::{self, HistoryVisitor, JudgedHistory, Options};
use replaylint::internals::{formats, read, report};

use crate::support::snapshots::Snapshots;
use crate::support::{DOC, growable_text, guarded_repair, print_report};

/// Summarises each history in one line.
struct HistorySummary;

impl HistoryVisitor for HistorySummary {
    type Output = String;

    fn visit(&self, case: &JudgedHistory<'_>) -> Option<String> {
        let JudgedHistory { cx, info, .. } = *case;
        let kinds: Vec<String> = cx
            .history
            .rows
            .iter()
            .map(|row| match row.kind.name() {
                "" => "unknown".to_owned(),
                "message" => format!("{:?}", row.role).to_lowercase(),
                name => name.to_owned(),
            })
            .collect();
        let settings = &cx.history.settings;
        let model = settings.model.as_deref().unwrap_or("-");
        let target = settings.target.unwrap_or(info.target);
        Some(format!(
            "{} as {}, target {target}, model {model}, {}{}: {}\n",
            info.name,
            settings.usage.name(),
            if cx.stored { "stored" } else { "not stored" },
            if settings.has_server_state() { ", server state" } else { "" },
            kinds.join(", ")
        ))
    }

    fn renumber(_: &mut String, _: u32) {}
}

/// The histories of a file, the findings, and the repaired file.
fn page(format: &str, file: &str, text: &[u8]) -> String {
    // Formats that cannot be recognised are named by the user.
    let named = formats::by_name(format).filter(|format| format.info().is_explicit_only);
    let options = Options { read: read::Options { format: named, ..Default::default() }, ..Options::default() };
    let bytes = growable_text(text);
    let found = judge::judge(DOC, &bytes, &options, 1, &HistorySummary).expect("memory reads");
    assert_eq!(found.format.map(|format| format.info().name), Some(format), "{file}");
    let shown = report::diagnose(DOC, file, &bytes, &found, report::ContentDisplay::Masked).expect("memory reads");
    let repaired = guarded_repair(file, text, &options, &Default::default());
    let after = String::from_utf8_lossy(&repaired.text);
    let after = if repaired.fixed.patch.is_empty() { "unchanged\n" } else { &after };
    format!("{}\n{}{after}", found.outputs.concat(), print_report(&shown))
}

#[test]
fn formats_are_recognised_by_content() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    let (mut seen, mut snapshots) = (Vec::new(), Snapshots::new("testdata/formats/snapshots"));
    let mut folders: Vec<_> = fs::read_dir(&root).expect("testdata").flatten().map(|entry| entry.path()).collect();
    folders.retain(|path| path.is_dir() && !path.ends_with("snapshots"));
    folders.sort();
    for folder in folders {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(formats::by_name(&name).is_some(), "{name} is no format");
        let mut files: Vec<_> =
            fs::read_dir(&folder).expect("testdata").flatten().map(|entry| entry.path()).collect();
        files.sort();
        for path in files {
            let file = path.file_name().expect("a name").to_string_lossy();
            snapshots.check(&name, &file, || page(&name, &file, &fs::read(&path).expect("readable")));
        }
        seen.push(name);
    }
    // Those of databases are tested with databases.
    for format in formats::FORMATS.iter().filter(|format| !format.info().is_in_database) {
        assert!(seen.iter().any(|name| name == format.info().name), "{} has no testdata", format.info().name);
    }
    snapshots.finish();
}
