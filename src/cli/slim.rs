//! Arguments of `slim`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::commands::run::products::{OutputMode, OutputPath};
use crate::commands::slim::SlimOptions;
use crate::commands::{self, Failure, Outcome};
use crate::source::outputs::backup::BackupPlace;
use crate::source::outputs::commit::ReplaceOptions;

use super::common::{
    ConfigFileArgs, InputArgs, ParsedArgs, ReadingArgs, ThreadArgs, VerbosityArgs, existing_file,
};

#[derive(Args, Debug)]
#[command(
    next_help_heading = "Slim",
    after_help = "A log in which each request repeats the previous one grows quadratically. Repeated parts are replaced with \
                  references, {\"replaylint_ref\": …}, if restoring them yields the same content; other parts are kept, \
                  and their first difference is reported.\n\n\
                  Examples:\n  replaylint slim -w requests.jsonl\n  replaylint slim --restore slimmed.jsonl -o requests.jsonl\n\n\
                  Exit codes: 0 success, 2 usage or I/O error."
)]
pub(super) struct SlimArgs {
    /// Replace each file, keeping backups as FILE.bak
    #[arg(short, long, conflicts_with = "output", group = "destination")]
    write: bool,
    /// Write the slimmed log to FILE
    #[arg(short = 'o', long, value_name = "FILE", group = "destination")]
    output: Option<PathBuf>,
    /// Replace references with the original content
    #[arg(long)]
    restore: bool,
    /// Do not keep backups
    #[arg(long, requires = "write")]
    no_backup: bool,
    /// Write even if the file was just modified, may be in use, has several hard links or is a named pipe; with -o,
    /// overwrite an existing file
    #[arg(long, requires = "destination")]
    force: bool,
    #[command(flatten)]
    files: InputArgs,
    /// Stored format (see `replaylint formats`) [default: detected]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    format: Option<String>,
    /// Do not read records larger than SIZE, e.g. 512M [default: 1G]
    #[arg(long, value_name = "SIZE", help_heading = "Input", hide_short_help = true)]
    max_record_size: Option<String>,
    /// Do not read compressed files that unpack to more than SIZE [default: 64G]
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    max_decompressed_size: Option<String>,
    /// File name to report for standard input
    #[arg(long, value_name = "NAME", help_heading = "Input", hide_short_help = true)]
    stdin_filename: Option<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"], help_heading = "Output")]
    output_format: String,
    #[command(flatten)]
    loudness: VerbosityArgs,
    #[command(flatten)]
    settings: ConfigFileArgs,
    #[command(flatten)]
    threads: ThreadArgs,
}

impl SlimArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let to = match (self.write, self.output) {
            (true, _) => OutputMode::InPlace(ReplaceOptions {
                backups: BackupPlace::by_flag(self.no_backup),
                force: self.force,
                is_live: true,
            }),
            (_, Some(to)) if to.as_os_str() == "-" => OutputMode::Stream,
            (_, Some(to)) => OutputMode::Copy(OutputPath { to, existing: existing_file(self.force) }),
            _ => OutputMode::Preview,
        };
        let reading = ReadingArgs {
            format: self.format,
            max_record_size: self.max_record_size,
            max_decompressed_size: self.max_decompressed_size,
            stdin_filename: self.stdin_filename,
            ..ReadingArgs::default()
        };
        let typed = ParsedArgs {
            files: self.files,
            reading,
            loudness: self.loudness,
            settings: self.settings,
            threads: self.threads,
            ..ParsedArgs::default()
        };
        let run = typed.resolve(None)?;
        let json = self.output_format == "json";
        commands::slim::slim(&run, &SlimOptions { to, restore: self.restore, json }, out)
    }
}
