//! Paginated rollouts of Codex: a fork and what it continues from are one history, a repair moves no line, and a copy holds
//! all of it.

use std::fs;
use std::path::Path;
use std::process::Output;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::report::reports;
use crate::report::reports::run;

const FIRST: &str = "01a0c2b0-0000-7000-8000-00000000000a";
const SECOND: &str = "01a0c2b0-0000-7000-8000-00000000000b";
const THIRD: &str = "01a0c2b0-0000-7000-8000-00000000000c";

fn name(hour: u32, id: &str) -> String {
    format!("rollout-2026-09-18T{hour:02}-00-00-{id}.jsonl")
}

fn line(ordinal: usize, (kind, payload): &(&str, Value)) -> String {
    let line =
        json!({"timestamp": "2026-09-18T09:31:07.106Z", "ordinal": ordinal, "type": kind, "payload": payload});
    format!("{line}\n")
}

fn header(ordinal: usize, id: &str, base: Option<(&str, usize)>) -> String {
    let mut meta = json!({"session_id": id, "id": id, "timestamp": "2026-09-18T09:30:54.133Z", "cwd": "/w",
        "originator": "codex-tui", "cli_version": "0.154.0", "source": "cli", "model_provider": "openai",
        "history_mode": "paginated"});
    if let Some((parent, bytes)) = base {
        meta["history_base"] =
            json!({"thread_id": parent, "end_ordinal_exclusive": ordinal, "end_byte_offset": bytes});
    }
    line(ordinal, &("session_meta", meta))
}

/// Lines of a session with two turns, parallel calls, reasoning, a rollback, and a compaction.
fn session() -> Vec<(&'static str, Value)> {
    let item = |item: Value| ("response_item", item);
    let event = |event: Value| ("event_msg", event);
    let message = |role: &str, kind: &str, text: &str| {
        item(json!({"type": "message", "id": format!("msg_01a0{text}"), "role": role,
            "content": [{"type": kind, "text": text}]}))
    };
    let reasoning = |n: u32| {
        item(json!({"type": "reasoning", "id": format!("rs_01a0{n}"), "summary": [], "content": null,
            "encrypted_content": "gAAAAABqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"}))
    };
    let call = |id: &str| {
        item(json!({"type": "function_call", "id": format!("fc_01a0{id}"), "name": "shell", "arguments": "{}",
            "call_id": id}))
    };
    let output =
        |id: &str, text: &str| item(json!({"type": "function_call_output", "call_id": id, "output": text}));
    let started = |turn: &str| event(json!({"type": "task_started", "turn_id": turn}));
    vec![
        started("t1"),
        ("turn_context", json!({"turn_id": "t1", "cwd": "/w", "model": "gpt-5.2-codex"})),
        message("user", "input_text", "one"),
        event(json!({"type": "item_completed", "item": {"type": "UserMessage", "id": "i1", "content": []}})),
        reasoning(1),
        call("call_1"),
        call("call_2"),
        output("call_1", "a"),
        output("call_2", "b"),
        message("assistant", "output_text", "two"),
        started("t2"),
        message("user", "input_text", "three"),
        call("call_3"),
        event(json!({"type": "thread_rolled_back", "num_turns": 1})),
        started("t3"),
        message("user", "input_text", "four"),
        (
            "compacted",
            json!({"message": "", "replacement_history": [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "five"}]}]}),
        ),
        ("token_usage_record", json!({"total": 12})),
        reasoning(2),
        call("call_4"),
        output("call_4", "d"),
        message("assistant", "output_text", "six"),
    ]
}

/// The same before its compaction.
fn before_compaction() -> Vec<(&'static str, Value)> {
    let mut lines = session();
    lines.truncate(16);
    lines
}

/// The file of a session whose lines up to `from` are in another file, or in none.
fn file(lines: &[(&'static str, Value)], id: &str, from: usize, base: Option<(&str, usize)>) -> String {
    // Each header has a number.
    let mut text = header(from, id, base);
    for (n, entry) in lines.iter().enumerate() {
        text.push_str(&line(from + 1 + n, entry));
    }
    text
}

/// As many bytes as the first lines of a text have.
fn bytes(text: &str, lines: usize) -> usize {
    text.split_inclusive('\n').take(lines).map(str::len).sum()
}

fn write(folder: &Path, name: &str, text: &[u8]) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(&path, text).expect("written");
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    fs::File::options().write(true).open(&path).expect("open").set_modified(past).expect("set");
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("readable")
}

/// The history of a session, as a request.
fn history(folder: &Path, name: &str) -> String {
    let output = run(folder, &["convert", "-q", "--exit-zero", "--to", "responses", name]);
    assert_ne!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn found(output: &Output) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let report = reports::json(output);
    let list = report["diagnostics"].as_array().expect("a list").iter();
    list.map(|found| (text(&found["rule"]), text(&found["severity"]))).collect()
}

fn check(folder: &Path, args: &[&str]) -> (Option<i32>, Vec<(String, String)>) {
    let args: Vec<&str> = ["check", "-v", "--output-format", "json"].iter().chain(args).copied().collect();
    let output = run(folder, &args);
    (output.status.code(), found(&output))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// For any two positions at which a session is forked, and forked again.
    #[test]
    fn a_fork_with_its_parents_is_the_whole_history(
        cut in 0usize..=22, again in 0usize..=22, packed: bool, dated: bool, named: bool,
    ) {
        let lines = session();
        let (cut, again) = (cut.min(again), cut.max(again));
        let folder = tempfile::tempdir().expect("a folder");
        let place = |day: &str, name: String| if dated { format!("sessions/2026/09/{day}/{name}") } else { name };
        // The first one continued in its own way.
        let first = file(&lines, FIRST, 0, None);
        let first_end = bytes(&first, 1 + cut);
        let second = file(&lines[cut..], SECOND, 1 + cut, Some((FIRST, first_end)));
        let second_end = bytes(&second, 1 + again - cut);
        let third = file(&lines[again..], THIRD, 2 + again, Some((SECOND, second_end)));
        let mut paths = [place("17", name(8, FIRST)), place("18", name(9, SECOND)), place("19", name(10, THIRD))];
        match packed {
            true => {
                paths[0].push_str(".zst");
                let packed = zstd::encode_all(first.as_bytes(), 1).expect("packed");
                write(folder.path(), &paths[0], &packed);
            }
            false => write(folder.path(), &paths[0], first.as_bytes()),
        }
        write(folder.path(), &paths[1], second.as_bytes());
        write(folder.path(), &paths[2], third.as_bytes());
        write(folder.path(), "whole.jsonl", first.as_bytes());
        let whole = history(folder.path(), "whole.jsonl");
        prop_assert!(whole.contains("six") && !whole.contains("three"), "{}", whole);
        prop_assert_eq!(&history(folder.path(), &paths[1]), &whole);
        prop_assert_eq!(&history(folder.path(), &paths[2]), &whole);
        let mut args = vec![paths[2].as_str()];
        if named {
            args.extend(["--no-lookup", &paths[0], &paths[1]]);
        }
        let (code, found) = check(folder.path(), &args);
        prop_assert_eq!((code, found), (Some(0), Vec::new()));
        // A copy contains everything, in lines without numbers, and can be repeated.
        let output = run(folder.path(), &["fix", "-o", "copies/", &paths[2]]);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        prop_assert_eq!(output.status.code(), Some(0), "{}", stderr);
        let copied = stderr.split("codex resume ").nth(1).and_then(|rest| rest.split('`').next()).unwrap_or_default();
        let copy = Path::new("copies").join(name(10, copied));
        let text = read(&folder.path().join(&copy));
        prop_assert!(!text.contains("ordinal") && !text.contains("history_base"), "{}", text);
        prop_assert_eq!(text.matches("session_meta").count(), 1);
        prop_assert!(text.lines().next().is_some_and(|line| line.contains(copied) && line.contains("legacy")));
        let copy = copy.to_string_lossy();
        prop_assert_eq!(&history(folder.path(), &copy), &whole);
        prop_assert_eq!(check(folder.path(), &[&copy]), (Some(0), Vec::new()));
        let again = run(folder.path(), &["fix", "-o", "copies/", "--force", &paths[2]]);
        prop_assert!(String::from_utf8_lossy(&again.stderr).contains(copied));
    }

    /// Whatever is wrong with a session, and whatever is asked for.
    #[test]
    fn a_repair_moves_no_line(
        wrong in proptest::collection::vec((0usize..16, 0usize..4), 0..5), flags in 0usize..16, crlf: bool,
    ) {
        let mut lines = before_compaction();
        for (at, how) in wrong {
            let (kind, payload) = &mut lines[at];
            if *kind != "response_item" {
                continue;
            }
            match how {
                0 => payload["id"] = json!("review_rollout_user"),
                1 if payload["output"].is_string() => {
                    payload["output"] = json!([{"type": "input_image", "detail": "auto", "image_url": ""}]);
                }
                1 => payload["content"] = json!([{"type": "input_image", "image_url": "data:image/png;base64,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]),
                2 if payload["call_id"].is_string() => payload["call_id"] = json!("call_9"),
                _ => payload["created_by"] = json!("x"),
            }
        }
        let mut text = file(&lines, FIRST, 0, None);
        if crlf {
            text = text.replace('\n', "\r\n");
        }
        let folder = tempfile::tempdir().expect("a folder");
        let name = name(9, FIRST);
        write(folder.path(), &name, text.as_bytes());
        let mut args = vec!["fix", "-w", "--no-backup", "--no-lookup", &name];
        let all = ["--account-changed", "--fix-warnings", "--max-image-bytes=20", "--set-provider=azure"];
        args.extend(all.into_iter().enumerate().filter(|(n, _)| flags >> n & 1 == 1).map(|(_, flag)| flag));
        let first = run(folder.path(), &args);
        prop_assert_ne!(first.status.code(), Some(2), "{}", String::from_utf8_lossy(&first.stderr));
        let made = read(&folder.path().join(&name));
        let ends = |text: &str| text.match_indices('\n').map(|(at, _)| at).collect::<Vec<_>>();
        prop_assert_eq!(ends(&made), ends(&text));
        for (n, line) in made.lines().enumerate() {
            let line: Value = serde_json::from_str(line).expect("JSON");
            prop_assert_eq!(line["ordinal"].as_u64(), Some(n as u64));
        }
        prop_assert!(flags & 1 == 0 || !made.contains("encrypted_content\":\""), "{}", made);
        write(folder.path(), &name, made.as_bytes());
        run(folder.path(), &args);
        prop_assert_eq!(read(&folder.path().join(&name)), made);
    }
}

/// Found by the test above: the request was given up, because a text in an answer had the type of user texts.
#[test]
fn an_image_of_the_model_is_replaced_by_a_text_of_the_model() {
    let mut lines = before_compaction();
    lines[9].1["content"] =
        json!([{"type": "input_image", "image_url": "data:image/png;base64,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]);
    let folder = tempfile::tempdir().expect("a folder");
    let name = name(9, FIRST);
    write(folder.path(), &name, file(&lines, FIRST, 0, None).as_bytes());
    let flags = ["--account-changed", "--max-image-bytes=20"];
    run(folder.path(), &["fix", "-w", "--no-backup", "--no-lookup", flags[0], flags[1], &name]);
    let made = read(&folder.path().join(&name));
    assert!(made.contains(r#"[{"type":"output_text","text":"[image omitted: 24 bytes]"}]"#), "{made}");
    assert!(!made.contains("encrypted_content\":\""), "{made}");
}

/// Found by the test above: the history is not changed, and its header is.
#[test]
fn a_provider_is_set_in_place_where_nothing_else_is_changed() {
    let mut lines = before_compaction();
    lines[9].1["content"] =
        json!([{"type": "input_image", "image_url": "data:image/png;base64,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]);
    let text = file(&lines, FIRST, 0, None);
    let folder = tempfile::tempdir().expect("a folder");
    let name = name(9, FIRST);
    write(folder.path(), &name, text.as_bytes());
    let args = ["fix", "-w", "--no-backup", "--no-lookup", "--max-image-bytes=20", "--set-provider=azure", &name];
    run(folder.path(), &args);
    let made = read(&folder.path().join(&name));
    let ends = |text: &str| text.match_indices('\n').map(|(at, _)| at).collect::<Vec<_>>();
    assert!(made.contains(r#""model_provider":"azure""#));
    assert_eq!(ends(&made), ends(&text));
}

#[test]
fn a_line_that_is_missing_or_comes_twice_is_found() {
    let lines = session();
    let text = file(&lines, FIRST, 0, None);
    let all: Vec<&str> = text.split_inclusive('\n').collect();
    let folder = tempfile::tempdir().expect("a folder");
    for k in 0..all.len() {
        let mut missing = all.clone();
        missing.remove(k);
        let mut twice = all.clone();
        twice.insert(k, all[k]);
        for (mutant, says) in [(missing, k + 1 < all.len()), (twice, true)] {
            write(folder.path(), "mutant.jsonl", mutant.concat().as_bytes());
            let (code, found) = check(folder.path(), &["mutant.jsonl"]);
            let of_lines = found.iter().filter(|(rule, _)| ["RL651", "RL652"].contains(&rule.as_str())).count();
            assert_eq!(of_lines, usize::from(says), "line {k}: {found:?}");
            // Codex reads on after a fault of the ordinals; without the header it does not find the session.
            let is_error = found.iter().any(|(_, severity)| severity == "error");
            assert_eq!(code == Some(1), is_error, "line {k}: {found:?}");
        }
    }
}

#[test]
fn a_fork_alone_is_a_window_and_loses_nothing() {
    let lines = session();
    let first = file(&lines, FIRST, 0, None);
    let folder = tempfile::tempdir().expect("a folder");
    for cut in 0..lines.len() {
        let text = file(&lines[cut..], SECOND, 1 + cut, Some((FIRST, bytes(&first, 1 + cut))));
        write(folder.path(), &name(9, SECOND), text.as_bytes());
        let (code, found) = check(folder.path(), &[&name(9, SECOND)]);
        assert_eq!(code, Some(0), "cut at {cut}: {found:?}");
        assert!(found.contains(&("RL650".to_owned(), "info".to_owned())), "cut at {cut}: {found:?}");
        assert!(found.iter().all(|(rule, _)| rule == "RL650"), "cut at {cut}: {found:?}");
        run(folder.path(), &["fix", "-w", &name(9, SECOND)]);
        assert_eq!(read(&folder.path().join(name(9, SECOND))), text);
    }
}

#[test]
fn pages_of_a_thread_are_one_history() {
    let lines = before_compaction();
    let whole = file(&lines, FIRST, 0, None);
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "whole.jsonl", whole.as_bytes());
    let page = |hour: u32, page: &str| format!("rollout-2026-09-18T{hour:02}-00-00-{FIRST}_{page}.jsonl");
    for restarts in [false, true] {
        let start = |n: usize| if restarts { 0 } else { n };
        write(folder.path(), &name(9, FIRST), file(&lines[..7], FIRST, 0, None).as_bytes());
        // By their names, the page of ten is the second one.
        write(folder.path(), &page(11, "a"), file(&lines[9..], FIRST, start(11), None).as_bytes());
        write(folder.path(), &page(10, "b"), file(&lines[7..9], FIRST, start(8), None).as_bytes());
        for named in [name(9, FIRST), page(11, "a"), page(10, "b")] {
            assert_eq!(history(folder.path(), &named), history(folder.path(), "whole.jsonl"));
        }
        let (code, found) = check(folder.path(), &["--exclude", "whole.jsonl", "."]);
        assert_eq!((code, found), (Some(0), Vec::new()));
    }
    // A page without its earlier pages is reported.
    write(folder.path(), &page(11, "a"), file(&lines[8..], FIRST, 10, None).as_bytes());
    let (code, found) = check(folder.path(), &["--no-lookup", &page(11, "a")]);
    assert_eq!(code, Some(0));
    assert_eq!(found, vec![("RL650".to_owned(), "info".to_owned()); 2]);
}

#[test]
fn a_thread_that_was_reverted_continues_from_its_own_file() {
    let lines = before_compaction();
    let first = file(&lines, FIRST, 0, None);
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), "whole.jsonl", first.as_bytes());
    write(folder.path(), &name(9, FIRST), first.as_bytes());
    let reverted = file(&lines[8..], FIRST, 9, Some((FIRST, bytes(&first, 9))));
    write(folder.path(), &name(10, FIRST), reverted.as_bytes());
    let page = format!("rollout-2026-09-18T11-00-00-{FIRST}_p.jsonl");
    let more = file(&lines[11..12], FIRST, 18, None);
    write(folder.path(), &page, more.as_bytes());
    let whole = history(folder.path(), "whole.jsonl");
    assert_eq!(history(folder.path(), &name(9, FIRST)), whole);
    // The page belongs to the newest file.
    let last = history(folder.path(), &name(10, FIRST));
    assert_eq!(history(folder.path(), &page), last);
    let texts = |history: &str, text: &str| history.matches(&format!(r#""text":"{text}""#)).count();
    assert_eq!((texts(&whole, "three"), texts(&last, "three"), texts(&last, "two")), (0, 1, 1));
    assert_eq!(check(folder.path(), &["."]), (Some(0), Vec::new()));
    // The second one continues from the first.
    let mut broken = lines.clone();
    broken[2].1["id"] = json!("own_01a0one");
    write(folder.path(), &name(9, FIRST), file(&broken, FIRST, 0, None).as_bytes());
    let output = run(folder.path(), &["fix", &name(9, FIRST)]);
    assert!(String::from_utf8_lossy(&output.stderr).contains(&name(10, FIRST)));
}

#[test]
fn a_rollout_that_others_build_on_stays_as_it_is() {
    let mut lines = before_compaction();
    lines[2].1["id"] = json!("review_rollout_user");
    let first = file(&lines, FIRST, 0, None);
    let fork = file(&lines[9..], SECOND, 10, Some((FIRST, bytes(&first, 10))));
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &name(9, FIRST), first.as_bytes());
    write(folder.path(), &name(10, SECOND), fork.as_bytes());
    for named in [name(9, FIRST), name(10, SECOND)] {
        let output = run(folder.path(), &["fix", "-w", &named]);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert_eq!(stderr.contains(&name(10, SECOND)), named == name(9, FIRST), "{stderr}");
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(stdout.contains("fix --install"), "{stdout}");
        assert_eq!(read(&folder.path().join(name(9, FIRST))), first);
        assert_eq!(read(&folder.path().join(name(10, SECOND))), fork);
    }
    // None of the arguments continues from it.
    let output = run(folder.path(), &["fix", "-w", "--no-lookup", &name(9, FIRST)]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let fixed = read(&folder.path().join(name(9, FIRST)));
    assert_eq!(fixed.len(), first.len());
    assert!(!fixed.contains("review_rollout_user"));
}

#[test]
fn the_parent_is_found_in_the_sessions_folder() {
    let lines = before_compaction();
    let first = file(&lines, FIRST, 0, None);
    let fork = file(&lines[7..], SECOND, 8, Some((FIRST, bytes(&first, 8))));
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), &format!("home/sessions/2026/09/18/{}", name(9, FIRST)), first.as_bytes());
    write(folder.path(), &format!("elsewhere/{}", name(10, SECOND)), fork.as_bytes());
    let check = |args: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_replaylint"));
        command.args(["check", "-v", "--output-format", "json"]).args(args).arg("elsewhere");
        command.current_dir(folder.path()).env("CODEX_HOME", folder.path().join("home"));
        found(&command.output().expect("the program runs")).len()
    };
    assert_eq!(check(&[]), 0);
    assert_eq!(check(&["--no-lookup"]), 3);
}
