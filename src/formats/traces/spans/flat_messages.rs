//! Messages whose members are separate attributes: `llm.input_messages.0.message.role`, `gen_ai.prompt.0.content`.

use std::collections::BTreeMap;

use crate::format::translate::ParsedRecord;
use crate::formats::threads::ThreadBuilder;
use crate::history::Role;
use crate::json::Val;
use crate::message::Text;

/// The names of the members of a message, after its number.
pub(in crate::formats) struct AttributeNames {
    pub role: &'static str,
    pub content: &'static str,
    /// Parts of a content: the names before and after their number.
    pub parts: (&'static str, &'static str),
    pub reply: &'static str,
    /// Calls: the name before their number, and those of id, name and arguments after it.
    pub calls: (&'static str, [&'static str; 3]),
}

/// The members of messages, by the number of the message.
pub(in crate::formats) struct FlatMessages<'a, 'v> {
    messages: BTreeMap<u32, Vec<(&'a str, Val<'v>)>>,
}

impl<'a, 'v> FlatMessages<'a, 'v> {
    /// The messages in attributes with this prefix.
    pub fn of(attributes: &'a [(Box<str>, Val<'v>)], prefix: &str) -> FlatMessages<'a, 'v> {
        let mut messages: BTreeMap<u32, Vec<(&'a str, Val<'v>)>> = BTreeMap::new();
        for (name, val) in attributes {
            let numbered = name.strip_prefix(prefix).and_then(|rest| rest.split_once('.'));
            if let Some((Ok(number), rest)) = numbered.map(|(number, rest)| (number.parse(), rest)) {
                messages.entry(number).or_default().push((rest, *val));
            }
        }
        FlatMessages { messages }
    }

    /// Adds all messages. One without a role gets `role`.
    pub fn add(&self, names: &AttributeNames, role: Role, from: &ParsedRecord<'_>, thread: &mut ThreadBuilder) {
        for members in self.messages.values() {
            add(members, names, role, from, thread);
        }
    }
}

fn add(
    members: &[(&str, Val<'_>)],
    names: &AttributeNames,
    role: Role,
    from: &ParsedRecord<'_>,
    thread: &mut ThreadBuilder,
) {
    let get = |name: &str| members.iter().find(|(own, _)| *own == name).map(|(_, val)| *val);
    let own = get(names.role).and_then(|own| own.text()).unwrap_or_default();
    let role = match own.as_ref() {
        b"user" | b"human" => Role::User,
        b"assistant" | b"model" | b"ai" => Role::Assistant,
        b"system" | b"developer" => Role::System,
        b"tool" | b"function" => Role::Tool,
        _ => role,
    };
    thread.begin();
    let parts = numbered(members, names.parts.0);
    let texts = || parts.values().filter_map(|part| find(part, names.parts.1));
    if role == Role::Tool {
        let content = get(names.content).or_else(|| texts().next());
        let Some(content) = content else { return };
        let output = thread.output(content, from);
        return thread.push_result(get(names.reply), output, false, content, from);
    }
    match get(names.content) {
        // Some exporters write a list of blocks as JSON.
        Some(content) if content.as_str().is_some_and(|text| text.raw.starts_with(b"[{")) => {
            let is_read = crate::formats::threads::with_parsed(content, from, &mut |inner| {
                thread.content(role, Some(inner.val), inner);
            });
            if !is_read {
                thread.text(role, Some(content), from);
            }
        }
        Some(content) => thread.content(role, Some(content), from),
        None => texts().for_each(|text| thread.text(role, Some(text), from)),
    }
    let (prefix, [id, name, input]) = names.calls;
    for call in numbered(members, prefix).values() {
        let Some(named) = find(call, name) else { continue };
        let (Some(name), id) = (Text::copied(named, from.base), find(call, id)) else { continue };
        thread.push_call(role, id, name, find(call, input), id.unwrap_or(named), from);
    }
}

/// Members with a number after the prefix, grouped by the number.
fn numbered<'m, 'v>(members: &[(&'m str, Val<'v>)], prefix: &str) -> BTreeMap<u32, Vec<(&'m str, Val<'v>)>> {
    let mut out: BTreeMap<u32, Vec<(&'m str, Val<'v>)>> = BTreeMap::new();
    for (name, val) in members {
        let rest = name.strip_prefix(prefix).and_then(|rest| rest.split_once('.'));
        if let Some((Ok(number), rest)) = rest.map(|(number, rest)| (number.parse(), rest)) {
            out.entry(number).or_default().push((rest, *val));
        }
    }
    out
}

fn find<'v>(members: &[(&str, Val<'v>)], name: &str) -> Option<Val<'v>> {
    members.iter().find(|(own, _)| *own == name).map(|(_, val)| *val)
}
