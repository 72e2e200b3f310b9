//! A document that is too large to be scanned at once is read element by element: that finds what reading it at once does. A
//! low limit has the samples read that way, so that they need not be large. A log is read in chunks: a long line changes nothing.

use std::collections::HashSet;

use replaylint::internals::formats;
use replaylint::internals::history::codes;
use replaylint::internals::json::pointer;
use replaylint::internals::judge::{JudgedDoc, Options};
use replaylint::internals::read;
use replaylint::internals::rebuild::{ChainOptions, Conversation};
use replaylint::internals::repair::FixOptions;
use replaylint::internals::report::tree;
use replaylint::internals::source::Doc;
use serde_json::{Value, json};

use super::nets::{repeated, samples};
use crate::fuzz::seeds::cases;
use crate::support::memory::{convert_text, plan};
use crate::support::{DOC, STYLE, check, repair};

/// What is found of a document, its conversion, its turns and its repair; `None` if it is read at once, however large it is.
fn describe(text: &[u8], read: read::Options) -> Option<Vec<String>> {
    let options = Options { read, ..Options::default() };
    let found = check(text, &options);
    let format = found.format_name().and_then(formats::by_name);
    if options.read.reads_at_once(format) {
        return None;
    }
    let (converted, _) = convert_text(text, &options, plan("chat"));
    let conversations = Conversation::read(vec![Doc::of_bytes(DOC, "case", text.to_vec())], |_| &options);
    let views: Vec<_> =
        conversations.iter().flatten().map(|one| tree::view(one, &ChainOptions::default(), true)).collect();
    let (mut printed, (_, print)) = (Vec::new(), tree::OUTPUTS[1]);
    print(&views, &[], &STYLE, &mut printed).expect("memory");
    let JudgedDoc { histories, items, .. } = &found;
    let converted = String::from_utf8_lossy(&converted);
    let mut lines =
        vec![format!("{:?}, {histories} histories, {items} items", found.format_name()), converted.into_owned()];
    lines.push(String::from_utf8_lossy(&printed).into_owned());
    lines.push(String::from_utf8_lossy(&repair(text, &options, &FixOptions::default()).text).into_owned());
    // Whether a request could be another API's is only asked where all of its messages are at hand.
    let findings = found.findings.iter().filter(|judged| judged.finding.code != codes::CHAT_ASSUMED);
    lines.extend(findings.map(|judged| {
        let finding = &judged.finding;
        format!("{} {} {:?} {:?}", finding.code, finding.variant, finding.row.at, judged.severity)
    }));
    Some(lines)
}

#[test]
fn documents_are_read_in_pieces_as_at_once() {
    let (mut faults, mut seen) = (Vec::new(), 0);
    let samples = samples().into_iter().map(|(format, file, text)| (format!("{format}/{file}"), text, true));
    let cases = cases().into_iter().map(|(file, case)| (format!("{file}: {}", case.name), case.text, false));
    for (name, text, repeats) in samples.chain(cases) {
        let Ok(value) = serde_json::from_slice::<Value>(&text) else { continue };
        let variants = repeats.then(|| repeated(&value)).into_iter().flatten().chain([value.clone()]);
        for text in variants.map(|value| value.to_string()) {
            let limited = read::Options { max_record: text.len() as u64 - 1, ..read::Options::default() };
            let Some(whole) = describe(text.as_bytes(), read::Options::default()) else { continue };
            let pieces = describe(text.as_bytes(), limited).unwrap_or_default();
            seen += 1;
            if whole != pieces {
                faults.push(format!("{name}:\n  {}\n  {}", whole.join("\n  "), pieces.join("\n  ")));
            }
        }
    }
    let shown: String = faults.iter().take(50).map(|fault| format!("{fault}\n\n")).collect();
    assert!(faults.is_empty() && seen > 100, "{} of {seen} differ:\n{shown}", faults.len());
}

/// A document with a member of some bytes.
fn padded(value: &Value, bytes: usize) -> Option<Vec<u8>> {
    let mut value = value.clone();
    value.as_object_mut()?.insert("zz".to_owned(), "x".repeat(bytes).into());
    Some(value.to_string().into_bytes())
}

/// The members at the top of a document that differ in another, apart from elements of lists.
fn changed_members(before: &[u8], after: &[u8]) -> Vec<String> {
    let [before, after]: [Value; 2] = [before, after].map(|text| serde_json::from_slice(text).expect("JSON"));
    let names = [&before, &after].map(|value| value.as_object().into_iter().flat_map(|object| object.keys()));
    let differs = |name: &&String| before[*name] != after[*name] && !before[*name].is_array();
    names.into_iter().flatten().filter(differs).cloned().collect()
}

#[test]
fn what_surrounds_the_items_of_a_large_document_is_repaired_as_in_a_small_one() {
    let (options, wanted) = (Options::default(), FixOptions { warnings: true, ..FixOptions::default() });
    let mut seen = HashSet::new();
    for (file, case) in cases() {
        let Ok(value) = serde_json::from_slice::<Value>(&case.text) else { continue };
        let Some(small) = padded(&value, 1) else { continue };
        let after = repair(&small, &options, &wanted).text;
        let changed = changed_members(&small, &after);
        // Of those that change the same members, one is enough.
        if changed.is_empty() || !seen.insert(changed) {
            continue;
        }
        let large = padded(&value, 9 << 20).expect("an object");
        let large = repair(&large, &options, &wanted).text;
        let mut large: Value = serde_json::from_slice(&large).expect("JSON");
        large["zz"] = "x".into();
        assert_eq!(large, serde_json::from_slice::<Value>(&after).expect("JSON"), "{file}: {}", case.name);
    }
    assert!(seen.len() > 5, "only {seen:?}");
}

#[test]
fn a_value_at_a_pointer_is_found_in_a_document_of_any_size() {
    let request = |text: &str| {
        json!({"model": "claude-sonnet-4-5", "max_tokens": 5, "messages": [
            {"role": "user", "content": text},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}]},
            {"role": "user", "content": "go on"},
        ]})
    };
    let places: [(&str, &dyn Fn(Value) -> Value); 3] = [
        ("/log/request", &|request| json!({"log": {"request": request}, "messages": [{"role": "user"}]})),
        ("/1/body", &|request| json!([{"a": 1}, {"body": request}])),
        ("/messages/0/body", &|request| json!({"messages": [{"body": request}]})),
    ];
    for (pointer, around) in places {
        let read = read::Options { pointer: pointer::parse(pointer).expect("a pointer"), ..Default::default() };
        let options = Options { read, ..Options::default() };
        let repaired = |bytes: usize| {
            let text = around(request(&"x".repeat(bytes))).to_string();
            let repaired = repair(text.as_bytes(), &options, &FixOptions::default());
            assert!(repaired.remaining.is_empty() && !repaired.fixed.patch.is_empty(), "{pointer}, {bytes} bytes");
            repaired.text.len() - text.len()
        };
        assert_eq!(repaired(9 << 20), repaired(1), "{pointer}");
    }
}

#[test]
fn a_setting_of_a_request_in_a_batch_of_any_size_is_removed() {
    let batch = |bytes: usize| {
        let messages = json!([{"role": "user", "content": "x".repeat(bytes)}]);
        let params = json!({"model": "claude-opus-4-8", "max_tokens": 5, "top_p": 0.9, "messages": messages});
        json!({"requests": [{"custom_id": "a", "params": params}]}).to_string()
    };
    for bytes in [1, 9 << 20] {
        let repaired = repair(batch(bytes).as_bytes(), &Options::default(), &FixOptions::default()).text;
        let repaired: Value = serde_json::from_slice(&repaired).expect("JSON");
        assert_eq!(repaired.pointer("/requests/0/params/top_p"), None, "{bytes} bytes");
    }
}

#[test]
fn a_long_line_does_not_hide_the_format_of_a_log() {
    let (mut faults, mut seen) = (Vec::new(), 0);
    for (format, file, text) in samples() {
        let mut lines = text.split(|byte| *byte == b'\n');
        let Some(Ok(Value::Object(first))) = lines.next().map(serde_json::from_slice) else { continue };
        let rest = lines.collect::<Vec<_>>().join(&b"\n"[..]);
        let found = |bytes: usize| {
            let mut first = first.clone();
            first.insert("zz".to_owned(), "x".repeat(bytes).into());
            let text = [Value::from(first).to_string().as_bytes(), &rest].join(&b"\n"[..]);
            let found = check(&text, &Options::default());
            format!("{:?}, {} histories, {} items", found.format_name(), found.histories, found.items)
        };
        let (short, long) = (found(1), found(3 << 20));
        seen += 1;
        if short != long {
            faults.push(format!("{format}/{file}: {short}; {long}"));
        }
    }
    assert!(faults.is_empty() && seen > 50, "{} of {seen} differ:\n{}", faults.len(), faults.join("\n"));
}
