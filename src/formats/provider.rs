//! Which target a log goes on with, by the name of the provider that it had last.

use crate::history::Settings;

use super::threads::DialectChoice;

/// Notes the provider that a log names. Of others than OpenAI's own only pairs can be judged.
pub fn set(settings: &mut Settings, provider: Box<str>) {
    let name = provider.into_string().to_ascii_lowercase();
    settings.target = if name.contains("azure") {
        Some("azure")
    } else if name.contains("openai") && !name.contains("compat") {
        None
    } else {
        Some("openai-compatible")
    };
}

/// How a session is sent to a provider, by the name that clients of many providers have for it, and which target judges it.
/// Of providers that are not known only pairs can be judged.
pub(super) fn dialect(provider: &str) -> (DialectChoice, &'static str) {
    match provider {
        "anthropic" | "google-vertex-anthropic" => (DialectChoice::Anthropic, "anthropic"),
        "openai" => (DialectChoice::Responses, "openai-stateless"),
        "openai-codex" => (DialectChoice::Responses, "codex"),
        _ if provider.starts_with("azure") => (DialectChoice::Responses, "azure"),
        _ => (DialectChoice::Chat, "chat-compatible"),
    }
}
