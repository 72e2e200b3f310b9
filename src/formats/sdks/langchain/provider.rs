//! The provider to which a conversation is sent: the one that the newest answer names, or whose blocks it has.

use crate::formats::member::borrowed_text;
use crate::formats::threads::DialectChoice;
use crate::json::{Val, name};

use super::message::{LangchainKind, LangchainMessage};

/// Evidence of the provider, collected from answers.
#[derive(Default)]
pub(super) struct LangchainProvider {
    name: Box<str>,
    pub model: Option<Box<str>>,
    /// True if answers have items of the Responses API.
    has_items: bool,
    /// True if reasoning has its content: the server stores nothing.
    has_blobs: bool,
    /// True if answers have blocks of Anthropic's.
    blocks: bool,
    /// True if Chat Completions has no member for something that Anthropic's blocks have.
    has_marks: bool,
}

/// True if a message has something that Chat Completions does not have, and Anthropic's blocks do: a cache mark, a document
/// by its URL, with context or without a name, a failed result, an image or a file in a result.
fn needs_blocks(message: &LangchainMessage<'_>) -> bool {
    let is_result = message.kind == LangchainKind::Tool;
    let is_failed = message.data.get(name::status).is_some_and(|status| status.is("error"));
    let is_document = |block: Val<'_>| {
        let has = |key: &str| block.get(key).is_some();
        block.get(name::r#type).is_some_and(|kind| kind.is("file"))
            && (has("url") || has("base64") && !has("filename"))
    };
    let is_marked = |block: Val<'_>| {
        let is_text = block.is_string() || block.get(name::text).is_some();
        block.get(name::cache_control).is_some()
            || block.get(name::context).is_some()
            || is_result && !is_text
            || is_document(block)
    };
    is_result && is_failed || message.blocks().any(is_marked)
}

impl LangchainProvider {
    /// Adds the evidence of a message.
    pub fn observe(&mut self, message: &LangchainMessage<'_>) {
        self.has_marks |= needs_blocks(message);
        if message.kind == LangchainKind::Ai {
            let data = message.data;
            let metadata = |key: &str| data.get("response_metadata").and_then(|meta| borrowed_text(meta, key));
            if let Some(new) = metadata("model_provider").filter(|new| **new != *self.name) {
                self.name = new.into();
            }
            let model = metadata("model_name").or_else(|| metadata("model"));
            if let Some(new) = model.filter(|new| Some(&**new) != self.model.as_deref()) {
                self.model = Some(new.into());
            }
            let kwargs = data.get(name::additional_kwargs);
            let reasoning = kwargs.and_then(|kwargs| kwargs.get(name::reasoning)).filter(|own| own.is_object());
            self.has_items |= reasoning.is_some_and(|own| own.get(name::id).is_some());
            self.has_items |= kwargs.is_some_and(|kwargs| kwargs.get("__openai_function_call_ids__").is_some());
            let blocks = data.get(name::content).into_iter().flat_map(|content| content.elements());
            for block in blocks.chain(reasoning) {
                let is = |kind: &str| block.get(name::r#type).is_some_and(|own| own.is(kind));
                let has = |path: &[&str]| block.at(path).is_some_and(|own| own.is_string() && !own.is(""));
                self.has_items |= is("function_call") && has(&["call_id"]);
                self.has_items |= is("reasoning")
                    && block.get(name::id).and_then(|id| id.text()).is_some_and(|id| id.starts_with(b"rs_"));
                self.has_blobs |=
                    is("reasoning") && (has(&["encrypted_content"]) || has(&["extras", "encrypted_content"]));
                self.has_items |= self.has_blobs;
                self.blocks |= is("tool_use") || is("redacted_thinking") || is("thinking") && has(&["signature"]);
            }
        }
    }

    /// The dialect in which the conversation is sent, and the target if it is not the default of the dialect.
    pub fn dialect(&self) -> (DialectChoice, Option<&'static str>) {
        match &*self.name.to_ascii_lowercase() {
            name if name.starts_with("azure") && self.has_items => (DialectChoice::Responses, Some("azure")),
            "openai" | "" if self.has_items && self.has_blobs => {
                (DialectChoice::Responses, Some("openai-stateless"))
            }
            "openai" | "" if self.has_items => (DialectChoice::Responses, None),
            "openai" => (DialectChoice::Chat, None),
            "anthropic" | "google_anthropic_vertex" => (DialectChoice::Anthropic, None),
            "" if self.blocks || self.has_marks => (DialectChoice::Anthropic, None),
            "" => (DialectChoice::Chat, None),
            "mistralai" => (DialectChoice::Chat, Some("mistral")),
            "groq" => (DialectChoice::Chat, Some("groq")),
            "xai" => (DialectChoice::Chat, Some("xai-chat")),
            "openrouter" => (DialectChoice::Chat, Some("openrouter")),
            "ollama" => (DialectChoice::Chat, Some("ollama")),
            // For other providers only pairs can be judged.
            _ => (DialectChoice::Chat, Some("chat-compatible")),
        }
    }
}
