//! What is written in more than one way and says the same, as data: members that say nothing, names with two spellings,
//! texts with two forms, and ids, which only tie items together. Whatever is not listed here is a difference.

use super::same::Holds::{EmptyList, EmptyText, False, Null, Word};

/// What a member holds that says nothing by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    Null,
    EmptyText,
    EmptyList,
    False,
    Word(&'static str),
}

/// Where in an item a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// The item, or the message.
    Item,
    /// An element of a list of parts, or what it wraps.
    Part,
}

/// A member that says the same as none.
pub struct Silent {
    pub dialect: &'static str,
    pub level: Level,
    /// Types of the items or parts that it is a member of; empty: any.
    pub kinds: &'static [&'static str],
    pub key: &'static str,
    pub holds: &'static [Holds],
}

const fn item(dialect: &'static str, key: &'static str, holds: &'static [Holds]) -> Silent {
    Silent { dialect, level: Level::Item, kinds: &[], key, holds }
}

const fn items(
    dialect: &'static str,
    kinds: &'static [&'static str],
    key: &'static str,
    holds: &'static [Holds],
) -> Silent {
    Silent { dialect, level: Level::Item, kinds, key, holds }
}

const fn parts(
    dialect: &'static str,
    kinds: &'static [&'static str],
    key: &'static str,
    holds: &'static [Holds],
) -> Silent {
    Silent { dialect, level: Level::Part, kinds, key, holds }
}

/// Items whose `status` a response adds, and which are taken with it and without. Items of hosted tools need theirs.
const FINISHED: &[&str] =
    &["message", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"];

/// No model reads any of these. A `tool_calls` that is empty, and `output_text` without `annotations`, are refused by
/// some servers: that is what `check` reports, and no difference in what is said.
#[rustfmt::skip]
pub const SILENT: &[Silent] = &[
    item("chat", "annotations", &[Null, EmptyList]),
    item("chat", "audio", &[Null]),
    item("chat", "function_call", &[Null]),
    item("chat", "logprobs", &[Null, EmptyList]),
    item("chat", "name", &[Null]),
    item("chat", "reasoning_content", &[Null, EmptyText]),
    item("chat", "refusal", &[Null, EmptyText]),
    item("chat", "tool_calls", &[Null, EmptyList]),
    items("responses", &["message"], "type", &[Word("message")]),
    items("responses", &["message"], "refusal", &[Null, EmptyText]),
    items("responses", FINISHED, "status", &[Word("completed")]),
    parts("responses", &["output_text"], "annotations", &[Null, EmptyList]),
    parts("responses", &["output_text"], "logprobs", &[Null, EmptyList]),
    parts("anthropic", &[], "cache_control", &[Null]),
    parts("anthropic", &["text"], "citations", &[Null]),
    parts("anthropic", &["tool_result", "mcp_tool_result"], "is_error", &[False]),
    parts("gemini", &[], "thought", &[False]),
];

/// In the JSON of these, a member that is null is not set.
pub const NULL_IS_UNSET: &[&str] = &["gemini"];

/// In requests of these, a setting that is null is not set.
pub const UNSET_SETTINGS: &[&str] = &["responses", "chat", "gemini", SHARED];

/// Dialects whose members have a name in camelCase and one in snake_case.
pub const SPELLED_TWICE: &[&str] = &["gemini"];

/// What two dialects share.
pub const SHARED: &str = "";

/// Members whose values are up to tools and their authors: nothing in them has another spelling, or says nothing.
pub const FREE: &[&str] = &[
    "args",
    "arguments",
    "input",
    "input_schema",
    "json",
    "labels",
    "metadata",
    "parameters",
    "parametersJsonSchema",
    "properties",
    "response",
    "responseJsonSchema",
    "schema",
];

/// A list of one part that is nothing but text says the same as that text.
pub struct Short {
    pub dialect: &'static str,
    pub key: &'static str,
    /// The type of the part in what the model said; else in anything.
    pub of_model: bool,
    pub part: &'static str,
}

const fn short(dialect: &'static str, key: &'static str, of_model: bool, part: &'static str) -> Short {
    Short { dialect, key, of_model, part }
}

pub const SHORT: &[Short] = &[
    short("chat", "content", true, "text"),
    short("chat", "content", false, "text"),
    short("responses", "content", true, "output_text"),
    short("responses", "content", false, "input_text"),
    short("responses", "output", false, "input_text"),
    short("anthropic", "content", true, "text"),
    short("anthropic", "content", false, "text"),
    short("anthropic", "system", false, "text"),
];

/// Members that lead to lists of parts, or to what a part wraps. All others hold plain values.
pub const INWARD: &[&str] =
    &["content", "output", "parts", "summary", "system", "toolResult", "toolUse", "tool_calls"];

/// What an id ties together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Tie {
    /// A call and its result.
    Call,
    /// An item, and what names it.
    Item,
}

/// Members that hold an id.
pub const IDS: &[(Level, &str, Tie)] = &[
    (Level::Item, "call_id", Tie::Call),
    (Level::Item, "tool_call_id", Tie::Call),
    (Level::Item, "id", Tie::Item),
    (Level::Item, "approval_request_id", Tie::Item),
    (Level::Part, "tool_use_id", Tie::Call),
    (Level::Part, "toolUseId", Tie::Call),
    (Level::Part, "id", Tie::Call),
];

/// Members of an item that do not matter when the counterpart of an item that changed is looked for.
pub const LOOSE: &[&str] = &["id", "status", "type"];

/// Members of a request that instruct the model outside of its list.
pub const INSTRUCTIONS: &[&str] = &["instructions", "system", "systemInstruction"];

/// A key in camelCase, where a dialect spells its keys in two ways.
pub fn spelled(dialect: &str, key: &[u8]) -> Vec<u8> {
    if !SPELLED_TWICE.contains(&dialect) || !key.contains(&b'_') {
        return key.to_vec();
    }
    let mut out = Vec::with_capacity(key.len());
    let mut upper = false;
    for &byte in key {
        match byte {
            b'_' if !out.is_empty() => upper = true,
            _ if upper => {
                out.push(byte.to_ascii_uppercase());
                upper = false;
            }
            _ => out.push(byte),
        }
    }
    out
}
