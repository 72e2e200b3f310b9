//! Pairing of calls and outputs. For all dialects the result is a list of [`Pair`]s: a call, an output, or both, and
//! their state. How they are matched depends on the [`Pairing`] of the dialect.

mod by_count;
mod by_key;
mod by_step;
mod pair;

use super::messages::MessageSpans;
use super::pairing::Pairing;
use super::row::Row;

pub use pair::{NONE, Pair, PairState};

/// Pairs all calls and outputs of a history, in the order of their first rows. `messages` is used for message dialects.
pub fn pair(rows: &[Row], messages: &MessageSpans, pairing: Pairing) -> Vec<Pair> {
    let mut pairs = match pairing {
        Pairing::Keys => by_key::pair(rows),
        Pairing::Replies | Pairing::Blocks => by_step::pair(rows, messages, pairing),
        Pairing::Counts => by_count::pair(rows, messages),
    };
    pairs.sort_unstable_by_key(Pair::order);
    pairs
}
