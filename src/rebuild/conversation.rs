//! From docs to conversations. Requests and responses that are linked by the server's ids make one conversation, however
//! many files they lie in; any other doc is one by itself.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

use crate::convert::session;
use crate::format::{Format, FormatInfo};
use crate::history::tree::{Builder, Forest};
use crate::history::{Finding, Flags, Row};
use crate::json::Val;
use crate::judge::Options;
use crate::place::{DocId, Place};
use crate::read::Texts;
use crate::source::{Container, Doc};

use super::nodes;

/// A doc, and what was found while it was read.
pub struct Part {
    pub doc: Doc,
    pub container: Container,
    pub format: Option<&'static dyn Format>,
    pub raised: Vec<Finding>,
    pub records: u32,
}

/// A tree, and the docs that its texts lie in.
pub struct Conversation {
    pub parts: Vec<Part>,
    pub forest: Forest,
}

impl Conversation {
    /// Reads docs, in their order; each is closed before the next is asked for. `options` gives each doc's own.
    pub fn read<'o>(
        docs: impl IntoIterator<Item = Doc>,
        options: impl Fn(&str) -> &'o Options,
    ) -> io::Result<Vec<Conversation>> {
        let mut all: Vec<Gathered> = Vec::new();
        let mut chained: Option<usize> = None;
        for doc in docs {
            let mut builder = Builder::default();
            builder.file(stem(&doc.label));
            let found = nodes::gather(doc.id, &*doc.bytes, &options(&doc.label).read, &mut builder)?;
            doc.bytes.close();
            // A log that is replayed is sent whole.
            if found.format.is_some_and(|format| format.info().dialect.info().log.is_some()) {
                builder.unchain();
            }
            let part = Part {
                doc,
                container: found.container,
                format: found.format,
                raised: found.raised,
                records: found.records,
            };
            match chained.filter(|_| builder.is_chained()).and_then(|ix| all.get_mut(ix)) {
                Some((parts, known)) => {
                    parts.push(part);
                    known.append(builder);
                }
                None => {
                    if builder.is_chained() {
                        chained = Some(all.len());
                    }
                    all.push((vec![part], builder));
                }
            }
        }
        let all = forks(all);
        let conversation = |(parts, builder): (_, Builder)| Conversation { parts, forest: builder.finish() };
        Ok(all.into_iter().map(conversation).collect())
    }

    pub fn part(&self, doc: DocId) -> Option<&Part> {
        self.parts.iter().find(|part| part.doc.id == doc)
    }

    /// The format of the doc that a row lies in.
    pub fn info(&self, doc: DocId) -> Option<&'static FormatInfo> {
        self.part(doc)?.format.map(|format| format.info())
    }

    /// Calls `see` with the value of an item.
    pub fn item<T>(&self, row: &Row, see: impl FnOnce(Val<'_>) -> T) -> Option<T> {
        self.see(row.at, row.has(Flags::EMBEDDED), see)
    }

    /// Calls `see` with the value at a place.
    pub fn see<T>(&self, at: Place, embedded: bool, see: impl FnOnce(Val<'_>) -> T) -> Option<T> {
        let part = self.part(at.doc)?;
        Texts::new(&*part.doc.bytes, part.format?.info().dialect).see(at, embedded, see)
    }

    /// Whether requests can be made of the rows on a node's path: they are Responses items, or blocks, or those
    /// of a log. Dialects that name the parts of an item in their own way store something else.
    pub fn is_rebuilt(&self, at: u32) -> bool {
        let path = self.forest.path(at);
        path.iter().flat_map(|node| self.forest.rows_of(*node)).all(|row| {
            let Some(info) = self.info(row.at.doc) else { return false };
            let own = || {
                self.item(row, |val| info.dialect.info().names.is_some_and(|names| names(val).is_some()))
                    .unwrap_or(false)
            };
            let is_read = session::is_session(info) || info.dialect.info().log.is_some();
            is_read || info.dialect.info().name == "responses" && !own()
        })
    }

    /// What it is called.
    pub fn title(&self) -> String {
        match self.parts.as_slice() {
            [part] => part.doc.label.clone(),
            parts => format!("{} files", parts.len()),
        }
    }
}

/// Docs, and what they hold of a tree.
type Gathered = (Vec<Part>, Builder);

/// Puts sessions together that were forked from one another: the file of a fork begins with the lines of the other.
fn forks(all: Vec<Gathered>) -> Vec<Gathered> {
    let told: Vec<(BTreeSet<String>, BTreeSet<String>)> = all
        .iter()
        .map(|(_, builder)| {
            let (own, from) = builder.sessions();
            let owned = |set: BTreeSet<&str>| set.into_iter().map(str::to_owned).collect();
            (owned(own), owned(from))
        })
        .collect();
    let mut owners: HashMap<&str, Vec<usize>> = HashMap::new();
    for (ix, (own, from)) in told.iter().enumerate() {
        own.iter().chain(from).for_each(|id| owners.entry(id).or_default().push(ix));
    }
    // The tree that each is of, by the first of its files; files that are no forks come first in it.
    let mut tree: Vec<usize> = (0..all.len()).collect();
    let forked: BTreeSet<&String> = told.iter().flat_map(|(_, from)| from).collect();
    for id in forked {
        let of = owners.get(id.as_str()).map_or(&[][..], Vec::as_slice);
        let joined: BTreeSet<usize> = of.iter().filter_map(|ix| tree.get(*ix).copied()).collect();
        let Some(&first) = joined.first() else { continue };
        tree.iter_mut().filter(|tree| joined.contains(tree)).for_each(|tree| *tree = first);
    }
    if tree.iter().enumerate().all(|(ix, tree)| ix == *tree) {
        return all;
    }
    let mut groups: BTreeMap<usize, Vec<(usize, Gathered)>> = BTreeMap::new();
    for ((ix, one), tree) in all.into_iter().enumerate().zip(tree) {
        groups.entry(tree).or_default().push((ix, one));
    }
    let join = |mut group: Vec<(usize, Gathered)>| {
        group.sort_by_key(|(ix, _)| (told.get(*ix).is_some_and(|(_, from)| !from.is_empty()), *ix));
        let (mut parts, mut builder) = (Vec::new(), Builder::default());
        for (_, (own, more)) in group {
            parts.extend(own);
            builder.append(more);
        }
        (parts, builder)
    };
    groups.into_values().map(join).collect()
}

/// Words in file names that tell a request from its response.
const WORDS: [&str; 13] = [
    "request", "response", "req", "res", "resp", "sse", "stream", "chunks", "body", "events", "json", "jsonl",
    "txt",
];

/// What a file is called but for the words that tell requests from responses.
fn stem(label: &str) -> u64 {
    let name = label.rsplit(['/', '\\']).next().unwrap_or(label).to_ascii_lowercase();
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !WORDS.contains(word));
    crate::json::fingerprint_of(words.collect::<Vec<_>>().join(".").as_bytes())
}
