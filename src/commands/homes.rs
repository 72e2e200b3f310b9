//! Where agents keep their sessions on this machine.

use std::env;
use std::path::PathBuf;

use crate::format::agent::Agent;

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
    roots.iter().flat_map(|root| agent.homes.sessions.iter().map(|below| root.join(below))).collect()
}
