//! An answer of the model: texts, thoughts and calls in its content, and calls beside it.

use std::collections::HashSet;

use crate::formats::member::text;
use crate::formats::spoken::{Call, DialectChoice, Id, Says, Thought};
use crate::json::Val;
use crate::json::edit::Base;
use crate::json::pieces::Pieced;

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

pub(super) fn says(message: &Message<'_>, dialect: DialectChoice, base: Base<'_>) -> Vec<Says> {
    let telling = Telling { message, dialect, base };
    let mut out = Vec::new();
    if let (DialectChoice::Responses, Some(kwargs)) = (dialect, message.data.get("additional_kwargs")) {
        let reasoning = kwargs.get("reasoning").filter(|own| own.get("type").is_some());
        let outputs = kwargs.get("tool_outputs").into_iter().flat_map(|list| list.elements());
        out.extend(reasoning.into_iter().chain(outputs).map(|item| telling.item(item)));
    }
    let mut said = HashSet::new();
    for block in message.blocks() {
        if let Some(says) = telling.block(block) {
            said.extend(call_of(block));
            out.push(says);
        }
    }
    let rest = listed(message).filter(|call| text(*call, "id").is_none_or(|id| said.insert(id)));
    out.extend(rest.filter_map(|call| telling.listed(call)));
    out
}

struct Telling<'m, 'v> {
    message: &'m Message<'v>,
    dialect: DialectChoice,
    base: Base<'m>,
}

impl Telling<'_, '_> {
    fn block(&self, block: Val<'_>) -> Option<Says> {
        let (base, at) = (self.base, self.base.of(block));
        let piece = |key: &str| block.get(key).filter(|own| own.is_string()).map(|own| Pieced::of(own, base));
        if block.is_string() {
            return Some(Says::Text { text: Pieced::of(block, base), id: self.message_id(self.message.data), at });
        }
        let kind = block.get("type")?.text()?;
        let responses = self.dialect == DialectChoice::Responses;
        match kind.as_ref() {
            b"text" | b"output_text" => {
                let id = self.message_id(block).or_else(|| self.message_id(self.message.data));
                Some(Says::Text { text: piece("text").filter(Pieced::says)?, id, at })
            }
            b"refusal" => Some(Says::Text { text: piece("refusal")?, id: self.message_id(block), at }),
            b"thinking" => {
                let (text, signature) = (piece("thinking")?, piece("signature").filter(Pieced::says));
                Some(Says::Thought(Thought { text, signature, redacted: None, id: None, blob: None, at }))
            }
            b"redacted_thinking" => {
                let text = Pieced::text("", at);
                let redacted = Some(piece("data")?);
                Some(Says::Thought(Thought { text, signature: None, redacted, id: None, blob: None, at }))
            }
            b"reasoning" if responses && block.get("summary").is_some() => Some(self.item(block)),
            b"reasoning" => Some(Says::Thought(self.thought(block))),
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
    fn item(&self, item: Val<'_>) -> Says {
        let mut out = Pieced::object(self.base.of(item));
        for member in item.members().filter(|member| member.key.raw != b"index") {
            out = out.with(&String::from_utf8_lossy(member.key.raw), Pieced::of(member.val, self.base));
        }
        Says::Item(out)
    }

    /// The id of OpenAI's message that a text is.
    fn message_id(&self, of: Val<'_>) -> Option<Id> {
        Id::of(of.get("id"), self.base).filter(|id| id.text.starts_with("msg_"))
    }

    /// Thoughts in LangChain's own form.
    fn thought(&self, block: Val<'_>) -> Thought {
        let (base, at) = (self.base, self.base.of(block));
        let text = block.get("reasoning").or_else(|| block.get("text")).filter(|own| own.is_string());
        let extra = |key: &str| Id::of(block.at(&["extras", key]), base).map(|id| id.piece);
        Thought {
            text: text.map_or_else(|| Pieced::text("", at), |own| Pieced::of(own, base)),
            signature: extra("signature"),
            redacted: None,
            id: Id::of(block.get("id"), base).filter(|id| id.text.starts_with("rs_")),
            blob: extra("encrypted_content"),
            at,
        }
    }

    /// A call in the content. LangChain sends the arguments of the call beside it, if there is one.
    fn call(&self, block: Val<'_>) -> Option<Says> {
        let (base, at) = (self.base, self.base.of(block));
        let is_item = block.get("call_id").is_some();
        let id = Id::of(block.get(if is_item { "call_id" } else { "id" }), base)?;
        let beside = || listed(self.message).find(|call| text(*call, "id").as_ref() == Some(&id.text));
        let own = ["arguments", "args", "input"].iter().find_map(|key| block.get(key));
        let input = match own {
            Some(own) if own.is_object() || is_item => Some(own),
            _ => beside().and_then(|call| call.get("args")).or(own),
        };
        let item = match is_item {
            true => Id::of(block.get("id"), base),
            false => Id::of(block.at(&["extras", "item_id"]), base),
        };
        Some(Says::Call(Call {
            name: block.get("name").map_or_else(|| Pieced::text("", at), |name| Pieced::of(name, base)),
            input: input.map_or_else(|| Pieced::fixed("{}", at), |input| Pieced::of(input, base)),
            item: item.filter(|_| self.dialect == DialectChoice::Responses),
            id,
            at,
        }))
    }

    /// A call beside the content. Anthropic takes no arguments that could not be read.
    fn listed(&self, call: Val<'_>) -> Option<Says> {
        let (base, at) = (self.base, self.base.of(call));
        let given = call.get("function");
        let invalid = call.get("type").is_some_and(|kind| kind.is("invalid_tool_call"));
        if invalid && self.dialect == DialectChoice::Anthropic {
            return None;
        }
        let id = Id::of(call.get("id"), base)?;
        let name = call.get("name").or_else(|| given?.get("name"));
        let input = call.get("args").or_else(|| given?.get("arguments")).filter(|input| !input.is_null());
        let items = self.message.data.at(&["additional_kwargs", "__openai_function_call_ids__"]);
        let item =
            items.filter(|_| self.dialect == DialectChoice::Responses).and_then(|items| items.get(&*id.text));
        Some(Says::Call(Call {
            name: name.map_or_else(|| Pieced::text("", at), |name| Pieced::of(name, base)),
            input: input.map_or_else(|| Pieced::fixed("{}", at), |input| Pieced::of(input, base)),
            item: Id::of(item, base),
            id,
            at,
        }))
    }
}
