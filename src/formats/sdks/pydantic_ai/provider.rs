//! Which provider a conversation goes on with: the one that the newest response names.

use crate::formats::member::text;
use crate::formats::threads::DialectChoice;
use crate::json::{Val, name};

use super::part::{is, parts};

#[derive(Default)]
pub(super) struct Provider {
    name: Box<str>,
    pub model: Option<Box<str>>,
    /// Parts carry ids of items of the Responses API.
    items: bool,
    /// Reasoning carries its content: the server stores nothing.
    blobs: bool,
}

impl Provider {
    pub fn see(&mut self, message: Val<'_>) {
        if !is_kind(message, "response") {
            return;
        }
        self.name = text(message, "provider_name").unwrap_or(std::mem::take(&mut self.name));
        self.model = text(message, "model_name").or(self.model.take());
        for part in parts(message) {
            let starts = |key: &str, start: &str| text(part, key).is_some_and(|id| id.starts_with(start));
            let is_call = is(part, &["tool-call"]);
            self.items |= starts("id", "rs_") || starts("id", "msg_") || is_call && starts("id", "fc_");
            self.items |= is_call && text(part, "tool_call_id").is_some_and(|id| id.contains("|fc_"));
            self.blobs |=
                is(part, &["thinking"]) && starts("provider_name", "openai") && text(part, "signature").is_some();
        }
    }

    /// How the conversation is sent, and the target if it is another than that of the dialect.
    pub fn dialect(&self) -> (DialectChoice, Option<&'static str>) {
        match &*self.name {
            "azure" if self.items => (DialectChoice::Responses, Some("azure")),
            "openai" | "" if self.items && self.blobs => (DialectChoice::Responses, Some("openai-stateless")),
            "openai" | "" if self.items => (DialectChoice::Responses, None),
            "openai" | "" => (DialectChoice::Chat, None),
            "anthropic" => (DialectChoice::Anthropic, None),
            "mistral" => (DialectChoice::Chat, Some("mistral")),
            "groq" => (DialectChoice::Chat, Some("groq")),
            "deepseek" => (DialectChoice::Chat, Some("deepseek-chat")),
            "cerebras" => (DialectChoice::Chat, Some("cerebras")),
            "openrouter" => (DialectChoice::Chat, Some("openrouter")),
            "ollama" => (DialectChoice::Chat, Some("ollama")),
            // Of others only pairs can be judged.
            _ => (DialectChoice::Chat, Some("chat-compatible")),
        }
    }
}

fn is_kind(message: Val<'_>, kind: &str) -> bool {
    message.get(name::kind).is_some_and(|own| own.is(kind))
}
