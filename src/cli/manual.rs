//! Completion scripts and man pages: the command line, described for shells and for `man`.

use std::io::Write;

use clap::builder::PossibleValue;
use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;

use crate::commands::{Failure, Outcome};
use crate::formats::FORMATS;
use crate::options::UsageError;
use crate::report::OUTPUTS;
use crate::rules::RULES;
use crate::targets::{TARGETS, aliases};

use super::Cli;

type NameList = fn() -> Vec<PossibleValue>;

/// Arguments whose values are names from a table, for completion. The parser accepts any text for them, so that the
/// program can suggest a name for a mistyped one.
static COMPLETED_ARGS: [(&str, NameList); 6] = [
    ("target", targets),
    ("format", formats),
    ("output_format", outputs),
    ("select", rules),
    ("ignore", rules),
    ("proven", rules),
];

fn targets() -> Vec<PossibleValue> {
    let value = |name: &'static str| PossibleValue::new(name).aliases(aliases(name).collect::<Vec<_>>());
    TARGETS.iter().map(|target| value(target.name).help(target.title)).collect()
}

fn formats() -> Vec<PossibleValue> {
    let mut infos: Vec<_> = FORMATS.iter().map(|format| format.info()).collect();
    // A format with two kinds of files has two rows.
    infos.dedup_by_key(|info| info.name);
    infos.iter().map(|info| PossibleValue::new(info.name).help(info.title)).collect()
}

fn outputs() -> Vec<PossibleValue> {
    OUTPUTS.iter().map(|(name, _)| PossibleValue::new(*name)).collect()
}

fn rules() -> Vec<PossibleValue> {
    // The parser requires static names; the program ends after printing the script.
    RULES.iter().map(|rule| PossibleValue::new(&*rule.code.to_string().leak()).help(rule.name)).collect()
}

fn with_names(arg: Arg) -> Arg {
    let named = COMPLETED_ARGS.iter().find(|(id, _)| *id == arg.get_id().as_str());
    match named.filter(|_| arg.get_possible_values().is_empty()) {
        Some((_, names)) => arg.value_parser(clap::builder::PossibleValuesParser::new(names())),
        None => arg,
    }
}

/// Prints the completion script of a shell.
pub(super) fn completions(shell: Shell, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let mut command = Cli::command().mut_subcommands(|command| command.mut_args(with_names));
    // The generator expects that writing cannot fail.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "replaylint", &mut script);
    out.write_all(&script)?;
    Ok(Outcome::Clean)
}

/// Prints the man page of the program, or of one of its commands.
pub(super) fn man(name: Option<&str>, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let mut whole: Command = Cli::command();
    whole.build();
    let page = match name {
        Some(name) => whole.find_subcommand(name).cloned(),
        None => Some(whole),
    };
    let page = page.ok_or_else(|| UsageError::new("unknown command; `replaylint --help` lists the commands"))?;
    clap_mangen::Man::new(page).render(out)?;
    Ok(Outcome::Clean)
}
