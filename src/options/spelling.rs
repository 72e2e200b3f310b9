//! Unknown names, and suggestions for them.

use super::usage_error::UsageError;

/// The error for an unknown name, with a suggestion and all known names.
pub fn unknown_name(what: &str, name: &str, known: Vec<&str>) -> UsageError {
    let hint = suggest(name, &known).map(|other| format!("did you mean '{other}'? ")).unwrap_or_default();
    UsageError::new(format!("unknown {what} '{name}'")).help(format!("{hint}known: {}", known.join(", ")))
}

/// Common names for things that have other names here.
const ALIASES: &[(&str, &[&str])] = &[
    ("claude", &["anthropic", "anthropic-request"]),
    ("gpt", &["openai"]),
    ("chatgpt", &["openai", "codex"]),
    ("google", &["gemini", "gemini-request"]),
    ("vertex", &["gemini", "gemini-request"]),
    ("aws", &["bedrock", "bedrock-request"]),
    ("converse", &["bedrock", "bedrock-request"]),
    ("moonshot", &["kimi"]),
    ("grok", &["xai"]),
    ("ollama", &["chat-compatible"]),
    ("vllm", &["chat-compatible"]),
    ("openrouter", &["chat-compatible"]),
    ("rollout", &["codex-rollout"]),
    ("chatd", &["coder-chat"]),
    ("plain", &["text"]),
    ("annotations", &["github"]),
];

/// The known name that was probably meant: by an alias, by a common part, or by few different letters.
pub fn suggest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let name = name.to_ascii_lowercase();
    let has = |wanted: &str| known.iter().copied().find(|other| *other == wanted);
    let close = nearest(&name, known.to_vec(), 1).into_iter().find(|other| edit_distance(&name, other) <= 2);
    let alias = || {
        let (_, names) = ALIASES.iter().find(|(alias, _)| name.starts_with(alias))?;
        names.iter().find_map(|name| has(name))
    };
    // A short word is part of too many names.
    let part =
        || known.iter().copied().find(|other| name.len() > 2 && (other.contains(&name) || name.contains(other)));
    let far = || {
        nearest(&name, known.to_vec(), 1)
            .into_iter()
            .find(|other| edit_distance(&name, other) <= 3.min(name.len() / 2))
    };
    has(&name).or(close).or_else(alias).or_else(part).or_else(far)
}

/// The known names that are most similar to a name, the nearest first.
pub fn nearest<'k>(name: &str, mut known: Vec<&'k str>, many: usize) -> Vec<&'k str> {
    known.sort_by_cached_key(|other| edit_distance(name, other));
    known.truncate(many);
    known
}

/// The error for an unknown name, with the most similar names.
pub fn unknown_with_nearest(what: &str, name: &str, nearest: &[String]) -> UsageError {
    let usage_error = UsageError::new(format!("unknown {what} '{name}'"));
    if nearest.is_empty() {
        usage_error
    } else {
        usage_error.help(format!("did you mean {}?", nearest.join(", ")))
    }
}

/// Letters of a word that are compared: what is longer is not a misspelt name.
const MAX_LETTERS: usize = 64;

/// The edit distance of two words, in letters.
#[expect(clippy::indexing_slicing, reason = "the row has one place more than the word has letters")]
pub fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(MAX_LETTERS).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, c) in a.chars().take(MAX_LETTERS).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for j in 0..b.len() {
            let changed = diagonal + usize::from(b[j] != c);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{formats, rules, targets};

    #[test]
    fn wrong_names_lead_to_the_right_ones() {
        let targets: Vec<&str> = targets::TARGETS.iter().map(|target| target.name).collect();
        let formats: Vec<&str> = formats::FORMATS.iter().map(|format| format.info().name).collect();
        let rules: Vec<&str> = rules::RULES.iter().map(|rule| rule.name).collect();
        for (name, known, wanted) in [
            ("claude", &targets, Some("anthropic")),
            ("open-ai", &targets, Some("openai")),
            ("bedrok", &targets, Some("bedrock")),
            ("codex", &formats, Some("codex-rollout")),
            ("claude", &formats, Some("anthropic-request")),
            ("missing-outptu", &rules, Some("missing-output")),
            ("zzzzzz", &targets, None),
        ] {
            assert_eq!(suggest(name, known), wanted, "{name}");
        }
    }
}
