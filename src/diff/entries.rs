//! What a doc holds, as entries that can be compared: its items where both sides speak one dialect, else what every
//! dialect says in its own words: texts, calls, results, reasoning.

use std::io;

use crate::dialect::{Body, Shape};
use crate::format::{FormatInfo, Histories};
use crate::history::{Finding, Remedy};
use crate::json::Val;
use crate::judge::{self, Keep, Options};
use crate::message::{Aside, LossKind, Losses, Thread};
use crate::place::{DocId, Place};
use crate::read::Texts;
use crate::source::ReadAt;
use crate::target::Severity;

use super::entry::{Entry, Grammar, Locate};
use super::said;
use super::same::{INSTRUCTIONS, spelled};
use super::shared;

/// A history and its dialect.
pub struct Told {
    pub dialect: &'static str,
    /// What tells it from others of its doc, where the doc says so.
    pub label: Option<Box<str>>,
    /// It is a branch of a tree: others begin with the same items.
    pub is_branch: bool,
    pub entries: Vec<Entry>,
    /// The other members of the request around it: model, tools, settings.
    pub members: Vec<Entry>,
    pub unsent: Vec<Left>,
}

/// Something that a doc holds and its agent does not send.
#[derive(Clone, Debug)]
pub struct Left {
    pub why: &'static str,
    pub at: Place,
    /// Number of the record, from 1.
    pub record: u32,
    pub pointer: String,
}

/// In which words two histories are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Words {
    /// Item by item, as they stand.
    Own,
    /// In words that all dialects share.
    Shared,
}

/// All histories of a doc, and how many records could not be read.
pub fn read(id: DocId, bytes: &dyn ReadAt, options: &Options, words: Words) -> io::Result<(Vec<Told>, u32)> {
    let mut options = judge::unjudged(options);
    (options.read.coverage, options.read.unsent) = (true, true);
    let found = judge::judge(id, bytes, &options, 1, &Keep)?;
    let unread = found.judged.iter().filter(|judged| judged.severity == Severity::Error).count();
    let told = found.made.iter().map(|kept| {
        let texts = Texts::new(bytes, kept.info.dialect);
        // Whoever has the source in memory has room for its entries.
        let mut teller = Teller::new(kept.info, words, bytes.in_memory().is_none());
        let mut starts: Vec<(u64, u32)> = kept.rows.iter().map(|row| (row.at.start, row.record)).collect();
        starts.sort_unstable();
        let record = |at: Place| {
            let ix = starts.partition_point(|(start, _)| *start <= at.start);
            starts.get(ix.saturating_sub(1)).map_or(1, |(_, record)| record + 1)
        };
        let mut take = |body: &Body<'_>, _| teller.body(body, &record);
        judge::each_piece(&texts, &kept.rows, &kept.settings, id, &mut take)?;
        let mut told = teller.finish(bytes, &record)?;
        told.entries.extend(unwritten(&kept.settings.lost, bytes)?);
        Ok(Told { label: kept.settings.label.clone(), unsent: unsent(&kept.settings.lost), ..told })
    });
    Ok((told.collect::<io::Result<_>>()?, unread as u32))
}

/// What is not sent, in the order of the doc.
fn unsent(lost: &[Finding]) -> Vec<Left> {
    let left = |finding: &Finding| {
        let Remedy::Never(why) = finding.remedy else { return None };
        let (at, record) = (finding.row.at, finding.row.record + 1);
        Some(Left { why, at, record, pointer: String::new() })
    };
    let notes = lost.iter().filter(|finding| LossKind::of(finding) == LossKind::NOT_SENT);
    let mut unsent: Vec<Left> = notes.filter_map(left).collect();
    unsent.sort_by_key(|left| left.at.order());
    unsent
}

/// What a translated store holds and no message says, as its JSON text: two files that differ in it are not the same.
fn unwritten(lost: &[Finding], bytes: &dyn ReadAt) -> io::Result<Vec<Entry>> {
    let entry = |finding: &Finding| {
        let (at, mut text) = (finding.row.at, Vec::new());
        bytes.read_into(at.start, at.len as usize, &mut text)?;
        Ok(Entry::new(UNWRITTEN.to_owned(), None, Grammar::Shared, text, at, finding.row.record + 1))
    };
    // What is not sent either way makes no difference, nor does what an entry of a batch is called.
    let without = [LossKind::NOT_SENT, LossKind::ENTRY_NAME, LossKind::CHUNK];
    let makes_a_difference = |finding: &&Finding| !without.contains(&LossKind::of(finding));
    lost.iter().filter(makes_a_difference).map(entry).collect()
}

const UNWRITTEN: &str = "not in a message";

struct Teller {
    info: &'static FormatInfo,
    words: Words,
    /// Members of the request that instruct: they come before its items, wherever they are.
    instructions: Vec<Entry>,
    entries: Vec<Entry>,
    members: Vec<Entry>,
    conversation: Thread,
    losses: Losses,
    /// Texts go to a file if they are too many for memory, and may.
    aside: Option<Aside>,
}

impl Teller {
    fn new(info: &'static FormatInfo, words: Words, spills: bool) -> Self {
        Teller {
            info,
            words,
            instructions: Vec::new(),
            entries: Vec::new(),
            members: Vec::new(),
            conversation: Thread::default(),
            losses: Losses::default(),
            aside: spills.then(Aside::default),
        }
    }

    fn body(&mut self, body: &Body<'_>, locate: Locate<'_>) {
        if self.words == Words::Shared {
            self.info.dialect.read(*body, &mut self.conversation, &mut self.losses);
            if self.aside.is_some() {
                self.conversation.put_away();
            }
            return;
        }
        match body.shape {
            Shape::Item => self.item(body, body.val, locate),
            Shape::List => body.val.elements().for_each(|val| self.item(body, val, locate)),
            Shape::Request => {
                let list_key = self.info.dialect.info().capabilities.list_key;
                for member in body.val.members().filter(|member| !member.key.is(list_key.as_bytes())) {
                    self.member(body, &member.key.decode(), member.val, locate);
                }
                match body.val.get(list_key) {
                    Some(list) if list.is_array() => {
                        list.elements().for_each(|val| self.item(body, val, locate));
                    }
                    Some(val) => self.item(body, val, locate),
                    None => {}
                }
            }
        }
    }

    fn member(&mut self, body: &Body<'_>, key: &[u8], val: Val<'_>, locate: Locate<'_>) {
        let dialect = self.info.dialect.info().name;
        let name = String::from_utf8_lossy(&spelled(dialect, key)).into_owned();
        let instructs = INSTRUCTIONS.contains(&name.as_str()) && !val.is_null();
        let at = body.base.of(val);
        let entry = Entry::new(name, None, Grammar::Member(dialect), val.raw().to_vec(), at, locate(at));
        if instructs { self.instructions.push(entry) } else { self.members.push(entry) }
    }

    fn item(&mut self, body: &Body<'_>, val: Val<'_>, locate: Locate<'_>) {
        let text =
            |key: &str| val.get(key).and_then(|v| v.text()).map(|t| String::from_utf8_lossy(&t).into_owned());
        let kind = text("type").filter(|kind| kind != "message").unwrap_or_else(|| match text("role") {
            Some(role) => format!("message ({role})"),
            None => "item".to_owned(),
        });
        let at = body.base.of(val);
        let grammar = Grammar::Item(self.info.dialect.info().name);
        let entry = Entry::new(kind, identity(val), grammar, val.raw().to_vec(), at, locate(at));
        let ids = if entry.id.is_some() { said::ids(val) } else { Vec::new() };
        let entry = put_away(&mut self.aside, Entry { ids, ..entry });
        self.entries.push(entry);
    }

    fn finish(mut self, bytes: &dyn ReadAt, locate: Locate<'_>) -> io::Result<Told> {
        if self.words == Words::Shared {
            let mut aside = |entry| put_away(&mut self.aside, entry);
            (self.entries, self.members) =
                shared::tell(&self.conversation, &self.losses, bytes, locate, &mut aside)?;
        }
        self.instructions.append(&mut self.entries);
        Ok(Told {
            dialect: self.info.dialect.info().name,
            label: None,
            is_branch: matches!(self.info.histories, Histories::Tree | Histories::Session | Histories::PerNode),
            entries: self.instructions,
            members: self.members,
            unsent: Vec::new(),
        })
    }
}

/// The entry, without its text in memory if that is too much.
fn put_away(aside: &mut Option<Aside>, mut entry: Entry) -> Entry {
    if let Some(store) = aside.as_mut().and_then(|aside| aside.place_for(|| entry.text.size())) {
        entry.text.put_away(store);
    }
    entry
}

/// What pairs an item with its own self elsewhere: the id of its call before that of the item.
fn identity(val: Val<'_>) -> Option<String> {
    let lists = ["tool_calls", "content", "parts"];
    let parts = lists.iter().filter_map(|key| val.get(key)).flat_map(|list| list.elements());
    own_id(val).or_else(|| parts.into_iter().find_map(nested_id))
}

fn own_id(val: Val<'_>) -> Option<String> {
    const OWN: [&str; 5] = ["call_id", "tool_call_id", "tool_use_id", "toolUseId", "id"];
    let text = |key: &&str| val.get(key).and_then(|id| id.text()).filter(|id| !id.is_empty());
    OWN.iter().find_map(text).map(|id| String::from_utf8_lossy(&id).into_owned())
}

fn nested_id(part: Val<'_>) -> Option<String> {
    const WRAPS: [&str; 6] =
        ["toolUse", "toolResult", "functionCall", "functionResponse", "function_call", "function_response"];
    WRAPS.iter().find_map(|key| part.get(key).and_then(own_id)).or_else(|| own_id(part))
}
