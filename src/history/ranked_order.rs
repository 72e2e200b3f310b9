//! Parts of a log with an explicit position in the history: rows of a table are stored in any order, and some of them
//! are never sent.

use foldhash::HashSet;

use crate::json::fingerprint_of;
use crate::place::Place;

/// Whether a part is sent with the history.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SendStatus {
    #[default]
    Sent,
    /// Sent, even before a restart.
    Always,
    /// Parts before it are not sent.
    Restart,
    /// Not sent, for this reason.
    Unsent(&'static str),
    /// Not sent, for this reason, if there is a part whose name has one of these fingerprints.
    Unless([u64; 2], &'static str),
}

/// The position of a part.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Rank {
    /// A part without a number follows the one that is stored before it.
    pub number: Option<u64>,
    /// Its name; empty if it has none.
    pub name: Box<str>,
    pub status: SendStatus,
    /// Its place, and the number of its record.
    pub at: Place,
    pub record: u32,
}

/// Why parts before a restart are not sent.
pub const SUMMARISED: &str = "a later row contains the summary";

/// The parts that are sent, as indices in sending order, and the others with the reason.
pub fn resolve(ranks: &[Rank]) -> (Vec<usize>, Vec<(usize, &'static str)>) {
    let mut last = 0;
    let numbered = ranks.iter().enumerate().map(|(ix, rank)| {
        last = rank.number.unwrap_or(last);
        (last, ix, rank.status)
    });
    let mut order: Vec<(u64, usize, SendStatus)> = numbered.collect();
    order.sort_by_key(|(number, ..)| *number);
    let restart = order.iter().rposition(|(.., standing)| *standing == SendStatus::Restart).unwrap_or(0);
    let replaces = |rank: &&Rank| !rank.name.is_empty();
    let names: HashSet<u64> =
        ranks.iter().filter(replaces).map(|rank| fingerprint_of(rank.name.as_bytes())).collect();
    let (mut sent, mut unsent) = (Vec::with_capacity(order.len()), Vec::new());
    for (n, (_, ix, standing)) in order.into_iter().enumerate() {
        match standing {
            SendStatus::Unsent(why) => unsent.push((ix, why)),
            SendStatus::Unless(parents, why) if parents.iter().any(|parent| names.contains(parent)) => {
                unsent.push((ix, why));
            }
            SendStatus::Sent | SendStatus::Unless(..) | SendStatus::Restart if n < restart => {
                unsent.push((ix, SUMMARISED))
            }
            _ => sent.push(ix),
        }
    }
    unsent.sort_unstable();
    (sent, unsent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(ranks: &[(Option<u64>, SendStatus)]) -> (Vec<usize>, Vec<(usize, &'static str)>) {
        let rank = |(number, standing): &(Option<u64>, SendStatus)| Rank {
            number: *number,
            name: Box::default(),
            status: *standing,
            ..Rank::default()
        };
        resolve(&ranks.iter().map(rank).collect::<Vec<_>>())
    }

    #[test]
    fn parts_are_ordered_by_number_and_a_summary_replaces_what_came_before() {
        use SendStatus::{Always, Restart, Sent, Unsent};
        assert_eq!(resolved(&[(None, Sent), (None, Sent)]).0, [0, 1]);
        assert_eq!(resolved(&[(Some(3), Sent), (Some(1), Sent), (Some(2), Sent)]).0, [1, 2, 0]);
        // A part without a number moves with the one before it.
        assert_eq!(resolved(&[(Some(3), Sent), (None, Sent), (Some(1), Sent)]).0, [2, 0, 1]);
        let ranks = [
            (Some(1), Always),
            (Some(2), Sent),
            (Some(3), Restart),
            (Some(4), Unsent("deleted")),
            (Some(5), Restart),
            (Some(6), Sent),
        ];
        let (sent, unsent) = resolved(&ranks);
        assert_eq!(sent, [0, 4, 5]);
        assert_eq!(unsent, [(1, SUMMARISED), (2, SUMMARISED), (3, "deleted")]);
    }
}
