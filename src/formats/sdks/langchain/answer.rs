//! An answer of the model: texts, reasoning and calls in its content, and calls listed next to it.

use std::borrow::Cow;

use foldhash::HashSet;

use crate::formats::member::borrowed_text;
use crate::formats::threads::{DialectChoice, parts};
use crate::json::Val;
use crate::json::edit::RecordBase;
use crate::message::{Opaque, OpaqueKind, Part, PartKind, RawJson, ReasoningProvider, Text};

use super::media;
use super::message::LangchainMessage;

/// The calls of an answer: each value that names one, with the id of the call.
pub(super) fn calls<'v>(message: &LangchainMessage<'v>) -> Vec<(Val<'v>, Cow<'v, str>)> {
    let named = message.blocks().filter_map(|block| Some((block, call_id(block)?)));
    let listed = listed_calls(message).filter_map(|call| Some((call, borrowed_text(call, "id")?)));
    named.chain(listed).collect()
}

/// The id of the call, if a block is one.
fn call_id(block: Val<'_>) -> Option<Cow<'_, str>> {
    match block.get("type")?.text()?.as_ref() {
        b"tool_use" | b"tool_call" => borrowed_text(block, "id"),
        b"function_call" | b"custom_tool_call" => borrowed_text(block, "call_id"),
        _ => None,
    }
}

/// The calls listed next to the content; in older messages, those of the provider.
fn listed_calls<'v>(message: &LangchainMessage<'v>) -> impl Iterator<Item = Val<'v>> {
    let of = |list: Option<Val<'v>>| list.into_iter().flat_map(|list| list.elements());
    let own = of(message.data.get("tool_calls")).chain(of(message.data.get("invalid_tool_calls")));
    let given = message.data.at(&["additional_kwargs", "tool_calls"]);
    let is_listed = own.clone().next().is_some();
    own.chain(of(given.filter(|_| !is_listed)))
}

/// The parts of an answer, in a dialect.
pub(super) fn parts(message: &LangchainMessage<'_>, dialect: DialectChoice, base: RecordBase<'_>) -> Vec<Part> {
    let answer = AnswerReader { message, dialect, base };
    let mut out = Vec::new();
    if let (DialectChoice::Responses, Some(kwargs)) = (dialect, message.data.get("additional_kwargs")) {
        let reasoning = kwargs.get("reasoning").filter(|own| own.get("type").is_some());
        let outputs = kwargs.get("tool_outputs").into_iter().flat_map(|list| list.elements());
        out.extend(reasoning.into_iter().chain(outputs).map(|item| answer.item(item)));
    }
    let mut ids = HashSet::default();
    for block in message.blocks() {
        if let Some(part) = answer.block(block) {
            ids.extend(call_id(block));
            parts::push(&mut out, part);
        }
    }
    let rest = listed_calls(message).filter(|call| borrowed_text(*call, "id").is_none_or(|id| ids.insert(id)));
    out.extend(rest.filter_map(|call| answer.listed_call(call)));
    out
}

struct AnswerReader<'m, 'v> {
    message: &'m LangchainMessage<'v>,
    dialect: DialectChoice,
    base: RecordBase<'m>,
}

impl AnswerReader<'_, '_> {
    fn block(&self, block: Val<'_>) -> Option<Part> {
        let at = self.base.of(block);
        let copied = |key: &str| block.get(key).and_then(|own| Text::copied(own, self.base));
        let text_part = |text: Text, id: Option<Text>| Part { id, ..Part::text(text, at.into()) };
        if let Some(text) = Text::copied(block, self.base) {
            return Some(text_part(text, self.message_id(self.message.data)));
        }
        let kind = block.get("type")?.text()?;
        let responses = self.dialect == DialectChoice::Responses;
        match kind.as_ref() {
            b"text" | b"output_text" => {
                let text = copied("text").filter(|text| !text.is_empty())?;
                let part = text_part(text, self.message_id(block).or_else(|| self.message_id(self.message.data)));
                Some(Part { cache: media::cache(block, self.base), ..part })
            }
            b"refusal" => Some(text_part(copied("refusal")?, self.message_id(block))),
            b"thinking" => {
                let signature = copied("signature").filter(|own| !own.is_empty());
                Some(parts::thinking(Some(copied("thinking")?), signature, at))
            }
            b"redacted_thinking" => Some(parts::redacted(Some(copied("data")?), at)),
            b"reasoning" if responses && block.get("summary").is_some() => Some(self.item(block)),
            b"reasoning" => Some(self.reasoning(block)),
            b"tool_use" | b"tool_call" | b"function_call" => self.call(block),
            b"custom_tool_call" if responses => Some(self.item(block)),
            b"custom_tool_call" => None,
            // Calls that the provider ran, and similar items.
            kind if responses && (kind.ends_with(b"_call") || kind.starts_with(b"mcp_")) => Some(self.item(block)),
            b"server_tool_use" if self.dialect == DialectChoice::Anthropic => Some(self.item(block)),
            kind if self.dialect == DialectChoice::Anthropic && kind.ends_with(b"_tool_result") => {
                Some(self.item(block))
            }
            _ => None,
        }
    }

    /// An item or a block without changes, except for the `index` that streams add.
    fn item(&self, item: Val<'_>) -> Part {
        let at = self.base.of(item);
        let raw = RawJson::build(at, |w| {
            w.object(|w| {
                for member in item.members().filter(|member| member.key.raw != b"index") {
                    w.key(&String::from_utf8_lossy(member.key.raw)).copy(member.val, self.base);
                }
            });
        });
        if self.dialect == DialectChoice::Responses {
            return Part::verbatim("responses", raw, at);
        }
        let block = Opaque { dialect: "anthropic", kind: OpaqueKind::ServerTool, raw };
        Part::new(PartKind::Opaque(block), at.into())
    }

    /// The id of the OpenAI message that a text belongs to.
    fn message_id(&self, of: Val<'_>) -> Option<Text> {
        parts::text(of.get("id"), self.base).filter(|id| id.raw().starts_with(b"msg_"))
    }

    /// Reasoning in LangChain's own form.
    fn reasoning(&self, block: Val<'_>) -> Part {
        let text = block.get("reasoning").or_else(|| block.get("text"));
        let extra = |key: &str| parts::text(block.at(&["extras", key]), self.base);
        let id = parts::text(block.get("id"), self.base).filter(|id| id.raw().starts_with(b"rs_"));
        let blob = extra("encrypted_content");
        let maker =
            if id.is_some() || blob.is_some() { ReasoningProvider::OpenAi } else { ReasoningProvider::Anthropic };
        let encrypted_content = extra("signature").or(blob);
        Part {
            id,
            ..parts::reasoning(maker, parts::text(text, self.base), encrypted_content, self.base.of(block))
        }
    }

    /// A call in the content. LangChain sends the arguments of the listed call with the same id, if there is one.
    fn call(&self, block: Val<'_>) -> Option<Part> {
        let is_item = block.get("call_id").is_some();
        let id = block.get(if is_item { "call_id" } else { "id" });
        let listed_call = || {
            let id = id?.text()?;
            listed_calls(self.message).find(|call| call.get("id").and_then(|own| own.text()).as_ref() == Some(&id))
        };
        let own = ["arguments", "args", "input"].iter().find_map(|key| block.get(key));
        let input = match own {
            Some(own) if own.is_object() || is_item => Some(own),
            _ => listed_call().and_then(|call| call.get("args")).or(own),
        };
        let item = if is_item { block.get("id") } else { block.at(&["extras", "item_id"]) };
        self.call_part(id, block.get("name"), input, item, block)
    }

    /// A listed call. Anthropic accepts no arguments that could not be parsed.
    fn listed_call(&self, call: Val<'_>) -> Option<Part> {
        let given = call.get("function");
        let invalid = call.get("type").is_some_and(|kind| kind.is("invalid_tool_call"));
        if invalid && self.dialect == DialectChoice::Anthropic {
            return None;
        }
        let name = call.get("name").or_else(|| given?.get("name"));
        let input = call.get("args").or_else(|| given?.get("arguments")).filter(|input| !input.is_null());
        let items = self.message.data.at(&["additional_kwargs", "__openai_function_call_ids__"]);
        let item = items.and_then(|items| items.get(&*borrowed_text(call, "id")?));
        self.call_part(call.get("id"), name, input, item, call)
    }

    fn call_part(
        &self,
        id: Option<Val<'_>>,
        name: Option<Val<'_>>,
        input: Option<Val<'_>>,
        item: Option<Val<'_>>,
        whole: Val<'_>,
    ) -> Option<Part> {
        let (base, at) = (self.base, self.base.of(whole));
        let name = name.map_or_else(|| Text::synthetic("", at), |name| Text::of_json(name, base));
        let item = item.filter(|_| self.dialect == DialectChoice::Responses);
        let call = parts::call(parts::text(id, base)?, name, parts::input(input, base, at), at);
        Some(Part { id: parts::text(item, base), ..call })
    }
}
