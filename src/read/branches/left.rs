//! What of a tree no history says: other branches, what a compaction has replaced, lines that nothing leads to. Losses and
//! what is not sent are told by the one history that they are of.

use crate::history::settings::not_sent;
use crate::history::tree::{Forest, Marks, NO_NODE};
use crate::history::{Finding, History, Unsent};
use crate::place::Place;

const REPLACED: &str = "a compaction has replaced it";
const OTHER_BRANCH: &str = "it is on another branch than the last message";
const NO_LINK: &str = "no link leads to it from the last message";
const SAME_NAME: &str = "a line of the same name has replaced it";

/// What becomes of a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Sent,
    Left(&'static str),
}

/// What histories there are of a tree, and what of it they say.
pub(super) struct Left<'f> {
    forest: &'f Forest,
    /// The fate of each node, and the number of the history that tells of it.
    of: Vec<(Fate, usize)>,
    /// Where nodes begin, in order, and their numbers.
    starts: Vec<(Place, usize)>,
}

#[expect(clippy::indexing_slicing, reason = "there is a place for each node, and links are numbers of nodes")]
impl<'f> Left<'f> {
    /// `leaves` are where the histories end; with `of_nodes` each says its last node only.
    pub fn new(forest: &'f Forest, leaves: &[u32], of_nodes: bool) -> Left<'f> {
        let mut of: Vec<Option<(Fate, usize)>> = vec![None; forest.nodes.len()];
        let mut roots: Vec<Option<usize>> = vec![None; forest.nodes.len()];
        for (n, leaf) in leaves.iter().enumerate() {
            let mut is_sent = true;
            for node in forest.upward(*leaf) {
                let fate = if is_sent { Fate::Sent } else { Fate::Left(REPLACED) };
                match &mut of[node as usize] {
                    Some((own, history)) if *own != Fate::Sent && is_sent => (*own, *history) = (fate, n),
                    Some(_) => {}
                    unknown => *unknown = Some((fate, n)),
                }
                if forest.node(node).parent == NO_NODE {
                    roots[node as usize].get_or_insert(n);
                }
                if of_nodes {
                    break;
                }
                is_sent &= !forest.node(node).has(Marks::RESTART);
            }
        }
        for node in forest.parents_first() {
            let parent = forest.node(node).parent;
            if parent != NO_NODE {
                roots[node as usize] = roots[parent as usize];
            }
        }
        let others = of.iter().zip(&roots).map(|(own, root)| {
            own.unwrap_or_else(|| match root {
                Some(history) => (Fate::Left(OTHER_BRANCH), *history),
                None => (Fate::Left(NO_LINK), 0),
            })
        });
        let of = others.collect();
        let mut starts: Vec<(Place, usize)> =
            forest.nodes.iter().enumerate().map(|(ix, node)| (node.entry.at, ix)).collect();
        starts.sort_unstable_by_key(|(at, _)| at.order());
        Left { forest, of, starts }
    }

    /// Adds to each history what it leaves out, and what it loses.
    pub fn tell(&self, lost: Vec<Finding>, unsent: Vec<Unsent>, histories: &mut [History]) {
        for (node, (fate, history)) in (0..).zip(&self.of) {
            if let (Fate::Left(why), Some(history)) = (fate, histories.get_mut(*history)) {
                history.settings.unsent.extend(not_sent(self.forest.rows_of(node), why));
            }
        }
        for (at, record) in &self.forest.replaced {
            let owner = self.at(*at).map_or(0, |(_, history)| history);
            if let Some(history) = histories.get_mut(owner) {
                history.settings.unsent.push(Unsent::at(*at, *record, "a message", SAME_NAME));
            }
        }
        for own in unsent {
            let owner = own.at.and_then(|(at, _)| self.at(at)).map_or(0, |(_, history)| history);
            histories.get_mut(owner).into_iter().for_each(|history| history.settings.unsent.push(own.clone()));
        }
        for finding in lost {
            let (fate, owner) = self.at(finding.row.at).unwrap_or((Fate::Sent, 0));
            let Some(history) = histories.get_mut(owner) else { continue };
            match fate {
                Fate::Sent => history.settings.lost.push(finding),
                // What stands beside a message that is not sent is not sent either.
                Fate::Left(why) => {
                    let (at, record) = (finding.row.at, finding.row.record);
                    history.settings.unsent.push(Unsent::at(at, record, "an item", why));
                }
            }
        }
    }

    /// The fate of the last node that begins at or before a place.
    fn at(&self, at: Place) -> Option<(Fate, usize)> {
        let next = self.starts.partition_point(|(start, _)| start.order() <= at.order());
        let (start, node) = *self.starts.get(next.checked_sub(1)?)?;
        (start.doc == at.doc).then(|| self.of[node])
    }
}
