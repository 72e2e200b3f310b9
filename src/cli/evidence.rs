//! Arguments of `evidence`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::commands::{self, Failure, Outcome};
use crate::source::recordings::EXTENSIONS;

use super::common::{ConfigFileArgs, InputArgs, ParsedArgs, ReportArgs, ScreenArgs, ThreadArgs, VerbosityArgs};
use super::judging::TargetArgs;
use super::text_or_json::TextOrJson;

#[derive(Args, Debug)]
#[command(
    after_help = "Reads cassettes of VCR (vcrpy, pytest-recording, Ruby; YAML or JSON) and HTTP archives (HAR), and judges \
                  each request for the API and the model that it was sent to. Config files do not apply. The output \
                  contains counts, codes of rules, and names of targets and models, but nothing of the conversations.\n\n\
                  Examples:\n  replaylint evidence tests/cassettes/\n  \
                  replaylint evidence --output-format json session.har\n\n\
                  Exit codes: 0 no differences, 1 an accepted request has an error or the reason for a refusal is not \
                  found, 2 usage or I/O error."
)]
pub(super) struct EvidenceArgs {
    /// Files and folders; `-`, or no path with piped input, reads standard input
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// API behind hosts that are not known (see `replaylint targets`)
    #[arg(long, value_name = "NAME", help_heading = "Target")]
    target: Option<String>,
    /// Skip files in folders that match GLOB
    #[arg(long, value_name = "GLOB", help_heading = "Input", hide_short_help = true)]
    exclude: Vec<String>,
    /// File extensions to read in folders [default: yaml,yml,json,har, each also with .gz and .zst]
    #[arg(
        long,
        value_name = "EXTENSION",
        value_delimiter = ',',
        default_values = EXTENSIONS,
        hide_default_value = true,
        help_heading = "Input",
        hide_short_help = true
    )]
    ext: Vec<String>,
    /// Also read files excluded by .gitignore and .ignore, and .git and node_modules
    #[arg(long, help_heading = "Input", hide_short_help = true)]
    no_ignore: bool,
    /// Report format
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text", help_heading = "Output")]
    output_format: TextOrJson,
    #[command(flatten)]
    screen: ScreenArgs,
    #[command(flatten)]
    loudness: VerbosityArgs,
    #[command(flatten)]
    threads: ThreadArgs,
}

impl EvidenceArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let json = self.output_format == TextOrJson::Json;
        let parsed = ParsedArgs {
            files: InputArgs {
                paths: self.paths,
                exclude: self.exclude,
                ext: self.ext,
                no_ignore: self.no_ignore,
                ..InputArgs::default()
            },
            server: TargetArgs { target: self.target, ..TargetArgs::default() },
            findings: ReportArgs { output_format: vec!["text".to_owned()], ..ReportArgs::default() },
            screen: self.screen,
            loudness: self.loudness,
            settings: ConfigFileArgs { config: None, isolated: true },
            threads: self.threads,
            ..ParsedArgs::default()
        };
        commands::evidence::evidence(&parsed.resolve(None)?, json, out)
    }
}
