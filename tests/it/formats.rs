//! Formats: each file in `testdata/formats/<name>` is told by its content, whatever its name, and gives the histories
//! that the snapshot shows.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use replaylint::internals::format::FormatInfo;
use replaylint::internals::judge::{self, Judged, OnHistory, Options};
use replaylint::internals::rule::Cx;
use replaylint::internals::{formats, report};

use crate::support::{DOC, guarded_repair, printed};

/// Tells each history in a few words.
struct Tell;

impl OnHistory for Tell {
    type Made = String;

    fn history(&self, cx: &Cx<'_>, info: &'static FormatInfo, _: &[Judged], _: u32) -> Option<String> {
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

#[test]
fn formats_are_told_by_content() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    let mut seen = Vec::new();
    let mut folders: Vec<_> = fs::read_dir(&root).expect("testdata").flatten().map(|entry| entry.path()).collect();
    folders.retain(|path| path.is_dir() && !path.ends_with("snapshots"));
    folders.sort();
    for folder in folders {
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        assert!(formats::by_name(&name).is_some(), "{name} is no format");
        let mut files: Vec<_> =
            fs::read_dir(&folder).expect("testdata").flatten().map(|entry| entry.path()).collect();
        files.sort();
        let mut page = String::new();
        for path in files {
            let text = fs::read(&path).expect("readable");
            let file = path.file_name().expect("a name").to_string_lossy().into_owned();
            let options = Options::default();
            let found = judge::judge(DOC, &text, &options, 1, &Tell).expect("memory reads");
            assert_eq!(found.format.map(|format| format.info().name), Some(name.as_str()), "{file}");
            let _ = write!(page, "━━━ {file}\n{}", found.made.concat());
            let shown =
                report::diagnose(DOC, &file, &text, &found, report::Content::Masked).expect("memory reads");
            let repaired = guarded_repair(&file, &text, &options, &Default::default());
            let after = String::from_utf8_lossy(&repaired.text);
            let after = if repaired.fixed.patch.is_empty() { "unchanged\n" } else { &after };
            let _ = writeln!(page, "\n{}{after}", printed(&shown));
        }
        insta::with_settings!({ snapshot_path => root.join("snapshots"), prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name.clone(), page);
        });
        seen.push(name);
    }
    for format in formats::FORMATS {
        assert!(seen.iter().any(|name| name == format.info().name), "{} has no testdata", format.info().name);
    }
}
