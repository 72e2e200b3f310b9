//! Every message that a provider is known to give for a stored history goes through `explain --error`, in every wrapping
//! in which it occurs. The catalogue is `testdata/messages`.

use std::collections::BTreeSet;

use proptest::prelude::*;
use replaylint::internals::cli::Cli;
use replaylint::internals::commands::Outcome;
use replaylint::internals::history::Kind;
use replaylint::internals::report::recognise::{
    AMBIGUOUS_SENTENCES, OTHER_ERRORS, Recogniser, SESSION_ERRORS, TOPIC_ERRORS, VAGUE_ERRORS, WRAPPERS, claims,
};
use replaylint::internals::report::words::fill;
use serde::Deserialize;

use crate::support::work::{Work, grows_linearly};

/// Messages that no rule explains yet, by their names in the catalogue. The test fails when a rule explains one: then its
/// code belongs in the catalogue, and the name is removed here.
const PENDING: &[&str] = &["anthropic: system messages hold only texts"];

#[derive(Deserialize)]
struct MessageCatalogue {
    #[serde(default)]
    message: Vec<CatalogueMessage>,
    #[serde(default)]
    wrapper: Vec<MessageWrapper>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogueMessage {
    name: String,
    /// A rule, `elsewhere`, `outside` with a topic, or for a pending message the rule or the family (`RL5xx`) that it waits for.
    code: String,
    topic: Option<String>,
    #[serde(default)]
    also: Vec<String>,
    ids: Option<Vec<String>>,
    texts: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageWrapper {
    name: String,
    text: String,
    #[serde(default)]
    escaped: usize,
    style: Option<WrapperStyle>,
}

/// The change that a wrapper makes to the message itself.
#[derive(Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum WrapperStyle {
    Quoted,
    Boxed,
    Stamped,
    Markdown,
    Url,
    Lower,
    Broken,
}

impl WrapperStyle {
    fn of(self, message: &str) -> String {
        let lines = |between: &str| fold_words(message, 40).join(between);
        match self {
            WrapperStyle::Quoted => lines("\n> "),
            WrapperStyle::Boxed => lines("   │\n│   "),
            WrapperStyle::Stamped => lines("\n[12:30:02] "),
            WrapperStyle::Lower => message.to_lowercase(),
            WrapperStyle::Markdown => message.chars().fold(
                String::new(),
                |out, c| if "_*[]<>#".contains(c) { out + "\\" } else { out } + &c.to_string(),
            ),
            WrapperStyle::Url => message.bytes().fold(String::new(), |out, byte| match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => out + &char::from(byte).to_string(),
                byte => out + &format!("%{byte:02X}"),
            }),
            WrapperStyle::Broken => {
                let letters: Vec<char> = message.chars().collect();
                letters.chunks(30).map(String::from_iter).collect::<Vec<_>>().join("\n    ")
            }
        }
    }
}

/// The words of a text, in lines of about `width` characters.
fn fold_words(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().expect("a line");
        if !last.is_empty() && last.len() + word.len() > width {
            lines.push(word.to_owned());
        } else {
            let space = if last.is_empty() { "" } else { " " };
            last.push_str(&format!("{space}{word}"));
        }
    }
    lines
}

impl MessageWrapper {
    fn wrap(&self, message: &str) -> String {
        let mut message = self.style.map_or_else(|| message.to_owned(), |style| style.of(message));
        for _ in 0..self.escaped {
            let quoted = serde_json::to_string(&message).expect("JSON");
            message = quoted[1..quoted.len() - 1].to_owned();
        }
        self.text.replace("MESSAGE", &message)
    }
}

fn catalogue() -> MessageCatalogue {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/messages");
    let mut all = MessageCatalogue { message: Vec::new(), wrapper: Vec::new() };
    for entry in std::fs::read_dir(folder).expect("the folder is there").flatten() {
        let text = std::fs::read_to_string(entry.path()).expect("UTF-8");
        let part: MessageCatalogue =
            toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", entry.path().display()));
        all.message.extend(part.message);
        all.wrapper.extend(part.wrapper);
    }
    all
}

fn is_pending(message: &CatalogueMessage) -> bool {
    PENDING.contains(&message.name.as_str())
}

#[test]
fn every_message_is_recognised_in_every_wrapping() {
    let recogniser = Recogniser::new();
    let MessageCatalogue { message: messages, wrapper: wrappers } = catalogue();
    let texts: usize = messages.iter().map(|message| message.texts.len()).sum();
    assert!(wrappers.len() >= 17 && texts >= 260, "{} wrappers, {texts} texts", wrappers.len());
    for message in messages.iter().filter(|message| !is_pending(message)) {
        for (wrapper, text) in wrappers.iter().flat_map(|w| message.texts.iter().map(move |text| (w, text))) {
            if message.code == "outside" && wrapper.name == "a prefix in brackets" {
                // The prefix names an item, which no such message does.
                continue;
            }
            let wrapped = wrapper.wrap(text);
            let found = recogniser.recognise(&wrapped);
            let label = format!("{}, {}: {wrapped}", message.name, wrapper.name);
            assert_eq!(found.len(), 1, "{label}");
            let codes: Vec<String> = found[0].claims.iter().map(|claim| claim.rule.code.to_string()).collect();
            if message.code == "outside" {
                assert_eq!(found[0].topic.map(|topic| topic.name), message.topic.as_deref(), "{label}");
                assert!(codes.is_empty() && found[0].other_error.is_none(), "{label}");
            } else if message.code == "elsewhere" {
                assert!(
                    codes.is_empty(),
                    "{codes:?} explain this; remove it from the table of other errors: {label}"
                );
                assert!(found[0].other_error.is_some(), "{label}");
            } else {
                assert_eq!(codes.first(), Some(&message.code), "{label}");
                assert!(found[0].other_error.is_none(), "two explain it: {label}");
            }
            assert!(message.also.iter().all(|code| codes.contains(code)), "{codes:?} {label}");
            // Wrappers that change the letters of an id, or split it, lose it.
            let keeps = !matches!(wrapper.style, Some(WrapperStyle::Lower | WrapperStyle::Broken));
            if let Some(ids) = message.ids.as_ref().filter(|_| keeps) {
                assert_eq!(found[0].ids(), *ids, "{label}");
            }
        }
    }
}

#[test]
fn no_rule_explains_a_pending_message() {
    let recogniser = Recogniser::new();
    let messages = catalogue().message;
    for message in &messages {
        let is_family = message.code.len() == 5 && message.code.ends_with("xx");
        assert!(
            !is_family || is_pending(message),
            "{} waits for {} and is not listed",
            message.name,
            message.code
        );
    }
    for name in PENDING {
        let Some(message) = messages.iter().find(|message| message.name == *name) else {
            panic!("{name} is listed and not in the catalogue");
        };
        for text in &message.texts {
            for found in recogniser.recognise(text) {
                if let Some(claim) = found.claims.first() {
                    panic!(
                        "{} explains this; replace {} by it and remove '{name}' from the list: {text}",
                        claim.rule.code, message.code
                    );
                }
            }
        }
    }
}

#[test]
fn the_catalogue_covers_every_table() {
    let recogniser = Recogniser::new();
    let texts: Vec<String> = catalogue().message.into_iter().flat_map(|message| message.texts).collect();
    let found: Vec<_> = texts.iter().flat_map(|text| recogniser.recognise(text)).collect();
    let seen: BTreeSet<&str> = found.iter().map(|found| found.template).collect();
    let topics: BTreeSet<&str> = found.iter().filter_map(|found| found.topic).map(|topic| topic.name).collect();
    for says in OTHER_ERRORS
        .iter()
        .map(|elsewhere| elsewhere.sentence)
        .chain(AMBIGUOUS_SENTENCES.iter().map(|likely| likely.sentence))
    {
        assert!(seen.contains(says), "no message shows '{says}'");
    }
    for row in SESSION_ERRORS.iter().chain(TOPIC_ERRORS).chain(WRAPPERS) {
        assert!(topics.contains(row.topic.name), "no message is about {}", row.topic.name);
    }
}

#[test]
fn every_sentence_of_a_topic_is_recognised() {
    let recogniser = Recogniser::new();
    for row in SESSION_ERRORS.iter().chain(TOPIC_ERRORS).chain(WRAPPERS) {
        let sentence = |says: &str| fill(says, &|_| Some("7".to_owned())).expect("all is known");
        let own = row.sentences.iter().map(|says| format!("400 {}", sentence(says)));
        let reported = |says: &&str| {
            let sentence = serde_json::to_string(&sentence(says)).expect("JSON");
            format!(r#"{{"error":{{"message":{sentence}}}}}"#)
        };
        for text in own.chain(row.shared.iter().map(reported)) {
            let found = recogniser.recognise(&text);
            let topic = found.first().and_then(|found| found.topic);
            assert!(
                found.len() == 1 && topic.is_some(),
                "{text}: {:?}",
                found.first().map(|found| found.template)
            );
        }
        for says in row.shared {
            let text = format!("10:15:02 worker: upload of the report: {}, again", sentence(says));
            assert!(recogniser.recognise(&text).is_empty(), "{text}");
        }
    }
}

#[test]
fn rules_named_for_a_sentence_exist() {
    for (code, variant) in AMBIGUOUS_SENTENCES.iter().flat_map(|likely| likely.rules) {
        let rule = replaylint::internals::rules::by_code(*code);
        assert!(rule.is_some_and(|rule| usize::from(*variant) < rule.variants.len()), "RL{code} {variant}");
    }
    for (code, variant) in OTHER_ERRORS.iter().flat_map(|elsewhere| elsewhere.suspects) {
        let rule = replaylint::internals::rules::by_code(*code);
        assert!(rule.is_some_and(|rule| usize::from(*variant) < rule.variants.len()), "RL{code} {variant}");
    }
}

#[test]
fn texts_of_no_provider_are_not_recognised() {
    let recogniser = Recogniser::new();
    for text in [
        "",
        "400",
        "Invalid request",
        "the message of the model is not valid for this request",
        "Something went wrong while we were building the site; please try again",
        "error: mismatched types: expected `&str`, found `String`",
        "The build of the project ended with an error in line 7",
    ] {
        let found = recogniser.recognise(text);
        assert!(found.is_empty(), "{text}: {}", found[0].template);
        assert!(recogniser.nearest(text).is_empty(), "{text}: {:?}", recogniser.nearest(text)[0].0);
    }
}

#[test]
fn a_text_that_does_not_say_what_is_wrong_is_not_recognised_but_gets_a_hint() {
    let recogniser = Recogniser::new();
    for vague in VAGUE_ERRORS {
        assert!(recogniser.recognise(vague.sentence).is_empty(), "{}", vague.sentence);
        let (outcome, output) = explain(&["--isolated", "--error", vague.sentence]);
        assert_eq!(outcome, Outcome::Found);
        assert!(
            output.starts_with("No rule matches") && output.contains("It does not say what is wrong"),
            "{output}"
        );
        let (_, json) = explain(&["--isolated", "--output-format", "json", "--error", vague.sentence]);
        let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
        assert_eq!(json["hint"], vague.hint);
    }
}

/// Runs the program's own code on a line of arguments.
fn explain(args: &[&str]) -> (Outcome, String) {
    let line = ["replaylint", "explain"].iter().chain(args);
    let cli = <Cli as clap::Parser>::try_parse_from(line).expect("arguments");
    let mut out = Vec::new();
    let outcome = cli.run(&mut out).expect("it runs");
    (outcome, String::from_utf8(out).expect("UTF-8"))
}

#[test]
fn the_command_explains_every_message() {
    for message in catalogue().message {
        for text in &message.texts {
            let (outcome, output) = explain(&["--isolated", "--error", text]);
            let (_, json) = explain(&["--isolated", "--output-format", "json", "--error", text]);
            let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
            if is_pending(&message) {
                assert_eq!(outcome, Outcome::Found, "{output}");
                assert!(output.starts_with("No rule matches this message."), "{output}");
                assert!(json["recognised"].as_array().is_some_and(Vec::is_empty));
                continue;
            }
            assert_eq!(outcome, Outcome::Clean, "{output}");
            let found = &json["recognised"][0];
            assert!(found["remedy"].as_str().is_some_and(|remedy| !remedy.is_empty()), "{json}");
            match message.code.as_str() {
                "elsewhere" => assert!(output.contains("remedy:") && found["rule"].is_null(), "{output}"),
                "outside" => {
                    let topic = message.topic.as_deref().unwrap_or_default();
                    let headings = ["Not an error of the conversation", "About the whole conversation"];
                    let is_headed = |heading: &&str| output.starts_with(&format!("{heading}: {topic}"));
                    assert!(headings.iter().any(is_headed), "{output}");
                    assert!(
                        output.contains("next: ") && found["topic"] == topic && found["rule"].is_null(),
                        "{output}"
                    );
                }
                code => assert!(output.starts_with(code) && found["rule"] == code, "{output}"),
            }
        }
    }
}

/// A value for a name in a template.
fn template_value(name: &str, seed: u64) -> String {
    let nouns: Vec<&str> = Kind::all().filter_map(|kind| kind.info().noun).collect();
    let digits = ["arg", "block"].contains(&name)
        || name.ends_with("message")
        || name.ends_with("index")
        || name.ends_with("length");
    match name {
        name if name.ends_with("noun") => nouns[seed as usize % nouns.len()].to_owned(),
        "checks" => format!("'cu_{seed:x}', 'cu_sc_{seed:x}'"),
        _ if digits => (seed % 100_000).to_string(),
        _ => format!("{}_{:x}", ["rs", "call", "toolu", "fc"][seed as usize % 4], seed),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_template_recognises_itself(at in any::<prop::sample::Index>(), seed in any::<u64>(), around in "[ -~]{0,40}") {
        let all: Vec<_> = claims().collect();
        let (template, claim) = &all[at.index(all.len())];
        let sentence = fill(template, &|name| Some(template_value(name, seed))).expect("all is known");
        RECOGNISER.with(|recogniser| {
            // Sentences so short that people write them, too, must be a line of their own.
            let apart = if sentence.len() < 16 { "\n" } else { " " };
            let found = recogniser.recognise(&format!("{around}{apart}{sentence}{apart}{around}"));
            let by_its_rule = found.iter().any(|found| {
                found.claims.iter().any(|other| other.rule.code == claim.rule.code)
            });
            prop_assert!(by_its_rule, "{} does not recognise: {sentence}", claim.rule.code);
            Ok(())
        })?;
    }

    #[test]
    fn no_pasted_text_causes_a_panic(text in "(\\PC|[\\\\'\"\u{1b}\\[{}0-9a-f]|Item '|\\[input\\[|No tool output found for ){0,60}") {
        RECOGNISER.with(|recogniser| {
            recogniser.recognise(&text);
            recogniser.nearest(&text);
        });
    }
}

thread_local! {
    static RECOGNISER: Recogniser = Recogniser::new();
}

/// A regular expression of the regex crate takes a time that is linear in the text, so what counts is how often a text
/// is copied, and how much of it is kept.
#[test]
fn hostile_text_takes_linear_time() {
    let recogniser = Recogniser::new();
    let shapes = [
        "Item 'a' of type 'b' was provided without its required ",
        "No tool output found for function function ",
        "Invalid 'input[1].id': 'aaaa",
        "The encrypted content a could not be ",
        "messages.1.messages.1.",
        "required following persisted encrypted approval ",
        "\\\\\\\"",
    ];
    for shape in shapes {
        // All words that the quick test requires are present.
        let words = "required following persisted encrypted approval characters reasoning verified ";
        let text = |bytes: usize| format!("{words}{}", shape.repeat(bytes / shape.len()));
        let run = |bytes: usize| {
            let text = text(bytes);
            let (work, found) = Work::of(|| recogniser.recognise(&text));
            assert!(found.len() <= 2);
            work
        };
        // The first run compiles what it needs.
        run(1 << 10);
        let (small, large) = (run(1 << 17), run(1 << 19));
        grows_linearly(shape, small, large);
    }
}
