//! Calls and results of tools that the provider runs, as blocks or items of its own API. The SDK spells their members in
//! camel case. Other tools of providers are not translated, and are a loss.

use crate::dialects::{anthropic, responses};
use crate::json::edit::RecordBase;
use crate::json::{Val, name};
use crate::message::write::JsonWriter;
use crate::message::{Opaque, OpaqueKind, Part, PartKind, RawJson};

/// Anthropic's tools whose result is a block of this name and `_tool_result`.
const ANTHROPIC_TOOLS: [&str; 3] = ["web_search", "web_fetch", "code_execution"];

/// The start of the ids of calls that Anthropic's server runs.
const ANTHROPIC_ID: &[u8] = b"srvtoolu_";

/// The start of the ids of OpenAI's searches.
const SEARCH_ID: &[u8] = b"ws_";

/// Values that are nested deeper are copied as they are: the stack is finite.
const MAX_DEPTH: usize = 16;

/// True if a part is of a tool that Anthropic's server ran.
pub fn is_anthropic(part: Val<'_>) -> bool {
    id_starts_with(part, ANTHROPIC_ID)
}

fn id_starts_with(part: Val<'_>, start: &[u8]) -> bool {
    part.get(name::toolCallId).and_then(|id| id.text()).is_some_and(|id| id.starts_with(start))
}

/// The block of a call; `None` if it is not translated. A search of OpenAI is one item with its result.
pub fn call(part: Val<'_>, base: RecordBase<'_>) -> Option<Part> {
    let tool = part.get(name::toolName)?;
    if !is_anthropic(part) || !ANTHROPIC_TOOLS.iter().any(|name| tool.is(name)) {
        return None;
    }
    Some(server_part(anthropic::NAME, part, base, |w| {
        w.key("type").plain("server_tool_use");
        w.key("id").copy(part.get(name::toolCallId).unwrap_or(tool), base);
        w.key("name").copy(tool, base);
        match part.get(name::input) {
            Some(input) => w.key("input").copy(input, base),
            None => w.key("input").object(|_| {}),
        }
    }))
}

/// The block or item of a result in a message of the model; `None` if it is not translated.
pub fn result(part: Val<'_>, base: RecordBase<'_>) -> Option<Part> {
    let (id, tool) = (part.get(name::toolCallId)?, part.get(name::toolName)?);
    let output = part.get(name::output)?.get(name::value)?;
    if id_starts_with(part, SEARCH_ID) && tool.is("web_search") {
        let action = output.get(name::action)?;
        return Some(server_part(responses::NAME, part, base, |w| {
            w.key("type").plain("web_search_call");
            w.key("id").copy(id, base);
            w.key("status").plain("completed");
            w.key("action").object(|w| {
                write_members(action, base, MAX_DEPTH, w);
                output.get("sources").into_iter().for_each(|sources| w.key("sources").copy(sources, base));
            });
        }));
    }
    let kind = ANTHROPIC_TOOLS.iter().find(|name| is_anthropic(part) && tool.is(name))?;
    Some(server_part(anthropic::NAME, part, base, |w| {
        w.key("type").plain(&format!("{kind}_tool_result"));
        w.key("tool_use_id").copy(id, base);
        write_snake(output, base, MAX_DEPTH, w.key("content"));
    }))
}

fn server_part(
    dialect: &'static str,
    part: Val<'_>,
    base: RecordBase<'_>,
    write: impl FnOnce(&mut JsonWriter<'_>),
) -> Part {
    let at = base.of(part);
    let raw = RawJson::build(at, |w| w.object(write));
    Part::new(PartKind::Opaque(Opaque { dialect, kind: OpaqueKind::ServerTool, raw }), at.into())
}

/// Writes a value with its keys, and the names of its types, in snake case.
fn write_snake(val: Val<'_>, base: RecordBase<'_>, depth: usize, w: &mut JsonWriter<'_>) {
    match depth {
        0 => w.copy(val, base),
        _ if val.is_object() => w.object(|w| write_members(val, base, depth, w)),
        _ if val.is_array() => {
            w.array(|w| val.elements().for_each(|element| write_snake(element, base, depth - 1, w)));
        }
        _ => w.copy(val, base),
    }
}

fn write_members(val: Val<'_>, base: RecordBase<'_>, depth: usize, w: &mut JsonWriter<'_>) {
    for member in val.members() {
        let key = member.key.decode();
        w.key(&snake(&key));
        match member.val.text().filter(|_| key.as_ref() == b"type") {
            Some(kind) => w.plain(&snake(&kind)),
            None => write_snake(member.val, base, depth - 1, w),
        }
    }
}

/// `pageAge` as `page_age`.
fn snake(key: &[u8]) -> String {
    let mut snake = String::with_capacity(key.len() + 2);
    for c in String::from_utf8_lossy(key).chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}
