//! The data of a document on a page: its items in one list, the histories as ranges of that list, and the findings and
//! changes, by the number of the item. `page.js` reads it.

use serde::Serialize;

use crate::diff::item::{self, Sign};
use crate::report::contract;

/// A document on the page.
#[derive(Serialize, Default)]
pub struct PageDoc {
    /// The command that was run.
    pub command: &'static str,
    pub path: String,
    pub format: Option<&'static str>,
    pub targets: Vec<&'static str>,
    /// True if texts of the conversation are on the page.
    pub content: bool,
    pub items: Vec<PageItem>,
    pub histories: Vec<PageHistory>,
    /// Calls and their outputs, by number.
    pub pairs: Vec<(u32, u32)>,
    /// Items that are kept or removed together: the first, and the one after the last.
    pub groups: Vec<(u32, u32)>,
    pub findings: Vec<PageFinding>,
    pub changes: Vec<PageChange>,
    /// Number of items that are not on the page, because there are too many.
    pub left_out: u64,
}

/// A history: the items that it does not share with one before it.
#[derive(Serialize, Default)]
pub struct PageHistory {
    pub number: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The item that it continues from; `None` if it has its own beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    /// Its own items: the first, and the one after the last.
    pub start: u32,
    pub end: u32,
    /// Number of all its items.
    pub length: u32,
    /// The notes of a comparison on it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// An item, or a block of a message.
#[derive(Serialize, Default)]
pub struct PageItem {
    pub kind: String,
    /// Its author or its type: the colour of its mark.
    pub class: &'static str,
    #[serde(skip_serializing_if = "is_false")]
    pub block: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub pointer: String,
    pub record: u32,
    pub line: u64,
    pub column: u64,
    pub bytes: u64,
    /// Its text on one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub says: String,
    /// The item, pretty-printed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub json: String,
    /// What became of it in a comparison: `same`, `changed`, `moved`, `added` or `removed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fate: Option<&'static str>,
    /// The diff of its change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<PageLine>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A finding, at its item.
#[derive(Serialize)]
pub struct PageFinding {
    #[serde(flatten)]
    pub diagnostic: contract::Diagnostic,
    /// The item that it is about; `None` if it concerns the document.
    pub item: Option<u32>,
    /// The other item that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner: Option<u32>,
    /// The HTTP status and the type of the provider's error.
    #[serde(skip_serializing_if = "is_zero")]
    pub status: u16,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub error_type: &'static str,
    /// `fixed` or `left`, where a repair was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<&'static str>,
    /// The changes that its fix makes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<u32>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_zero(n: &u16) -> bool {
    *n == 0
}

/// A change that a fix makes to an item.
#[derive(Serialize)]
pub struct PageChange {
    pub rule: String,
    pub item: Option<u32>,
    pub action: &'static str,
    pub what: &'static str,
    pub loss: &'static str,
    /// The destination of a moved item, or the source of a copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<u32>,
    /// The item before and after.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<PageLine>,
}

/// A line of a difference: its sign (` `, `-`, `+`, `~` for lines left out), its text, and the ranges that changed.
#[derive(Serialize)]
pub struct PageLine(char, String, Vec<(usize, usize)>);

impl From<item::DiffLine> for PageLine {
    fn from(line: item::DiffLine) -> Self {
        let sign = match line.sign {
            Sign::Same => ' ',
            Sign::Removed => '-',
            Sign::Added => '+',
            Sign::Gap => '~',
        };
        PageLine(sign, line.text, line.marks)
    }
}
