//! The options of `fix` that shorten a conversation.

use crate::repair::LengthOptions;

/// Something that a conversation keeps when it is shortened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeptContent {
    /// The messages of the user.
    Prompts,
    /// So many turns at the end.
    Last(u32),
}

/// What a conversation may be shortened to; without `kept`, the messages of the user stay.
pub fn length_options(max_tokens: Option<u64>, kept: &[KeptContent]) -> LengthOptions {
    let last = kept.iter().find_map(|kept| match kept {
        KeptContent::Last(turns) => Some(*turns),
        KeptContent::Prompts => None,
    });
    LengthOptions { max_tokens, keeps_prompts: kept.is_empty() || kept.contains(&KeptContent::Prompts), last }
}

/// Parses `prompts` or `last=N`; otherwise what to use.
pub fn parse_kept(text: &str) -> Result<KeptContent, String> {
    match (text, text.strip_prefix("last=")) {
        ("prompts", _) => Ok(KeptContent::Prompts),
        (_, Some(turns)) => {
            turns.parse().map(KeptContent::Last).map_err(|_| "last needs a number of turns".to_owned())
        }
        _ => Err("use prompts, last=N or both: prompts,last=N".to_owned()),
    }
}

/// Parses a number of tokens: `120000`, `120k`, `1M`.
pub fn parse_tokens(text: &str) -> Result<u64, String> {
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
        assert_eq!(parse_kept("last=3"), Ok(KeptContent::Last(3)));
        assert!(parse_kept("last=").is_err() && parse_kept("all").is_err());
        assert!(length_options(Some(9), &[]).keeps_prompts);
        let kept = length_options(Some(9), &[KeptContent::Last(3)]);
        assert!(!kept.keeps_prompts && kept.last == Some(3));
    }
}
