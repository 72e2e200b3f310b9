//! Suggestions for arguments of other tools: the command that does the same, or the command for a file without one.

use std::ffi::OsString;
use std::path::Path;

use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::source::shell_word;

use super::carry::session_names;

/// A command, a flag that it does not have, and the command and the flag that do the same.
const SUGGESTIONS: [(&str, &str, &str, Option<&str>); 8] = [
    ("check", "--fix", "fix", None),
    ("check", "--write", "fix", Some("-w")),
    ("check", "--watch", "check", Some("--follow")),
    ("fix", "--diff", "fix", None),
    ("fix", "--dry-run", "fix", None),
    ("fix", "--preview", "fix", None),
    ("fix", "--check", "check", None),
    ("fix", "--in-place", "fix", Some("-w")),
];

/// What people call a command, and its name.
const COMMANDS: [(&str, &str); 5] =
    [("carry", "convert"), ("lint", "check"), ("validate", "check"), ("repair", "fix"), ("sanitize", "fix")];

/// Adds the suggested command to an error of the parser, if there is one.
pub(super) fn suggest_command(mut error: Error, args: &[OsString]) -> Error {
    let mut words: Vec<String> = args.iter().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    let mut others = String::new();
    match error.kind() {
        ErrorKind::InvalidSubcommand if Path::new(&text(ContextKind::InvalidSubcommand)).exists() => {
            words.insert(0, "check".to_owned());
        }
        ErrorKind::InvalidSubcommand => {
            let typed = text(ContextKind::InvalidSubcommand);
            let Some((typed, command)) = COMMANDS.iter().find(|(name, _)| *name == typed) else { return error };
            for word in words.iter_mut().filter(|word| word == typed).take(1) {
                *word = (*command).to_owned();
            }
            if *typed == "carry" {
                others = name_session(&mut words);
            }
        }
        ErrorKind::UnknownArgument => {
            let flag = text(ContextKind::InvalidArg);
            let is_meant = |(command, own, ..): &&(&str, &str, _, _)| {
                *own == flag && words.iter().any(|word| word == command)
            };
            let Some((from, flag, to, instead)) = SUGGESTIONS.iter().find(is_meant) else { return error };
            words = words
                .iter()
                .filter_map(|word| match word.as_str() {
                    word if word == *from => Some((*to).to_owned()),
                    word if word == *flag => instead.map(str::to_owned),
                    word => Some(word.to_owned()),
                })
                .collect();
        }
        _ => return error,
    }
    let words: Vec<String> = words.iter().map(|word| shell_word(word)).collect();
    let tip = format!("use `replaylint {}`{others}", words.join(" "));
    for other in [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand] {
        error.remove(other);
    }
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    error
}

/// Makes the agent that a command names the format of its session. Without one, returns the formats besides the first.
fn name_session(words: &mut Vec<String>) -> String {
    let Some(at) = words.iter().position(|word| word == "--to") else {
        let mut names = session_names();
        words.splice(1..1, ["--to".to_owned()].into_iter().chain(names.next().map(str::to_owned)));
        return format!(", or --to {}", names.collect::<Vec<_>>().join(", "));
    };
    if let Some(agent) = words.get_mut(at + 1)
        && let Some(session) = session_names().find(|name| name.starts_with(&**agent))
    {
        *agent = session.to_owned();
    }
    String::new()
}
