//! Equivalent forms, as data: members without meaning, names with two spellings, texts with two forms, and ids, which only
//! connect items. Everything that is not listed here is a difference.

use super::equivalence::DefaultValue::{EmptyList, EmptyText, False, Null, Word};

/// A value that has the same meaning as a missing member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DefaultValue {
    Null,
    EmptyText,
    EmptyList,
    False,
    Word(&'static str),
}

/// The level of a member in an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemberLevel {
    /// The item, or the message.
    Item,
    /// An element of a list of parts, or the object in it.
    Part,
}

/// A member that is equivalent to a missing one.
pub struct SilentMember {
    pub dialect: &'static str,
    pub level: MemberLevel,
    /// Types of the items or parts with the member; empty for any.
    pub kinds: &'static [&'static str],
    pub key: &'static str,
    pub values: &'static [DefaultValue],
}

const fn item(dialect: &'static str, key: &'static str, values: &'static [DefaultValue]) -> SilentMember {
    SilentMember { dialect, level: MemberLevel::Item, kinds: &[], key, values }
}

const fn items(
    dialect: &'static str,
    kinds: &'static [&'static str],
    key: &'static str,
    values: &'static [DefaultValue],
) -> SilentMember {
    SilentMember { dialect, level: MemberLevel::Item, kinds, key, values }
}

const fn parts(
    dialect: &'static str,
    kinds: &'static [&'static str],
    key: &'static str,
    values: &'static [DefaultValue],
) -> SilentMember {
    SilentMember { dialect, level: MemberLevel::Part, kinds, key, values }
}

/// Items whose `status` is added by a response and optional in a request. Items of hosted tools require theirs.
const FINISHED: &[&str] =
    &["message", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"];

/// Members that no model reads. Some servers reject an empty `tool_calls`, and `output_text` without `annotations`; `check`
/// reports that, but it is not a difference.
#[rustfmt::skip]
pub const SILENT_MEMBERS: &[SilentMember] = &[
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

/// Dialects in which a null member is not set.
pub const NULL_IS_UNSET: &[&str] = &["gemini"];

/// Dialects in which a null setting is not set.
pub const UNSET_SETTINGS: &[&str] = &["responses", "chat", "gemini", SHARED];

/// Dialects whose members have a name in camelCase and one in snake_case.
pub const TWO_SPELLINGS: &[&str] = &["gemini"];

/// The name of the vocabulary that dialects share.
pub const SHARED: &str = "";

/// Members with free-form values of tools and users: nothing in them is equivalent.
pub const FREE_FORM_MEMBERS: &[&str] = &[
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

/// A member with a list of parts in which texts that follow each other are one text, and a list of only texts is
/// equivalent to the text.
pub struct TextList {
    pub dialect: &'static str,
    pub key: &'static str,
    /// True for content of the model.
    pub of_model: bool,
    /// The type of a part with text; empty if parts have no type.
    pub part: &'static str,
}

const fn texts(dialect: &'static str, key: &'static str, of_model: bool, part: &'static str) -> TextList {
    TextList { dialect, key, of_model, part }
}

/// All lists with texts.
pub const TEXT_LISTS: &[TextList] = &[
    texts("chat", "content", true, "text"),
    texts("chat", "content", false, "text"),
    texts("responses", "content", true, "output_text"),
    texts("responses", "content", false, "input_text"),
    texts("responses", "output", false, "input_text"),
    texts("anthropic", "content", true, "text"),
    texts("anthropic", "content", false, "text"),
    texts("anthropic", "system", false, "text"),
    texts("gemini", "parts", true, ""),
    texts("gemini", "parts", false, ""),
    texts("bedrock", "content", true, ""),
    texts("bedrock", "content", false, ""),
    texts("bedrock", "system", false, ""),
];

/// A member whose text is JSON: the arguments of a call, or its output. Spacing and the order of keys are no difference.
pub struct JsonText {
    pub dialect: &'static str,
    pub key: &'static str,
    /// A member next to it, and its value; `None` if every such member is meant.
    pub beside: Option<(&'static str, &'static str)>,
}

const fn json(dialect: &'static str, key: &'static str, beside: Option<(&'static str, &'static str)>) -> JsonText {
    JsonText { dialect, key, beside }
}

/// All texts that are JSON.
pub const JSON_TEXTS: &[JsonText] = &[
    json("chat", "arguments", None),
    json("chat", "content", Some(("role", "tool"))),
    json("chat", "content", Some(("role", "function"))),
    json("responses", "arguments", None),
    json("responses", "output", None),
    json("anthropic", "content", Some(("type", "tool_result"))),
];

/// Members with lists of parts, or with the object in a part. All others have plain values.
#[rustfmt::skip]
pub const NESTED_MEMBERS: &[&str] = &[
    "content", "function", "function_call", "output", "parts", "summary", "system", "toolResult", "toolUse", "tool_calls",
];

/// The kind of thing that an id identifies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum IdKind {
    /// A call and its result.
    Call,
    /// An item, and references to it.
    Item,
}

/// Members that contain an id.
pub const ID_MEMBERS: &[(MemberLevel, &str, IdKind)] = &[
    (MemberLevel::Item, "call_id", IdKind::Call),
    (MemberLevel::Item, "tool_call_id", IdKind::Call),
    (MemberLevel::Item, "id", IdKind::Item),
    (MemberLevel::Item, "approval_request_id", IdKind::Item),
    (MemberLevel::Part, "tool_use_id", IdKind::Call),
    (MemberLevel::Part, "toolUseId", IdKind::Call),
    (MemberLevel::Part, "id", IdKind::Call),
];

/// Members of an item that are ignored when searching its changed counterpart.
pub const LOOSE_MEMBERS: &[&str] = &["id", "status", "type"];

/// Members and parts that mark the end of a cached prompt, and are not in it.
pub const CACHE_MARKS: &[&str] = &["cache_control", "cachePoint"];

/// Members of an item that the server makes for itself, and that are not in a prompt.
pub const STORED_MEMBERS: &[&str] = &["id", "status"];

/// Members of a request with instructions outside of its list.
pub const INSTRUCTIONS: &[&str] = &["instructions", "system", "systemInstruction"];

/// A key in camelCase, if the dialect has two spellings of keys.
pub fn camel_case_key(dialect: &str, key: &[u8]) -> Vec<u8> {
    if !TWO_SPELLINGS.contains(&dialect) || !key.contains(&b'_') {
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
