//! The model that pi is configured to use: the default of `settings.json`, else the source's own in `models.json`, else, for a
//! source whose provider pi does not have, the first model there of the only provider. That file also names the APIs of
//! providers that pi does not know.

use std::path::Path;

use serde_json::{Map, Value};

use crate::carry::agent_config::{folder, json};
use crate::carry::provider::{self, ModelHints, ModelOrigin, SessionModel};

/// Chooses the provider and the model that a session names.
pub fn choose(hints: &ModelHints<'_>) -> SessionModel {
    let environment = hints.environment;
    let home = folder(environment, "PI_CODING_AGENT_DIR", ".pi/agent");
    let models = home.as_ref().and_then(|home| json(environment, &home.join("models.json")));
    let providers = models.as_ref().and_then(|models| models.get("providers")?.as_object());
    let settings = home.as_ref().map(|home| home.join("settings.json"));
    // The settings of the project apply before the general ones.
    let project = Path::new(hints.cwd).join(".pi/settings.json");
    let settings: Vec<Value> =
        std::iter::once(project).chain(settings).filter_map(|path| json(environment, &path)).collect();
    let setting = |key: &str| settings.iter().find_map(|settings| text(settings.get(key)?));
    let default = setting("defaultProvider").zip(setting("defaultModel"));
    let same = || model_of(providers?, |_, model| Some(model) == hints.source_model);
    let mut chosen = provider::choose(hints, default.or_else(same));
    if chosen.origin == ModelOrigin::Unknown
        && let Some((only, model)) = providers.and_then(|providers| model_of(providers, |_, _| true))
        && providers.is_some_and(|providers| model_of(providers, |name, _| name != only).is_none())
    {
        chosen = provider::choose(hints, Some((only, model)));
    }
    if let Some(api) = providers.and_then(|providers| api_of(providers.get(&chosen.provider)?, &chosen.model)) {
        chosen.api = api;
    }
    chosen
}

/// The first model that the user defined and that is wanted, with its provider.
fn model_of(providers: &Map<String, Value>, is_wanted: impl Fn(&str, &str) -> bool) -> Option<(String, String)> {
    let models = providers.iter().flat_map(|(name, provider)| {
        let models = provider.get("models").and_then(Value::as_array).into_iter().flatten();
        models.filter_map(move |model| Some((name, model.get("id")?.as_str()?)))
    });
    let mut wanted = models.filter(|(name, model)| is_wanted(name, model));
    wanted.next().map(|(name, model)| (name.clone(), model.to_owned()))
}

/// The API of a model that the user defined.
fn api_of(provider: &Value, model: &str) -> Option<String> {
    let models = provider.get("models").and_then(Value::as_array).into_iter().flatten();
    let own = models
        .filter(|own| own.get("id").and_then(Value::as_str) == Some(model))
        .find_map(|own| text(own.get("api")?));
    own.or_else(|| text(provider.get("api")?))
}

fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}
