//! What was typed, read from the parser's own tables: each command that a message names repeats the flags that it has,
//! too.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::report::command_line::{Concerns, Setting, Typed};

/// Flags that make no difference for what another command finds or does: where a report goes and what it looks like, and
/// what is written. They are not repeated.
const OWN: [&str; 30] = [
    "agents",
    "all",
    "allow-empty",
    "baseline",
    "color",
    "deny-loss",
    "deny-warnings",
    "error",
    "exit-zero",
    "follow",
    "force",
    "help",
    "install",
    "jobs",
    "mask-names",
    "max-diagnostics",
    "no-backup",
    "no-progress",
    "output",
    "output-format",
    "patch",
    "quiet",
    "rewind-to",
    "show-content",
    "statistics",
    "undo",
    "verbose",
    "version",
    "write",
    "yes",
];

/// Flags about the files of folders.
const FOLDERS: [&str; 5] = ["exclude", "ext", "files-from", "no-ignore", "null"];

/// Arguments that name what is read.
const PATHS: [&str; 3] = ["paths", "path", "folder"];

/// What the matches of the whole program say.
pub(super) fn typed(whole: &Command, matches: &ArgMatches) -> Typed {
    let (mut command, mut matches, mut names) = (whole, matches, Vec::new());
    while let Some((name, below)) = matches.subcommand() {
        let Some(next) = command.find_subcommand(name) else { break };
        names.push(name);
        (command, matches) = (next, below);
    }
    let of = |arg: &Arg| values(arg, matches);
    let paths = command.get_positionals().filter(|arg| PATHS.contains(&arg.get_id().as_str()));
    let stdin = command.get_arguments().find(|arg| arg.get_long() == Some("stdin-filename"));
    let flags = command.get_arguments().map(|arg| (arg, settings(arg, matches)));
    let flags: Vec<(&Arg, Vec<Setting>)> = flags.filter(|(_, settings)| !settings.is_empty()).collect();
    let mut repeated = BTreeMap::new();
    repeat("", whole, &flags, &mut repeated);
    Typed {
        command: names.join(" "),
        paths: paths.flat_map(of).collect(),
        stdin: stdin.and_then(|arg| of(arg).into_iter().next()),
        repeated,
    }
}

/// What each of these commands repeats of the flags that were typed.
fn repeat(
    above: &str,
    among: &Command,
    flags: &[(&Arg, Vec<Setting>)],
    repeated: &mut BTreeMap<String, Vec<Setting>>,
) {
    for command in among.get_subcommands() {
        let name = format!("{above} {}", command.get_name()).trim().to_owned();
        let has = |arg: &Arg| command.get_arguments().any(|own| is_same(arg, own));
        let own = flags.iter().filter(|(arg, _)| has(arg));
        repeated.insert(name.clone(), own.flat_map(|(_, settings)| settings.clone()).collect());
        repeat(&name, command, flags, repeated);
    }
}

/// Whether a flag is one of another command as well, and takes the same values there.
fn is_same(arg: &Arg, other: &Arg) -> bool {
    let names = |arg: &Arg| -> Vec<String> {
        arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect()
    };
    // A flag without a value has a list of values until the parser has looked at its command.
    let is_alike = |arg: &Arg| !arg.get_action().takes_values() || names(arg) == names(other);
    arg.get_long().is_some() && arg.get_long() == other.get_long() && is_alike(arg)
}

/// A flag as it was typed, once for each of its values.
fn settings(arg: &Arg, matches: &ArgMatches) -> Vec<Setting> {
    let Some(long) = arg.get_long().filter(|long| !OWN.contains(long)) else { return Vec::new() };
    let concerns = match long {
        "stdin-filename" => Concerns::Stdin,
        long if FOLDERS.contains(&long) => Concerns::Folders,
        _ => Concerns::All,
    };
    let one = |value| Setting { flag: format!("--{long}"), value, concerns };
    let values = values(arg, matches);
    match (arg.get_action(), arg.get_value_delimiter()) {
        _ if values.is_empty() => Vec::new(),
        (ArgAction::SetTrue, _) => vec![one(None)],
        (_, Some(delimiter)) => vec![one(Some(values.join(&delimiter.to_string())))],
        _ => values.into_iter().map(|value| one(Some(value))).collect(),
    }
}

/// The values of an argument, if it was typed.
fn values(arg: &Arg, matches: &ArgMatches) -> Vec<String> {
    let id = arg.get_id().as_str();
    let is_typed =
        matches.try_contains_id(id).is_ok() && matches.value_source(id) == Some(ValueSource::CommandLine);
    let text = |value: &OsStr| value.to_string_lossy().into_owned();
    if is_typed { matches.get_raw(id).into_iter().flatten().map(text).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::super::Cli;
    use super::*;

    /// The flags that a command repeats of one that was typed.
    fn repeated(args: &[&str], command: &str) -> Vec<String> {
        let mut whole = Cli::command();
        let matches = whole.try_get_matches_from_mut(args).expect("arguments that are taken");
        let mut typed = typed(&whole, &matches);
        typed.repeated.remove(command).unwrap_or_default().into_iter().map(|setting| setting.flag).collect()
    }

    #[test]
    fn each_flag_that_another_command_has_is_repeated() {
        let (mut seen, takes) = (0, |arg: &Arg| arg.get_action().takes_values());
        for from in Cli::command().get_subcommands() {
            for to in Cli::command().get_subcommands() {
                let has = |arg: &&Arg| to.get_arguments().any(|own| own.get_long() == arg.get_long());
                let flags = from.get_arguments().filter(|arg| !takes(arg)).filter(has);
                for flag in flags.filter_map(Arg::get_long).filter(|flag| !OWN.contains(flag)) {
                    let flag = format!("--{flag}");
                    let args = ["replaylint", from.get_name(), &flag, "x", "y"];
                    // Some take one path, or want another flag beside this one.
                    let Some(args) = [&args[..4], &args[..], &args[..3]]
                        .into_iter()
                        .find(|args| Cli::command().try_get_matches_from(*args).is_ok())
                    else {
                        continue;
                    };
                    assert!(repeated(args, to.get_name()).contains(&flag), "{args:?}, {}", to.get_name());
                    seen += 1;
                }
            }
        }
        assert!(seen > 50, "{seen}");
    }

    #[test]
    fn values_are_repeated_where_they_are_taken() {
        let args = ["replaylint", "check", "--isolated", "--as", "request", "--target", "azure", "-q", "a.json"];
        assert_eq!(repeated(&args, "fix"), ["--target", "--as", "--isolated"]);
        assert_eq!(repeated(&args, "explain"), ["--target", "--as", "--isolated"]);
    }
}
