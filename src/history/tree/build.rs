//! From entries to nodes. Parents are resolved by name, cycles are cut, links without items are passed over, and what a
//! store spread over several lines comes together.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::history::Row;
use crate::place::Place;

use super::cycles;
use super::forks;
use super::gap::{Gap, Gaps};
use super::join::join;
use super::trim::{is_result, is_results, trim};
use super::{Entry, Forest, Marks, NO_NODE, Name, Node, Part, Problem, Wrong, distinct};

/// Takes entries and rows in the order in which they are stored.
#[derive(Default)]
pub struct Builder {
    pub(super) entries: Vec<Entry>,
    pub(super) rows: Vec<Row>,
    /// First row of each entry.
    pub(super) starts: Vec<u32>,
    /// What each entry's file is called but for the words that tell requests from responses.
    pub(super) stems: Vec<u64>,
    gaps: Vec<Gap>,
    stem: u64,
    /// The one that was named last.
    model: Option<Name>,
}

impl Builder {
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Another file begins. A request and a response whose files have one stem belong together.
    pub fn file(&mut self, stem: u64) {
        self.stem = stem;
    }

    pub fn entry(&mut self, mut entry: Entry) {
        if entry.goes_on
            && let Some(last) = self.entries.last_mut().filter(|last| last.name == entry.name)
        {
            let Entry { parent, model, store, time, body, marks, digest, .. } = entry;
            last.parent = parent.or(last.parent.take());
            last.model = model.or(last.model.take());
            last.store = store.or(last.store);
            last.time = last.time.or(time);
            last.body = body.or(last.body);
            (last.marks, last.digest) = (marks, digest);
            return;
        }
        if let Some(last) = self.entries.last() {
            entry.share(last, self.model.as_ref());
        }
        self.model = entry.model.clone().or(self.model.take());
        self.starts.push(self.rows.len() as u32);
        self.stems.push(self.stem);
        self.entries.push(entry);
    }

    /// A record could not be read.
    pub fn gap(&mut self, at: Place, record: u32) {
        self.gaps.push(Gap { at, record, before: self.entries.len() as u32 });
    }

    /// Rows of the entry that came last.
    pub fn rows(&mut self, rows: &[Row]) {
        if !self.entries.is_empty() {
            self.rows.extend_from_slice(rows);
        }
    }

    /// The rows of the entry that came last are replaced by what follows.
    pub fn reset(&mut self) {
        if let Some(start) = self.starts.last() {
            self.rows.truncate(*start as usize);
        }
    }

    /// All entries are linked by the server's ids.
    pub fn is_chained(&self) -> bool {
        !self.is_empty() && self.entries.iter().all(|entry| entry.marks.has(Marks::CHAINED))
    }

    /// The sessions that the entries were written for, and those that these were forked from.
    pub fn sessions(&self) -> (BTreeSet<&str>, BTreeSet<&str>) {
        let sessions = || self.entries.iter().filter_map(|entry| entry.session.as_deref());
        let from = sessions().filter_map(|session| session.forked_from.as_deref());
        (sessions().map(|session| &*session.id).collect(), from.collect())
    }

    /// The client that wrote this builds on no response, unless its entries say more than that they follow each other.
    pub fn unchain(&mut self) {
        let entries = self.entries.iter_mut().filter(|entry| !entry.marks.has(Marks::FOLLOWS));
        entries.for_each(|entry| entry.marks.set(Marks::UNCHAINED));
    }

    /// Takes what another one holds, as part of the file at hand.
    pub fn add(&mut self, other: Builder) {
        let stem = self.stem;
        self.append(other.with_stem(stem));
    }

    /// Takes what another one holds, of its own files.
    #[expect(clippy::indexing_slicing, reason = "the runs begin and end where entries of the other builder begin")]
    pub fn append(&mut self, other: Builder) {
        let ends = other.starts.iter().skip(1).copied().chain([other.rows.len() as u32]);
        let runs: Vec<_> = other.starts.iter().copied().zip(ends).zip(other.stems).collect();
        let own = self.stem;
        let mut gaps = other.gaps.into_iter().peekable();
        for (n, (entry, ((start, end), stem))) in (0..).zip(other.entries.into_iter().zip(runs)) {
            while let Some(gap) = gaps.next_if(|gap| gap.before <= n) {
                self.gap(gap.at, gap.record);
            }
            self.stem = stem;
            self.entry(entry);
            self.rows(&other.rows[start as usize..end as usize]);
        }
        gaps.for_each(|gap| self.gap(gap.at, gap.record));
        self.stem = own;
    }

    fn with_stem(mut self, stem: u64) -> Self {
        self.stems.fill(stem);
        self
    }

    /// Counts records from where the stretch before ended.
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
        let mut gaps = Gaps::new(&lost);
        let mut links = Links::new(&mut self, &joined, &mut gaps);
        links.cut_cycles(&self);
        let order = links.parents_first();
        links.problems.extend(gaps.problems(&links.parent, &order));
        let groups = Groups::new(&self, &links, &order, &joined);
        let mut ranks = vec![0; order.len()];
        for (entry, rank) in order.iter().zip(0..) {
            ranks.get_mut(*entry as usize).into_iter().for_each(|own| *own = rank);
        }
        lay_out(self, links, groups, &ranks)
    }
}

/// Who follows whom.
struct Links {
    /// The entry whose name counts: itself, but for a copy.
    same: Vec<u32>,
    /// Entry whose content counts.
    content: Vec<u32>,
    parent: Vec<u32>,
    missing: Vec<bool>,
    names: HashMap<Name, u32>,
    problems: Vec<Problem>,
    /// Entries that give way to another one of their name which says something else.
    replaced: Vec<u32>,
}

#[expect(clippy::indexing_slicing, reason = "lists have a place for each entry; links are their numbers")]
impl Links {
    fn new(from: &mut Builder, joined: &[u32], gaps: &mut Gaps<'_>) -> Links {
        let count = from.entries.len();
        let own: Vec<u32> = (0..count as u32).collect();
        let mut links = Links {
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
            match links.names.get(&from.entries[ix].name) {
                None => {
                    links.names.insert(from.entries[ix].name.clone(), ix as u32);
                }
                Some(&first) => links.again(from, first, ix as u32),
            }
        }
        let (mut told, mut anchored) = (HashSet::new(), HashSet::new());
        for (ix, entry) in from.entries.iter().enumerate() {
            if let Some(wrong) = entry.wrong.filter(|wrong| told.insert(*wrong)) {
                links.problem(from, wrong, ix, None);
            }
            let is_anchored = entry.thread != 0 && anchored.contains(&entry.thread);
            if entry.part != Part::Link {
                anchored.insert(entry.thread);
            }
            if entry.marks.has(Marks::FOLLOWS) {
                links.parent[ix] = (ix as u32).checked_sub(1).unwrap_or(NO_NODE);
                continue;
            }
            // A summary is no step of the conversation, and may be of another file's.
            if entry.marks.has(Marks::SUMMARY) {
                continue;
            }
            // A request is where its response is.
            if links.same[ix] != ix as u32 || joined[ix] != NO_NODE {
                continue;
            }
            let Some(name) = entry.parent.as_deref() else { continue };
            let chained = entry.marks.has(Marks::CHAINED);
            let held = || if chained { None } else { gaps.hold(name, ix as u32, &from.entries) };
            let parent = links.names.get(name).copied().or_else(held);
            match parent {
                Some(parent) => links.parent[ix] = parent,
                None => {
                    links.missing[ix] = true;
                    // What comes before a compaction is not replayed, and may be elsewhere; where no message comes before
                    // a link, nothing is lost.
                    let is_link = entry.part == Part::Link && !is_anchored;
                    let is_idle = entry.thread != 0 && (is_link || entry.marks.has(Marks::RESTART));
                    if !entry.marks.has(Marks::CHAINED) && !is_idle {
                        let wrong = if is_anchored { Wrong::Phantom } else { Wrong::MissingParent };
                        links.problem(from, wrong, ix, None);
                    }
                }
            }
        }
        links
    }

    /// A name is given for the second time.
    fn again(&mut self, from: &mut Builder, first: u32, again: u32) {
        let (old, new) = (&from.entries[first as usize], &from.entries[again as usize]);
        let known = old.digest != 0 && new.digest != 0;
        let changed = known && from.entries[self.content[first as usize] as usize].digest != new.digest;
        let partner = Some(old.at);
        // A fork begins with the lines of the session that it was forked from.
        let is_fork = !changed && old.session != new.session && old.at.doc != new.at.doc;
        if known && !is_fork {
            let wrong = if changed { Wrong::Changed } else { Wrong::Copied };
            self.problem(from, wrong, again as usize, partner);
        }
        self.same[again as usize] = first;
        // Readers that keep entries by name keep the one that came last.
        let (more, marks) = (from.rows_of(again).len(), new.marks);
        let better = old.marks.has(Marks::UNFINISHED) && !marks.has(Marks::UNFINISHED);
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
            from.entries[first as usize].marks.set(Marks::EDITED);
        }
    }

    fn problem(&mut self, from: &Builder, wrong: Wrong, ix: usize, partner: Option<Place>) {
        let entry = &from.entries[ix];
        self.problems.push(Problem { wrong, at: entry.at, record: entry.record, partner });
    }

    /// Parents that lead back to where they began: the entry that is stored first becomes a root.
    fn cut_cycles(&mut self, from: &Builder) {
        for (first, parent) in cycles::cut(&mut self.parent) {
            self.problem(from, Wrong::Cycle, first as usize, Some(from.entries[parent as usize].at));
        }
    }

    /// All entries, parents before children, else in the order in which they are stored.
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

/// Which entries make a node together.
struct Groups {
    /// The first entry of the group that an entry belongs to; [`NO_NODE`] for links above the first item.
    of: Vec<u32>,
    /// Marks that links above a group hand down to it.
    carried: Vec<Marks>,
    /// The outputs that answer a response, by its group.
    batches: HashMap<u32, u32>,
}

#[expect(clippy::indexing_slicing, reason = "lists have a place for each entry; links are their numbers")]
impl Groups {
    fn new(from: &Builder, links: &Links, order: &[u32], joined: &[u32]) -> Groups {
        let mut groups = Groups {
            of: vec![NO_NODE; order.len()],
            carried: vec![Marks::default(); order.len()],
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
            if parent != NO_NODE && from.entries[parent as usize].part == Part::Link {
                let carried = groups.carried[parent as usize];
                groups.carried[ix as usize].set(carried);
            }
            let rows = from.rows_of(links.content[ix as usize]);
            groups.of[ix as usize] = match entry.part {
                Part::Link => {
                    let handed = Marks(entry.marks.0 & Marks::RESTART.and(Marks::TRIMMED).0);
                    groups.carried[ix as usize].set(handed);
                    above
                }
                Part::Answer if entry.message.is_some() => {
                    let message = entry.message.as_deref().unwrap_or_default();
                    let is_same = |group: u32| {
                        group != NO_NODE && from.entries[group as usize].message.as_deref() == Some(message)
                    };
                    let over = |group: u32| match links.parent.get(group as usize) {
                        Some(&up) if up != NO_NODE => groups.of[up as usize],
                        _ => NO_NODE,
                    };
                    // A line may hang on an output of the call that an earlier line of its response made.
                    let beside = batches.get(&over(above)).filter(|batch| **batch == above).map(|_| over(above));
                    let found = [above, beside.unwrap_or(NO_NODE)].into_iter().find(|group| is_same(*group));
                    found.unwrap_or_else(|| *lines.entry((above, message)).or_insert(ix))
                }
                Part::Input if above != NO_NODE && is_results(rows) => {
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
        // Copies, and requests with a response, belong where the other one does.
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
fn lay_out(mut from: Builder, mut links: Links, groups: Groups, ranks: &[u32]) -> Forest {
    let count = from.entries.len();
    let mut node_of = vec![NO_NODE; count];
    let mut members: Vec<Vec<u32>> = Vec::new();
    for ix in 0..count {
        let group = groups.of[ix];
        if group == NO_NODE || from.entries[ix].part == Part::Link {
            continue;
        }
        if node_of[group as usize] == NO_NODE {
            node_of[group as usize] = members.len() as u32;
            members.push(Vec::new());
        }
        members[node_of[group as usize] as usize].push(ix as u32);
    }
    let summarised = summarised(&from, &std::mem::take(&mut links.names));
    let replaced =
        links.replaced.iter().map(|ix| (from.entries[*ix as usize].at, from.entries[*ix as usize].record));
    let mut forest = Forest { problems: links.problems, replaced: replaced.collect(), ..Forest::default() };
    let mut heads = vec![NO_NODE; members.len()];
    for (group, node) in node_of.iter().enumerate().filter(|(_, node)| **node != NO_NODE) {
        heads[*node as usize] = group as u32;
    }
    for (node, members) in members.iter_mut().enumerate() {
        let head = heads[node] as usize;
        // Lines of one response may be stored in another order than that of their links.
        members.sort_by_key(|member| ranks[*member as usize]);
        if from.entries[head].part == Part::Exchange {
            members.sort_by_key(|member| from.entries[*member as usize].part != Part::Input);
        }
        let start = forest.rows.len() as u32;
        let mut entry = from.entries[head].taken();
        let mut names = vec![std::mem::take(&mut entry.name)];
        let asked = members.len() > 1 && entry.part == Part::Exchange;
        // What the request asked for counts, not what the response repeats of it.
        let mut repeated = if asked { (entry.body.take(), entry.model.take()) } else { (None, None) };
        for &member in members.iter() {
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
            let own = from.entries[member as usize].taken();
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
        // What follows a response comes after the outputs of its calls, whichever of their lines it names.
        let batch = groups.batches.get(&up).filter(|batch| entry.thread != 0 && **batch as usize != head);
        let up = match batch.filter(|_| !is_results(from.rows_of(links.content[head]))) {
            Some(batch) => *batch,
            None => up,
        };
        let parent = if up == NO_NODE { NO_NODE } else { node_of[up as usize] };
        forest.nodes.push(Node {
            missing: links.missing[head].then(|| entry.parent.clone()).flatten(),
            entry,
            names: distinct(names),
            parent,
            children: Vec::new(),
            rows: start..forest.rows.len() as u32,
        });
    }
    forest.cut_cycles();
    if let Some(leaf) = summarised.map(|leaf| groups.of[leaf]).filter(|group| *group != NO_NODE) {
        trim(&mut forest, node_of[leaf as usize]);
    }
    let current = (0..count).rev().find(|ix| {
        let entry = &from.entries[*ix];
        groups.of[*ix] != NO_NODE && entry.part != Part::Link && !entry.marks.has(Marks::SIDE)
    });
    let current = current.map(|ix| node_of[groups.of[ix] as usize]);
    // There is room for the names of the nodes then.
    drop(from);
    forest.link(current);
    forest
}

/// The entry that the last summary leads to, if it is above it: else the summary is a title of another file.
fn summarised(from: &Builder, names: &HashMap<Name, u32>) -> Option<usize> {
    let mut summaries = from.entries.iter().enumerate().rev().filter(|(_, entry)| entry.marks.has(Marks::SUMMARY));
    summaries.find_map(|(ix, entry)| {
        let leaf = *names.get(entry.parent.as_deref()?)? as usize;
        (leaf < ix).then_some(leaf)
    })
}
