//! The histories of a document as comparable entries: its items if both sides have the same dialect, otherwise texts,
//! calls, results and reasoning in a shared vocabulary.

use std::io;

use crate::dialect::{Body, BodyShape};
use crate::format::{FormatInfo, HistoryScope};
use crate::history::{Finding, Remedy, Usage};
use crate::json::Val;
use crate::judge::{self, HistoryCollector, Options};
use crate::message::{LossKind, Losses, SpillBudget, Thread};
use crate::place::{DocId, Place};
use crate::read::TextReader;
use crate::source::ReadAt;
use crate::target::Severity;

use super::entry::{Entry, EntryGrammar, RecordLookup};
use super::equivalence::{INSTRUCTIONS, camel_case_key};
use super::meaning;
use super::shared;

/// A history as entries.
pub struct HistoryEntries {
    pub dialect: &'static str,
    /// Its name in the document; `None` if it has none.
    pub label: Option<Box<str>>,
    /// True for a branch of a tree: others begin with the same items.
    pub is_branch: bool,
    /// True if it is the request of an API, or one with its response, in the words of its dialect.
    pub is_request: bool,
    pub entries: Vec<Entry>,
    /// The other members of its request: model, tools, settings.
    pub members: Vec<Entry>,
    pub unsent: Vec<UnsentEntry>,
}

/// A part of a document that its agent does not send.
#[derive(Clone, Debug)]
pub struct UnsentEntry {
    pub why: &'static str,
    pub at: Place,
    /// Number of the record, from 1.
    pub record: u32,
    pub pointer: String,
}

/// The representation in which two histories are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Vocabulary {
    /// Items as stored.
    Own,
    /// A representation that all dialects share.
    Shared,
}

/// Reads all histories of a document; also returns the number of unreadable records.
pub fn read(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    words: Vocabulary,
) -> io::Result<(Vec<HistoryEntries>, u32)> {
    let mut options = judge::structural_options(options);
    (options.read.coverage, options.read.unsent) = (true, true);
    let found = judge::judge(id, bytes, &options, 1, &HistoryCollector)?;
    let unread = found.findings.iter().filter(|judged| judged.severity == Severity::Error).count();
    let histories = found.outputs.iter().map(|kept| {
        let texts = TextReader::new(bytes, kept.info.dialect);
        // With the source in memory, its entries fit as well.
        let mut collector = EntryCollector::new(kept.info, words, bytes.in_memory().is_none());
        let mut starts: Vec<(u64, u32)> = kept.rows.iter().map(|row| (row.at.start, row.record)).collect();
        starts.sort_unstable();
        let record = |at: Place| {
            let ix = starts.partition_point(|(start, _)| *start <= at.start);
            starts.get(ix.saturating_sub(1)).map_or(1, |(_, record)| record + 1)
        };
        let mut take = |body: &Body<'_>, _| collector.body(body, &record);
        judge::visit_parts(&texts, &kept.rows, &kept.settings, id, &mut take)?;
        let mut history = collector.finish(bytes, &record)?;
        history.entries.extend(dropped_entries(&kept.settings.conversion_losses, bytes)?);
        Ok(HistoryEntries {
            label: kept.settings.label.clone(),
            unsent: unsent(&kept.settings.conversion_losses),
            ..history
        })
    });
    Ok((histories.collect::<io::Result<_>>()?, unread as u32))
}

/// Entries that are not sent, in the order of the document.
fn unsent(lost: &[Finding]) -> Vec<UnsentEntry> {
    let left = |finding: &Finding| {
        let Remedy::Never(why) = finding.remedy else { return None };
        let (at, record) = (finding.row.at, finding.row.record + 1);
        Some(UnsentEntry { why, at, record, pointer: String::new() })
    };
    let notes = lost.iter().filter(|finding| LossKind::of(finding) == LossKind::NOT_SENT);
    let mut unsent: Vec<UnsentEntry> = notes.filter_map(left).collect();
    unsent.sort_by_key(|left| left.at.order());
    unsent
}

/// Parts of a translated store that no message contains, as JSON text: they are compared as well.
fn dropped_entries(lost: &[Finding], bytes: &dyn ReadAt) -> io::Result<Vec<Entry>> {
    let entry = |finding: &Finding| {
        let (at, mut text) = (finding.row.at, Vec::new());
        bytes.read_into(at.start, at.len as usize, &mut text)?;
        Ok(Entry::new(DROPPED_KIND.to_owned(), None, EntryGrammar::Shared, text, at, finding.row.record + 1))
    };
    // Unsent parts and the names of batch entries are not compared.
    let without = [LossKind::NOT_SENT, LossKind::ENTRY_NAME];
    let makes_a_difference = |finding: &&Finding| !without.contains(&LossKind::of(finding));
    lost.iter().filter(makes_a_difference).map(entry).collect()
}

const DROPPED_KIND: &str = "not in a message";

struct EntryCollector {
    info: &'static FormatInfo,
    vocabulary: Vocabulary,
    /// Instructions of the request, which come before its items.
    instructions: Vec<Entry>,
    entries: Vec<Entry>,
    members: Vec<Entry>,
    conversation: Thread,
    losses: Losses,
    /// Budget after which texts are spilled to a file; `None` to keep them in memory.
    spill_budget: Option<SpillBudget>,
}

impl EntryCollector {
    fn new(info: &'static FormatInfo, words: Vocabulary, spills: bool) -> Self {
        EntryCollector {
            info,
            vocabulary: words,
            instructions: Vec::new(),
            entries: Vec::new(),
            members: Vec::new(),
            conversation: Thread::default(),
            losses: Losses::default(),
            spill_budget: spills.then(SpillBudget::default),
        }
    }

    fn body(&mut self, body: &Body<'_>, locate: RecordLookup<'_>) {
        if self.vocabulary == Vocabulary::Shared {
            self.info.dialect.read(*body, &mut self.conversation, &mut self.losses);
            if self.spill_budget.is_some() {
                self.conversation.spill();
            }
            return;
        }
        match body.shape {
            BodyShape::Item => self.item(body, body.val, locate),
            BodyShape::List => body.val.elements().for_each(|val| self.item(body, val, locate)),
            BodyShape::Request => {
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

    fn member(&mut self, body: &Body<'_>, key: &[u8], val: Val<'_>, locate: RecordLookup<'_>) {
        let dialect = self.info.dialect.info().name;
        let name = String::from_utf8_lossy(&camel_case_key(dialect, key)).into_owned();
        let instructs = INSTRUCTIONS.contains(&name.as_str()) && !val.is_null();
        let at = body.base.of(val);
        let entry = Entry::new(name, None, EntryGrammar::Member(dialect), val.raw().to_vec(), at, locate(at));
        if instructs { self.instructions.push(entry) } else { self.members.push(entry) }
    }

    fn item(&mut self, body: &Body<'_>, val: Val<'_>, locate: RecordLookup<'_>) {
        let text =
            |key: &str| val.get(key).and_then(|v| v.text()).map(|t| String::from_utf8_lossy(&t).into_owned());
        let kind = text("type").filter(|kind| kind != "message").unwrap_or_else(|| match text("role") {
            Some(role) => format!("message ({role})"),
            None => "item".to_owned(),
        });
        let at = body.base.of(val);
        let grammar = EntryGrammar::Item(self.info.dialect.info().name);
        let entry = Entry::new(kind, identity(val), grammar, val.raw().to_vec(), at, locate(at));
        let ids = if entry.id.is_some() { meaning::ids(val) } else { Vec::new() };
        let entry = spill(&mut self.spill_budget, Entry { ids, ..entry });
        self.entries.push(entry);
    }

    fn finish(mut self, bytes: &dyn ReadAt, locate: RecordLookup<'_>) -> io::Result<HistoryEntries> {
        if self.vocabulary == Vocabulary::Shared {
            let mut keep = |entry| spill(&mut self.spill_budget, entry);
            (self.entries, self.members) =
                shared::collect_entries(&self.conversation, &self.losses, bytes, locate, &mut keep)?;
        }
        self.instructions.append(&mut self.entries);
        Ok(HistoryEntries {
            dialect: self.info.dialect.info().name,
            label: None,
            is_branch: matches!(
                self.info.histories,
                HistoryScope::Tree | HistoryScope::Session | HistoryScope::PerNode
            ),
            is_request: self.info.usage != Usage::Log && self.vocabulary == Vocabulary::Own,
            entries: self.instructions,
            members: self.members,
            unsent: Vec::new(),
        })
    }
}

/// Spills the text of an entry to a file if it exceeds the budget.
fn spill(budget: &mut Option<SpillBudget>, mut entry: Entry) -> Entry {
    if let Some(store) = budget.as_mut().and_then(|budget| budget.file_for(|| entry.text.size())) {
        entry.text.spill(store);
    }
    entry
}

/// The id that identifies an item: its call id, otherwise its item id.
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
