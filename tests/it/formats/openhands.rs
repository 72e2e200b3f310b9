//! Events of OpenHands in a folder: a file for each event, which are one conversation.

use std::fs;

use crate::report::reports::run;

#[test]
fn the_events_of_a_folder_are_one_history() {
    let folder = tempfile::tempdir().expect("a folder");
    let events = folder.path().join("conversation/events");
    fs::create_dir_all(&events).expect("made");
    let event = |source: &str, kind: &str, rest: &str| {
        format!(r#"{{"id":"e","timestamp":"2026-09-01T10:00:00","source":"{source}","kind":"{kind}",{rest}}}"#)
    };
    let message = r#""llm_message":{"role":"user","content":[{"type":"text","text":"Hi"}]}"#;
    let call = |id: &str| {
        format!(
            r#""llm_response_id":"r{id}","tool_name":"ls","tool_call_id":"{id}","tool_call":{{"id":"{id}","name":"ls","arguments":"{{}}","origin":"completion"}}"#
        )
    };
    let result = r#""tool_call_id":"c1","tool_name":"ls","observation":{"content":[{"type":"text","text":"a"}]}"#;
    // The last event has more digits than the others, and is sorted last nevertheless.
    let files = [
        ("event-00000-e.json", event("user", "MessageEvent", message)),
        ("event-00001-e.json", event("agent", "ActionEvent", &call("c1"))),
        ("event-00002-e.json", event("environment", "ObservationEvent", result)),
        ("event-99999-e.json", event("agent", "ActionEvent", &call("c2"))),
        ("event-100000-e.json", event("user", "MessageEvent", message)),
    ];
    for (name, text) in &files {
        fs::write(events.join(name), text).expect("written");
    }
    fs::write(folder.path().join("conversation/base_state.json"), r#"{"id":"x"}"#).expect("written");
    for named in ["conversation", "conversation/events/event-00002-e.json"] {
        let output = run(folder.path(), &["check", "-v", "--output-format", "concise", named]);
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!(output.status.code(), Some(1), "{named}: {text}");
        assert!(text.contains("event-00000-e.json: openhands, 7 items"), "{named}: {text}");
        assert!(text.contains("event-99999-e.json:1:1: error RL669 event 3 is missing"), "{named}: {text}");
        assert!(text.contains("event-99999-e.json:1:") && text.contains("RL501 tool call c2"), "{named}: {text}");
        assert!(text.contains("Found 2 errors in 1 conversation"), "{named}: {text}");
    }
}

/// An event of the SDK.
fn event(id: &str, source: &str, kind: &str, rest: &str) -> String {
    format!(r#"{{"id":"{id}","timestamp":"2026-09-01T10:00:00","source":"{source}","kind":"{kind}",{rest}}}"#)
}

/// A conversation of a prompt, a call, and more events.
fn conversation(more: &[(&str, String)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let events = folder.path().join("events");
    fs::create_dir_all(&events).expect("made");
    let prompt = r#""llm_message":{"role":"user","content":[{"type":"text","text":"Hi"}]}"#;
    let call = r#""llm_response_id":"r1","tool_name":"ls","tool_call_id":"c1","tool_call":{"id":"c1","name":"ls","arguments":"{}","origin":"completion"}"#;
    let first = [
        ("event-00000-a.json", event("a", "user", "MessageEvent", prompt)),
        ("event-00001-b.json", event("b", "agent", "ActionEvent", call)),
    ];
    for (name, text) in first.iter().chain(more) {
        let path = events.join(name);
        fs::write(&path, text).expect("written");
        let file = fs::File::options().write(true).open(&path).expect("opened");
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("set");
    }
    folder
}

fn result(id: &str, text: &str) -> String {
    let rest = format!(
        r#""tool_call_id":"c1","tool_name":"ls","observation":{{"content":[{{"type":"text","text":"{text}"}}]}}"#
    );
    event(id, "environment", "ObservationEvent", &rest)
}

fn check(folder: &tempfile::TempDir) -> (Option<i32>, String) {
    let output = run(folder.path(), &["check", "--output-format", "concise", "events"]);
    (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn files_that_cannot_be_read_are_errors() {
    // The result of the call may be in such a file.
    for (name, text, message) in [
        ("event-00002-c.json", "", "event-00002-c.json:1:1: error RL669 the file of event 2 is empty"),
        ("event-00002-c.json", r#"{"id":"c","#, "error RL669 the file of event 2 is not valid JSON"),
        ("event-00003-c.json", &result("c", "a"), "error RL669 event 2 is missing"),
    ] {
        let (code, text) = check(&conversation(&[(name, text.to_owned())]));
        assert_eq!(code, Some(1), "{text}");
        assert!(text.contains(message) && text.contains("Found 1 error in 1 conversation"), "{message}: {text}");
    }
}

#[test]
fn of_two_results_of_a_call_the_first_is_sent() {
    let folder =
        conversation(&[("event-00002-c.json", result("c", "one")), ("event-00003-d.json", result("d", "two"))]);
    let (code, text) = check(&folder);
    assert_eq!(code, Some(0), "{text}");
    let output = run(folder.path(), &["convert", "--to", "chat", "events/event-00000-a.json"]);
    let request = String::from_utf8_lossy(&output.stdout);
    assert!(request.contains("one") && !request.contains("two"), "{request}");
}

#[test]
fn a_call_at_the_end_gets_a_result_in_a_new_file() {
    let folder = conversation(&[]);
    let (code, text) = check(&folder);
    assert!(code == Some(1) && text.contains("error RL501 tool call c1"), "{text}");
    let log = run(folder.path(), &["check", "--as", "log", "events"]);
    assert_eq!(log.status.code(), Some(0));
    let patch = run(folder.path(), &["fix", "--patch", "events"]);
    let patch = String::from_utf8_lossy(&patch.stdout).into_owned();
    assert!(patch.starts_with("--- /dev/null\n+++ b/events/event-00002-"), "{patch}");
    let copied = run(folder.path(), &["fix", "-o", "copy", "events"]);
    assert_eq!(copied.status.code(), Some(0));
    let fixed = run(folder.path(), &["fix", "-w", "events"]);
    assert_eq!(fixed.status.code(), Some(0), "{}", String::from_utf8_lossy(&fixed.stderr));
    for root in ["events", "copy"] {
        let mut names: Vec<String> = fs::read_dir(folder.path().join(root))
            .expect("listed")
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert_eq!(names.len(), 3, "{names:?}");
        let added = fs::read_to_string(folder.path().join(root).join(&names[2])).expect("read");
        assert!(
            added.contains(r#""kind":"AgentErrorEvent""#) && added.contains(r#""tool_call_id":"c1""#),
            "{added}"
        );
        assert!(names[2].starts_with("event-00002-"), "{names:?}");
    }
    assert_eq!(check(&folder).0, Some(0));
}

#[test]
fn no_file_is_added_to_a_conversation_in_use() {
    let folder = conversation(&[]);
    let last = folder.path().join("events/event-00001-b.json");
    let file = fs::File::options().write(true).open(last).expect("opened");
    file.set_modified(std::time::SystemTime::now()).expect("set");
    let fixed = run(folder.path(), &["fix", "-w", "events"]);
    assert_eq!(fixed.status.code(), Some(2), "{}", String::from_utf8_lossy(&fixed.stderr));
    assert_eq!(fs::read_dir(folder.path().join("events")).expect("listed").count(), 2);
}
