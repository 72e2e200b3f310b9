//! The settings of a request in the vocabulary that all dialects share.

use std::io;

use crate::message::settings_map::SettingRow;
use crate::message::write::JsonWriter;
use crate::message::{
    EffortSetting, OutputFormat, RequestSettings, SettingName, SourceLocation, Text, Thread, Tool, ToolChoice,
    ToolKind, WebSearch,
};
use crate::source::ReadAt;

use super::entry::{Entry, EntryGrammar, RecordLookup};
use super::equivalence::SHARED;

/// The model, the tools and the settings of a request, each as a member.
pub fn collect_settings(
    conversation: &Thread,
    bytes: &dyn ReadAt,
    locate: RecordLookup<'_>,
) -> io::Result<Vec<Entry>> {
    let mut entries = SettingEntries { members: Vec::new(), locate };
    if let Some(model) = &conversation.model {
        entries.add("model", SourceLocation::default(), |w| w.text(model));
    }
    if let Some(first) = conversation.tools.first() {
        entries.add("tools", first.at, |w| w.array(|w| conversation.tools.iter().for_each(|own| tool(own, w))));
    }
    // All are named, so that a new one is not forgotten.
    let RequestSettings {
        copied,
        stop,
        choice: tool_choice,
        parallel,
        effort,
        summary,
        output,
        dialect_only,
        server_state,
    } = &conversation.settings;
    for set in copied {
        entries.add(name(set.name), set.at, |w| w.raw(&set.value));
    }
    if let Some(set) = stop {
        entries
            .add(name(SettingName::Stop), set.at, |w| w.array(|w| set.value.iter().for_each(|text| w.text(text))));
    }
    if let Some(set) = tool_choice {
        entries.add(name(SettingName::Choice), set.at, |w| choice(&set.value, w));
    }
    if let Some(set) = parallel {
        entries.add(name(SettingName::Parallel), set.at, |w| w.bool(set.value));
    }
    if let Some(set) = effort {
        entries.add(name(SettingName::Effort), set.at, |w| match &set.value {
            EffortSetting::Level(level) => w.text(level),
            EffortSetting::Budget(tokens) => w.bytes(tokens.to_string().as_bytes()),
            EffortSetting::Adaptive => w.plain("adaptive"),
            EffortSetting::Off => w.plain("none"),
        });
    }
    if let Some(set) = summary {
        entries.add("summary", set.at, |w| w.text(&set.value));
    }
    if let Some(set) = output {
        entries.add(name(SettingName::Output), set.at, |w| format(&set.value, w));
    }
    // No other API has these settings: only the places of their keys are stored.
    for at in dialect_only.iter().map(|set| set.at).chain(server_state.iter().copied()) {
        let mut key = Vec::new();
        bytes.read_into(at.place.start, at.place.len as usize, &mut key)?;
        let name: String = String::from_utf8_lossy(&key).chars().filter(|c| !matches!(c, '"' | '\\')).collect();
        let value = literal(bytes, at.place.end())?;
        entries.add(&name, at, |w| w.bytes(value.as_deref().unwrap_or(ELSEWHERE)));
    }
    Ok(entries.members)
}

/// A placeholder for a value that is not compared.
const ELSEWHERE: &[u8] = "{\"…\":null}".as_bytes();

/// The number or literal after a key; `None` for other values.
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

struct SettingEntries<'l> {
    members: Vec<Entry>,
    locate: RecordLookup<'l>,
}

impl SettingEntries<'_> {
    fn add(&mut self, name: &str, at: SourceLocation, write: impl FnOnce(&mut JsonWriter<'_>)) {
        let mut text = Vec::new();
        write(&mut JsonWriter::new(&mut text));
        let record = (self.locate)(at.place);
        self.members.push(Entry::new(name.to_owned(), None, EntryGrammar::Member(SHARED), text, at.place, record));
    }
}

/// The name of a setting in the first dialect that has it.
fn name(name: SettingName) -> &'static str {
    let path = SettingRow::of(name).and_then(|form| form.paths.first()).map_or("", |(_, path)| path);
    path.rsplit_once('.').map_or(path, |(_, last)| last)
}

fn tool(tool: &Tool, w: &mut JsonWriter<'_>) {
    let texts = |w: &mut JsonWriter<'_>, name: &Text, description: &Option<Text>| {
        w.key("name").text(name);
        description.iter().for_each(|text| w.key("description").text(text));
    };
    let extras = |w: &mut JsonWriter<'_>| {
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

fn choice(choice: &ToolChoice, w: &mut JsonWriter<'_>) {
    match choice {
        ToolChoice::Auto => w.plain("auto"),
        ToolChoice::None => w.plain("none"),
        ToolChoice::Required => w.plain("required"),
        ToolChoice::Tool(name) => w.object(|w| w.key("name").text(name)),
        ToolChoice::Allowed { names, required } => w.object(|w| {
            w.key("allowed").array(|w| names.iter().for_each(|name| w.text(name)));
            w.key("required").bool(*required);
        }),
    }
}

fn format(format: &OutputFormat, w: &mut JsonWriter<'_>) {
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
