//! Arguments of the commands that look something up: `explain`, `rules`, `formats`, `targets`.

use std::io::{self, IsTerminal, Read, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::commands::explain::{self, Pasted, Telling};
use crate::commands::{Failure, Outcome, tables};
use crate::options::{About, Config, Lints, Misuse};
use crate::report::Content;

use super::ColorArg;

#[derive(Args, Debug)]
pub(super) struct ExplainArgs {
    /// A rule, by code or name; with --error the FILE that was sent
    #[arg(value_name = "CODE|FILE")]
    what: Option<String>,
    /// What the API said: text, a JSON body, a line of a log, a stack trace; `-` reads standard input
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    error: Option<String>,
    #[command(flatten)]
    judge: JudgeArgs,
    /// Show the content of items even where it is not a terminal that reads
    #[arg(long)]
    show_content: bool,
    #[command(flatten)]
    telling: TellingArgs,
}

/// How FILE is read and judged.
#[derive(Args, Debug)]
#[command(next_help_heading = "Judgement of FILE")]
struct JudgeArgs {
    /// The stored format, instead of detecting it
    #[arg(long, value_name = "NAME", requires = "error")]
    format: Option<String>,
    /// The API that it was replayed to
    #[arg(long, value_name = "NAME", requires = "error")]
    target: Option<String>,
    /// Whether the server stores items
    #[arg(long, value_name = "BOOL", requires = "error")]
    store: Option<bool>,
    /// Judge as a request, or as a log: request, log
    #[arg(long = "as", value_name = "USE", requires = "error")]
    usage: Option<String>,
    /// The model, where the file does not name it
    #[arg(long, value_name = "NAME", requires = "error")]
    model: Option<String>,
    /// The conversation lies at this JSON Pointer, in each record
    #[arg(long, value_name = "POINTER", requires = "error")]
    pointer: Option<String>,
    /// Use this config file
    #[arg(long, value_name = "FILE", conflicts_with = "isolated")]
    config: Option<PathBuf>,
    /// Use no config file
    #[arg(long)]
    isolated: bool,
}

#[derive(Args, Debug)]
pub(super) struct RulesArgs {
    /// As the rules weigh at this target
    #[arg(long, value_name = "NAME")]
    target: Option<String>,
    #[command(flatten)]
    telling: TellingArgs,
}

#[derive(Args, Debug)]
pub(super) struct TellingArgs {
    /// Form of the output
    #[arg(long, value_enum, default_value = "text", value_name = "FORM")]
    output_format: Form,
    /// Colour
    #[arg(long, value_enum, default_value = "auto", value_name = "WHEN")]
    color: ColorArg,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Text,
    Json,
}

impl TellingArgs {
    fn mean(&self) -> Telling {
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
        let lints = self.judge.mean()?;
        let pasted = Pasted { text: pasted(error)?, path: self.what.map(PathBuf::from), lints, content };
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
    fn mean(self) -> Result<Lints, Misuse> {
        let config = Config::find(self.config.as_deref(), self.isolated)?;
        let about = About {
            format: self.format,
            target: self.target,
            store: self.store,
            usage: self.usage,
            model: self.model,
            pointer: self.pointer,
            ..About::default()
        };
        Lints::new(&about, &config)
    }
}

impl RulesArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        tables::rules(self.target.as_deref(), &self.telling.mean(), out)
    }
}

impl TellingArgs {
    pub(super) fn formats(&self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        tables::formats(&self.mean(), out)
    }

    pub(super) fn targets(&self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        tables::targets(&self.mean(), out)
    }
}
