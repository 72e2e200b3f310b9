//! Groups of entries that become one node: the lines of a response, the outputs of its calls, links and what they carry.

use std::collections::{HashMap, HashSet};

use super::build::{EntryLinks, TreeBuilder};
use super::trim::{is_result, is_results};
use super::{EntryMarks, EntryRole, NO_NODE};

/// The entries that make up each node.
pub(super) struct EntryGroups {
    /// The first entry of the group that an entry belongs to; [`NO_NODE`] for links above the first item.
    pub of: Vec<u32>,
    /// Marks that a group inherits from the links above it.
    pub carried: Vec<EntryMarks>,
    /// The outputs that answer a response, by its group.
    pub batches: HashMap<u32, u32>,
}

#[expect(clippy::indexing_slicing, reason = "lists have a place for each entry; links are their numbers")]
impl EntryGroups {
    pub fn new(from: &TreeBuilder, links: &EntryLinks, order: &[u32], joined: &[u32]) -> EntryGroups {
        let mut groups = EntryGroups {
            of: vec![NO_NODE; order.len()],
            carried: vec![EntryMarks::default(); order.len()],
            batches: HashMap::new(),
        };
        // (group of the parent, message) of each response, and the outputs that answer a response.
        let mut lines: HashMap<(u32, &str), u32> = HashMap::new();
        let mut batches: HashMap<u32, u32> = HashMap::new();
        let mut answered: HashSet<(u32, u64)> = HashSet::new();
        for &ix in order {
            let entry = &from.entries[ix as usize];
            if links.same[ix as usize] != ix || joined[ix as usize] != NO_NODE {
                continue;
            }
            let parent = links.parent[ix as usize];
            let above = if parent == NO_NODE { NO_NODE } else { groups.of[parent as usize] };
            if parent != NO_NODE && from.entries[parent as usize].part == EntryRole::Link {
                let carried = groups.carried[parent as usize];
                groups.carried[ix as usize].set(carried);
            }
            let rows = from.rows_of(links.content[ix as usize]);
            groups.of[ix as usize] = match entry.part {
                EntryRole::Link => {
                    let handed = EntryMarks(entry.marks.0 & EntryMarks::RESTART.and(EntryMarks::TRIMMED).0);
                    groups.carried[ix as usize].set(handed);
                    above
                }
                EntryRole::Answer if entry.message.is_some() => {
                    let message = entry.message.as_deref().unwrap_or_default();
                    let is_same = |group: u32| {
                        group != NO_NODE && from.entries[group as usize].message.as_deref() == Some(message)
                    };
                    let over = |group: u32| match links.parent.get(group as usize) {
                        Some(&up) if up != NO_NODE => groups.of[up as usize],
                        _ => NO_NODE,
                    };
                    // The parent of a line may be an output of a call from an earlier line of its response.
                    let beside = batches.get(&over(above)).filter(|batch| **batch == above).map(|_| over(above));
                    let found = [above, beside.unwrap_or(NO_NODE)].into_iter().find(|group| is_same(*group));
                    found.unwrap_or_else(|| *lines.entry((above, message)).or_insert(ix))
                }
                EntryRole::Input if above != NO_NODE && is_results(rows) => {
                    let results = || rows.iter().filter(|row| is_result(row)).map(|row| (above, row.key));
                    let is_new = results().all(|result| !answered.contains(&result));
                    answered.extend(results());
                    match batches.get(&above) {
                        Some(&batch) if is_new => batch,
                        Some(_) => ix,
                        None => *batches.entry(above).or_insert(ix),
                    }
                }
                _ => ix,
            };
        }
        // Copies, and requests with a response, belong to the group of the other one.
        groups.batches = batches;
        for (ix, response) in joined.iter().enumerate() {
            let other = links.same[if *response == NO_NODE { ix } else { *response as usize }];
            if other != ix as u32 {
                groups.of[ix] = groups.of[other as usize];
            }
        }
        groups
    }
}
