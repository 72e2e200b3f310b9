//! Completion scripts and man pages: the command line, described for shells and for `man`.

use std::io::Write;

use clap::builder::PossibleValue;
use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;

use crate::commands::{Failure, Outcome};
use crate::formats::FORMATS;
use crate::options::Misuse;
use crate::report::OUTPUTS;
use crate::rules::RULES;
use crate::targets::TARGETS;

use super::Cli;

type Names = fn() -> Vec<PossibleValue>;

/// Arguments that take names of a table. The parser takes any text for them, and the program says what is meant where a
/// name is mistyped; a shell needs the names.
static NAMED: [(&str, Names); 6] = [
    ("target", targets),
    ("format", formats),
    ("output_format", outputs),
    ("select", rules),
    ("ignore", rules),
    ("proven", rules),
];

fn targets() -> Vec<PossibleValue> {
    TARGETS.iter().map(|target| PossibleValue::new(target.name).help(target.title)).collect()
}

fn formats() -> Vec<PossibleValue> {
    let mut infos: Vec<_> = FORMATS.iter().map(|format| format.info()).collect();
    // A format of two sorts of files has two rows.
    infos.dedup_by_key(|info| info.name);
    infos.iter().map(|info| PossibleValue::new(info.name).help(info.title)).collect()
}

fn outputs() -> Vec<PossibleValue> {
    OUTPUTS.iter().map(|(name, _)| PossibleValue::new(*name)).collect()
}

fn rules() -> Vec<PossibleValue> {
    // The parser wants names that live as long as the program, which ends with the script.
    RULES.iter().map(|rule| PossibleValue::new(&*rule.code.to_string().leak()).help(rule.name)).collect()
}

fn with_names(arg: Arg) -> Arg {
    let named = NAMED.iter().find(|(id, _)| *id == arg.get_id().as_str());
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
    let page = page.ok_or_else(|| Misuse::new("unknown command; `replaylint --help` lists them"))?;
    clap_mangen::Man::new(page).render(out)?;
    Ok(Outcome::Clean)
}
