//! `fix --max-tokens`, in every format: what it shortens is legal, keeps the prompts, and is not shortened again.

use std::collections::BTreeSet;

use replaylint::internals::history::turns::{TurnPart, messages};
use replaylint::internals::json::Val;
use replaylint::internals::judge::{self, HistoryVisitor, JudgedHistory, Options};
use replaylint::internals::repair::{FixOptions, LengthOptions};
use replaylint::internals::target::Severity;

use crate::formats::nets::samples;
use crate::support::{DOC, check, growable_text, repair};

fn shortened_to(tokens: u64) -> FixOptions {
    FixOptions {
        length: LengthOptions { max_tokens: Some(tokens), ..LengthOptions::default() },
        ..FixOptions::default()
    }
}

fn errors(text: &[u8]) -> usize {
    let found = check(text, &Options::default());
    found.findings.iter().filter(|judged| judged.severity == Severity::Error).count()
}

/// Collects the texts of the user's messages.
struct Prompts;

impl HistoryVisitor for Prompts {
    type Output = Vec<String>;

    fn needs_findings(&self) -> bool {
        false
    }

    fn visit(&self, case: &JudgedHistory<'_>) -> Option<Vec<String>> {
        let mut texts = Vec::new();
        for message in messages(&case.cx.history.rows) {
            if TurnPart::of(message) == Some(TurnPart::Prompt) {
                case.cx.text.with_item(&message[0], &mut |item| add_texts(item, &mut texts));
            }
        }
        Some(texts)
    }

    fn renumber(_: &mut Vec<String>, _: u32) {}
}

fn add_texts(val: Val<'_>, texts: &mut Vec<String>) {
    if let Some(text) = val.text() {
        texts.push(String::from_utf8_lossy(&text).into_owned());
    }
    val.elements().for_each(|element| add_texts(element, texts));
    let content = val
        .members()
        .filter(|member| ["content", "parts", "text"].iter().any(|key| member.key.is(key.as_bytes())));
    content.for_each(|member| add_texts(member.val, texts));
}

fn prompts(text: &[u8]) -> Vec<String> {
    let bytes = growable_text(text);
    let found = judge::judge(DOC, &bytes, &Options::default(), 1, &Prompts).expect("memory reads");
    found.outputs.into_iter().flatten().collect()
}

#[test]
fn every_format_can_be_shortened() {
    let (mut formats, mut failures) = (BTreeSet::new(), Vec::new());
    for (format, file, text) in samples() {
        let plain = repair(&text, &Options::default(), &FixOptions::default());
        let name = |text: &[u8]| check(text, &Options::default()).format.map(|format| format.info().name);
        for tokens in [1, 40, 150] {
            let wanted = shortened_to(tokens);
            let repaired = repair(&text, &Options::default(), &wanted);
            let mut fail = |what: String| failures.push(format!("{format}/{file} to {tokens} tokens: {what}"));
            if let Some(bug) = &repaired.fixed.bug {
                fail(bug.clone());
            }
            let (before, after) = (errors(&plain.text), errors(&repaired.text));
            if after > before {
                fail(format!("{before} errors become {after}"));
            }
            if name(&plain.text) != name(&repaired.text) {
                fail("is no longer of its format".to_owned());
            }
            if !repair(&repaired.text, &Options::default(), &wanted).fixed.patch.is_empty() {
                fail("a second run changes it".to_owned());
            }
            let left = prompts(&repaired.text);
            for lost in prompts(&plain.text) {
                if !left.iter().any(|text| text.starts_with(&lost)) {
                    fail(format!("lost {lost:?}"));
                }
            }
            match repaired.fixed.length {
                // What a step leaves behind, such as the envelope of a message, is not estimated again.
                Some(length) if length.after > tokens * 6 / 5 && repaired.fixed.skipped_groups.is_empty() => {
                    fail(format!("{} tokens are left, and nothing says why", length.after));
                }
                Some(_) => {
                    formats.insert(format.clone());
                }
                None => {}
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(formats.len() >= 45, "only {formats:?}");
}

/// A session of one turn, as agents write them, is shortened down to its last step.
#[test]
fn the_last_step_of_a_single_turn_stays() {
    let call = |id: &str| format!(r#"{{"type":"function_call","call_id":"{id}","name":"f","arguments":"{{}}"}}"#);
    let output = |id: &str| format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"ok"}}"#);
    let user = r#"{"type":"message","role":"user","content":"go"}"#.to_owned();
    let items = [
        user,
        call("call_1"),
        output("call_1"),
        call("call_2"),
        output("call_2"),
        call("call_3"),
        output("call_3"),
    ];
    let text = format!(r#"{{"model":"gpt-4.1","input":[{}]}}"#, items.join(","));
    let short = repair(text.as_bytes(), &Options::default(), &shortened_to(1)).text;
    let short = String::from_utf8(short).expect("UTF-8");
    assert!(short.contains("call_3") && !short.contains("call_2"), "{short}");
}

#[test]
fn a_note_says_on_which_side_something_was_omitted() {
    let input = r#"[{"role":"user","content":"one"},{"role":"assistant","content":"first"},{"role":"user","content":"two"},
        {"role":"assistant","content":"second"},{"role":"user","content":"three"}]"#;
    let text = format!(r#"{{"model":"gpt-4.1","input":{input}}}"#);
    let short = |keeps_prompts| {
        let length = LengthOptions { max_tokens: Some(1), keeps_prompts, last: Some(2) };
        let wanted = FixOptions { length, ..FixOptions::default() };
        String::from_utf8(repair(text.as_bytes(), &Options::default(), &wanted).text).expect("UTF-8")
    };
    let kept = short(true);
    assert!(kept.contains(r#"one\n\n[1 answer after this was omitted"#), "{kept}");
    let gone = short(false);
    assert!(gone.contains(r#"two\n\n[1 answer before this was omitted"#) && !gone.contains("one"), "{gone}");
}
