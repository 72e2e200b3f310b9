//! `lsp`: an editor without a screen. What it is told of a text is what `check` prints of it, in the columns of the editor,
//! and what it is offered leaves nothing to say.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::report::reports::{json as parsed, run_with_input};

struct Editor {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    /// Everything that the server said without being asked.
    notes: Vec<Value>,
    asked: i32,
    version: i32,
    is_utf8: bool,
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Editor {
    fn start(folder: &Path) -> Editor {
        let mut child = Command::new(env!("CARGO_BIN_EXE_replaylint"))
            .arg("lsp")
            .current_dir(folder)
            .env("REPLAYLINT_TEST_PANIC", "BUG")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        Editor { child, stdin, stdout, notes: Vec::new(), asked: 0, version: 0, is_utf8: false }
    }

    /// An editor after the greeting, with columns in bytes or in UTF-16.
    fn open(folder: &Path, is_utf8: bool) -> Editor {
        let mut editor = Editor::start(folder);
        editor.is_utf8 = is_utf8;
        let encodings = if is_utf8 { json!(["utf-32", "utf-8", "utf-16"]) } else { json!(["utf-16"]) };
        let capabilities = json!({
            "general": { "positionEncodings": encodings },
            "workspace": { "workspaceEdit": { "documentChanges": true } },
            "textDocument": { "codeAction": { "disabledSupport": true } },
        });
        let answer = editor.ask("initialize", json!({ "capabilities": capabilities }));
        let encoding = &answer["result"]["capabilities"]["positionEncoding"];
        assert_eq!(encoding, if is_utf8 { "utf-8" } else { "utf-16" });
        editor.tell("initialized", json!({}));
        editor
    }

    fn send(&mut self, body: &[u8]) {
        let stdin = self.stdin.as_mut().expect("it is open");
        write!(stdin, "Content-Length: {}\r\n\r\n", body.len()).expect("it reads");
        stdin.write_all(body).expect("it reads");
        stdin.flush().expect("it reads");
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string().as_bytes());
    }

    fn receive(&mut self) -> Option<Value> {
        let mut len = 0;
        loop {
            let mut header = String::new();
            if self.stdout.read_line(&mut header).expect("UTF-8") == 0 {
                return None;
            }
            match header.trim_end().split_once(": ") {
                Some((_, value)) => len = value.parse().expect("a number"),
                None => break,
            }
        }
        let mut body = vec![0; len];
        self.stdout.read_exact(&mut body).expect("a body");
        Some(serde_json::from_slice(&body).expect("JSON"))
    }

    /// The answer to a request; what comes before it is noted.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        let asked = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(asked.to_string().as_bytes());
        loop {
            let message = self.receive().expect("an answer");
            if message["id"] == id {
                return message;
            }
            self.notes.push(message);
        }
    }

    /// Opens or changes a file; its findings.
    fn write(&mut self, uri: &str, text: &str) -> Vec<Value> {
        self.version += 1;
        let version = self.version;
        if self.notes.iter().any(|note| note["params"]["uri"] == uri) {
            let document = json!({ "uri": uri, "version": version });
            self.tell(
                "textDocument/didChange",
                json!({ "textDocument": document, "contentChanges": [{ "text": text }] }),
            );
        } else {
            let document = json!({ "uri": uri, "version": version, "languageId": "json", "text": text });
            self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        }
        let found = self.findings(uri);
        assert_eq!(found["version"], version);
        found["diagnostics"].as_array().expect("a list").clone()
    }

    /// What was published last about a file, once it was judged.
    fn findings(&mut self, uri: &str) -> Value {
        let outside = json!({ "line": 9_999_999, "character": 0 });
        self.ask("textDocument/hover", json!({ "textDocument": { "uri": uri }, "position": outside }));
        let of_file = |note: &&Value| note["params"]["uri"] == uri;
        self.notes.iter().rev().find(of_file).expect("it was judged")["params"].clone()
    }

    fn actions(&mut self, uri: &str, range: &Value) -> Vec<Value> {
        self.actions_of(uri, range, json!({ "diagnostics": [] }))
    }

    fn actions_of(&mut self, uri: &str, range: &Value, context: Value) -> Vec<Value> {
        let params = json!({ "textDocument": { "uri": uri }, "range": range, "context": context });
        self.ask("textDocument/codeAction", params)["result"].as_array().expect("a list").clone()
    }

    /// The exit code after a proper end.
    fn end(mut self) -> Option<i32> {
        assert_eq!(self.ask("shutdown", Value::Null)["result"], Value::Null);
        self.tell("exit", Value::Null);
        self.child.wait().expect("an end").code()
    }

    /// The position of a byte, as the editor counts.
    fn position(&self, text: &str, at: usize) -> Value {
        let before = &text[..at];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let column = match self.is_utf8 {
            true => at - start,
            false => before[start..].encode_utf16().count(),
        };
        json!({ "line": before.matches('\n').count(), "character": column })
    }

    /// The byte of a position.
    fn offset(&self, text: &str, position: &Value) -> usize {
        let found = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        found.into_iter().find(|at| self.position(text, *at) == *position).expect("a position of the text")
    }

    /// The text after an action, which is for this version of it.
    fn apply(&self, uri: &str, text: &str, action: &Value) -> String {
        let change = &action["edit"]["documentChanges"][0];
        assert_eq!(change["textDocument"], json!({ "uri": uri, "version": self.version }));
        let edits = change["edits"].as_array().expect("edits").iter().map(|edit| {
            let (start, end) = (&edit["range"]["start"], &edit["range"]["end"]);
            (self.offset(text, start)..self.offset(text, end), edit["newText"].as_str().expect("a text"))
        });
        let mut edits: Vec<_> = edits.collect();
        edits.sort_by_key(|(range, _)| range.start);
        let mut changed = text.to_owned();
        edits.iter().rev().for_each(|(range, new)| changed.replace_range(range.clone(), new));
        changed
    }
}

const CALL: &str = r#"{"type":"function_call","call_id":"call_1","name":"weather","arguments":"{}"}"#;
const ORPHAN: &str = r#"{"type":"function_call_output","call_id":"call_9","output":"secret"}"#;

/// What is found: the rule, and the beginning of the place.
type Expected = Vec<(&'static str, &'static str)>;

/// Texts with their names and addresses, and what is found in them.
fn texts() -> Vec<(&'static str, &'static str, String, Expected)> {
    let user = r#"{"role":"user","content":"é 😀 secret"}"#;
    let go = r#"{"role":"user","content":"go on"}"#;
    let list = |items: &[&str]| format!("{{\"model\":\"gpt-5\",\"input\":[{}]}}\n", items.join(","));
    let whole = list(&[user]);
    let both = list(&[user, CALL, ORPHAN, go]);
    let apart = list(&[ORPHAN, user, CALL, go]);
    let pretty = |end: &str| {
        format!("{{\"model\": \"gpt-5\",\n  \"input\": [\n {user},\n {ORPHAN},\n {go}]}}\n").replace('\n', end)
    };
    let missing = ("RL101", CALL);
    let orphan = ("RL102", ORPHAN);
    vec![
        ("JSON", "file:///none/a%20b%C3%A9.json", list(&[user, ORPHAN, go]), vec![orphan]),
        ("two findings with one edit", "file:///none/both.json", both, vec![missing, orphan]),
        ("two findings", "file:///none/apart.json", apart, vec![orphan, missing]),
        ("several lines", "file:///none/lines.json", pretty("\n"), vec![orphan]),
        ("CRLF", "file:///none/crlf.json", pretty("\r\n"), vec![orphan]),
        ("JSON Lines", "file:///none/a.jsonl", whole.clone() + &list(&[user, ORPHAN, go]), vec![orphan]),
        (
            "JSON Lines with CRLF",
            "file:///none/b.jsonl",
            (list(&[user, CALL, go]) + &whole).replace('\n', "\r\n"),
            vec![missing],
        ),
        ("a new document", "untitled:Untitled-1", list(&[user, ORPHAN, go]), vec![orphan]),
        (
            "messages of Anthropic",
            "file:///none/c.json",
            r#"{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"é 😀"},{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"weather","input":{}}]},{"role":"user","content":"go on"}]}"#.to_owned() + "\n",
            vec![("RL530", r#"{"type":"tool_use""#)],
        ),
        ("nothing wrong", "file:///none/whole.json", whole, vec![]),
        ("nothing", "file:///none/empty.json", String::new(), vec![]),
        ("an object", "file:///none/package.json", "{\"name\": \"x\", \"version\": \"1.0.0\"}\n".to_owned(), vec![]),
        ("no JSON", "file:///none/notes.txt", "é 😀 secret\n".to_owned(), vec![]),
    ]
}

/// The rules and lines that `check` finds in a text.
fn checked(folder: &Path, text: &str) -> Vec<(String, u64)> {
    let report = parsed(&run_with_input(folder, &["check", "--output-format", "json", "-"], text));
    let found = report["diagnostics"].as_array().expect("a list").iter();
    found
        .map(|d| (d["rule"].as_str().expect("a rule").to_owned(), d["line"].as_u64().expect("a line") - 1))
        .collect()
}

#[test]
fn an_editor_sees_what_check_finds_and_repairs_it() {
    let folder = tempfile::tempdir().expect("a folder");
    for is_utf8 in [false, true] {
        let mut editor = Editor::open(folder.path(), is_utf8);
        for (name, uri, text, expected) in texts() {
            let found = editor.write(uri, &text);
            let places: Vec<_> = found.iter().map(|d| (d["code"].clone(), d["range"]["start"].clone())).collect();
            let wanted: Vec<_> = expected
                .iter()
                .map(|(rule, place)| (json!(rule), editor.position(&text, text.find(place).expect(place))))
                .collect();
            assert_eq!(places, wanted, "{name}");
            let all = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9999, "character": 0 } });
            let actions = editor.actions(uri, &all);
            if found.is_empty() {
                assert_eq!(actions, [Value::Null; 0], "{name}");
                continue;
            }
            let lines = found.iter().map(|d| {
                let line = d["range"]["start"]["line"].as_u64().expect("a line");
                (d["code"].as_str().expect("a rule").to_owned(), line)
            });
            assert_eq!(lines.collect::<Vec<_>>(), checked(folder.path(), &text), "{name}");
            for finding in &found {
                let position = &finding["range"]["start"];
                let hover = json!({ "textDocument": { "uri": uri }, "position": position });
                let hover = editor.ask("textDocument/hover", hover);
                let page = hover["result"]["contents"]["value"].as_str().expect("a page");
                let rule = finding["code"].as_str().expect("a rule");
                let link = finding["codeDescription"]["href"].as_str().expect("a link");
                assert!(
                    page.contains(&format!("# {rule} ")) && page.contains("\n> ") && link.contains(rule),
                    "{page}"
                );
                assert_eq!((&finding["severity"], &finding["source"]), (&json!(1), &json!("replaylint")));
                assert!(finding["message"].as_str().expect("a text").contains("\nThe API answers: "), "{finding}");
            }
            // Each repair can be made alone; the last one is the repair of all.
            let (whole, alone) = actions.split_last().expect("repairs");
            assert!(whole["title"].as_str().expect("a title").starts_with("Repair the conversation: "), "{whole}");
            assert!(!alone.is_empty(), "{name}");
            let preferred: Vec<bool> = alone.iter().filter_map(|action| action["isPreferred"].as_bool()).collect();
            assert!(preferred.is_sorted_by(|one, next| one >= next), "{name}");
            let texts: Vec<String> = alone.iter().map(|action| editor.apply(uri, &text, action)).collect();
            for (action, repaired_text) in alone.iter().zip(&texts) {
                let repaired = action["diagnostics"].as_array().expect("a list");
                let title = action["title"].as_str().expect("a title");
                let is_lossy = repaired.iter().any(|d| d["code"] == "RL102");
                assert_eq!(title.ends_with("(lossy)"), is_lossy, "{title}");
                assert_eq!(title.ends_with("(lossless)"), action["isPreferred"] == true, "{title}");
                let left = editor.write(uri, repaired_text);
                assert_eq!(left.len(), found.len() - repaired.len(), "{name}: {title}: {left:?}");
                editor.write(uri, &text);
            }
            // What is made when a file is saved.
            let on_save = json!({ "diagnostics": [], "only": ["source.fixAll"] });
            let lossless = editor.actions_of(uri, &all, on_save);
            let saved = lossless.first().map_or(text.clone(), |action| editor.apply(uri, &text, action));
            let fixed = run_with_input(folder.path(), &["fix", "--lossless", "-"], &text);
            assert_eq!(saved.as_bytes(), fixed.stdout, "{name}");
            let again = editor.actions(uri, &all);
            let whole = again.last().expect("a repair");
            let repaired = editor.apply(uri, &text, whole);
            assert_eq!(editor.write(uri, &repaired), [Value::Null; 0], "{name}: {repaired}");
            let fixed = run_with_input(folder.path(), &["fix", "-"], &text);
            assert_eq!(repaired.as_bytes(), fixed.stdout, "{name}");
        }
        assert!(!json!(editor.notes).to_string().contains("secret"));
        assert_eq!(editor.end(), Some(0));
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "nothing is written");
}

/// Turns have the names and the order of `tree`, and their places are in the text.
#[test]
fn the_outline_is_that_of_tree() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = format!(
        "{{\"model\":\"gpt-5\",\"input\":[{{\"role\":\"user\",\"content\":\"é 😀 one\"}},{CALL},\n {{\"role\":\"user\",\"content\":\"two\"}}]}}\n"
    );
    let mut editor = Editor::open(folder.path(), false);
    let uri = "file:///none/a.json";
    editor.write(uri, &text);
    let symbols = editor.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } }));
    let symbols = symbols["result"].as_array().expect("a list");
    let names: Vec<_> = symbols.iter().map(|symbol| symbol["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["é 😀 one", "two"]);
    let span = |range: &Value| {
        text[editor.offset(&text, &range["start"])..editor.offset(&text, &range["end"])].to_owned()
    };
    let first = &symbols[0];
    assert_eq!(span(&first["range"]), format!("{},{CALL}", span(&first["selectionRange"])));
    assert_eq!(span(&first["selectionRange"]), r#"{"role":"user","content":"é 😀 one"}"#);
    let tree = run_with_input(folder.path(), &["tree", "--show-content", "--output-format", "json", "-"], &text);
    let turns = parsed(&tree).to_string();
    for symbol in symbols {
        let turn = symbol["detail"].as_str().expect("a name").split(',').next().expect("a name");
        assert!(turns.contains(&format!("\"{turn}\"")), "{turn}: {turns}");
    }
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn config_files_apply_and_are_read_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("replaylint.toml");
    let (uri, excluded) =
        ["a.json", "old/a.json"].map(|name| format!("file://{}/{name}", folder.path().display())).into();
    let text = format!("{{\"model\":\"gpt-5\",\"input\":[{ORPHAN},{{\"role\":\"user\",\"content\":\"x\"}}]}}\n");
    let mut editor = Editor::open(folder.path(), false);
    let mut found = |config_text: &str| {
        std::fs::write(&config, config_text).expect("a file");
        if editor.notes.is_empty() {
            editor.write(&uri, &text);
            editor.write(&excluded, &text);
        }
        editor.tell("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
        let counts =
            [&uri, &excluded].map(|uri| editor.findings(uri)["diagnostics"].as_array().expect("a list").len());
        let said: Vec<_> = editor.notes.iter().filter(|note| note["method"] == "window/showMessage").collect();
        (counts, said.len())
    };
    assert_eq!(found(""), ([1, 1], 0));
    assert_eq!(found("ignore = [\"RL102\"]"), ([0, 0], 0));
    assert_eq!(found("exclude = [\"old\"]"), ([1, 0], 0));
    // A fault of the config file is said once.
    assert_eq!(found("ignroe = []"), ([0, 0], 1));
    assert_eq!(found("target = \"openai\""), ([1, 1], 1));
    assert_eq!(editor.end(), Some(0));
}

/// Whatever is sent has an answer, and the server goes on.
#[test]
fn faults_are_answered_and_the_server_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut early = Editor::start(folder.path());
    assert_eq!(early.ask("textDocument/hover", json!({}))["error"]["code"], -32002);
    let mut editor = Editor::open(folder.path(), false);
    for body in ["", "{", "[]", "{\"jsonrpc\":\"2.0\"}", "\u{fffd}secret"] {
        editor.send(body.as_bytes());
        let answer = editor.receive().expect("an answer");
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32700)), "{body}");
        assert!(!answer.to_string().contains("secret"));
    }
    let (bug, unknown) = ("file:///none/BUG.json", "file:///none/unknown.json");
    let at = |uri: &str| {
        let zero = json!({ "line": 0, "character": 0 });
        let range = json!({ "start": zero, "end": zero });
        json!({ "textDocument": { "uri": uri }, "position": zero, "range": range, "context": { "diagnostics": [] } })
    };
    let document = json!({ "uri": bug, "version": 1, "languageId": "json", "text": "{\"input\":[]} secret" });
    editor.tell("textDocument/didOpen", json!({ "textDocument": document }));
    for (method, params, code) in [
        ("textDocument/documentSymbol", at(bug), -32603),
        ("textDocument/hover", at(unknown), -32602),
        ("textDocument/hover", json!({ "secret": 1 }), -32602),
        ("textDocument/codeAction", json!([]), -32602),
        ("textDocument/definition", at(bug), -32601),
        ("initialize", json!({ "capabilities": {} }), -32600),
    ] {
        let answer = editor.ask(method, params);
        assert_eq!(answer["error"]["code"], code, "{answer}");
        assert!(!answer.to_string().contains("secret"), "{answer}");
    }
    // What is no request has no answer, but a line in the log.
    editor.tell("textDocument/didOpen", json!({ "secret": 1 }));
    let part = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 1 } });
    let changes = json!([{ "range": part, "text": "secret" }]);
    editor.tell(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": bug, "version": 2 }, "contentChanges": changes }),
    );
    editor.tell("$/cancelRequest", json!({ "id": 1 }));
    assert_eq!(editor.findings(bug)["diagnostics"], json!([]));
    let logged: Vec<_> = editor.notes.iter().filter(|note| note["method"] == "window/logMessage").collect();
    assert_eq!(logged.len(), 3, "{logged:?}");
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": bug } }));
    assert_eq!(editor.ask("textDocument/hover", at(bug))["error"]["code"], -32602);
    assert!(!json!(editor.notes).to_string().contains("secret"));
    assert_eq!(editor.ask("shutdown", Value::Null)["result"], Value::Null);
    assert_eq!(editor.ask("textDocument/hover", at(bug))["error"]["code"], -32600);
    editor.tell("exit", Value::Null);
    assert_eq!(editor.child.wait().expect("an end").code(), Some(0));
}

/// The last text counts, and one above the limit is judged, but not repaired.
#[test]
fn large_files_are_judged_and_not_repaired() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut editor = Editor::open(folder.path(), false);
    let uri = "file:///none/large.json";
    let text = |size: usize, item: &str| {
        let long = "x".repeat(size);
        format!("{{\"model\":\"gpt-5\",\"input\":[{item}{{\"role\":\"user\",\"content\":\"{long}\"}}]}}\n")
    };
    let orphan = format!("{ORPHAN},");
    editor.write(uri, &text(1 << 20, ""));
    for item in ["", &orphan] {
        editor.version += 1;
        let document = json!({ "uri": uri, "version": editor.version });
        let changes = json!([{ "text": text(1 << 20, item) }]);
        editor.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }
    let last = editor.findings(uri);
    assert_eq!((&last["version"], &last["diagnostics"][0]["code"]), (&json!(editor.version), &json!("RL102")));
    let range = last["diagnostics"][0]["range"].clone();
    assert_eq!(editor.actions(uri, &range).len(), 2);
    // It is also more than the API takes.
    assert_eq!(editor.write(uri, &text(33 << 20, &orphan)).len(), 2);
    let refused = editor.actions(uri, &range);
    assert_eq!((refused.len(), &refused[0]["edit"]), (1, &Value::Null));
    assert!(refused[0]["disabled"]["reason"].as_str().expect("a reason").contains("replaylint fix"));
    assert_eq!(editor.end(), Some(0));
}

/// 0 after a proper end, 1 if the editor goes away before, 2 if it does not speak the protocol.
#[test]
fn the_exit_code_says_how_it_ended() {
    let folder = tempfile::tempdir().expect("a folder");
    type Ending = fn(&mut Editor);
    let endings: [(Ending, i32); 5] = [
        (|editor| editor.tell("exit", Value::Null), 1),
        (|editor| editor.stdin = None, 1),
        (|editor| assert!(editor.ask("shutdown", Value::Null)["error"].is_null()), 0),
        (
            |editor| {
                editor.stdin.as_mut().expect("a pipe").write_all(b"GET / HTTP/1.1\r\n\r\n").expect("it reads")
            },
            2,
        ),
        (
            |editor| {
                editor.stdin.as_mut().expect("a pipe").write_all(b"Content-Length: 9\r\n\r\n{").expect("it reads")
            },
            2,
        ),
    ];
    for (n, (ending, code)) in endings.into_iter().enumerate() {
        let mut editor = Editor::open(folder.path(), false);
        ending(&mut editor);
        drop(editor.stdin.take());
        assert_eq!(editor.child.wait().expect("an end").code(), Some(code), "{n}");
    }
}
