//! An answer of the model: texts, thoughts and calls in its content, and calls beside it.

use std::collections::HashSet;

use crate::formats::member::text;
use crate::formats::threads::{DialectChoice, parts};
use crate::json::Val;
use crate::json::edit::Base;
use crate::message::{Maker, Opaque, OpaqueKind, Part, PartKind, Raw, Text};

use super::message::Message;

/// The calls of an answer, wherever they are said: each place that names one, with its id.
pub(super) fn calls<'v>(message: &Message<'v>) -> Vec<(Val<'v>, Box<str>)> {
    let named = message.blocks().filter_map(|block| Some((block, call_of(block)?)));
    let listed = listed(message).filter_map(|call| Some((call, text(call, "id")?)));
    named.chain(listed).collect()
}

/// The id of the call that a block is.
fn call_of(block: Val<'_>) -> Option<Box<str>> {
    match block.get("type")?.text()?.as_ref() {
        b"tool_use" | b"tool_call" => text(block, "id"),
        b"function_call" | b"custom_tool_call" => text(block, "call_id"),
        _ => None,
    }
}

/// The calls beside the content; of older messages, those that the provider gave.
fn listed<'v>(message: &Message<'v>) -> impl Iterator<Item = Val<'v>> {
    let of = |list: Option<Val<'v>>| list.into_iter().flat_map(|list| list.elements());
    let own = of(message.data.get("tool_calls")).chain(of(message.data.get("invalid_tool_calls")));
    let given = message.data.at(&["additional_kwargs", "tool_calls"]);
    let is_listed = own.clone().next().is_some();
    own.chain(of(given.filter(|_| !is_listed)))
}

pub(super) fn parts(message: &Message<'_>, dialect: DialectChoice, base: Base<'_>) -> Vec<Part> {
    let answer = Answer { message, dialect, base };
    let mut out = Vec::new();
    if let (DialectChoice::Responses, Some(kwargs)) = (dialect, message.data.get("additional_kwargs")) {
        let reasoning = kwargs.get("reasoning").filter(|own| own.get("type").is_some());
        let outputs = kwargs.get("tool_outputs").into_iter().flat_map(|list| list.elements());
        out.extend(reasoning.into_iter().chain(outputs).map(|item| answer.item(item)));
    }
    let mut said = HashSet::new();
    for block in message.blocks() {
        if let Some(part) = answer.block(block) {
            said.extend(call_of(block));
            parts::push(&mut out, part);
        }
    }
    let rest = listed(message).filter(|call| text(*call, "id").is_none_or(|id| said.insert(id)));
    out.extend(rest.filter_map(|call| answer.listed(call)));
    out
}

struct Answer<'m, 'v> {
    message: &'m Message<'v>,
    dialect: DialectChoice,
    base: Base<'m>,
}

impl Answer<'_, '_> {
    fn block(&self, block: Val<'_>) -> Option<Part> {
        let at = self.base.of(block);
        let copied = |key: &str| block.get(key).and_then(|own| Text::copied(own, self.base));
        let said = |text: Text, id: Option<Text>| Part { id, ..Part::text(text, at.into()) };
        if let Some(text) = Text::copied(block, self.base) {
            return Some(said(text, self.message_id(self.message.data)));
        }
        let kind = block.get("type")?.text()?;
        let responses = self.dialect == DialectChoice::Responses;
        match kind.as_ref() {
            b"text" | b"output_text" => {
                let text = copied("text").filter(|text| !text.is_empty())?;
                Some(said(text, self.message_id(block).or_else(|| self.message_id(self.message.data))))
            }
            b"refusal" => Some(said(copied("refusal")?, self.message_id(block))),
            b"thinking" => {
                let signature = copied("signature").filter(|own| !own.is_empty());
                Some(parts::thinking(Some(copied("thinking")?), signature, at))
            }
            b"redacted_thinking" => Some(parts::redacted(Some(copied("data")?), at)),
            b"reasoning" if responses && block.get("summary").is_some() => Some(self.item(block)),
            b"reasoning" => Some(self.thought(block)),
            b"tool_use" | b"tool_call" | b"function_call" => self.call(block),
            b"custom_tool_call" if responses => Some(self.item(block)),
            b"custom_tool_call" => None,
            // What the provider ran itself, and its like.
            kind if responses && (kind.ends_with(b"_call") || kind.starts_with(b"mcp_")) => Some(self.item(block)),
            b"server_tool_use" if self.dialect == DialectChoice::Anthropic => Some(self.item(block)),
            kind if self.dialect == DialectChoice::Anthropic && kind.ends_with(b"_tool_result") => {
                Some(self.item(block))
            }
            _ => None,
        }
    }

    /// An item or a block as it was, but for the index that streams leave in it.
    fn item(&self, item: Val<'_>) -> Part {
        let at = self.base.of(item);
        let raw = Raw::build(at, |w| {
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

    /// The id of OpenAI's message that a text is.
    fn message_id(&self, of: Val<'_>) -> Option<Text> {
        parts::text(of.get("id"), self.base).filter(|id| id.raw().starts_with(b"msg_"))
    }

    /// Thoughts in LangChain's own form.
    fn thought(&self, block: Val<'_>) -> Part {
        let text = block.get("reasoning").or_else(|| block.get("text"));
        let extra = |key: &str| parts::text(block.at(&["extras", key]), self.base);
        let id = parts::text(block.get("id"), self.base).filter(|id| id.raw().starts_with(b"rs_"));
        let blob = extra("encrypted_content");
        let maker = if id.is_some() || blob.is_some() { Maker::OpenAi } else { Maker::Anthropic };
        let seal = extra("signature").or(blob);
        Part { id, ..parts::reasoning(maker, parts::text(text, self.base), seal, self.base.of(block)) }
    }

    /// A call in the content. LangChain sends the arguments of the call beside it, if there is one.
    fn call(&self, block: Val<'_>) -> Option<Part> {
        let is_item = block.get("call_id").is_some();
        let id = block.get(if is_item { "call_id" } else { "id" });
        let beside = || {
            let id = id?.text()?;
            listed(self.message).find(|call| call.get("id").and_then(|own| own.text()).as_ref() == Some(&id))
        };
        let own = ["arguments", "args", "input"].iter().find_map(|key| block.get(key));
        let input = match own {
            Some(own) if own.is_object() || is_item => Some(own),
            _ => beside().and_then(|call| call.get("args")).or(own),
        };
        let item = if is_item { block.get("id") } else { block.at(&["extras", "item_id"]) };
        self.call_of(id, block.get("name"), input, item, block)
    }

    /// A call beside the content. Anthropic takes no arguments that could not be read.
    fn listed(&self, call: Val<'_>) -> Option<Part> {
        let given = call.get("function");
        let invalid = call.get("type").is_some_and(|kind| kind.is("invalid_tool_call"));
        if invalid && self.dialect == DialectChoice::Anthropic {
            return None;
        }
        let name = call.get("name").or_else(|| given?.get("name"));
        let input = call.get("args").or_else(|| given?.get("arguments")).filter(|input| !input.is_null());
        let items = self.message.data.at(&["additional_kwargs", "__openai_function_call_ids__"]);
        let item = items.and_then(|items| items.get(&*text(call, "id")?));
        self.call_of(call.get("id"), name, input, item, call)
    }

    fn call_of(
        &self,
        id: Option<Val<'_>>,
        name: Option<Val<'_>>,
        input: Option<Val<'_>>,
        item: Option<Val<'_>>,
        whole: Val<'_>,
    ) -> Option<Part> {
        let (base, at) = (self.base, self.base.of(whole));
        let name = name.map_or_else(|| Text::named("", at), |name| Text::of_json(name, base));
        let item = item.filter(|_| self.dialect == DialectChoice::Responses);
        let call = parts::call(parts::text(id, base)?, name, parts::input(input, base, at), at);
        Some(Part { id: parts::text(item, base), ..call })
    }
}
