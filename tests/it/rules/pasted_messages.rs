//! Error messages that users pasted into public threads, if a collection of them is beside the corpus: which are
//! recognised, and by which rule. Others are printed.

use std::path::PathBuf;

use replaylint::internals::report::recognise::{RecognisedError, Recogniser};
use serde::Deserialize;

#[derive(Deserialize)]
struct PastedMessage {
    text: String,
    provider: String,
    link: String,
    kind: String,
    expect: Option<String>,
    accept: Vec<Option<String>>,
}

/// The folder of collected errors.
pub fn errors_folder() -> Option<PathBuf> {
    let folder = crate::rules::corpus::corpus()?.parent()?.join("errors");
    let there = folder.is_dir();
    if !there {
        println!("no errors beside the corpus: skipped");
    }
    there.then_some(folder)
}

fn read_messages() -> Option<Vec<PastedMessage>> {
    let text = std::fs::read_to_string(errors_folder()?.join("messages.jsonl")).expect("readable");
    Some(text.lines().map(|line| serde_json::from_str(line).expect("a message")).collect())
}

/// The name of a recognised message: the code of the likeliest rule, `ELSE` if no rule finds it in a file, `NOT` if it is
/// not about the history.
fn claim_name(found: &RecognisedError) -> String {
    match (found.claims.first(), found.topic) {
        (Some(claim), _) => claim.rule.code.to_string(),
        (None, Some(topic)) => format!("NOT {}", topic.name),
        (None, None) => "ELSE".to_owned(),
    }
}

/// Labels of the collection for messages that no rule covered then, and the names that are right for them now.
const NEW: &[(&str, &[&str])] = &[
    ("NEW:no user message in history", &["RL522"]),
    ("NEW:system not first", &["RL522"]),
    ("NEW:two assistant messages last", &["RL522"]),
    ("NEW:GLM 1214", &["RL522", "ELSE"]),
    ("NEW:bedrock text+toolResult in one turn", &["RL597"]),
    ("NEW:empty messages (RL509 is chat only)", &["RL550"]),
    ("NEW:foreign field in a chat message", &["RL400", "RL515"]),
    // Errors of chat templates about roles have another rule than those of Mistral's server.
    ("RL516", &["RL522"]),
    ("NEW:gemini unknown field", &["RL400"]),
    ("NEW:tool reference not available", &["RL559"]),
    ("NEW:item of another account", &["ELSE"]),
    ("NEW:harmony tags in content", &["ELSE"]),
    ("NEW:llama.cpp item type", &["RL400"]),
];

fn is_right(message: &PastedMessage, name: &str) -> bool {
    message.accept.iter().flatten().any(|accepted| {
        let new = NEW.iter().find(|(new, _)| new == accepted);
        accepted == name || new.is_some_and(|(_, names)| names.contains(&name))
    })
}

#[test]
fn pasted_messages_are_recognised() {
    let Some(messages) = read_messages() else { return };
    let recogniser = Recogniser::new();
    let (mut right, mut wrong, mut histories) = (0, 0, 0);
    for message in messages.iter().filter(|message| message.kind == "history") {
        histories += 1;
        let names: Vec<String> = recogniser.recognise(&message.text).iter().map(claim_name).collect();
        let verdict = match names.iter().all(|name| is_right(message, name)) {
            _ if names.is_empty() => "not known",
            true => {
                right += 1;
                continue;
            }
            false => {
                wrong += 1;
                "wrong"
            }
        };
        let PastedMessage { provider, link, expect, text, .. } = message;
        let expect = expect.as_deref().or_else(|| message.accept[0].as_deref()).unwrap_or_default();
        println!(
            "{verdict}: {names:?} for {expect} ({provider}, {link}): {}",
            text.chars().take(300).collect::<String>()
        );
    }
    println!("messages about histories: {right} of {histories} right, {wrong} wrong");
    assert_eq!(wrong, 0);
    assert!(right >= 190, "{right} of {histories}");
}

#[test]
fn pasted_messages_about_other_problems_get_a_topic() {
    let Some(messages) = read_messages() else { return };
    let recogniser = Recogniser::new();
    let mut missed = 0;
    for message in messages.iter().filter(|message| message.kind != "history") {
        let found = recogniser.recognise(&message.text);
        // Settings, images and files of a request are judged, though the collection counts them as no problem of the history.
        let is_of_request = |code: u16| (701..750).contains(&code);
        let is_named = |error: &RecognisedError| {
            error.topic.is_some() || error.claims.first().is_some_and(|claim| is_of_request(claim.rule.code.0))
        };
        if found.len() != 1 || !is_named(&found[0]) {
            missed += 1;
            println!("{:?}: {}", found.iter().map(claim_name).collect::<Vec<_>>(), message.text);
        }
    }
    assert_eq!(missed, 0);
}
