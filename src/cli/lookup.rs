//! Arguments of the commands that look something up: `explain`, `rules`, `formats`, `targets`.

use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::commands::explain::{self, PastedError, PrintOptions};
use crate::commands::{Failure, Outcome, tables};
use crate::options::{FileOptions, LintSettings, UsageError, WalkOptions};
use crate::report::words::to_printable;
use crate::report::{ContentDisplay, mask};

use super::common::{ColorArg, ConfigFileArgs, reveals_content};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  replaylint explain RL101\n  pbpaste | replaylint explain --error - session.jsonl\n\n\
                        Exit codes: 0 success, 1 unknown error message, 2 unknown rule, usage or I/O error."
)]
pub(super) struct ExplainArgs {
    /// Rule code or name; with --error, the file that was sent
    #[arg(value_name = "CODE|FILE")]
    subject: Option<String>,
    /// API error to explain: text, JSON body, log line or stack trace (`-` reads standard input)
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    error: Option<String>,
    #[command(flatten)]
    file_args: ErrorFileArgs,
    /// Show content even without a terminal
    #[arg(long, help_heading = "Output")]
    show_content: bool,
    #[command(flatten)]
    print: PrintArgs,
}

/// Options for reading and judging FILE.
#[derive(Args, Debug)]
#[command(next_help_heading = "With --error and FILE")]
struct ErrorFileArgs {
    /// Stored format (see `replaylint formats`) [default: detected]
    #[arg(long, value_name = "NAME", requires = "error")]
    format: Option<String>,
    /// API it was sent to (see `replaylint targets`)
    #[arg(long, value_name = "NAME", requires = "error")]
    target: Option<String>,
    /// Whether the server stores items, if the file does not specify it
    #[arg(long, value_name = "BOOL", requires = "error")]
    store: Option<bool>,
    /// Treat the input as a request or as a log
    #[arg(long = "as", value_name = "KIND", requires = "error", value_parser = ["request", "log"])]
    usage: Option<String>,
    /// Model, if the file does not specify it
    #[arg(long, value_name = "NAME", requires = "error")]
    model: Option<String>,
    /// Version of the agent that sent the session, if it is not the one that wrote it
    #[arg(long, value_name = "VERSION", requires = "error")]
    agent_version: Option<String>,
    /// JSON Pointer to the conversation in each record
    #[arg(long, value_name = "POINTER", requires = "error")]
    pointer: Option<String>,
    #[command(flatten)]
    settings: ConfigFileArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  replaylint rules\n  replaylint rules --target azure --output-format json")]
pub(super) struct RulesArgs {
    /// Show the severities of this target (see `replaylint targets`)
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  replaylint formats\n  replaylint formats --output-format json")]
pub(super) struct FormatsArgs {
    #[command(flatten)]
    print: PrintArgs,
}

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  replaylint targets\n  replaylint targets nim\n  replaylint targets --output-format json"
)]
pub(super) struct TargetsArgs {
    /// Show what this target accepts and rejects
    name: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  replaylint agents\n  replaylint agents --output-format json")]
pub(super) struct AgentsArgs {
    #[command(flatten)]
    print: PrintArgs,
}

#[derive(Args, Debug)]
pub(super) struct PrintArgs {
    /// Output format
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", help_heading = "Output")]
    output_format: PrintFormat,
    /// When to use colors
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", help_heading = "Output")]
    color: ColorArg,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum PrintFormat {
    Text,
    Json,
}

impl PrintArgs {
    pub(super) fn resolve(&self) -> PrintOptions {
        PrintOptions { json: self.output_format == PrintFormat::Json, style: self.color.style() }
    }
}

impl ExplainArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let print_options = self.print.resolve();
        let Some(error) = self.error else {
            let usage = "`replaylint explain RL101`, or `replaylint explain --error TEXT [FILE]`";
            let asked =
                self.subject.ok_or_else(|| UsageError::new("no rule or error message to explain").help(usage))?;
            return explain::explain_rule(&asked, &print_options, out);
        };
        let content = match self.show_content || io::stdout().is_terminal() {
            true => ContentDisplay::Shown,
            false => ContentDisplay::Masked,
        };
        mask::set_policy(mask::Policy {
            reveal: reveals_content(self.show_content, true),
            ..mask::Policy::default()
        });
        let path = self.subject.map(PathBuf::from);
        let lints = self.file_args.resolve(path.as_deref().unwrap_or(Path::new("-")))?;
        let pasted = PastedError { text: read_error_text(error)?, path, lints, content };
        explain::explain_error(&pasted, &print_options, out)
    }
}

/// The error itself, or the text of standard input for `-`.
fn read_error_text(error: String) -> Result<String, UsageError> {
    if error != "-" && Path::new(&error).is_file() {
        return Err(UsageError::new(format!("--error: '{}' is a file, not a message", to_printable(&error)))
            .help("`replaylint explain --error - < FILE` reads the message from a file"));
    }
    if error != "-" {
        return Ok(error);
    }
    let mut text = Vec::new();
    io::stdin().lock().read_to_end(&mut text).map_err(|error| UsageError::new(format!("-: {error}")))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

impl ErrorFileArgs {
    /// `path` is the file that was sent.
    fn resolve(self, path: &Path) -> Result<LintSettings, UsageError> {
        let lookup = self.settings.lookup();
        let about = FileOptions {
            format: self.format,
            target: self.target,
            store: self.store,
            usage: self.usage,
            model: self.model,
            agent_version: self.agent_version,
            pointer: self.pointer,
            ..FileOptions::default()
        };
        let lints = LintSettings::new(about, WalkOptions::default(), lookup)?;
        lints.load(path)?;
        Ok(lints)
    }
}

impl RulesArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        tables::rules(self.target.as_deref(), &self.print.resolve(), out)
    }
}

impl FormatsArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        tables::formats(&self.print.resolve(), out)
    }
}

impl AgentsArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        tables::agents(&self.print.resolve(), out)
    }
}

impl TargetsArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        tables::targets(self.name.as_deref(), &self.print.resolve(), out)
    }
}
