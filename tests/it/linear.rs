//! Histories of Gemini and Bedrock with 20,000 calls: checked, repaired and converted to every other dialect. There is
//! no clock here; what is quadratic does not come back.

use replaylint::internals::fix::{FixOptions, Orphans};
use replaylint::internals::judge::Options;

use crate::across::DIALECTS;
use crate::convert::{converted, plan};
use crate::support::{check, repair};

const MANY: usize = 20_000;

fn gemini(contents: &[String]) -> String {
    format!(r#"{{"contents":[{}]}}"#, contents.join(","))
}

fn bedrock(messages: &[String]) -> String {
    let tools = r#"{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}}}}]}"#;
    format!(r#"{{"messages":[{}],"toolConfig":{tools}}}"#, messages.join(","))
}

fn content(role: &str, parts: impl IntoIterator<Item = String>) -> String {
    format!(r#"{{"role":"{role}","parts":[{}]}}"#, parts.into_iter().collect::<Vec<_>>().join(","))
}

fn message(role: &str, blocks: impl IntoIterator<Item = String>) -> String {
    format!(r#"{{"role":"{role}","content":[{}]}}"#, blocks.into_iter().collect::<Vec<_>>().join(","))
}

fn part(name: &str) -> String {
    format!(r#"{{"functionCall":{{"name":"{name}","args":{{}}}}}}"#)
}

fn response(name: &str) -> String {
    format!(r#"{{"functionResponse":{{"name":"{name}","response":{{"output":"ok"}}}}}}"#)
}

fn tool_use(id: &str) -> String {
    format!(r#"{{"toolUse":{{"toolUseId":"{id}","name":"f","input":{{}}}}}}"#)
}

fn tool_result(id: &str) -> String {
    format!(r#"{{"toolResult":{{"toolUseId":"{id}","content":[{{"text":"ok"}}]}}}}"#)
}

fn text() -> String {
    r#"{"text":"x"}"#.to_owned()
}

/// Checks, repairs and converts; gives the number of changes that the repair makes.
fn all(from: &str, body: &str) -> usize {
    let text = body.as_bytes();
    // A model that minds every call without a response.
    let model = (from == "gemini").then(|| "gemini-3-pro-preview".to_owned());
    let options = Options { model, ..Options::default() };
    assert_eq!(check(text, &options).histories, 1);
    let wanted = FixOptions { orphans: Orphans::Stub, ..FixOptions::default() };
    let repaired = repair(text, &options, &wanted);
    assert!(repaired.left.iter().all(|left| left.severity < replaylint::internals::target::Severity::Error));
    // A result that its target would refuse is not written.
    for to in DIALECTS.into_iter().filter(|to| *to != from) {
        let done = converted(text, &options, plan(to)).1;
        assert_eq!((done.converted, done.failed), (1, 0), "{to}");
    }
    repaired.notes.len()
}

#[test]
fn many_calls_of_gemini_take_linear_time() {
    let user = || content("user", [text()]);
    // Open calls with something between them, without ids.
    let open: Vec<String> =
        std::iter::once(user()).chain((0..MANY).flat_map(|_| [content("model", [part("f")]), user()])).collect();
    assert_eq!(all("gemini", &gemini(&open)), MANY);
    // One batch, answered in another order, of as many names.
    let names: Vec<String> = (0..MANY).map(|n| format!("f{n}")).collect();
    let calls = content("model", names.iter().map(|name| part(name)));
    let answers = content("user", names.iter().rev().map(|name| response(name)));
    assert_eq!(all("gemini", &gemini(&[user(), calls, answers, user()])), 0);
    // The same of one name, one answer missing.
    let calls = content("model", (0..MANY).map(|_| part("f")));
    let answers = content("user", (1..MANY).map(|_| response("f")));
    assert_eq!(all("gemini", &gemini(&[user(), calls, answers, user()])), 1);
}

#[test]
fn many_calls_of_bedrock_take_linear_time() {
    let user = || message("user", [text()]);
    let open: Vec<String> = std::iter::once(user())
        .chain((0..MANY).flat_map(|n| [message("assistant", [tool_use(&format!("t{n}"))]), user()]))
        .collect();
    assert_eq!(all("bedrock", &bedrock(&open)), MANY);
    // One id for all of them, each answered.
    let same: Vec<String> = std::iter::once(user())
        .chain(
            (0..MANY).flat_map(|_| [message("assistant", [tool_use("t")]), message("user", [tool_result("t")])]),
        )
        .collect();
    assert_eq!(all("bedrock", &bedrock(&same)), 0);
    // One batch whose results come in another order, one of them missing.
    let ids: Vec<String> = (0..MANY).map(|n| format!("t{n}")).collect();
    let calls = message("assistant", ids.iter().map(|id| tool_use(id)));
    let answers = message("user", ids.iter().skip(1).rev().map(|id| tool_result(id)));
    assert_eq!(all("bedrock", &bedrock(&[user(), calls, answers, user()])), 1);
}

/// One id on all of them: with the first call gone the next one is found, and so on, so they must go together.
#[test]
fn open_calls_that_share_an_id_go_in_linear_time() {
    let call = |n: usize| format!(r#"{{"type":"function_call","call_id":"c","name":"f{n}","arguments":"{{}}"}}"#);
    let calls: Vec<String> = (0..MANY).map(call).collect();
    let text = format!(r#"{{"model":"gpt-5","input":[{{"role":"user","content":"go"}},{}]}}"#, calls.join(","));
    let repaired = repair(text.as_bytes(), &Options::default(), &FixOptions::default());
    assert_eq!(repaired.fixed.changes.len(), MANY);
    assert_eq!(repaired.text, br#"{"model":"gpt-5","input":[{"role":"user","content":"go"}]}"#);
}
