//! One reader for all commands: check, convert, diff, fix and tree agree on which histories a file holds, and on their
//! items; a file has no difference from itself, and one with one changed member differs in that.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use replaylint::internals::convert::ConvertPlan;
use replaylint::internals::convert::{ConvertOptions, convert_doc as convert_histories};
use replaylint::internals::dialect::OutputShape;
use replaylint::internals::dialects::responses::RESPONSES;
use replaylint::internals::diff::compare::{DiffScope, DiffSide, compare};
use replaylint::internals::diff::entries::{self, Vocabulary};
use replaylint::internals::diff::equivalence::{DefaultValue, MemberLevel, SILENT_MEMBERS};
use replaylint::internals::history::tree::{EntryMarks, Forest, TreeProblemKind};
use replaylint::internals::history::{Role, Row};
use replaylint::internals::judge::{self, FindingsOnly, HistoryCollector, HistoryVisitor, JudgedHistory, Options};
use replaylint::internals::place::Place;
use replaylint::internals::read;
use replaylint::internals::rebuild::Conversation;
use replaylint::internals::repair;
use replaylint::internals::source::Doc;
use serde_json::Value;

use crate::rules::corpus::{corpus, manifest};
use crate::support::{DOC, growable_text};

/// All files whose histories are compared.
fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in fs::read_dir(root).expect("testdata").flatten().map(|entry| entry.path()) {
        if folder.is_dir() && !folder.ends_with("snapshots") {
            files.extend(fs::read_dir(folder).expect("testdata").flatten().map(|entry| entry.path()));
        }
    }
    files.sort();
    if let Some(root) = corpus() {
        files.extend(manifest(&root).iter().map(|row| root.join(&row.path)));
    }
    files
}

/// Number of histories that a command finds in a file, and of all their items if it counts items.
type CommandCounts = (usize, Option<u64>);

fn counts(text: &[u8]) -> BTreeMap<&'static str, CommandCounts> {
    let (options, text) = (Options::default(), &growable_text(text));
    let checked = judge::judge(DOC, text, &options, 1, &FindingsOnly).expect("memory reads");
    let fixed = repair::fix(DOC, text, &options, &Default::default(), 1).expect("memory reads");
    let collected =
        judge::judge(DOC, text, &judge::structural_options(&options), 1, &HistoryCollector).expect("memory reads");
    let plan = ConvertPlan::to(&RESPONSES, OutputShape::Request);
    let how = ConvertOptions { max_findings: 0, ..ConvertOptions::new(&options, plan) };
    let cast = convert_histories(DOC, text, &how, 1, &mut |_| Ok(())).expect("memory reads");
    let (diff_entries, _) = entries::read(DOC, text, &options, Vocabulary::Own).expect("memory reads");
    BTreeMap::from([
        ("check", (checked.histories as usize, Some(checked.items))),
        ("fix", (fixed.before.histories as usize, Some(fixed.before.items))),
        (
            "reader",
            (
                collected.outputs.len(),
                Some(collected.outputs.iter().map(|history| history.rows.len() as u64).sum()),
            ),
        ),
        ("convert", (cast.total as usize, None)),
        ("diff", (diff_entries.len(), None)),
    ])
}

#[test]
fn all_commands_find_the_same_histories() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for path in files() {
        let Ok(text) = fs::read(&path) else { continue };
        let counts = counts(&text);
        let (histories, items) = counts["check"];
        let agree = counts.values().all(|(n, of)| *n == histories && of.is_none_or(|of| Some(of) == items));
        if !agree {
            wrong.push(format!("{}: {counts:?}", path.display()));
        }
        seen += usize::from(histories > 0);
    }
    println!("{seen} files with histories");
    assert!(seen > 90);
    assert!(wrong.is_empty(), "{} files\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

/// The items of a history, and what continues them.
struct RowsVisitor;

impl HistoryVisitor for RowsVisitor {
    type Output = (Vec<Row>, Vec<Row>);

    fn needs_findings(&self) -> bool {
        false
    }

    fn visit(&self, case: &JudgedHistory<'_>) -> Option<Self::Output> {
        let JudgedHistory { cx, .. } = *case;
        Some((cx.history.rows.clone(), cx.history.continuations.clone()))
    }

    fn renumber(_: &mut Self::Output, _: u32) {}
}

/// The difference between the histories of `tree` and of `check --all-branches`, and the number of branches. Paths without
/// items do not count.
fn tree_differs(text: &[u8]) -> (Option<String>, usize) {
    let reading = read::Options { all_branches: true, ..Default::default() };
    let options = Options { read: reading, ..Options::default() };
    let checked = judge::judge(DOC, &growable_text(text), &judge::structural_options(&options), 1, &RowsVisitor)
        .expect("memory reads");
    let trees =
        Conversation::read(vec![Doc::of_bytes(DOC, "case", text.to_vec())], |_| &options).expect("memory reads");
    let forests: Vec<_> = trees.iter().map(|conversation| &conversation.forest).collect();
    let histories = checked.outputs.iter().filter(|(rows, _)| !rows.is_empty()).count();
    let says = |forest: &Forest, leaf| forest.path(leaf).iter().any(|node| !forest.rows_of(*node).is_empty());
    let branches: usize = forests.iter().map(|f| f.leaves().filter(|leaf| says(f, *leaf)).count()).sum();
    // Cycles of links are cut in different places.
    let circle =
        forests.iter().flat_map(|forest| &forest.problems).any(|problem| problem.kind == TreeProblemKind::Cycle);
    let of_tree: HashSet<Place> = forests.iter().flat_map(|forest| &forest.rows).map(|row| row.at).collect();
    let of_check = || checked.outputs.iter().flat_map(|(rows, _)| rows);
    // The instructions of a stream belong to no turn.
    let missing = of_check().filter(|row| row.role != Role::System && !of_tree.contains(&row.at)).count();
    let known = of_check().chain(checked.outputs.iter().flat_map(|(_, continued)| continued));
    let known: HashSet<Place> = known.map(|row| row.at).collect();
    let more = of_tree.difference(&known).count();
    // The messages that a summary replaced are still in the tree, where users can return to them.
    let trimmed = forests.iter().flat_map(|forest| &forest.nodes).any(|node| node.has(EntryMarks::TRIMMED));
    let differs = !circle && histories != branches || missing > 0 || more > 0 && !trimmed;
    let words = format!("{histories} histories, {branches} branches; not in tree {missing}, only there {more}");
    (differs.then_some(words), branches)
}

#[test]
fn tree_has_the_branches_and_items_of_check() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for path in files() {
        let Ok(text) = fs::read(&path) else { continue };
        let (differs, branches) = tree_differs(&text);
        wrong.extend(differs.map(|words| format!("{}: {words}", path.display())));
        seen += branches;
    }
    assert!(seen > 100, "{seen} branches");
    assert!(wrong.is_empty(), "{} files\n{}", wrong.len(), wrong.join("\n"));
}

/// True if two texts have the same histories, as far as requests contain them.
fn same(a: &[u8], b: &[u8]) -> bool {
    let (a, b, options) = (growable_text(a), growable_text(b), Options::default());
    let side = |bytes| DiffSide { id: DOC, bytes, options: &options };
    let compared = compare(side(&a), side(&b), DiffScope::All).expect("memory reads");
    !compared.reordered && compared.differences.iter().all(|difference| !difference.count().has_differences())
}

#[test]
fn a_file_is_the_same_as_itself() {
    for path in files() {
        let Ok(text) = fs::read(&path) else { continue };
        assert!(same(&text, &text), "{} differs from itself", path.display());
    }
}

/// Changes the value at one path of a document, and passes the path on.
fn changed(val: &Value, at: &str, each: &mut dyn FnMut(&Value, &str), root: &Value) {
    let mut other = root.clone();
    if !val.is_object() && !val.is_array() {
        *other.pointer_mut(at).expect("a place") = Value::from("something else");
        each(&other, at);
    }
    let inner: Vec<(String, &Value)> = match val {
        Value::Object(members) => {
            members.iter().map(|(key, val)| (key.replace('~', "~0").replace('/', "~1"), val)).collect()
        }
        Value::Array(elements) => elements.iter().enumerate().map(|(n, val)| (n.to_string(), val)).collect(),
        _ => Vec::new(),
    };
    inner.into_iter().for_each(|(key, val)| changed(val, &format!("{at}/{key}"), each, root));
}

/// Requests of each dialect with every kind of member around their messages.
const REQUESTS: [&str; 10] = [
    r#"{"model":"gpt-5","instructions":"x","tools":[{"type":"function","name":"f","parameters":{"type":"object"}}],
        "max_output_tokens":10,"input":[{"role":"user","content":[{"type":"input_text","text":"hi"}]}]}"#,
    r#"{"model":"gpt-4o","temperature":1,"tools":[{"type":"function","function":{"name":"f"}}],
        "messages":[{"role":"system","content":"s"},{"role":"user","content":"hi"}]}"#,
    r#"{"model":"claude-sonnet-4-5","max_tokens":10,"system":[{"type":"text","text":"s"}],
        "messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}"#,
    r#"{"model":"gemini-2.5-pro","generationConfig":{"temperature":1},"contents":[{"role":"user","parts":[{"text":"hi"}]}]}"#,
    r#"{"modelId":"m","inferenceConfig":{"maxTokens":1},"messages":[{"role":"user","content":[{"text":"hi"}]}]}"#,
    r#"{"custom_id":"a","params":{"model":"claude-sonnet-4-5","max_tokens":10,"system":"s",
        "messages":[{"role":"user","content":"hi"}]}}"#,
    r#"{"model":"gpt-5","reasoning":{"effort":"low","summary":"auto"},"tool_choice":{"type":"function","name":"f"},
        "tools":[{"type":"function","name":"f","strict":true,"parameters":{"type":"object","properties":{"x":{"type":"string"}}}},
        {"type":"web_search"}],"input":[{"type":"message","role":"user","content":"hi"},
        {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"s"}],"encrypted_content":"e"},
        {"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}","status":"completed"},
        {"type":"function_call_output","call_id":"c1","output":"ok"},
        {"type":"message","id":"msg_1","role":"assistant","status":"completed",
        "content":[{"type":"output_text","text":"a","annotations":[{"type":"url_citation","url":"u"}]}]}]}"#,
    r#"{"model":"gpt-4o","messages":[{"role":"user","name":"n","content":[{"type":"text","text":"hi"},
        {"type":"image_url","image_url":{"url":"u","detail":"low"}}]},
        {"role":"assistant","content":"x","refusal":"r","tool_calls":[{"id":"c1","type":"function",
        "function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"ok"}]}"#,
    r#"{"contents":[{"role":"user","parts":[{"inline_data":{"mime_type":"image/png","data":"x"}},
        {"fileData":{"fileUri":"u"}}]},{"role":"model","parts":[{"thought":true,"text":"t"},
        {"functionCall":{"name":"f","args":{"a_b":1}},"thought_signature":"s"}]},
        {"role":"user","parts":[{"functionResponse":{"name":"f","response":{"r":1}}}]}],
        "tools":[{"function_declarations":[{"name":"f","parameters":{"type":"OBJECT"}}]}],
        "generation_config":{"top_p":1,"stop_sequences":["a","b"]}}"#,
    r#"{"requests":[{"custom_id":"a","params":{"model":"claude-sonnet-4-5","max_tokens":10,
        "messages":[{"role":"user","content":"hi"}]}}]}"#,
];

#[test]
fn one_changed_member_at_any_depth_is_a_difference() {
    let mut count = 0;
    for request in REQUESTS {
        let root: Value = serde_json::from_str(request).expect("JSON");
        let text = serde_json::to_vec(&root).expect("JSON");
        changed(
            &root,
            "",
            &mut |other, at| {
                // The name of a batch's entry is not part of the request. Without its type an object may be no request.
                let text_of =
                    |text: &[u8]| entries::read(DOC, &text.to_vec(), &Options::default(), Vocabulary::Own);
                let histories = text_of(&serde_json::to_vec(other).expect("JSON")).expect("memory reads").0;
                if !at.ends_with("/custom_id") && !histories.is_empty() {
                    count += 1;
                    let other = serde_json::to_vec(other).expect("JSON");
                    assert!(!same(&text, &other), "{at} of {request}");
                }
            },
            &root,
        );
    }
    assert!(count > 100, "{count} changes");
}

/// Exactly the members in the table of silent members are no difference.
#[test]
fn a_member_that_says_nothing_is_no_difference() {
    let bodies = [
        ("chat", r#"{"model":"m","messages":[{"role":"user","content":"a"},ITEM]}"#),
        ("responses", r#"{"model":"m","input":[{"role":"user","content":"a"},ITEM]}"#),
        ("anthropic", r#"{"model":"m","max_tokens":1,"system":"s","messages":[ITEM]}"#),
        ("gemini", r#"{"contents":[ITEM],"generationConfig":{}}"#),
    ];
    let item = |silent: &replaylint::internals::diff::equivalence::SilentMember, member: &str| {
        let kind = silent.kinds.first().copied().unwrap_or("text");
        match (silent.dialect, silent.level) {
            ("responses", MemberLevel::Item) if silent.key == "type" => {
                format!(r#"{{"role":"user","content":"a"{member}}}"#)
            }
            ("responses", MemberLevel::Item) => {
                format!(r#"{{"type":"{kind}","role":"assistant","content":"b"{member}}}"#)
            }
            ("responses", MemberLevel::Part) => {
                let part = format!(r#"{{"type":"{kind}","text":"b"{member}}}"#);
                format!(
                    r#"{{"type":"message","role":"assistant","content":[{part},{{"type":"output_text","text":"c"}}]}}"#
                )
            }
            ("anthropic", _) => format!(
                r#"{{"role":"user","content":[{{"type":"{kind}","text":"b","tool_use_id":"t"{member}}}]}}"#
            ),
            ("gemini", _) => format!(r#"{{"role":"user","parts":[{{"text":"b"{member}}}]}}"#),
            _ => format!(r#"{{"role":"assistant","content":"b"{member}}}"#),
        }
    };
    for silent in SILENT_MEMBERS {
        let (_, body) = bodies.iter().find(|(dialect, _)| *dialect == silent.dialect).expect("a body");
        let text = |member: &str| body.replace("ITEM", &item(silent, member)).into_bytes();
        let with = |value: &str| text(&format!(r#","{}":{value}"#, silent.key));
        for holds in silent.values {
            let value = match holds {
                DefaultValue::Null => "null".to_owned(),
                DefaultValue::EmptyText => "\"\"".to_owned(),
                DefaultValue::EmptyList => "[]".to_owned(),
                DefaultValue::False => "false".to_owned(),
                DefaultValue::Word(word) => format!("\"{word}\""),
            };
            assert!(same(&text(""), &with(&value)), "{}.{} {value}", silent.dialect, silent.key);
        }
        for other in ["\"something else\"", "[1]", "true"] {
            // Another type makes another item, or none if requests cannot contain it.
            if silent.key != "type" {
                assert!(!same(&text(""), &with(other)), "{}.{} {other}", silent.dialect, silent.key);
            }
        }
    }
}
