//! The provider to which a conversation is sent: the one that the newest response names.

use crate::formats::member::text;
use crate::formats::threads::DialectChoice;
use crate::json::{Val, name};

use super::part::{is, parts};

/// Evidence of the provider, collected from responses.
#[derive(Default)]
pub(super) struct PydanticProvider {
    name: Box<str>,
    pub model: Option<Box<str>>,
    /// True if parts have ids of items of the Responses API.
    has_items: bool,
    /// True if reasoning has its content: the server stores nothing.
    has_blobs: bool,
}

impl PydanticProvider {
    /// Adds the evidence of a message.
    pub fn observe(&mut self, message: Val<'_>) {
        if !is_kind(message, "response") {
            return;
        }
        self.name = text(message, "provider_name").unwrap_or(std::mem::take(&mut self.name));
        self.model = text(message, "model_name").or(self.model.take());
        for part in parts(message) {
            let starts = |key: &str, start: &str| text(part, key).is_some_and(|id| id.starts_with(start));
            let is_call = is(part, &["tool-call"]);
            self.has_items |= starts("id", "rs_") || starts("id", "msg_") || is_call && starts("id", "fc_");
            self.has_items |= is_call && text(part, "tool_call_id").is_some_and(|id| id.contains("|fc_"));
            self.has_blobs |=
                is(part, &["thinking"]) && starts("provider_name", "openai") && text(part, "signature").is_some();
        }
    }

    /// The dialect in which the conversation is sent, and the target if it is not the default of the dialect.
    pub fn dialect(&self) -> (DialectChoice, Option<&'static str>) {
        match &*self.name {
            "azure" if self.has_items => (DialectChoice::Responses, Some("azure")),
            "openai" | "" if self.has_items && self.has_blobs => {
                (DialectChoice::Responses, Some("openai-stateless"))
            }
            "openai" | "" if self.has_items => (DialectChoice::Responses, None),
            "openai" | "" => (DialectChoice::Chat, None),
            "anthropic" => (DialectChoice::Anthropic, None),
            "mistral" => (DialectChoice::Chat, Some("mistral")),
            "groq" => (DialectChoice::Chat, Some("groq")),
            "deepseek" => (DialectChoice::Chat, Some("deepseek-chat")),
            "cerebras" => (DialectChoice::Chat, Some("cerebras")),
            "openrouter" => (DialectChoice::Chat, Some("openrouter")),
            "ollama" => (DialectChoice::Chat, Some("ollama")),
            // For other providers only pairs can be judged.
            _ => (DialectChoice::Chat, Some("chat-compatible")),
        }
    }
}

fn is_kind(message: Val<'_>, kind: &str) -> bool {
    message.get(name::kind).is_some_and(|own| own.is(kind))
}
