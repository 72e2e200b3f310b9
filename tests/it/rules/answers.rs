//! `--output-format api-error`: what a mock server is told to answer, and that it is what providers were recorded to say.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// What is answered to a body on standard input, and the exit code.
fn answered(body: &str, args: &[&str]) -> (Vec<Value>, Option<i32>) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_replaylint"))
        .args(["check", "--isolated", "--output-format", "api-error"])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    program.stdin.take().expect("a pipe").write_all(body.as_bytes()).expect("written");
    let output = program.wait_with_output().expect("the program ends");
    assert!(output.stderr.is_empty(), "{body}: {}", String::from_utf8_lossy(&output.stderr));
    let told = String::from_utf8(output.stdout).expect("UTF-8");
    let told = told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    (told, output.status.code())
}

fn refusal(status: u16, message: &str, param: Value, code: Value) -> Value {
    json!({"status": status, "error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}})
}

#[test]
fn a_mock_server_is_told_what_to_answer() {
    let call = |id: &str| format!(r#"{{"type":"function_call","call_id":"{id}","name":"f","arguments":"{{}}"}}"#);
    let output =
        |id: &str, text: &str| format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"{text}"}}"#);
    let body = |items: &[String]| format!(r#"{{"model":"gpt-5","input":[{}]}}"#, items.join(","));
    let passes = body(&[call("c"), output("c", "ok")]);
    let no_output = refusal(400, "No tool output found for function call c.", json!("input"), json!(null));
    let no_call =
        refusal(400, "No tool call found for function call output with call_id d.", json!("input"), json!(null));

    assert_eq!(answered(&passes, &[]), (vec![json!(null)], Some(0)));
    assert_eq!(answered(&passes, &["--deny-warnings"]), (vec![json!(null)], Some(0)));
    assert_eq!(answered(r#"{"model":"gpt-5","input":"Hello"}"#, &[]), (vec![json!(null)], Some(0)));
    // The first error is the answer.
    let both = body(&[call("c"), output("d", "x")]);
    assert_eq!(answered(&both, &[]), (vec![no_output.clone()], Some(1)));
    assert_eq!(answered(&both, &["--exit-zero"]).1, Some(0));
    assert_eq!(answered(&body(&[output("d", "x"), call("c")]), &[]), (vec![no_call], Some(1)));
    // What no text of the API was seen for is said in our words, and so is what is no request.
    let own = format!(r#"{{"model":"deepseek-reasoner","input":[{},{}]}}"#, call("c"), output("c", "x"));
    assert_eq!(answered(&own, &["--target", "deepseek"]), (vec![json!(null)], Some(0)));
    let (answer, exit) = answered(r#"{"model":"gpt-5","input":[}"#, &[]);
    assert_eq!(
        (&answer[0]["error"]["code"], &answer[0]["error"]["param"]),
        (&json!("replaylint_rl001"), &json!(null))
    );
    assert_eq!((&answer[0]["status"], exit), (&json!(400), Some(1)));
    for nothing in ["", "{\"a\":1}", "hello"] {
        let (answer, exit) = answered(nothing, &[]);
        assert_eq!((&answer[0]["error"]["code"], exit), (&json!("replaylint_rl004"), Some(1)), "{nothing}");
    }
    // Codes, places and status as they were recorded.
    let long = "x".repeat(70);
    let (answer, _) = answered(&body(&[output("d", "x"), call(&long)]), &["--select", "RL310"]);
    assert_eq!(answer[0]["error"]["param"], "input[1].call_id");
    assert_eq!(answer[0]["error"]["code"], "string_above_max_length");
    let bad = body(&[call("c").replacen("{", r#"{"id":"toolu_1","#, 1), output("c", "x")]);
    let said = "Invalid 'input[0].id': 'toolu_1'. Expected an ID that begins with 'fc'.";
    assert_eq!(answered(&bad, &[]).0, [refusal(400, said, json!("input[0].id"), json!("invalid_value"))]);
    let reference = body(&[r#"{"type":"item_reference","id":"msg_1"}"#.to_owned()]);
    assert_eq!(answered(&reference, &["--store", "false"]).0[0]["status"], 404);
    // Only the Responses API was seen to name its list.
    let chat = r#"{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"},{"role":"tool","tool_call_id":"c","content":"x"}]}"#;
    assert_eq!(answered(chat, &[]).0[0]["error"]["param"], json!(null));
    assert!(
        answered(chat, &[]).0[0]["error"]["message"].as_str().is_some_and(|said| said.contains("role 'tool'"))
    );
    // The target has an envelope of its own.
    let of_deepseek = "No tool output found for tool call c.";
    assert_eq!(
        answered(&body(&[call("c")]), &["--target", "deepseek"]).0,
        [refusal(400, of_deepseek, json!(null), json!("invalid_request_error"))]
    );

    // A request a line: an answer a line. A log is one conversation.
    let requests = format!("{passes}\n\n{both}\n{{broken\n{passes}\n");
    let (answers, exit) = answered(&requests, &[]);
    assert_eq!((answers.len(), exit), (4, Some(1)));
    assert_eq!((&answers[0], &answers[1], &answers[3]), (&json!(null), &no_output, &json!(null)));
    assert_eq!(answers[2]["error"]["code"], "replaylint_rl001");
    let cut = format!("{passes}\n{passes}\n{}", &passes[..20]);
    let (answers, exit) = answered(&cut, &[]);
    assert_eq!((answers.len(), &answers[1], exit), (3, &json!(null), Some(1)));
    assert_eq!(answers[2]["error"]["code"], "replaylint_rl003");
    let log = [call("c"), r#"{"role":"user","content":"Hello?"}"#.to_owned(), call("d")].join("\n");
    assert_eq!(answered(&log, &[]).0, [no_output]);
}

#[test]
fn recorded_refusals_are_answered_as_they_were() {
    let Some(root) = crate::rules::corpus::corpus() else { return };
    let mut compared = 0;
    for (row, options) in crate::rules::corpus::responses(&root) {
        let Some(beside) = row.path.strip_suffix("request-400.json").filter(|_| row.history_related) else {
            continue;
        };
        let recorded = fs::read(root.join(format!("{beside}error-400.json"))).expect("readable");
        let recorded: Value = serde_json::from_slice(&recorded).expect("JSON");
        let body = fs::read_to_string(root.join(&row.path)).expect("UTF-8");
        let target = options.target.map_or("openai", |target| target.name);
        // RL202 only warns until the server has said its sentence.
        let (answers, exit) = answered(&body, &["--target", target, "--proven", "RL202"]);
        assert_eq!(answers, [json!({"status": 400, "error": recorded["error"]})], "{}", row.path);
        assert_eq!(exit, Some(1));
        compared += 1;
    }
    println!("recorded refusals answered word for word, with type, param and code: {compared}");
    assert_eq!(compared, 2);
}
