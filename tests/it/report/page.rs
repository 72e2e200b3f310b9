//! The HTML page, by its data: items, histories and findings are consistent for every file of the test data. Its rendering
//! in a browser is tested by `tests/page`.

use replaylint::{Options, View, page};
use serde_json::{Value, json};

use crate::report::outputs::sample_texts;
use crate::report::reports::run;

fn page_data(text: &[u8], view: View) -> Value {
    let options = Options::new().name("a");
    serde_json::from_str(&page(text, &options, view, false).expect("memory reads")).expect("JSON")
}

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

/// A session of Claude Code in which the user went back after the first answer.
fn session_with_branch() -> String {
    let line = |uuid: &str, parent: Option<&str>, message: Value| {
        let line = json!({
            "parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": "/", "sessionId": "s",
            "version": "2.0.0", "gitBranch": "", "type": message["role"], "message": message, "uuid": uuid,
            "timestamp": "2026-01-01T00:00:00.000Z"
        });
        format!("{line}\n")
    };
    let user = |text: &str| json!({"role": "user", "content": text});
    let model = |text: &str| {
        json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
            "content": [{"type": "text", "text": text}]})
    };
    [
        line("u1", None, user("one")),
        line("a1", Some("u1"), model("1")),
        line("u2", Some("a1"), user("two")),
        line("a2", Some("u2"), model("2")),
        line("u3", Some("a1"), user("other")),
        line("a3", Some("u3"), model("3")),
    ]
    .concat()
}

#[test]
fn findings_are_at_the_items_that_they_are_about() {
    let mut seen = 0;
    for (path, text) in sample_texts() {
        let data = page_data(&text, View::Check);
        let doc = &data["docs"][0];
        let items = list(doc, "items");
        for finding in list(doc, "findings") {
            let Some(item) = finding["item"].as_u64() else { continue };
            let item = &items[item as usize];
            if !finding["history"].is_null() {
                assert_eq!(finding["record"], item["record"], "{path}: {finding}");
            }
            let (own, of) = (finding["pointer"].as_str().unwrap_or(""), item["pointer"].as_str().unwrap_or(""));
            let related = own.starts_with(of) || of.starts_with(own);
            assert!(related, "{path}: a finding on {own} is shown at {of}");
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen} findings");
}

#[test]
fn histories_are_ranges_that_branch_from_earlier_ones() {
    let mut branches = 0;
    let session = ("a session".to_owned(), session_with_branch().into_bytes());
    for (path, text) in sample_texts().into_iter().chain([session]) {
        let data = page_data(&text, View::Check);
        let doc = &data["docs"][0];
        let items = list(doc, "items").len();
        let mut at = 0;
        for history in list(doc, "histories") {
            let (start, end) = (number(&history["start"]), number(&history["end"]));
            assert_eq!(start, at, "{path}: a range begins where the previous one ends");
            assert!(end >= start && end - start <= number(&history["length"]), "{path}");
            if let Some(from) = history["from"].as_u64() {
                assert!((from as usize) < start, "{path}: a branch begins at an earlier item");
                branches += 1;
            } else {
                assert_eq!(end - start, number(&history["length"]), "{path}: it begins with its own items");
            }
            at = end;
        }
        assert_eq!(at, items, "{path}: every item is of a history");
        for pair in list(doc, "pairs").iter().chain(list(doc, "groups")) {
            assert!(number(&pair[0]) != number(&pair[1]) && number(&pair[0]) < items, "{path}: {pair}");
            assert!(number(&pair[1]) <= items, "{path}: {pair}");
        }
    }
    assert_eq!(branches, 1, "only the session has a branch");
}

#[test]
fn a_repair_marks_each_finding_as_repaired_or_remaining() {
    let mut counts = [0; 2];
    for (path, text) in sample_texts() {
        let Ok(fixed) = replaylint::fix(&text, &Options::new().name("a")) else { continue };
        let data = page_data(&text, View::Fix);
        let doc = &data["docs"][0];
        let state = |finding: &&Value, state: &str| finding["state"] == state && finding["severity"] == "error";
        let left = list(doc, "findings").iter().filter(|finding| state(finding, "left")).count();
        assert_eq!(left as u64, fixed.report.summary.errors, "{path}");
        assert_eq!(list(doc, "changes").len(), fixed.changes.len(), "{path}");
        counts[0] += left;
        counts[1] += list(doc, "findings").iter().filter(|finding| state(finding, "fixed")).count();
        for (change, own) in list(doc, "changes").iter().zip(&fixed.changes) {
            assert_eq!(
                (&change["rule"], &change["action"]),
                (&own.rule.as_str().into(), &own.action.into()),
                "{path}"
            );
        }
    }
    assert!(counts.iter().all(|count| *count > 5), "{counts:?} remaining and fixed");
}

#[test]
fn a_page_makes_no_connection_and_loads_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(
        folder.path().join("a.json"),
        r#"{"model":"gpt-5","input":[{"role":"user","content":"<b>Hi</b>"}]}"#,
    )
    .expect("written");
    let output = run(folder.path(), &["check", "--show-content", "--output-format", "html", "a.json"]);
    let page = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(page.contains("content=\"default-src 'none'; "));
    assert!(
        !page.contains("src=") && !page.contains("href=\"http") && !page.contains("@import"),
        "it loads something"
    );
    assert!(page.contains("\\u003cb>Hi\\u003c/b>") && !page.contains("<b>Hi"), "texts are data");
    // The file is private, because it contains content on request.
    let file = folder.path().join("page.html");
    let to = format!("html={}", file.display());
    run(folder.path(), &["check", "--show-content", "--output-format", &to, "a.json"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&file).expect("a page").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{mode:o}");
    }
    assert!(file.is_file());
}

#[test]
fn a_page_replaces_no_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = r#"{"model":"gpt-5","input":[{"role":"user","content":"Hi"}]}"#;
    for name in ["a.json", "b.json"] {
        std::fs::write(folder.path().join(name), text).expect("written");
    }
    let to = format!("html={}", folder.path().join("a.json").display());
    for args in [&["diff", "a.json", "b.json"][..], &["tree", "a.json"], &["check", "a.json"], &["fix", "a.json"]]
    {
        let args = [args, &["--output-format", &to]].concat();
        let output = run(folder.path(), &args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert_eq!(std::fs::read_to_string(folder.path().join("a.json")).expect("there"), text, "{args:?}");
    }
}
