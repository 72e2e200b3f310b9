//! The schema definition of an item: for dialects of items by its type, for the others by the role of a message and the
//! type of a block. A message is validated without its blocks, which are rows and have their own definitions. The slot
//! of a definition is its number in its list.

use crate::history::{Flags, Kind, Role, Row};
use crate::json::{Val, name};

type SlotMatch = Option<(usize, &'static str)>;

/// By `type`; messages by role.
pub fn responses(row: &Row, _: Val<'_>) -> SlotMatch {
    match (row.kind, row.role) {
        (Kind::Unknown, _) => None,
        // Unknown items have no definition, so their slot is free.
        (Kind::Message, Role::Assistant) => Some((Kind::Unknown as usize, "assistant_message")),
        (kind, _) => Some((kind as usize, kind.name())),
    }
}

const CHAT: [&str; 13] = [
    "message",
    "user_message",
    "assistant_message",
    "system_message",
    "developer_message",
    "tool_message",
    "tool_call",
    "part",
    "text",
    "refusal",
    "image_url",
    "input_audio",
    "file",
];

/// Content parts are recognised by their `type`; any other part with a `type` belongs to another vendor. Recorded
/// answers are not validated: many vendors' servers speak the dialect, and it is not known which one it was.
pub fn chat(row: &Row, item: Val<'_>) -> SlotMatch {
    if row.has(Flags::RECORDED) {
        return None;
    }
    let slot = match row.kind {
        Kind::BlockMessage => by_role(row.role),
        Kind::ToolResult => 5,
        Kind::ToolUse => 6,
        _ => typed(&CHAT, 7, item),
    };
    CHAT.get(slot).map(|name| (slot, *name))
}

const ANTHROPIC: [&str; 23] = [
    "message",
    "user_message",
    "assistant_message",
    "system_message",
    "block",
    "text",
    "tool_use",
    "tool_result",
    "thinking",
    "redacted_thinking",
    "image",
    "document",
    "search_result",
    "container_upload",
    "server_tool_use",
    "mcp_tool_use",
    "mcp_tool_result",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "code_execution_tool_result",
    "bash_code_execution_tool_result",
    "text_editor_code_execution_tool_result",
    "tool_search_tool_result",
];

/// Blocks are recognised by their `type`; all unknown types share a definition.
pub fn anthropic(row: &Row, item: Val<'_>) -> SlotMatch {
    let slot = match (row.kind, row.role) {
        (Kind::BlockMessage, Role::Developer) => 0,
        (Kind::BlockMessage, role) => by_role(role),
        _ => typed(&ANTHROPIC, 4, item),
    };
    ANTHROPIC.get(slot).map(|name| (slot, *name))
}

/// All parts share a definition: the kind of a part is the name of its member.
pub fn gemini(row: &Row, _: Val<'_>) -> SlotMatch {
    Some(if row.kind == Kind::BlockMessage { (0, "content") } else { (1, "part") })
}

const BEDROCK: [&str; 4] = ["message", "user_message", "assistant_message", "block"];

/// All blocks share a definition: the kind of a block is the name of its member.
pub fn bedrock(row: &Row, _: Val<'_>) -> SlotMatch {
    let slot = match (row.kind, row.role) {
        (Kind::BlockMessage, Role::User) => 1,
        (Kind::BlockMessage, Role::Assistant) => 2,
        (Kind::BlockMessage, _) => 0,
        _ => 3,
    };
    BEDROCK.get(slot).map(|name| (slot, *name))
}

/// The slot of a message: 0 for other roles, then the known ones.
fn by_role(role: Role) -> usize {
    match role {
        Role::User => 1,
        Role::Assistant => 2,
        Role::System => 3,
        Role::Developer => 4,
        Role::None | Role::Tool | Role::Other => 0,
    }
}

/// The slot after `any` with the name of the type; `any` for other types, and without a type.
fn typed(names: &[&str], any: usize, item: Val<'_>) -> usize {
    let Some(kind) = item.get(name::r#type).and_then(|kind| kind.as_str()) else { return any };
    let mut after = names.iter().enumerate().skip(any + 1);
    after.find(|(_, name)| kind.is(name.as_bytes())).map_or(any, |(at, _)| at)
}
