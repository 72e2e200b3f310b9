//! Which provider a conversation goes on with: the one that the newest answer names, or whose blocks it has.

use crate::formats::member::text;
use crate::formats::threads::DialectChoice;
use crate::json::name;

use super::message::{Kind, Message};

#[derive(Default)]
pub(super) struct Provider {
    name: Box<str>,
    pub model: Option<Box<str>>,
    /// Answers hold items of the Responses API.
    items: bool,
    /// Reasoning carries its content: the server stores nothing.
    blobs: bool,
    /// Answers hold blocks of Anthropic's.
    blocks: bool,
}

impl Provider {
    /// Looks at a message.
    pub fn see(&mut self, message: &Message<'_>) {
        if message.kind == Kind::Ai {
            let data = message.data;
            let said = |key: &str| data.get("response_metadata").and_then(|meta| text(meta, key));
            self.name = said("model_provider").unwrap_or(std::mem::take(&mut self.name));
            self.model = said("model_name").or_else(|| said("model")).or(self.model.take());
            let kwargs = data.get(name::additional_kwargs);
            let reasoning = kwargs.and_then(|kwargs| kwargs.get(name::reasoning)).filter(|own| own.is_object());
            self.items |= reasoning.is_some_and(|own| own.get(name::id).is_some());
            self.items |= kwargs.is_some_and(|kwargs| kwargs.get("__openai_function_call_ids__").is_some());
            let blocks = data.get(name::content).into_iter().flat_map(|content| content.elements());
            for block in blocks.chain(reasoning) {
                let is = |kind: &str| block.get(name::r#type).is_some_and(|own| own.is(kind));
                let has = |path: &[&str]| block.at(path).is_some_and(|own| own.is_string() && !own.is(""));
                self.items |= is("function_call") && has(&["call_id"]);
                self.items |= is("reasoning")
                    && block.get(name::id).and_then(|id| id.text()).is_some_and(|id| id.starts_with(b"rs_"));
                self.blobs |=
                    is("reasoning") && (has(&["encrypted_content"]) || has(&["extras", "encrypted_content"]));
                self.blocks |= is("tool_use") || is("redacted_thinking") || is("thinking") && has(&["signature"]);
            }
        }
    }

    /// How the conversation is sent, and the target if it is another than that of the dialect.
    pub fn dialect(&self) -> (DialectChoice, Option<&'static str>) {
        match &*self.name.to_ascii_lowercase() {
            name if name.starts_with("azure") && self.items => (DialectChoice::Responses, Some("azure")),
            "openai" | "" if self.items && self.blobs => (DialectChoice::Responses, Some("openai-stateless")),
            "openai" | "" if self.items => (DialectChoice::Responses, None),
            "openai" => (DialectChoice::Chat, None),
            "anthropic" | "google_anthropic_vertex" => (DialectChoice::Anthropic, None),
            "" if self.blocks => (DialectChoice::Anthropic, None),
            "" => (DialectChoice::Chat, None),
            "mistralai" => (DialectChoice::Chat, Some("mistral")),
            "groq" => (DialectChoice::Chat, Some("groq")),
            "xai" => (DialectChoice::Chat, Some("xai-chat")),
            "openrouter" => (DialectChoice::Chat, Some("openrouter")),
            "ollama" => (DialectChoice::Chat, Some("ollama")),
            // Of others only pairs can be judged.
            _ => (DialectChoice::Chat, Some("chat-compatible")),
        }
    }
}
