//! Folders in which agents store their sessions on this machine.

use std::env;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::format::agent::{Agent, Projects};

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

/// The session folders of the projects that a file lists; empty without the file.
fn project_folders(root: &Path, projects: &Projects) -> Vec<PathBuf> {
    let text = std::fs::read(root.join(projects.file)).unwrap_or_default();
    let listed: Value = serde_json::from_slice(&text).unwrap_or_default();
    let listed = listed.get(projects.list).and_then(Value::as_array).into_iter().flatten();
    let folders = listed.filter_map(|project| project.get(projects.folder)?.as_str().map(PathBuf::from));
    folders.filter(|folder| folder.is_absolute()).map(|folder| folder.join(projects.sessions)).collect()
}
