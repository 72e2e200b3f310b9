//! The nodes of a tree that are in no history: other branches, nodes replaced by a compaction, unlinked lines.
//! Each loss and each unsent item is reported by one history.

use crate::history::settings::unsent_items;
use crate::history::tree::{EntryMarks, Forest, NO_NODE};
use crate::history::{Finding, History, UnsentItem};
use crate::place::Place;

const REPLACED: &str = "a compaction has replaced it";
const OTHER_BRANCH: &str = "it is on another branch than the last message";
const NO_LINK: &str = "no link leads to it from the last message";
const SAME_NAME: &str = "a line of the same name has replaced it";

/// The fate of a node: sent, or left out for a reason.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeFate {
    Sent,
    Left(&'static str),
}

/// Assigns the nodes of a tree to its histories.
pub(super) struct UnsentNodes<'f> {
    forest: &'f Forest,
    /// The fate of each node, and the number of the history that reports it.
    of: Vec<(NodeFate, usize)>,
    /// Places of nodes, in order, with their numbers.
    starts: Vec<(Place, usize)>,
}

#[expect(clippy::indexing_slicing, reason = "there is a place for each node, and links are numbers of nodes")]
impl<'f> UnsentNodes<'f> {
    /// `leaves` are the ends of the histories; with `of_nodes` each history consists of its last node only.
    pub fn new(forest: &'f Forest, leaves: &[u32], of_nodes: bool) -> UnsentNodes<'f> {
        let mut of: Vec<Option<(NodeFate, usize)>> = vec![None; forest.nodes.len()];
        let mut roots: Vec<Option<usize>> = vec![None; forest.nodes.len()];
        for (n, leaf) in leaves.iter().enumerate() {
            let mut is_sent = true;
            for node in forest.upward(*leaf) {
                let fate = if is_sent { NodeFate::Sent } else { NodeFate::Left(REPLACED) };
                match &mut of[node as usize] {
                    Some((own, history)) if *own != NodeFate::Sent && is_sent => (*own, *history) = (fate, n),
                    Some(_) => {}
                    unknown => *unknown = Some((fate, n)),
                }
                if forest.node(node).parent == NO_NODE {
                    roots[node as usize].get_or_insert(n);
                }
                if of_nodes {
                    break;
                }
                is_sent &= !forest.node(node).has(EntryMarks::RESTART);
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
                Some(history) => (NodeFate::Left(OTHER_BRANCH), *history),
                None => (NodeFate::Left(NO_LINK), 0),
            })
        });
        let of = others.collect();
        let mut starts: Vec<(Place, usize)> =
            forest.nodes.iter().enumerate().map(|(ix, node)| (node.entry.at, ix)).collect();
        starts.sort_unstable_by_key(|(at, _)| at.order());
        UnsentNodes { forest, of, starts }
    }

    /// Adds losses and unsent items to the histories that report them.
    pub fn add_to(&self, lost: Vec<Finding>, unsent: Vec<UnsentItem>, histories: &mut [History]) {
        for (node, (fate, history)) in (0..).zip(&self.of) {
            if let (NodeFate::Left(why), Some(history)) = (fate, histories.get_mut(*history)) {
                history.settings.unsent.extend(unsent_items(self.forest.rows_of(node), why));
            }
        }
        for (at, record) in &self.forest.replaced {
            let owner = self.fate_at(*at).map_or(0, |(_, history)| history);
            if let Some(history) = histories.get_mut(owner) {
                history.settings.unsent.push(UnsentItem::at(*at, *record, "a message", SAME_NAME));
            }
        }
        for own in unsent {
            let owner = own.at.and_then(|(at, _)| self.fate_at(at)).map_or(0, |(_, history)| history);
            histories.get_mut(owner).into_iter().for_each(|history| history.settings.unsent.push(own.clone()));
        }
        for finding in lost {
            let (fate, owner) = self.fate_at(finding.row.at).unwrap_or((NodeFate::Sent, 0));
            let Some(history) = histories.get_mut(owner) else { continue };
            match fate {
                NodeFate::Sent => history.settings.conversion_losses.push(finding),
                // An item beside a message that is not sent is not sent either.
                NodeFate::Left(why) => {
                    let (at, record) = (finding.row.at, finding.row.record);
                    history.settings.unsent.push(UnsentItem::at(at, record, "an item", why));
                }
            }
        }
    }

    /// The fate of the last node that begins at or before a place.
    fn fate_at(&self, at: Place) -> Option<(NodeFate, usize)> {
        let next = self.starts.partition_point(|(start, _)| start.order() <= at.order());
        let (start, node) = *self.starts.get(next.checked_sub(1)?)?;
        (start.doc == at.doc).then(|| self.of[node])
    }
}
