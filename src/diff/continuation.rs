//! How one history continues another: the items that were appended, and the first difference before the end of a request,
//! from where on the provider has no cached prompt.

use super::align::EntryStatus;
use super::compare::HistoryComparison;
use super::equivalence::CACHE_MARKS;
use super::forms::Purpose;
use super::values::ValueChange;

/// The relation of a history to the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Continuation {
    /// Number of entries after the last one that both have; 0 if they have none in common.
    pub appended: usize,
    /// Number of entries at the end that only the history before has, if that is the only difference of their entries.
    pub missing: usize,
    /// The first difference before the end of a request.
    pub cache_break: Option<CacheBreak>,
}

/// What differs first, in the order in which providers cache a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheBreak {
    /// Index of a change of the settings.
    Setting(usize),
    /// Index of a status.
    Entry(usize),
}

/// A setting that is in the cached prompt before all items, and the beginning of its path.
struct CachedSetting {
    name: &'static str,
    path: &'static str,
}

const fn cached(name: &'static str, path: &'static str) -> CachedSetting {
    CachedSetting { name, path }
}

/// The settings in the cached prompt, in their order: each model has a cache of its own, tools and the schema of the output
/// precede instructions and messages (platform.claude.com, "Tool use with prompt caching"; OpenAI, "Prompt caching").
const CACHED_SETTINGS: [CachedSetting; 7] = [
    cached("model", ""),
    cached("modelId", ""),
    cached("tools", ""),
    cached("functions", ""),
    cached("response_format", ""),
    cached("text", "format"),
    cached("output_config", "format"),
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
    let tail = appended.max(missing);
    let cache_break = comparison.are_requests.then(|| cache_break(comparison, tail)).flatten();
    Continuation { appended, missing, cache_break }
}

/// The first difference in the cached prompt. `tail` is the number of entries at the end of which only one side has any.
fn cache_break(comparison: &HistoryComparison, tail: usize) -> Option<CacheBreak> {
    let ranked = comparison.settings.iter().enumerate().filter_map(|(n, change)| Some((cache_rank(change)?, n)));
    if let Some((_, n)) = ranked.min() {
        return Some(CacheBreak::Setting(n));
    }
    let statuses = &comparison.statuses;
    let at = statuses.iter().position(|status| !has_same_prompt(comparison, status))?;
    // The last item may change without a loss: nothing that follows it was cached.
    let is_before_end = at + 1 < statuses.len() && at < statuses.len() - tail;
    is_before_end.then_some(CacheBreak::Entry(at))
}

fn cache_rank(change: &ValueChange) -> Option<usize> {
    let name = if change.of.starts_with("tool ") { "tools" } else { &*change.of };
    let is_mark = change.path.split('.').any(|step| CACHE_MARKS.contains(&step));
    let is = |setting: &CachedSetting| setting.name == name && change.path.starts_with(setting.path);
    CACHED_SETTINGS.iter().position(is).filter(|_| !is_mark)
}

/// True if a provider makes the same prompt of an entry before and after.
fn has_same_prompt(comparison: &HistoryComparison, status: &EntryStatus) -> bool {
    let (EntryStatus::Same(a, b) | EntryStatus::Changed(a, b)) = *status else { return false };
    match (comparison.before.get(a), comparison.after.get(b)) {
        (Some(before), Some(after)) if before.text_hash == after.text_hash => true,
        (Some(before), Some(after)) => {
            let [before, after] = [before, after].map(|entry| entry.meaning(Purpose::Prompt));
            // Of a change, ids count as well; otherwise they are renamed throughout.
            before.hash == after.hash && (matches!(status, EntryStatus::Same(..)) || before.ids == after.ids)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::compare::{DiffScope, DiffSide, compare};
    use crate::judge::Options;
    use crate::place::DocId;
    use crate::source::GrowableBytes;

    fn continued(before: &str, after: &str) -> Continuation {
        let options = Options::default();
        let [old, new] = [before, after].map(|text| GrowableBytes::new(text.as_bytes().to_vec()));
        let side = |id, bytes| DiffSide { id: DocId(id), bytes, options: &options };
        let compared = compare(side(0, &old), side(1, &new), DiffScope::All).expect("memory reads");
        continuation(&compared.differences[0])
    }

    fn request(settings: &str, system: &str, messages: &[&str]) -> String {
        let message = |(n, text): (usize, &&str)| {
            let role = if n % 2 == 0 { "user" } else { "assistant" };
            format!(r#"{{"role":"{role}","content":{text}}}"#)
        };
        let messages: Vec<String> = messages.iter().enumerate().map(message).collect();
        format!(
            r#"{{"model":"claude-sonnet-4-5","max_tokens":1{settings},"system":"{system}","messages":[{}]}}"#,
            messages.join(",")
        )
    }

    fn plain(texts: &[&str]) -> String {
        request("", "s", texts)
    }

    #[test]
    fn appended_items_keep_the_cache() {
        let before = plain(&[r#""a""#, r#""b""#, r#""c""#]);
        let after = plain(&[r#""a""#, r#""b""#, r#""c""#, r#""d""#, r#""e""#]);
        let none = Continuation::default();
        assert_eq!(continued(&before, &after), Continuation { appended: 2, ..none });
        assert_eq!(continued(&after, &before), Continuation { missing: 2, ..none });
        assert_eq!(continued(&before, &before), none);
        // The mark of the cache moves to the last message.
        let marked = r#"[{"type":"text","text":"c","cache_control":{"type":"ephemeral"}}]"#;
        let before = plain(&[r#""a""#, r#""b""#, marked]);
        assert_eq!(continued(&before, &after), Continuation { appended: 2, ..none });
    }

    #[test]
    fn a_change_before_the_end_loses_the_cache() {
        let before = plain(&[r#""a""#, r#""b""#, r#""c""#]);
        let cache_break = |after: String| continued(&before, &after).cache_break;
        let earlier = plain(&[r#""x""#, r#""b""#, r#""c""#, r#""d""#]);
        assert_eq!(cache_break(earlier), Some(CacheBreak::Entry(1)));
        assert_eq!(cache_break(plain(&[r#""a""#, r#""b""#, r#""x""#])), None);
        let texts = [r#""a""#, r#""b""#, r#""c""#];
        assert_eq!(cache_break(request("", "other", &texts)), Some(CacheBreak::Entry(0)));
        let tools = r#","temperature":1,"tools":[{"name":"f","input_schema":{"type":"object"}}]"#;
        assert_eq!(cache_break(request(tools, "s", &texts)), Some(CacheBreak::Setting(1)));
        assert_eq!(cache_break(request(r#","temperature":1"#, "s", &texts)), None);
        assert_eq!(cache_break(request("", "other", &[r#""x""#, r#""y""#, r#""z""#])), None);
    }

    #[test]
    fn providers_do_not_sort_keys() {
        let call = |input: &str| {
            plain(&[
                r#""a""#,
                &format!(r#"[{{"type":"tool_use","id":"toolu_1","name":"f","input":{input}}}]"#),
                r#"[{"type":"tool_result","tool_use_id":"toolu_1","content":"b"}]"#,
            ])
        };
        let (before, after) = (call(r#"{"a":1,"b":2}"#), call(r#"{"b":2,"a":1}"#));
        assert_eq!(continued(&before, &after).cache_break, Some(CacheBreak::Entry(2)));
    }
}
