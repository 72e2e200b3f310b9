//! The members of pieces of a conversation that conversion reads, or that say nothing outside of their own API. Whatever
//! else a piece holds is reported where it is left out.

use crate::dialect::Body;
use crate::json::{KeySet, Val};
use crate::message::{LossKind, Losses, members};

/// Members of each kind of piece, by where it occurs: paths, with dots where an object's members are read one by one.
static KNOWN: &[(&str, &[Piece])] = &[
    (
        "chat",
        &[
            // Chat Completions: messages by their roles.
            piece("system", &["role", "content", "name"]),
            piece("developer", &["role", "content", "name"]),
            piece("user", &["role", "content", "name"]),
            piece(
                "assistant",
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
                    "thinking_blocks",
                    "prefix",
                ],
            ),
            piece("tool", &["role", "content", "tool_call_id", "name", "tool_name"]),
            piece("function", &["role", "content", "tool_call_id", "name"]),
            // Parts and calls.
            piece("text", &["type", "text", "annotations", "cache_control", "prompt_cache_breakpoint"]),
            piece("input_text", &["type", "text", "cache_control", "prompt_cache_breakpoint"]),
            piece("output_text", &["type", "text", "annotations", "logprobs", "cache_control"]),
            piece("refusal", &["type", "refusal"]),
            piece("thinking", &["type", "thinking", "closed"]),
            piece(
                "image_url",
                &[
                    "type",
                    "image_url",
                    "image_url.url",
                    "image_url.detail",
                    "cache_control",
                    "prompt_cache_breakpoint",
                ],
            ),
            piece(
                "input_audio",
                &["type", "input_audio.data", "input_audio.format", "cache_control", "prompt_cache_breakpoint"],
            ),
            piece(
                "file",
                &[
                    "type",
                    "file.filename",
                    "file.file_data",
                    "file.file_id",
                    "cache_control",
                    "prompt_cache_breakpoint",
                ],
            ),
            piece("document_url", &["type", "document_url", "document_name"]),
            piece("video_url", &["type", "video_url.url"]),
            piece(
                "function_call",
                &[
                    "id",
                    "type",
                    "index",
                    "function.name",
                    "function.arguments",
                    "extra_content.google.thought_signature",
                ],
            ),
            piece("custom_call", &["id", "type", "index", "custom.name", "custom.input"]),
        ],
    ),
    (
        "responses",
        &[
            // Items of the Responses API.
            piece("message", &["type", "role", "id", "status", "phase", "content"]),
            piece(
                "function_call",
                &[
                    "type",
                    "id",
                    "call_id",
                    "status",
                    "phase",
                    "name",
                    "arguments",
                    "namespace",
                    "caller",
                    "created_by",
                ],
            ),
            piece(
                "custom_tool_call",
                &[
                    "type",
                    "id",
                    "call_id",
                    "status",
                    "phase",
                    "name",
                    "input",
                    "namespace",
                    "caller",
                    "created_by",
                ],
            ),
            piece(
                "builtin_call",
                &[
                    "type",
                    "id",
                    "call_id",
                    "status",
                    "phase",
                    "action",
                    "operation",
                    "caller",
                    "namespace",
                    "created_by",
                ],
            ),
            piece("output", &["type", "id", "call_id", "status", "output", "created_by"]),
            piece("reasoning", &["type", "id", "status", "summary", "content", "encrypted_content"]),
            // Parts of their contents and outputs.
            piece("input_text", &["type", "text", "prompt_cache_breakpoint"]),
            piece("output_text", &["type", "text", "annotations", "logprobs"]),
            piece("text", &["type", "text", "annotations", "logprobs"]),
            piece("summary_text", &["type", "text"]),
            piece("refusal", &["type", "refusal"]),
            piece("input_image", &["type", "image_url", "file_id", "detail", "prompt_cache_breakpoint"]),
            piece("computer_screenshot", &["type", "image_url", "file_id"]),
            piece(
                "input_file",
                &["type", "filename", "file_data", "file_url", "file_id", "prompt_cache_breakpoint"],
            ),
        ],
    ),
    (
        "anthropic",
        &[
            // Blocks of Anthropic.
            piece("message", &["role", "content", "id", "type", "model", "stop_reason", "stop_sequence", "usage"]),
            piece("text", &["type", "text", "cache_control", "citations"]),
            piece("tool_use", &["type", "id", "name", "input", "cache_control"]),
            piece("tool_result", &["type", "tool_use_id", "content", "is_error", "cache_control"]),
            piece("thinking", &["type", "thinking", "signature"]),
            piece("redacted_thinking", &["type", "data"]),
            piece("compaction", &["type", "content", "cache_control", "encrypted_content"]),
            piece("image", &["type", "source", "cache_control"]),
            piece("document", &["type", "source", "title", "context", "citations.enabled", "cache_control"]),
            piece(
                "search_result",
                &["type", "source", "title", "content.type", "content.text", "citations.enabled", "cache_control"],
            ),
            piece("container_upload", &["type", "file_id", "cache_control"]),
        ],
    ),
    (
        "anthropic/result",
        &[
            // The same in the result of a tool.
            piece("text", &["type", "text"]),
            piece("image", &["type", "source"]),
            piece("document", &["type", "source", "title", "context", "citations.enabled"]),
            piece(
                "search_result",
                &["type", "source", "title", "content.type", "content.text", "citations.enabled"],
            ),
        ],
    ),
    (
        "anthropic/source",
        &[
            // Where media come from.
            piece("base64", &["type", "media_type", "data"]),
            piece("text", &["type", "media_type", "data"]),
            piece("url", &["type", "url"]),
            piece("file", &["type", "file_id"]),
            piece("content", &["type", "content.type", "content.text"]),
        ],
    ),
    (
        "gemini",
        &[
            // Gemini.
            piece("content", &["role", "parts"]),
            piece("text", &["text", "thought", "thoughtSignature", "partMetadata"]),
            piece(
                "functionCall",
                &["functionCall.id", "functionCall.name", "functionCall.args", "thoughtSignature", "partMetadata"],
            ),
            piece(
                "functionResponse",
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
            piece(
                "inlineData",
                &[
                    "inlineData.mimeType",
                    "inlineData.data",
                    "inlineData.displayName",
                    "thoughtSignature",
                    "partMetadata",
                ],
            ),
            piece(
                "fileData",
                &[
                    "fileData.mimeType",
                    "fileData.fileUri",
                    "fileData.displayName",
                    "thoughtSignature",
                    "partMetadata",
                ],
            ),
        ],
    ),
    (
        "bedrock",
        &[
            // Bedrock: what the only key of a block holds.
            piece("message", &["role", "content"]),
            piece("toolUse", &["toolUseId", "name", "input", "type"]),
            piece("toolResult", &["toolUseId", "content", "status", "type"]),
            piece("reasoningContent", &["reasoningText.text", "reasoningText.signature", "redactedContent"]),
            piece("guardContent", &["text.text", "text.qualifiers"]),
            piece("citationsContent", &["content.text", "citations"]),
            piece("searchResult", &["source", "title", "content.text", "citations.enabled"]),
            piece("image", MEDIA),
            piece("video", MEDIA),
            piece("audio", MEDIA),
            piece(
                "document",
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
        ],
    ),
];

const MEDIA: &[&str] = &["format", "source.bytes", "source.s3Location.uri", "source.s3Location.bucketOwner"];

/// A kind of piece.
struct Piece {
    kind: &'static str,
    members: &'static [&'static str],
    /// The same, for members that are not looked into.
    keys: KeySet,
}

const fn piece(kind: &'static str, members: &'static [&'static str]) -> Piece {
    Piece { kind, members, keys: KeySet::new(members) }
}

/// Members that clients keep for themselves, and no model reads: of Codex.
const OF_CLIENTS: [&str; 1] = ["internal_chat_message_metadata_passthrough"];

/// Reports the members of a piece that nothing reads, in the spelling as it stands or in camelCase. Of a kind that is not
/// known nothing is reported: it is kept or lost as a whole. `place` is the dialect, or where in it the piece occurs.
pub fn strays(body: &Body<'_>, val: Val<'_>, place: &str, kind: &[u8], losses: &mut Losses) {
    let pieces = KNOWN.iter().find(|(own, _)| *own == place).map_or(&[][..], |(_, pieces)| pieces);
    let Some(piece) = pieces.iter().find(|piece| piece.kind.as_bytes() == kind) else { return };
    within(body, val, "", piece, losses);
}

fn within(body: &Body<'_>, val: Val<'_>, above: &str, piece: &Piece, losses: &mut Losses) {
    for member in val.members() {
        // Most members are known and no objects: they cost as little as can be.
        let plain = above.is_empty() && !member.val.is_object();
        if plain && piece.keys.has(&member) || !says(member.val) {
            continue;
        }
        let key = member.key.decode();
        let key = String::from_utf8_lossy(&key);
        if above.is_empty() && OF_CLIENTS.contains(&&*key) {
            continue;
        }
        let own = member.val;
        let found = piece.find(above, &key).or_else(|| piece.find(above, &members::camel(&key)));
        match found {
            Some(Known { under: Some(path), .. }) if own.is_object() || own.is_array() => {
                within(body, own, path, piece, losses);
                own.elements().for_each(|element| within(body, element, path, piece, losses));
            }
            Some(Known { whole: true, .. }) => {}
            // A mark changes what a request costs, and nothing that is said.
            _ if matches!(&*key, "cache_control" | "prompt_cache_breakpoint") => {
                losses.count(LossKind::CACHE_MARK, body.at_key(&member));
            }
            _ => losses.add(LossKind::FIELD, body.at_key(&member)),
        }
    }
}

/// How a member is known.
#[derive(Clone, Copy, Default)]
struct Known {
    whole: bool,
    /// Its path, if its own members are known one by one.
    under: Option<&'static str>,
}

impl Piece {
    /// What is known of a key below a path.
    fn find(&self, above: &str, key: &str) -> Option<Known> {
        let mut found = None;
        for path in self.members {
            let below = match above {
                "" => Some(*path),
                above => path.strip_prefix(above).and_then(|rest| rest.strip_prefix('.')),
            };
            let Some(rest) = below.and_then(|below| below.strip_prefix(key)) else { continue };
            if rest.is_empty() {
                found.get_or_insert(Known::default()).whole = true;
            } else if rest.starts_with('.') {
                found.get_or_insert(Known::default()).under = Some(&path[..path.len() - rest.len()]);
            }
        }
        found
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
