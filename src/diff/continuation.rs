//! How one history continues another: the items that were appended, and the first difference before the end of a request,
//! from where the provider has no cached prompt.

use super::align::EntryStatus;
use super::compare::HistoryComparison;

/// The relation of a history to the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Continuation {
    /// Number of entries after the last one that both have; 0 if they have none in common.
    pub appended: usize,
    /// Number of entries at the end that only the history before has, if that is the only difference of their entries.
    pub missing: usize,
    /// The first difference before the end of a request.
    pub cache_loss: Option<CacheBreak>,
}

/// What differs first, in the order in which providers cache a prompt. Both are indices in the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheBreak {
    Setting(usize),
    /// Index of a status.
    Entry(usize),
}

/// Settings in the cached prompt, in their order: each model has a cache of its own, tools and the schema of the output come
/// before the messages.
const CACHED_SETTINGS: [&str; 9] = [
    "model",
    "modelId",
    "tools",
    "functions",
    "toolConfig",
    "response_format",
    "text",
    "output_config",
    "output_format",
];

/// Finds how the history after continues the one before.
pub fn continuation(comparison: &HistoryComparison) -> Continuation {
    let statuses = &comparison.statuses;
    let is_same = |status: &EntryStatus| matches!(status, EntryStatus::Same(..));
    let tail = |is: fn(&EntryStatus) -> bool| statuses.iter().rev().take_while(|status| is(status)).count();
    // Histories without a common item are two conversations.
    if !comparison.is_paired() || !statuses.iter().any(is_same) {
        return Continuation::default();
    }
    let appended = tail(|status| matches!(status, EntryStatus::Added(_)));
    let removed = tail(|status| matches!(status, EntryStatus::Removed(_)));
    let missing = if statuses.iter().rev().skip(removed).all(is_same) { removed } else { 0 };
    let cache_loss = comparison.are_requests.then(|| cache_loss(comparison, appended.max(missing))).flatten();
    Continuation { appended, missing, cache_loss }
}

fn cache_loss(comparison: &HistoryComparison, tail: usize) -> Option<CacheBreak> {
    let rank = |of: &str| match of.split_once(' ') {
        Some(("tool", _)) => CACHED_SETTINGS.iter().position(|name| *name == "tools"),
        _ => CACHED_SETTINGS.iter().position(|name| *name == of),
    };
    let ranked = comparison.settings.iter().enumerate();
    let first = ranked.filter_map(|(n, change)| Some((rank(&change.of)?, n))).min();
    if let Some((_, n)) = first {
        return Some(CacheBreak::Setting(n));
    }
    let statuses = &comparison.statuses;
    let at = statuses.iter().position(|status| !matches!(status, EntryStatus::Same(..)))?;
    // The last item may change without a loss: nothing that follows it was cached.
    let is_before_end = at + 1 < statuses.len() && at < statuses.len() - tail;
    is_before_end.then_some(CacheBreak::Entry(at))
}
