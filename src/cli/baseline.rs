//! Arguments of `baseline`.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::commands::{self, Failure, Outcome};

use super::common::Common;

#[derive(Args, Debug)]
#[command(
    after_help = "A baseline lists findings that are known. `replaylint check --baseline FILE` reports and fails on new ones \
                  only.\n\n\
                  Examples:\n  replaylint baseline write transcripts/\n  replaylint baseline check transcripts/\n  replaylint baseline prune transcripts/\n\n\
                  Exit codes: 0, 1 for check if a finding is new or gone, 2 if the job could not be done."
)]
pub(super) struct BaselineArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Write all findings to the baseline
    Write(FileArgs),
    /// Report findings that are not in the baseline, and entries that are no longer found
    Check(FileArgs),
    /// Remove entries that are no longer found
    Prune(FileArgs),
}

#[derive(Args, Debug)]
struct FileArgs {
    /// The baseline
    #[arg(long, value_name = "FILE", default_value = commands::baseline::BASELINE, help_heading = "Baseline")]
    baseline: PathBuf,
    #[command(flatten)]
    common: Common,
}

impl BaselineArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let (What::Write(args) | What::Check(args) | What::Prune(args)) = &self.what;
        let path = args.baseline.clone();
        match self.what {
            What::Write(args) => commands::baseline::write(args.common.typed().mean(None)?, &path, out),
            What::Check(args) => commands::baseline::check(&args.common.typed().mean(None)?, &path, out),
            What::Prune(args) => commands::baseline::prune(args.common.typed().mean(None)?, &path, out),
        }
    }
}
