//! Generated requests of the dialects whose messages contain blocks, one per line: a question, calls with their results, an
//! answer. Texts are shorter than real ones, so that the cost of each block is visible.

/// A dialect and the parts of a request: start, one turn, end. `$T` is a text, `$N` a number.
type RequestTemplate = (&'static str, &'static str, &'static str, &'static str);

pub const DIALECTS: [RequestTemplate; 4] = [
    (
        "Chat",
        r#"{"model":"gpt-5-mini","messages":["#,
        r#"{"role":"user","content":[{"type":"text","text":"$T"}]},{"role":"assistant","content":null,"tool_calls":[{"id":"call_$N","type":"function","function":{"name":"shell","arguments":"{\"command\":\"ls\"}"}}]},{"role":"tool","tool_call_id":"call_$N","content":"$T"},{"role":"assistant","content":"$T"},"#,
        r#"{"role":"user","content":"x"}]}"#,
    ),
    (
        "Anthropic",
        r#"{"model":"claude-opus-5","max_tokens":100,"tools":[{"name":"shell","input_schema":{"type":"object"}}],"messages":["#,
        r#"{"role":"user","content":[{"type":"text","text":"$T","cache_control":null}]},{"role":"assistant","content":[{"type":"thinking","thinking":"$T","signature":"EqQBCkYIAxgCKkB"},{"type":"text","text":"$T"},{"type":"tool_use","id":"toolu_$N","name":"shell","input":{"command":"ls"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_$N","content":[{"type":"text","text":"$T"}],"is_error":false}]},{"role":"assistant","content":[{"type":"text","text":"$T"}]},"#,
        r#"{"role":"user","content":"x"}]}"#,
    ),
    (
        "Gemini",
        r#"{"contents":["#,
        r#"{"role":"user","parts":[{"text":"$T"}]},{"role":"model","parts":[{"text":"$T"},{"functionCall":{"name":"shell","args":{"command":"ls"}},"thoughtSignature":"c2ln"}]},{"role":"user","parts":[{"functionResponse":{"name":"shell","response":{"output":"$T"}}}]},{"role":"model","parts":[{"text":"$T"}]},"#,
        r#"{"role":"user","parts":[{"text":"x"}]}]}"#,
    ),
    (
        "Bedrock",
        r#"{"modelId":"anthropic.claude-sonnet-4-5","toolConfig":{"tools":[{"toolSpec":{"name":"shell","inputSchema":{"json":{}}}}]},"messages":["#,
        r#"{"role":"user","content":[{"text":"$T"}]},{"role":"assistant","content":[{"text":"$T"},{"toolUse":{"toolUseId":"tooluse_$N","name":"shell","input":{"command":"ls"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"tooluse_$N","content":[{"text":"$T"}],"status":"success"}}]},{"role":"assistant","content":[{"text":"$T"}]},"#,
        r#"{"role":"user","content":[{"text":"x"}]}]}"#,
    ),
];

/// About `bytes` bytes of requests, of twenty turns each.
pub fn requests((_, head, turn, tail): &RequestTemplate, bytes: usize) -> Vec<u8> {
    let sentence =
        "Let me read the file first,\\nthen change the one place that matters, and run the tests again. ";
    let mut out = Vec::new();
    let mut number = 0;
    while out.len() < bytes {
        out.extend_from_slice(head.as_bytes());
        for _ in 0..20 {
            number += 1;
            let text = sentence.repeat(1 + number % 8);
            out.extend_from_slice(turn.replace("$T", &text).replace("$N", &number.to_string()).as_bytes());
        }
        out.extend_from_slice(tail.as_bytes());
        out.push(b'\n');
    }
    out
}
