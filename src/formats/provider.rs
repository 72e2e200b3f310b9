//! The target and dialect of a log, by the name of its last provider.

use crate::history::HistorySettings;

use super::threads::DialectChoice;

/// Sets the target to that of the provider which a log names. For providers other than OpenAI only pairs can be judged.
pub fn set_target(settings: &mut HistorySettings, provider: Box<str>) {
    let name = provider.into_string().to_ascii_lowercase();
    settings.target = if name.contains("azure") {
        Some("azure")
    } else if name.contains("openai") && !name.contains("compat") {
        None
    } else {
        Some("openai-compatible")
    };
}

/// The dialect in which a session is sent to a provider, by its name in clients of many providers, and the target that
/// judges it. For unknown providers only pairs can be judged.
pub(super) fn dialect_of(provider: &str) -> (DialectChoice, &'static str) {
    match provider {
        "anthropic" | "google-vertex-anthropic" => (DialectChoice::Anthropic, "anthropic"),
        "openai" => (DialectChoice::Responses, "openai-stateless"),
        "openai-codex" => (DialectChoice::Responses, "codex"),
        _ if provider.starts_with("azure") => (DialectChoice::Responses, "azure"),
        _ => (DialectChoice::Chat, "chat-compatible"),
    }
}
