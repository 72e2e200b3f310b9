//! Error messages that users pasted into public threads, if a collection of them lies beside the corpus: which are
//! recognised, and as what. Those that are not known are printed.

use std::path::PathBuf;

use replaylint::internals::report::recognise::{Recognised, Recogniser};
use serde::Deserialize;

#[derive(Deserialize)]
struct Pasted {
    text: String,
    provider: String,
    link: String,
    kind: String,
    expect: Option<String>,
    accept: Vec<Option<String>>,
}

/// The folder of collected errors.
pub fn errors() -> Option<PathBuf> {
    let folder = crate::rules::corpus::corpus()?.parent()?.join("errors");
    let there = folder.is_dir();
    if !there {
        println!("no errors beside the corpus: skipped");
    }
    there.then_some(folder)
}

fn collected() -> Option<Vec<Pasted>> {
    let text = std::fs::read_to_string(errors()?.join("messages.jsonl")).expect("readable");
    Some(text.lines().map(|line| serde_json::from_str(line).expect("a message")).collect())
}

/// What a message was recognised as: the code of the likeliest rule, `ELSE` for what no rule finds in a file, `NOT` for
/// what is not about the history.
fn name(found: &Recognised) -> String {
    match (found.claims.first(), found.topic) {
        (Some(claim), _) => claim.rule.code.to_string(),
        (None, Some(topic)) => format!("NOT {}", topic.name),
        (None, None) => "ELSE".to_owned(),
    }
}

/// What the collection calls new, where no rule had it yet, and what it may be recognised as.
const NEW: &[(&str, &[&str])] = &[
    ("NEW:no user message in history", &["RL522"]),
    ("NEW:system not first", &["RL522"]),
    ("NEW:two assistant messages last", &["RL522"]),
    ("NEW:GLM 1214", &["RL522", "ELSE"]),
    ("NEW:bedrock text+toolResult in one turn", &["RL597"]),
    ("NEW:empty messages (RL509 is chat only)", &["RL550"]),
    ("NEW:foreign field in a chat message", &["RL400", "RL515"]),
    // What chat templates say of roles has a rule of its own beside that of Mistral's server.
    ("RL516", &["RL522"]),
    ("NEW:gemini unknown field", &["RL400"]),
    ("NEW:tool reference not available", &["RL559"]),
    ("NEW:item of another account", &["ELSE"]),
    ("NEW:harmony tags in content", &["ELSE"]),
    ("NEW:llama.cpp item type", &["RL400"]),
];

fn is_right(message: &Pasted, name: &str) -> bool {
    message.accept.iter().flatten().any(|accepted| {
        let new = NEW.iter().find(|(new, _)| new == accepted);
        accepted == name || new.is_some_and(|(_, names)| names.contains(&name))
    })
}

#[test]
fn pasted_messages_are_recognised() {
    let Some(messages) = collected() else { return };
    let recogniser = Recogniser::new();
    let (mut right, mut wrong, mut histories) = (0, 0, 0);
    for message in messages.iter().filter(|message| message.kind == "history") {
        histories += 1;
        let names: Vec<String> = recogniser.recognise(&message.text).iter().map(name).collect();
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
        let Pasted { provider, link, expect, text, .. } = message;
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
fn pasted_messages_about_no_history_are_named_as_such() {
    let Some(messages) = collected() else { return };
    let recogniser = Recogniser::new();
    let mut missed = 0;
    for message in messages.iter().filter(|message| message.kind != "history") {
        let found = recogniser.recognise(&message.text);
        if found.len() != 1 || found[0].topic.is_none() {
            missed += 1;
            println!("{:?}: {}", found.iter().map(name).collect::<Vec<_>>(), message.text);
        }
    }
    assert_eq!(missed, 0);
}
