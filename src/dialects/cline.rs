//! Messages as Cline, Roo Code and Kilo Code store them: those of the Anthropic Messages API with additional members, and
//! blocks that the client converts to the provider's before it sends them. Cline's newer sessions contain results as the
//! tool returned them, files by path and content, and images without a source; Roo keeps the reasoning of OpenAI's models
//! as elements between the messages.

use crate::dialect::{Body, BodyShape, Dialect, DialectInfo, EditRefusal, Item, ItemOrigin, TextChange};
use crate::dialects::anthropic::{self, ANTHROPIC};
use crate::dialects::common::text;
use crate::dialects::responses::RESPONSES;
use crate::history::{BlockFlags, Flags, Kind, Pairing};
use crate::json::edit::RecordBase;
use crate::json::{Str, Val, name};
use crate::message::{
    Capabilities, ConversionLoss, LossKind, Losses, Media, MediaKind, MediaSource, Part, PartKind, Reasoning,
    ReasoningProvider, Role, Text, Thread,
};
use crate::place::Edit;

pub struct Cline;

pub static CLINE: Cline = Cline;

/// The dialect is never written: its messages are read and converted, also for Anthropic.
static CAPABILITIES: Capabilities =
    Capabilities { dialect: "cline", list_key: "messages", ..Capabilities::NOTHING };

/// Members of messages and blocks that are for the client alone.
const UNSENT: [&[u8]; 18] = [
    b"ts",
    b"modelInfo",
    b"metrics",
    b"metadata",
    b"name",
    b"call_id",
    b"id",
    b"reasoning_details",
    b"reasoning_content",
    b"isSummary",
    b"condenseId",
    b"condenseParent",
    b"truncationId",
    b"truncationParent",
    b"isTruncationMarker",
    b"conversationHistoryDeletedRange",
    b"thoughtSignature",
    b"summary",
];

static INFO: DialectInfo = DialectInfo {
    name: anthropic::NAME,
    pairing: Pairing::Blocks,
    answers_calls: true,
    results_message: Some(anthropic::RESULTS_MESSAGE),
    capabilities: &CAPABILITIES,
    ..DialectInfo::BASE
};

impl Dialect for Cline {
    fn info(&self) -> &'static DialectInfo {
        &INFO
    }

    fn rows<'t>(&self, val: Val<'t>, origin: ItemOrigin<'_>, out: &mut dyn FnMut(Item<'t>)) {
        let is_apart = is_reasoning(val);
        ANTHROPIC.rows(val, origin, &mut |mut item| {
            if item.row.kind == Kind::BlockMessage && item.row.role == Role::Assistant {
                // In a session each message of the model is a response of its own.
                item.row.id = item.row.at.start + 1;
            }
            if is_apart {
                // A message of the model with content, but not for Anthropic.
                item.row.role = Role::Assistant;
                item.row.flags.set(Flags::FOREIGN);
                (item.row.block_flags, item.row.kind) = (BlockFlags::CONTENT, Kind::BlockMessage);
            } else if item.row.kind != Kind::BlockMessage && is_client_block(item.row.kind, item.val) {
                item.row.flags.set(Flags::FOREIGN);
                if item.row.kind == Kind::Thinking {
                    item.row.kind = Kind::Block;
                }
            }
            out(item);
        });
    }

    fn edit(
        &self,
        change: &TextChange,
        item: Val<'_>,
        base: RecordBase<'_>,
        out: &mut Vec<Edit>,
    ) -> Result<(), EditRefusal> {
        ANTHROPIC.edit(change, item, base, out)
    }

    fn stub(&self, call: Val<'_>) -> Result<Vec<u8>, EditRefusal> {
        ANTHROPIC.stub(call)
    }

    fn key<'t>(&self, kind: Kind, item: Val<'t>) -> Option<Str<'t>> {
        ANTHROPIC.key(kind, item)
    }

    fn read(&self, body: Body<'_>, out: &mut Thread, losses: &mut Losses) {
        match body.shape {
            BodyShape::Item => message(&body, body.val, out, losses),
            BodyShape::List => body.val.elements().for_each(|val| message(&body, val, out, losses)),
            BodyShape::Request => {
                if let Some(prompt) = body.val.get(name::system_prompt)
                    && let Some(text) = Text::of_val(prompt).filter(|text| !text.is_empty())
                {
                    out.instructions.push(Part::text(text, body.at(prompt)));
                }
                let list = body.val.get(name::messages);
                list.into_iter().flat_map(|list| list.elements()).for_each(|val| message(&body, val, out, losses));
            }
        }
    }
}

/// True if an element is reasoning of the Responses API, kept between the messages.
pub fn is_reasoning(val: Val<'_>) -> bool {
    val.get(name::r#type).is_some_and(|kind| kind.is("reasoning"))
        && val.get(name::content).is_none_or(|content| content.is_null())
        && (val.get(name::encrypted_content).is_some() || val.get(name::summary).is_some())
}

/// True if a block is one that the client converts to the provider's.
fn is_client_block(kind: Kind, block: Val<'_>) -> bool {
    match kind {
        // Unsigned thinking is not sent to a provider that requires signatures.
        Kind::Thinking => {
            block.get(name::r#type).is_some_and(|kind| kind.is("thinking"))
                && block.get(name::signature).is_none_or(|own| own.is_null() || own.is(""))
        }
        Kind::Media => block.get(name::source).is_none() && block.get(name::data).is_some(),
        Kind::ToolResult => {
            block.get(name::content).is_some_and(|content| !content.is_string() && !is_block_list(content))
        }
        Kind::Block => true,
        _ => false,
    }
}

/// True if the content of a result is a list of blocks of the API.
fn is_block_list(content: Val<'_>) -> bool {
    let typed = |part: Val<'_>| part.get(name::r#type).is_some_and(|kind| kind.is_string());
    let shown = |part: &Val<'_>| part.get(name::source).is_none() && part.get(name::data).is_some();
    content.is_array() && content.elements().all(typed) && !content.elements().any(|part| shown(&part))
}

fn message(body: &Body<'_>, val: Val<'_>, out: &mut Thread, losses: &mut Losses) {
    if is_reasoning(val) {
        return RESPONSES.read(Body { val, shape: BodyShape::Item, ..*body }, out, losses);
    }
    let mut lost = Losses::default();
    let blocks: Vec<Val<'_>> =
        val.get(name::content).filter(Val::is_array).iter().flat_map(Val::elements).collect();
    let role = val.get(name::role).and_then(|role| role.text());
    let role = if role.as_deref() == Some(b"assistant") { Role::Assistant } else { Role::User };
    let first = out.messages.len();
    ANTHROPIC.read(Body { val, shape: BodyShape::Item, ..*body }, out, &mut lost);
    // Members for the client alone are no loss.
    let holders = || std::iter::once(val).chain(blocks.iter().copied());
    let is_own = |lost: &ConversionLoss| {
        let mut members = holders().flat_map(|holder| holder.members());
        members.any(|member| UNSENT.contains(&member.key.raw) && body.at_key(&member) == lost.at)
    };
    for lost in lost.list {
        match lost.kind {
            LossKind::FIELD if is_own(&lost) => {}
            LossKind::CACHE_MARK => losses.count(lost.kind, lost.at),
            _ => losses.list.push(lost),
        }
    }
    // Blocks that Anthropic does not have are converted as the client does it.
    for message in out.messages.iter_mut().skip(first) {
        for block in &mut message.parts {
            let source = blocks.iter().find(|own| body.at(**own) == block.at);
            if let (PartKind::Opaque(_), Some(what)) =
                (&block.kind, source.and_then(|own| convert_block(*own, role)))
            {
                block.kind = what;
            }
        }
    }
}

/// The part that the client sends for a block of its own.
fn convert_block(block: Val<'_>, role: Role) -> Option<PartKind> {
    match block.get(name::r#type)?.text()?.as_ref() {
        b"file" => {
            let (path, content) = (text(block, name::path)?, text(block, name::content)?);
            let head = Text::join(&[Text::new("<file_content path=\""), path, Text::new("\">")], "");
            let text = Text::join(&[head, content, Text::new("</file_content>")], "\\n");
            Some(PartKind::Text { text, citations: None })
        }
        b"image" => {
            let media = Media::new(MediaKind::Image, MediaSource::Data(text(block, name::data)?));
            Some(PartKind::from(media.mime(text(block, name::mediaType))))
        }
        b"reasoning" if role == Role::Assistant => Some(PartKind::Reasoning(Reasoning {
            provider: ReasoningProvider::Open,
            texts: text(block, name::text).into_iter().collect(),
            encrypted_content: None,
            redacted: None,
        })),
        _ => None,
    }
}
