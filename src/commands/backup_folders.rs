//! The folders of backups of runs that repair the stores of agents: agents must not find backups among their sessions.
//! A folder a run, in `$XDG_STATE_HOME/replaylint/backups`, else in `~/.replaylint/backups`.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::history::time::format_iso;
use crate::options::UsageError;

/// The folder in which each run has its folder of backups; `None` without a home directory.
fn backups_folder() -> Option<PathBuf> {
    let state = env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = state.map(|state| state.join("replaylint"));
    Some(folder.or_else(|| Some(env::home_dir()?.join(".replaylint")))?.join("backups"))
}

/// The folder for the backups of this run, named by its time. It is created with the first backup.
pub(super) fn folder_of_run() -> Result<PathBuf, UsageError> {
    let above = backups_folder().and_then(|folder| std::path::absolute(folder).ok()).ok_or_else(|| {
        UsageError::new("no home directory for the backups").help("set XDG_STATE_HOME to an absolute path")
    })?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
    // Windows allows no colons in names.
    let name = format_iso(now).replace(':', "-");
    let names = std::iter::once(name.clone()).chain((2..).map(|n| format!("{name}-{n}")));
    let free = names.map(|name| above.join(name)).find(|folder| !folder.exists());
    Ok(free.unwrap_or(above))
}

/// The folders of backups of earlier runs.
pub(super) fn folders_of_runs() -> Vec<PathBuf> {
    let above = backups_folder().and_then(|folder| std::path::absolute(folder).ok());
    let entries = above.and_then(|above| fs::read_dir(above).ok()).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort_unstable();
    folders
}
