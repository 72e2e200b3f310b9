//! The provider that Codex is configured to use. Codex resumes only sessions of this provider: "Cannot change this
//! thread's model provider from `openai` to `proxy` on resume" (0.169). It takes the model from its configuration if the
//! session names none.

use crate::carry::agent_config::{AgentEnvironment, folder};
use crate::carry::provider::{ModelHints, ModelOrigin, SessionModel};

/// The provider of a configuration that names none.
pub const DEFAULT_PROVIDER: &str = "openai";

/// Chooses the provider of a session: the one that the user asked for, else the configured one, else that of a source that
/// is a session of Codex. Its origin is unknown if it is not the configured one.
pub fn choose(hints: &ModelHints<'_>) -> SessionModel {
    let configured = configured_provider(hints.environment);
    let asked = hints.asked_provider.or(configured.as_deref()).or(hints.source_codex_provider);
    let provider = asked.unwrap_or(DEFAULT_PROVIDER);
    let is_configured = provider == configured.as_deref().unwrap_or(DEFAULT_PROVIDER);
    SessionModel {
        provider: provider.to_owned(),
        model: hints.asked_model.or(hints.source_model).unwrap_or_default().to_owned(),
        api: String::new(),
        origin: if is_configured { ModelOrigin::Configured } else { ModelOrigin::Unknown },
    }
}

/// The provider in `config.toml`: that of the selected profile, else the general one, else the default; `None` without a
/// readable file.
fn configured_provider(environment: &dyn AgentEnvironment) -> Option<String> {
    let path = folder(environment, "CODEX_HOME", ".codex")?.join("config.toml");
    let text = environment.text(&path)?;
    let config: toml::Table = match text.parse() {
        Ok(config) => config,
        Err(error) => {
            let error: toml::de::Error = error;
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            environment.ignore_file(&path, &format!("it is not valid TOML (line {line})"));
            return None;
        }
    };
    let name = |table: &toml::Table| Some(table.get("model_provider")?.as_str()?.to_owned());
    // Versions before 0.169 select a profile here; later ones refuse the key.
    let profile = config.get("profile").and_then(|profile| profile.as_str());
    let profile = profile.and_then(|profile| config.get("profiles")?.get(profile)?.as_table());
    Some(profile.and_then(name).or_else(|| name(&config)).unwrap_or_else(|| DEFAULT_PROVIDER.to_owned()))
}
