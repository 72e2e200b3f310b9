//! Which definition an item must fit: of a dialect of items by its type, of the others by a message's role and a block's
//! type. A message is held against what it is apart from its blocks, which are rows and have definitions of their own.
//! A definition's slot is its number in its list.

use crate::history::{Flags, Kind, Role, Row};
use crate::json::{Val, name};

type Found = Option<(usize, &'static str)>;

/// By `type`; messages by role.
pub fn responses(row: &Row, _: Val<'_>) -> Found {
    match (row.kind, row.role) {
        (Kind::Unknown, _) => None,
        // What is unknown has no definition, so its slot is free.
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

/// Parts of content are recognised by their `type`; the other vendors' by that they have one. What a server has said is held
/// against nothing: many vendors' servers speak the dialect, and which one it was is not told.
pub fn chat(row: &Row, item: Val<'_>) -> Found {
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

/// Blocks are recognised by their `type`; those that are not known, by that they have one.
pub fn anthropic(row: &Row, item: Val<'_>) -> Found {
    let slot = match (row.kind, row.role) {
        (Kind::BlockMessage, Role::Developer) => 0,
        (Kind::BlockMessage, role) => by_role(role),
        _ => typed(&ANTHROPIC, 4, item),
    };
    ANTHROPIC.get(slot).map(|name| (slot, *name))
}

/// A part is what it has a member for.
pub fn gemini(row: &Row, _: Val<'_>) -> Found {
    Some(if row.kind == Kind::BlockMessage { (0, "content") } else { (1, "part") })
}

const BEDROCK: [&str; 4] = ["message", "user_message", "assistant_message", "block"];

/// A block is what it has a member for.
pub fn bedrock(row: &Row, _: Val<'_>) -> Found {
    let slot = match (row.kind, row.role) {
        (Kind::BlockMessage, Role::User) => 1,
        (Kind::BlockMessage, Role::Assistant) => 2,
        (Kind::BlockMessage, _) => 0,
        _ => 3,
    };
    BEDROCK.get(slot).map(|name| (slot, *name))
}

/// Lists begin with a message of any other role, and those of the known ones.
fn by_role(role: Role) -> usize {
    match role {
        Role::User => 1,
        Role::Assistant => 2,
        Role::System => 3,
        Role::Developer => 4,
        Role::None | Role::Tool | Role::Other => 0,
    }
}

/// The slot behind `any` that is named like the type; `any` for other types, and for none.
fn typed(names: &[&str], any: usize, item: Val<'_>) -> usize {
    let Some(kind) = item.get(name::r#type).and_then(|kind| kind.as_str()) else { return any };
    let mut after = names.iter().enumerate().skip(any + 1);
    after.find(|(_, name)| kind.is(name.as_bytes())).map_or(any, |(at, _)| at)
}
