//! Short keys in place of those that a target refuses.

use crate::json::fingerprint_of;
use crate::rule::RuleContext;
use crate::target::Trait;

/// A key that the target accepts: the beginning of the long one, and a fingerprint of all of it.
pub(super) fn short_key(cx: &RuleContext<'_>, key: &[u8]) -> String {
    let mut hash = fingerprint_of(key);
    if cx.has(Trait::NineCharIds) {
        const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        let digit = |_| {
            let digit = DIGITS.get((hash % 62) as usize).map_or('0', |digit| char::from(*digit));
            hash /= 62;
            digit
        };
        return (0..9).map(digit).collect();
    }
    // Some Chat servers accept 40 characters at most.
    let most = if cx.history.messages.is_empty() { 40 } else { 23 };
    let text = String::from_utf8_lossy(key);
    let start: String =
        text.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-')).take(most).collect();
    format!("{start}_{hash:016x}")
}
