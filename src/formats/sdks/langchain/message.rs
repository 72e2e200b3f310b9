//! A message in any of its forms: `messages_to_dict` (`{type, data}`), its own fields (`{type, content, …}`), and `dumpd`
//! (`{lc: 1, kwargs}`).

use crate::formats::member::text;
use crate::history::Role;
use crate::json::{Val, name};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::formats) enum Kind {
    Human,
    Ai,
    System,
    Tool,
    /// Its role is a member.
    Chat,
    /// It is not sent.
    Other,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::formats) enum Form {
    Dict,
    Flat,
    Dump,
}

#[derive(Clone, Copy)]
pub(in crate::formats) struct Message<'v> {
    pub kind: Kind,
    pub form: Form,
    /// As it is stored, and what holds its fields.
    pub val: Val<'v>,
    pub data: Val<'v>,
}

/// How surely an object is a message. A few fields alone only go along with others that tell.
pub(in crate::formats) fn score(val: Val<'_>) -> u8 {
    let Some(message) = Message::of(val) else { return 0 };
    let has = |key: &str| message.data.get(key).is_some();
    match message.form {
        Form::Dict if has("content") => 90,
        Form::Dump => 95,
        Form::Flat if has("content") && has("additional_kwargs") => 90,
        Form::Flat if has("content") && has("response_metadata") => 90,
        Form::Flat if has("content") && !has("role") && !has("timestamp") && val.count() < 8 => 1,
        _ => 0,
    }
}

fn kind_of(name: &str) -> Option<Kind> {
    Some(match name.strip_suffix("MessageChunk").or_else(|| name.strip_suffix("Message")).unwrap_or(name) {
        "human" | "Human" => Kind::Human,
        "ai" | "AI" => Kind::Ai,
        "system" | "System" => Kind::System,
        "tool" | "Tool" => Kind::Tool,
        "chat" | "Chat" => Kind::Chat,
        "function" | "Function" | "remove" | "Remove" => Kind::Other,
        _ => return None,
    })
}

impl<'v> Message<'v> {
    pub fn of(val: Val<'v>) -> Option<Message<'v>> {
        if val.get(name::lc).is_some() {
            let data = val.get(name::kwargs).filter(|kwargs| kwargs.is_object())?;
            let class = val.get(name::id)?.elements().last()?.text()?;
            let class = String::from_utf8_lossy(&class);
            let kind = kind_of(&class).filter(|_| class.contains("Message"))?;
            return Some(Message { kind, form: Form::Dump, val, data });
        }
        let kind = kind_of(&text(val, "type")?)?;
        Some(match val.get(name::data).filter(|data| data.is_object()) {
            Some(data) => Message { kind, form: Form::Dict, val, data },
            None => Message { kind, form: Form::Flat, val, data: val },
        })
    }

    pub fn role(&self) -> Option<Role> {
        Some(match self.kind {
            Kind::Human => Role::User,
            Kind::Ai => Role::Assistant,
            Kind::System => Role::System,
            Kind::Tool => Role::Tool,
            Kind::Chat => match &*text(self.data, "role")? {
                "assistant" | "ai" => Role::Assistant,
                "system" | "developer" => Role::System,
                _ => Role::User,
            },
            Kind::Other => return None,
        })
    }

    /// A text, or the elements of a list.
    pub fn blocks(&self) -> impl Iterator<Item = Val<'v>> {
        let content = self.data.get(name::content);
        let text = content.filter(|own| own.is_string() && !own.is(""));
        text.into_iter().chain(content.into_iter().flat_map(|list| list.elements()))
    }
}
