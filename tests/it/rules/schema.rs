//! The schema check: every definition compiles to a table, and the table decides as `jsonschema` does, on items that
//! fit and on mutations of them. Here the items of the Responses API; messages are in `schema_messages`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use replaylint::internals::dialect::{Dialect, ItemOrigin};
use replaylint::internals::dialects::responses::RESPONSES;
use replaylint::internals::history::{Flags, Kind, Row};
use replaylint::internals::json::edit::RecordBase;
use replaylint::internals::json::{Tape, Val, scan};
use replaylint::internals::schema::{self, ItemSchema, Schemas, ViolationKind};
use serde_json::{Value, json};

use crate::rules::corpus;
use crate::support::DOC;

const FILE: &str = include_str!("../../../schemas/openai-responses.json");

#[test]
fn every_definition_compiles_to_a_table() {
    let tables = schema::tables("responses");
    assert!(tables.len() > 40);
    for (name, table) in &tables {
        assert!(table.is_ok(), "{name}: the table cannot say {:?}", table.as_ref().err());
    }
    // Every item type of the Responses API has its definition; the kinds after the unknown one are of other dialects.
    for kind in Kind::all().take_while(|kind| *kind != Kind::Unknown) {
        assert!(tables.iter().any(|(name, _)| name == kind.name()), "{} has no definition", kind.name());
    }
}

#[test]
fn the_schema_file_is_valid_and_names_its_corrections() {
    let file: Value = serde_json::from_str(FILE).expect("JSON");
    assert!(jsonschema::meta::validate(&file).is_ok());
    let page = replaylint::internals::rules::items::schema_violation::RULE.page;
    for (name, definition) in file["$defs"].as_object().expect("definitions") {
        for comment in definition["$comment"].as_str().into_iter().filter(|comment| comment.contains("mended")) {
            assert!(comment.starts_with("mended: "), "{name}: {comment}");
        }
    }
    assert!(page.contains("defects") && page.contains("corrected"));
}

fn official_schema() -> ItemSchema {
    Schemas::Official.of("responses").expect("a grammar")
}

/// The row of an item.
fn row(item: Val<'_>) -> Row {
    let origin =
        ItemOrigin { base: RecordBase::new(DOC, 0), record: 0, turn: 0, part: 0, flags: Flags::default() };
    let mut found = None;
    RESPONSES.rows(item, origin, &mut |item| found = Some(item.row));
    found.expect("a row")
}

pub fn with_item<T>(text: &str, see: impl FnOnce(Val<'_>) -> T) -> T {
    let mut tape = Tape::new();
    assert_eq!(scan(text.as_bytes(), &mut tape), Ok(()), "{text}");
    see(tape.root(text.as_bytes()).expect("a value"))
}

/// Three validators of items: the table, jsonschema over the tape, and jsonschema over a tree of values.
pub struct SchemaValidators {
    dialect: &'static str,
    standard: ItemSchema,
    file: Value,
    validators: BTreeMap<&'static str, Validator>,
}

impl SchemaValidators {
    pub fn new(dialect: &'static str) -> Self {
        let (_, file) = schema::files().find(|(name, _)| *name == dialect).expect("a file");
        SchemaValidators {
            dialect,
            standard: Schemas::Official.of(dialect).expect("a grammar"),
            file: serde_json::from_str(file).expect("JSON"),
            validators: BTreeMap::new(),
        }
    }

    fn is_valid(&mut self, name: &'static str, item: &Value) -> bool {
        let file = &self.file;
        let validator = self.validators.entry(name).or_insert_with(|| {
            let schema = json!({ "$ref": format!("#/$defs/{name}"), "$defs": file["$defs"] });
            jsonschema::validator_for(&schema).expect("a schema")
        });
        validator.is_valid(item)
    }

    /// True if an item is valid; asserts that the three validators agree.
    pub fn unanimous_verdict(&mut self, row: &Row, item: &Value) -> bool {
        let text = item.to_string();
        with_item(&text, |val| {
            let fits = self.standard.fits(row, val);
            assert_eq!(
                fits,
                self.standard.is_valid(row, val),
                "the table and jsonschema over the tape differ on {text}"
            );
            let name = schema::definition(self.dialect, row, val);
            let in_tree = name.is_none_or(|name| self.is_valid(name, item));
            assert_eq!(fits, in_tree, "the table and jsonschema over a tree differ on {text}");
            assert_eq!(fits, self.standard.violations(row, val).is_empty(), "{text}");
            fits
        })
    }
}

/// The values that replace each value of an item.
fn replacement_values() -> [Value; 9] {
    let long = "x".repeat(200);
    [json!(null), json!(""), json!(0), json!(1.5), json!(2.0), json!(true), json!([]), json!({}), json!(long)]
}

/// The item with one thing changed: a field removed, replaced, wrapped, or added, everywhere in it.
pub fn mutations(item: &Value) -> Vec<Value> {
    let mut out = Vec::new();
    let mut paths = Vec::new();
    collect_pointers(item, String::new(), &mut paths);
    for path in paths {
        let mut change = |with: &dyn Fn(&mut Value)| {
            let mut copy = item.clone();
            with(copy.pointer_mut(&path).expect("it is there"));
            out.push(copy);
        };
        for replacement in replacement_values() {
            change(&|at| *at = replacement.clone());
        }
        change(&|at| *at = json!([at.clone()]));
        change(&|at| *at = json!({ "type": at.clone() }));
        change(&|at| {
            if let Value::String(text) = at {
                text.push_str("_of_another_kind");
            }
        });
        let keys = item.pointer(&path).and_then(Value::as_object).map(|map| map.keys().cloned().collect());
        let keys: Vec<String> = keys.unwrap_or_default();
        for key in &keys {
            change(&|at| drop(at.as_object_mut().and_then(|map| map.shift_remove(key))));
        }
        change(&|at| {
            if let Value::Object(map) = at {
                map.insert("never_heard_of".to_owned(), json!(1));
            }
        });
        change(&|at| {
            if let Value::Array(list) = at {
                list.push(json!({ "type": "never_heard_of" }));
            }
        });
    }
    out
}

/// Collects the pointers of a value and of all values in it.
fn collect_pointers(value: &Value, path: String, out: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            let escaped = |key: &String| key.replace('~', "~0").replace('/', "~1");
            map.iter().for_each(|(key, value)| collect_pointers(value, format!("{path}/{}", escaped(key)), out));
        }
        Value::Array(list) => {
            list.iter().enumerate().for_each(|(n, value)| collect_pointers(value, format!("{path}/{n}"), out));
        }
        _ => {}
    }
    out.push(path);
}

/// The matching objects anywhere in a text, a document or lines, but not those within another one.
pub fn find_objects(text: &str, wanted: fn(&serde_json::Map<String, Value>) -> bool) -> Vec<Value> {
    fn collect_objects(value: &Value, wanted: fn(&serde_json::Map<String, Value>) -> bool, out: &mut Vec<Value>) {
        match value {
            Value::Object(map) if wanted(map) => out.push(value.clone()),
            Value::Object(map) => map.values().for_each(|value| collect_objects(value, wanted, out)),
            Value::Array(list) => list.iter().for_each(|value| collect_objects(value, wanted, out)),
            _ => {}
        }
    }
    let mut out = Vec::new();
    match serde_json::from_str(text) {
        Ok(value) => collect_objects(&value, wanted, &mut out),
        Err(_) => {
            let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok());
            lines.for_each(|value: Value| collect_objects(&value, wanted, &mut out));
        }
    }
    out
}

/// Items anywhere in a text.
fn find_items(text: &str) -> Vec<Value> {
    find_objects(text, |map| {
        let kind = map.get("type").and_then(Value::as_str);
        let known = kind.is_some_and(|kind| Kind::of_type(kind.as_bytes()) != Kind::Unknown);
        known || map.contains_key("role") && map.contains_key("content")
    })
}

pub fn read_texts(folder: &Path, out: &mut Vec<String>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).expect("a folder").flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        match path.is_dir() {
            true => read_texts(&path, out),
            false => out.extend(fs::read_to_string(&path)),
        }
    }
}

/// One item of each type, with all members of its schema.
fn sample_items() -> Vec<Value> {
    let list = r#"[
     {"type":"message","id":"msg_1","role":"user","status":"completed","content":[
      {"type":"input_text","text":"x","prompt_cache_breakpoint":{"mode":"explicit"}},
      {"type":"input_image","image_url":"u","detail":"high"},{"type":"input_file","file_id":"file-1","filename":"a"}]},
     {"role":"developer","content":"x"},
     {"type":"message","id":"msg_1","role":"assistant","phase":"commentary","status":"completed","content":[
      {"type":"output_text","text":"x","annotations":[
       {"type":"url_citation","url":"u","title":"t","start_index":0,"end_index":1},
       {"type":"file_citation","file_id":"f","index":0,"filename":"n"},{"type":"file_path","file_id":"f","index":0},
       {"type":"container_file_citation","container_id":"c","file_id":"f","filename":"n","start_index":0,"end_index":1}],
       "logprobs":[{"token":"x","logprob":-0.5,"bytes":[1],"top_logprobs":[]}]},{"type":"refusal","refusal":"x"}]},
     {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"x"}],"encrypted_content":"b",
      "content":[{"type":"reasoning_text","text":"x"}],"status":"completed"},
     {"type":"function_call","id":"fc_1","call_id":"c","name":"f","namespace":"n","arguments":"{}","status":"completed",
      "caller":{"type":"program","caller_id":"c"}},
     {"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"x"}],"name":"f","namespace":"n-1",
      "caller":{"type":"direct"}},
     {"type":"custom_tool_call","id":"ctc_1","call_id":"c","name":"f","input":"x"},
     {"type":"custom_tool_call_output","call_id":"c","output":"x"},
     {"type":"computer_call","id":"cu_1","call_id":"c","status":"completed",
      "action":{"type":"click","x":1,"y":2,"button":"left","keys":["a"]},"actions":[{"type":"drag","path":[{"x":1,"y":2}]}],
      "pending_safety_checks":[{"id":"s","code":"c","message":null}]},
     {"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot","image_url":"u"},
      "acknowledged_safety_checks":[{"id":"s"}]},
     {"type":"local_shell_call","id":"lsh_1","call_id":"c","status":"completed",
      "action":{"type":"exec","command":["ls"],"env":{"a":"b"},"timeout_ms":5}},
     {"type":"local_shell_call_output","id":"lsh_1","output":"x"},
     {"type":"shell_call","call_id":"c","action":{"commands":["ls"],"timeout_ms":1},"environment":{"type":"local"}},
     {"type":"shell_call_output","call_id":"c","max_output_length":9,
      "output":[{"stdout":"x","stderr":"","outcome":{"type":"exit","exit_code":0}},
       {"stdout":"x","stderr":"","outcome":{"type":"timeout"}}]},
     {"type":"apply_patch_call","call_id":"c","status":"completed","operation":{"type":"update_file","path":"a","diff":"d"}},
     {"type":"apply_patch_call","call_id":"c","status":"completed","operation":{"type":"delete_file","path":"a"}},
     {"type":"apply_patch_call_output","call_id":"c","status":"failed","output":"x"},
     {"type":"tool_search_call","arguments":{},"execution":"client","call_id":"c","status":"completed"},
     {"type":"tool_search_output","call_id":"c","tools":[{"type":"function","name":"f","parameters":{}}]},
     {"type":"program","id":"cm_1","call_id":"c","code":"x","fingerprint":"f"},
     {"type":"program_output","id":"cm_2","call_id":"c","result":"x","status":"completed"},
     {"type":"mcp_approval_request","id":"mcpr_1","server_label":"s","name":"n","arguments":"{}"},
     {"type":"mcp_approval_response","approve":true,"approval_request_id":"mcpr_1","reason":"r"},
     {"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"q","queries":["q"],
      "sources":[{"type":"url","url":"u"}]}},
     {"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"find_in_page","url":"u","pattern":"p"}},
     {"type":"file_search_call","id":"fs_1","status":"completed","queries":["q"],"results":[{"file_id":"f","score":0.5}]},
     {"type":"code_interpreter_call","id":"ci_1","status":"completed","container_id":"c","code":"x",
      "outputs":[{"type":"logs","logs":"x"},{"type":"image","url":"u"}]},
     {"type":"image_generation_call","id":"ig_1","status":"completed","result":"x"},
     {"type":"mcp_list_tools","id":"mcpl_1","server_label":"s","tools":[{"name":"n","input_schema":{},"annotations":null}]},
     {"type":"mcp_call","id":"mcp_1","server_label":"s","name":"n","arguments":"{}","output":"x","error":null,
      "status":"completed"},
     {"type":"compaction","id":"cmp_1","encrypted_content":"b"},{"type":"compaction_trigger"},
     {"type":"item_reference","id":"rs_1"},{"id":"rs_1"},
     {"type":"additional_tools","role":"developer","tools":[{"type":"custom","name":"n"}]},
     {"type":"configuration_update","reasoning":{"effort":"low"}}]"#;
    let list: Value = serde_json::from_str(list).expect("JSON");
    list.as_array().expect("a list").clone()
}

#[test]
fn the_table_agrees_with_jsonschema() {
    let mut found = sample_items();
    for item in &found {
        with_item(&item.to_string(), |val| assert!(official_schema().fits(&row(val), val), "{item}"));
    }
    let mut folder = Vec::new();
    read_texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats"), &mut folder);
    folder.iter().for_each(|text| found.extend(find_items(text)));
    if let Some(root) = corpus::corpus() {
        for (recorded, _) in corpus::responses(&root) {
            let text = fs::read_to_string(root.join(&recorded.path)).expect("readable");
            // Long items give the same results as short ones, and take longer.
            found.extend(find_items(&text).into_iter().filter(|item| item.to_string().len() < 2_000));
        }
    }
    found.sort_by_key(Value::to_string);
    found.dedup();
    let mut validators = SchemaValidators::new("responses");
    let (mut valid, mut invalid) = (0, 0);
    for item in &found {
        let row = with_item(&item.to_string(), row);
        for mutated in std::iter::once(item.clone()).chain(mutations(item)) {
            match validators.unanimous_verdict(&row, &mutated) {
                true => valid += 1,
                false => invalid += 1,
            }
        }
    }
    println!("{} items; of them and their mutations {valid} fit and {invalid} do not", found.len());
    assert!(valid > 1_000 && invalid > 1_000);
}

/// The violations of an item: kind, true if doubtful, field as the provider writes it, problem.
fn read_violations(text: &str) -> Vec<(ViolationKind, bool, String, String)> {
    with_item(text, |val| {
        let violations = official_schema().violations(&row(val), val);
        violations.into_iter().map(|v| (v.kind, v.doubtful, v.field(), v.problem)).collect()
    })
}

#[test]
fn violations_are_reported_at_their_place_without_content() {
    let violations = |text: &str| {
        let found = read_violations(text);
        found.iter().for_each(|(.., problem)| assert!(!problem.contains("SECRET"), "{problem}"));
        found.into_iter().map(|(fault, doubtful, field, problem)| (fault, doubtful, field + " " + &problem))
    };
    let one = |text: &str| violations(text).next().unwrap_or_else(|| panic!("{text} fits"));
    for (text, fault, doubtful, words) in [
        (
            r#"{"role":"user","content":null}"#,
            ViolationKind::Type,
            false,
            ".content /content must be a string or a list, but is null",
        ),
        (
            r#"{"role":"user","content":[{"type":"input_text"}]}"#,
            ViolationKind::Missing,
            false,
            ".content[0].text /content/0/text is missing",
        ),
        (
            r#"{"role":"SECRET","content":"SECRET"}"#,
            ViolationKind::Role,
            false,
            ".role /role must be one of 'assistant', 'system', 'developer', 'user'",
        ),
        (
            r#"{"role":"user","content":[{"type":"SECRET"}]}"#,
            ViolationKind::Other,
            false,
            ".content[0].type /content/0/type must be one of 'input_text', 'input_image', 'input_file'",
        ),
        (
            r#"{"role":"user","content":["SECRET"]}"#,
            ViolationKind::Type,
            false,
            ".content[0] /content/0 must be an object, but is a string",
        ),
        (
            r#"{"type":"web_search_call","id":"ws_1","status":"completed","action":{"query":"SECRET"}}"#,
            ViolationKind::Missing,
            false,
            ".action.type /action/type is missing",
        ),
        (
            r#"{"type":"shell_call_output","call_id":"c","output":[{"stdout":"SECRET","stderr":""}]}"#,
            ViolationKind::Missing,
            true,
            ".output[0].outcome /output/0/outcome is missing",
        ),
        (
            r#"{"type":"function_call_output","output":{"SECRET":1}}"#,
            ViolationKind::Type,
            false,
            ".output /output must be a string or a list, but is an object",
        ),
    ] {
        assert_eq!(one(text), (fault, doubtful, words.to_owned()), "{text}");
    }
    // Two fields missing in one object are one violation; 1e2 is an integer.
    assert_eq!(violations(r#"{"type":"function_call","arguments":"{}"}"#).count(), 1);
    let annotation = r#"{"type":"file_path","file_id":"f","index":1e2}"#;
    let message = format!(
        r#"{{"role":"assistant","content":[{{"type":"output_text","text":"","annotations":[{annotation}]}}]}}"#
    );
    assert_eq!(violations(&message).count(), 0);
}

#[test]
fn long_texts_are_counted_in_characters() {
    let text = |n: usize, c: &str| {
        format!(r#"{{"type":"function_call_output","call_id":"c","output":"{}"}}"#, c.repeat(n))
    };
    const MOST: usize = 10_485_760;
    assert!(read_violations(&text(MOST, "é")).is_empty());
    assert!(read_violations(&text(MOST, "\\u00e9")).is_empty());
    let found = read_violations(&text(MOST + 1, "é"));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, ViolationKind::TooLong);
    assert_eq!(found[0].3, "/output has 10485761 characters; at most 10485760 are allowed");
    with_item(&text(MOST, "é"), |val| assert!(official_schema().fits(&row(val), val)));
    with_item(&text(MOST + 1, "\\n"), |val| assert!(!official_schema().fits(&row(val), val)));
}

#[test]
fn a_custom_schema_replaces_the_official_one() {
    let schemas = Schemas::custom(
        r#"{"type":"object","required":["x"],"properties":{"n":{"enum":[1,{"a":[1]}]},"u":{"uniqueItems":true},
            "k":{"propertyNames":{"maxLength":1}}},"unevaluatedProperties":{"type":"string"}}"#,
    )
    .expect("a schema");
    let standard = schemas.of("whatever").expect("it serves all dialects");
    let check = |text: &str| with_item(text, |val| standard.violations(&row(val), val).len());
    assert_eq!(check(r#"{"x":"1","n":{"a":[1.0]},"u":[1,2],"k":{"a":1}}"#), 0);
    assert_eq!(check(r#"{"x":"1","n":1.0}"#), 0);
    assert_eq!(check(r#"{"x":"1","n":2}"#), 1);
    assert_eq!(check(r#"{"x":"1","u":[{"a":1},{"a":1.0}]}"#), 1);
    assert_eq!(check(r#"{"x":"1","k":{"ab":1}}"#), 1);
    assert_eq!(check(r#"{"n":1,"y":2}"#), 2);
    for broken in ["{", r#"{"type":"no type"}"#, r#"{"$ref":"https://example.org/other.json"}"#, "1"] {
        assert!(Schemas::custom(broken).is_err(), "{broken}");
    }
}
