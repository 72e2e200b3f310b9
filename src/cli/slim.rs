//! Arguments of `slim`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::commands::run::products::{Copies, Destination};
use crate::commands::slim::Slimming;
use crate::commands::{self, Failure, Outcome};
use crate::source::outputs::commit::Replace;

use super::common::{ConfigFile, Files, Loudness, Reading, Threads, Typed, existing};

#[derive(Args, Debug)]
#[command(
    next_help_heading = "Slim",
    after_help = "Logs in which each request repeats the previous one grow with the square of their length. A repeated part \
                  becomes a reference, {\"replaylint_ref\": …}, only where the reference gives the same content back; \
                  anything else stays, and the first difference is reported.\n\n\
                  Examples:\n  replaylint slim -w requests.jsonl\n  replaylint slim --restore slimmed.jsonl -o requests.jsonl\n\n\
                  Exit codes: 0 done, 2 the job could not be done."
)]
pub(super) struct SlimArgs {
    /// Replace each file, keeping the old one as FILE.bak
    #[arg(short, long, conflicts_with = "output", group = "destination")]
    write: bool,
    /// Write the slimmed log to FILE
    #[arg(short = 'o', long, value_name = "FILE", group = "destination")]
    output: Option<PathBuf>,
    /// Put everything back that was replaced by references
    #[arg(long)]
    restore: bool,
    /// Keep no backup of a file that is replaced
    #[arg(long, requires = "write")]
    no_backup: bool,
    /// Write even if the file has just changed, may be in use, has several hard links or is a named pipe; with -o,
    /// replace an existing file
    #[arg(long, requires = "destination")]
    force: bool,
    #[command(flatten)]
    files: Files,
    /// Stored format (see `replaylint formats`) [default: detected]
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    format: Option<String>,
    /// Do not read records larger than SIZE, e.g. 512M [default: 1G]
    #[arg(long, value_name = "SIZE", help_heading = "Input", hide_short_help = true)]
    max_record_size: Option<String>,
    /// Do not read compressed files that unpack to more than SIZE [default: 64G]
    #[arg(long, value_name = "SIZE", hide_short_help = true)]
    max_decompressed_size: Option<String>,
    /// Name to print for standard input
    #[arg(long, value_name = "NAME", help_heading = "Input", hide_short_help = true)]
    stdin_filename: Option<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = ["text", "json"], help_heading = "Output")]
    output_format: String,
    #[command(flatten)]
    loudness: Loudness,
    #[command(flatten)]
    settings: ConfigFile,
    #[command(flatten)]
    threads: Threads,
}

impl SlimArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let to = match (self.write, self.output) {
            (true, _) => {
                Destination::InPlace(Replace { backup: !self.no_backup, force: self.force, is_kept: true })
            }
            (_, Some(to)) if to.as_os_str() == "-" => Destination::Stream,
            (_, Some(to)) => Destination::Copy(Copies { to, existing: existing(self.force) }),
            _ => Destination::Preview,
        };
        let reading = Reading {
            format: self.format,
            max_record_size: self.max_record_size,
            max_decompressed_size: self.max_decompressed_size,
            stdin_filename: self.stdin_filename,
            ..Reading::default()
        };
        let typed = Typed {
            files: self.files,
            reading,
            loudness: self.loudness,
            settings: self.settings,
            threads: self.threads,
            ..Typed::default()
        };
        let run = typed.mean(None)?;
        let json = self.output_format == "json";
        commands::slim::slim(&run, &Slimming { to, restore: self.restore, json }, out)
    }
}
