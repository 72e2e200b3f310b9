//! Makes the rows of a Converse message: the message, and each block of its content.

use crate::dialect::{BLOCK, Item, ItemOrigin};
use crate::dialects::chat::rows::{content_flags, text_flags};
use crate::dialects::media_parts;
use crate::history::{BlockFlags, Flags, Kind, Role, Row};
use crate::json::{Val, fingerprint, name};

/// The dialect's name.
pub const NAME: &str = "bedrock";

/// The kind of a block by the member that it has.
const BLOCKS: [(&str, Kind); 8] = [
    ("text", Kind::Text),
    ("toolUse", Kind::ToolUse),
    ("toolResult", Kind::ToolResult),
    ("image", Kind::Media),
    ("document", Kind::Media),
    ("video", Kind::Media),
    ("audio", Kind::Media),
    ("reasoningContent", Kind::Thinking),
];

pub fn tool_use(block: Val<'_>) -> Option<Val<'_>> {
    block.get(name::toolUse)
}

pub fn tool_result(block: Val<'_>) -> Option<Val<'_>> {
    block.get(name::toolResult)
}

/// Maximum length of the name of a tool.
pub const TOOL_NAME_LIMIT: usize = 64;

/// True if the service accepts this as the name of a tool.
pub fn is_tool_name(name: &[u8]) -> bool {
    let allowed = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    (1..=TOOL_NAME_LIMIT).contains(&name.len()) && name.iter().all(allowed)
}

/// Members of a result's content whose text is empty.
pub fn empty_texts(block: Val<'_>) -> impl Iterator<Item = Val<'_>> {
    let content = tool_result(block).and_then(|result| result.get(name::content)).filter(Val::is_array);
    let is_empty =
        |part: &Val<'_>| part.get(name::text).and_then(|text| text.as_str()).is_some_and(|text| text.is_empty());
    content.into_iter().flat_map(|content| content.elements()).filter(is_empty)
}

pub fn document(block: Val<'_>) -> Option<Val<'_>> {
    block.get(name::document)
}

/// Makes the rows of a message.
pub(super) fn rows<'t>(val: Val<'t>, origin: ItemOrigin<'_>, out: &mut dyn FnMut(Item<'t>)) {
    let mut row = Row::of_place(origin.base.of(val), origin.record);
    (row.turn, row.part, row.flags, row.kind) = (origin.turn, origin.part, origin.flags, Kind::BlockMessage);
    row.role = val.get(name::role).and_then(|role| role.text()).map_or(Role::None, |role| Role::of(&role));
    let content = val.get(name::content);
    row.set(content_flags(content));
    out(Item { row, val, id: None, key: None });
    for block in content.filter(Val::is_array).iter().flat_map(Val::elements) {
        let (flags, own) = (origin.flags, BlockFlags::NONE);
        let mut row = Row { flags, block_flags: own, part: BLOCK, at: origin.base.of(block), ..row };
        let found = kind_and_value(block);
        row.kind = found.map_or(Kind::Block, |(kind, _)| kind);
        let mut key = None;
        match found {
            Some((Kind::Text, text)) => row.set(text_flags(Some(text))),
            Some((Kind::ToolUse | Kind::ToolResult, inner)) => {
                key = inner.get(name::toolUseId);
                if inner.get(name::content).is_some_and(media_parts::holds_media) {
                    row.set(Flags::MEDIA);
                }
                if empty_texts(block).next().is_some() {
                    row.set(BlockFlags::BLANK);
                }
                let tool = inner.get(name::name).and_then(|name| name.text());
                if tool.is_some_and(|tool| !is_tool_name(&tool)) {
                    row.set(BlockFlags::BAD_NAME);
                }
                if inner.get(name::r#type).is_some_and(|kind| kind.is("server_tool_use")) {
                    row.set(Flags::SERVER_RUN);
                }
            }
            Some((Kind::Media, inner)) => {
                key = inner.get(name::name);
                row.set(Flags::MEDIA);
            }
            Some((Kind::Thinking, inner)) if is_signed(inner) => row.set(BlockFlags::SIGNED),
            _ => {}
        }
        let key = key.and_then(|key| key.as_str()).filter(|key| !key.is_empty());
        row.key = key.map_or(0, fingerprint);
        out(Item { row, val: block, id: None, key });
    }
}

/// The kind of a block and its value: the member that is first in [`BLOCKS`].
fn kind_and_value(block: Val<'_>) -> Option<(Kind, Val<'_>)> {
    let known = block.members().filter_map(|member| {
        let key = member.key.decode();
        let mut blocks = BLOCKS.iter().enumerate();
        let (rank, (_, kind)) = blocks.find(|(_, (name, _))| name.as_bytes() == key.as_ref())?;
        Some((rank, *kind, member.val))
    });
    known.reduce(|best, new| if new.0 <= best.0 { new } else { best }).map(|(_, kind, val)| (kind, val))
}

/// True if reasoning has a signature; redacted content counts as one.
fn is_signed(reasoning: Val<'_>) -> bool {
    let signature = reasoning.at(&["reasoningText", "signature"]).and_then(|signature| signature.as_str());
    signature.is_some_and(|text| !text.is_empty()) || reasoning.get(name::redactedContent).is_some()
}
