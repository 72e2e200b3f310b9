//! A message in any of its forms: `messages_to_dict` (`{type, data}`), its own fields (`{type, content, …}`), and `dumpd`
//! (`{lc: 1, kwargs}`).

use crate::formats::member::borrowed_text;
use crate::history::Role;
use crate::json::{Val, name};

/// The type of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::formats) enum LangchainKind {
    Human,
    Ai,
    System,
    Tool,
    /// Its role is a member.
    Chat,
    /// It is not sent.
    Other,
}

/// The serialised form of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::formats) enum LangchainForm {
    /// `{type, data}`, of `messages_to_dict`.
    Dict,
    /// `{type, content, …}`, of `model_dump`.
    Fields,
    /// `{lc: 1, kwargs}`, of `dumpd`.
    Dump,
}

/// A stored message.
#[derive(Clone, Copy)]
pub(in crate::formats) struct LangchainMessage<'v> {
    pub kind: LangchainKind,
    pub form: LangchainForm,
    /// The stored value, and the object with the fields of the message.
    pub val: Val<'v>,
    pub data: Val<'v>,
}

/// The score of an object as a message. One with few fields counts only among distinctive ones.
pub(in crate::formats) fn score(val: Val<'_>) -> u8 {
    let Some(message) = LangchainMessage::of(val) else { return 0 };
    let has = |key: &str| message.data.get(key).is_some();
    match message.form {
        LangchainForm::Dump => 95,
        _ if ["content", "additional_kwargs", "response_metadata"].into_iter().all(has) => 95,
        LangchainForm::Dict if has("content") => 90,
        LangchainForm::Fields if has("content") && has("additional_kwargs") => 90,
        LangchainForm::Fields if has("content") && has("response_metadata") => 90,
        LangchainForm::Fields if has("content") && !has("role") && !has("timestamp") && val.count() < 8 => 1,
        _ => 0,
    }
}

fn kind_of(name: &str) -> Option<LangchainKind> {
    Some(match name.strip_suffix("MessageChunk").or_else(|| name.strip_suffix("Message")).unwrap_or(name) {
        "human" | "Human" => LangchainKind::Human,
        "ai" | "AI" => LangchainKind::Ai,
        "system" | "System" => LangchainKind::System,
        "tool" | "Tool" => LangchainKind::Tool,
        "chat" | "Chat" => LangchainKind::Chat,
        "function" | "Function" | "remove" | "Remove" => LangchainKind::Other,
        _ => return None,
    })
}

impl<'v> LangchainMessage<'v> {
    /// Reads a message in any form; `None` if the value is not one.
    pub fn of(val: Val<'v>) -> Option<LangchainMessage<'v>> {
        if val.get(name::lc).is_some() {
            let data = val.get(name::kwargs).filter(|kwargs| kwargs.is_object())?;
            let class = val.get(name::id)?.elements().last()?.text()?;
            let class = String::from_utf8_lossy(&class);
            let kind = kind_of(&class).filter(|_| class.contains("Message"))?;
            return Some(LangchainMessage { kind, form: LangchainForm::Dump, val, data });
        }
        let kind = kind_of(&borrowed_text(val, "type")?)?;
        Some(match val.get(name::data).filter(|data| data.is_object()) {
            Some(data) => LangchainMessage { kind, form: LangchainForm::Dict, val, data },
            None => LangchainMessage { kind, form: LangchainForm::Fields, val, data: val },
        })
    }

    /// The role of the message; `None` if it is not sent.
    pub fn role(&self) -> Option<Role> {
        Some(match self.kind {
            LangchainKind::Human => Role::User,
            LangchainKind::Ai => Role::Assistant,
            LangchainKind::System if self.is_of_developer() => Role::Developer,
            LangchainKind::System => Role::System,
            LangchainKind::Tool => Role::Tool,
            LangchainKind::Chat => match &*borrowed_text(self.data, "role")? {
                "assistant" | "ai" => Role::Assistant,
                "system" | "developer" => Role::System,
                _ => Role::User,
            },
            LangchainKind::Other => return None,
        })
    }

    /// True if the integration of OpenAI sends a system message as one of the developer.
    fn is_of_developer(&self) -> bool {
        self.data.at(&["additional_kwargs", "__openai_role__"]).is_some_and(|role| role.is("developer"))
    }

    /// The blocks of its content: a string, or the elements of a list.
    pub fn blocks(&self) -> impl Iterator<Item = Val<'v>> {
        let content = self.data.get(name::content);
        let text = content.filter(|own| own.is_string() && !own.is(""));
        text.into_iter().chain(content.into_iter().flat_map(|list| list.elements()))
    }
}
