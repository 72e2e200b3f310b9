//! The configuration of the agent that resumes a session: the provider and the model that it uses.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

/// The user's environment, in which agents find their configuration. Commands implement it.
pub trait AgentEnvironment: Debug + Send + Sync {
    /// An environment variable that is set and not empty.
    fn variable(&self, name: &str) -> Option<String>;

    /// The home folder of the user.
    fn home(&self) -> Option<PathBuf>;

    /// The text of a file; `None` if there is none, or it cannot be read.
    fn text(&self, path: &Path) -> Option<String>;

    /// True if there is a file or folder.
    fn exists(&self, path: &Path) -> bool;

    /// Notes that a file is ignored, and why.
    fn ignore_file(&self, path: &Path, reason: &str);
}

/// An environment without variables and files.
#[derive(Debug)]
pub struct NoEnvironment;

impl AgentEnvironment for NoEnvironment {
    fn variable(&self, _: &str) -> Option<String> {
        None
    }

    fn home(&self) -> Option<PathBuf> {
        None
    }

    fn text(&self, _: &Path) -> Option<String> {
        None
    }

    fn exists(&self, _: &Path) -> bool {
        false
    }

    fn ignore_file(&self, _: &Path, _: &str) {}
}

/// The folder that a variable names, else one in the home folder.
pub fn folder(environment: &dyn AgentEnvironment, variable: &str, default: &str) -> Option<PathBuf> {
    match environment.variable(variable) {
        Some(folder) => Some(match (folder.strip_prefix("~/"), environment.home()) {
            (Some(below), Some(home)) => home.join(below),
            _ => PathBuf::from(folder),
        }),
        None => Some(environment.home()?.join(default)),
    }
}

/// A file of JSON with comments and trailing commas; `None` if there is none, or it is not valid.
pub fn json(environment: &dyn AgentEnvironment, path: &Path) -> Option<serde_json::Value> {
    let text = environment.text(path)?;
    match parse_json(&text) {
        Ok(value) => Some(value),
        Err(line) => {
            environment.ignore_file(path, &format!("it is not valid JSON (line {line})"));
            None
        }
    }
}

/// Parses JSON with comments and trailing commas.
///
/// # Errors
///
/// The line of the first error.
pub fn parse_json(text: &str) -> Result<serde_json::Value, usize> {
    let options = jsonc_parser::ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    jsonc_parser::parse_to_serde_value(text, &options).map_err(|error| error.line_display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_may_have_comments_and_trailing_commas() {
        let text = "\u{feff}{\n // a \"comment\"\n \"model\": \"a//b\", /* and */\n \"list\": [1, 2,],\n}";
        assert_eq!(parse_json(text), Ok(serde_json::json!({ "model": "a//b", "list": [1, 2] })));
        assert_eq!(parse_json("{\n  \"model\": \n}"), Err(3));
        assert_eq!(parse_json("{'a': 1}"), Err(1));
    }
}
