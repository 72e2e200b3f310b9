//! The providers of models, as pi and opencode name them with each message.

use crate::targets::models::{self, ModelVendor};

/// A provider, as pi and opencode name it.
#[derive(Clone, Copy, Debug)]
pub struct ModelProvider {
    pub name: &'static str,
    /// pi's name of the API.
    pub api: &'static str,
    /// A model of it, for sources that name none.
    pub model: &'static str,
}

const ANTHROPIC: ModelProvider =
    ModelProvider { name: "anthropic", api: "anthropic-messages", model: "claude-sonnet-4-5" };
const OPENAI: ModelProvider = ModelProvider { name: "openai", api: "openai-responses", model: "gpt-5" };
const GOOGLE: ModelProvider =
    ModelProvider { name: "google", api: "google-generative-ai", model: "gemini-2.5-pro" };
const OTHER: ModelProvider = ModelProvider { name: "openrouter", api: "openai-completions", model: "" };

/// The provider of a model, and the model.
pub fn of_model(model: Option<&str>) -> (ModelProvider, String) {
    let Some(model) = model.filter(|model| !model.is_empty()) else {
        return (ANTHROPIC, ANTHROPIC.model.to_owned());
    };
    let provider = match models::vendor(model) {
        Some(ModelVendor::Anthropic) => ANTHROPIC,
        Some(ModelVendor::OpenAi) => OPENAI,
        Some(ModelVendor::Google) => GOOGLE,
        _ => OTHER,
    };
    (provider, model.to_owned())
}
