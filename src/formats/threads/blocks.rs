//! Blocks of a message: texts, reasoning, calls, results and images, by the names of Anthropic and those of other stores.

use crate::format::translate::ParsedRecord;
use crate::history::Role;
use crate::json::{Val, is_object_text, name};
use crate::message::{CallInput, Opaque, OpaqueKind, Part, RawJson, ResultPart, Text};

use super::builder::ThreadBuilder;
use super::media::media;
use super::parts;

/// Names of the members of a block, in the order in which they are tried.
const CALL_IDS: [&str; 5] = ["id", "tool_use_id", "toolCallId", "call_id", "toolUseID"];
const RESULT_IDS: [&str; 6] = ["tool_use_id", "tool_call_id", "toolCallId", "toolUseID", "call_id", "id"];
const NAMES: [&str; 3] = ["name", "toolName", "tool_name"];
const INPUTS: [&str; 5] = ["input", "arguments", "args", "parameters", "arguments_json"];
const OUTPUTS: [&str; 6] = ["content", "output", "result", "value", "response", "output_preview"];
const THOUGHTS: [&str; 4] = ["thinking", "think", "text", "content"];

/// The first of these members that is present.
fn first<'v>(val: Val<'v>, keys: &[&str]) -> Option<Val<'v>> {
    keys.iter().find_map(|key| val.get(key).filter(|own| !own.is_null()))
}

impl ThreadBuilder {
    /// Adds a text, a block, or a list of blocks.
    pub fn content(&mut self, role: Role, content: Option<Val<'_>>, from: &ParsedRecord<'_>) {
        match content {
            Some(list) if list.is_array() => list.elements().for_each(|block| self.block(role, block, from)),
            Some(one) => self.block(role, one, from),
            None => {}
        }
    }

    fn block(&mut self, role: Role, block: Val<'_>, from: &ParsedRecord<'_>) {
        if block.is_string() {
            return self.text(role, Some(block), from);
        }
        let kind = block.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        let at = from.base.of(block);
        let copied = |key: &str| block.get(key).and_then(|own| Text::copied(own, from.base));
        match kind.as_ref() {
            b"text" | b"input_text" | b"output_text" => {
                let text = ["text", "content"].iter().find_map(|key| block.get(key).filter(Val::is_string));
                self.text(role, text, from);
            }
            b"thinking" | b"think" | b"reasoning" => {
                let text = first(block, &THOUGHTS).and_then(|text| Text::copied(text, from.base));
                if text.is_some() {
                    self.push(role, parts::thinking(text, copied("signature"), at), from);
                }
            }
            b"redacted_thinking" => self.push(role, parts::redacted(copied("data"), at), from),
            b"tool_use" | b"tool_call" | b"toolCall" | b"tool-call" => self.call(role, block, from),
            b"tool_result" | b"toolResult" | b"tool-result" | b"tool_call_response" => {
                self.result(block, first(block, &OUTPUTS), from)
            }
            b"image" | b"image_url" | b"document" | b"file" => match media(block, from) {
                Some(media) => self.push(role, Part::new(media.into(), at.into()), from),
                None => self.report_loss(block_description(&kind), block, from, "its content is not stored here"),
            },
            b"" if block.get(name::text).is_some() => self.text(role, block.get(name::text), from),
            _ => self.report_loss(block_description(&kind), block, from, "requests have no such block"),
        }
    }

    /// Adds a call whose members are in one object.
    pub fn call(&mut self, role: Role, call: Val<'_>, from: &ParsedRecord<'_>) {
        let Some(name) = first(call, &NAMES).and_then(|name| Text::copied(name, from.base)) else { return };
        self.push_call(role, first(call, &CALL_IDS), name, first(call, &INPUTS), call, from);
    }

    /// Adds a call. One without an id gets a generated one.
    pub fn push_call(
        &mut self,
        role: Role,
        id: Option<Val<'_>>,
        name: Text,
        input: Option<Val<'_>>,
        whole: Val<'_>,
        from: &ParsedRecord<'_>,
    ) {
        let at = from.base.of(whole);
        let id = parts::text(id, from.base).unwrap_or_else(|| self.invent_call_id(at));
        let is_empty = |input: Val<'_>| input.as_str().is_some_and(|text| text.is_empty());
        let input = match input.filter(|input| !is_empty(*input)) {
            Some(input) if !input.is_object() && !is_object_text(input) => {
                CallInput::Json(RawJson::build(at, |w| w.object(|w| w.key("input").copy(input, from.base))))
            }
            input => parts::input(input, from.base, at),
        };
        self.push(role, parts::call(id, name, input, at), from);
    }

    /// Adds the result of a call; of the last open call, if it names none.
    pub fn result(&mut self, result: Val<'_>, output: Option<Val<'_>>, from: &ParsedRecord<'_>) {
        let output = match output {
            Some(output) => self.output(output, from),
            // Amp: the output is in an object of its own.
            None => {
                let output = result.get("run").and_then(|run| first(run, &["result", "error", "reason"]));
                output.map(|output| self.output(output, from)).unwrap_or_default()
            }
        };
        let is = |key: &str| result.get(key).and_then(|own| own.as_bool()) == Some(true);
        let failed = is("is_error") || is("isError");
        self.push_result(first(result, &RESULT_IDS), output, failed, result, from);
    }

    /// Adds the result of a call. One without a call becomes a user message.
    pub fn push_result(
        &mut self,
        id: Option<Val<'_>>,
        output: Vec<ResultPart>,
        failed: bool,
        whole: Val<'_>,
        from: &ParsedRecord<'_>,
    ) {
        self.push_result_of(parts::text(id, from.base), output, failed, whole, from);
    }

    /// Adds the result of the call with an id. One without a call becomes a user message.
    pub fn push_result_of(
        &mut self,
        call: Option<Text>,
        output: Vec<ResultPart>,
        failed: bool,
        whole: Val<'_>,
        from: &ParsedRecord<'_>,
    ) {
        let at = from.base.of(whole);
        // A call without an id gets the next result, whatever id that has.
        let is_known = call.as_ref().is_some_and(|call| self.has_call(call));
        let call = if is_known { call } else { self.open_unnamed_call().or(call).or_else(|| self.open_call()) };
        let call = call.or_else(|| self.is_continuation.then(|| Text::synthetic("", at)));
        match call {
            Some(call) => self.push(Role::Tool, parts::result(call, output, failed, at), from),
            None => {
                let count = self.messages.len();
                self.push(Role::User, Part::text(parts::result_text(&output), at.into()), from);
                if self.messages.len() > count {
                    self.mark_inserted(from);
                }
            }
        }
    }

    /// The output of a tool: a text, or several texts joined; else texts, media, and unchanged blocks.
    pub fn output(&self, given: Val<'_>, from: &ParsedRecord<'_>) -> Vec<ResultPart> {
        if given.is_string() || !given.is_array() {
            return vec![ResultPart::Text(Text::of_json(given, from.base))];
        }
        let part = |block: Val<'_>| {
            let at = from.base.of(block);
            match (text_of(block), media(block, from)) {
                (Some(text), _) => Text::copied(text, from.base).map(ResultPart::Text),
                (None, Some(media)) => Some(ResultPart::media(media, at.into())),
                // An unknown block stays a block, so that it is reported.
                (None, None) if block.get(name::r#type).is_some() => {
                    let (dialect, kind, raw) =
                        ("anthropic", OpaqueKind::Unknown, RawJson::copied(block, from.base));
                    Some(ResultPart::Opaque(Opaque { dialect, kind, raw }, at.into()))
                }
                (None, None) => Some(ResultPart::Json(RawJson::copied(block, from.base))),
            }
        };
        parts::join_texts(given.elements().filter_map(part).collect(), from.base.of(given))
    }
}

/// The output of a tool in blocks of MCP: texts, also those of resources, and media. Other blocks are omitted.
pub(in crate::formats) fn mcp_output(blocks: Val<'_>, from: &ParsedRecord<'_>) -> Vec<ResultPart> {
    let text = |block: Val<'_>| {
        let own = block.get(name::text).or_else(|| block.at(&["resource", "text"]))?;
        Text::copied(own, from.base).map(ResultPart::Text)
    };
    let image = |block: Val<'_>| Some(ResultPart::media(media(block, from)?, from.base.of(block).into()));
    let given = blocks.elements().filter_map(|block| text(block).or_else(|| image(block)));
    parts::join_texts(given.collect(), from.base.of(blocks))
}

/// A description of a block, by its type.
fn block_description(kind: &[u8]) -> String {
    match kind {
        b"" => "a block without a type".to_owned(),
        kind => format!("a `{}` block", String::from_utf8_lossy(kind)),
    }
}

/// The text of a text block.
fn text_of(block: Val<'_>) -> Option<Val<'_>> {
    if block.is_string() {
        return Some(block);
    }
    let is_text = block.get(name::r#type).is_none_or(|kind| kind.is("text") || kind.is("output_text"));
    block.get(name::text).filter(|text| is_text && text.is_string())
}
