//! Arguments of `convert`.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};

use crate::commands::convert::{Conversion, DenyLoss};
use crate::commands::run::products::OutputPath;
use crate::commands::{self, Failure, Outcome};
use crate::convert::{CONVERT_DIALECTS, DIALECT_ALIASES, ReasoningMode, ServerTools};
use crate::options;

use super::carry::{CarryArgs, session_names};
use super::common::{CommonArgs, existing_file, file_path};

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
