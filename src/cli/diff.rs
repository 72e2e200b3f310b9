//! Arguments of `diff`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::commands::diff::DiffDetail;
use crate::commands::{self, Failure, Outcome};
use crate::diff::compare::DiffScope;

use super::common::{
    ConfigFileArgs, ExitCodeArgs, InputArgs, ParsedArgs, PrivacyArgs, ReadingArgs, ReportArgs, ScreenArgs,
    VerbosityArgs,
};

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
    /// Print one line per conversation: how many items and settings differ
    #[arg(long, help_heading = "Output", conflicts_with = "output_format")]
    stat: bool,
    /// Output format: text, concise (one line per change), json or html; html=FILE writes to FILE
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

/// Checks the name of an output of `diff`.
fn parse_diff_output(form: &str) -> Result<String, String> {
    match form.split_once('=').map_or(form, |(name, _)| name) {
        "html" => Ok(form.to_owned()),
        "text" | "concise" | "json" if !form.contains('=') => Ok(form.to_owned()),
        _ => Err("expected text, concise, json, html or html=FILE".to_owned()),
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
        let detail = if self.stat { DiffDetail::Stat } else { DiffDetail::Changes };
        commands::diff::diff(&run, scope, detail, out)
    }
}
