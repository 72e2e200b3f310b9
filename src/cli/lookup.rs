//! Arguments of the commands that look something up: `explain`, `rules`, `formats`, `targets`.

use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::commands::explain::{self, Pasted, Telling};
use crate::commands::{Failure, Outcome, tables};
use crate::options::{FileOptions, Lints, Misuse, Walking};
use crate::report::{Content, mask};

use super::common::{ColorArg, ConfigFile, reveals};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  replaylint explain RL101\n  pbpaste | replaylint explain --error - session.jsonl\n\n\
                        Exit codes: 0 explained, 1 the error is not known, 2 there is no such rule."
)]
pub(super) struct ExplainArgs {
    /// A rule, by code or name; with --error the FILE that was sent
    #[arg(value_name = "CODE|FILE")]
    what: Option<String>,
    /// What the API said: text, a JSON body, a log line, a stack trace; `-` reads standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    error: Option<String>,
    #[command(flatten)]
    judge: JudgeArgs,
    /// Show content even if the output is not a terminal
    #[arg(long, help_heading = "Output")]
    show_content: bool,
    #[command(flatten)]
    telling: TellingArgs,
}

/// How FILE is read and judged.
#[derive(Args, Debug)]
#[command(next_help_heading = "With --error and FILE")]
struct JudgeArgs {
    /// Stored format (see `replaylint formats`) [default: detected]
    #[arg(long, value_name = "NAME", requires = "error")]
    format: Option<String>,
    /// API that it was sent to (see `replaylint targets`)
    #[arg(long, value_name = "NAME", requires = "error")]
    target: Option<String>,
    /// Whether the server stores items, if the file does not say
    #[arg(long, value_name = "BOOL", requires = "error")]
    store: Option<bool>,
    /// Treat the input as a request or as a log
    #[arg(long = "as", value_name = "KIND", requires = "error", value_parser = ["request", "log"])]
    usage: Option<String>,
    /// Model, if the file does not name it
    #[arg(long, value_name = "NAME", requires = "error")]
    model: Option<String>,
    /// JSON Pointer to the conversation, in each record
    #[arg(long, value_name = "POINTER", requires = "error")]
    pointer: Option<String>,
    #[command(flatten)]
    settings: ConfigFile,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  replaylint rules\n  replaylint rules --target azure --output-format json")]
pub(super) struct RulesArgs {
    /// Show the severities of this target (see `replaylint targets`)
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
    #[command(flatten)]
    telling: TellingArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  replaylint formats\n  replaylint formats --output-format json")]
pub(super) struct FormatsArgs {
    #[command(flatten)]
    telling: TellingArgs,
}

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  replaylint targets\n  replaylint targets --output-format json")]
pub(super) struct TargetsArgs {
    #[command(flatten)]
    telling: TellingArgs,
}

#[derive(Args, Debug)]
pub(super) struct TellingArgs {
    /// Output format
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", help_heading = "Output")]
    output_format: Form,
    /// When to use colors
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN", help_heading = "Output")]
    color: ColorArg,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Text,
    Json,
}

impl TellingArgs {
    pub(super) fn mean(&self) -> Telling {
        Telling { json: self.output_format == Form::Json, style: self.color.style() }
    }
}

impl ExplainArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let telling = self.telling.mean();
        let Some(error) = self.error else {
            let usage = "`replaylint explain RL101`, or `replaylint explain --error TEXT [FILE]`";
            let asked = self.what.ok_or_else(|| Misuse::new("explain what?").help(usage))?;
            return explain::page(&asked, &telling, out);
        };
        let content = match self.show_content || io::stdout().is_terminal() {
            true => Content::Shown,
            false => Content::Masked,
        };
        mask::set(mask::Policy { reveal: reveals(self.show_content, true), ..mask::Policy::default() });
        let path = self.what.map(PathBuf::from);
        let lints = self.judge.mean(path.as_deref().unwrap_or(Path::new("-")))?;
        let pasted = Pasted { text: pasted(error)?, path, lints, content };
        explain::error(&pasted, &telling, out)
    }
}

/// The error itself, or what standard input holds.
fn pasted(error: String) -> Result<String, Misuse> {
    if error != "-" {
        return Ok(error);
    }
    let mut text = Vec::new();
    io::stdin().lock().read_to_end(&mut text).map_err(|error| Misuse::new(format!("-: {error}")))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

impl JudgeArgs {
    /// `path` is the file that was sent.
    fn mean(self, path: &Path) -> Result<Lints, Misuse> {
        let lookup = self.settings.lookup();
        let about = FileOptions {
            format: self.format,
            target: self.target,
            store: self.store,
            usage: self.usage,
            model: self.model,
            pointer: self.pointer,
            ..FileOptions::default()
        };
        let lints = Lints::new(about, Walking::default(), lookup)?;
        lints.load(path)?;
        Ok(lints)
    }
}

impl RulesArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        tables::rules(self.target.as_deref(), &self.telling.mean(), out)
    }
}

impl FormatsArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        tables::formats(&self.telling.mean(), out)
    }
}

impl TargetsArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        tables::targets(&self.telling.mean(), out)
    }
}
