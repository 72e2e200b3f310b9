//! Which target a log goes on with, by the name of the provider that it had last.

use crate::history::Settings;

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
