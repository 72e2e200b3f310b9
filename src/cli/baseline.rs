//! Arguments of `baseline`.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::commands::{self, Failure, Outcome};

use super::common::CommonArgs;

#[derive(Args, Debug)]
#[command(
    after_help = "A baseline lists known findings; `replaylint check --baseline FILE` reports only new ones.\n\n\
                  Examples:\n  replaylint baseline write transcripts/\n  replaylint baseline check transcripts/\n  replaylint baseline prune transcripts/\n\n\
                  Exit codes: 0 success, 1 new or stale findings (`baseline check`), 2 usage or I/O error."
)]
pub(super) struct BaselineArgs {
    #[command(subcommand)]
    command: BaselineCommand,
}

#[derive(Subcommand, Debug)]
enum BaselineCommand {
    /// Write all current findings to the baseline
    Write(FileArgs),
    /// Report new findings and stale entries
    Check(FileArgs),
    /// Remove stale entries
    Prune(FileArgs),
}

#[derive(Args, Debug)]
struct FileArgs {
    /// Baseline file
    #[arg(long, value_name = "FILE", default_value = commands::baseline::BASELINE, help_heading = "Baseline")]
    baseline: PathBuf,
    #[command(flatten)]
    common: CommonArgs,
}

impl BaselineArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let (BaselineCommand::Write(args) | BaselineCommand::Check(args) | BaselineCommand::Prune(args)) =
            &self.command;
        let path = args.baseline.clone();
        match self.command {
            BaselineCommand::Write(args) => {
                commands::baseline::write(args.common.parsed().resolve(None)?, &path, out)
            }
            BaselineCommand::Check(args) => {
                commands::baseline::check(&args.common.parsed().resolve(None)?, &path, out)
            }
            BaselineCommand::Prune(args) => {
                commands::baseline::prune(args.common.parsed().resolve(None)?, &path, out)
            }
        }
    }
}
