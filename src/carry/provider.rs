//! Who serves a model, in the words of agents that name it with each message.

use crate::targets::models::{self, Maker};

/// A provider as pi and opencode name it.
#[derive(Clone, Copy, Debug)]
pub struct Provider {
    pub name: &'static str,
    /// pi's name of the API.
    pub api: &'static str,
    /// A model of it, where the source names none.
    pub model: &'static str,
}

const ANTHROPIC: Provider = Provider { name: "anthropic", api: "anthropic-messages", model: "claude-sonnet-4-5" };
const OPENAI: Provider = Provider { name: "openai", api: "openai-responses", model: "gpt-5" };
const GOOGLE: Provider = Provider { name: "google", api: "google-generative-ai", model: "gemini-2.5-pro" };
const OTHER: Provider = Provider { name: "openrouter", api: "openai-completions", model: "" };

/// The provider of a model, and the model.
pub fn of(model: Option<&str>) -> (Provider, String) {
    let Some(model) = model.filter(|model| !model.is_empty()) else {
        return (ANTHROPIC, ANTHROPIC.model.to_owned());
    };
    let provider = match models::maker(model) {
        Some(Maker::Anthropic) => ANTHROPIC,
        Some(Maker::OpenAi) => OPENAI,
        Some(Maker::Google) => GOOGLE,
        _ => OTHER,
    };
    (provider, model.to_owned())
}
