//! Where agents keep their sessions on this machine.

use std::env;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::format::agent::{Agent, Projects};

/// The folders with an agent's sessions: below those that its variables name, else below its folder at home. They need
/// not be there.
pub(super) fn folders(agent: &Agent) -> Vec<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let several = |list: &str| list.split(',').map(|path| PathBuf::from(path.trim())).collect();
    let roots: Vec<PathBuf> = match agent.homes.list.and_then(set) {
        Some(list) => several(&list.to_string_lossy()),
        None => {
            let at_home = || env::home_dir().map(|home| home.join(agent.homes.folder));
            set(agent.homes.variable).map(PathBuf::from).or_else(at_home).into_iter().collect()
        }
    };
    let own = |root: &PathBuf| {
        let below = agent.homes.sessions.iter().map(|below| root.join(below)).collect::<Vec<_>>();
        let projects = agent.homes.projects.iter().flat_map(|projects| of_projects(root, projects));
        below.into_iter().chain(projects).collect::<Vec<_>>()
    };
    roots.iter().flat_map(own).collect()
}

/// Where the sessions of the projects lie that a file lists. Without the file, there are none.
fn of_projects(root: &Path, projects: &Projects) -> Vec<PathBuf> {
    let text = std::fs::read(root.join(projects.file)).unwrap_or_default();
    let listed: Value = serde_json::from_slice(&text).unwrap_or_default();
    let listed = listed.get(projects.list).and_then(Value::as_array).into_iter().flatten();
    let folders = listed.filter_map(|project| project.get(projects.folder)?.as_str().map(PathBuf::from));
    folders.filter(|folder| folder.is_absolute()).map(|folder| folder.join(projects.sessions)).collect()
}
