//! Builds nodes from entries. Parents are resolved by name, cycles are cut, links without items are skipped, and
//! entries that a store spread over several lines are merged.

use std::collections::BTreeSet;

use foldhash::{HashMap, HashMapExt, HashSet};
use smallvec::smallvec;

use crate::history::Row;
use crate::place::Place;

use super::cycles;
use super::forks;
use super::gap::{TreeGap, TreeGaps};
use super::join::join;
use super::trim::{is_result, is_results, summarised, trim};
use super::{
    EntryMarks, EntryRole, Forest, MissingLinks, NO_NODE, NodeName, TreeEntry, TreeNode, TreeProblem,
    TreeProblemKind, distinct,
};

/// Builds a forest from entries and rows in the order in which they are stored.
#[derive(Default)]
pub struct TreeBuilder {
    pub(super) entries: Vec<TreeEntry>,
    pub(super) rows: Vec<Row>,
    /// First row of each entry.
    pub(super) starts: Vec<u32>,
    /// The file name of each entry without the words that distinguish requests from responses, as a fingerprint.
    pub(super) stems: Vec<u64>,
    gaps: Vec<TreeGap>,
    stem: u64,
    pub missing_links: MissingLinks,
    /// The model that was named last.
    model: Option<NodeName>,
}

impl TreeBuilder {
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Starts another file. A request and a response whose files have the same stem belong together.
    pub fn begin_file(&mut self, stem: u64) {
        self.stem = stem;
    }

    pub fn add_entry(&mut self, mut entry: TreeEntry) {
        if entry.continues
            && let Some(last) = self.entries.last_mut().filter(|last| last.name == entry.name)
        {
            let TreeEntry { parent, model, store, time, body, marks, digest, .. } = entry;
            last.parent = parent.or(last.parent.take());
            last.model = model.or(last.model.take());
            last.store = store.or(last.store);
            last.time = last.time.or(time);
            last.body = body.or(last.body);
            (last.marks, last.digest) = (marks, digest);
            return;
        }
        if let Some(last) = self.entries.last() {
            entry.share_names(last, self.model.as_ref());
        }
        self.model = entry.model.clone().or(self.model.take());
        self.starts.push(self.rows.len() as u32);
        self.stems.push(self.stem);
        self.entries.push(entry);
    }

    /// Adds a record that could not be read.
    pub fn add_gap(&mut self, at: Place, record: u32) {
        self.gaps.push(TreeGap { at, record, before: self.entries.len() as u32 });
    }

    /// Adds rows of the last entry.
    pub fn add_rows(&mut self, rows: &[Row]) {
        if !self.entries.is_empty() {
            self.rows.extend_from_slice(rows);
        }
    }

    /// Discards the rows of the last entry, to be replaced by later ones.
    pub fn discard_rows(&mut self) {
        if let Some(start) = self.starts.last() {
            self.rows.truncate(*start as usize);
        }
    }

    /// True if all entries are linked by the server's ids.
    pub fn is_chained(&self) -> bool {
        !self.is_empty() && self.entries.iter().all(|entry| entry.marks.has(EntryMarks::CHAINED))
    }

    /// The sessions of the entries, and those that they were forked from.
    pub fn sessions(&self) -> (BTreeSet<&str>, BTreeSet<&str>) {
        let sessions = || self.entries.iter().filter_map(|entry| entry.session.as_deref());
        let from = sessions().filter_map(|session| session.forked_from.as_deref());
        (sessions().map(|session| &*session.id).collect(), from.collect())
    }

    /// Marks the entries as those of a client that builds on no response, except entries without links.
    pub fn unchain(&mut self) {
        let entries = self.entries.iter_mut().filter(|entry| !entry.marks.has(EntryMarks::FOLLOWS));
        entries.for_each(|entry| entry.marks.set(EntryMarks::UNCHAINED));
    }

    /// Appends the entries of another builder, as part of the current file.
    pub fn add(&mut self, other: TreeBuilder) {
        let stem = self.stem;
        self.append(other.with_stem(stem));
    }

    /// Appends the entries of another builder, with their own files.
    #[expect(clippy::indexing_slicing, reason = "the runs begin and end where entries of the other builder begin")]
    pub fn append(&mut self, other: TreeBuilder) {
        let ends = other.starts.iter().skip(1).copied().chain([other.rows.len() as u32]);
        let runs: Vec<_> = other.starts.iter().copied().zip(ends).zip(other.stems).collect();
        let own = self.stem;
        self.missing_links = self.missing_links.max(other.missing_links);
        let mut gaps = other.gaps.into_iter().peekable();
        for (n, (entry, ((start, end), stem))) in (0..).zip(other.entries.into_iter().zip(runs)) {
            while let Some(gap) = gaps.next_if(|gap| gap.before <= n) {
                self.add_gap(gap.at, gap.record);
            }
            self.stem = stem;
            self.add_entry(entry);
            self.add_rows(&other.rows[start as usize..end as usize]);
        }
        gaps.for_each(|gap| self.add_gap(gap.at, gap.record));
        self.stem = own;
    }

    fn with_stem(mut self, stem: u64) -> Self {
        self.stems.fill(stem);
        self
    }

    /// Adds an offset to the record numbers.
    pub fn renumber(&mut self, by: u32) {
        self.entries.iter_mut().for_each(|entry| entry.record += by);
        self.rows.iter_mut().for_each(|row| row.record += by);
        self.gaps.iter_mut().for_each(|gap| gap.record += by);
    }

    #[expect(clippy::indexing_slicing, reason = "entries are asked for by their numbers; each has a start")]
    pub(super) fn rows_of(&self, entry: u32) -> &[Row] {
        let ix = entry as usize;
        let end = self.starts.get(ix + 1).map_or(self.rows.len(), |end| *end as usize);
        &self.rows[self.starts[ix] as usize..end]
    }

    pub fn finish(mut self) -> Forest {
        forks::rename(&mut self.entries);
        let joined = join(&mut self.entries, &self.stems);
        let lost = std::mem::take(&mut self.gaps);
        let mut gaps = TreeGaps::new(&lost);
        let mut links = EntryLinks::new(&mut self, &joined, &mut gaps);
        links.cut_cycles(&self);
        let order = links.parents_first();
        links.problems.extend(gaps.problems(&links.parent, &order));
        let groups = EntryGroups::new(&self, &links, &order, &joined);
        let mut ranks = vec![0; order.len()];
        for (entry, rank) in order.iter().zip(0..) {
            ranks.get_mut(*entry as usize).into_iter().for_each(|own| *own = rank);
        }
        lay_out(self, links, groups, &ranks)
    }
}

/// The links between entries.
struct EntryLinks {
    /// The entry whose name is used: itself, except for a copy.
    same: Vec<u32>,
    /// The entry whose content is used.
    content: Vec<u32>,
    parent: Vec<u32>,
    missing: Vec<bool>,
    names: HashMap<NodeName, u32>,
    problems: Vec<TreeProblem>,
    /// Entries that are replaced by another one with the same name and different content.
    replaced: Vec<u32>,
}

#[expect(clippy::indexing_slicing, reason = "lists have a place for each entry; links are their numbers")]
impl EntryLinks {
    fn new(from: &mut TreeBuilder, joined: &[u32], gaps: &mut TreeGaps<'_>) -> EntryLinks {
        let count = from.entries.len();
        let own: Vec<u32> = (0..count as u32).collect();
        let mut links = EntryLinks {
            same: own.clone(),
            content: own,
            parent: vec![NO_NODE; count],
            missing: vec![false; count],
            names: HashMap::with_capacity(count),
            problems: Vec::new(),
            replaced: Vec::new(),
        };
        for ix in 0..count {
            if from.entries[ix].name.is_empty() {
                continue;
            }
            let first = *links.names.entry(from.entries[ix].name.clone()).or_insert(ix as u32);
            if first != ix as u32 {
                links.add_duplicate(from, first, ix as u32);
            }
        }
        let in_order = from.missing_links == MissingLinks::InOrder;
        let (mut reported, mut anchored) = (HashSet::default(), HashMap::default());
        for (ix, entry) in from.entries.iter().enumerate() {
            if let Some(wrong) = entry.problem.filter(|wrong| reported.insert(*wrong)) {
                links.problem(from, wrong, ix, None);
            }
            let has_thread = entry.thread != 0;
            let anchor = if has_thread { anchored.get(&entry.thread).copied() } else { None };
            if has_thread && entry.part != EntryRole::Link {
                anchored.insert(entry.thread, ix as u32);
            }
            if entry.marks.has(EntryMarks::FOLLOWS) {
                links.parent[ix] = (ix as u32).checked_sub(1).unwrap_or(NO_NODE);
                continue;
            }
            // A summary is not a step of the conversation, and may belong to another file.
            if entry.marks.has(EntryMarks::SUMMARY) {
                continue;
            }
            // A request is where its response is.
            if links.same[ix] != ix as u32 || joined[ix] != NO_NODE {
                continue;
            }
            let Some(name) = &entry.parent else { continue };
            let chained = entry.marks.has(EntryMarks::CHAINED);
            let is_cut = chained || from.missing_links == MissingLinks::Cut;
            let bridged = || if is_cut { None } else { gaps.bridge(name, ix as u32, &from.entries) };
            // Most entries name the one before them, and share its name.
            let is_before =
                |before: &usize| !name.is_empty() && NodeName::ptr_eq(&from.entries[*before].name, name);
            let before = ix.checked_sub(1).filter(is_before);
            let before = before.map(|before| links.same[before]);
            let parent = before.or_else(|| links.names.get(name).copied()).or_else(bridged);
            match parent {
                Some(parent) => links.parent[ix] = parent,
                None => {
                    let before = anchor.filter(|_| in_order && !entry.marks.has(EntryMarks::RESTART));
                    (links.missing[ix], links.parent[ix]) = (before.is_none(), before.unwrap_or(NO_NODE));
                    // Entries before a compaction are not replayed, and may be elsewhere; if no message comes before a
                    // link, nothing is lost.
                    let is_link = entry.part == EntryRole::Link && anchor.is_none();
                    let is_idle = entry.thread != 0 && (is_link || entry.marks.has(EntryMarks::RESTART));
                    if !entry.marks.has(EntryMarks::CHAINED) && !is_idle {
                        let wrong = if anchor.is_some() {
                            TreeProblemKind::Phantom
                        } else {
                            TreeProblemKind::MissingParent
                        };
                        links.problem(from, wrong, ix, None);
                    }
                }
            }
        }
        links
    }

    /// Handles a name that occurs again.
    fn add_duplicate(&mut self, from: &mut TreeBuilder, first: u32, again: u32) {
        let (old, new) = (&from.entries[first as usize], &from.entries[again as usize]);
        let known = old.digest != 0 && new.digest != 0;
        let changed = known && from.entries[self.content[first as usize] as usize].digest != new.digest;
        let partner = Some(old.at);
        // A fork begins with the lines of the session that it was forked from.
        let is_fork = !changed && old.session != new.session && old.at.doc != new.at.doc;
        if known && !is_fork {
            let wrong = if changed { TreeProblemKind::Changed } else { TreeProblemKind::Copied };
            self.problem(from, wrong, again as usize, partner);
        }
        self.same[again as usize] = first;
        // Readers that index entries by name keep the last one.
        let (more, marks) = (from.rows_of(again).len(), new.marks);
        let better = old.marks.has(EntryMarks::UNFINISHED) && !marks.has(EntryMarks::UNFINISHED);
        let fuller = better || more > from.rows_of(self.content[first as usize]).len();
        let wins = changed || !known && fuller;
        if changed || !known {
            self.replaced.push(if wins { self.content[first as usize] } else { again });
        }
        if wins {
            self.content[first as usize] = again;
            from.entries[first as usize].marks = marks;
        }
        if changed {
            from.entries[first as usize].marks.set(EntryMarks::EDITED);
        }
    }

    fn problem(&mut self, from: &TreeBuilder, kind: TreeProblemKind, ix: usize, partner: Option<Place>) {
        let entry = &from.entries[ix];
        self.problems.push(TreeProblem { kind, at: entry.at, record: entry.record, partner });
    }

    /// Cuts cycles of parents: the entry that is stored first becomes a root.
    fn cut_cycles(&mut self, from: &TreeBuilder) {
        for (first, parent) in cycles::cut(&mut self.parent) {
            self.problem(from, TreeProblemKind::Cycle, first as usize, Some(from.entries[parent as usize].at));
        }
    }

    /// All entries, parents before children, otherwise in stored order.
    fn parents_first(&self) -> Vec<u32> {
        let mut order = Vec::with_capacity(self.parent.len());
        let mut done = vec![false; self.parent.len()];
        let mut trail = Vec::new();
        for start in 0..self.parent.len() as u32 {
            let mut at = start;
            while at != NO_NODE && !done[at as usize] {
                done[at as usize] = true;
                trail.push(at);
                at = self.parent[at as usize];
            }
            order.extend(trail.drain(..).rev());
        }
        order
    }
}

/// The entries that make up each node.
struct EntryGroups {
    /// The first entry of the group that an entry belongs to; [`NO_NODE`] for links above the first item.
    of: Vec<u32>,
    /// Marks that a group inherits from the links above it.
    carried: Vec<EntryMarks>,
    /// The outputs that answer a response, by its group.
    batches: HashMap<u32, u32>,
}

#[expect(clippy::indexing_slicing, reason = "lists have a place for each entry; links are their numbers")]
impl EntryGroups {
    fn new(from: &TreeBuilder, links: &EntryLinks, order: &[u32], joined: &[u32]) -> EntryGroups {
        let mut groups = EntryGroups {
            of: vec![NO_NODE; order.len()],
            carried: vec![EntryMarks::default(); order.len()],
            batches: HashMap::default(),
        };
        // (group of the parent, message) of each response, and the outputs that answer a response.
        let mut lines: HashMap<(u32, &str), u32> = HashMap::default();
        let mut batches: HashMap<u32, u32> = HashMap::default();
        let mut answered: HashSet<(u32, u64)> = HashSet::default();
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

/// Makes the nodes, in the order in which their first entries are stored.
#[expect(clippy::indexing_slicing, reason = "lists have a place for each entry; links are their numbers")]
fn lay_out(mut from: TreeBuilder, mut links: EntryLinks, groups: EntryGroups, ranks: &[u32]) -> Forest {
    let count = from.entries.len();
    let mut node_of = vec![NO_NODE; count];
    let mut nodes = 0;
    // The node of each member, and the member.
    let mut members: Vec<(u32, u32)> = Vec::with_capacity(count);
    for ix in 0..count {
        let group = groups.of[ix];
        if group == NO_NODE || from.entries[ix].part == EntryRole::Link {
            continue;
        }
        if node_of[group as usize] == NO_NODE {
            node_of[group as usize] = nodes;
            nodes += 1;
        }
        members.push((node_of[group as usize], ix as u32));
    }
    // Lines of one response may be stored in another order than that of their links.
    members.sort_by_key(|(node, member)| (*node, ranks[*member as usize]));
    let summarised = summarised(&from.entries, &std::mem::take(&mut links.names));
    let replaced =
        links.replaced.iter().map(|ix| (from.entries[*ix as usize].at, from.entries[*ix as usize].record));
    let mut forest = Forest { problems: links.problems, replaced: replaced.collect(), ..Forest::default() };
    forest.nodes.reserve_exact(nodes as usize);
    forest.rows.reserve_exact(from.rows.len());
    let mut heads = vec![NO_NODE; nodes as usize];
    for (group, node) in node_of.iter().enumerate().filter(|(_, node)| **node != NO_NODE) {
        heads[*node as usize] = group as u32;
    }
    for (head, members) in heads.iter().zip(members.chunk_by_mut(|(a, _), (b, _)| a == b)) {
        let head = *head as usize;
        if from.entries[head].part == EntryRole::Exchange {
            members.sort_by_key(|(_, member)| from.entries[*member as usize].part != EntryRole::Input);
        }
        let start = forest.rows.len() as u32;
        let mut entry = from.entries[head].take_content();
        let mut names = smallvec![std::mem::take(&mut entry.name)];
        let asked = members.len() > 1 && entry.part == EntryRole::Exchange;
        // The settings of the request are used, not those that the response repeats.
        let mut repeated = if asked { (entry.body.take(), entry.model.take()) } else { (None, None) };
        for &(_, member) in members.iter() {
            if links.same[member as usize] != member {
                continue;
            }
            forest.rows.extend_from_slice(from.rows_of(links.content[member as usize]));
            if member as usize == head {
                names.extend(entry.response.clone());
                entry.body = entry.body.or(repeated.0.take());
                entry.model = entry.model.or_else(|| repeated.1.take());
                continue;
            }
            let own = from.entries[member as usize].take_content();
            names.push(own.name);
            names.extend(own.response.clone());
            entry.marks.set(own.marks);
            entry.response = entry.response.or(own.response);
            entry.model = entry.model.or(own.model);
            entry.time = own.time.max(entry.time);
            entry.config = entry.config.or(own.config);
            entry.store = entry.store.or(own.store);
            entry.body = entry.body.or(own.body);
        }
        entry.marks.set(groups.carried[head]);
        let up = links.parent[head];
        let up = if up == NO_NODE { NO_NODE } else { groups.of[up as usize] };
        // An entry after a response comes after the outputs of its calls, whichever of their lines it names.
        let batch = groups.batches.get(&up).filter(|batch| entry.thread != 0 && **batch as usize != head);
        let up = match batch.filter(|_| !is_results(from.rows_of(links.content[head]))) {
            Some(batch) => *batch,
            None => up,
        };
        let parent = if up == NO_NODE { NO_NODE } else { node_of[up as usize] };
        forest.nodes.push(TreeNode {
            missing: links.missing[head].then(|| entry.parent.clone()).flatten(),
            entry,
            names: distinct(names),
            parent,
            children: smallvec![],
            rows: start..forest.rows.len() as u32,
        });
    }
    forest.cut_cycles();
    if let Some(leaf) = summarised.map(|leaf| groups.of[leaf]).filter(|group| *group != NO_NODE) {
        trim(&mut forest, node_of[leaf as usize]);
    }
    let current = (0..count).rev().find(|ix| {
        let entry = &from.entries[*ix];
        groups.of[*ix] != NO_NODE && entry.part != EntryRole::Link && !entry.marks.has(EntryMarks::SIDE)
    });
    let current = current.map(|ix| node_of[groups.of[ix] as usize]);
    // Frees memory for the names of the nodes.
    drop(from);
    forest.link(current);
    forest
}
