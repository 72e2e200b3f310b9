//! One reader for all commands: check, convert, diff, fix and tree agree on which histories a file holds, and on their
//! items; a file differs from itself in nothing, and from itself with one changed member in that.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use replaylint::internals::convert::{ConvertOptions, convert_doc as convert_histories};
use replaylint::internals::convert::{Plan, Thoughts};
use replaylint::internals::dialect::Written;
use replaylint::internals::dialects::responses::RESPONSES;
use replaylint::internals::diff::align::align;
use replaylint::internals::diff::entries::{self, Told, Words};
use replaylint::internals::fix;
use replaylint::internals::judge::{self, Findings, Keep, Options};
use replaylint::internals::target::Severity;
use serde_json::Value;

use crate::corpus::{corpus, manifest};
use crate::support::DOC;

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

/// What a command says of a file: histories, and items of all of them where it counts items.
type Count = (usize, Option<u64>);

fn counts(text: &Vec<u8>) -> BTreeMap<&'static str, Count> {
    let options = Options::default();
    let checked = judge::judge(DOC, text, &options, 1, &Findings).expect("memory reads");
    let fixed = fix::fix(DOC, text, &options, &Default::default(), 1).expect("memory reads");
    let kept = judge::judge(DOC, text, &judge::unjudged(&options), 1, &Keep).expect("memory reads");
    let plan = Plan { to: &RESPONSES, written: Written::Request, thoughts: Thoughts::Auto, model: None };
    let how = ConvertOptions { options: &options, plan, least: Severity::Info, most: 0, foreign_only: false };
    let cast = convert_histories(DOC, text, &how, 1, &mut |_| Ok(())).expect("memory reads");
    let (told, _) = entries::read(DOC, text, &options, Words::Own).expect("memory reads");
    BTreeMap::from([
        ("check", (checked.histories as usize, Some(checked.items))),
        ("fix", (fixed.before.histories as usize, Some(fixed.before.items))),
        ("reader", (kept.made.len(), Some(kept.made.iter().map(|kept| kept.rows.len() as u64).sum()))),
        ("convert", (cast.met as usize, None)),
        ("diff", (told.len(), None)),
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

/// Whether two texts hold the same histories, in all that a request says.
fn same(a: &[u8], b: &[u8]) -> bool {
    let told = |text: &[u8]| {
        let text = text.to_vec();
        entries::read(DOC, &text, &Options::default(), Words::Own).expect("memory reads").0
    };
    let (a, b) = (told(a), told(b));
    let equal = |(a, b): (&Told, &Told)| {
        let members =
            |told: &Told| told.members.iter().map(|member| (member.key, member.hash)).collect::<Vec<_>>();
        let (mut old, mut new) = (members(a), members(b));
        old.sort_unstable();
        new.sort_unstable();
        let difference = replaylint::internals::diff::compare::Difference {
            fates: align(&a.entries, &b.entries),
            before: a.entries.clone(),
            after: b.entries.clone(),
        };
        old == new && !difference.count().differ()
    };
    a.len() == b.len() && a.iter().zip(&b).all(equal)
}

#[test]
fn a_file_is_the_same_as_itself() {
    for path in files() {
        let Ok(text) = fs::read(&path) else { continue };
        assert!(same(&text, &text), "{} differs from itself", path.display());
    }
}

/// Changes the value at one path of a document, and says where.
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
const REQUESTS: [&str; 7] = [
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
                // The name of a batch's entry is not part of the request.
                if !at.ends_with("/custom_id") {
                    count += 1;
                    let other = serde_json::to_vec(other).expect("JSON");
                    assert!(!same(&text, &other), "{at} of {request}");
                }
            },
            &root,
        );
    }
    assert!(count > 30, "{count} changes");
}
