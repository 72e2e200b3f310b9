//! Arguments of `convert` and `diff`.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};

use crate::commands::convert::{Conversion, DenyLoss};
use crate::commands::run::products::OutputPath;
use crate::commands::{self, Failure, Outcome};
use crate::convert::{CONVERT_DIALECTS, DIALECT_ALIASES, ReasoningMode, ServerTools};
use crate::diff::compare::DiffScope;
use crate::options;

use super::carry::{CarryArgs, session_names};
use super::common::{
    CommonArgs, ConfigFileArgs, ExitCodeArgs, InputArgs, ParsedArgs, PrivacyArgs, ReadingArgs, ReportArgs,
    ScreenArgs, VerbosityArgs, existing_file, file_path,
};

#[derive(Args, Debug)]
#[command(
    next_help_heading = "Conversion",
    after_help = "Examples:\n  replaylint convert --to chat session.jsonl\n  replaylint convert --to anthropic --deny-loss -o out/ logs/\n\n\
                  Losses are reported on standard error with the source location.\n\n\
                  Exit codes: 0 success, 1 something could not be converted (or was lost, with --deny-loss), 2 usage or \
                  I/O error."
)]
pub(super) struct ConvertArgs {
    /// Format to write (responses-items: one item per line)
    #[arg(long, value_name = "FORMAT", value_parser = format_names())]
    to: String,
    /// How to treat reasoning
    #[arg(long, value_enum, default_value = "auto", value_name = "HOW")]
    reasoning: ReasoningModeArg,
    /// How to treat calls that the server ran, where the target has no such items
    #[arg(long, value_enum, default_value = "drop", value_name = "HOW", hide_short_help = true)]
    server_tools: ServerToolsArg,
    /// Write nothing and exit with 1 if something would be lost
    #[arg(long, value_enum, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "file")]
    deny_loss: Option<DenyLossArg>,
    /// Write to FILE, or a file per conversation in DIR/
    #[arg(short = 'o', long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print each change on a line: old, new, and why
    #[arg(long, conflicts_with = "quiet")]
    explain: bool,
    /// Overwrite an existing file
    #[arg(long, requires = "output")]
    force: bool,
    #[command(flatten)]
    carry: CarryArgs,
    #[command(flatten)]
    common: CommonArgs,
}

#[derive(Args, Debug)]
#[command(
    override_usage = "replaylint diff [OPTIONS] <A> <B>",
    after_help = "Examples:\n  replaylint diff before.jsonl after.jsonl\n  replaylint fix < h.json | replaylint diff h.json -\n\n\
                  Equivalent forms count as equal, such as a string and a list of one text part, or a null member and a \
                  missing one. An id that is renamed throughout is reported once. Request settings (model, tools, \
                  sampling) are compared, too. Conversations are paired by their names in a batch, by choice, and by \
                  content.\n\n\
                  Exit codes: 0 same, 1 different, 2 usage or I/O error."
)]
pub(super) struct DiffArgs {
    /// Files to compare; `-` reads standard input
    #[arg(value_names = ["A", "B"], num_args = 2)]
    paths: Vec<PathBuf>,
    /// Compare only items and instructions, not settings
    #[arg(long, help_heading = "Comparison")]
    items_only: bool,
    /// Compare every branch of a session, not just the current one
    #[arg(long, help_heading = "Comparison")]
    all_branches: bool,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Output format: text, json or html; html=FILE writes to FILE
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = parse_diff_output, help_heading = "Output")]
    output_format: String,
    #[command(flatten)]
    privacy: PrivacyArgs,
    #[command(flatten)]
    leniency: ExitCodeArgs,
    #[command(flatten)]
    screen: ScreenArgs,
    /// Print only differences, no summary
    #[arg(short, long, help_heading = "Output")]
    quiet: bool,
    #[command(flatten)]
    settings: ConfigFileArgs,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum ReasoningModeArg {
    /// Keep it where the target model can use it
    Auto,
    /// Convert its readable part to text
    Text,
    /// Remove all of it
    Drop,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum ServerToolsArg {
    /// Leave them out
    Drop,
    /// Write what they were asked and returned as text
    Text,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum DenyLossArg {
    /// Write nothing for a file with losses
    File,
    /// Leave out only the conversations with losses
    Record,
}

/// The formats that can be written, with their aliases.
fn format_names() -> PossibleValuesParser {
    let aliases = |name: &str| {
        DIALECT_ALIASES.into_iter().filter(move |(_, of)| *of == name).map(|(alias, _)| alias).collect()
    };
    let value = |name: &'static str| {
        let aliases: Vec<&'static str> = aliases(name);
        let value = PossibleValue::new(name);
        let value = if aliases.is_empty() { value } else { value.help(format!("also {}", aliases.join(", "))) };
        value.aliases(aliases)
    };
    let requests = CONVERT_DIALECTS.iter().map(|(name, ..)| value(name));
    PossibleValuesParser::new(requests.chain(session_names().map(PossibleValue::new)).collect::<Vec<_>>())
}

impl ConvertArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let meant =
            DIALECT_ALIASES.iter().find(|(alias, _)| *alias == self.to).map_or(&*self.to, |(_, name)| *name);
        if self.to == "openai" {
            commands::print_note("openai: writing Responses API requests (--to chat writes Chat Completions)");
        }
        let carry_output = self.carry.resolve(meant)?;
        // A session is read in the dialect that most agents store.
        let meant = if carry_output.is_some() { "anthropic" } else { meant };
        let known = CONVERT_DIALECTS.iter().find(|(name, ..)| *name == meant);
        let (_, to, shape) = known.copied().ok_or_else(|| {
            options::unknown_name(
                "conversion format",
                &self.to,
                CONVERT_DIALECTS.iter().map(|(name, ..)| *name).collect(),
            )
        })?;
        let reasoning = match self.reasoning {
            ReasoningModeArg::Auto => ReasoningMode::Auto,
            ReasoningModeArg::Text => ReasoningMode::Text,
            ReasoningModeArg::Drop => ReasoningMode::Drop,
        };
        let server_tools = match self.server_tools {
            ServerToolsArg::Drop => ServerTools::Drop,
            ServerToolsArg::Text => ServerTools::Text,
        };
        let output = file_path(self.output).map(|to| OutputPath { to, existing: existing_file(self.force) });
        let deny_loss = self.deny_loss.map(|deny| match deny {
            DenyLossArg::File => DenyLoss::File,
            DenyLossArg::Record => DenyLoss::Record,
        });
        let conversion = Conversion { to, shape, reasoning, server_tools, deny_loss, output, carry_output };
        let mut typed = self.common.parsed();
        // What was lost fits on a line each; with `--explain`, so does what only changed its form.
        if typed.findings.output_format.is_empty() && (self.explain || io::stderr().is_terminal()) {
            typed.findings.output_format.push("concise".to_owned());
        }
        typed.loudness.verbose |= self.explain;
        let run = typed.resolve(None)?;
        match &conversion.carry_output {
            Some(carry_output) => commands::carry::carry(&run, &conversion, carry_output, out),
            None => commands::convert::convert(&run, &conversion, out),
        }
    }
}

/// Checks the name of an output of `diff`.
fn parse_diff_output(form: &str) -> Result<String, String> {
    match form.split_once('=').map_or(form, |(name, _)| name) {
        "html" => Ok(form.to_owned()),
        "text" | "json" if !form.contains('=') => Ok(form.to_owned()),
        _ => Err("expected text, json, html or html=FILE".to_owned()),
    }
}

impl DiffArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let typed = ParsedArgs {
            files: InputArgs { paths: self.paths, ..InputArgs::default() },
            reading: self.reading,
            findings: ReportArgs { output_format: vec![self.output_format], ..ReportArgs::default() },
            privacy: self.privacy,
            leniency: self.leniency,
            screen: self.screen,
            loudness: VerbosityArgs { quiet: self.quiet, verbose: false },
            settings: self.settings,
            all_branches: self.all_branches,
            ..ParsedArgs::default()
        };
        let run = typed.resolve(None)?;
        let scope = if self.items_only { DiffScope::Items } else { DiffScope::All };
        commands::diff::diff(&run, scope, out)
    }
}
