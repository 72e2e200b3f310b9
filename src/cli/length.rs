//! The arguments of `fix` that shorten a conversation.

use clap::Args;

use crate::options::{self, KeptContent};
use crate::repair::LengthOptions;

#[derive(Args, Debug)]
pub(super) struct LengthArgs {
    /// Shorten the conversation to about N tokens (e.g. 120k)
    #[arg(long, value_name = "N", value_parser = options::parse_tokens)]
    max_tokens: Option<u64>,
    /// What --max-tokens keeps: the user's messages (prompts), and the last N turns (last=N) [default: prompts]
    #[arg(
        long,
        value_name = "WHAT",
        value_delimiter = ',',
        value_parser = options::parse_kept,
        requires = "max_tokens",
        hide_short_help = true
    )]
    keep: Vec<KeptContent>,
}

impl LengthArgs {
    pub(super) fn options(&self) -> LengthOptions {
        options::length_options(self.max_tokens, &self.keep)
    }
}
