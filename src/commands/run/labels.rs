//! Names of inputs in messages.

use crate::source::Input;

/// The name of an input before it is opened; print it with `display_name`.
pub(in crate::commands) fn label_of(input: &Input) -> String {
    match input {
        Input::Stdin => "-".to_owned(),
        Input::File { path, .. } => path.to_string_lossy().into_owned(),
        Input::History { path, key, .. } => format!("{}: {key}", path.to_string_lossy()),
        Input::Member { member, .. } => member.label(),
        Input::Tree { paths, .. } => {
            paths.first().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default()
        }
        Input::Log { paths, .. } => {
            paths.last().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default()
        }
    }
}
