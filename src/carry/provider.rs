//! The provider and the model that a session names, as pi and opencode do with each message.

use crate::targets::models::{self, ModelVendor};

use super::agent_config::AgentEnvironment;

/// What is known of the provider and the model of a session.
pub struct ModelHints<'h> {
    /// Those that the user asked for.
    pub asked_provider: Option<&'h str>,
    pub asked_model: Option<&'h str>,
    /// Those of the source.
    pub source_provider: Option<&'h str>,
    /// The provider of a source that is a session of Codex, whose providers have names of their own.
    pub source_codex_provider: Option<&'h str>,
    pub source_model: Option<&'h str>,
    /// The folder in which the session is resumed.
    pub cwd: &'h str,
    pub environment: &'h dyn AgentEnvironment,
}

/// The provider and the model that a session names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionModel {
    pub provider: String,
    pub model: String,
    /// pi's name of the API.
    pub api: String,
    pub origin: ModelOrigin,
}

/// How a provider and a model are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModelOrigin {
    /// The user asked for it, or the agent is configured so.
    Configured,
    /// It is that of the source, under the name that agents have for the vendor of the model.
    Source,
    /// It is that of the source, which the agent may not have.
    Unknown,
}

/// A provider that agents know without configuration.
struct KnownProvider {
    name: &'static str,
    api: &'static str,
    /// A model of it, for sources that name none.
    model: &'static str,
}

const ANTHROPIC: KnownProvider =
    KnownProvider { name: "anthropic", api: "anthropic-messages", model: "claude-sonnet-4-5" };
const OPENAI: KnownProvider = KnownProvider { name: "openai", api: "openai-responses", model: "gpt-5" };
const GOOGLE: KnownProvider =
    KnownProvider { name: "google", api: "google-generative-ai", model: "gemini-2.5-pro" };
const OTHER: KnownProvider = KnownProvider { name: "openrouter", api: "openai-completions", model: "" };

/// The provider of a model's vendor; `None` for an unknown one.
fn of_vendor(model: &str) -> Option<&'static KnownProvider> {
    match models::vendor(model)? {
        ModelVendor::Anthropic => Some(&ANTHROPIC),
        ModelVendor::OpenAi => Some(&OPENAI),
        ModelVendor::Google => Some(&GOOGLE),
        _ => None,
    }
}

/// The API of a provider by its name, else by the vendor of the model.
fn api_of(provider: &str, model: &str) -> &'static str {
    let named = [&ANTHROPIC, &OPENAI, &GOOGLE, &OTHER].into_iter().find(|known| known.name == provider);
    named.or_else(|| of_vendor(model)).unwrap_or(&OTHER).api
}

/// Chooses the provider and the model: those that the user asked for, else the configured ones, else those of the source.
pub fn choose(hints: &ModelHints<'_>, configured: Option<(String, String)>) -> SessionModel {
    let (provider, model) = match (hints.asked_provider, hints.asked_model, configured) {
        (Some(asked), Some(model), _) => (asked.to_owned(), model.to_owned()),
        (Some(asked), None, Some((provider, model))) if provider == asked => (provider, model),
        (Some(asked), None, _) => (asked.to_owned(), from_source(hints).model),
        (None, Some(model), Some((provider, _))) => (provider, model.to_owned()),
        (None, None, Some(configured)) => configured,
        (None, asked, None) => {
            return from_source(&ModelHints { source_model: asked.or(hints.source_model), ..*hints });
        }
    };
    let api = api_of(&provider, &model).to_owned();
    SessionModel { provider, model, api, origin: ModelOrigin::Configured }
}

/// The provider and the model of the source.
fn from_source(hints: &ModelHints<'_>) -> SessionModel {
    let named = hints.source_model.filter(|model| !model.is_empty());
    let vendor = named.and_then(of_vendor);
    let known = vendor.unwrap_or(if named.is_some() { &OTHER } else { &ANTHROPIC });
    let provider = hints.source_provider.unwrap_or(known.name);
    let is_vendor = vendor.is_some_and(|vendor| vendor.name == provider);
    SessionModel {
        provider: provider.to_owned(),
        model: named.unwrap_or(known.model).to_owned(),
        api: known.api.to_owned(),
        origin: if is_vendor { ModelOrigin::Source } else { ModelOrigin::Unknown },
    }
}

#[cfg(test)]
mod tests {
    use super::super::agent_config::NoEnvironment;
    use super::*;

    fn hints<'h>(source: (Option<&'h str>, Option<&'h str>)) -> ModelHints<'h> {
        ModelHints {
            asked_provider: None,
            asked_model: None,
            source_provider: source.0,
            source_codex_provider: None,
            source_model: source.1,
            cwd: "/",
            environment: &NoEnvironment,
        }
    }

    fn chosen(hints: &ModelHints<'_>, configured: Option<(&str, &str)>) -> (String, String, ModelOrigin) {
        let configured = configured.map(|(provider, model)| (provider.to_owned(), model.to_owned()));
        let model = choose(hints, configured);
        (model.provider, model.model, model.origin)
    }

    #[test]
    fn the_flag_wins_over_the_configuration_and_that_over_the_source() {
        let claude = hints((None, Some("claude-opus-4-6")));
        let own = |text: &str, model: &str, origin| (text.to_owned(), model.to_owned(), origin);
        assert_eq!(chosen(&claude, None), own("anthropic", "claude-opus-4-6", ModelOrigin::Source));
        let configured = Some(("local", "qwen3"));
        assert_eq!(chosen(&claude, configured), own("local", "qwen3", ModelOrigin::Configured));
        let asked = ModelHints { asked_provider: Some("proxy"), ..claude };
        assert_eq!(chosen(&asked, configured), own("proxy", "claude-opus-4-6", ModelOrigin::Configured));
        let asked = ModelHints { asked_model: Some("glm-5"), ..hints((None, None)) };
        assert_eq!(chosen(&asked, configured), own("local", "glm-5", ModelOrigin::Configured));
    }

    #[test]
    fn a_provider_of_another_name_is_not_replaced_by_that_of_the_vendor() {
        let (provider, model, origin) = chosen(&hints((Some("mock"), Some("gpt-x"))), None);
        assert_eq!((&*provider, &*model, origin), ("mock", "gpt-x", ModelOrigin::Unknown));
    }
}
