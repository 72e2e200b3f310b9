//! What may be typed behind `slim`.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use crate::commands::fix::Destination;
use crate::commands::products::Copies;
use crate::commands::slim::Slimming;
use crate::commands::{self, Failure, Outcome};
use crate::options::{self, Misuse};
use crate::source::commit::Replace;

use super::{Common, existing};

#[derive(Args, Debug)]
#[command(
    after_help = "Logs in which each request repeats the one before grow with the square of their length: JSONL of \
                        requests, event streams with bodies, rollouts with compactions. What is repeated becomes a \
                        reference, {\"replaylint_ref\": …}, where and only where the same comes back from it; else \
                        the first difference is told and the body stays.\n\
                        `replaylint rebuild FILE --at N` prints one body, `slim --restore` puts all back.\n\
                        Exit codes: 0, 2 if the job could not be done."
)]
pub(super) struct SlimArgs {
    /// Write: each file is replaced in one step, the old one stays beside it as FILE.bak
    #[arg(short, long, conflicts_with = "output", group = "destination", help_heading = "Slim")]
    write: bool,
    /// Write the slimmed log to FILE
    #[arg(short = 'o', long, value_name = "FILE", group = "destination", help_heading = "Slim")]
    output: Option<PathBuf>,
    /// Put back what was taken out
    #[arg(long, help_heading = "Slim")]
    restore: bool,
    /// Keep no backup beside a file that is replaced
    #[arg(long, requires = "write", help_heading = "Slim")]
    no_backup: bool,
    /// Write even if the file changed meanwhile, may be in use, has several hard links or is a named pipe; with -o,
    /// replace a file that exists
    #[arg(long, requires = "destination", help_heading = "Slim")]
    force: bool,
    #[command(flatten)]
    common: Common,
}

impl SlimArgs {
    pub(super) fn run(mut self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let json = match std::mem::take(&mut self.common.output_format).first().map(String::as_str) {
            None | Some("text") => false,
            Some("json") => true,
            Some(form) => {
                return Err(options::unknown("form of what slim saves", form, vec!["text", "json"]).into());
            }
        };
        if self.common.pointer.is_some() {
            return Err(Misuse::new("slim looks for what formats repeat, not behind a pointer").into());
        }
        let to = match (self.write, self.output) {
            (true, _) => Destination::InPlace(Replace { backup: !self.no_backup, force: self.force }),
            (_, Some(to)) => Destination::Copy(Copies { to, existing: existing(self.force) }),
            _ => Destination::Preview,
        };
        let run = self.common.mean(None)?;
        commands::slim::slim(&run, &Slimming { to, restore: self.restore, json }, out)
    }
}
