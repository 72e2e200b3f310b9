//! Damaged text: ten damages in four formats, at every line. A damaged file is read like the undamaged one,
//! except for the records that the finding names; the repair restores the file, and changes no other line.

use proptest::prelude::*;
use replaylint::internals::judge::{self, FindingsOnly, Options};
use replaylint::internals::repair::FixOptions;
use replaylint::internals::report;

use crate::support::{DOC, check, codes, diagnostics, guarded_repair};

/// A log of each kind: an item per line, a session, a tree of lines, and a history per line.
const LOGS: [(&str, &[&str]); 4] = [
    (
        "responses-item-lines",
        &[
            r#"{"type":"message","role":"user","content":"list the files"}"#,
            r#"{"type":"function_call","call_id":"call_1","name":"list","arguments":"{\"path\":\"a b\"}"}"#,
            r#"{"type":"function_call_output","call_id":"call_1","output":"a b"}"#,
            r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"go on"}]}"#,
        ],
    ),
    (
        "codex-rollout",
        &[
            r#"{"timestamp":"2025-09-25T08:02:05.000Z","type":"session_meta","payload":{"id":"s 2","timestamp":"2025-09-25T08:02:05.000Z","cwd":"/w","originator":"codex_cli_rs","cli_version":"0.41.0","instructions":null}}"#,
            r#"{"timestamp":"2025-09-25T08:02:07.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"go on"}]}}"#,
            r#"{"timestamp":"2025-09-25T08:02:09.000Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{ }","call_id":"call_1"}}"#,
            r#"{"timestamp":"2025-09-25T08:02:10.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"call_1","output":"a b"}}"#,
            r#"{"timestamp":"2025-09-25T08:02:11.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"and again"}]}}"#,
        ],
    ),
    (
        "kode-session",
        &[
            r#"{"parentUuid":null,"isSidechain":false,"sessionId":"s-1","type":"user","uuid":"u1","message":{"role":"user","content":"list them"}}"#,
            r#"{"parentUuid":"u1","isSidechain":false,"sessionId":"s-1","type":"assistant","uuid":"a1","message":{"id":"m1","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"tool_use","id":"toolu_1","name":"LS","input":{"path":"a b"}}]}}"#,
            r#"{"parentUuid":"a1","isSidechain":false,"sessionId":"s-1","type":"user","uuid":"r1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"a b"}]}}"#,
            r#"{"parentUuid":"r1","isSidechain":false,"sessionId":"s-1","type":"assistant","uuid":"a2","message":{"id":"m2","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"two files"}]}}"#,
            r#"{"parentUuid":"a2","isSidechain":false,"sessionId":"s-1","type":"user","uuid":"u2","message":{"role":"user","content":"go on"}}"#,
        ],
    ),
    (
        "chat-request",
        &[
            r#"{"model":"gpt-4.1","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"list them"}]}"#,
            r#"{"model":"gpt-4.1","messages":[{"role":"user","content":"a b"},{"role":"assistant","content":"c d"},{"role":"user","content":"e f"}]}"#,
            r#"{"model":"gpt-4.1","messages":[{"role":"user","content":"go on"}]}"#,
        ],
    ),
];

fn join_lines(lines: &[&str]) -> Vec<u8> {
    lines.iter().flat_map(|line| [line.as_bytes(), b"\n"]).flatten().copied().collect()
}

/// A damaged text.
struct DamagedText {
    what: &'static str,
    text: Vec<u8>,
    /// The rules that report it.
    found: &'static [&'static str],
    /// The text after the repair.
    repaired: Vec<u8>,
    /// True if it is repaired without `--fix-warnings`.
    by_default: bool,
}

/// A line with its last space, which is in a string, replaced.
fn with_raw(line: &str, raw: &str) -> String {
    let at = line.rfind(' ').expect("a string with a space");
    format!("{}{raw}{}", &line[..at], &line[at + 1..])
}

/// All damages of the line with this number.
fn damages(lines: &[&str], n: usize) -> Vec<DamagedText> {
    let whole = join_lines(lines);
    let (before, line, after) = (join_lines(&lines[..n]), lines[n], join_lines(&lines[n + 1..]));
    let around = |middle: &[u8]| [&before, middle, &after].concat();
    let damaged = |what, middle: &[u8], found, by_default| DamagedText {
        what,
        text: around(middle),
        found,
        repaired: whole.clone(),
        by_default,
    };
    // Truncated in a string; then where a key, a colon or a value must follow.
    let in_string = line.rfind(' ').expect("a string with a space");
    let key = line.find("\":").expect("a key") + 1;
    let cut = |at: usize| format!("{}{line}\n", &line[..at]);
    let raw = |raw: &str, escaped: &str| (with_raw(line, raw) + "\n", with_raw(line, escaped) + "\n");
    let (newline, newline_escaped) = raw("\n", "\\n");
    let (several, several_escaped) = raw("\r\n\n\t\u{1}\u{2}", "\\r\\n\\n\\t\\u0001\\u0002");
    let glued = [line.as_bytes(), &after].concat();
    let mut all = vec![
        damaged("cut in a string, then whole", cut(in_string).as_bytes(), &["RL009"], false),
        damaged("cut after a key, then whole", cut(key).as_bytes(), &["RL009"], false),
        damaged("cut after a colon, then whole", cut(key + 1).as_bytes(), &["RL009"], false),
        damaged(
            "cut, NUL, then whole",
            format!("{}\0\0\0{line}\n", &line[..in_string]).as_bytes(),
            &["RL009"],
            false,
        ),
        damaged("a line of NUL", &[&[0; 512][..], b"\n", line.as_bytes(), b"\n"].concat(), &["RL011"], true),
        damaged("NUL before", &[&[0; 5][..], line.as_bytes(), b"\n"].concat(), &["RL011"], true),
        damaged("NUL after", &[line.as_bytes(), &[0; 5000], b"\n"].concat(), &["RL011"], true),
        DamagedText {
            what: "a raw newline",
            text: around(newline.as_bytes()),
            found: &["RL010"],
            repaired: around(newline_escaped.as_bytes()),
            by_default: true,
        },
        DamagedText {
            what: "raw control characters",
            text: around(several.as_bytes()),
            found: &["RL010"],
            repaired: around(several_escaped.as_bytes()),
            by_default: true,
        },
        DamagedText {
            what: "NUL at the end",
            text: [&whole[..], &[0; 700]].concat(),
            found: &["RL011"],
            repaired: whole.clone(),
            by_default: true,
        },
    ];
    if n + 1 < lines.len() {
        all.push(damaged("glued", line.as_bytes(), &["RL008"], true));
        let third = [line.as_bytes(), b" \0\0", &after].concat();
        all.push(DamagedText {
            what: "glued, with NUL between",
            text: [&before, &third[..]].concat(),
            found: &["RL008", "RL011"],
            repaired: [&before, line.as_bytes(), b" \n", &after].concat(),
            by_default: true,
        });
        // A raw newline in a record that shares its line with the next one.
        all.push(DamagedText {
            what: "glued to spread",
            text: [&before, newline.trim_end_matches('\n').as_bytes(), &after].concat(),
            found: &["RL008", "RL010"],
            repaired: around(newline_escaped.as_bytes()),
            by_default: true,
        });
    } else {
        let ended = glued.len();
        all.push(DamagedText {
            what: "whole, then cut at the end",
            text: [&before, &glued[..ended], &line.as_bytes()[..in_string]].concat(),
            found: &["RL003", "RL008"],
            repaired: whole.clone(),
            by_default: false,
        });
    }
    all
}

fn options() -> Options {
    Options::default()
}

fn fix_options() -> FixOptions {
    FixOptions { warnings: true, ..FixOptions::default() }
}

fn read_codes(text: &[u8]) -> Vec<String> {
    codes(&diagnostics(text, &options()))
}

#[test]
fn a_damaged_file_is_read_as_the_undamaged_one_and_repaired() {
    for (format, lines) in LOGS {
        let clean = check(&join_lines(lines), &options());
        assert_eq!(clean.format.map(|format| format.info().name), Some(format));
        assert!(
            clean.items > 2 && read_codes(&join_lines(lines)).is_empty(),
            "{format}: {:?}",
            read_codes(&join_lines(lines))
        );
        for n in 0..lines.len() {
            for damage in damages(lines, n) {
                let name = format!("{format}, line {}, {}", n + 1, damage.what);
                let read = check(&damage.text, &options());
                assert_eq!(read_codes(&damage.text), damage.found, "{name}");
                assert_eq!((read.items, read.histories), (clean.items, clean.histories), "{name}");
                let repaired = guarded_repair(&name, &damage.text, &options(), &fix_options());
                assert_eq!(
                    String::from_utf8_lossy(&repaired.text),
                    String::from_utf8_lossy(&damage.repaired),
                    "{name}"
                );
                assert!(read_codes(&repaired.text).is_empty(), "{name}: {:?}", read_codes(&repaired.text));
                assert_eq!(check(&repaired.text, &options()).items, clean.items, "{name}");
                let default = guarded_repair(&name, &damage.text, &options(), &FixOptions::default());
                assert_eq!(default.text == damage.repaired, damage.by_default, "{name}");
            }
        }
    }
}

#[test]
fn a_truncated_last_line_is_the_only_loss() {
    for (format, lines) in LOGS {
        let (last, kept) = lines.split_last().expect("lines");
        let cut = [&join_lines(kept)[..], &last.as_bytes()[..last.len() - 10]].concat();
        for text in [cut.clone(), [&cut[..], &[0; 300]].concat()] {
            let found = read_codes(&text);
            assert!(found.iter().all(|code| ["RL003", "RL011"].contains(&code.as_str())), "{format}: {found:?}");
            assert_eq!(check(&text, &options()).items, check(&join_lines(kept), &options()).items, "{format}");
            let repaired = guarded_repair(format, &text, &options(), &fix_options());
            assert_eq!(repaired.text, join_lines(kept), "{format}");
        }
    }
}

#[test]
fn a_missing_last_newline_is_added() {
    for (format, lines) in LOGS {
        let whole = join_lines(lines);
        let text = &whole[..whole.len() - 1];
        let found = diagnostics(text, &options());
        let appended = ["codex-rollout", "kode-session"].contains(&format);
        assert_eq!(found.iter().any(|d| d.rule.to_string() == "RL012"), appended, "{format}");
        let expected = if appended { &whole[..] } else { text };
        assert_eq!(guarded_repair(format, text, &options(), &fix_options()).text, expected, "{format}");
        assert_eq!(guarded_repair(format, text, &options(), &FixOptions::default()).text, expected, "{format}");
        // Something else is repaired.
        let damaged = [&[0; 100][..], b"\n", text].concat();
        assert_eq!(
            guarded_repair(format, &damaged, &options(), &FixOptions::default()).text,
            expected,
            "{format}"
        );
    }
}

#[test]
fn a_finding_in_a_damaged_line_is_repaired_after_the_line() {
    let (_, lines) = LOGS[0];
    // An orphaned output shares its line with a message: the line is split, then the output is removed and the message kept.
    let orphan = r#"{"type":"function_call_output","call_id":"call_9","output":"x"}"#;
    let text = [&join_lines(lines)[..], lines[0].as_bytes(), orphan.as_bytes(), b"\n"].concat();
    assert_eq!(read_codes(&text), ["RL008", "RL102"]);
    let repaired = guarded_repair("orphan", &text, &options(), &FixOptions::default());
    assert_eq!(repaired.text, [&join_lines(lines)[..], lines[0].as_bytes(), b"\n"].concat());
    // Nothing is edited after a truncated record, which is kept.
    let text = [&join_lines(lines)[..], &lines[0].as_bytes()[..20], orphan.as_bytes(), b"\n"].concat();
    assert_eq!(read_codes(&text), ["RL009", "RL102"]);
    let repaired = guarded_repair("orphan", &text, &options(), &FixOptions::default());
    assert_eq!(repaired.text, text);
    assert_eq!(guarded_repair("orphan", &text, &options(), &fix_options()).text, join_lines(lines));
}

#[test]
fn a_lost_line_leaves_a_gap_in_a_tree() {
    let (_, lines) = LOGS[2];
    let items = |n: usize| check(&join_lines(&lines[n..=n]), &options()).items;
    let all = check(&join_lines(lines), &options()).items;
    for n in 1..lines.len() - 1 {
        let text =
            [&join_lines(&lines[..n]), &b"{\"type\":\"user\",,}\n"[..], &join_lines(&lines[n + 1..])].concat();
        let found = diagnostics(&text, &options());
        assert_eq!(codes(&found), ["RL001", "RL013"], "line {}", n + 1);
        let gap = found.iter().find(|d| d.rule.to_string() == "RL013").expect("found");
        let linked = lines.len() - 1 - n;
        let words = if linked == 1 { "an entry is".to_owned() } else { format!("{linked} entries are") };
        assert_eq!(gap.message, format!("this line could not be read; {words} linked to it"));
        assert_eq!(gap.location.line, n as u64 + 1);
        let one = items(n).max(1);
        assert_eq!(check(&text, &options()).items, all - one, "line {}", n + 1);
    }
    // A parent that cannot be in the lost line is missing.
    let strange = lines[4].replace("\"parentUuid\":\"a2\"", "\"parentUuid\":\"zz\"");
    let text =
        [&join_lines(&lines[..1]), &b"{,}\n"[..], &join_lines(&lines[2..4]), strange.as_bytes(), b"\n"].concat();
    assert_eq!(read_codes(&text), ["RL001", "RL013", "RL601"]);
}

/// A record over several lines that spans two chunks or more is read once.
#[test]
fn a_value_may_span_chunks() {
    let chunk = 2 << 20;
    let filler =
        |n: usize| format!("{{\"type\":\"message\",\"role\":\"user\",\"content\":\"{}\"}}\n", "a".repeat(n));
    let spread = |lines: usize| {
        format!("{{\"type\":\"message\",\"role\":\"user\",\"content\":\"{}\"}}\n", "raw text\n".repeat(lines))
    };
    let last = "{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"\"}\n";
    for (before, lines) in [(chunk - 200, 900), (chunk - 60, 50), (chunk - 5000, 500), (chunk - 47, 10)] {
        for long in [false, true] {
            let spread = if long { spread(lines).replace("text", &"text".repeat(900)) } else { spread(lines) };
            let rest = filler(chunk / 3).repeat(9);
            let text = [filler(10), filler(before), spread, rest, last.to_owned()].concat().into_bytes();
            let line = text.iter().filter(|byte| **byte == b'\n').count() as u64;
            for threads in [1, 3] {
                let read = judge::judge(DOC, &text, &options(), threads, &FindingsOnly).expect("memory reads");
                let found =
                    report::diagnose(DOC, "case", &text, &read, report::ContentDisplay::None).expect("reads");
                let places: Vec<_> = found.iter().map(|d| (d.rule.to_string(), d.location.line)).collect();
                assert_eq!(
                    places,
                    [("RL010".to_owned(), 3), ("RL102".to_owned(), line)],
                    "{before} {lines} {long}"
                );
                assert_eq!(read.items, 13, "{before} {lines} {long}");
            }
        }
    }
}

#[test]
fn a_value_that_spans_too_many_lines_is_not_joined() {
    let line = |text: &str| format!("{{\"type\":\"message\",\"role\":\"user\",\"content\":\"{text}\"}}\n");
    for spread in ["a\n".repeat(1001), "a\n".repeat(10) + &"b".repeat(4 << 20)] {
        let text = [line("a"), line(&spread), line("b"), line("c")].concat().into_bytes();
        assert_eq!(read_codes(&text), ["RL001"]);
        assert_eq!(check(&text, &options()).items, 3);
        assert!(guarded_repair("spread too far", &text, &options(), &fix_options()).text == text);
    }
}

#[test]
fn undamaged_text_is_left_alone() {
    for text in [
        // Text after a value that is not a record.
        "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"user\",\"content\":\"b\"} x\n",
        // Part of a value is not a record, though it looks like one.
        "{\"role\":\"user\",\"content\":\"a\"}\n{\"a\":{\"role\":\"user\",\"content\":\"b\"}\n{\"role\":\"user\",\"content\":\"b\"}\n",
        "{\"role\":\"user\",\"content\":\"a\"}\n{\"a\":1,,\"b\":{\"role\":\"user\",\"content\":\"b\"}}\n{\"role\":\"user\",\"content\":\"b\"}\n",
        // A backslash before a raw newline does not escape it.
        "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"user\",\"content\":\"b\\\n\"}\n{\"role\":\"user\",\"content\":\"b\"}\n",
    ] {
        let found = read_codes(text.as_bytes());
        assert!(found.contains(&"RL001".to_owned()), "{text}: {found:?}");
        let repaired = guarded_repair(text, text.as_bytes(), &options(), &fix_options());
        assert_eq!(repaired.text, text.as_bytes());
    }
    // U+2028 in a string is legal JSON.
    assert!(
        read_codes(
            "{\"role\":\"user\",\"content\":\"a\u{2028}\"}\n{\"role\":\"user\",\"content\":\"b\"}\n".as_bytes()
        )
        .is_empty()
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..crate::repair::properties::config() })]

    /// Random damage causes no failure, and the repair changes no undamaged line.
    #[test]
    fn random_damage_leaves_other_lines_unchanged(
        log in 0..LOGS.len(),
        hits in prop::collection::vec((any::<prop::sample::Index>(), 0..7u8), 1..5),
    ) {
        let lines = LOGS[log].1;
        let mut damaged: Vec<Vec<u8>> = lines.iter().map(|line| [line.as_bytes(), b"\n"].concat()).collect();
        let mut hit = vec![false; lines.len()];
        for (index, how) in &hits {
            let n = index.index(lines.len());
            hit[n] = true;
            let line = &mut damaged[n];
            let at = if line.is_empty() { 0 } else { index.index(line.len()) };
            match how {
                0 => line.insert(at, b'\n'),
                1 => line.splice(at..at, [0; 9]).for_each(drop),
                2 => line.truncate(at),
                3 => line.insert(at, b'\t'),
                4 => drop(line.pop()),
                5 => line.splice(0..0, lines[n].as_bytes()[..at.min(lines[n].len())].iter().copied()).for_each(drop),
                _ => line.insert(at, b'}'),
            }
        }
        let text = damaged.concat();
        let repaired = guarded_repair("random", &text, &options(), &fix_options());
        let mut rest = repaired.text.as_slice();
        for (n, line) in lines.iter().enumerate() {
            // A line with intact neighbours is a line of its own before and after the repair.
            let alone = !hit[n] && (n == 0 || !hit[n - 1]);
            if alone && repaired.fixed.changes.iter().all(|change| change.history.is_none()) {
                let found = memchr::memmem::find(rest, line.as_bytes());
                prop_assert!(found.is_some(), "line {} is not there", n + 1);
                rest = &rest[found.unwrap_or(0)..];
            }
        }
    }
}
