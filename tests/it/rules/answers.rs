//! `--output-format api-error`: the answers for a mock server, compared with recorded answers of providers.

use std::fs;
use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// The answers to a body on standard input, and the exit code.
fn api_answers(body: &str, args: &[&str]) -> (Vec<Value>, Option<i32>) {
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
    let answers = String::from_utf8(output.stdout).expect("UTF-8");
    let answers = answers.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    (answers, output.status.code())
}

fn refusal(status: u16, message: &str, param: Value, code: Value) -> Value {
    json!({"status": status, "error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}})
}

#[test]
fn a_mock_server_gets_the_answer_of_the_api() {
    let call = |id: &str| format!(r#"{{"type":"function_call","call_id":"{id}","name":"f","arguments":"{{}}"}}"#);
    let output =
        |id: &str, text: &str| format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"{text}"}}"#);
    let body = |items: &[String]| format!(r#"{{"model":"gpt-5","input":[{}]}}"#, items.join(","));
    let passes = body(&[call("c"), output("c", "ok")]);
    let no_output = refusal(400, "No tool output found for function call c.", json!("input"), json!(null));
    let no_call =
        refusal(400, "No tool call found for function call output with call_id d.", json!("input"), json!(null));

    assert_eq!(api_answers(&passes, &[]), (vec![json!(null)], Some(0)));
    assert_eq!(api_answers(&passes, &["--deny-warnings"]), (vec![json!(null)], Some(0)));
    assert_eq!(api_answers(r#"{"model":"gpt-5","input":"Hello"}"#, &[]), (vec![json!(null)], Some(0)));
    // The first error is the answer.
    let both = body(&[call("c"), output("d", "x")]);
    assert_eq!(api_answers(&both, &[]), (vec![no_output.clone()], Some(1)));
    assert_eq!(api_answers(&both, &["--exit-zero"]).1, Some(0));
    assert_eq!(api_answers(&body(&[output("d", "x"), call("c")]), &[]), (vec![no_call], Some(1)));
    // Without a known text of the API, and for what is not a request, the words are our own.
    let own = format!(r#"{{"model":"deepseek-reasoner","input":[{},{}]}}"#, call("c"), output("c", "x"));
    assert_eq!(api_answers(&own, &["--target", "deepseek"]), (vec![json!(null)], Some(0)));
    let (answer, exit) = api_answers(r#"{"model":"gpt-5","input":[}"#, &[]);
    assert_eq!(
        (&answer[0]["error"]["code"], &answer[0]["error"]["param"]),
        (&json!("replaylint_rl001"), &json!(null))
    );
    assert_eq!((&answer[0]["status"], exit), (&json!(400), Some(1)));
    for nothing in ["", "{\"a\":1}", "hello"] {
        let (answer, exit) = api_answers(nothing, &[]);
        assert_eq!((&answer[0]["error"]["code"], exit), (&json!("replaylint_rl004"), Some(1)), "{nothing}");
    }
    // Codes, places and status as recorded.
    let long = "x".repeat(70);
    let (answer, _) = api_answers(&body(&[output("d", "x"), call(&long)]), &["--select", "RL310"]);
    assert_eq!(answer[0]["error"]["param"], "input[1].call_id");
    assert_eq!(answer[0]["error"]["code"], "string_above_max_length");
    let bad = body(&[call("c").replacen("{", r#"{"id":"toolu_1","#, 1), output("c", "x")]);
    let message = "Invalid 'input[0].id': 'toolu_1'. Expected an ID that begins with 'fc'.";
    assert_eq!(api_answers(&bad, &[]).0, [refusal(400, message, json!("input[0].id"), json!("invalid_value"))]);
    let reference = body(&[r#"{"type":"item_reference","id":"msg_1"}"#.to_owned()]);
    assert_eq!(api_answers(&reference, &["--store", "false"]).0[0]["status"], 404);
    // Only the Responses API is known to name its list.
    let chat = r#"{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"},{"role":"tool","tool_call_id":"c","content":"x"}]}"#;
    assert_eq!(api_answers(chat, &[]).0[0]["error"]["param"], json!(null));
    assert!(
        api_answers(chat, &[]).0[0]["error"]["message"]
            .as_str()
            .is_some_and(|message| message.contains("role 'tool'"))
    );
    // The target has an envelope of its own.
    let of_deepseek = "No tool output found for tool call c.";
    assert_eq!(
        api_answers(&body(&[call("c")]), &["--target", "deepseek"]).0,
        [refusal(400, of_deepseek, json!(null), json!("invalid_request_error"))]
    );

    // A request a line: an answer a line. A log is one conversation.
    let requests = format!("{passes}\n\n{both}\n{{broken\n{passes}\n");
    let (answers, exit) = api_answers(&requests, &[]);
    assert_eq!((answers.len(), exit), (4, Some(1)));
    assert_eq!((&answers[0], &answers[1], &answers[3]), (&json!(null), &no_output, &json!(null)));
    assert_eq!(answers[2]["error"]["code"], "replaylint_rl001");
    let cut = format!("{passes}\n{passes}\n{}", &passes[..20]);
    let (answers, exit) = api_answers(&cut, &[]);
    assert_eq!((answers.len(), &answers[1], exit), (3, &json!(null), Some(1)));
    assert_eq!(answers[2]["error"]["code"], "replaylint_rl003");
    let log = [call("c"), r#"{"role":"user","content":"Hello?"}"#.to_owned(), call("d")].join("\n");
    assert_eq!(api_answers(&log, &[]).0, [no_output]);
}

#[test]
fn recorded_refusals_are_reproduced() {
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
        // RL202 only warns unless the server has given its message.
        let (answers, exit) = api_answers(&body, &["--target", target, "--proven", "RL202"]);
        assert_eq!(answers, [json!({"status": 400, "error": recorded["error"]})], "{}", row.path);
        assert_eq!(exit, Some(1));
        compared += 1;
    }
    println!("recorded refusals answered word for word, with type, param and code: {compared}");
    assert_eq!(compared, 2);
}
