//! Seeds of the fuzzer: a request of each dialect with a little of everything, every stored format of `testdata/formats`,
//! the inputs of the cases, and files of the corpus if it is available.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::rules::corpus::{corpus, manifest};

/// A text to mutate.
pub struct Seed {
    pub name: String,
    pub text: Vec<u8>,
}

/// Maximum length in bytes. Longer files make each run slow, and add nothing that shorter ones do not contain.
const MAX_LENGTH: u64 = 24 << 10;

/// Maximum number of files of one format of the corpus.
const MAX_FILES_PER_FORMAT: usize = 40;

/// A request of each dialect that its API would accept.
pub fn requests() -> [(&'static str, Value); 5] {
    [
        ("responses", responses()),
        ("chat", chat()),
        ("anthropic", anthropic()),
        ("gemini", gemini()),
        ("bedrock", bedrock()),
    ]
}

fn responses() -> Value {
    json!({
        "model": "gpt-5",
        "store": false,
        "instructions": "Be brief.",
        "reasoning": {"effort": "low"},
        "tools": [{"type": "function", "name": "f", "parameters": {"type": "object", "properties": {}}}],
        "input": [
            {"role": "user", "content": [
                {"type": "input_text", "text": "look"},
                {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}]},
            {"type": "reasoning", "id": "rs_1a", "summary": [{"type": "summary_text", "text": "hm"}], "encrypted_content": "gAAA"},
            {"type": "function_call", "id": "fc_1a", "call_id": "call_1", "name": "f", "arguments": "{}", "status": "completed"},
            {"type": "custom_tool_call", "id": "ctc_1a", "call_id": "call_2", "name": "g", "input": "x"},
            {"type": "function_call_output", "call_id": "call_1", "output": "ok"},
            {"type": "custom_tool_call_output", "call_id": "call_2", "output": [{"type": "input_text", "text": "ok"}]},
            {"type": "web_search_call", "id": "ws_1a", "status": "completed", "action": {"type": "search", "query": "q"}},
            {"type": "message", "id": "msg_1a", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": "done", "annotations": []}]},
            {"type": "mcp_approval_request", "id": "mcpr_1a", "server_label": "s", "name": "n", "arguments": "{}"},
            {"type": "mcp_approval_response", "approval_request_id": "mcpr_1a", "approve": true},
            {"type": "item_reference", "id": "rs_9a"},
            {"role": "user", "content": "go on"}]
    })
}

fn chat() -> Value {
    json!({
        "model": "gpt-4.1",
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [
                {"type": "text", "text": "look"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]},
            {"role": "assistant", "content": null, "reasoning_content": "hm", "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}},
                {"id": "call_2", "type": "function", "function": {"name": "g", "arguments": "{\"x\":1}"}}]},
            {"role": "tool", "tool_call_id": "call_1", "content": "ok"},
            {"role": "tool", "tool_call_id": "call_2", "content": [{"type": "text", "text": "ok"}]},
            {"role": "assistant", "content": "done", "refusal": null},
            {"role": "user", "content": "go on"}]
    })
}

fn anthropic() -> Value {
    json!({
        "model": "claude-sonnet-4-5",
        "max_tokens": 2000,
        "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "tools": [{"name": "f", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": [
                {"type": "text", "text": "look"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
                {"type": "text", "text": "I will."},
                {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {"x": 1}},
                {"type": "tool_use", "id": "toolu_2", "name": "f", "input": {}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"},
                {"type": "tool_result", "tool_use_id": "toolu_2", "content": [{"type": "text", "text": "ok"}], "is_error": false},
                {"type": "text", "text": "and?"}]},
            {"role": "assistant", "content": [
                {"type": "redacted_thinking", "data": "AAAA"},
                {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
                {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
                {"type": "text", "text": "done"}]},
            {"role": "user", "content": "go on"}]
    })
}

fn gemini() -> Value {
    json!({
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [{"name": "f"}]}],
        "contents": [
            {"role": "user", "parts": [{"text": "look"}, {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]},
            {"role": "model", "parts": [
                {"text": "hm", "thought": true},
                {"functionCall": {"id": "c1", "name": "f", "args": {"x": 1}}, "thoughtSignature": "c2ln"},
                {"functionCall": {"id": "c2", "name": "g", "args": {}}}]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "c1", "name": "f", "response": {"output": "ok"}}},
                {"functionResponse": {"id": "c2", "name": "g", "response": {"output": "ok"}}}]},
            {"role": "model", "parts": [{"executableCode": {"language": "PYTHON", "code": "1"}},
                {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}, {"text": "done"}]},
            {"role": "user", "parts": [{"text": "go on"}]}]
    })
}

fn bedrock() -> Value {
    json!({
        "modelId": "anthropic.claude-sonnet-4",
        "system": [{"text": "Be brief."}],
        "toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": {"type": "object"}}}}]},
        "messages": [
            {"role": "user", "content": [
                {"text": "look"},
                {"image": {"format": "png", "source": {"bytes": "AAAA"}}},
                {"document": {"format": "txt", "name": "notes", "source": {"bytes": "AAAA"}}}]},
            {"role": "assistant", "content": [
                {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}},
                {"text": "I will."},
                {"toolUse": {"toolUseId": "t1", "name": "f", "input": {"x": 1}}},
                {"toolUse": {"toolUseId": "t2", "name": "f", "input": {}}}]},
            {"role": "user", "content": [
                {"toolResult": {"toolUseId": "t1", "content": [{"text": "ok"}], "status": "success"}},
                {"toolResult": {"toolUseId": "t2", "content": [{"json": {"x": 1}}]}}]},
            {"role": "assistant", "content": [{"text": "done"}, {"cachePoint": {"type": "default"}}]},
            {"role": "user", "content": [{"text": "go on"}]}]
    })
}

/// Everything that is mutated at random.
pub fn seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for (name, body) in requests() {
        seeds.push(Seed { name: format!("{name} request"), text: body.to_string().into_bytes() });
        let log: String = (0..3).map(|_| format!("{body}\n")).collect();
        seeds.push(Seed { name: format!("{name} requests"), text: log.into_bytes() });
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    for folder in subfolders(&own.join("formats")) {
        add_files(&folder, &mut seeds);
    }
    // The inputs about another account are like others, but for a flag that is not set here.
    let others = cases().into_iter().filter(|(file, _)| file != "other-account");
    seeds.extend(others.map(|(_, seed)| seed));
    if let Some(root) = corpus() {
        let mut of_format = std::collections::BTreeMap::new();
        let mut rows = manifest(&root);
        rows.sort_by_key(|row| fnv_hash(&row.path));
        for row in rows {
            let count = of_format.entry(row.format.clone()).or_insert(0);
            if *count < MAX_FILES_PER_FORMAT && read_seed(&root.join(&row.path), &mut seeds) {
                *count += 1;
            }
        }
    }
    seeds
}

fn fnv_hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        fs::read_dir(folder).expect("testdata").flatten().map(|entry| entry.path()).collect();
    all.retain(|path| path.is_dir() && !path.ends_with("snapshots"));
    all.sort();
    all
}

fn add_files(folder: &Path, seeds: &mut Vec<Seed>) {
    let mut all: Vec<PathBuf> =
        fs::read_dir(folder).expect("testdata").flatten().map(|entry| entry.path()).collect();
    all.sort();
    for path in all.iter().filter(|path| path.is_file()) {
        read_seed(path, seeds);
    }
}

fn read_seed(path: &Path, seeds: &mut Vec<Seed>) -> bool {
    let short = fs::metadata(path).is_ok_and(|meta| meta.len() <= MAX_LENGTH && meta.len() > 0);
    let text = if short { fs::read(path).ok() } else { None };
    let name = path.components().rev().take(2).map(|part| part.as_os_str().to_string_lossy());
    let name = name.collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("/");
    let found = text.is_some();
    seeds.extend(text.map(|text| Seed { name, text }));
    found
}

/// The inputs of the cases of rules, each with the name of its file.
pub fn cases() -> Vec<(String, Seed)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/cases");
    let mut all: Vec<PathBuf> =
        fs::read_dir(folder).expect("testdata").flatten().map(|entry| entry.path()).collect();
    all.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    all.sort();
    let mut cases = Vec::new();
    for path in all {
        let file: toml::Table = toml::from_str(&fs::read_to_string(&path).expect("UTF-8")).expect("TOML");
        for case in file["case"].as_array().expect("cases") {
            let text = |key: &str| case.get(key).and_then(|text| text.as_str()).unwrap_or_default();
            let input = text("input").trim_start_matches('\n').as_bytes().to_vec();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            cases.push((name, Seed { name: format!("case {}", text("name")), text: input }));
        }
    }
    cases
}
