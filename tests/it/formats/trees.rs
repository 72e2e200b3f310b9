//! Trees and chains: rewinding, forking and continuing, and conversations with broken links. The
//! files are read by the library as the commands do.

use std::path::Path;

use replaylint::internals::history::time;
use replaylint::internals::judge::Options;
use replaylint::internals::place::{DocId, Pieces};
use replaylint::internals::rebuild::request::BODY;
use replaylint::internals::rebuild::{
    Budget, ChainJudge, ChainOptions, ChainPolicy, Conversation, RequestSpec, rebuild, turns,
};
use replaylint::internals::repair::{FixOptions, Orphans};
use replaylint::internals::report::tree::{OUTPUTS, problems, view};
use replaylint::internals::source::{Doc, PatchedView, ReadAt};
use replaylint::internals::targets;
use serde_json::{Value, json};

use crate::support::STYLE;
use crate::support::work::{CountedDoc, Work, grows_linearly};

const HOUR: i64 = 3600;

fn read(text: &[u8]) -> Conversation {
    read_of(Box::new(text.to_vec()))
}

fn read_of(bytes: Box<dyn ReadAt>) -> Conversation {
    let options = Options::default();
    let doc = Doc { bytes, ..Doc::of_bytes(DocId(0), "case", Vec::new()) };
    let mut all = Conversation::read(vec![doc], |_| &options).expect("memory reads");
    all.remove(0)
}

fn stored(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/tree").join(name);
    std::fs::read(path).expect("testdata")
}

fn chain() -> ChainOptions {
    let now = time::parse("2026-06-01T10:30:00Z").expect("a time");
    ChainOptions { max_age: Some(HOUR), now, ..ChainOptions::default() }
}

/// Kode asks the server to store nothing, unless the user says otherwise.
fn kode() -> ChainOptions {
    ChainOptions { store: Some(true), ..chain() }
}

/// The request at a node, and the codes of the reasons why it is not chained.
fn next(
    conversation: &Conversation,
    at: &str,
    chain: &ChainOptions,
    case: &RebuildCase,
) -> (Value, Vec<&'static str>) {
    let node = match conversation.forest.find(at) {
        replaylint::internals::history::tree::NodeMatch::One(node) => node,
        other => panic!("{at}: {other:?}"),
    };
    let lint = Options::default();
    let asked = RequestSpec {
        policy: case.policy,
        chain,
        ask: Some("And through Vienna?"),
        budget: case.budget,
        fix: &FixOptions { orphans: case.orphans, ..FixOptions::default() },
        target: targets::by_name("openai"),
        lint: &lint,
    };
    let built = rebuild(conversation, node, &asked).expect("memory reads");
    let pieces = Pieces::new(built.repair.patch.edits(BODY), BODY, ReadAt::len(&built.body));
    let view = PatchedView::new(&built.body, pieces);
    let mut text = Vec::new();
    view.read_into(0, view.len() as usize, &mut text).expect("memory reads");
    let left = &built.repair.remaining().findings;
    assert!(
        left.iter().all(|judged| judged.severity != replaylint::internals::target::Severity::Error),
        "{at} would be refused"
    );
    let body = serde_json::from_slice(&text).expect("JSON");
    (body, built.advice.reasons.iter().map(|reason| reason.code()).collect())
}

#[derive(Default)]
struct RebuildCase {
    policy: ChainPolicy,
    budget: Option<Budget>,
    orphans: Orphans,
}

fn question() -> Value {
    json!({"type": "message", "role": "user", "content": "And through Vienna?"})
}

/// The texts of a rebuilt request, in order.
fn texts(body: &Value) -> Vec<String> {
    let input = body["input"].as_array().expect("a list");
    let text = |content: &Value| content.as_str().or(content[0]["text"].as_str()).unwrap_or("-").to_owned();
    input.iter().map(|item| text(&item["content"])).collect()
}

#[test]
fn five_turns_rewound_to_the_third_and_asked_anew() {
    let text = stored("five.jsonl");
    let conversation = read(&text);
    let (body, reasons) = next(&conversation, "a3", &kode(), &RebuildCase::default());
    assert_eq!(reasons, [""; 0]);
    assert_eq!(body["previous_response_id"], "resp_3");
    assert_eq!(body["input"], json!([question()]), "only what is new");

    // By the id of the response, or the number of its line, it is the same node.
    assert_eq!(next(&conversation, "resp_3", &kode(), &RebuildCase::default()).0, body);
    assert_eq!(next(&conversation, "#7", &kode(), &RebuildCase::default()).0, body);

    // The user's message itself is sent again, after the second response.
    let (body, _) = next(&conversation, "u3", &kode(), &RebuildCase::default());
    assert_eq!(body["previous_response_id"], "resp_2");
    assert_eq!(texts(&body), ["And London?", "And through Vienna?"]);

    // The answer is stored as a new branch; the old one is still there.
    let conversation = read(&stored("forked.jsonl"));
    let forest = &conversation.forest;
    let leaves: Vec<_> = forest.leaves().filter_map(|leaf| forest.node(leaf).name()).collect();
    assert_eq!(leaves, ["a5", "a6"]);
    assert_eq!(forest.current.and_then(|leaf| forest.node(leaf).name()), Some("a6"));
    for (at, id) in [("a5", "resp_5"), ("a6", "resp_6")] {
        assert_eq!(next(&conversation, at, &kode(), &RebuildCase::default()).0["previous_response_id"], id);
    }
}

/// The three turns up to the third, and the question.
const REBUILT: [&str; 7] = [
    "Which rivers flow through Rome?",
    "The Tiber.",
    "And through Paris?",
    "The Seine.",
    "And London?",
    "The Thames.",
    "And through Vienna?",
];

#[test]
fn where_the_server_does_not_hold_what_the_client_has_the_history_is_rebuilt() {
    let later = kode().now + 2 * HOUR;
    let cases: [(&str, &str, ChainOptions, &[&str]); 10] = [
        ("an edited ancestor", "edited.jsonl", kode(), &["edited"]),
        ("a synthetic id", "synthetic.jsonl", kode(), &["synthetic-id"]),
        ("no id", "without-ids.jsonl", kode(), &["no-response-id"]),
        ("too old", "five.jsonl", ChainOptions { now: later, ..kode() }, &["too-old"]),
        ("no limit", "five.jsonl", ChainOptions { now: later, max_age: None, ..kode() }, &[]),
        ("not stored", "five.jsonl", ChainOptions { store: Some(false), ..kode() }, &["not-stored"]),
        ("stored, says the user", "five.jsonl", ChainOptions { store: Some(true), ..kode() }, &[]),
        ("a target that stores nothing", "five.jsonl", with_target("codex"), &["not-stored"]),
        ("a target that stores, and was not asked to", "five.jsonl", with_target("azure"), &["not-stored"]),
        ("no response id is stored", "five.jsonl", chain(), &["not-stored"]),
    ];
    for (name, file, options, expected) in cases {
        let (body, reasons) = next(&read(&stored(file)), "a3", &options, &RebuildCase::default());
        assert_eq!(reasons, expected, "{name}");
        assert_eq!(body.get("previous_response_id").is_some(), expected.is_empty(), "{name}");
        if !expected.is_empty() {
            assert_eq!(texts(&body), REBUILT, "{name}");
        }
    }
}

fn with_target(name: &str) -> ChainOptions {
    ChainOptions { target: targets::by_name(name), ..chain() }
}

#[test]
fn the_user_may_decide_and_may_say_what_the_file_does_not() {
    let mut conversation = read(&stored("five.jsonl"));
    let never = RebuildCase { policy: ChainPolicy::Never, ..RebuildCase::default() };
    let (body, reasons) = next(&conversation, "a3", &kode(), &never);
    assert_eq!((texts(&body), reasons), (REBUILT.map(str::to_owned).to_vec(), vec!["never"]));
    // The turns after the third are not its ancestors.
    let edited = |conversation: &mut Conversation, name: &str| match conversation.forest.find(name) {
        replaylint::internals::history::tree::NodeMatch::One(node) => conversation.forest.mark_edited(node),
        other => panic!("{other:?}"),
    };
    edited(&mut conversation, "a4");
    assert_eq!(next(&conversation, "a3", &kode(), &RebuildCase::default()).1, [""; 0]);
    edited(&mut conversation, "u1");
    assert_eq!(next(&conversation, "a3", &kode(), &RebuildCase::default()).1, ["edited"]);
    let always = RebuildCase { policy: ChainPolicy::Always, ..RebuildCase::default() };
    assert_eq!(next(&conversation, "a3", &kode(), &always).0["previous_response_id"], "resp_3");

    // Old sessions never stored the ids.
    let mut conversation = read(&stored("without-ids.jsonl"));
    conversation.forest.set_response(5, "resp_0c71");
    assert_eq!(next(&conversation, "a3", &kode(), &RebuildCase::default()).0["previous_response_id"], "resp_0c71");
}

#[test]
fn a_model_by_another_name_is_not_built_on() {
    let conversation = read(&stored("linked/exchanges.jsonl"));
    let with_model = |name: &str| ChainOptions { model: Some(name.to_owned()), ..chain() };
    let at = |options| next(&conversation, "resp_b", &options, &RebuildCase::default());
    assert_eq!(at(with_model("gpt-5.5-2026-01-01")).1, [""; 0]);
    let (body, reasons) = at(with_model("o3"));
    assert_eq!(reasons, ["other-model"]);
    assert_eq!(body["model"], "o3");
}

#[test]
fn blocks_become_items_and_nothing_that_was_said_is_lost() {
    let text =
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats/kode-session/tools.jsonl"))
            .expect("testdata");
    let conversation = read(&text);
    // Lines of one response and outputs that were stored side by side are one step each.
    assert_eq!(turns(&conversation.forest).len(), 3);
    let (body, reasons) =
        next(&conversation, "a4", &kode(), &RebuildCase { policy: ChainPolicy::Never, ..RebuildCase::default() });
    assert_eq!(reasons, ["never"]);
    let call = |id: &str, name: &str, arguments: &str| json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments});
    let output =
        |id: &str, output: Value| json!({"type": "function_call_output", "call_id": id, "output": output});
    let text = |text: &str| json!({"type": "input_text", "text": text});
    let user = |text: &str| json!({"type": "message", "role": "user", "content": text});
    let model = |text: &str| json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]});
    let expected = [
        user("List files and say the time"),
        model("I will look."),
        call("call_1", "LS", r#"{"path":"."}"#),
        call("call_2", "Time", "{}"),
        output("call_1", json!("a.rs")),
        output("call_2", json!([text("noon"), text("sharp")])),
        user("Hurry."),
        model("a.rs, at noon."),
        question(),
    ];
    assert_eq!(body["input"].as_array().expect("a list"), &expected);

    // An open call is removed or answered, as the user prefers; the text in its message stays.
    let drop = RebuildCase { orphans: Orphans::Drop, ..RebuildCase::default() };
    let (body, reasons) = next(&conversation, "a5", &kode(), &drop);
    assert_eq!(reasons, ["open-calls"]);
    assert!(texts(&body).iter().any(|text| text == "Running."));
    assert!(!body.to_string().contains("call_3"));
    let (body, _) = next(&conversation, "a5", &kode(), &RebuildCase::default());
    let answers = |item: &&Value| item["type"] == "function_call_output" && item["call_id"] == "call_3";
    assert_eq!(body["input"].as_array().expect("a list").iter().filter(answers).count(), 1);
}

#[test]
fn a_part_of_the_history_is_cut_where_it_is_legal() {
    let conversation = read(&stored("linked/exchanges.jsonl"));
    let last = |items| RebuildCase { budget: Some(Budget::Items(items)), ..RebuildCase::default() };
    // user, reasoning, call, output, answer: the output alone would have lost its call.
    let kinds = |case: &RebuildCase| {
        let (body, reasons) = next(&conversation, "resp_b", &chain(), case);
        assert_eq!(reasons, ["cut"]);
        let input = body["input"].as_array().expect("a list").clone();
        input.iter().map(|item| item["type"].as_str().unwrap_or("user").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&last(2)), ["message", "message"]);
    assert_eq!(kinds(&last(4)), ["reasoning", "function_call", "function_call_output", "message", "message"]);
    let chars = RebuildCase { budget: Some(Budget::Chars(10)), ..RebuildCase::default() };
    assert_eq!(kinds(&chars), ["message", "message"], "widened rather than emptied");
}

#[test]
fn requests_and_responses_in_many_files_are_one_conversation() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/tree/apart");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("testdata").flatten().map(|file| file.path()).collect();
    files.sort();
    let docs = files.iter().enumerate().map(|(n, path)| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        Doc::of_bytes(DocId(n as u32), &name, std::fs::read(path).expect("readable"))
    });
    let options = Options::default();
    let all = Conversation::read(docs, |_| &options).expect("memory reads");
    assert_eq!(all.len(), 1);
    let (apart, _) =
        next(&all[0], "resp_d", &chain(), &RebuildCase { policy: ChainPolicy::Never, ..RebuildCase::default() });
    let together = read(&stored("linked/exchanges.jsonl"));
    let (linked, _) =
        next(&together, "resp_d", &chain(), &RebuildCase { policy: ChainPolicy::Never, ..RebuildCase::default() });
    assert_eq!(apart, linked);
    assert_eq!(apart["instructions"], "Be brief.");
    // Members that only responses have are not part of a request.
    assert!(!apart.to_string().contains("logprobs"));
}

#[test]
fn broken_links_are_reported_and_stop_nothing() {
    let line = |uuid: &str, parent: &str| {
        let parent = if parent.is_empty() { Value::Null } else { json!(parent) };
        let message = json!({"role": "user", "content": "x"});
        json!({"type": "user", "uuid": uuid, "parentUuid": parent, "message": message}).to_string() + "\n"
    };
    type Links = &'static [(&'static str, &'static str)];
    let cases: [(&str, Links, &[&str], usize); 7] = [
        ("one root", &[("a", ""), ("b", "a")], &[], 1),
        ("two roots", &[("a", ""), ("b", ""), ("c", "a")], &[], 2),
        ("a missing parent", &[("a", "z"), ("b", "a")], &["RL601"], 1),
        ("its own parent", &[("a", "a"), ("b", "a")], &["RL602"], 1),
        ("a cycle", &[("a", "c"), ("b", "a"), ("c", "b"), ("d", "c")], &["RL602"], 1),
        ("two cycles", &[("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")], &["RL602", "RL602"], 2),
        ("children first", &[("c", "b"), ("b", "a"), ("a", "")], &[], 1),
    ];
    for (name, links, expected, roots) in cases {
        let text: String = links.iter().map(|(uuid, parent)| line(uuid, parent)).collect();
        let conversation = read(text.as_bytes());
        let found = problems(&conversation).expect("memory reads");
        let codes: Vec<String> = found.iter().map(|diagnostic| diagnostic.rule.to_string()).collect();
        assert_eq!(codes, expected, "{name}");
        assert_eq!(conversation.forest.roots().count(), roots, "{name}");
        assert_eq!(conversation.forest.nodes.len(), links.len(), "{name}: no node is lost");
        for (_, print) in OUTPUTS {
            print(&[view(&conversation, &chain(), true)], &found, &STYLE, &mut Vec::new()).expect("memory writes");
        }
    }
}

/// The number of a node's parent, in a file of so many.
type Parent = fn(usize, usize) -> Option<usize>;

/// The work for reading a tree of so many nodes, judging the chain at each, showing and checking it.
fn work_for(n: usize, parent: Parent, calls: bool) -> [(&'static str, Work); 4] {
    let line = |n: usize, parent: Option<usize>| {
        let parent = parent.map_or("null".to_owned(), |parent| format!("\"n{parent}\""));
        let block = format!(r#"{{"type":"tool_use","id":"c{n}","name":"f","input":{{}}}}"#);
        let (kind, block) = if calls { ("assistant", &*block) } else { ("user", "") };
        format!(
            "{{\"type\":\"{kind}\",\"uuid\":\"n{n}\",\"parentUuid\":{parent},\"message\":{{\"role\":\"{kind}\",\"content\":[{block}]}}}}\n"
        )
    };
    let text: String = (0..n).map(|ix| line(ix, parent(ix, n))).collect();
    let text = text.into_bytes();
    let (reading, conversation) = Work::of(|| read_of(Box::new(CountedDoc(text.clone()))));
    assert_eq!(conversation.forest.nodes.len(), n);
    let options = chain();
    let (judging, chains) = Work::of(|| {
        let judge = ChainJudge::new(&conversation.forest, &options);
        (0..n as u32).filter(|ix| judge.advice(*ix).is_chain()).count()
    });
    assert_eq!(chains, 0);
    let (showing, ()) = Work::of(|| {
        let view = view(&conversation, &options, false);
        (OUTPUTS[0].1)(&[view], &[], &STYLE, &mut Vec::new()).expect("memory writes");
    });
    let (checking, _) = Work::of(|| crate::support::check_of(&CountedDoc(text), &Options::default()));
    [("read", reading), ("judge", judging), ("show", showing), ("check", checking)]
}

#[test]
fn a_tree_of_any_shape_costs_what_its_nodes_cost() {
    let shapes: [(&str, Parent); 5] = [
        ("a path", |ix, _| ix.checked_sub(1)),
        ("a fan", |ix, _| (ix > 0).then_some(0)),
        ("a ring", |ix, n| Some((ix + 1) % n)),
        ("missing parents", |ix, n| Some(n + ix)),
        ("a comb", |ix, _| ix.checked_sub(if ix % 2 == 0 { 2 } else { 1 })),
    ];
    for (name, parent) in shapes {
        for calls in [false, true] {
            let (few, many) = (work_for(5_000, parent, calls), work_for(20_000, parent, calls));
            for ((what, few), (_, many)) in few.into_iter().zip(many) {
                grows_linearly(&format!("{name}, calls: {calls}, {what}"), few, many);
            }
        }
    }
}

#[test]
fn content_is_printed_only_where_it_is_asked_for() {
    let conversation = read(&stored("forked.jsonl"));
    let printed = |show_content: bool| {
        let mut out = Vec::new();
        for (_, print) in OUTPUTS {
            print(&[view(&conversation, &chain(), show_content)], &[], &STYLE, &mut out).expect("memory writes");
        }
        String::from_utf8(out).expect("UTF-8")
    };
    let words = ["rivers", "Tiber", "London", "Vienna"];
    assert!(words.iter().all(|word| !printed(false).contains(word)));
    // The model's words are not shown even then.
    assert_eq!(words.map(|word| printed(true).contains(word)), [true, false, true, true]);
}
