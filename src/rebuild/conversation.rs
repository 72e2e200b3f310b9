//! From docs to conversations. Requests and responses that are linked by ids of the server are one conversation,
//! across files; any other doc is a conversation of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use foldhash::HashMap;

use crate::convert::session;
use crate::format::{Format, FormatInfo};
use crate::history::tree::{Forest, TreeBuilder};
use crate::history::{Finding, Flags, Row};
use crate::json::Val;
use crate::judge::Options;
use crate::place::{DocId, Place};
use crate::read::TextReader;
use crate::source::{Container, Doc};

use super::nodes;

/// A doc of a conversation, with the findings from reading it.
pub struct ConversationDoc {
    pub doc: Doc,
    pub container: Container,
    pub format: Option<&'static dyn Format>,
    pub findings: Vec<Finding>,
    pub records: u32,
}

/// A conversation: a tree, and the docs that contain its texts.
pub struct Conversation {
    pub docs: Vec<ConversationDoc>,
    pub forest: Forest,
    /// The number of each doc in the list.
    numbers: HashMap<DocId, usize>,
}

impl Conversation {
    /// Reads docs in order; each is closed before the next is opened. `options` returns the options of a doc by
    /// its label.
    pub fn read<'o>(
        docs: impl IntoIterator<Item = Doc>,
        options: impl Fn(&str) -> &'o Options,
    ) -> io::Result<Vec<Conversation>> {
        let mut all: Vec<ConversationDraft> = Vec::new();
        let mut chained: Option<usize> = None;
        for doc in docs {
            let mut builder = TreeBuilder::default();
            builder.begin_file(file_stem(&doc.label));
            let found = nodes::read_nodes(doc.id, &*doc.bytes, &options(&doc.label).read, &mut builder)?;
            doc.bytes.close();
            // The history of such a log is always sent in full.
            if found.format.is_some_and(|format| format.info().dialect.info().log.is_some()) {
                builder.unchain();
            }
            let part = ConversationDoc {
                doc,
                container: found.container,
                format: found.format,
                findings: found.findings,
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
        let all = join_forks(all);
        let conversation = |(parts, builder): ConversationDraft| Conversation {
            numbers: parts.iter().enumerate().map(|(n, part)| (part.doc.id, n)).collect(),
            docs: parts,
            forest: builder.finish().split_turns(),
        };
        Ok(all.into_iter().map(conversation).collect())
    }

    pub fn doc(&self, doc: DocId) -> Option<&ConversationDoc> {
        self.docs.get(*self.numbers.get(&doc)?)
    }

    /// The format of a doc; `None` if it has none.
    pub fn info(&self, doc: DocId) -> Option<&'static FormatInfo> {
        self.doc(doc)?.format.map(|format| format.info())
    }

    /// Calls `see` with the value of an item.
    pub fn item<T>(&self, row: &Row, see: impl FnOnce(Val<'_>) -> T) -> Option<T> {
        self.see(row.at, row.has(Flags::EMBEDDED), see)
    }

    /// Calls `see` with the value at a place.
    pub fn see<T>(&self, at: Place, embedded: bool, see: impl FnOnce(Val<'_>) -> T) -> Option<T> {
        let part = self.doc(at.doc)?;
        TextReader::new(&*part.doc.bytes, part.format?.info().dialect).with_value(at, embedded, see)
    }

    /// True if requests can be made of the rows on the path of a node: they are Responses items, blocks of a
    /// session, or rows of a log. Dialects with their own names for the parts of an item store something else.
    pub fn can_be_rebuilt(&self, at: u32) -> bool {
        let path = self.forest.path(at);
        path.iter().flat_map(|node| self.forest.rows_of(*node)).all(|row| {
            let Some(info) = self.info(row.at.doc) else { return false };
            let own = || {
                self.item(row, |val| info.dialect.info().item_ids.is_some_and(|names| names(val).is_some()))
                    .unwrap_or(false)
            };
            let is_read = session::is_session(info) || info.dialect.info().log.is_some();
            is_read || info.dialect.info().name == "responses" && !own()
        })
    }

    /// A title for the user: the label of its doc, or the number of its files.
    pub fn title(&self) -> String {
        match self.docs.as_slice() {
            [part] => part.doc.label.clone(),
            parts => format!("{} files", parts.len()),
        }
    }
}

/// A conversation while it is read: its docs, and their tree.
type ConversationDraft = (Vec<ConversationDoc>, TreeBuilder);

/// Joins sessions that were forked from one another: the file of a fork begins with lines of the other.
fn join_forks(all: Vec<ConversationDraft>) -> Vec<ConversationDraft> {
    let sessions: Vec<(BTreeSet<String>, BTreeSet<String>)> = all
        .iter()
        .map(|(_, builder)| {
            let (own, from) = builder.sessions();
            let owned = |set: BTreeSet<&str>| set.into_iter().map(str::to_owned).collect();
            (owned(own), owned(from))
        })
        .collect();
    let mut owners: HashMap<&str, Vec<usize>> = HashMap::default();
    for (ix, (own, from)) in sessions.iter().enumerate() {
        own.iter().chain(from).for_each(|id| owners.entry(id).or_default().push(ix));
    }
    // The tree of each file, by the index of its first file; files that are no forks come first in it.
    let mut tree: Vec<usize> = (0..all.len()).collect();
    let forked: BTreeSet<&String> = sessions.iter().flat_map(|(_, from)| from).collect();
    for id in forked {
        let of = owners.get(id.as_str()).map_or(&[][..], Vec::as_slice);
        let joined: BTreeSet<usize> = of.iter().filter_map(|ix| tree.get(*ix).copied()).collect();
        let Some(&first) = joined.first() else { continue };
        tree.iter_mut().filter(|tree| joined.contains(tree)).for_each(|tree| *tree = first);
    }
    if tree.iter().enumerate().all(|(ix, tree)| ix == *tree) {
        return all;
    }
    let mut groups: BTreeMap<usize, Vec<(usize, ConversationDraft)>> = BTreeMap::new();
    for ((ix, one), tree) in all.into_iter().enumerate().zip(tree) {
        groups.entry(tree).or_default().push((ix, one));
    }
    let join = |mut group: Vec<(usize, ConversationDraft)>| {
        group.sort_by_key(|(ix, _)| (sessions.get(*ix).is_some_and(|(_, from)| !from.is_empty()), *ix));
        let (mut parts, mut builder) = (Vec::new(), TreeBuilder::default());
        for (_, (own, more)) in group {
            parts.extend(own);
            builder.append(more);
        }
        (parts, builder)
    };
    groups.into_values().map(join).collect()
}

/// Words in file names that distinguish a request from its response.
const WORDS: [&str; 13] = [
    "request", "response", "req", "res", "resp", "sse", "stream", "chunks", "body", "events", "json", "jsonl",
    "txt",
];

/// Fingerprint of a file name without the words that distinguish requests from responses.
fn file_stem(label: &str) -> u64 {
    let name = label.rsplit(['/', '\\']).next().unwrap_or(label).to_ascii_lowercase();
    let words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !WORDS.contains(word));
    crate::json::fingerprint_of(words.collect::<Vec<_>>().join(".").as_bytes())
}
