//! Which output answers which call. All dialects have one notion of it, the [`Pair`]: a call, an output, or both, and what
//! became of them. How they find each other is data of the dialect, its [`Pairing`].

mod across;
mod counted;
mod pair;
mod stepwise;

use super::messages::Messages;
use super::pairing::Pairing;
use super::row::Row;

pub use pair::{NONE, Pair, PairState};

/// Pairs all calls and outputs of a history, in the order of their first rows. Calls of message dialects are looked for in
/// `messages`.
pub fn pair(rows: &[Row], messages: &Messages, pairing: Pairing) -> Vec<Pair> {
    let mut pairs = match pairing {
        Pairing::Keys => across::pair(rows),
        Pairing::Replies | Pairing::Blocks => stepwise::pair(rows, messages, pairing),
        Pairing::Counts => counted::pair(rows, messages),
    };
    pairs.sort_unstable_by_key(Pair::order);
    pairs
}
