//! Requests of iterate's event streams from contract version 4 on: iterate's own scenarios, where they are beside the checkout,
//! and streams of our own for what they do not cover.

use std::fs;
use std::path::{Path, PathBuf};

use replaylint::internals::convert::stream;
use replaylint::internals::format::Format;
use replaylint::internals::format::requests::{RebuildError, RebuildQuery, RebuiltRequest};
use replaylint::internals::formats::agents::iterate;
use replaylint::internals::history::codes;
use replaylint::internals::read::Options;
use serde_json::{Value, json};

use crate::support::work::{Work, grows_linearly};
use crate::support::{DOC, check_of};

fn rebuild(text: &[u8], query: &RebuildQuery<'_>) -> Result<RebuiltRequest, RebuildError> {
    let requests = iterate::FORMAT.info().requests.expect("it has requests");
    stream::rebuild(DOC, &text.to_vec(), requests, &Options::default(), query).expect("memory reads")
}

/// The messages of a request, without the text that only the code of the agent contains.
fn messages(text: &[u8], at: &str, every_header: bool) -> Vec<Value> {
    let query = RebuildQuery { at: Some(at), every_header, ..RebuildQuery::default() };
    let sent = rebuild(text, &query).unwrap_or_else(|refused| panic!("{at}: {refused:?}"));
    let body: Value = serde_json::from_slice(&sent.body).expect("JSON");
    let messages = body["messages"].as_array().expect("a list");
    messages.iter().skip(usize::from(sent.lacks_prompt)).cloned().collect()
}

fn scenarios() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/scenarios");
    beside.is_dir().then_some(beside)
}

#[test]
fn scenarios_of_iterate_come_out_equal() {
    let Some(folder) = scenarios() else {
        println!("skipped: there are no scenarios beside the checkout");
        return;
    };
    let mut seen = 0;
    for path in fs::read_dir(&folder).expect("a folder").flatten().map(|entry| entry.path()) {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let Some((of, at)) = name.strip_suffix(".json").and_then(|name| name.split_once(".request@")) else {
            continue;
        };
        let (stream, every_header) = of.strip_suffix(".headers").map_or((of, false), |stream| (stream, true));
        let text = fs::read(folder.join(format!("{stream}.events.jsonl"))).expect("events");
        let expected: Value = serde_json::from_slice(&fs::read(&path).expect("a request")).expect("JSON");
        let expected = expected["messages"].as_array().expect("a list");
        assert_eq!(messages(&text, at, every_header), expected[1..], "{name}");
        seen += 1;
    }
    assert!(seen >= 11, "{seen} requests");
}

/// Events of a stream: type, payload; the offset is the number of the line.
fn events(list: &[(&str, Value)]) -> Vec<u8> {
    let line = |(n, (name, payload)): (usize, &(&str, Value))| {
        let (kind, time) = (format!("events.iterate.com/{name}"), format!("2026-09-01T10:00:{:02}Z", n + 1));
        json!({"type": kind, "payload": payload, "offset": n + 1, "createdAt": time}).to_string() + "\n"
    };
    list.iter().enumerate().map(line).collect::<String>().into_bytes()
}

const ADDED: &str = "agents/context-added";
const REQUESTED: &str = "agent/llm-request-requested";
const SETTLED: &str = "agent/llm-request-settled";

fn user(text: &str) -> (&'static str, Value) {
    (ADDED, json!({"role": "user", "content": text, "actor": {"type": "user", "origin": "web"}}))
}

fn requested(version: &str) -> (&'static str, Value) {
    (REQUESTED, json!({"model": "m", "contractVersion": version, "expiresAt": 9_000_000_000_000_u64}))
}

fn answer(to: u64, text: &str) -> [(&'static str, Value); 2] {
    [
        (ADDED, json!({"role": "assistant", "content": text, "llmRequestOffset": to})),
        (SETTLED, json!({"requestOffset": to, "result": {"status": "succeeded", "text": text}})),
    ]
}

fn contents(messages: &[Value]) -> Vec<(&str, &str)> {
    fn pair(message: &Value) -> (&str, &str) {
        (message["role"].as_str().unwrap_or_default(), message["content"].as_str().unwrap_or_default())
    }
    messages.iter().map(pair).collect()
}

#[test]
fn a_compaction_replaces_the_history_and_its_request() {
    let mut list = vec![user("one"), requested("7.0.0")];
    list.extend(answer(2, "first"));
    list.push((
        ADDED,
        json!({"role": "developer", "content": "Summary", "llmRequestPolicy": {"behaviour": "dont-trigger-request"}, "compaction": {"replacesHistoryThrough": 2}}),
    ));
    list.push(user("two"));
    list.push(requested("7.0.0"));
    let messages = messages(&events(&list), "7", false);
    let expected = [
        ("system", ""),
        ("user", "@5\nSummary"),
        ("assistant", "first"),
        ("user", "two"),
        ("developer", "Requested at: 2026-09-01T10:00:07Z"),
    ];
    assert_eq!(contents(&messages), expected);
}

#[test]
fn late_answers_are_in_no_prompt_and_a_request_that_was_never_sent_is_refused() {
    let list = [
        user("one"),
        requested("7.0.0"),
        (SETTLED, json!({"requestOffset": 2, "result": {"status": "cancelled", "reason": "expired"}})),
        (ADDED, json!({"role": "assistant", "content": "late", "llmRequestOffset": 2})),
        requested("7.0.0"),
        user("two"),
        requested("7.0.0"),
        requested("7.0.0"),
    ];
    let text = events(&list);
    let found = messages(&text, "7", false);
    let found: Vec<&str> = contents(&found).iter().map(|(_, text)| *text).collect();
    let times = ["Requested at: 2026-09-01T10:00:02Z", "Requested at: 2026-09-01T10:00:07Z"];
    assert_eq!(found, ["", "one", times[0], "two", times[1]]);
    for (at, why) in [("5", "nothing had asked"), ("8", "offset 7 was still open")] {
        let query = RebuildQuery { at: Some(at), ..RebuildQuery::default() };
        let refused = rebuild(&text, &query).err();
        assert!(matches!(&refused, Some(RebuildError::NotSent(words)) if words.contains(why)), "{refused:?}");
    }
}

#[test]
fn roles_of_contract_8_follow_from_who_wrote() {
    let by = |actor: Value, text: &str| (ADDED, json!({"kind": "message", "content": text, "actor": actor}));
    let list = [
        (ADDED, json!({"kind": "section", "key": "k", "content": "Be brief.", "actor": {"type": "platform"}})),
        by(json!({"type": "agent", "path": "/a"}), "help"),
        by(json!({"type": "slack", "userId": "U1"}), "hi"),
        by(json!({"type": "user", "origin": "web"}), "go"),
        requested("8.0.0"),
    ];
    let found = messages(&events(&list), "5", false);
    let reply = "To reply to /a (which cannot see this conversation): await itx.agents.get(\"/a\").message(text)";
    let from_agent = format!("@2 actor=agent:\"/a\"\n{reply}\nhelp");
    let expected = [
        ("system", "<section key=\"k\">\nBe brief.\n</section>"),
        ("developer", &*from_agent),
        ("user", "@3 actor=slack:\"U1\"\nhi"),
        ("user", "go"),
        ("developer", "Requested at: 2026-09-01T10:00:05Z"),
    ];
    assert_eq!(contents(&found), expected);
}

#[test]
fn version_4_keeps_instructions_apart_and_names_what_an_item_updates() {
    let section = |text: &str| (ADDED, json!({"role": "system", "key": "tide", "content": text}));
    let list = [
        section("low"),
        user("one"),
        (REQUESTED, json!({"model": "m", "requestId": "r1"})),
        section("high"),
        (REQUESTED, json!({"model": "m", "requestId": "r2"})),
    ];
    let found = messages(&events(&list), "5", false);
    let expected = [
        ("system", "@1 key=\"tide\"\nlow"),
        ("system", "@4 key=\"tide\" updates=@1\nhigh"),
        ("user", "@2 actor=user:web\none"),
        ("developer", "Current date and time (UTC): 2026-09-01T10:00:05Z"),
    ];
    assert_eq!(contents(&found), expected);
}

#[test]
fn the_agent_that_was_written_anew_sends_its_items_as_they_are() {
    let list = [
        ("agent/created", json!({"path": "/agents/a"})),
        ("agent/context-added", json!({"role": "developer", "content": "Be brief."})),
        ("agent/context-added", json!({"role": "user", "content": "hi"})),
        (REQUESTED, json!({"model": "m", "expiresAt": 9_000_000_000_000_u64, "triggerOffset": 3})),
        (SETTLED, json!({"requestOffset": 4, "result": {"status": "succeeded", "text": "ok"}})),
        ("agent/context-added", json!({"role": "assistant", "content": "ok", "llmRequestOffset": 4})),
        ("agent/context-added", json!({"role": "user", "content": "more"})),
        (REQUESTED, json!({"model": "m", "expiresAt": 9_000_000_000_000_u64, "triggerOffset": 7})),
    ];
    let found = messages(&events(&list), "8", false);
    let expected = [("system", "Be brief."), ("user", "hi"), ("assistant", "ok"), ("user", "more")];
    assert_eq!(contents(&found), expected);
}

#[test]
fn the_agent_that_was_written_anew_names_files_that_are_no_images() {
    let file = |name: &str, kind: &str| json!({"filename": name, "contentType": kind, "path": format!("/a/{name}"), "size": 9});
    let files = [file("plan.pdf", "application/pdf"), file("dot.png", "image/png")];
    let list = [
        ("agent/created", json!({"path": "/agents/a"})),
        ("agent/context-added", json!({"role": "user", "content": "Look.", "files": files})),
        ("agent/context-added", json!({"role": "user", "content": "", "files": [file("more.txt", "text/plain")]})),
        (REQUESTED, json!({"model": "m", "expiresAt": 9_000_000_000_000_u64, "triggerOffset": 3})),
    ];
    let found = messages(&events(&list), "4", false);
    let line = |name: &str, kind: &str| {
        format!(
            "[Attached file: {name} ({kind}, 9 bytes) — read it with `await itx.files.get(\"/a/{name}\").bytes()`]"
        )
    };
    let (first, second) =
        (format!("Look.\n{}", line("plan.pdf", "application/pdf")), line("more.txt", "text/plain"));
    assert_eq!(contents(&found), [("user", &*first), ("user", &*second)]);
}

/// What a contract does not read is in no request, and is reported: the first 1 is the offset of the event.
#[test]
fn what_a_contract_does_not_read_is_reported_and_in_no_request() {
    let policy = json!({"behaviour": "dont-trigger-request"});
    let cases = [
        ("4.1.0", json!({"role": "user", "content": "gone"})),
        ("4.1.0", json!({"role": "system", "content": "gone", "llmRequestPolicy": policy})),
        ("7.0.0", json!({"content": "gone"})),
        ("7.0.0", json!({"role": "user", "content": "gone", "mood": "good"})),
        ("7.0.0", json!({"role": "developer", "content": "gone", "compaction": {"replacesHistoryThrough": 0}})),
        (
            "7.0.0",
            json!({"role": "developer", "content": "gone", "llmRequestPolicy": policy, "compaction": {"replacesHistoryThrough": 9}}),
        ),
        ("8.0.0", json!({"content": "gone"})),
        (
            "8.0.0",
            json!({"kind": "section", "key": "k", "content": "gone", "actor": {"type": "platform"}, "mood": 1}),
        ),
        ("7.0.0", json!({"role": "someone", "content": "gone"})),
        ("8.0.0", json!({"role": "someone", "content": "gone", "actor": {"type": "user"}})),
    ];
    for (version, payload) in cases {
        let sound = json!({"role": "user", "content": "kept", "actor": {"type": "user", "origin": "web"}});
        let text = events(&[(ADDED, payload.clone()), (ADDED, sound), requested(version)]);
        let found = check_of(&text, &Default::default());
        let unread = found.findings.iter().filter(|own| own.finding.code == codes::INVALID_EVENT).count();
        assert_eq!(unread, 1, "{version}, {payload}");
        let sent = serde_json::to_string(&messages(&text, "3", false)).expect("JSON");
        assert!(sent.contains("kept") && !sent.contains("gone"), "{version}, {payload}: {sent}");
    }
}

#[test]
fn projecting_a_stream_takes_linear_work() {
    let section = |n: usize| (ADDED, json!({"role": "system", "key": format!("k{}", n % 7), "content": "x"}));
    let turn = |n: u64, version: &str| {
        let at = 5 * n + 3;
        let mut list = vec![section(n as usize), user("hi"), requested(version)];
        list.extend(answer(at, "ok").into_iter().take(1));
        list.push((SETTLED, json!({"requestOffset": at, "result": {"status": "succeeded", "text": "ok"}})));
        list
    };
    type Shape<'s> = (&'s str, &'s dyn Fn(u64) -> Vec<(&'static str, Value)>);
    let shapes: [Shape<'_>; 4] = [
        ("turns", &|n| turn(n, "7.0.0")),
        ("actors", &|n| turn(n, "8.0.0")),
        ("rewrites", &|n| {
            let key = format!("k{}", n % 3);
            vec![
                section(n as usize),
                ("agents/context-rewritten", json!({"op": "replace", "key": key, "content": "y"})),
            ]
        }),
        ("deletions", &|n| {
            vec![
                section(n as usize),
                ("agents/context-rewritten", json!({"op": "delete", "key": format!("k{}", n % 7)})),
            ]
        }),
    ];
    for (name, shape) in shapes {
        let of = |count: u64| {
            let mut list: Vec<(&str, Value)> = (0..count).flat_map(shape).collect();
            list.extend([user("last"), requested("7.0.0")]);
            let (text, at) = (events(&list), list.len().to_string());
            Work::of(|| {
                rebuild(&text, &RebuildQuery { at: Some(&at), ..RebuildQuery::default() }).expect("a request")
            })
            .0
        };
        grows_linearly(name, of(300), of(1200));
    }
}

#[test]
fn a_text_that_is_not_the_prompt_of_the_contract_is_refused() {
    let text = events(&[user("one"), requested("7.0.0")]);
    let query = RebuildQuery { at: Some("2"), protocol_prompt: Some("another text"), ..RebuildQuery::default() };
    assert!(matches!(rebuild(&text, &query), Err(RebuildError::OtherPrompt(_))));
}
