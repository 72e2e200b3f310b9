//! Makes the rows of a Chat Completions message: the message, the parts of its content, its calls.

use crate::dialect::{BLOCK, Item, ItemOrigin};
use crate::dialects::media_parts;
use crate::history::kind::is_long_id;
use crate::history::{BlockFlags, Flags, Kind, Role, Row};
use crate::json::{Str, Val, fingerprint, name};

/// The dialect's name.
pub const NAME: &str = "chat";

/// The members of a message that determine its rows.
#[derive(Default)]
struct ChatFields<'t> {
    role: Option<Str<'t>>,
    content: Option<Val<'t>>,
    calls: Option<Val<'t>>,
    key: Option<Str<'t>>,
    /// Other content of the model: a refusal, audio, a call of the old form.
    other: bool,
    /// It has `reasoning_content`, as of DeepSeek and others.
    reasoned: bool,
}

impl<'t> ChatFields<'t> {
    fn of(val: Val<'t>) -> Self {
        let mut fields = ChatFields::default();
        for member in val.members() {
            match member.key.decode().as_ref() {
                b"role" => fields.role = member.val.as_str(),
                b"content" => fields.content = Some(member.val),
                b"tool_calls" => fields.calls = Some(member.val).filter(Val::is_array),
                b"tool_call_id" => fields.key = member.val.as_str().filter(|key| !key.is_empty()),
                b"refusal" | b"audio" | b"function_call" => fields.other |= !member.val.is_null(),
                b"reasoning_content" => fields.reasoned = !member.val.is_null(),
                _ => {}
            }
        }
        fields
    }
}

pub(super) fn rows<'t>(val: Val<'t>, origin: ItemOrigin<'_>, out: &mut dyn FnMut(Item<'t>)) {
    let mut row = Row::of_place(origin.base.of(val), origin.record);
    (row.turn, row.part, row.flags) = (origin.turn, origin.part, origin.flags);
    row.kind = Kind::BlockMessage;
    let fields = ChatFields::of(val);
    row.role = match fields.role.map(|role| role.decode()).as_deref() {
        Some(b"tool") => Role::Tool,
        Some(name) => Role::of(name),
        None => Role::None,
    };
    row.set(content_flags(fields.content));
    if fields.other {
        row.set(BlockFlags::CONTENT);
    }
    if fields.reasoned {
        row.set(BlockFlags::REASONED);
    }
    if row.role == Role::Tool {
        row.kind = Kind::ToolResult;
        row.set(BlockFlags::MESSAGE);
        if fields.content.is_some_and(media_parts::holds_media) {
            row.set(Flags::MEDIA);
        }
        set_key(&mut row, fields.key);
        out(Item { row, val, id: None, key: fields.key });
        return;
    }
    if fields.calls.is_some() {
        row.set(BlockFlags::CALLS_APART);
    }
    out(Item { row, val, id: None, key: None });
    // A block is in a list, whether its message is or not.
    let (flags, block) = (origin.flags.without(Flags::ALONE), BlockFlags::NONE);
    let block = |val: Val<'t>| Row { flags, block_flags: block, part: BLOCK, at: origin.base.of(val), ..row };
    for part in fields.content.filter(Val::is_array).iter().flat_map(Val::elements) {
        let mut row = block(part);
        row.kind = match part.get(name::r#type).and_then(|kind| kind.text()).as_deref() {
            Some(b"text" | b"refusal") => Kind::Text,
            Some(b"image_url" | b"input_audio" | b"file") => Kind::Media,
            Some(kind) if media_parts::is_foreign_type(kind) => {
                row.set(Flags::MEDIA);
                Kind::Block
            }
            _ => Kind::Block,
        };
        if row.kind == Kind::Media {
            row.set(Flags::MEDIA);
        }
        if row.kind == Kind::Text {
            row.set(text_flags(part.get(name::text).or_else(|| part.get(name::refusal))));
        }
        out(Item { row, val: part, id: None, key: None });
    }
    for call in fields.calls.iter().flat_map(Val::elements) {
        let mut row = block(call);
        row.kind = Kind::ToolUse;
        let key = call.get(name::id).and_then(|id| id.as_str()).filter(|id| !id.is_empty());
        set_key(&mut row, key);
        out(Item { row, val: call, id: None, key });
    }
}

fn set_key(row: &mut Row, key: Option<Str<'_>>) {
    let Some(key) = key else { return };
    row.key = fingerprint(key);
    if key.raw.len() == 9 && key.raw.iter().all(u8::is_ascii_alphanumeric) {
        row.set(BlockFlags::NINE);
    }
    if is_long_id(key) {
        row.set(Flags::LONG_KEY);
    }
}

/// The flags of a message's content, as far as that has no rows of its own.
pub(in crate::dialects) fn content_flags(content: Option<Val<'_>>) -> BlockFlags {
    match content {
        None => BlockFlags::ABSENT,
        Some(content) if content.is_null() => BlockFlags::NULL,
        Some(content) if content.is_array() => match content.count() {
            0 => BlockFlags::EMPTY,
            _ => BlockFlags::NONE,
        },
        Some(content) => match text_flags(Some(content)) {
            empty if empty.has(BlockFlags::EMPTY) => empty,
            flags => flags | BlockFlags::CONTENT,
        },
    }
}

pub(in crate::dialects) fn text_flags(text: Option<Val<'_>>) -> BlockFlags {
    match text.and_then(|text| text.as_str()) {
        Some(text) if text.is_empty() => BlockFlags::EMPTY,
        Some(text) if text.is_blank() => BlockFlags::BLANK,
        _ => BlockFlags::NONE,
    }
}
