//! Arguments of `convert` and `diff`.

use std::io::Write;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};

use crate::commands::convert::{Conversion, DenyLoss};
use crate::commands::run::products::Copies;
use crate::commands::{self, Failure, Outcome};
use crate::convert::{ALIASES, TO, Thoughts};
use crate::diff::compare::Scope;
use crate::options;

use super::carry::{CarryArgs, sessions};
use super::common::{
    Common, ConfigFile, Files, Findings, Leniency, Loudness, Privacy, Reading, Screen, Typed, existing, file_of,
};

#[derive(Args, Debug)]
#[command(
    next_help_heading = "Conversion",
    after_help = "Examples:\n  replaylint convert --to chat session.jsonl\n  replaylint convert --to anthropic --deny-loss -o out/ logs/\n\n\
                  Losses are reported on standard error. Exit codes: 0 converted, 1 not everything could be converted \
                  (or --deny-loss), 2 the job could not be done."
)]
pub(super) struct ConvertArgs {
    /// What to write (responses-items: one item per line)
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    to: String,
    /// What to do with reasoning
    #[arg(long, value_enum, default_value = "auto", value_name = "HOW")]
    reasoning: ThoughtsArg,
    /// Write nothing if something would be lost, exit with 1
    #[arg(long, value_enum, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "file")]
    deny_loss: Option<DenyArg>,
    /// Write to FILE, or one file each to DIR/
    #[arg(short = 'o', long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "output")]
    force: bool,
    #[command(flatten)]
    carry: CarryArgs,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
#[command(
    override_usage = "replaylint diff [OPTIONS] <A> <B>",
    after_help = "Examples:\n  replaylint diff before.jsonl after.jsonl\n  replaylint fix < h.json | replaylint diff h.json -\n\n\
                  Equivalent forms count as equal, such as a text and a list of one text part, or\n\
                  a member that is null or empty and one that is missing. An id renamed throughout\n\
                  is reported once. Settings of requests (model, tools, sampling) are compared as\n\
                  well. Histories are paired by the names a batch gives them, by choice, and by\n\
                  content.\n\n\
                  Exit codes: 0 the same, 1 different, 2 the job could not be done."
)]
pub(super) struct DiffArgs {
    /// Two files; `-` is standard input
    #[arg(value_names = ["A", "B"], num_args = 2)]
    paths: Vec<PathBuf>,
    /// Compare items and instructions, not settings
    #[arg(long, help_heading = "Comparison")]
    items_only: bool,
    /// Compare every branch of a session, not only the live one
    #[arg(long, help_heading = "Comparison")]
    all_branches: bool,
    #[command(flatten)]
    reading: Reading,
    /// Output format: text, json, html; html=FILE writes it to FILE
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = difference, help_heading = "Output")]
    output_format: String,
    #[command(flatten)]
    privacy: Privacy,
    #[command(flatten)]
    leniency: Leniency,
    #[command(flatten)]
    screen: Screen,
    /// Print differences only, no summary
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,
    #[command(flatten)]
    settings: ConfigFile,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum ThoughtsArg {
    /// Keep it where the model that reads it can use it
    Auto,
    /// Turn its readable part into text
    Text,
    /// Remove all of it
    Drop,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum DenyArg {
    /// Write nothing for a file that would lose something
    File,
    /// Leave out only the records that would lose something
    Record,
}

/// The formats that can be written, by all their names.
fn formats() -> PossibleValuesParser {
    let aliases =
        |name: &str| ALIASES.into_iter().filter(move |(_, of)| *of == name).map(|(alias, _)| alias).collect();
    let value = |name: &'static str| {
        let aliases: Vec<&'static str> = aliases(name);
        PossibleValue::new(name).aliases(aliases)
    };
    let requests = TO.iter().map(|(name, ..)| value(name));
    PossibleValuesParser::new(requests.chain(sessions().map(PossibleValue::new)).collect::<Vec<_>>())
}

impl ConvertArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let meant = ALIASES.iter().find(|(alias, _)| *alias == self.to).map_or(&*self.to, |(_, name)| *name);
        if self.to == "openai" {
            commands::talk("openai: writing requests of the Responses API; --to chat writes Chat Completions");
        }
        let carry_output = self.carry.meant(meant)?;
        // What is lifted for a session has the dialect that sessions of most agents are kept in.
        let meant = if carry_output.is_some() { "anthropic" } else { meant };
        let known = TO.iter().find(|(name, ..)| *name == meant);
        let (_, to, written) = known.copied().ok_or_else(|| {
            options::unknown("format to convert to", &self.to, TO.iter().map(|(name, ..)| *name).collect())
        })?;
        let thoughts = match self.reasoning {
            ThoughtsArg::Auto => Thoughts::Auto,
            ThoughtsArg::Text => Thoughts::Text,
            ThoughtsArg::Drop => Thoughts::Drop,
        };
        let output = file_of(self.output).map(|to| Copies { to, existing: existing(self.force) });
        let deny_loss = self.deny_loss.map(|deny| match deny {
            DenyArg::File => DenyLoss::File,
            DenyArg::Record => DenyLoss::Record,
        });
        let conversion = Conversion { to, written, thoughts, deny_loss, output, carry_output };
        let run = self.common.typed().mean(None)?;
        match &conversion.carry_output {
            Some(carry_output) => commands::carry::carry(&run, &conversion, carry_output, out),
            None => commands::convert::convert(&run, &conversion, out),
        }
    }
}

/// Names of the outputs of `diff`.
fn difference(form: &str) -> Result<String, String> {
    match form.split_once('=').map_or(form, |(name, _)| name) {
        "html" => Ok(form.to_owned()),
        "text" | "json" if !form.contains('=') => Ok(form.to_owned()),
        _ => Err("text, json, html or html=FILE was expected".to_owned()),
    }
}

impl DiffArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let typed = Typed {
            files: Files { paths: self.paths, ..Files::default() },
            reading: self.reading,
            findings: Findings { output_format: vec![self.output_format], ..Findings::default() },
            privacy: self.privacy,
            leniency: self.leniency,
            screen: self.screen,
            loudness: Loudness { quiet: self.quiet, verbose: false },
            settings: self.settings,
            all_branches: self.all_branches,
            ..Typed::default()
        };
        let run = typed.mean(None)?;
        let scope = if self.items_only { Scope::Items } else { Scope::All };
        commands::diff::diff(&run, scope, out)
    }
}
