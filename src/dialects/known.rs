//! The members of pieces of a conversation that conversion reads, or that say nothing outside of their own API. Whatever
//! else a piece holds is reported where it is left out.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::dialect::Body;
use crate::json::Val;
use crate::neutral::{LossKind, Losses, members};

/// Members of each kind of piece: paths, with dots where an object's members are read one by one.
const KNOWN: &[(&str, &[&str])] = &[
    // Chat Completions: messages by their roles.
    ("chat/system", &["role", "content", "name"]),
    ("chat/developer", &["role", "content", "name"]),
    ("chat/user", &["role", "content", "name"]),
    (
        "chat/assistant",
        &[
            "role",
            "content",
            "name",
            "tool_calls",
            "function_call.name",
            "function_call.arguments",
            "refusal",
            "audio.id",
            "annotations",
            "reasoning",
            "reasoning_content",
            "reasoning_details",
            "prefix",
        ],
    ),
    ("chat/tool", &["role", "content", "tool_call_id", "name", "tool_name"]),
    ("chat/function", &["role", "content", "tool_call_id", "name"]),
    // Parts and calls.
    ("chat/text", &["type", "text", "annotations", "cache_control", "prompt_cache_breakpoint"]),
    ("chat/input_text", &["type", "text", "cache_control", "prompt_cache_breakpoint"]),
    ("chat/output_text", &["type", "text", "annotations", "logprobs", "cache_control"]),
    ("chat/refusal", &["type", "refusal"]),
    ("chat/thinking", &["type", "thinking", "closed"]),
    (
        "chat/image_url",
        &["type", "image_url", "image_url.url", "image_url.detail", "cache_control", "prompt_cache_breakpoint"],
    ),
    (
        "chat/input_audio",
        &["type", "input_audio.data", "input_audio.format", "cache_control", "prompt_cache_breakpoint"],
    ),
    (
        "chat/file",
        &["type", "file.filename", "file.file_data", "file.file_id", "cache_control", "prompt_cache_breakpoint"],
    ),
    ("chat/document_url", &["type", "document_url", "document_name"]),
    ("chat/video_url", &["type", "video_url.url"]),
    (
        "chat/function_call",
        &["id", "type", "index", "function.name", "function.arguments", "extra_content.google.thought_signature"],
    ),
    ("chat/custom_call", &["id", "type", "index", "custom.name", "custom.input"]),
    // Items of the Responses API.
    ("responses/message", &["type", "role", "id", "status", "phase", "content"]),
    (
        "responses/function_call",
        &["type", "id", "call_id", "status", "phase", "name", "arguments", "namespace", "caller", "created_by"],
    ),
    (
        "responses/custom_tool_call",
        &["type", "id", "call_id", "status", "phase", "name", "input", "namespace", "caller", "created_by"],
    ),
    (
        "responses/builtin_call",
        &["type", "id", "call_id", "status", "phase", "action", "operation", "caller", "namespace", "created_by"],
    ),
    ("responses/output", &["type", "id", "call_id", "status", "output", "created_by"]),
    ("responses/reasoning", &["type", "id", "status", "summary", "content", "encrypted_content"]),
    // Parts of their contents and outputs.
    ("responses/input_text", &["type", "text", "prompt_cache_breakpoint"]),
    ("responses/output_text", &["type", "text", "annotations", "logprobs"]),
    ("responses/text", &["type", "text", "annotations", "logprobs"]),
    ("responses/summary_text", &["type", "text"]),
    ("responses/refusal", &["type", "refusal"]),
    ("responses/input_image", &["type", "image_url", "file_id", "detail", "prompt_cache_breakpoint"]),
    ("responses/computer_screenshot", &["type", "image_url", "file_id"]),
    ("responses/input_file", &["type", "filename", "file_data", "file_url", "file_id", "prompt_cache_breakpoint"]),
    // Blocks of Anthropic.
    ("anthropic/message", &["role", "content", "id", "type", "model", "stop_reason", "stop_sequence", "usage"]),
    ("anthropic/text", &["type", "text", "cache_control", "citations"]),
    ("anthropic/tool_use", &["type", "id", "name", "input", "cache_control"]),
    ("anthropic/tool_result", &["type", "tool_use_id", "content", "is_error", "cache_control"]),
    ("anthropic/thinking", &["type", "thinking", "signature"]),
    ("anthropic/redacted_thinking", &["type", "data"]),
    ("anthropic/compaction", &["type", "content", "cache_control", "encrypted_content"]),
    ("anthropic/image", &["type", "source", "cache_control"]),
    ("anthropic/document", &["type", "source", "title", "context", "citations.enabled", "cache_control"]),
    (
        "anthropic/search_result",
        &["type", "source", "title", "content.type", "content.text", "citations.enabled", "cache_control"],
    ),
    // The same in the result of a tool.
    ("anthropic/result/text", &["type", "text"]),
    ("anthropic/result/image", &["type", "source"]),
    ("anthropic/result/document", &["type", "source", "title", "context", "citations.enabled"]),
    (
        "anthropic/result/search_result",
        &["type", "source", "title", "content.type", "content.text", "citations.enabled"],
    ),
    // Where media come from.
    ("anthropic/source/base64", &["type", "media_type", "data"]),
    ("anthropic/source/text", &["type", "media_type", "data"]),
    ("anthropic/source/url", &["type", "url"]),
    ("anthropic/source/file", &["type", "file_id"]),
    ("anthropic/source/content", &["type", "content.type", "content.text"]),
    ("anthropic/container_upload", &["type", "file_id", "cache_control"]),
    // Gemini.
    ("gemini/content", &["role", "parts"]),
    ("gemini/text", &["text", "thought", "thoughtSignature", "partMetadata"]),
    (
        "gemini/functionCall",
        &["functionCall.id", "functionCall.name", "functionCall.args", "thoughtSignature", "partMetadata"],
    ),
    (
        "gemini/functionResponse",
        &[
            "functionResponse.id",
            "functionResponse.name",
            "functionResponse.response",
            "functionResponse.parts.inlineData.mimeType",
            "functionResponse.parts.inlineData.data",
            "functionResponse.parts.inlineData.displayName",
            "functionResponse.parts.fileData.mimeType",
            "functionResponse.parts.fileData.fileUri",
            "functionResponse.parts.fileData.displayName",
            "thoughtSignature",
            "partMetadata",
        ],
    ),
    (
        "gemini/inlineData",
        &["inlineData.mimeType", "inlineData.data", "inlineData.displayName", "thoughtSignature", "partMetadata"],
    ),
    (
        "gemini/fileData",
        &["fileData.mimeType", "fileData.fileUri", "fileData.displayName", "thoughtSignature", "partMetadata"],
    ),
    // Bedrock: what the only key of a block holds.
    ("bedrock/message", &["role", "content"]),
    ("bedrock/toolUse", &["toolUseId", "name", "input", "type"]),
    ("bedrock/toolResult", &["toolUseId", "content", "status", "type"]),
    ("bedrock/reasoningContent", &["reasoningText.text", "reasoningText.signature", "redactedContent"]),
    ("bedrock/guardContent", &["text.text", "text.qualifiers"]),
    ("bedrock/citationsContent", &["content.text", "citations"]),
    ("bedrock/searchResult", &["source", "title", "content.text", "citations.enabled"]),
    ("bedrock/image", MEDIA),
    ("bedrock/video", MEDIA),
    ("bedrock/audio", MEDIA),
    (
        "bedrock/document",
        &[
            "format",
            "name",
            "context",
            "citations.enabled",
            "source.bytes",
            "source.text",
            "source.content.text",
            "source.s3Location.uri",
            "source.s3Location.bucketOwner",
        ],
    ),
];

const MEDIA: &[&str] = &["format", "source.bytes", "source.s3Location.uri", "source.s3Location.bucketOwner"];

/// Members that clients keep for themselves, and no model reads: of Codex.
const OF_CLIENTS: [&str; 1] = ["internal_chat_message_metadata_passthrough"];

/// Reports the members of a piece that nothing reads, in the spelling as it stands or in camelCase. Of a kind that is not
/// known nothing is reported: it is kept or lost as a whole.
pub fn strays(body: &Body<'_>, val: Val<'_>, kind: &str, losses: &mut Losses) {
    static ROWS: LazyLock<HashMap<&str, &[&str]>> = LazyLock::new(|| KNOWN.iter().copied().collect());
    let Some(known) = ROWS.get(kind) else { return };
    within(body, val, "", known, losses);
}

fn within(body: &Body<'_>, val: Val<'_>, above: &str, known: &[&str], losses: &mut Losses) {
    for member in val.members() {
        // Most members are known and no objects: they cost as little as can be.
        let plain = above.is_empty() && !member.val.is_object();
        if plain && known.iter().any(|own| member.key.is(own.as_bytes())) || !says(member.val) {
            continue;
        }
        let key = member.key.decode();
        let key = String::from_utf8_lossy(&key);
        if above.is_empty() && OF_CLIENTS.contains(&&*key) {
            continue;
        }
        let path = |key: &str| if above.is_empty() { key.to_owned() } else { format!("{above}.{key}") };
        let spellings = [path(&key), path(&members::camel(&key))];
        let own = member.val;
        let holds = |path: &&String| {
            let under = |own: &&str| own.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('.'));
            known.iter().any(under)
        };
        if let Some(path) = spellings.iter().find(holds).filter(|_| own.is_object() || own.is_array()) {
            within(body, own, path, known, losses);
            for element in own.elements() {
                within(body, element, path, known, losses);
            }
        } else if !spellings.iter().any(|path| known.contains(&path.as_str())) {
            match &*key {
                // A mark changes what a request costs, and nothing that is said.
                "cache_control" | "prompt_cache_breakpoint" => {
                    losses.count(LossKind::CACHE_MARK, body.at_key(&member))
                }
                _ => losses.add(LossKind::FIELD, body.at_key(&member)),
            }
        }
    }
}

/// Null, nothing and no are what is meant anyway.
fn says(val: Val<'_>) -> bool {
    match val {
        own if own.is_null() => false,
        own if own.is_object() || own.is_array() => own.count() > 0,
        own => !own.is("") && own.as_bool() != Some(false),
    }
}
