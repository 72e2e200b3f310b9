//! Names of inputs in messages.

use crate::source::Input;

/// An input as it is printed before it is open.
pub(super) fn label_of(input: &Input) -> String {
    match input {
        Input::Stdin => "-".to_owned(),
        Input::File { path, .. } => path.display().to_string(),
        Input::History { path, key, .. } => format!("{}: {key}", path.display()),
        Input::Member { member, .. } => member.label(),
        Input::Tree { paths, .. } => paths.first().map(|path| path.display().to_string()).unwrap_or_default(),
        Input::Log { paths, .. } => paths.last().map(|path| path.display().to_string()).unwrap_or_default(),
    }
}
