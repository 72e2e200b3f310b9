//! Makes the rows of a content: the content, and each of its parts. A candidate of a response contains its content.

use crate::dialect::{BLOCK, Item, ItemOrigin};
use crate::dialects::chat::rows::text_flags;
use crate::dialects::media_parts;
use crate::history::{BlockFlags, Flags, Kind, Role, Row};
use crate::json::{Val, fingerprint, name};

/// The dialect's name.
pub const NAME: &str = "gemini";

/// The kind of a part by the member that it has, in both spellings.
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

/// A member in either spelling. Dumps of Python objects contain nulls for missing members.
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

pub(super) fn rows<'t>(val: Val<'t>, origin: ItemOrigin<'_>, out: &mut dyn FnMut(Item<'t>)) {
    let mut parts = val.get(name::parts);
    let inner = if parts.is_none() { val.get(name::content).filter(Val::is_object) } else { None };
    let val = inner.unwrap_or(val);
    let mut row = Row::of_place(origin.base.of(val), origin.record);
    (row.turn, row.part, row.flags, row.kind) = (origin.turn, origin.part, origin.flags, Kind::BlockMessage);
    if inner.is_some() {
        row.set(Flags::ALONE);
        parts = val.get(name::parts);
    }
    row.role = role(val, origin.flags);
    row.set(match parts {
        None => BlockFlags::ABSENT,
        Some(parts) if parts.is_null() => BlockFlags::NULL,
        Some(parts) if parts.is_array() && parts.count() == 0 => BlockFlags::EMPTY,
        Some(_) => BlockFlags::NONE,
    });
    // SDKs accept one part instead of a list.
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

/// The role of a content. Clients of other APIs write other names for the same roles.
fn role(content: Val<'_>, flags: Flags) -> Role {
    match content.get(name::role).and_then(|role| role.text()).as_deref() {
        Some(b"user" | b"function" | b"tool") => Role::User,
        Some(b"model" | b"assistant") => Role::Assistant,
        Some(name) => Role::of(name),
        None if flags.has(Flags::RECORDED) => Role::Assistant,
        None => Role::User,
    }
}

/// The members of a part that determine its row.
#[derive(Default)]
struct GeminiFields<'t> {
    /// The member that determines the kind: its rank by the order of [`PARTS`] and by spelling, the kind, the value.
    found: Option<(usize, Kind, Val<'t>)>,
    thought: bool,
    signed: bool,
}

impl<'t> GeminiFields<'t> {
    fn of(part: Val<'t>) -> Self {
        let mut fields = GeminiFields::default();
        for member in part.members().filter(|member| !member.val.is_null()) {
            let key = member.key.decode();
            match key.as_ref() {
                b"thought" => fields.thought = member.val.as_bool() == Some(true),
                b"thoughtSignature" | b"thought_signature" => {
                    fields.signed |= member.val.as_str().is_some_and(|text| !text.is_empty());
                }
                key => fields.set_kind(key, member.val),
            }
        }
        fields
    }

    fn set_kind(&mut self, key: &[u8], val: Val<'t>) {
        let mut known = PARTS.iter().enumerate();
        let is = |(camel, snake, _): &(&str, &str, Kind)| camel.as_bytes() == key || snake.as_bytes() == key;
        let Some((ix, &(camel, _, kind))) = known.find(|(_, part)| is(part)) else { return };
        let rank = ix * 2 + usize::from(camel.as_bytes() != key);
        if self.found.is_none_or(|(other, ..)| rank <= other) {
            self.found = Some((rank, kind, val));
        }
    }
}

fn block<'t>(part: Val<'t>, message: &Row, origin: ItemOrigin<'_>) -> Item<'t> {
    let (flags, block) = (origin.flags, BlockFlags::NONE);
    let mut row = Row { flags, block_flags: block, part: BLOCK, at: origin.base.of(part), ..*message };
    let fields = GeminiFields::of(part);
    let found = fields.found.map(|(_, kind, val)| (kind, val));
    row.kind = match found {
        Some((Kind::Text, _)) if fields.thought => Kind::Thinking,
        Some((kind, _)) => kind,
        None => Kind::Block,
    };
    if fields.signed {
        row.set(BlockFlags::SIGNED);
    }
    let mut item = Item { row, val: part, id: None, key: None };
    match found {
        Some((Kind::Text, text)) => item.row.set(text_flags(Some(text))),
        Some((Kind::Media, _)) => item.row.set(Flags::MEDIA),
        Some((Kind::ToolUse | Kind::ToolResult, inner)) => {
            let text = |name: &str| inner.get(name).and_then(|val| val.as_str()).filter(|text| !text.is_empty());
            (item.id, item.key) = (text("id"), text("name"));
            if inner.at(&["args", "safety_decision"]).is_some_and(|decision| decision.is_object()) {
                item.row.set(Flags::CHECKS_PENDING);
            }
            (item.row.id, item.row.key) = (item.id.map_or(0, fingerprint), item.key.map_or(0, fingerprint));
            if inner.get(name::parts).is_some_and(media_parts::holds_media) {
                item.row.set(Flags::MEDIA);
            }
        }
        _ => {}
    }
    item
}
