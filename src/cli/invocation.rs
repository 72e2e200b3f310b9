//! The invocation of the program, read from the parser's matches: a command that a message suggests repeats the flags
//! that it shares.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::report::command_line::{CommandFlag, FlagScope, Invocation};

/// Flags that a suggested command does not repeat, because they do not change what it finds: where the report is written,
/// its appearance, and what is written.
const NOT_REPEATED: [&str; 30] = [
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

/// Flags for files in folders.
const FOLDER_FLAGS: [&str; 5] = ["exclude", "ext", "files-from", "no-ignore", "null"];

/// Arguments that name the inputs.
const PATH_ARGS: [&str; 3] = ["paths", "path", "folder"];

/// Reads the invocation from the matches of the program.
pub(super) fn from_matches(whole: &Command, matches: &ArgMatches) -> Invocation {
    let (mut command, mut matches, mut names) = (whole, matches, Vec::new());
    while let Some((name, below)) = matches.subcommand() {
        let Some(next) = command.find_subcommand(name) else { break };
        names.push(name);
        (command, matches) = (next, below);
    }
    let of = |arg: &Arg| values(arg, matches);
    let paths = command.get_positionals().filter(|arg| PATH_ARGS.contains(&arg.get_id().as_str()));
    let stdin = command.get_arguments().find(|arg| arg.get_long() == Some("stdin-filename"));
    let flags = command.get_arguments().map(|arg| (arg, flags(arg, matches)));
    let flags: Vec<(&Arg, Vec<CommandFlag>)> = flags.filter(|(_, settings)| !settings.is_empty()).collect();
    let mut repeated = BTreeMap::new();
    collect_repeated("", whole, &flags, &mut repeated);
    Invocation {
        command: names.join(" "),
        paths: paths.flat_map(of).collect(),
        stdin: stdin.and_then(|arg| of(arg).into_iter().next()),
        repeated,
    }
}

/// Collects for each command the given flags that it repeats.
fn collect_repeated(
    above: &str,
    among: &Command,
    flags: &[(&Arg, Vec<CommandFlag>)],
    repeated: &mut BTreeMap<String, Vec<CommandFlag>>,
) {
    for command in among.get_subcommands() {
        let name = format!("{above} {}", command.get_name()).trim().to_owned();
        let has = |arg: &Arg| command.get_arguments().any(|own| is_same(arg, own));
        let own = flags.iter().filter(|(arg, _)| has(arg));
        repeated.insert(name.clone(), own.flat_map(|(_, settings)| settings.clone()).collect());
        collect_repeated(&name, command, flags, repeated);
    }
}

/// True if another command has the same flag with the same values. Flags of one name that mean different things have
/// different ids.
fn is_same(arg: &Arg, other: &Arg) -> bool {
    let names = |arg: &Arg| -> Vec<String> {
        arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect()
    };
    // A flag without a value has a list of values until the parser has built its command.
    let is_alike = |arg: &Arg| !arg.get_action().takes_values() || names(arg) == names(other);
    arg.get_long().is_some()
        && arg.get_long() == other.get_long()
        && arg.get_id() == other.get_id()
        && is_alike(arg)
}

/// A flag as given, once for each of its values.
fn flags(arg: &Arg, matches: &ArgMatches) -> Vec<CommandFlag> {
    let Some(long) = arg.get_long().filter(|long| !NOT_REPEATED.contains(long)) else { return Vec::new() };
    let concerns = match long {
        "stdin-filename" => FlagScope::Stdin,
        long if FOLDER_FLAGS.contains(&long) => FlagScope::Folders,
        _ => FlagScope::All,
    };
    let one = |value| CommandFlag { flag: format!("--{long}"), value, scope: concerns };
    let values = values(arg, matches);
    match (arg.get_action(), arg.get_value_delimiter()) {
        _ if values.is_empty() => Vec::new(),
        (ArgAction::SetTrue, _) => vec![one(None)],
        (_, Some(delimiter)) => vec![one(Some(values.join(&delimiter.to_string())))],
        _ => values.into_iter().map(|value| one(Some(value))).collect(),
    }
}

/// The values of an argument, if it was given.
fn values(arg: &Arg, matches: &ArgMatches) -> Vec<String> {
    let id = arg.get_id().as_str();
    let is_given =
        matches.try_contains_id(id).is_ok() && matches.value_source(id) == Some(ValueSource::CommandLine);
    let text = |value: &OsStr| value.to_string_lossy().into_owned();
    if is_given { matches.get_raw(id).into_iter().flatten().map(text).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::super::Cli;
    use super::*;

    /// The flags of an invocation that a command repeats.
    fn repeated(args: &[&str], command: &str) -> Vec<String> {
        let mut whole = Cli::command();
        let matches = whole.try_get_matches_from_mut(args).expect("valid arguments");
        let mut typed = from_matches(&whole, &matches);
        typed.repeated.remove(command).unwrap_or_default().into_iter().map(|setting| setting.flag).collect()
    }

    #[test]
    fn each_flag_that_another_command_has_is_repeated() {
        let (mut checked, takes) = (0, |arg: &Arg| arg.get_action().takes_values());
        for from in Cli::command().get_subcommands() {
            for to in Cli::command().get_subcommands() {
                let has = |arg: &&Arg| to.get_arguments().any(|own| own.get_long() == arg.get_long());
                let flags = from.get_arguments().filter(|arg| !takes(arg)).filter(has);
                for flag in flags.filter_map(Arg::get_long).filter(|flag| !NOT_REPEATED.contains(flag)) {
                    let flag = format!("--{flag}");
                    let args = ["replaylint", from.get_name(), &flag, "x", "y"];
                    // Some take one path, or require another flag as well.
                    let Some(args) = [&args[..4], &args[..], &args[..3]]
                        .into_iter()
                        .find(|args| Cli::command().try_get_matches_from(*args).is_ok())
                    else {
                        continue;
                    };
                    assert!(repeated(args, to.get_name()).contains(&flag), "{args:?}, {}", to.get_name());
                    checked += 1;
                }
            }
        }
        assert!(checked > 50, "{checked}");
    }

    #[test]
    fn values_are_repeated_where_they_are_valid() {
        let args = ["replaylint", "check", "--isolated", "--as", "request", "--target", "azure", "-q", "a.json"];
        assert_eq!(repeated(&args, "fix"), ["--target", "--as", "--isolated"]);
        assert_eq!(repeated(&args, "explain"), ["--target", "--as", "--isolated"]);
        // The provider of a session to write is not that of the file.
        let args =
            ["replaylint", "convert", "--to", "codex-session", "--set-provider", "x", "--isolated", "a.json"];
        assert_eq!(repeated(&args, "fix"), ["--isolated"]);
    }
}
