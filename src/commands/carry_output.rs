//! Output of sessions for another agent: the options, and the folder in which the agent stores sessions.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use crate::carry::{CarryOptions, CarryOver, Destination, SessionWriter};
use crate::options::UsageError;
use crate::source::{Doc, display_path};

use super::agent_environment::UserEnvironment;

/// The first day of 2026 in Unix milliseconds: the time of a session without one that is not in a file.
const DEFAULT_TIME: i64 = 1_767_225_600_000;

/// The output of sessions for another agent.
pub struct CarryOutput {
    pub(super) writer: &'static SessionWriter,
    options: CarryOptions,
    pub(super) install: bool,
}

impl CarryOutput {
    pub fn new(
        writer: &'static SessionWriter,
        asked: CarryOptions,
        install: bool,
    ) -> Result<CarryOutput, UsageError> {
        if install && writer.home.is_none() {
            let what = format!("--install: {} does not read sessions from a folder", writer.agent);
            return Err(UsageError::new(what).help(match writer.import {
                Some(import) => format!("write a file with -o FILE, then run `{}`", import("FILE")),
                None => "write a file with -o FILE".to_owned(),
            }));
        }
        let projects = if writer.name == "gemini-session" { gemini_projects(writer) } else { Vec::new() };
        let environment = writer.model.is_some().then(|| Arc::new(UserEnvironment::default()) as _);
        Ok(CarryOutput { writer, options: CarryOptions { projects, environment, ..asked }, install })
    }

    /// The options for one document. `model` is the one that the user asked for.
    pub(super) fn for_doc(&self, doc: &Doc, model: Option<&str>) -> CarryOver {
        let modified = doc.path.as_ref().and_then(|path| fs::metadata(path).ok()?.modified().ok());
        let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let when = since.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or(DEFAULT_TIME);
        CarryOver::new(
            self.writer,
            CarryOptions { default_time: when, model: model.map(str::to_owned), ..self.options.clone() },
        )
    }

    /// True if the sessions are rows of a database, if the file is one.
    pub(super) fn keeps_rows(&self) -> bool {
        self.writer.name == "agents-session"
    }

    /// The file in which the agent finds a session.
    pub(super) fn home(&self, destination: &Destination) -> Option<PathBuf> {
        let home = self.writer.home.as_ref()?;
        Some(agent_folder(self.writer)?.join(home.sessions).join(&destination.file))
    }
}

/// The folder of an agent; `None` if it has none, or there is no home directory.
pub(super) fn agent_folder(writer: &SessionWriter) -> Option<PathBuf> {
    let home = writer.home.as_ref()?;
    match env::var_os(home.variable).filter(|folder| !folder.is_empty()) {
        Some(folder) => Some(PathBuf::from(folder)),
        None => Some(env::home_dir()?.join(home.folder)),
    }
}

/// The projects of Gemini CLI: folder and name of each.
fn gemini_projects(writer: &SessionWriter) -> Vec<(String, String)> {
    let list = agent_folder(writer).map(|folder| folder.join(".gemini/projects.json"));
    let text = list.and_then(|list| fs::read(list).ok()).unwrap_or_default();
    let list: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
    let names = list.get("projects").and_then(|projects| projects.as_object()).into_iter().flatten();
    names.filter_map(|(folder, name)| Some((folder.clone(), name.as_str()?.to_owned()))).collect()
}

/// What is said of a file that `--install` would replace.
pub(super) fn already_installed(path: &Path) -> String {
    format!("{}: already exists; --install never overwrites a file", display_path(path))
}
