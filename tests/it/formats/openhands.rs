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
        assert!(text.contains("event-99999-e.json:1:") && text.contains("RL501 tool call c2"), "{named}: {text}");
        assert!(text.contains("Found 1 error in 1 conversation"), "{named}: {text}");
    }
}
