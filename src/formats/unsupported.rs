//! Descriptions of files that no format reads: stores and exports that are not supported yet, and common JSON without
//! conversations. The table is used only if no format recognises a file; it never takes part in detection.

use crate::json::Val;

/// A kind of file that is not supported.
pub struct UnsupportedFile {
    /// Its name, with the article.
    pub name: &'static str,
    /// True if it contains a conversation.
    pub is_conversation: bool,
    /// The tests that a record must pass, all of them.
    tests: &'static [RecordTest],
}

/// A test of a record. A path is keys joined by dots; the step `[]` is any element of a list.
#[derive(Clone, Copy)]
enum RecordTest {
    /// There is a value at the path that is not null.
    Has(&'static str),
    /// There is no value at the path.
    Lacks(&'static str),
    /// There is a string at the path, and it is one of these.
    Is(&'static str, &'static [&'static str]),
    /// There is a string at the path with this prefix.
    Begins(&'static str, &'static str),
}

use RecordTest::{Begins, Has, Is, Lacks};

/// The maximum number of elements of a list that a path is tried in.
const SAMPLE: usize = 20;

const fn store(name: &'static str, tests: &'static [RecordTest]) -> UnsupportedFile {
    UnsupportedFile { name, is_conversation: true, tests }
}

const fn other(name: &'static str, tests: &'static [RecordTest]) -> UnsupportedFile {
    UnsupportedFile { name, is_conversation: false, tests }
}

/// All kinds. The first that matches is used, so the most specific come first.
#[rustfmt::skip]
static ROWS: &[UnsupportedFile] = &[
    // Agents.
    store("an opencode export", &[Has("info"), Has("messages.[].info"), Has("messages.[].parts")]),
    other("a part of an opencode message (check the file of its session, or the folder `storage`)", &[Has("messageID"), Has("type")]),
    other("an opencode message without its parts (check the folder `storage`)", &[Has("sessionID"), Has("role")]),
    other("the metadata of an opencode session (check the folder `storage`)", &[Has("projectID"), Has("directory")]),
    other("a part of an opencode message (check the file of its session, or the folder `storage`)", &[Begins("id", "prt_"), Has("type")]),
    store("a draft of a Gemini CLI session", &[Has("history.[].parts"), Has("history.[].role")]),
    store("a recording of the Gemini CLI's tests", &[Has("method"), Has("response")]),
    store("a Factory Droid session", &[Is("type", &["session_start"])]),
    store("a Factory Droid stream", &[Has("session_id"), Is("type", &["system", "message", "tool_call", "tool_result"]), Has("id"), Lacks("message"), Lacks("uuid")]),
    store("a pi or OpenClaw session", &[Is("type", &["session"]), Has("cwd")]),
    store("a session of pi, OpenClaw or Factory Droid", &[Is("type", &["message"]), Has("message.role")]),
    store("a session of pi or OpenClaw", &[Has("parentId"), Is("type", &["model_change", "thinking_level_change", "compaction", "branch_summary", "custom", "custom_message", "label", "session_info"])]),
    store("a pi or OpenClaw message", &[Is("role", &["assistant"]), Has("stopReason"), Has("content")]),
    store("a Copilot CLI event log", &[Begins("type", "session."), Has("data"), Has("id")]),
    store("a Copilot CLI event log", &[Is("type", &["user.message", "assistant.message", "assistant.turn_start", "assistant.turn_end", "tool.execution_start", "tool.execution_complete", "system.message"]), Has("data")]),
    store("a VS Code chat session", &[Has("requests.[].message"), Has("requests.[].response")]),
    store("the output of `codex exec --json`, which contains no replayable items", &[Is("type", &["thread.started", "turn.started", "turn.completed", "turn.failed", "item.started", "item.updated", "item.completed"])]),
    store("Codex's prompt history (history.jsonl)", &[Has("session_id"), Has("ts"), Has("text")]),
    store("Claude Code's prompt history (history.jsonl)", &[Has("display"), Has("pastedContents")]),
    store("a Claude Code web export", &[Has("loglines")]),
    store("a Claude Code session index", &[Has("entries.[].sessionId")]),
    store("a Cursor agent transcript", &[Is("role", &["user", "assistant"]), Has("message.content"), Lacks("type")]),
    store("a goose session", &[Has("role"), Has("created"), Has("content")]),
    store("a Grok CLI session", &[Is("type", &["system", "user", "assistant", "tool_result", "backend_tool_call"]), Has("content"), Lacks("message"), Lacks("role")]),
    store("a Hermes session", &[Has("session_id"), Has("platform"), Has("messages")]),
    store("a Hermes session", &[Has("session_id"), Has("archive_state")]),
    store("a Hermes trajectory", &[Has("trajectory_id"), Has("steps")]),
    store("a Hermes event log", &[Has("atof_version")]),
    other("the event log of a Kimi CLI session (its conversation is in `context.jsonl`)", &[Is("type", &["metadata"]), Has("protocol_version"), Lacks("created_at")]),
    other("the event log of a Kimi CLI session (its conversation is in `context.jsonl`)", &[Has("message.type"), Has("message.payload"), Has("timestamp")]),
    other("the state of a Kimi CLI session (its conversation is in `context.jsonl`)", &[Has("approval.auto_approve_actions"), Has("plan_mode")]),
    store("a Kimi session", &[Begins("type", "context."), Has("time")]),
    store("a Kimi session", &[Is("type", &["metadata"]), Has("protocol_version")]),
    store("a Kimi session", &[Is("type", &["config.update", "turn.prompt", "tools.set_active_tools"]), Has("time")]),
    store("a Kimi session's state", &[Has("agents"), Has("workDir"), Has("lastPrompt")]),
    store("an Antigravity session", &[Has("step_index"), Has("source")]),
    store("an Antigravity session", &[Has("cascadeId")]),
    store("an Amp thread", &[Begins("id", "T-"), Has("v"), Has("messages")]),
    other("Continue's list of sessions (sessions.json)", &[Has("[].sessionId"), Has("[].dateCreated"), Lacks("[].history")]),
    other("a file of a Mistral Vibe session (check the folder of the session)", &[Begins("store_format", "mistral.vibe.")]),
    other("a file of a Mistral Vibe session (check the folder of the session)", &[Has("manifest_version"), Has("generation")]),
    other("Cline's display messages (ui_messages.json)", &[Has("[].ts"), Has("[].say")]),
    other("Cline's display messages (ui_messages.json)", &[Has("[].ts"), Has("[].ask")]),
    other("the metadata of a Cline session, whose messages are in another file", &[Has("session_id"), Has("workspace_root")]),
    other("Cline's list of tasks (taskHistory.json)", &[Has("[].task"), Has("[].tokensIn")]),
    other("the metadata of a Cline task (task_metadata.json)", &[Has("files_in_context")]),
    store("an OpenHands event", &[Has("source"), Has("timestamp"), Is("kind", &["SystemPromptEvent", "MessageEvent", "ActionEvent", "ObservationEvent", "AgentErrorEvent", "UserRejectObservation", "Condensation"])]),
    store("an OpenHands trajectory", &[Has("[].source"), Has("[].action")]),
    store("an OpenHands conversation's state", &[Has("agent"), Has("workspace"), Has("execution_status")]),
    store("a Zed thread", &[Has("messages.[].Agent")]),
    store("a Zed thread", &[Has("messages.[].User")]),
    // Frameworks.
    store("a Vercel AI SDK UIMessage list", &[Has("[].parts.[].type"), Has("[].role")]),
    store("a Vercel AI SDK UIMessage list", &[Has("[].toolInvocations")]),
    store("a Vercel AI SDK UIMessage", &[Has("parts.[].type"), Has("role"), Has("id")]),
    store("a Vercel AI SDK UIMessage list", &[Has("messages.[].parts.[].type"), Has("messages.[].role")]),
    store("a Vercel AI SDK ModelMessage list", &[Has("[].content.[].toolCallId")]),
    store("a Vercel AI SDK ModelMessage list", &[Has("messages.[].content.[].toolCallId")]),
    store("a Vercel AI SDK ModelMessage", &[Has("role"), Has("content.[].toolCallId")]),
    store("a LangChain dump", &[Has("lc"), Has("kwargs")]),
    store("a LangChain dump", &[Has("[].lc"), Has("[].kwargs")]),
    store("a LangChain message list", &[Is("[].type", &["human", "ai", "tool", "system"]), Has("[].data")]),
    store("a LangChain message list", &[Is("[].type", &["human", "ai", "tool", "system"]), Has("[].additional_kwargs")]),
    store("a LangChain message", &[Is("type", &["human", "ai", "tool", "system"]), Has("data.content")]),
    store("a LangGraph state", &[Has("values.messages")]),
    store("a pydantic-ai message list", &[Is("[].kind", &["request", "response"]), Has("[].parts")]),
    store("a pydantic-ai message", &[Is("kind", &["request", "response"]), Has("parts.[].part_kind")]),
    store("a Google ADK session", &[Has("events"), Has("app_name")]),
    store("an Agents SDK RunState", &[Has("$schemaVersion")]),
    store("an Inspect AI log", &[Has("eval"), Has("status"), Has("version")]),
    // Exports, logs and traces.
    store("a ChatGPT export", &[Has("mapping"), Has("current_node")]),
    store("a ChatGPT export", &[Has("[].mapping")]),
    store("a Claude.ai export", &[Has("chat_messages")]),
    store("a Claude.ai export", &[Has("[].chat_messages")]),
    store("a Claude.ai export", &[Has("uuid"), Has("messages.[].content.role")]),
    store("a Google AI Studio export", &[Has("chunkedPrompt")]),
    store("a Grok export", &[Has("conversations.[].conversation")]),
    store("a LiteLLM log", &[Has("call_type")]),
    store("a LiteLLM log", &[Has("messages"), Has("kwargs")]),
    store("a Langfuse export", &[Has("[].traceId")]),
    store("a Langfuse export", &[Has("traceId"), Has("type")]),
    store("an OpenTelemetry trace", &[Has("resourceSpans")]),
    store("a ShareGPT data set", &[Has("conversations.[].from"), Has("conversations.[].value")]),
    store("a ShareGPT data set", &[Has("[].conversations.[].from")]),
    store("an Alpaca data set", &[Has("instruction"), Has("output")]),
    store("an Alpaca data set", &[Has("[].instruction"), Has("[].output")]),
    store("a chat log with timestamps", &[Has("timestamp"), Has("role"), Has("content")]),
    store("a log of requests and responses", &[Has("messages"), Has("response")]),
    // Requests, responses and objects of APIs without a history.
    other("a Conversations API object without its items", &[Begins("object", "conversation"), Has("id")]),
    other("a Batch API object", &[Is("object", &["batch"]), Has("id")]),
    other("an embeddings response", &[Has("data.[].embedding")]),
    other("an embeddings request", &[Has("input"), Has("model"), Lacks("messages")]),
    other("an error response of an API", &[Has("error.message")]),
    other("an error response of an API", &[Is("type", &["error"]), Has("error")]),
    other("an error response of an API", &[Has("[].error.message")]),
    other("an error response of Bedrock", &[Has("message"), Has("__type")]),
    other("a replaylint report", &[Has("summary.histories"), Has("diagnostics")]),
    // Other files in the same folders.
    other("a package.json", &[Has("name"), Is("type", &["module", "commonjs"])]),
    other("a package.json", &[Has("name"), Has("scripts")]),
    other("a package.json", &[Has("name"), Has("dependencies")]),
    other("a package.json", &[Has("name"), Has("devDependencies")]),
    other("a package lock file", &[Has("lockfileVersion")]),
    other("a TypeScript configuration", &[Has("compilerOptions")]),
    other("a SARIF report", &[Has("runs.[].tool")]),
    other("a GeoJSON file", &[Is("type", &["FeatureCollection", "Feature", "GeometryCollection"])]),
    other("a GeoJSON file", &[Has("coordinates"), Has("type")]),
    other("a Jupyter notebook", &[Has("cells"), Has("nbformat")]),
    other("an OpenAPI description", &[Has("openapi"), Has("paths")]),
    other("a HAR file", &[Has("log.entries")]),
    other("a JSON Schema", &[Begins("$schema", "http")]),
    other("a JSON Schema", &[Is("type", &["object"]), Has("properties")]),
    other("a JSON-RPC message", &[Has("jsonrpc")]),
    other("an MCP configuration", &[Has("mcpServers")]),
    other("a Claude Code settings file", &[Has("permissions.allow")]),
];

/// The number of the row of the table that a record matches.
pub fn find_row(val: Val<'_>) -> Option<u32> {
    ROWS.iter().position(|row| row.tests.iter().all(|test| test.passes(val))).and_then(|n| u32::try_from(n).ok())
}

/// The row of the table with this number.
pub fn row(number: u32) -> Option<&'static UnsupportedFile> {
    ROWS.get(number as usize)
}

impl RecordTest {
    fn passes(&self, val: Val<'_>) -> bool {
        match self {
            RecordTest::Has(path) => any(val, path, &|found| !found.is_null()),
            RecordTest::Lacks(path) => !any(val, path, &|_| true),
            RecordTest::Is(path, texts) => any(val, path, &|found| texts.iter().any(|text| found.is(text))),
            RecordTest::Begins(path, start) => {
                any(val, path, &|found| found.text().is_some_and(|text| text.starts_with(start.as_bytes())))
            }
        }
    }
}

/// True if a value at this path passes.
fn any(val: Val<'_>, path: &str, passes: &dyn Fn(Val<'_>) -> bool) -> bool {
    let (step, rest) = path.split_once('.').unwrap_or((path, ""));
    let go_on = |val: Val<'_>| if rest.is_empty() { passes(val) } else { any(val, rest, passes) };
    match step {
        "[]" => val.elements().take(SAMPLE).any(go_on),
        key => val.get(key).is_some_and(go_on),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Tape, scan};

    fn name(text: &str) -> Option<&'static str> {
        let mut tape = Tape::new();
        scan(text.as_bytes(), &mut tape).expect("JSON");
        Some(row(find_row(tape.root(text.as_bytes())?)?)?.name)
    }

    #[test]
    fn paths_go_into_lists() {
        assert_eq!(name(r#"[{"role":"user","parts":[{"type":"text"}]}]"#), Some("a Vercel AI SDK UIMessage list"));
        assert_eq!(name(r#"{"$schema":"https://json-schema.org/x"}"#), Some("a JSON Schema"));
        assert_eq!(name(r#"{"$schema":null}"#), None);
        assert_eq!(name("[1,2]"), None);
    }

    #[test]
    fn every_row_has_a_test() {
        for (n, row) in ROWS.iter().enumerate() {
            assert!(!row.tests.is_empty(), "row {n} matches everything");
        }
    }
}
