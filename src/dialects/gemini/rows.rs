//! From a content to rows: the content, and each of its parts. A candidate of a response holds its content.

use crate::dialect::{BLOCK, Item, Origin};
use crate::dialects::chat::rows::text_flags;
use crate::history::{BlockFlags, Flags, Kind, Role, Row};
use crate::json::{Val, fingerprint};

/// The dialect's name.
pub const NAME: &str = "gemini";

/// What a part is by the member that it has, in both spellings.
const PARTS: [(&str, &str, Kind); 9] = [
    ("functionCall", "function_call", Kind::ToolUse),
    ("functionResponse", "function_response", Kind::ToolResult),
    ("toolCall", "tool_call", Kind::ServerUse),
    ("toolResponse", "tool_response", Kind::ServerResult),
    ("executableCode", "executable_code", Kind::ServerUse),
    ("codeExecutionResult", "code_execution_result", Kind::ServerResult),
    ("inlineData", "inline_data", Kind::Media),
    ("fileData", "file_data", Kind::Media),
    ("text", "text", Kind::Text),
];

/// A member, in either spelling. Dumps of Python objects hold a null where nothing is.
fn member<'t>(val: Val<'t>, camel: &str, snake: &str) -> Option<Val<'t>> {
    let found = val.get(camel).filter(|val| !val.is_null()).or_else(|| val.get(snake));
    found.filter(|val| !val.is_null())
}

pub(super) fn call(part: Val<'_>) -> Option<Val<'_>> {
    member(part, "functionCall", "function_call")
}

pub(super) fn response(part: Val<'_>) -> Option<Val<'_>> {
    member(part, "functionResponse", "function_response")
}

pub(super) fn signature(part: Val<'_>) -> Option<Val<'_>> {
    member(part, "thoughtSignature", "thought_signature")
}

pub(super) fn rows<'t>(val: Val<'t>, origin: Origin<'_>, out: &mut dyn FnMut(Item<'t>)) {
    let inner = val.get("content").filter(|inner| inner.is_object() && val.get("parts").is_none());
    let val = inner.unwrap_or(val);
    let mut row = Row::of_place(origin.base.of(val), origin.record);
    (row.turn, row.part, row.flags, row.kind) = (origin.turn, origin.part, origin.flags, Kind::BlockMessage);
    if inner.is_some() {
        row.set(Flags::ALONE);
    }
    row.role = role(val, origin.flags);
    let parts = val.get("parts");
    row.set(match parts {
        None => BlockFlags::ABSENT,
        Some(parts) if parts.is_null() => BlockFlags::NULL,
        Some(parts) if parts.is_array() && parts.count() == 0 => BlockFlags::EMPTY,
        Some(_) => BlockFlags::NONE,
    });
    // SDKs take one part for a list of one.
    let only = parts.filter(Val::is_object);
    if only.is_some() {
        row.set(Flags::ALONE);
    }
    out(Item { row, val, id: None, key: None });
    let listed = parts.filter(Val::is_array).into_iter().flat_map(|parts| parts.elements());
    for part in only.into_iter().chain(listed) {
        out(block(part, &row, origin));
    }
}

/// Whose turn it is. Clients of other APIs write other names for the same.
fn role(content: Val<'_>, flags: Flags) -> Role {
    match content.get("role").and_then(|role| role.text()).as_deref() {
        Some(b"user" | b"function" | b"tool") => Role::User,
        Some(b"model" | b"assistant") => Role::Assistant,
        Some(name) => Role::of(name),
        None if flags.has(Flags::RECORDED) => Role::Assistant,
        None => Role::User,
    }
}

fn block<'t>(part: Val<'t>, message: &Row, origin: Origin<'_>) -> Item<'t> {
    let (flags, block) = (origin.flags, BlockFlags::NONE);
    let mut row = Row { flags, block, part: BLOCK, at: origin.base.of(part), ..*message };
    let found = PARTS.iter().find_map(|(camel, snake, kind)| Some((*kind, member(part, camel, snake)?)));
    let thought = part.get("thought").and_then(|thought| thought.as_bool()) == Some(true);
    row.kind = match found {
        Some((Kind::Text, _)) if thought => Kind::Thinking,
        Some((kind, _)) => kind,
        None => Kind::Block,
    };
    if signature(part).and_then(|signature| signature.as_str()).is_some_and(|text| !text.is_empty()) {
        row.set(BlockFlags::SIGNED);
    }
    let mut item = Item { row, val: part, id: None, key: None };
    match found {
        Some((Kind::Text, text)) => item.row.set(text_flags(Some(text))),
        Some((Kind::ToolUse | Kind::ToolResult, inner)) => {
            let text = |name: &str| inner.get(name).and_then(|val| val.as_str()).filter(|text| !text.is_empty());
            (item.id, item.key) = (text("id"), text("name"));
            if inner.at(&["args", "safety_decision"]).is_some_and(|decision| decision.is_object()) {
                item.row.set(Flags::CHECKS_PENDING);
            }
            (item.row.id, item.row.key) = (item.id.map_or(0, fingerprint), item.key.map_or(0, fingerprint));
        }
        _ => {}
    }
    item
}
