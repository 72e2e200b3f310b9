//! The settings of a request in the words that all dialects share.

use std::io;

use crate::message::settings_map::Form;
use crate::message::write::Writer;
use crate::message::{At, Choice, Effort, Name, OutputFormat, Settings, Text, Thread, Tool, ToolKind, WebSearch};
use crate::source::ReadAt;

use super::entry::{Entry, Grammar, Locate};
use super::same::SHARED;

/// The model, the tools and the settings of a request, each as a member.
pub fn tell(conversation: &Thread, bytes: &dyn ReadAt, locate: Locate<'_>) -> io::Result<Vec<Entry>> {
    let mut told = Members { members: Vec::new(), locate };
    if let Some(model) = &conversation.model {
        told.add("model", At::default(), |w| w.text(model));
    }
    if let Some(first) = conversation.tools.first() {
        told.add("tools", first.at, |w| w.array(|w| conversation.tools.iter().for_each(|own| tool(own, w))));
    }
    // All are named, so that a new one is not forgotten.
    let Settings { plain, stop, choice: tool_choice, parallel, effort, summary, output, others, state } =
        &conversation.settings;
    for set in plain {
        told.add(name(set.name), set.at, |w| w.raw(&set.value));
    }
    if let Some(set) = stop {
        told.add(name(Name::Stop), set.at, |w| w.array(|w| set.value.iter().for_each(|text| w.text(text))));
    }
    if let Some(set) = tool_choice {
        told.add(name(Name::Choice), set.at, |w| choice(&set.value, w));
    }
    if let Some(set) = parallel {
        told.add(name(Name::Parallel), set.at, |w| w.bool(set.value));
    }
    if let Some(set) = effort {
        told.add(name(Name::Effort), set.at, |w| match &set.value {
            Effort::Level(level) => w.text(level),
            Effort::Budget(tokens) => w.bytes(tokens.to_string().as_bytes()),
            Effort::Adaptive => w.plain("adaptive"),
            Effort::Off => w.plain("none"),
        });
    }
    if let Some(set) = summary {
        told.add("summary", set.at, |w| w.text(&set.value));
    }
    if let Some(set) = output {
        told.add(name(Name::Output), set.at, |w| format(&set.value, w));
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
    let text = text.get(..n).unwrap_or(&text);
    let value = text.trim_ascii_start().strip_prefix(b":").map(<[u8]>::trim_ascii_start).unwrap_or_default();
    let end = value.iter().position(|b| matches!(b, b',' | b'}') || b.is_ascii_whitespace());
    let value = end.and_then(|end| value.get(..end)).unwrap_or_default();
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

/// What a setting is called: as in the first dialect that has it.
fn name(name: Name) -> &'static str {
    let path = Form::of(name).and_then(|form| form.paths.first()).map_or("", |(_, path)| path);
    path.rsplit_once('.').map_or(path, |(_, last)| last)
}

fn tool(tool: &Tool, w: &mut Writer<'_>) {
    let texts = |w: &mut Writer<'_>, name: &Text, description: &Option<Text>| {
        w.key("name").text(name);
        description.iter().for_each(|text| w.key("description").text(text));
    };
    let extras = |w: &mut Writer<'_>| {
        let said = tool.extras.iter().filter(|extra| !extra.is_default());
        said.for_each(|extra| w.key(extra.key).raw(&extra.value));
    };
    match &tool.kind {
        ToolKind::Function { name, description, parameters } => w.object(|w| {
            texts(w, name, description);
            parameters.iter().for_each(|schema| w.key("parameters").raw(schema));
            extras(w);
        }),
        ToolKind::Custom { name, description, format } => w.object(|w| {
            w.key("type").plain("custom");
            texts(w, name, description);
            format.iter().for_each(|format| w.key("format").raw(format));
            extras(w);
        }),
        ToolKind::WebSearch(WebSearch { allowed, blocked, location, context, max_uses }, _) => w.object(|w| {
            w.key("type").plain("web_search");
            for (key, hosts) in [("allowed", allowed), ("blocked", blocked)] {
                if !hosts.is_empty() {
                    w.key(key).array(|w| hosts.iter().for_each(|host| w.text(host)));
                }
            }
            location.iter().for_each(|place| w.key("location").raw(place));
            context.iter().for_each(|size| w.key("context").text(size));
            max_uses.iter().for_each(|uses| w.key("max_uses").raw(uses));
        }),
        ToolKind::Client(_, own) | ToolKind::Opaque(own) => w.raw(&own.raw),
    }
}

fn choice(choice: &Choice, w: &mut Writer<'_>) {
    match choice {
        Choice::Auto => w.plain("auto"),
        Choice::None => w.plain("none"),
        Choice::Required => w.plain("required"),
        Choice::Tool(name) => w.object(|w| w.key("name").text(name)),
        Choice::Allowed { names, required } => w.object(|w| {
            w.key("allowed").array(|w| names.iter().for_each(|name| w.text(name)));
            w.key("required").bool(*required);
        }),
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
