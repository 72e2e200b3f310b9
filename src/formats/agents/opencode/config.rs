//! The model that opencode is configured to use. The order of the files is that of opencode 1.18, which merges them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::carry::agent_config::{AgentEnvironment, folder, json, parse_json};
use crate::carry::provider::{self, ModelHints, SessionModel};

/// Chooses the provider and the model that a session names.
pub fn choose(hints: &ModelHints<'_>) -> SessionModel {
    provider::choose(hints, configured(hints.environment, Path::new(hints.cwd)))
}

/// The model of the first file that names one; else the one that was used last.
fn configured(environment: &dyn AgentEnvironment, cwd: &Path) -> Option<(String, String)> {
    let given = environment.variable("OPENCODE_CONFIG_CONTENT").and_then(|text| parse_json(&text).ok());
    let files = config_files(environment, cwd);
    let models = given.into_iter().chain(files.iter().filter_map(|path| json(environment, path)));
    let mut named = models.filter_map(|config| split(config.get("model")?.as_str()?));
    named.next().or_else(|| last_used(environment))
}

/// `anthropic/claude-sonnet-4-5`: the provider and the model, which may contain slashes.
fn split(name: &str) -> Option<(String, String)> {
    let (provider, model) = name.split_once('/')?;
    // opencode fills in `{env:NAME}` and `{file:PATH}`.
    let is_known = !provider.is_empty() && !model.is_empty() && !name.contains(['{', '}']);
    is_known.then(|| (provider.to_owned(), model.to_owned()))
}

/// The files that may name a model, the one that applies first.
fn config_files(environment: &dyn AgentEnvironment, cwd: &Path) -> Vec<PathBuf> {
    let both = |folder: PathBuf| [folder.join("opencode.jsonc"), folder.join("opencode.json")];
    let mut files = Vec::new();
    files.extend(environment.variable("OPENCODE_CONFIG_DIR").map(PathBuf::from).into_iter().flat_map(both));
    files.extend(environment.home().map(|home| home.join(".opencode")).into_iter().flat_map(both));
    // Folders above a Git repository are not searched.
    let is_inside = |folder: &&Path| !environment.exists(&folder.join(".git"));
    let mut project: Vec<&Path> = cwd.ancestors().take_while(is_inside).collect();
    project.extend(cwd.ancestors().nth(project.len()));
    files.extend(project.iter().flat_map(|folder| both(folder.join(".opencode"))));
    files.extend(project.iter().flat_map(|folder| both(folder.to_path_buf())));
    files.extend(environment.variable("OPENCODE_CONFIG").map(PathBuf::from));
    if let Some(general) = folder(environment, "XDG_CONFIG_HOME", ".config").map(|folder| folder.join("opencode"))
    {
        files.extend(both(general.clone()));
        files.push(general.join("config.json"));
    }
    files
}

/// The model that was used last, which opencode uses if no file names one.
fn last_used(environment: &dyn AgentEnvironment) -> Option<(String, String)> {
    let path = folder(environment, "XDG_STATE_HOME", ".local/state")?.join("opencode/model.json");
    let state = json(environment, &path)?;
    let last = state.get("recent")?.get(0)?;
    let text = |key: &str| last.get(key).and_then(Value::as_str).map(str::to_owned);
    Some((text("providerID")?, text("modelID")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_may_contain_slashes() {
        let own = |provider: &str, model: &str| Some((provider.to_owned(), model.to_owned()));
        assert_eq!(split("openrouter/z-ai/glm-5"), own("openrouter", "z-ai/glm-5"));
        assert_eq!(split("gpt-5"), None);
        assert_eq!(split("{env:MODEL}/x"), None);
    }
}
