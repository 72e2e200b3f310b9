//! The environment of the user, in which the agent of a carried session finds its configuration.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::carry::agent_config::AgentEnvironment;
use crate::report::words::to_printable;
use crate::source::reason;

use super::print_note;

/// The variables of this process, and files. A file that is ignored is noted once on standard error.
#[derive(Debug, Default)]
pub(super) struct UserEnvironment {
    noted: Mutex<BTreeSet<PathBuf>>,
}

impl AgentEnvironment for UserEnvironment {
    fn variable(&self, name: &str) -> Option<String> {
        env::var(name).ok().filter(|value| !value.is_empty())
    }

    fn home(&self) -> Option<PathBuf> {
        env::home_dir()
    }

    fn text(&self, path: &Path) -> Option<String> {
        match fs::read_to_string(path) {
            Ok(text) => Some(text),
            Err(error) if [ErrorKind::NotFound, ErrorKind::NotADirectory].contains(&error.kind()) => None,
            Err(error) => {
                self.ignore_file(path, &reason(&error));
                None
            }
        }
    }

    fn exists(&self, path: &Path) -> bool {
        path.exists()
    }

    fn ignore_file(&self, path: &Path, reason: &str) {
        if self.noted.lock().is_ok_and(|mut noted| noted.insert(path.to_owned())) {
            print_note(&format!("{}: ignored: {reason}", home_path(path)));
        }
    }
}

/// A path with the home directory written as `~`.
pub(super) fn home_path(path: &Path) -> String {
    let below = env::home_dir().and_then(|home| Some(path.strip_prefix(home).ok()?.to_owned()));
    let text = match below {
        Some(below) => format!("~/{}", below.to_string_lossy()),
        None => path.to_string_lossy().into_owned(),
    };
    // The user copies the path, so only control characters are masked.
    if text.chars().any(char::is_control) { to_printable(&text) } else { text }
}
