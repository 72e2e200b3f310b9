//! What may be typed behind `convert` and `diff`.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::commands::convert::{Conversion, TO};
use crate::commands::products::Copies;
use crate::commands::{self, Failure, Outcome};
use crate::convert::Thoughts;
use crate::options;

use super::{Common, existing};

#[derive(Args, Debug)]
pub(super) struct ConvertArgs {
    /// What to write: responses, responses-items (one item a line), chat, anthropic, gemini, bedrock
    #[arg(long, value_name = "NAME", help_heading = "Conversion")]
    to: String,
    /// What becomes of reasoning
    #[arg(long, value_enum, default_value = "auto", help_heading = "Conversion")]
    reasoning: ThoughtsArg,
    /// Write nothing of a file that would lose something, and exit with 1
    #[arg(long, help_heading = "Conversion")]
    deny_loss: bool,
    /// Write to FILE instead of standard output (to the folder FILE for several inputs)
    #[arg(short = 'o', long, value_name = "FILE", help_heading = "Conversion")]
    output: Option<PathBuf>,
    /// Replace a file that exists
    #[arg(long, requires = "output", help_heading = "Conversion")]
    force: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Args, Debug)]
#[command(
    override_usage = "replaylint diff [OPTIONS] <A> <B>",
    after_help = "Exit codes: 0 the same, 1 they differ, 2 the job could not be done."
)]
pub(super) struct DiffArgs {
    #[command(flatten)]
    common: Common,
}

#[derive(ValueEnum, Clone, Copy, Debug)]
enum ThoughtsArg {
    /// Kept where it means something to the model that reads it
    Auto,
    /// What can be read of it becomes text
    Text,
    /// All of it goes
    Drop,
}

impl ConvertArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let known = TO.iter().find(|(name, ..)| *name == self.to);
        let (_, to, written) = known.copied().ok_or_else(|| {
            options::unknown("format to convert to", &self.to, TO.iter().map(|(name, ..)| *name).collect())
        })?;
        let thoughts = match self.reasoning {
            ThoughtsArg::Auto => Thoughts::Auto,
            ThoughtsArg::Text => Thoughts::Text,
            ThoughtsArg::Drop => Thoughts::Drop,
        };
        let output = self.output.map(|to| Copies { to, existing: existing(self.force) });
        let conversion = Conversion { to, written, thoughts, deny_loss: self.deny_loss, output };
        let run = self.common.mean(None)?;
        commands::convert::convert(&run, &conversion, out)
    }
}

impl DiffArgs {
    pub(super) fn run(self, out: &mut dyn Write) -> Result<Outcome, Failure> {
        let run = self.common.mean(None)?;
        commands::diff::diff(&run, out)
    }
}
