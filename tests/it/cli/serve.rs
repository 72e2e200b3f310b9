//! `serve --stdio`: every line has an answer, in order, whatever is in it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

fn worker(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_replaylint"));
    command.args(["serve", "--stdio"]).args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

/// The answers to an input, after which the worker ends with 0.
fn answers(command: &mut Command, input: Vec<u8>) -> Vec<Value> {
    let mut child = command.spawn().expect("it runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("an end");
    writer.join().expect("no panic").expect("it is read to its end");
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// A method with members that it answers with a result.
fn requests() -> [Value; 11] {
    let body =
        json!({"model": "gpt-5", "input": [{"type": "function_call_output", "call_id": "c", "output": "x"}]});
    [
        json!({"method": "check", "document": body}),
        json!({"method": "validate", "document": body}),
        json!({"method": "fix", "document": body, "options": {"target": "openai"}}),
        json!({"method": "convert", "document": body, "to": "chat"}),
        json!({"method": "diff", "before": body, "after": body}),
        json!({"method": "explain", "rule": "RL101"}),
        json!({"method": "explain", "error": "No tool output found for function call c."}),
        json!({"method": "rules", "target": "openai"}),
        json!({"method": "formats"}),
        json!({"method": "targets"}),
        json!({"method": "version"}),
    ]
}

/// Values that a member may not have, or that are documents nobody can read.
fn odd_values() -> Vec<String> {
    let odd =
        ["null", "true", "-7", "1e999", "\"\"", "\"\\ud800\"", "\"\\u0000\"", "[]", "{}", "[{}]", "{\"\":{}}"];
    let mut values: Vec<String> = odd.iter().map(|value| (*value).to_owned()).collect();
    let deep = |open: &str, close: &str, depth| format!("{}1{}", open.repeat(depth), close.repeat(depth));
    for (open, close) in [("[", "]"), ("{\"content\":", "}"), ("[{\"input\":", "}]")] {
        values.push(deep(open, close, 50));
        values.push(deep(open, close, 20_000));
        values.push(json!(deep(open, close, 20_000)).to_string());
    }
    values
}

/// The line with a member replaced; the values are written as they are.
fn line(request: &Value, member: &str, value: &str) -> Vec<u8> {
    let mut members: Vec<String> = vec![format!("{}:{value}", json!(member))];
    for (key, own) in request.as_object().expect("an object") {
        if key != member {
            members.push(format!("{}:{own}", json!(key)));
        }
    }
    format!("{{{}}}\n", members.join(",")).into_bytes()
}

#[test]
fn every_line_has_an_answer_whatever_is_in_it() {
    let mut input = Vec::new();
    let mut expected = Vec::new();
    for request in requests() {
        let members: Vec<&String> = request.as_object().expect("an object").keys().collect();
        for member in members.into_iter().chain([&"options".to_owned(), &"unknown".to_owned()]) {
            for value in odd_values() {
                input.extend(line(&request, member, &value));
                expected.push(None);
            }
        }
        // Whatever came before, a request gets its result, under its id.
        let id = json!({"of": request["method"], "n": expected.len()});
        input.extend(line(&request, "id", &id.to_string()));
        expected.push(Some(id));
        // Half of it, with what comes after it on the next line, and with what is not UTF-8 in it.
        let whole = line(&request, "id", "1");
        let (half, _) = whole.split_at(whole.len() / 2);
        input.extend([half, b"\n", half, b"\xff\"}\n", half, b"\0\n", half, b"\x1b[31m\n"].concat());
        expected.extend([None, None, None, None]);
    }
    let answered = answers(&mut worker(&[]), input);
    assert_eq!(answered.len(), expected.len());
    let codes = ["malformed", "invalid_request", "failed"];
    for (answer, expected) in answered.iter().zip(&expected) {
        if let Some(id) = expected {
            assert_eq!(&answer["id"], id);
            assert!(answer.get("result").is_some(), "{answer}");
        } else if let Some(error) = answer.get("error") {
            assert!(codes.contains(&error["code"].as_str().expect("a code")), "{answer}");
            assert!(!error["message"].as_str().expect("a message").is_empty());
        }
    }
    let count = |code: &str| answered.iter().filter(|answer| answer["error"]["code"] == *code).count();
    assert!(codes.iter().all(|code| count(code) > 0), "{:?}", codes.map(count));
}

#[test]
fn long_lines_and_bugs_are_answered_and_the_next_line_is_read() {
    let long = format!("{{\"id\":1,\"method\":\"check\",\"document\":\"{}\"}}\n", "x".repeat(5000));
    let lines = "{\"role\":\"user\",\"content\":\"BUG secret\"}\n{\"role\":\"user\",\"content\":\"Hi\"}\n";
    let bug = format!("{}\n", json!({"id": 2, "method": "check", "document": lines}));
    let good = "\u{feff}{\"id\":3,\"method\":\"version\"}\r\n\r\n \n";
    let last = "{\"id\":4,\"method\":\"version\"}";
    let input = [good, &long, &bug, last].concat();
    let answered =
        answers(worker(&["--max-request-size", "1k"]).env("REPLAYLINT_TEST_PANIC", "BUG"), input.into_bytes());
    let [good, long, bug, last] = answered.as_slice() else { panic!("{answered:?}") };
    assert_eq!((&good["id"], &last["id"]), (&json!(3), &json!(4)));
    assert_eq!((&long["id"], &long["error"]["code"]), (&json!(null), &json!("too_large")));
    assert_eq!((&bug["id"], &bug["error"]["code"]), (&json!(2), &json!("internal")));
    assert!(!bug.to_string().contains("secret"), "{bug}");
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

#[test]
fn an_answer_is_sent_before_the_next_request_is_read() {
    let mut child = Running(worker(&[]).spawn().expect("it runs"));
    let mut stdin = child.0.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.0.stdout.take().expect("a pipe"));
    for n in 0..3 {
        writeln!(stdin, "{{\"id\":{n},\"method\":\"version\"}}").expect("it reads");
        let mut answer = String::new();
        stdout.read_line(&mut answer).expect("an answer");
        assert!(answer.starts_with(&format!("{{\"id\":{n},")), "{answer}");
    }
    drop(stdin);
    assert_eq!(child.0.wait().expect("an end").code(), Some(0));
}

/// The pipe is closed while requests are still coming.
#[test]
fn a_reader_that_goes_away_ends_the_worker() {
    let mut child = Running(worker(&[]).stderr(Stdio::piped()).spawn().expect("it runs"));
    let mut stdin = child.0.stdin.take().expect("a pipe");
    drop(child.0.stdout.take());
    while stdin.write_all(b"{\"id\":1,\"method\":\"version\"}\n").is_ok() {}
    assert_eq!(child.0.wait().expect("an end").code(), Some(0));
    let said = std::io::read_to_string(child.0.stderr.take().expect("a pipe")).expect("UTF-8");
    assert_eq!(said, "");
}
