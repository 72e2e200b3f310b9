//! Texts in which each string with content carries a token of its own, so that it can be traced.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

/// A string that carries a token.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// The keys down to it; an index is `*`. The kind of an object is in braces: `/content/*{tool_use}/name`.
    pub path: String,
    /// The same as a JSON Pointer within the record, and the line of the record; 1 in a document.
    pub pointer: String,
    pub line: u64,
    /// The offset of the token in the text.
    pub at: u64,
}

/// A text with tokens, which are numbered like the leaves.
pub struct TokenText {
    pub text: Vec<u8>,
    pub leaves: Vec<Leaf>,
}

/// Members that give the kind of an object; the first one counts.
const KINDS: [&str; 8] = ["type", "kind", "part_kind", "__event__", "role", "from", "sender", "$type"];

/// Members that control how something is read, and are not content.
const FORM: [&str; 100] = [
    // Its kind.
    "type",
    "kind",
    "part_kind",
    "__event__",
    "role",
    "from",
    "sender",
    "object",
    "event",
    "op",
    "method",
    "subtype",
    "lc",
    "api",
    "schema",
    "$type",
    "data_type",
    "status",
    "state",
    "level",
    "phase",
    "author",
    "action",
    "observation",
    "source",
    "execution",
    "environment",
    "operation",
    "content_type",
    "mode",
    "boundary",
    "reason",
    "mime_type",
    "mimeType",
    "media_type",
    "mediaType",
    "mime",
    "format",
    "detail",
    "modality",
    "call_type",
    "modelType",
    "record_type",
    "entrypoint",
    "userType",
    "history_mode",
    "source_type",
    "display",
    "caller",
    "language",
    // How it ended.
    "finish_reason",
    "finishReason",
    "stop_reason",
    "stopReason",
    "outcome",
    "finish",
    // How it is to be answered.
    "tool_choice",
    "effort",
    "think",
    "verbosity",
    "service_tier",
    "serviceTier",
    "truncation",
    "summary_mode",
    "ttl",
    "prompt_cache_retention",
    "approval_policy",
    "sandbox_policy",
    "collaboration_mode",
    "personality",
    // Who wrote it.
    "model",
    "modelVersion",
    "model_name",
    "modelName",
    "model_slug",
    "default_model_slug",
    "model_provider",
    "model_provider_kind",
    "provider",
    "provider_name",
    "providerName",
    "custom_llm_provider",
    "version",
    "_version",
    "cli_version",
    "copilotVersion",
    "$schemaVersion",
    "anthropic_version",
    "anthropic-version",
    "inference_geo",
    "fingerprint",
    "system_fingerprint",
    "encoding",
    "uuid",
    "cwd",
    "visibility",
    "__pydantic__",
    "__dataclass__",
    "__exception__",
    "recipient",
];

/// Texts that are not content, wherever they are.
const WORDS: [&str; 1] = ["Resume"];

/// Ids of the user: answers are found by them.
const OWN_IDS: [&str; 3] = ["custom_id", "recordId", "key"];

/// Fragments of JSON: a token would break the sum of them.
const FRAGMENTS: [&str; 3] = ["partial_json", "input_json_delta", "argumentsDelta"];

/// Names link a call to its definition and its result: equal ones must stay equal.
const NAMES: [&str; 6] = ["name", "toolName", "tool_name", "function_name", "tool", "serverName"];

/// Inserts tokens into the leaves whose paths `pick` accepts.
pub fn insert_tokens(text: &[u8], pick: &dyn Fn(&str) -> bool) -> TokenText {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut ids = BTreeSet::new();
    records(text).iter().for_each(|record| collect_ids(record, "", &mut ids));
    let mut placing = TokenInserter { leaves: Vec::new(), names: Vec::new(), ids, pick, line: 1 };
    let text = match serde_json::from_slice::<Value>(text) {
        Ok(mut document) => {
            placing.place(&mut document);
            let spread = text.trim_ascii().contains(&b'\n');
            if spread { serde_json::to_vec_pretty(&document) } else { serde_json::to_vec(&document) }
                .expect("JSON")
        }
        Err(_) => text.split_inclusive(|byte| *byte == b'\n').flat_map(|line| placing.line(line)).collect(),
    };
    let mut leaves = placing.leaves;
    for (number, at) in find_tokens(&text) {
        if let Some(leaf) = leaves.get_mut(number) {
            leaf.at = leaf.at.min(at as u64);
        }
    }
    TokenText { text, leaves }
}

struct TokenInserter<'p> {
    leaves: Vec<Leaf>,
    /// Names, and their replacements.
    names: Vec<(String, String)>,
    ids: BTreeSet<String>,
    pick: &'p dyn Fn(&str) -> bool,
    line: u64,
}

/// The position of a value.
#[derive(Clone, Copy)]
struct LeafPosition<'s> {
    path: &'s str,
    pointer: &'s str,
    key: &'s str,
    in_schema: bool,
    /// In JSON inside a string.
    is_spelled: bool,
}

/// The readable records of a text.
fn records(text: &[u8]) -> Vec<Value> {
    if let Ok(document) = serde_json::from_slice(text) {
        return vec![document];
    }
    let lines = text.split(|byte| *byte == b'\n').map(|line| line.strip_prefix(b"data:").unwrap_or(line));
    lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// Collects the ids in a value: an equal string is an id under any key.
fn collect_ids(value: &Value, key: &str, ids: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            ids.extend(map.keys().filter(|key| is_id(key)).cloned());
            map.iter().for_each(|(key, value)| collect_ids(value, key, ids));
        }
        Value::Array(list) => list.iter().for_each(|value| collect_ids(value, key, ids)),
        Value::String(text) if is_id_key(key) && !OWN_IDS.contains(&key) => drop(ids.insert(text.clone())),
        _ => {}
    }
}

impl TokenInserter<'_> {
    fn line(&mut self, line: &[u8]) -> Vec<u8> {
        let start = if line.starts_with(b"data:") { 5 } else { 0 };
        let (front, payload) = line.split_at(start);
        let end = payload.len() - payload.trim_ascii_end().len();
        let end = &payload[payload.len() - end..];
        let placed = match serde_json::from_slice::<Value>(payload) {
            Ok(mut record) => {
                self.place(&mut record);
                [front, if start > 0 { b" " } else { b"" }, record.to_string().as_bytes(), end].concat()
            }
            Err(_) => line.to_vec(),
        };
        self.line += 1;
        placed
    }

    fn place(&mut self, record: &mut Value) {
        self.walk(record, LeafPosition { path: "", pointer: "", key: "", in_schema: false, is_spelled: false });
    }

    fn walk(&mut self, value: &mut Value, spot: LeafPosition<'_>) {
        match value {
            Value::Object(map) => {
                let kind = KINDS.iter().find_map(|kind| map.get(*kind)?.as_str());
                let path = kind.map_or(spot.path.to_owned(), |kind| format!("{}{{{kind}}}", spot.path));
                let in_schema = spot.in_schema || map.get("type").is_some_and(|kind| kind == "object");
                let (is_hosted, is_error) = (is_hosted(map), spot.key == "error");
                // Attributes of traces are named beside their value.
                let beside = map.get("key").filter(|_| map.contains_key("value")).and_then(Value::as_str);
                let beside = beside.map(str::to_owned);
                for (own, value) in map.iter_mut() {
                    if (is_hosted || is_error) && NAMES.contains(&&**own) || own == "key" && beside.is_some() {
                        continue;
                    }
                    let named = match (&beside, &**own) {
                        (Some(beside), "value") => beside,
                        (_, "stringValue") => spot.key,
                        _ => own,
                    };
                    let path = format!("{path}/{}", segment(own));
                    let pointer = match spot.is_spelled {
                        true => spot.pointer.to_owned(),
                        false => format!("{}/{}", spot.pointer, own.replace('~', "~0").replace('/', "~1")),
                    };
                    let key = named.rsplit('.').next().unwrap_or(named);
                    self.walk(value, LeafPosition { path: &path, pointer: &pointer, key, in_schema, ..spot });
                }
            }
            Value::Array(list) => {
                let path = format!("{}/*", spot.path);
                for (n, value) in list.iter_mut().enumerate() {
                    let pointer = format!("{}/{n}", spot.pointer);
                    let pointer = if spot.is_spelled { spot.pointer } else { &pointer };
                    self.walk(value, LeafPosition { path: &path, pointer, ..spot });
                }
            }
            Value::String(text) => self.string(text, spot),
            _ => {}
        }
    }

    fn string(&mut self, text: &mut String, spot: LeafPosition<'_>) {
        let key = spot.key;
        let is_form = FORM.contains(&key) || FRAGMENTS.contains(&key) || spot.in_schema && key == "required";
        let is_id = is_id_key(key) && !OWN_IDS.contains(&key) || self.ids.contains(&**text);
        if is_form || is_id || text.is_empty() || is_moment(text) || WORDS.contains(&&**text) {
            return;
        }
        if NAMES.contains(&key) && !text.contains(' ') {
            return self.name(text, spot);
        }
        let spelled = text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str::<Value>(text).ok());
        if let Some(mut inner) = spelled.flatten() {
            let path = format!("{}/#", spot.path);
            self.walk(&mut inner, LeafPosition { path: &path, key: "", is_spelled: true, ..spot });
            *text = inner.to_string();
            return;
        }
        let Some(token) = self.token(spot) else { return };
        if let Some((head, data)) = text.split_once(";base64,").filter(|(head, _)| head.starts_with("data:")) {
            *text = format!("{head};base64,{}", sealed(data, &token).unwrap_or_else(|| data.to_owned()));
        } else if let Some(data) = is_data_key(key).then(|| sealed(text, &token)).flatten() {
            *text = data;
        } else if text.contains("://") || !text.contains(char::is_whitespace) && is_data_key(key) {
            text.push_str(&token);
        } else {
            *text = format!("{text} {token}");
        }
    }

    /// Equal names stay equal: they have one token.
    fn name(&mut self, text: &mut String, spot: LeafPosition<'_>) {
        if let Some((_, now)) = self.names.iter().find(|(name, _)| name == text) {
            text.clone_from(now);
        } else if let Some(token) = self.token(spot) {
            let now = format!("{text}_{token}");
            self.names.push((text.clone(), now.clone()));
            *text = now;
        }
    }

    /// The token of the next leaf, if it is one.
    fn token(&mut self, spot: LeafPosition<'_>) -> Option<String> {
        if !(self.pick)(spot.path) {
            return None;
        }
        let token = token(self.leaves.len());
        let (path, pointer) = (spot.path.to_owned(), spot.pointer.to_owned());
        self.leaves.push(Leaf { path, pointer, line: self.line, at: u64::MAX });
        Some(token)
    }
}

/// Marks that say whether a tool has failed.
const MARKS: [&str; 4] = ["is_error", "isError", "success", "failed"];

/// A copy of a text for each failure mark in it, with that mark flipped, and the path of the mark.
pub fn flip_failures(text: &[u8]) -> Vec<(String, Vec<u8>)> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let lines: Vec<&[u8]> = match serde_json::from_slice::<Value>(text) {
        Ok(_) => vec![text],
        Err(_) => text.split_inclusive(|byte| *byte == b'\n').collect(),
    };
    let mut all = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        let Ok(record) = serde_json::from_slice::<Value>(line) else { continue };
        let mut paths = Vec::new();
        marks(&record, String::new(), String::new(), &mut paths);
        for (path, pointer) in paths {
            let mut record = record.clone();
            if let Some(Value::Bool(mark)) = record.pointer_mut(&pointer) {
                *mark = !*mark;
            }
            let line = [record.to_string().as_bytes(), b"\n"].concat();
            all.push((
                path,
                [&lines[..n].concat(), &line, &lines[n + 1..].concat()].map(|part| &part[..]).concat(),
            ));
        }
    }
    all
}

fn marks(value: &Value, path: String, pointer: String, out: &mut Vec<(String, String)>) {
    match value {
        Value::Object(map) => {
            let kind = KINDS.iter().find_map(|kind| map.get(*kind)?.as_str());
            let path = kind.map_or(path.clone(), |kind| format!("{path}{{{kind}}}"));
            for (key, value) in map {
                let pointer = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
                if MARKS.contains(&&**key) && value.is_boolean() {
                    out.push((format!("{path}/{key}"), pointer));
                } else {
                    marks(value, format!("{path}/{}", segment(key)), pointer, out);
                }
            }
        }
        Value::Array(list) => {
            let each = list.iter().enumerate();
            each.for_each(|(n, value)| marks(value, format!("{path}/*"), format!("{pointer}/{n}"), out));
        }
        _ => {}
    }
}

/// True for a tool whose name determines its kind.
fn is_hosted(map: &Map<String, Value>) -> bool {
    let kind = map.get("type").and_then(Value::as_str).unwrap_or_default();
    kind.contains("_20") || kind.contains("server") || kind.contains("mcp") || kind.contains("builtin")
}

fn is_moment(text: &str) -> bool {
    let shape: String = text.chars().take(10).map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape == "0000-00-00"
}

/// A key in a path: ids and numbers become `*`.
fn segment(key: &str) -> String {
    let each = |part: &str| if is_id(part) { "*".to_owned() } else { part.to_owned() };
    key.split('.').map(each).collect::<Vec<_>>().join(".")
}

/// A key that is an id by itself, as in a map by ids.
fn is_id(key: &str) -> bool {
    let has_digit = key.contains(|c: char| c.is_ascii_digit());
    has_digit && (key.contains(['-', '_']) || key.len() > 20 || key.chars().all(|c| c.is_ascii_digit()))
}

fn is_id_key(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    lower == "id"
        || lower == "ids"
        || key.ends_with("_id")
        || key.ends_with("Id")
        || key.ends_with("ID")
        || key == "parent"
        || key == "children"
        || lower.ends_with("uuid")
        || key.ends_with("_ids")
        || key.ends_with("Ids")
}

fn is_data_key(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    ["image", "images"].contains(&&*lower)
        || ["data", "bytes", "blob", "b64_json", "base64", "signature", "encrypted", "opaque", "result_data"]
            .iter()
            .any(|word| lower.contains(word))
}

/// Base64 with a token at its end.
fn sealed(data: &str, token: &str) -> Option<String> {
    let mut bytes = STANDARD.decode(data).ok().filter(|bytes| !bytes.is_empty())?;
    while bytes.len() % 3 != 0 {
        bytes.push(b' ');
    }
    bytes.extend_from_slice(token.as_bytes());
    Some(STANDARD.encode(bytes))
}

/// Nine bytes, so that base64 has them as twelve wherever they begin with a third.
fn token(number: usize) -> String {
    format!("tkq{number:05}z")
}

/// The numbers of the tokens in a text, in plain or as base64, and where they are.
pub fn find_tokens(text: &[u8]) -> Vec<(usize, usize)> {
    let plain = |at: usize| {
        let digits = text.get(at + 3..at + 8)?;
        let number = std::str::from_utf8(digits).ok()?.parse().ok()?;
        (text.get(at + 8) == Some(&b'z')).then_some(number)
    };
    let sealed = |at: usize| {
        let bytes = STANDARD.decode(text.get(at..at + 12)?).ok()?;
        let number = std::str::from_utf8(bytes.get(3..8)?).ok()?.parse().ok()?;
        (bytes.get(8) == Some(&b'z')).then_some(number)
    };
    let mut all: Vec<(usize, usize)> = Vec::new();
    all.extend(memchr::memmem::find_iter(text, b"tkq").filter_map(|at| Some((plain(at)?, at))));
    all.extend(memchr::memmem::find_iter(text, b"dGtx").filter_map(|at| Some((sealed(at)?, at))));
    all
}
