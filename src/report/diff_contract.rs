//! What `diff` says to programs: the structs of its JSON, which the library returns as well.

use serde::Serialize;

use crate::diff::compare;

/// The difference of two documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diff {
    /// Version of the contract.
    pub version: u32,
    /// Of all histories.
    pub summary: DiffSummary,
    /// True if histories without distinct names are in a different order.
    pub reordered: bool,
    /// History by history, in order.
    pub histories: Vec<HistoryDiff>,
}

/// Numbers of items by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DiffSummary {
    /// Items with the same content.
    pub same: u64,
    /// Items that changed in place.
    pub changed: u64,
    /// Items at another position in the history.
    pub moved: u64,
    /// Items that are only in the second document.
    pub added: u64,
    /// Items that are only in the first one.
    pub removed: u64,
    /// Ids that were renamed consistently. The items count as the same.
    pub renamed: u64,
    /// Settings that differ, and tools.
    pub settings: u64,
    /// Histories that are only in one of the documents.
    pub unpaired: u64,
}

impl DiffSummary {
    /// True if anything differs.
    pub fn differs(&self) -> bool {
        self.changed + self.moved + self.added + self.removed + self.renamed + self.settings + self.unpaired > 0
    }
}

/// Two histories, or one that has no counterpart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HistoryDiff {
    /// Its number in the first document, from 0; `None` if it is only in the second one.
    pub before: Option<u64>,
    /// Its number in the second document.
    pub after: Option<u64>,
    /// Its label in the document: the entry of a batch, a choice.
    pub label: Option<String>,
    /// Of this history.
    pub summary: DiffSummary,
    /// Number of items that the second document has after the end of the first one.
    pub appended: u64,
    /// Where the provider's prompt cache ends, if a request changed before its end.
    pub cache: Option<CacheLoss>,
    /// The items that differ.
    pub entries: Vec<EntryDiff>,
    /// Ids that were renamed.
    pub renamed: Vec<RenamedId>,
    /// The settings of the request that differ.
    pub settings: Vec<SettingDiff>,
    /// Items of the documents that their agents do not send; they count as no difference.
    pub unsent: Vec<UnsentDiff>,
}

/// An item of one document that its agent does not send.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnsentDiff {
    /// The document that it is in: `before` or `after`.
    pub side: &'static str,
    /// Why it is not sent.
    pub reason: &'static str,
    /// Number of the record, from 1.
    pub record: u32,
    /// JSON Pointer within the record.
    pub pointer: String,
    /// Its length in bytes.
    pub bytes: u64,
}

/// An id that was renamed everywhere in the second document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RenamedId {
    /// `call` or `item`.
    pub of: &'static str,
    /// In the first document.
    pub before: String,
    /// In the second one.
    pub after: String,
    /// Number of items that have it.
    pub items: u64,
}

/// A setting of a request, or a part of one, that is not the same on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SettingDiff {
    /// `changed`, `added` or `removed`.
    pub action: &'static str,
    /// The member of the request, or `tool` with its name.
    pub name: String,
    /// The part of it, as names joined by dots; `None` if all of it.
    pub part: Option<String>,
    /// Its value in the first document as JSON, texts masked.
    pub before: Option<String>,
    /// Its value in the second one.
    pub after: Option<String>,
    /// The words that changed, if it is a long text.
    pub words: Vec<WordReplacement>,
}

/// A member of an item that is not the same on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValueDiff {
    /// `changed`, `added` or `removed`.
    pub action: &'static str,
    /// Its path in the item, as names joined by dots; empty for all of it. JSON in a text has paths as well.
    pub path: String,
    /// Its value in the first document as JSON, texts and numbers masked.
    pub before: Option<String>,
    /// Its value in the second one.
    pub after: Option<String>,
    /// The words that changed, if it is a long text.
    pub words: Vec<WordReplacement>,
}

/// Words of a text that were replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WordReplacement {
    /// The line of the text before that they are in, from 1.
    pub line: u64,
    /// The character of the text before at which they begin, from 1.
    pub character: u64,
    /// The words in the first document, masked; empty if words were only added.
    pub before: String,
    /// The words in the second one.
    pub after: String,
}

/// The first difference before the end of a request: the provider has cached what precedes it, and nothing after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CacheLoss {
    /// The model, the tool, the setting or the type of the item that differs.
    pub at: String,
    /// Where the item is in the second document, or in the first one if it was removed; `None` for a setting.
    pub pointer: Option<String>,
    /// Number of items before it, which are still in the cache.
    pub kept: u64,
}

/// An item, or instructions of a request, that are not the same on both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EntryDiff {
    /// `changed`, `moved`, `added` or `removed`.
    pub action: &'static str,
    /// True if its content differs.
    pub changed: bool,
    /// The type of the item, or the name of the member.
    pub kind: String,
    /// The id by which it was matched.
    pub id: Option<String>,
    /// Where it is in the first document.
    pub before: Option<Side>,
    /// Where it is in the second one.
    pub after: Option<Side>,
    /// What changed in it; all of it, if it was added or removed.
    pub changes: Vec<ValueDiff>,
}

/// The location of an item in one of two documents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Side {
    /// Number of the record, from 1.
    pub record: u32,
    /// JSON Pointer within the record.
    pub pointer: String,
    /// Its length in bytes.
    pub bytes: u64,
}

impl From<compare::DiffCounts> for DiffSummary {
    fn from(from: compare::DiffCounts) -> Self {
        DiffSummary {
            same: from.same,
            changed: from.changed,
            moved: from.moved,
            added: from.added,
            removed: from.removed,
            renamed: from.renamed,
            settings: from.settings,
            unpaired: from.unpaired,
        }
    }
}
