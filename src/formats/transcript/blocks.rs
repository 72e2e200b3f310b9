//! Blocks of a message: texts, thoughts, calls, results and images, as Anthropic names them and as those who store them
//! have renamed them.

use crate::format::translate::Stored;
use crate::history::Role;
use crate::json::pieces::Pieced;
use crate::json::{Tape, Val, name, scan};

use super::super::spoken::{Call, Id, Says, Thought};
use super::Transcript;
use super::media::media;

/// Names of the members of a block, in the order in which they are looked for.
const CALL_IDS: [&str; 5] = ["id", "tool_use_id", "toolCallId", "call_id", "toolUseID"];
const RESULT_IDS: [&str; 6] = ["tool_use_id", "tool_call_id", "toolCallId", "toolUseID", "call_id", "id"];
const NAMES: [&str; 3] = ["name", "toolName", "tool_name"];
const INPUTS: [&str; 5] = ["input", "arguments", "args", "parameters", "arguments_json"];
const OUTPUTS: [&str; 6] = ["content", "output", "result", "value", "response", "output_preview"];
const THOUGHTS: [&str; 4] = ["thinking", "think", "text", "content"];

/// The first of these members that is there.
fn first<'v>(val: Val<'v>, keys: &[&str]) -> Option<Val<'v>> {
    keys.iter().find_map(|key| val.get(key).filter(|own| !own.is_null()))
}

impl Transcript {
    /// Adds a text, a block, or a list of blocks.
    pub fn content(&mut self, role: Role, content: Option<Val<'_>>, from: &Stored<'_>) {
        match content {
            Some(list) if list.is_array() => list.elements().for_each(|block| self.block(role, block, from)),
            Some(one) => self.block(role, one, from),
            None => {}
        }
    }

    fn block(&mut self, role: Role, block: Val<'_>, from: &Stored<'_>) {
        if block.is_string() {
            return self.text(role, Some(block), from);
        }
        let kind = block.get(name::r#type).and_then(|kind| kind.text()).unwrap_or_default();
        let at = from.base.of(block);
        let copied = |key: &str| {
            let own = block.get(key).filter(|own| own.is_string());
            own.map(|own| Pieced::of(own, from.base))
        };
        match kind.as_ref() {
            b"text" | b"input_text" | b"output_text" => {
                let text = ["text", "content"].iter().find_map(|key| block.get(key).filter(Val::is_string));
                self.text(role, text, from);
            }
            b"thinking" | b"think" | b"reasoning" => {
                let text = first(block, &THOUGHTS).filter(Val::is_string);
                let Some(text) = text.map(|text| Pieced::of(text, from.base)) else { return };
                let signature = copied("signature");
                let thought = Thought { text, signature, redacted: None, id: None, blob: None, at };
                self.say(role, Says::Thought(thought), at, from);
            }
            b"redacted_thinking" => {
                let text = Pieced::fixed("\"\"", at);
                let thought =
                    Thought { text, signature: None, redacted: copied("data"), id: None, blob: None, at };
                self.say(role, Says::Thought(thought), at, from);
            }
            b"tool_use" | b"tool_call" | b"toolCall" | b"tool-call" => self.call(role, block, from),
            b"tool_result" | b"toolResult" | b"tool-result" | b"tool_call_response" => {
                self.result(block, first(block, &OUTPUTS), from)
            }
            b"image" | b"image_url" | b"document" | b"file" => match media(block, from) {
                Some(media) => self.say(role, Says::Media(media), at, from),
                None => self.lose(named(&kind), block, from, "its content is not stored here"),
            },
            b"" if block.get(name::text).is_some() => self.text(role, block.get(name::text), from),
            _ => self.lose(named(&kind), block, from, "it has no place in a request"),
        }
    }

    /// Adds a call whose members lie in one object.
    pub fn call(&mut self, role: Role, call: Val<'_>, from: &Stored<'_>) {
        let Some(name) = first(call, &NAMES).filter(Val::is_string) else { return };
        self.call_of(role, first(call, &CALL_IDS), Pieced::of(name, from.base), first(call, &INPUTS), call, from);
    }

    /// Adds a call. One without an id gets one.
    pub fn call_of(
        &mut self,
        role: Role,
        id: Option<Val<'_>>,
        name: Pieced,
        input: Option<Val<'_>>,
        whole: Val<'_>,
        from: &Stored<'_>,
    ) {
        let at = from.base.of(whole);
        let id = Id::of(id, from.base).unwrap_or_else(|| {
            self.invented += 1;
            let text: Box<str> = format!("call_{}", self.invented).into();
            self.unnamed.insert(text.clone());
            Id { piece: Pieced::text(&text, at), text }
        });
        let input = match input {
            None => Pieced::fixed("{}", at),
            Some(input) if input.is_object() => Pieced::of(input, from.base),
            Some(input) if spells_object(input) => Pieced::unspelled(input, from.base),
            Some(input) if input.as_str().is_some_and(|text| text.is_empty()) => Pieced::fixed("{}", at),
            Some(input) => Pieced::object(at).with("input", Pieced::of(input, from.base)),
        };
        self.say(role, Says::Call(Call { id, name, input, item: None, at }), at, from);
    }

    /// Adds the result of a call; of the last open one, if it names none.
    pub fn result(&mut self, result: Val<'_>, output: Option<Val<'_>>, from: &Stored<'_>) {
        let at = from.base.of(result);
        let output = match output {
            Some(output) => self.output(output, from),
            // Amp: what the tool's run gave lies in an object of its own.
            None => match result.get("run").and_then(|run| first(run, &["result", "error", "reason"])) {
                Some(output) => self.output(output, from),
                None => Pieced::fixed("\"\"", at),
            },
        };
        let is = |key: &str| result.get(key).and_then(|own| own.as_bool()) == Some(true);
        let failed = is("is_error") || is("isError");
        self.result_of(first(result, &RESULT_IDS), output, failed, result, from);
    }

    pub fn result_of(
        &mut self,
        id: Option<Val<'_>>,
        output: Pieced,
        failed: bool,
        whole: Val<'_>,
        from: &Stored<'_>,
    ) {
        let at = from.base.of(whole);
        // A call without an id has the next result, whatever that names.
        let unnamed = || self.open_call().filter(|call| self.unnamed.contains(&call.text));
        let call = Id::of(id, from.base);
        let is_known = call.as_ref().is_some_and(|call| self.has_call(&call.text));
        let call = if is_known { call } else { unnamed().or(call).or_else(|| self.open_call()) };
        match call {
            Some(call) => self.say(Role::Tool, Says::Result { call, output, failed, at }, at, from),
            None => self.say(Role::User, Says::Text { text: output.spelling(), id: None, at }, at, from),
        }
    }

    /// What a tool gave, as a text. Lists that say more than texts stay lists, if the dialect has them.
    pub fn output(&self, output: Val<'_>, from: &Stored<'_>) -> Pieced {
        if output.is_string() || !output.is_array() {
            return Pieced::as_text(output, from.base);
        }
        let texts: Vec<Val<'_>> = output.elements().filter_map(text_of).collect();
        match texts.len() == output.count() as usize {
            true => {
                let texts = texts.into_iter().map(|text| Pieced::of(text, from.base)).collect();
                Pieced::joined(texts, "\n", from.base.of(output))
            }
            false if self.keeps_lists => Pieced::of(output, from.base),
            false => Pieced::spelled(output, from.base),
        }
    }
}

fn named(kind: &[u8]) -> String {
    match kind {
        b"" => "a block without a type".to_owned(),
        kind => format!("a `{}` block", String::from_utf8_lossy(kind)),
    }
}

/// The text of a block that is nothing else.
fn text_of(block: Val<'_>) -> Option<Val<'_>> {
    if block.is_string() {
        return Some(block);
    }
    let is_text = block.get(name::r#type).is_none_or(|kind| kind.is("text") || kind.is("output_text"));
    block.get(name::text).filter(|text| is_text && text.is_string())
}

/// Whether a string spells an object.
fn spells_object(val: Val<'_>) -> bool {
    let mut tape = Tape::new();
    let Some(text) = val.text().filter(|text| val.is_string() && text.trim_ascii_start().starts_with(b"{")) else {
        return false;
    };
    scan(&text, &mut tape).is_ok() && tape.root(&text).is_some_and(|root| root.is_object())
}
