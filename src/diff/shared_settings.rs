//! The settings of a request in the words that all dialects share.

use std::io;

use crate::neutral::write::Writer;
use crate::neutral::{At, Choice, Conversation, OutputFormat, Settings, Text, Tool, ToolKind};
use crate::source::ReadAt;

use super::entry::{Entry, Grammar, Locate};
use super::same::SHARED;

/// The model, the tools and the settings of a request, each as a member.
pub fn tell(conversation: &Conversation, bytes: &dyn ReadAt, locate: Locate<'_>) -> io::Result<Vec<Entry>> {
    let mut told = Members { members: Vec::new(), locate };
    if let Some(model) = &conversation.model {
        told.add("model", At::default(), |w| w.text(model));
    }
    if let Some(first) = conversation.tools.first() {
        told.add("tools", first.at, |w| w.array(|w| conversation.tools.iter().for_each(|own| tool(own, w))));
    }
    // All are named, so that a new one is not forgotten.
    let Settings {
        max_tokens,
        temperature,
        top_p,
        top_k,
        stop,
        choice: tool_choice,
        parallel,
        store,
        stream,
        effort,
        output,
        shared,
        others,
        state,
    } = &conversation.settings;
    let numbers = [("max_tokens", max_tokens), ("temperature", temperature), ("top_p", top_p), ("top_k", top_k)];
    for (name, set) in numbers {
        set.iter().for_each(|set| told.add(name, set.at, |w| w.raw(&set.value)));
    }
    for (name, set) in [("parallel_tool_calls", parallel), ("store", store), ("stream", stream)] {
        set.iter().for_each(|set| told.add(name, set.at, |w| w.bool(set.value)));
    }
    if let Some(set) = stop {
        told.add("stop", set.at, |w| w.array(|w| set.value.iter().for_each(|text| w.text(text))));
    }
    if let Some(set) = tool_choice {
        told.add("tool_choice", set.at, |w| choice(&set.value, w));
    }
    if let Some(set) = effort {
        told.add("effort", set.at, |w| w.text(&set.value));
    }
    if let Some(set) = output {
        told.add("output_format", set.at, |w| format(&set.value, w));
    }
    for set in shared {
        told.add(set.key, set.at, |w| w.raw(&set.value));
    }
    // No other API knows these: where their keys are is all that is kept of them.
    for at in others.iter().map(|set| set.at).chain(state.iter().copied()) {
        let mut key = Vec::new();
        bytes.read_into(at.place.start, at.place.len as usize, &mut key)?;
        let name: String = String::from_utf8_lossy(&key).chars().filter(|c| !matches!(c, '"' | '\\')).collect();
        let value = literal(bytes, at.place.end())?;
        told.add(&name, at, |w| w.bytes(value.as_deref().unwrap_or(ELSEWHERE)));
    }
    Ok(told.members)
}

/// What stands for a value that is not looked at.
const ELSEWHERE: &[u8] = "{\"…\":null}".as_bytes();

/// The number or switch that follows a key, if it is one.
fn literal(bytes: &dyn ReadAt, from: u64) -> io::Result<Option<Vec<u8>>> {
    let mut text = [0; 64];
    let n = bytes.read_at(from, &mut text)?;
    let value = text[..n].trim_ascii_start().strip_prefix(b":").map(<[u8]>::trim_ascii_start).unwrap_or_default();
    let end = value.iter().position(|b| matches!(b, b',' | b'}') || b.is_ascii_whitespace());
    let value = &value[..end.unwrap_or_default()];
    let is_literal = value.first().is_some_and(|b| b.is_ascii_digit() || matches!(b, b'-' | b't' | b'f' | b'n'));
    Ok(is_literal.then(|| value.to_vec()))
}

struct Members<'l> {
    members: Vec<Entry>,
    locate: Locate<'l>,
}

impl Members<'_> {
    fn add(&mut self, name: &str, at: At, write: impl FnOnce(&mut Writer<'_>)) {
        let mut text = Vec::new();
        write(&mut Writer::new(&mut text));
        let record = (self.locate)(at.place);
        self.members.push(Entry::new(name.to_owned(), None, Grammar::Member(SHARED), text, at.place, record));
    }
}

fn tool(tool: &Tool, w: &mut Writer<'_>) {
    let texts = |w: &mut Writer<'_>, name: &Text, description: &Option<Text>| {
        w.key("name").text(name);
        description.iter().for_each(|text| w.key("description").text(text));
    };
    match &tool.kind {
        ToolKind::Function { name, description, parameters, strict } => w.object(|w| {
            texts(w, name, description);
            parameters.iter().for_each(|schema| w.key("parameters").raw(schema));
            strict.iter().for_each(|strict| w.key("strict").bool(*strict));
        }),
        ToolKind::Custom { name, description, format } => w.object(|w| {
            w.key("type").plain("custom");
            texts(w, name, description);
            format.iter().for_each(|format| w.key("format").raw(format));
        }),
        ToolKind::Foreign(foreign) => w.raw(&foreign.raw),
    }
}

fn choice(choice: &Choice, w: &mut Writer<'_>) {
    match choice {
        Choice::Auto => w.plain("auto"),
        Choice::None => w.plain("none"),
        Choice::Required => w.plain("required"),
        Choice::Tool(name) => w.object(|w| w.key("name").text(name)),
    }
}

fn format(format: &OutputFormat, w: &mut Writer<'_>) {
    match format {
        OutputFormat::Json => w.plain("json"),
        OutputFormat::Schema { name, description, schema, strict } => w.object(|w| {
            name.iter().for_each(|name| w.key("name").text(name));
            description.iter().for_each(|text| w.key("description").text(text));
            w.key("schema").raw(schema);
            strict.iter().for_each(|strict| w.key("strict").bool(*strict));
        }),
    }
}
