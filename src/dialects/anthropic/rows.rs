//! Makes the rows of a message: the message, and each block of its content.

use crate::dialect::{BLOCK, Item, ItemOrigin};
use crate::dialects::chat::rows::{content_flags, text_flags};
use crate::dialects::media_parts;
use crate::history::{BlockFlags, Flags, Kind, Role, Row};
use crate::json::{Str, Val, fingerprint, name};

/// The dialect's name.
pub const NAME: &str = "anthropic";

/// The kind of a block by its `type`. Results of server tools are recognised by the suffix of their types.
const BLOCKS: [(&[u8], Kind); 12] = [
    (b"text", Kind::Text),
    (b"tool_use", Kind::ToolUse),
    (b"tool_result", Kind::ToolResult),
    (b"thinking", Kind::Thinking),
    (b"redacted_thinking", Kind::Thinking),
    (b"server_tool_use", Kind::ServerUse),
    (b"mcp_tool_use", Kind::ServerUse),
    (b"mcp_tool_result", Kind::ServerResult),
    (b"image", Kind::Media),
    (b"document", Kind::Media),
    (b"container_upload", Kind::Media),
    (b"search_result", Kind::Media),
];

fn kind_of(name: &[u8]) -> Kind {
    match BLOCKS.iter().find(|(known, _)| *known == name) {
        Some((_, kind)) => *kind,
        None if name.ends_with(b"_tool_result") => Kind::ServerResult,
        None => Kind::Block,
    }
}

/// The id that pairs call and result.
pub(super) fn key_of<'t>(kind: Kind, block: Val<'t>) -> Option<Str<'t>> {
    let field = match kind {
        Kind::ToolUse | Kind::ServerUse => "id",
        Kind::ToolResult | Kind::ServerResult => "tool_use_id",
        _ => return None,
    };
    block.get(field).and_then(|key| key.as_str())
}

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
        let fields = AnthropicFields::of(block);
        row.kind = fields.kind.map_or(Kind::Block, |name| kind_of(&name.decode()));
        row.set(fields.flags(row.kind));
        let holds_media = match row.kind {
            Kind::Media => fields.kind.is_some_and(|kind| media_parts::is_part_type(&kind.decode())),
            Kind::ToolResult => fields.content.is_some_and(media_parts::holds_media),
            _ => false,
        };
        if holds_media {
            row.set(Flags::MEDIA);
        }
        let key = match row.kind {
            Kind::ToolUse | Kind::ServerUse => fields.id,
            Kind::ToolResult | Kind::ServerResult => fields.answers,
            _ => None,
        };
        let key = key.filter(|key| !key.is_empty());
        row.key = key.map_or(0, fingerprint);
        out(Item { row, val: block, id: None, key });
    }
}

/// The members of a block that determine its row.
#[derive(Default)]
struct AnthropicFields<'t> {
    kind: Option<Str<'t>>,
    id: Option<Str<'t>>,
    answers: Option<Str<'t>>,
    text: Option<Val<'t>>,
    content: Option<Val<'t>>,
    signed: bool,
    cached: bool,
}

impl<'t> AnthropicFields<'t> {
    fn of(val: Val<'t>) -> Self {
        let mut fields = AnthropicFields::default();
        for member in val.members() {
            match member.key.decode().as_ref() {
                b"type" => fields.kind = member.val.as_str(),
                b"id" => fields.id = member.val.as_str(),
                b"tool_use_id" => fields.answers = member.val.as_str(),
                b"text" => fields.text = Some(member.val),
                b"content" => fields.content = Some(member.val),
                b"signature" | b"data" => fields.signed = member.val.as_str().is_some_and(|s| !s.is_empty()),
                b"cache_control" => fields.cached = member.val.is_object(),
                _ => {}
            }
        }
        fields
    }

    fn flags(&self, kind: Kind) -> BlockFlags {
        let mut flags = match kind {
            Kind::Text => text_flags(self.text),
            Kind::Thinking if self.signed => BlockFlags::SIGNED,
            Kind::ToolResult | Kind::ServerResult if self.content.is_some_and(refers) => BlockFlags::REFERS,
            _ => BlockFlags::NONE,
        };
        if self.cached {
            flags.set(BlockFlags::CACHED);
        }
        flags
    }
}

/// True if the content of a result refers to tools, as that of a tool search does.
fn refers(content: Val<'_>) -> bool {
    let is_reference = |block: Val<'_>| block.get(name::r#type).is_some_and(|kind| kind.is("tool_reference"));
    content.get(name::tool_references).is_some() || content.is_array() && content.elements().any(is_reference)
}
