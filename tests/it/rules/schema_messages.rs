//! The schema check of the dialects whose messages contain blocks: a message and each of its blocks are rows, and each is
//! compared with a definition of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use replaylint::internals::dialect::{Dialect, ItemOrigin};
use replaylint::internals::dialects::{anthropic, bedrock, chat, gemini};
use replaylint::internals::formats;
use replaylint::internals::history::{Code, Flags, Row};
use replaylint::internals::json::edit::RecordBase;
use replaylint::internals::judge::{EnabledRules, Options};
use replaylint::internals::schema::{self, Schemas, ViolationKind};
use serde_json::{Value, json};

use crate::rules::corpus;
use crate::rules::corpus::manifest;
use crate::rules::schema::{SchemaValidators, find_objects, mutations, read_texts, with_item};
use crate::support::{DOC, diagnostics};

/// Name, dialect, format in the corpus, and the format that it is read as.
type MessageDialect = (&'static str, &'static dyn Dialect, &'static str, &'static str);

const DIALECTS: [MessageDialect; 4] = [
    ("chat", &chat::CHAT, "openai-chat", "chat-request"),
    ("anthropic", &anthropic::ANTHROPIC, "anthropic-messages", "anthropic-request"),
    ("gemini", &gemini::GEMINI, "gemini-contents", "gemini-request"),
    ("bedrock", &bedrock::BEDROCK, "bedrock-converse", "bedrock-request"),
];

/// The rows of a message, each with its own text.
fn rows(dialect: &dyn Dialect, message: &Value) -> Vec<(Row, Value)> {
    let text = message.to_string();
    let mut rows = Vec::new();
    with_item(&text, |val| {
        let origin =
            ItemOrigin { base: RecordBase::new(DOC, 0), record: 0, turn: 0, part: 0, flags: Flags::default() };
        dialect.rows(val, origin, &mut |item| {
            // A block that is not an object is a violation of its message.
            if item.val.is_object() {
                rows.push((item.row, serde_json::from_slice(item.val.raw()).expect("JSON")));
            }
        });
    });
    rows
}

/// One message of each role and one block of each type, with all members of their schemas.
fn sample_items(dialect: &str) -> Vec<Value> {
    let list = match dialect {
        "chat" => {
            r#"[{"role":"system","content":"x","name":"n"},{"role":"developer","content":"x","name":null},
            {"role":"user","name":"n","content":[{"type":"text","text":"x","prompt_cache_breakpoint":{"mode":"explicit","ttl":"30m"}},
             {"type":"image_url","image_url":{"url":"u","detail":"low"}},{"type":"input_audio","input_audio":{"data":"d","format":"mp3"}},
             {"type":"file","file":{"file_data":"d","file_id":"f","filename":null}},{"type":"video_url","video_url":{}}]},
            {"role":"assistant","content":[{"type":"text","text":"x"},{"type":"refusal","refusal":"r"}],"name":null,"refusal":null,
             "audio":{"id":"a"},"function_call":{"name":"f","arguments":"{}"},"tool_calls":[
              {"type":"function","id":"c","function":{"name":"f","arguments":"{}"}},
              {"type":"custom","id":"c","custom":{"name":"f","input":"x"}}]},
            {"role":"tool","tool_call_id":"c","content":[{"type":"text","text":"x"}],"name":"n"},
            {"role":"function","name":"f","content":null}]"#
        }
        "anthropic" => {
            r#"[{"role":"system","content":"x"},{"role":"user","content":[
             {"type":"text","text":"x","citations":[{"type":"char_location","cited_text":"x","document_index":0,"document_title":null,"start_char_index":0,"end_char_index":1},
              {"type":"page_location","cited_text":"x","document_index":0,"start_page_number":0,"end_page_number":1},
              {"type":"content_block_location","cited_text":"x","document_index":0,"start_block_index":0,"end_block_index":1},
              {"type":"search_result_location","cited_text":"x","search_result_index":0,"source":"s","title":"t","start_block_index":0,"end_block_index":1},
              {"type":"web_search_result_location","cited_text":"x","url":"u","encrypted_index":"e","title":null}],
              "cache_control":{"type":"ephemeral","ttl":"5m"}},
             {"type":"image","source":{"type":"base64","media_type":"image/png","data":"d"},"transformations":null},
             {"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"d"},"title":"t","context":"c","citations":{"enabled":true}},
             {"type":"document","source":{"type":"content","content":[{"type":"text","text":"x"},{"type":"image","source":{"type":"url","url":"u"}}]}},
             {"type":"document","source":{"type":"text","media_type":"text/plain","data":"d"}},
             {"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"x"}]},
             {"type":"container_upload","file_id":"f"},{"type":"brand_new"},
             {"type":"tool_result","tool_use_id":"t","is_error":true,"toolset_name":"n","content":[{"type":"text","text":"x"},
              {"type":"tool_reference","tool_name":"n"},
              {"type":"browser_state","tabs":[{"tab_id":"1","title":"t","url":"u","active":true}],"state_changes":[{"type":"tab_opened"}]}]}]},
            {"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"s"},{"type":"redacted_thinking","data":"d"},
             {"type":"tool_use","id":"t","name":"n","input":{},"caller":{"type":"direct"},"toolset_name":"n"},
             {"type":"server_tool_use","id":"s","name":"n","input":{},"caller":{"type":"code_execution_20260120","tool_id":"t"}},
             {"type":"mcp_tool_use","id":"m","name":"n","server_name":"s","input":{}},
             {"type":"mcp_tool_result","tool_use_id":"m","is_error":false,"content":[{"type":"text","text":"x"}]},
             {"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","url":"u","title":"t","encrypted_content":"e","page_age":"p"}]},
             {"type":"web_search_tool_result","tool_use_id":"s","content":{"type":"web_search_tool_result_error","error_code":"unavailable"}},
             {"type":"web_fetch_tool_result","tool_use_id":"s","content":{"type":"web_fetch_result","url":"u","retrieved_at":null,
              "content":{"type":"document","source":{"type":"file","file_id":"f"}}}},
             {"type":"code_execution_tool_result","tool_use_id":"s","content":{"type":"code_execution_result","stdout":"x","stderr":"","return_code":0,
              "content":[{"type":"code_execution_output","file_id":"f"}]}},
             {"type":"bash_code_execution_tool_result","tool_use_id":"s","content":{"type":"bash_code_execution_result","stdout":"x","stderr":"","return_code":0,
              "content":[{"type":"bash_code_execution_output","file_id":"f"}]}},
             {"type":"text_editor_code_execution_tool_result","tool_use_id":"s","content":{"type":"text_editor_code_execution_str_replace_result",
              "lines":["x"],"new_lines":1,"new_start":1,"old_lines":1,"old_start":1}},
             {"type":"tool_search_tool_result","tool_use_id":"s","content":{"type":"tool_search_tool_search_result",
              "tool_references":[{"type":"tool_reference","tool_name":"n"}]}}]}]"#
        }
        "gemini" => {
            r#"[{"role":"user","parts":[{"text":"x"},{"inlineData":{"mimeType":"m","data":"d","displayName":"n"},"mediaResolution":{"level":"L","numTokens":"1"}},
             {"file_data":{"mime_type":"m","file_uri":"u","display_name":null},"video_metadata":{"fps":1.5,"start_offset":"1s","end_offset":"2s"}},
             {"functionResponse":{"id":"i","name":"n","response":{},"parts":[{"inlineData":{"data":"d"}},{"file_data":{}}],"willContinue":false,"scheduling":"SILENT"}},
             {"function_response":{"name":"n","response":null,"will_continue":true}},{"toolResponse":{"id":"i","toolType":"T","response":{}}},
             {"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"x","id":"i"}},{"brandNew":{}}]},
            {"role":"model","parts":[{"text":"x","thought":true,"thoughtSignature":"s","partMetadata":{}},
             {"functionCall":{"id":"i","name":"n","args":{},"partialArgs":[{}],"willContinue":true},"thought_signature":"s"},
             {"function_call":{"name":"n","args":null}},{"executable_code":{"language":"PYTHON","code":"x"}},
             {"tool_call":{"id":"i","tool_type":"T","args":{}}}]},{"parts":{"text":"x"}}]"#
        }
        _ => {
            r#"[{"role":"user","content":[{"text":"x"},{"image":{"format":"png","source":{"bytes":"b"},"error":null}},
             {"document":{"name":"n","format":"pdf","source":{"s3Location":{"uri":"u","bucketOwner":"o"}},"context":"c","citations":{"enabled":true}}},
             {"document":{"name":"n","source":{"text":"x"}}},{"document":{"name":"n","source":{"content":[{"text":"x"}]}}},
             {"video":{"format":"mp4","source":{"bytes":"b"}}},{"audio":{"format":"mp3","source":{"bytes":"b"}}},
             {"searchResult":{"source":"s","title":"t","content":[{"text":"x"}],"citations":{}}},
             {"guardContent":{"text":{"text":"x","qualifiers":["query"]}}},{"guardContent":{"image":{"format":"png","source":{}}}},
             {"cachePoint":{"type":"default","ttl":"5m"}},{"brandNew":1},
             {"toolResult":{"toolUseId":"t","status":"error","type":"x","content":[{"json":{}},{"text":"x"},{"image":{"format":"png","source":{"bytes":"b"}}},
              {"searchResult":{"source":"s","title":"t","content":[]}}]}}]},
            {"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"n","input":{},"type":"server_tool_use"}},
             {"reasoningContent":{"reasoningText":{"text":"x","signature":"s"}}},{"reasoningContent":{"redactedContent":"r"}},
             {"citationsContent":{"content":[{"text":"x"}],"citations":[{"title":"t","source":"s","sourceContent":[{"text":"x"}],"location":{}}]}},
             {"text":"x","toolUse":null}]}]"#
        }
    };
    let list: Value = serde_json::from_str(list).expect("JSON");
    list.as_array().expect("a list").clone()
}

#[test]
fn every_definition_compiles_and_is_found() {
    for (name, dialect, ..) in DIALECTS {
        for (definition, table) in schema::tables(name) {
            assert!(table.is_ok(), "{name} {definition}: the table cannot say {:?}", table.as_ref().err());
        }
        let mut found = BTreeSet::new();
        let standard = Schemas::Official.of(name).expect("a grammar");
        for message in sample_items(name) {
            for (row, item) in rows(dialect, &message) {
                with_item(&item.to_string(), |val| {
                    found.extend(schema::definition(name, &row, val));
                    assert!(standard.fits(&row, val), "{name}: {item}");
                });
            }
        }
        // A definition that no row has is part of another one.
        let names: BTreeSet<String> = schema::tables(name).into_iter().map(|(name, _)| name).collect();
        let (_, file) = schema::files().find(|(dialect, _)| *dialect == name).expect("a file");
        for definition in names.iter().filter(|definition| !found.contains(definition.as_str())) {
            let used = file.contains(&format!("\"#/$defs/{definition}\""));
            // The definition `message` is for unknown roles, which are never valid.
            assert!(used || definition == "message", "{name}: {definition} is neither found nor used");
        }
        let least = BTreeMap::from([("chat", 12), ("anthropic", 21), ("gemini", 2), ("bedrock", 3)]);
        assert!(found.len() >= least[name], "{name}: {found:?}");
    }
}

#[test]
fn schema_files_are_valid_and_name_their_corrections() {
    assert_eq!(schema::files().count(), 5);
    for (name, file) in schema::files() {
        let file: Value = serde_json::from_str(file).expect("JSON");
        assert!(jsonschema::meta::validate(&file).is_ok(), "{name}");
        let mut mended = 0;
        for (definition, schema) in file["$defs"].as_object().expect("definitions") {
            let comment = schema["$comment"].as_str().unwrap_or_default();
            mended += usize::from(comment.contains("mended: "));
            assert_eq!(comment.contains("mended"), comment.contains("mended: "), "{name} {definition}: {comment}");
        }
        assert!(mended >= 3, "{name}: {mended}");
    }
}

#[test]
fn gemini_has_each_member_in_both_spellings() {
    let (_, file) = schema::files().find(|(name, _)| *name == "gemini").expect("a file");
    let file: Value = serde_json::from_str(file).expect("JSON");
    let snake = |name: &str| {
        let letter =
            |c: char| if c.is_ascii_uppercase() { format!("_{}", c.to_ascii_lowercase()) } else { c.into() };
        name.chars().map(letter).collect::<String>()
    };
    for (definition, schema) in file["$defs"].as_object().expect("definitions") {
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            let twin = &schema["properties"][snake(name)];
            assert_eq!(twin, member, "{definition} {name}");
            assert!(
                !name.contains('_')
                    || schema["properties"]
                        .as_object()
                        .is_some_and(|all| { all.keys().any(|other| other != name && snake(other) == *name) }),
                "{definition} {name} has only one spelling"
            );
        }
    }
}

/// All objects with a role, anywhere in a text: a document, lines, or cases.
fn find_messages(text: &str) -> Vec<Value> {
    find_objects(text, |map| map.get("role").is_some_and(Value::is_string) && map.len() > 1)
}

/// A value with its long texts truncated: they give the same results as short ones, and take longer.
fn shorten(value: &Value) -> Value {
    match value {
        Value::String(text) => json!(text.chars().take(40).collect::<String>()),
        Value::Array(list) => list.iter().take(4).map(shorten).collect(),
        Value::Object(map) => map.iter().take(40).map(|(key, value)| (key.clone(), shorten(value))).collect(),
        other => other.clone(),
    }
}

#[test]
fn the_table_agrees_with_jsonschema() {
    let mut folder = Vec::new();
    read_texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats"), &mut folder);
    let root = corpus::corpus();
    for (name, dialect, format, _) in DIALECTS {
        let mut found = sample_items(name);
        // Messages of all dialects: the validators must also agree on those of another dialect.
        folder.iter().for_each(|text| found.extend(find_messages(text)));
        if let Some(root) = &root {
            for row in manifest(root).into_iter().filter(|row| row.format == format && row.gold == "accepted") {
                found.extend(find_messages(&fs::read_to_string(root.join(&row.path)).expect("readable")));
            }
        }
        let mut items: BTreeMap<String, (Row, Value)> = BTreeMap::new();
        for (row, item) in found.iter().map(shorten).flat_map(|message| rows(dialect, &message)) {
            // Blocks of a message are mutated as rows of their own.
            let text = item.to_string();
            if text.len() < 700 {
                items.entry(shape(&item)).or_insert((row, item));
            }
        }
        let mut validators = SchemaValidators::new(name);
        let (mut valid, mut invalid) = (0, 0);
        for (row, item) in items.values() {
            for mutated in std::iter::once(item.clone()).chain(mutations(item)) {
                // Rows are of objects.
                if mutated.is_object() {
                    match validators.unanimous_verdict(row, &mutated) {
                        true => valid += 1,
                        false => invalid += 1,
                    }
                }
            }
        }
        println!("{name}: {} items; of them and their mutations {valid} fit and {invalid} do not", items.len());
        assert!(valid > 1_000 && invalid > 500, "{name}: {valid} {invalid}");
    }
}

/// The shape of an item: keys, kinds of values, and the texts that a schema constrains.
fn shape(value: &Value) -> String {
    fn write(value: &Value, key: &str, out: &mut String) {
        match value {
            Value::Object(map) => {
                out.push('{');
                map.iter().for_each(|(key, value)| {
                    out.push_str(key);
                    write(value, key, out);
                });
                out.push('}');
            }
            Value::Array(list) => list.iter().take(2).for_each(|value| write(value, key, out)),
            Value::String(text) if ["type", "role", "format", "status"].contains(&key) => out.push_str(text),
            Value::String(_) => out.push('s'),
            other => out.push_str(&other.to_string()),
        }
    }
    let mut out = String::new();
    write(value, "", &mut out);
    out
}

#[test]
fn accepted_requests_conform_to_their_schema() {
    let Some(root) = corpus::corpus() else { return };
    for (name, _, format, read_as) in DIALECTS {
        let mut accepted = 0;
        for row in manifest(&root).into_iter().filter(|row| row.format == format && row.gold == "accepted") {
            let target = if name == "chat" { corpus::chat_target(&row.provider) } else { name };
            let options = Options {
                read: replaylint::internals::read::Options {
                    format: formats::by_name(read_as),
                    ..Default::default()
                },
                target: replaylint::internals::targets::by_name(target),
                enabled: EnabledRules::new(|rule| rule.code == Code(400)),
                ..Options::default()
            };
            let found = diagnostics(&fs::read(root.join(&row.path)).expect("readable"), &options);
            assert!(found.is_empty(), "{}: {}", row.path, found[0].message);
            accepted += 1;
        }
        println!("{name}: {accepted} accepted requests, all valid");
        assert!(accepted > 20);
    }
}

/// The violations of a message and its blocks: kind, true if doubtful, problem.
fn read_violations(name: &str, message: &str) -> Vec<(ViolationKind, bool, String)> {
    let (_, dialect, ..) = DIALECTS.into_iter().find(|(known, ..)| *known == name).expect("a dialect");
    let standard = Schemas::Official.of(name).expect("a grammar");
    let message: Value = serde_json::from_str(message).expect("JSON");
    let mut found = Vec::new();
    for (row, item) in rows(dialect, &message) {
        with_item(&item.to_string(), |val| {
            let violations = standard.violations(&row, val).into_iter();
            found.extend(violations.map(|violation| (violation.kind, violation.doubtful, violation.problem)));
        });
    }
    found
}

#[test]
fn violations_are_reported_once_at_their_block_without_content() {
    for (name, message, fault, doubtful, words) in [
        (
            "chat",
            r#"{"role":"user","content":[{"type":"image_url","image_url":"SECRET"}]}"#,
            ViolationKind::Type,
            true,
            "/image_url must be an object, but is a string",
        ),
        (
            "chat",
            r#"{"role":"assistant","tool_calls":[{"type":"function","id":"c","function":{"name":"f","arguments":{"SECRET":1}}}]}"#,
            ViolationKind::Type,
            false,
            "/function/arguments must be a string, but is an object",
        ),
        (
            "chat",
            r#"{"role":"user","content":["SECRET"]}"#,
            ViolationKind::Type,
            false,
            "/content/0 must be an object, but is a string",
        ),
        (
            "chat",
            r#"{"role":"user","content":[{"text":"SECRET"}]}"#,
            ViolationKind::Missing,
            false,
            "/type is missing",
        ),
        (
            "chat",
            r#"{"role":"assistant","audio":{"SECRET":1}}"#,
            ViolationKind::Missing,
            true,
            "/audio/id is missing",
        ),
        (
            "anthropic",
            r#"{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png"}}]}"#,
            ViolationKind::Missing,
            false,
            "/source/data is missing",
        ),
        (
            "anthropic",
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":null}]}]}"#,
            ViolationKind::Type,
            false,
            "/content/0/text must be a string, but is null",
        ),
        (
            "anthropic",
            r#"{"role":"assistant","content":[{"type":"tool_search_tool_result","tool_use_id":"t","content":{"type":"SECRET"}}]}"#,
            ViolationKind::Other,
            true,
            "/content/type must be one of 'tool_search_tool_search_result', 'tool_search_tool_result_error'",
        ),
        (
            "gemini",
            r#"{"role":"user","parts":[{"functionResponse":{"name":"n","response":["SECRET"]}}]}"#,
            ViolationKind::Type,
            false,
            "/functionResponse/response must be an object or null, but is a list",
        ),
        (
            "gemini",
            r#"{"role":"user","parts":[{"function_response":{"name":"n","response":["SECRET"]}}]}"#,
            ViolationKind::Type,
            false,
            "/function_response/response must be an object or null, but is a list",
        ),
        (
            "bedrock",
            r#"{"role":"user","content":[{"toolResult":{"toolUseId":"t","content":"SECRET"}}]}"#,
            ViolationKind::Type,
            false,
            "/toolResult/content must be a list, but is a string",
        ),
        (
            "bedrock",
            r#"{"role":"user","content":[{"document":{"name":"SECRET"}}]}"#,
            ViolationKind::Missing,
            true,
            "/document/source is missing",
        ),
        (
            "bedrock",
            r#"{"role":"SECRET","content":[]}"#,
            ViolationKind::Role,
            false,
            "/role must be one of 'user', 'assistant'",
        ),
    ] {
        assert_eq!(read_violations(name, message), [(fault, doubtful, words.to_owned())], "{name}: {message}");
    }
}

#[test]
fn a_custom_schema_applies_to_messages_and_blocks() {
    let own = Schemas::custom(r#"{"if":{"required":["type"]},"then":{"properties":{"type":{"enum":["text"]}}}}"#);
    let options = Options {
        schemas: own.expect("a schema"),
        enabled: EnabledRules::new(|rule| rule.code == Code(400)),
        ..Options::default()
    };
    let body = json!({"model": "gpt-5", "messages": [{"role": "user", "content": [
        {"type": "text", "text": ""}, {"type": "image_url", "image_url": {"url": "u"}}, {"type": "", "text": ""}]}]});
    let found = diagnostics(body.to_string().as_bytes(), &options);
    let violations: Vec<_> = found.iter().map(|d| (d.location.pointer.as_str(), d.variant)).collect();
    assert_eq!(violations, [("/messages/0/content/1", 5), ("/messages/0/content/2", 5)]);
}
