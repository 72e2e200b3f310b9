//! The options of `fix` that shorten a conversation.

use clap::Args;

use crate::repair::LengthOptions;

#[derive(Args, Debug)]
pub(super) struct LengthArgs {
    /// Shorten the conversation to about N tokens (e.g. 120k)
    #[arg(long, value_name = "N", value_parser = parse_tokens)]
    max_tokens: Option<u64>,
    /// What --max-tokens keeps: the user's messages (prompts), and the last N turns (last=N) [default: prompts]
    #[arg(
        long,
        value_name = "WHAT",
        value_delimiter = ',',
        value_parser = parse_keep,
        requires = "max_tokens",
        hide_short_help = true
    )]
    keep: Vec<KeepArg>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum KeepArg {
    Prompts,
    Last(u32),
}

impl LengthArgs {
    pub(super) fn options(&self) -> LengthOptions {
        let last = self.keep.iter().find_map(|kept| match kept {
            KeepArg::Last(turns) => Some(*turns),
            KeepArg::Prompts => None,
        });
        LengthOptions {
            max_tokens: self.max_tokens,
            keeps_prompts: self.keep.is_empty() || self.keep.contains(&KeepArg::Prompts),
            last,
        }
    }
}

fn parse_keep(text: &str) -> Result<KeepArg, String> {
    match (text, text.strip_prefix("last=")) {
        ("prompts", _) => Ok(KeepArg::Prompts),
        (_, Some(turns)) => {
            turns.parse().map(KeepArg::Last).map_err(|_| "last needs a number of turns".to_owned())
        }
        _ => Err("use prompts, last=N or both: prompts,last=N".to_owned()),
    }
}

/// Parses a number of tokens: `120000`, `120k`, `1M`.
fn parse_tokens(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (text.get(..text.len() - 1), 1_000),
        Some(b'm' | b'M') => (text.get(..text.len() - 1), 1_000_000),
        _ => (Some(text), 1),
    };
    let tokens = digits.and_then(|digits| digits.parse::<u64>().ok()).and_then(|n| n.checked_mul(unit));
    tokens
        .filter(|tokens| *tokens > 0)
        .ok_or_else(|| "use a number of tokens, such as 120000, 120k or 1M".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_what_is_kept_are_read() {
        assert_eq!(parse_tokens("120k"), Ok(120_000));
        assert_eq!(parse_tokens("1M"), Ok(1_000_000));
        assert_eq!(parse_tokens("512"), Ok(512));
        assert!(["", "k", "0", "-1", "1.5k", "é"].iter().all(|text| parse_tokens(text).is_err()));
        let args = |keep: Vec<KeepArg>| LengthArgs { max_tokens: Some(9), keep }.options();
        assert!(args(vec![]).keeps_prompts && args(vec![]).last.is_none());
        let kept = args(vec![KeepArg::Last(3)]);
        assert!(!kept.keeps_prompts && kept.last == Some(3));
    }
}
