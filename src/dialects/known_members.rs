//! The members of messages, parts and items that conversion reads, or that have no meaning outside of their own API. Any
//! other member is reported where it is left out.

use crate::dialect::Body;
use crate::json::{KeySet, Val, string};
use crate::message::{LossKind, Losses, members};

/// Members of each kind of object, by where it occurs: paths, with dots where an object's members are read one by one.
static KNOWN: &[(&str, &[PieceMembers])] = &[
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
                    "mediaResolution.level",
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
                    "mediaResolution.level",
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
            // Bedrock: the value of a block's only key.
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

/// The members of one kind of object.
struct PieceMembers {
    kind: &'static str,
    members: &'static [&'static str],
    /// The same as a set, for members that are not objects.
    keys: KeySet,
}

const fn piece(kind: &'static str, members: &'static [&'static str]) -> PieceMembers {
    PieceMembers { kind, members, keys: KeySet::new(members) }
}

/// Members that only the client reads: of Codex.
const OF_CLIENTS: [&str; 1] = ["internal_chat_message_metadata_passthrough"];

/// Reports the members of an object that conversion does not read, whether spelled in snake_case or camelCase. For unknown
/// kinds nothing is reported: they are kept or lost as a whole. `place` is the dialect, or a context in it.
pub fn report_unknown_members(body: &Body<'_>, val: Val<'_>, place: &str, kind: &[u8], losses: &mut Losses) {
    let pieces = KNOWN.iter().find(|(own, _)| *own == place).map_or(&[][..], |(_, pieces)| pieces);
    let Some(piece) = pieces.iter().find(|piece| piece.kind.as_bytes() == kind) else { return };
    report_within(body, val, "", piece, losses);
}

fn report_within(body: &Body<'_>, val: Val<'_>, above: &str, piece: &PieceMembers, losses: &mut Losses) {
    for member in val.members() {
        // Most members are known and not objects: the fast path.
        let plain = above.is_empty() && !member.val.is_object();
        if plain && piece.keys.has(&member) || !has_value(member.val) {
            continue;
        }
        let key = member.key.decode();
        let key = string::lossy(&key);
        if above.is_empty() && OF_CLIENTS.contains(&&*key) {
            continue;
        }
        let own = member.val;
        let found = piece.find(above, &key).or_else(|| piece.find(above, &members::to_camel_case(&key)));
        match found {
            Some(KnownMember { under: Some(path), .. }) if own.is_object() || own.is_array() => {
                report_within(body, own, path, piece, losses);
                own.elements().for_each(|element| report_within(body, element, path, piece, losses));
            }
            Some(KnownMember { whole: true, .. }) => {}
            // A cache mark affects the cost of a request, not its content.
            _ if matches!(&*key, "cache_control" | "prompt_cache_breakpoint") => {
                losses.count(LossKind::CACHE_MARK, body.at_key(&member));
            }
            _ => losses.add(LossKind::FIELD, body.at_key(&member)),
        }
    }
}

/// The entry of a member in the table.
#[derive(Clone, Copy, Default)]
struct KnownMember {
    whole: bool,
    /// Its path, if its own members are listed one by one.
    under: Option<&'static str>,
}

impl PieceMembers {
    /// The entry of a key below a path.
    fn find(&self, above: &str, key: &str) -> Option<KnownMember> {
        let mut found = None;
        let first = key.as_bytes().first();
        for path in self.members {
            let below = match above {
                "" => Some(*path),
                above => path.strip_prefix(above).and_then(|rest| rest.strip_prefix('.')),
            };
            // Nearly all differ in their first letter, which takes no call to be compared.
            let below = below.filter(|below| below.as_bytes().first() == first);
            let Some(rest) = below.and_then(|below| below.strip_prefix(key)) else { continue };
            if rest.is_empty() {
                found.get_or_insert(KnownMember::default()).whole = true;
            } else if rest.starts_with('.') {
                found.get_or_insert(KnownMember::default()).under = Some(&path[..path.len() - rest.len()]);
            }
        }
        found
    }
}

/// True unless null, empty or false, the defaults.
fn has_value(val: Val<'_>) -> bool {
    match val {
        own if own.is_null() => false,
        own if own.is_object() || own.is_array() => own.count() > 0,
        own => !own.is("") && own.as_bool() != Some(false),
    }
}
