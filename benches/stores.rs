//! Generated sessions and exports: what agents and libraries store. `check` translates some of them, others hold messages of a
//! provider. As ratios within one run: a store of a megabyte to a session of Claude Code, a folder of small files to one of
//! requests.

use std::path::Path;
use std::process::{Command, Stdio};

use super::best;

/// What a file of a store consists of, as texts with placeholders: `$S`, `$M` and `$L` are texts of some ten, some hundred and some
/// thousand bytes, `$N` is the number of the turn, `$P` and `$Q` those of the turns around it.
struct StoreTemplate {
    name: &'static str,
    extension: &'static str,
    head: &'static str,
    /// A question, a call with its result, an answer.
    turn: &'static str,
    tail: &'static str,
}

/// What the others are compared with: a session that holds messages of a provider.
const NATIVE_SESSION: StoreTemplate = StoreTemplate {
    name: "Claude Code",
    extension: "jsonl",
    head: r#"{"parentUuid":null,"isSidechain":false,"userType":"external","cwd":"/w/app","sessionId":"11111111-2222-4333-8444-555555555555","version":"2.1.30","gitBranch":"main","type":"user","message":{"role":"user","content":"$S"},"uuid":"00000000-0000-4000-8000-00000000000d","timestamp":"2026-06-01T10:00:01.000Z"}
"#,
    turn: r#"{"parentUuid":"0000000$P-0000-4000-8000-00000000000d","isSidechain":false,"userType":"external","cwd":"/w/app","sessionId":"11111111-2222-4333-8444-555555555555","version":"2.1.30","gitBranch":"main","type":"user","message":{"role":"user","content":"$S"},"uuid":"0000000$N-0000-4000-8000-00000000000a","timestamp":"2026-06-01T10:00:02.000Z"}
{"parentUuid":"0000000$N-0000-4000-8000-00000000000a","isSidechain":false,"userType":"external","cwd":"/w/app","sessionId":"11111111-2222-4333-8444-555555555555","version":"2.1.30","gitBranch":"main","type":"assistant","message":{"model":"claude-sonnet-4-5-20250929","id":"msg_01A$N","type":"message","role":"assistant","content":[{"type":"thinking","thinking":"$M","signature":"EqQBQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ"},{"type":"text","text":"$S"},{"type":"tool_use","id":"toolu_$N","name":"Bash","input":{"command":"$S"}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":1,"cache_creation_input_tokens":3,"cache_read_input_tokens":4,"output_tokens":1}},"uuid":"0000000$N-0000-4000-8000-00000000000b","timestamp":"2026-06-01T10:00:03.000Z","requestId":"req_01A$N"}
{"parentUuid":"0000000$N-0000-4000-8000-00000000000b","isSidechain":false,"userType":"external","cwd":"/w/app","sessionId":"11111111-2222-4333-8444-555555555555","version":"2.1.30","gitBranch":"main","type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_$N","type":"tool_result","content":"$L","is_error":false}]},"uuid":"0000000$N-0000-4000-8000-00000000000c","timestamp":"2026-06-01T10:00:04.000Z","toolUseResult":{"stdout":"$M","stderr":"","interrupted":false,"isImage":false}}
{"parentUuid":"0000000$N-0000-4000-8000-00000000000c","isSidechain":false,"userType":"external","cwd":"/w/app","sessionId":"11111111-2222-4333-8444-555555555555","version":"2.1.30","gitBranch":"main","type":"assistant","message":{"model":"claude-sonnet-4-5-20250929","id":"msg_01B$N","type":"message","role":"assistant","content":[{"type":"text","text":"$M"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"cache_creation_input_tokens":3,"cache_read_input_tokens":4,"output_tokens":1}},"uuid":"0000000$N-0000-4000-8000-00000000000d","timestamp":"2026-06-01T10:00:05.000Z","requestId":"req_01B$N"}
"#,
    tail: "",
};

/// Sessions and exports that are translated.
const TRANSLATED: [StoreTemplate; 4] = [
    StoreTemplate {
        name: "pi",
        extension: "jsonl",
        head: r#"{"type":"session","version":3,"id":"0197a1b2-0000-7000-8000-00000000000c","timestamp":"2026-06-01T09:00:00.000Z","cwd":"/river"}
{"type":"model_change","id":"d0","parentId":null,"timestamp":"2026-06-01T09:00:00.000Z","provider":"anthropic","modelId":"claude-sonnet-4-5"}
"#,
        turn: r#"{"type":"message","id":"a$N","parentId":"d$P","timestamp":"2026-06-01T09:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"$S"}],"timestamp":1780300000001}}
{"type":"message","id":"b$N","parentId":"a$N","timestamp":"2026-06-01T09:00:02.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"$M","thinkingSignature":"EqQBQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQQ"},{"type":"text","text":"$S"},{"type":"toolCall","id":"toolu_$N","name":"bash","arguments":{"command":"$S"}}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"toolUse","timestamp":1780300000002}}
{"type":"message","id":"c$N","parentId":"b$N","timestamp":"2026-06-01T09:00:03.000Z","message":{"role":"toolResult","toolCallId":"toolu_$N","toolName":"bash","content":[{"type":"text","text":"$L"}],"details":{"path":"notes.md"},"isError":false,"timestamp":1780300000003}}
{"type":"message","id":"d$N","parentId":"c$N","timestamp":"2026-06-01T09:00:04.000Z","message":{"role":"assistant","content":[{"type":"text","text":"$M"}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5","usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1780300000004}}
"#,
        tail: "",
    },
    StoreTemplate {
        name: "Kimi",
        extension: "jsonl",
        head: r#"{"type":"metadata","protocol_version":"1.4","created_at":1780300000000}
{"type":"config.update","profileName":"agent","systemPrompt":"$M","time":1780300000001}
"#,
        turn: r#"{"type":"turn.prompt","input":[{"type":"text","text":"$S"}],"origin":{"kind":"user"},"time":1780300001000}
{"type":"context.append_message","message":{"role":"user","content":[{"type":"text","text":"$S"}],"toolCalls":[],"origin":{"kind":"user"}},"time":1780300001001}
{"type":"context.append_loop_event","event":{"type":"step.begin","uuid":"k$N","turnId":"$N","step":1},"time":1780300001002}
{"type":"llm.request","kind":"loop","provider":"kimi","model":"kimi-k2.7-code","thinkingEffort":"on","maxTokens":262144,"messageCount":1,"turnStep":"$N.1","time":1780300001003}
{"type":"context.append_loop_event","event":{"type":"content.part","stepUuid":"k$N","part":{"type":"think","think":"$M","encrypted":"a2ltaXNlYWxlZHRob3VnaHQ="}},"time":1780300001004}
{"type":"context.append_loop_event","event":{"type":"content.part","stepUuid":"k$N","part":{"type":"text","text":"$S"}},"time":1780300001005}
{"type":"context.append_loop_event","event":{"type":"tool.call","uuid":"Shell_$N","stepUuid":"k$N","toolCallId":"Shell_$N","name":"Shell","args":{"command":"$S"}},"time":1780300001006}
{"type":"context.append_loop_event","event":{"type":"tool.result","parentUuid":"Shell_$N","toolCallId":"Shell_$N","result":{"output":"$L"}},"time":1780300001007}
{"type":"context.append_loop_event","event":{"type":"step.end","uuid":"k$N","turnId":"$N","step":1,"usage":{"inputOther":9431,"output":42,"inputCacheRead":14848,"inputCacheCreation":0},"finishReason":"tool_use"},"time":1780300001008}
{"type":"context.append_loop_event","event":{"type":"step.begin","uuid":"l$N","turnId":"$N","step":2},"time":1780300001009}
{"type":"context.append_loop_event","event":{"type":"content.part","stepUuid":"l$N","part":{"type":"text","text":"$M"}},"time":1780300001010}
{"type":"context.append_loop_event","event":{"type":"step.end","uuid":"l$N","turnId":"$N","step":2,"usage":{"inputOther":9431,"output":42,"inputCacheRead":14848,"inputCacheCreation":0},"finishReason":"end_turn"},"time":1780300001011}
"#,
        tail: "",
    },
    StoreTemplate {
        name: "Hermes",
        extension: "json",
        head: r#"{"session_id":"h-rich","model":"claude-sonnet-4.5","base_url":"https://openrouter.ai/api/v1","platform":"cli","session_start":"2026-06-01T09:00:00Z","last_updated":"2026-06-01T09:05:00Z","system_prompt":"$M","tools":[{"type":"function","function":{"name":"shell","description":"Runs a command","parameters":{"type":"object","properties":{"command":{"type":"string"}}}}}],"message_count":9,"messages":["#,
        turn: r#"{"role":"user","content":"$S"},{"role":"assistant","content":"$S","reasoning":"$M","tool_calls":[{"id":"toolu_$N","call_id":"toolu_$N","type":"function","function":{"name":"shell","arguments":"{\"command\":\"ls\"}"}}],"finish_reason":"tool_calls"},{"role":"tool","content":"$L","tool_call_id":"toolu_$N","tool_name":"shell"},{"role":"assistant","content":"$M","finish_reason":"stop"},"#,
        tail: r#"{"role":"user","content":"$S"}]}"#,
    },
    StoreTemplate {
        name: "ChatGPT",
        extension: "json",
        head: r#"{"title":"Lamps","create_time":1780300000.0,"mapping":{"d0":{"id":"d0","message":null,"parent":null,"children":["a1"]}"#,
        turn: r#","a$N":{"id":"a$N","message":{"id":"m-a$N","author":{"role":"user","name":null,"metadata":{}},"create_time":1780300000.0,"content":{"content_type":"text","parts":["$S"]},"status":"finished_successfully","weight":1.0,"metadata":{},"recipient":"all"},"parent":"d$P","children":["b$N"]},"b$N":{"id":"b$N","message":{"id":"m-b$N","author":{"role":"assistant","name":null,"metadata":{}},"create_time":1780300000.0,"content":{"content_type":"code","language":"python","text":"$M"},"status":"finished_successfully","weight":1.0,"metadata":{"model_slug":"gpt-4o"},"recipient":"python"},"parent":"a$N","children":["c$N"]},"c$N":{"id":"c$N","message":{"id":"m-c$N","author":{"role":"tool","name":"python","metadata":{}},"create_time":1780300000.0,"content":{"content_type":"execution_output","text":"$L"},"status":"finished_successfully","weight":1.0,"metadata":{},"recipient":"all"},"parent":"b$N","children":["d$N"]},"d$N":{"id":"d$N","message":{"id":"m-d$N","author":{"role":"assistant","name":null,"metadata":{}},"create_time":1780300000.0,"content":{"content_type":"text","parts":["$M"]},"status":"finished_successfully","weight":1.0,"metadata":{"model_slug":"gpt-4o"},"recipient":"all"},"parent":"c$N","children":["a$Q"]}"#,
        tail: r#","a$N":{"id":"a$N","message":{"id":"m-a$N","author":{"role":"user","name":null,"metadata":{}},"create_time":1780300000.0,"content":{"content_type":"text","parts":["$S"]},"status":"finished_successfully","weight":1.0,"metadata":{},"recipient":"all"},"parent":"d$P","children":[]}},"current_node":"a$N","conversation_id":"c-1"}"#,
    },
];

/// What small files are compared with.
const REQUEST: StoreTemplate = StoreTemplate {
    name: "Chat requests",
    extension: "json",
    head: r#"{"model":"gpt-5-mini","messages":["#,
    turn: r#"{"role":"user","content":[{"type":"text","text":"$S"}]},{"role":"assistant","content":null,"tool_calls":[{"id":"call_$N","type":"function","function":{"name":"shell","arguments":"{\"command\":\"ls\"}"}}]},{"role":"tool","tool_call_id":"call_$N","content":"$S"},{"role":"assistant","content":"$S"},"#,
    tail: r#"{"role":"user","content":"x"}]}"#,
};

/// Small files of other formats, a folder of each.
const SMALL: [StoreTemplate; 5] = [
    StoreTemplate {
        name: "LangGraph",
        extension: "json",
        head: r#"{"values":{"messages":[{"content":"You plan trips.","additional_kwargs":{},"response_metadata":{},"type":"system","name":null,"id":"lg-0"}"#,
        turn: r#",{"content":"$S","additional_kwargs":{},"response_metadata":{},"type":"human","name":null,"id":"a$N"},{"content":"$S","additional_kwargs":{},"response_metadata":{"model_provider":"openai","model_name":"gpt-4o"},"type":"ai","name":null,"id":"b$N","tool_calls":[{"name":"shell","args":{"command":"ls"},"id":"call_$N","type":"tool_call"}],"invalid_tool_calls":[],"usage_metadata":null},{"content":"$S","additional_kwargs":{},"response_metadata":{},"type":"tool","name":null,"id":"c$N","tool_call_id":"call_$N","artifact":null,"status":"success"},{"content":"$S","additional_kwargs":{},"response_metadata":{"model_provider":"openai","model_name":"gpt-4o"},"type":"ai","name":null,"id":"d$N","tool_calls":[],"invalid_tool_calls":[],"usage_metadata":null}"#,
        tail: r#"]},"next":[],"config":{"configurable":{"thread_id":"trip","checkpoint_ns":"","checkpoint_id":"1f2"}},"metadata":{"source":"loop","step":4,"parents":{}},"created_at":"2026-06-01T09:00:00+00:00"}"#,
    },
    StoreTemplate {
        name: "Qwen",
        extension: "jsonl",
        head: r#"{"uuid":"d0","parentUuid":null,"sessionId":"q-rich","timestamp":"2026-06-01T09:00:01.000Z","type":"user","cwd":"/mill","version":"0.21.13","gitBranch":"main","message":{"role":"user","parts":[{"text":"$S"}]}}
"#,
        turn: r#"{"uuid":"b$N","parentUuid":"d$P","sessionId":"q-rich","timestamp":"2026-06-01T09:00:02.000Z","type":"assistant","cwd":"/mill","version":"0.21.13","gitBranch":"main","model":"qwen3-coder-plus","message":{"role":"model","parts":[{"text":"$S"},{"functionCall":{"id":"call_$N","name":"shell","args":{"command":"ls"}}}]},"usageMetadata":{"totalTokenCount":2}}
{"uuid":"c$N","parentUuid":"b$N","sessionId":"q-rich","timestamp":"2026-06-01T09:00:03.000Z","type":"tool_result","cwd":"/mill","version":"0.21.13","gitBranch":"main","toolCallResult":{"callId":"call_$N","status":"success","resultDisplay":"shown"},"message":{"role":"user","parts":[{"functionResponse":{"id":"call_$N","name":"shell","response":{"output":"$S"}}}]}}
{"uuid":"d$N","parentUuid":"c$N","sessionId":"q-rich","timestamp":"2026-06-01T09:00:04.000Z","type":"assistant","cwd":"/mill","version":"0.21.13","gitBranch":"main","model":"qwen3-coder-plus","message":{"role":"model","parts":[{"text":"$S"}]},"usageMetadata":{"totalTokenCount":2}}
"#,
        tail: "",
    },
    StoreTemplate {
        name: "Pydantic AI",
        extension: "json",
        head: r#"[{"parts":[{"content":"You carve spoons.","timestamp":"2026-06-01T09:00:00Z","dynamic_ref":null,"part_kind":"system-prompt"},{"content":"$S","timestamp":"2026-06-01T09:00:00Z","part_kind":"user-prompt"}],"instructions":null,"kind":"request"}"#,
        turn: r#",{"parts":[{"content":"$S","id":null,"part_kind":"text"},{"tool_name":"shell","args":{"command":"ls"},"tool_call_id":"toolu_$N","id":null,"part_kind":"tool-call"}],"usage":{"input_tokens":1,"output_tokens":1,"details":{}},"model_name":"claude-sonnet-4-5","timestamp":"2026-06-01T09:00:00Z","kind":"response","provider_name":"anthropic","provider_details":null,"finish_reason":"tool_call"},{"parts":[{"tool_name":"shell","content":"$S","tool_call_id":"toolu_$N","metadata":null,"timestamp":"2026-06-01T09:00:01Z","part_kind":"tool-return"}],"instructions":null,"kind":"request"},{"parts":[{"content":"$S","id":null,"part_kind":"text"}],"usage":{"input_tokens":1,"output_tokens":1,"details":{}},"model_name":"claude-sonnet-4-5","timestamp":"2026-06-01T09:00:00Z","kind":"response","provider_name":"anthropic","provider_details":null,"finish_reason":"stop"},{"parts":[{"content":"$S","timestamp":"2026-06-01T09:00:02Z","part_kind":"user-prompt"}],"instructions":null,"kind":"request"}"#,
        tail: "]",
    },
    StoreTemplate {
        name: "AG2",
        extension: "json",
        head: r#"[{"__event__":"ag2.events.input_events.ModelRequest","created_at":1780300000.5,"parts":[{"__event__":"ag2.events.input_events.TextInput","content":"$S","metadata":{}}]}"#,
        turn: r#",{"__event__":"ag2.events.types.ModelResponse","created_at":1780300000.5,"message":{"__event__":"ag2.events.types.ModelMessage","content":"$S","metadata":{}},"tool_calls":{"__event__":"ag2.events.tool_events.ToolCallsEvent","calls":[{"__event__":"ag2.events.tool_events.ToolCallEvent","name":"shell","id":"call_$N","arguments":"{\"command\":\"ls\"}"}]},"usage":{},"model":"gpt-5.5","provider":"openai","finish_reason":"tool_calls","response_id":"resp_$N"},{"__event__":"ag2.events.tool_events.ToolResultsEvent","created_at":1780300000.5,"results":[{"__event__":"ag2.events.tool_events.ToolResultEvent","parent_id":"call_$N","name":"shell","result":{"__event__":"ag2.events.tool_events.ToolResult","parts":[{"__event__":"ag2.events.input_events.TextInput","content":"$S","metadata":{}}],"final":false,"metadata":{}}}]},{"__event__":"ag2.events.types.ModelResponse","created_at":1780300000.5,"message":{"__event__":"ag2.events.types.ModelMessage","content":"$S","metadata":{}},"usage":{},"model":"gpt-5.5","provider":"openai","finish_reason":"stop","response_id":"resq_$N"},{"__event__":"ag2.events.input_events.ModelRequest","created_at":1780300000.5,"parts":[{"__event__":"ag2.events.input_events.TextInput","content":"$S","metadata":{}}]}"#,
        tail: "]",
    },
    StoreTemplate {
        name: "LangChain",
        extension: "json",
        head: r#"[{"type":"system","data":{"content":"You sort mail.","additional_kwargs":{},"response_metadata":{},"type":"system","name":null,"id":null}}"#,
        turn: r#",{"type":"human","data":{"content":"$S","additional_kwargs":{},"response_metadata":{},"type":"human","name":null,"id":null}},{"type":"ai","data":{"content":[{"type":"text","text":"$S"},{"type":"tool_use","id":"toolu_$N","name":"shell","input":{"command":"ls"}}],"additional_kwargs":{},"response_metadata":{"model_provider":"anthropic","model_name":"claude-sonnet-4-5"},"type":"ai","name":null,"id":null,"tool_calls":[{"name":"shell","args":{"command":"ls"},"id":"toolu_$N","type":"tool_call"}],"invalid_tool_calls":[]}},{"type":"tool","data":{"content":"$S","additional_kwargs":{},"response_metadata":{},"type":"tool","name":"shell","id":null,"tool_call_id":"toolu_$N","status":"success","artifact":null}},{"type":"ai","data":{"content":[{"type":"text","text":"$S"}],"additional_kwargs":{},"response_metadata":{"model_provider":"anthropic","model_name":"claude-sonnet-4-5"},"type":"ai","name":null,"id":null,"tool_calls":[],"invalid_tool_calls":[]}}"#,
        tail: "]",
    },
];

/// The size of a session or an export, and how often it is in its folder.
const LARGE: (usize, usize) = (1_000_000, 24);
/// The same for small files.
const LITTLE: (usize, usize) = (3_000, 500);
/// How much longer the texts of large files are: those of short sessions, and of sessions that read many files.
const TEXTS: [usize; 2] = [2, 12];

/// Speed of `check` on one thread, each folder by itself: as a ratio to the folder that it is compared with.
pub fn tables() {
    for longer in TEXTS {
        let (size, copies) = LARGE;
        // Twelve times a sentence and a line of code.
        let result = longer * 12 / 5;
        println!("{copies} stores of {} kB, check, 1 thread; a result of a tool has {result} kB", size / 1000);
        let native = seconds_per_mb(&NATIVE_SESSION, LARGE, longer);
        println!("  {:<14} {:>6.0} MB/s", NATIVE_SESSION.name, 1.0 / native);
        for store in &TRANSLATED {
            let own = seconds_per_mb(store, LARGE, longer);
            println!("  {:<14} {:>6.0} MB/s  {:.2} times as fast", store.name, 1.0 / own, native / own);
        }
    }
    println!("{} small files of 3 to 4 kB, check, 1 thread", LITTLE.1);
    let per_file = |store| seconds(store, LITTLE, 1).0 / LITTLE.1 as f64 * 1e6;
    let requests = per_file(&REQUEST);
    println!("  {:<14} {requests:>6.0} µs a file", REQUEST.name);
    for store in &SMALL {
        let own = per_file(store);
        println!("  {:<14} {own:>6.0} µs a file  {:.2} times the time", store.name, own / requests);
    }
    println!();
}

fn seconds_per_mb(store: &StoreTemplate, copies: (usize, usize), longer: usize) -> f64 {
    let (seconds, bytes) = seconds(store, copies, longer);
    seconds / (bytes as f64 / 1e6)
}

/// The time of a run on a folder of copies, and the size of all of them.
fn seconds(store: &StoreTemplate, (size, copies): (usize, usize), longer: usize) -> (f64, usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let text = store.text(size, longer);
    for n in 0..copies {
        std::fs::write(folder.path().join(format!("{n}.{}", store.extension)), &text).expect("written");
    }
    (best(|| check(folder.path(), store.name)).as_secs_f64(), text.len() * copies)
}

fn check(folder: &Path, name: &str) {
    let run = Command::new(env!("CARGO_BIN_EXE_replaylint"))
        .args(["check", "--isolated", "-q", "-j1"])
        .arg(folder)
        .stdout(Stdio::null())
        .status();
    assert!(run.is_ok_and(|status| status.success()), "{name}: the files are as they should be");
}

impl StoreTemplate {
    /// A file of at least this size. Its long texts are longer by a factor.
    fn text(&self, size: usize, longer: usize) -> String {
        let mut out = fill(self.head, 0, longer);
        let mut turn = 0;
        while out.len() < size {
            turn += 1;
            out += &fill(self.turn, turn, longer);
        }
        out + &fill(self.tail, turn + 1, longer)
    }
}

fn fill(part: &str, turn: usize, longer: usize) -> String {
    const SENTENCE: &str =
        "Let me read the file first,\\nthen change the one place that matters, and run the tests again. ";
    const CODE: &str = "    let path = folder.join(\\\"notes.md\\\");\\n    for line in text.lines().filter(|line| !line.is_empty()) {\\n";
    let long = [SENTENCE, CODE].concat().repeat((1 + turn * 5 % 23) * longer);
    let medium = SENTENCE.repeat((1 + turn % 8) * longer.div_ceil(2));
    let short = SENTENCE.repeat(2).chars().take(20 + turn * 7 % 180).collect::<String>();
    let texts = [("$S", short.trim_end_matches('\\')), ("$M", &*medium), ("$L", &*long)];
    let numbers = [("$N", turn), ("$P", turn.saturating_sub(1)), ("$Q", turn + 1)];
    let part = texts.iter().fold(part.to_owned(), |part, (key, text)| part.replace(key, text));
    numbers.iter().fold(part, |part, (key, number)| part.replace(key, &number.to_string()))
}
