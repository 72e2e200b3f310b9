//! Histories of 5,000 calls, and of four times as many: checking, repairing and converting the long one takes about four
//! times the work.

use replaylint::internals::diff::compare::{DiffCounts, DiffScope, DiffSide, compare};
use replaylint::internals::judge::Options;
use replaylint::internals::repair::{FixOptions, Orphans};
use replaylint::internals::source::GrowableBytes;

use crate::convert::across::DIALECTS;
use crate::convert::cases::{convert_bytes, plan};
use crate::support::work::{CountedDoc, Work, grows_linearly};
use crate::support::{DOC, check_of, repair_of};

const FEW: usize = 5_000;
const MANY: usize = 4 * FEW;

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

/// Makes a history of `n` calls, and the number of changes that its repair makes.
type HistoryMaker<'m> = &'m dyn Fn(usize) -> (String, usize);

/// The work for checking, repairing and converting a history.
fn measure_commands(from: &str, (text, changes): (String, usize)) -> Vec<(String, Work)> {
    let doc = CountedDoc(text.into_bytes());
    // A model that requires a response to every call.
    let model = (from == "gemini").then(|| "gemini-3-pro-preview".to_owned());
    let options = Options { model, ..Options::default() };
    let (check, found) = Work::of(|| check_of(&doc, &options));
    assert_eq!(found.histories, 1);
    let fix_options = FixOptions { orphans: Orphans::Stub, ..FixOptions::default() };
    let (fix, repaired) = Work::of(|| repair_of(&doc, &options, &fix_options));
    assert!(
        repaired
            .remaining
            .iter()
            .all(|diagnostic| diagnostic.severity < replaylint::internals::target::Severity::Error)
    );
    assert_eq!(repaired.notes.len(), changes);
    let mut works = vec![("check".to_owned(), check), ("fix".to_owned(), fix)];
    for to in DIALECTS.into_iter().filter(|to| *to != from) {
        let (work, (_, cast)) = Work::of(|| convert_bytes(&doc, &options, plan(to)));
        // A result that its target would reject is not written.
        assert_eq!((cast.converted, cast.failed), (1, 0), "{to}");
        works.push((format!("convert to {to}"), work));
    }
    works
}

/// Asserts that the work of every command is linear in the number of calls.
fn assert_linear(from: &str, name: &str, make: HistoryMaker<'_>) {
    let (few, many) = (measure_commands(from, make(FEW)), measure_commands(from, make(MANY)));
    for ((command, few), (_, many)) in few.into_iter().zip(many) {
        grows_linearly(&format!("{from}, {name}, {command}"), few, many);
    }
}

#[test]
fn many_calls_of_gemini_take_linear_work() {
    let user = || content("user", [text()]);
    assert_linear("gemini", "open calls without ids, with something between them", &|n| {
        let turns = (0..n).flat_map(|_| [content("model", [part("f")]), user()]);
        (gemini(&std::iter::once(user()).chain(turns).collect::<Vec<_>>()), n)
    });
    assert_linear("gemini", "one batch of as many names, answered in another order", &|n| {
        let names: Vec<String> = (0..n).map(|n| format!("f{n}")).collect();
        let calls = content("model", names.iter().map(|name| part(name)));
        let answers = content("user", names.iter().rev().map(|name| response(name)));
        (gemini(&[user(), calls, answers, user()]), 0)
    });
    assert_linear("gemini", "one batch of one name, one answer missing", &|n| {
        let calls = content("model", (0..n).map(|_| part("f")));
        let answers = content("user", (1..n).map(|_| response("f")));
        (gemini(&[user(), calls, answers, user()]), 1)
    });
}

#[test]
fn many_calls_of_bedrock_take_linear_work() {
    let user = || message("user", [text()]);
    assert_linear("bedrock", "open calls", &|n| {
        let turns = (0..n).flat_map(|n| [message("assistant", [tool_use(&format!("t{n}"))]), user()]);
        (bedrock(&std::iter::once(user()).chain(turns).collect::<Vec<_>>()), n)
    });
    assert_linear("bedrock", "one id for all calls, each answered", &|n| {
        let turns =
            (0..n).flat_map(|_| [message("assistant", [tool_use("t")]), message("user", [tool_result("t")])]);
        (bedrock(&std::iter::once(user()).chain(turns).collect::<Vec<_>>()), 0)
    });
    assert_linear("bedrock", "one batch, answered in another order, one answer missing", &|n| {
        let ids: Vec<String> = (0..n).map(|n| format!("t{n}")).collect();
        let calls = message("assistant", ids.iter().map(|id| tool_use(id)));
        let answers = message("user", ids.iter().skip(1).rev().map(|id| tool_result(id)));
        (bedrock(&[user(), calls, answers, user()]), 1)
    });
}

/// Asserts that repairing a Responses request takes linear work; `items` are those after the first message.
fn assert_fix_linear(
    name: &str,
    orphans: Orphans,
    changes: fn(usize) -> usize,
    items: &dyn Fn(usize) -> Vec<String>,
) {
    let run = |n: usize| {
        let input = items(n).join(",");
        let text = format!(r#"{{"model":"gpt-5","input":[{{"role":"user","content":"go"}},{input}]}}"#);
        let doc = CountedDoc(text.into_bytes());
        let fix_options = FixOptions { orphans, ..FixOptions::default() };
        let (work, repaired) = Work::of(|| repair_of(&doc, &Options::default(), &fix_options));
        assert_eq!(repaired.fixed.changes.len(), changes(n), "{name}");
        work
    };
    let (few, many) = (run(FEW), run(MANY));
    grows_linearly(&format!("{name}, fix"), few, many);
}

#[test]
fn repairs_of_many_calls_take_linear_work() {
    let call = |n: usize| format!(r#"{{"type":"function_call","call_id":"c{n}","name":"f","arguments":"{{}}"}}"#);
    let output = |n: usize| format!(r#"{{"type":"function_call_output","call_id":"c{n}","output":"x"}}"#);
    let reasoning = || r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"b"}"#.to_owned();
    // One id on all of them: with the first call removed the next one is found, and so on, so they must be removed together.
    let same = |n: usize| format!(r#"{{"type":"function_call","call_id":"c","name":"f{n}","arguments":"{{}}"}}"#);
    assert_fix_linear("open calls of one id", Orphans::Drop, |n| n, &|n| (0..n).map(same).collect());
    assert_fix_linear("one batch of open calls", Orphans::Drop, |n| n, &|n| (0..n).map(call).collect());
    assert_fix_linear("one batch, half of it answered", Orphans::Stub, |n| n / 2, &|n| {
        (0..n).map(call).chain((0..n / 2).map(|n| output(n * 2))).collect()
    });
    assert_fix_linear("outputs before all calls", Orphans::Drop, |n| n, &|n| {
        (0..n).map(output).chain((0..n).map(call)).collect()
    });
    assert_fix_linear("outputs before their calls", Orphans::Drop, |n| n, &|n| {
        (0..n).flat_map(|n| [output(n), call(n)]).collect()
    });
    assert_fix_linear("outputs without calls", Orphans::Drop, |n| n, &|n| (0..n).map(output).collect());
    assert_fix_linear("outputs without calls after reasoning", Orphans::Drop, |n| n + 1, &|n| {
        std::iter::once(reasoning()).chain((0..n).map(output)).collect()
    });
    assert_fix_linear("equal outputs of one call", Orphans::Drop, |n| n - 1, &|n| {
        std::iter::once(call(0)).chain((0..n).map(|_| output(0))).collect()
    });
}

/// Compares a history with itself, with renamed ids, and with nothing in common.
#[test]
fn diffs_of_many_items_take_linear_work() {
    let calls = |n: usize, pre: &str| {
        let call = |n: usize| {
            format!(
                r#"{{"type":"function_call","id":"fc_{pre}{n}","call_id":"{pre}{n}","name":"f","arguments":"{}"}},
                {{"type":"function_call_output","call_id":"{pre}{n}","output":"ok"}}"#,
                n % 7
            )
        };
        format!(r#"{{"model":"gpt-5","input":[{}]}}"#, (0..n).map(call).collect::<Vec<_>>().join(","))
    };
    let texts = |n: usize, role: &str| {
        let text = |n: usize| format!(r#"{{"role":"{role}","content":"{n}"}}"#);
        format!(r#"{{"model":"gpt-5","input":[{}]}}"#, (0..n).map(text).collect::<Vec<_>>().join(","))
    };
    type DiffCase<'t> = (&'t str, &'t dyn Fn(usize) -> (String, String), fn(usize) -> DiffCounts);
    let cases: [DiffCase<'_>; 3] = [
        ("copies", &|n| (calls(n, "a"), calls(n, "a")), |n| DiffCounts {
            same: 2 * n as u64,
            ..DiffCounts::default()
        }),
        ("renamed", &|n| (calls(n, "a"), calls(n, "b")), |n| DiffCounts {
            same: 2 * n as u64,
            renamed: 2 * n as u64,
            ..DiffCounts::default()
        }),
        ("unlike", &|n| (texts(n, "user"), texts(n, "assistant")), |n| DiffCounts {
            added: n as u64,
            removed: n as u64,
            ..DiffCounts::default()
        }),
    ];
    let options = Options::default();
    for (name, make, expected_counts) in cases {
        let work = |n: usize| {
            let (before, after) = make(n);
            let (before, after) = (CountedDoc(before.into_bytes()), CountedDoc(after.into_bytes()));
            let side = |bytes| DiffSide { id: DOC, bytes, options: &options };
            let (work, compared) =
                Work::of(|| compare(side(&before), side(&after), DiffScope::All).expect("memory reads"));
            assert_eq!(compared.differences[0].count(), expected_counts(n), "{name}");
            work
        };
        grows_linearly(name, work(FEW), work(MANY));
    }
}

#[test]
fn damaged_text_takes_linear_work() {
    let message = |n: usize| format!(r#"{{"type":"message","role":"user","content":"a {n}"}}"#);
    let run = |name: &str, n: usize, changes: usize, text: String| {
        let doc = CountedDoc(text.into_bytes());
        let options = Options::default();
        let fix_options = FixOptions { warnings: true, ..FixOptions::default() };
        let (work, repaired) = Work::of(|| repair_of(&doc, &options, &fix_options));
        assert_eq!(repaired.fixed.changes.len(), changes, "{name}, {n}");
        work
    };
    type DamagedText<'t> = &'t dyn Fn(usize) -> (String, usize);
    let texts: [(&str, DamagedText<'_>); 6] = [
        ("all on one line", &|n| ((0..n).map(message).collect::<String>() + "\n" + &message(n) + "\n", n - 1)),
        ("pairs on a line", &|n| ((0..n).map(|n| message(n) + &message(n) + "\n").collect(), n)),
        ("raw newlines", &|n| ((0..n).map(|n| message(n).replace("a ", "a\n") + "\n").collect(), n)),
        ("after a truncated one", &|n| {
            ((0..n).map(|n| message(n)[..40].to_owned() + &message(n) + "\n").collect(), n)
        }),
        ("truncated, then NUL", &|n| {
            (
                (0..n).map(|n| message(n) + "\n" + &message(n)[..40] + "\0\0\0\n").collect::<String>()
                    + &message(n),
                n,
            )
        }),
        ("truncated in a string", &|n| {
            ((0..n).map(|n| message(n) + "\n" + &message(n)[..40] + "\n").collect::<String>() + &message(n), 0)
        }),
    ];
    for (name, text) in texts {
        let of = |n: usize| {
            let (text, changes) = text(n);
            run(name, n, changes, text)
        };
        grows_linearly(&format!("{name}, fix"), of(FEW / 4), of(MANY / 4));
    }
}

#[test]
fn translated_stores_take_linear_work() {
    let part = |n: usize, state: &str| {
        format!(r#"{{"type":"tool-f","toolCallId":"call_{n}","state":"{state}","input":{{}},"output":"ok"}}"#)
    };
    let messages = |count: usize| {
        let message = |n: usize| {
            let state = if n.is_multiple_of(2) { "output-available" } else { "input-available" };
            format!(
                r#"{{"id":"u{n}","role":"user","parts":[{{"type":"text","text":"x"}}]}},{{"id":"a{n}","role":"assistant","parts":[{}]}}"#,
                part(n, state)
            )
        };
        format!("[{}]", (0..count).map(message).collect::<Vec<_>>().join(","))
    };
    let entries = |count: usize| {
        let entry = |n: usize| {
            let parent = n.checked_sub(1).map_or("null".to_owned(), |n| format!("\"{n:08x}\""));
            let message = r#"{"role":"user","content":[{"type":"text","text":"x"}]}"#;
            format!(
                r#"{{"type":"message","id":"{n:08x}","parentId":{parent},"timestamp":"2026-01-01T00:00:00Z","message":{message}}}"#
            )
        };
        let header = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/w"}"#;
        format!("{header}\n{}\n", (0..count).map(entry).collect::<Vec<_>>().join("\n"))
    };
    for (name, make) in [("UIMessages", &messages as &dyn Fn(usize) -> String), ("pi", &entries)] {
        let work = |count: usize| {
            let doc = GrowableBytes::new(CountedDoc(make(count).into_bytes()));
            let (work, repaired) = Work::of(|| repair_of(&doc, &Options::default(), &FixOptions::default()));
            // All but the last call, which may still be pending.
            let unanswered = if name == "pi" { 0 } else { count / 2 - 1 };
            assert_eq!(repaired.fixed.changes.len(), unanswered);
            work
        };
        grows_linearly(name, work(FEW), work(MANY));
    }
}
