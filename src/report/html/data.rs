//! What a page holds of a document: its items in one list, the histories as stretches of that list, and what was found
//! and changed, by the number of the item. `page.js` reads it.

use serde::Serialize;

use crate::diff::item::{self, Sign};
use crate::report::contract;

/// A document on the page.
#[derive(Serialize, Default)]
pub struct Doc {
    /// The command that was run.
    pub command: &'static str,
    pub path: String,
    pub format: Option<&'static str>,
    pub targets: Vec<&'static str>,
    /// Texts of the conversation are on the page.
    pub content: bool,
    pub items: Vec<Item>,
    pub histories: Vec<History>,
    /// Which output answers which call.
    pub pairs: Vec<(u32, u32)>,
    /// Items that are kept or dropped together: the first, and the one after the last.
    pub groups: Vec<(u32, u32)>,
    pub findings: Vec<Finding>,
    pub changes: Vec<Change>,
    /// Items that are not on the page, because there are too many.
    pub left_out: u64,
}

/// A history: the items that it does not share with one before it.
#[derive(Serialize, Default)]
pub struct History {
    pub number: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The item that it goes on from; `None` from the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    /// Its own items: the first, and the one after the last.
    pub start: u32,
    pub end: u32,
    /// All its items.
    pub length: u32,
    /// What a comparison says of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// An item, or a block of a message.
#[derive(Serialize, Default)]
pub struct Item {
    pub kind: String,
    /// Who made it, or what it is: the colour of its mark.
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
    /// What it says, on one line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub says: String,
    /// The item, pretty-printed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub json: String,
    /// What became of it in another document: `same`, `changed`, `moved`, `added` or `removed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fate: Option<&'static str>,
    /// How it changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Line>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A finding, at its item.
#[derive(Serialize)]
pub struct Finding {
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
pub struct Change {
    pub rule: String,
    pub item: Option<u32>,
    pub action: &'static str,
    pub what: &'static str,
    pub loss: &'static str,
    /// Where a moved item comes to be, or where a copy comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<u32>,
    /// The item before and after.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Line>,
}

/// A line of a difference: its sign (` `, `-`, `+`, `~` for lines left out), its text, and what of it changed.
#[derive(Serialize)]
pub struct Line(char, String, Vec<(usize, usize)>);

impl From<item::Line> for Line {
    fn from(line: item::Line) -> Self {
        let sign = match line.sign {
            Sign::Same => ' ',
            Sign::Removed => '-',
            Sign::Added => '+',
            Sign::Gap => '~',
        };
        Line(sign, line.text, line.marks)
    }
}
