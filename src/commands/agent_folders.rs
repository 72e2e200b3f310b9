//! Folders in which agents store their sessions on this machine.

use std::env;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::run::outcome::list_paths;
use crate::format::Format;
use crate::format::agent::{Agent, Projects};
use crate::formats::agents::resume::{AGENTS, agent_of};
use crate::options::UsageError;

/// An agent with sessions on this machine.
pub(super) struct AgentStore {
    pub agent: &'static Agent,
    /// The folders of its sessions that exist.
    pub folders: Vec<PathBuf>,
}

impl AgentStore {
    /// True if the agent stores sessions in this format.
    pub fn has(&self, format: Option<&'static dyn Format>) -> bool {
        format.and_then(|format| agent_of(format.info().name)).is_some_and(|agent| agent.id == self.agent.id)
    }
}

/// The stores of the agents with these names; of all agents, if there are none.
///
/// # Errors
///
/// If there is no store, unless that is allowed.
pub(super) fn agent_stores(names: &[String], allows_empty: bool) -> Result<Vec<AgentStore>, UsageError> {
    let wanted = |agent: &&Agent| names.is_empty() || names.iter().any(|name| name == agent.id);
    let (mut stores, mut searched) = (Vec::new(), Vec::new());
    for agent in AGENTS.iter().copied().filter(wanted) {
        let mut folders = folders(agent);
        searched.extend_from_slice(&folders);
        folders.retain(|folder| folder.exists());
        if !folders.is_empty() {
            stores.push(AgentStore { agent, folders });
        }
    }
    match stores.is_empty() && !allows_empty {
        true => {
            let error = UsageError::new(format!("no agent sessions found (searched {})", list_paths(&searched)));
            Err(error.help("name the file of a session that is stored elsewhere: `replaylint doctor FILE`"))
        }
        false => Ok(stores),
    }
}

/// The session folders of an agent: below the folders in its environment variables, else below its folder in the home
/// directory. They may not exist.
pub(super) fn folders(agent: &Agent) -> Vec<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let several = |list: &str| list.split(',').map(|path| PathBuf::from(path.trim())).collect();
    let roots: Vec<PathBuf> = match agent.session_folders.list.and_then(set) {
        Some(list) => several(&list.to_string_lossy()),
        None => {
            let at_home = || env::home_dir().map(|home| home.join(agent.session_folders.folder));
            set(agent.session_folders.variable).map(PathBuf::from).or_else(at_home).into_iter().collect()
        }
    };
    let own = |root: &PathBuf| {
        let below = agent.session_folders.sessions.iter().map(|below| root.join(below)).collect::<Vec<_>>();
        let projects = agent.session_folders.projects.iter().flat_map(|projects| project_folders(root, projects));
        below.into_iter().chain(projects).collect::<Vec<_>>()
    };
    roots.iter().flat_map(own).collect()
}

/// A path with the home directory written as `~`.
pub(super) fn abbreviate_home(path: &str) -> String {
    let below = env::home_dir().and_then(|home| Some(Path::new(path).strip_prefix(home).ok()?.to_owned()));
    below.map_or(path.to_owned(), |below| Path::new("~").join(below).to_string_lossy().into_owned())
}

/// The session folders of the projects that a file lists; empty without the file.
fn project_folders(root: &Path, projects: &Projects) -> Vec<PathBuf> {
    let text = std::fs::read(root.join(projects.file)).unwrap_or_default();
    let listed: Value = serde_json::from_slice(&text).unwrap_or_default();
    let listed = listed.get(projects.list).and_then(Value::as_array).into_iter().flatten();
    let folders = listed.filter_map(|project| project.get(projects.folder)?.as_str().map(PathBuf::from));
    folders.filter(|folder| folder.is_absolute()).map(|folder| folder.join(projects.sessions)).collect()
}
