//! Finds the items that an error names: by their id or the id that pairs them, or by their index in the request.

use std::io;

use crate::history::{Flags, Row};
use crate::json::{Val, fingerprint_of};
use crate::judge::{HistoryVisitor, JudgedDoc, JudgedHistory};
use crate::place::{DocId, Place};
use crate::read::TextReader;
use crate::source::ReadAt;

use super::Location;
use super::locator::locate_places;
use super::locator::pointers;
use super::mask;

/// The items that an error names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorReference {
    pub ids: Vec<String>,
    /// The list and the index in it: `input[3]`, `messages.3`.
    pub index: Option<(&'static str, u32)>,
}

/// Lists that providers name items by.
const LISTS: [&str; 3] = ["input", "messages", "contents"];

impl ErrorReference {
    /// The first `input[3]`, `messages.[3]` or `contents.3` of a text.
    pub fn find_index(text: &str) -> Option<(&'static str, u32)> {
        let of_list = |list: &'static str| {
            text.match_indices(list).find_map(|(at, _)| {
                let rest = text[at + list.len()..].trim_start_matches('.');
                let inside = rest.len() < text.len() - at - list.len() || rest.starts_with('[');
                let rest = rest.strip_prefix('[').unwrap_or(rest);
                let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let index = rest[..digits.min(9)].parse().ok()?;
                inside.then_some((at, (list, index)))
            })
        };
        LISTS.iter().filter_map(|list| of_list(list)).min_by_key(|(at, _)| *at).map(|(_, found)| found)
    }

    pub fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.index.is_none()
    }
}

/// An item that an error names.
#[derive(Clone, Debug)]
pub struct NamedItem {
    pub row: Row,
    /// Number of its history in the document, from 0.
    pub history: u32,
    /// Number of the item in its history, from 0.
    pub index: u32,
    pub location: Location,
    /// Type and ids.
    pub name: String,
}

/// Collects the rows that may be meant, history by history.
pub struct ReferencedRows {
    ids: Vec<u64>,
    /// Collects every row, to find the one whose pointer has the index.
    all: bool,
}

impl ReferencedRows {
    pub fn new(wanted: &ErrorReference) -> Self {
        let ids = wanted.ids.iter().map(|id| fingerprint_of(id.as_bytes())).collect();
        ReferencedRows { ids, all: wanted.ids.is_empty() && wanted.index.is_some() }
    }
}

/// A row that may be meant, its history, and its index there.
#[derive(Clone, Copy)]
pub struct CandidateRow {
    row: Row,
    history: u32,
    index: u32,
}

impl HistoryVisitor for ReferencedRows {
    type Output = Vec<CandidateRow>;

    fn visit(&self, case: &JudgedHistory<'_>) -> Option<Vec<CandidateRow>> {
        let JudgedHistory { cx, number, .. } = *case;
        let fits = |row: &Row| self.all || self.ids.contains(&row.id) || self.ids.contains(&row.key);
        let rows = cx.history.rows.iter().enumerate().filter(|(_, row)| fits(row));
        let seen: Vec<CandidateRow> =
            rows.map(|(index, row)| CandidateRow { row: *row, history: number, index: index as u32 }).collect();
        (!seen.is_empty()).then_some(seen)
    }

    fn renumber(made: &mut Vec<CandidateRow>, by: u32) {
        made.iter_mut().for_each(|seen| seen.history += by);
    }
}

/// The items that are meant, in the order of the document.
pub fn find_items(
    id: DocId,
    bytes: &dyn ReadAt,
    lint: &JudgedDoc<Vec<CandidateRow>>,
    wanted: &ErrorReference,
) -> io::Result<Vec<NamedItem>> {
    let mut seen: Vec<CandidateRow> = lint.outputs.iter().flatten().copied().collect();
    let texts = TextReader::new(bytes, super::diagnose::dialect_of(lint));
    if !wanted.ids.is_empty() {
        // Fingerprints may collide; texts decide.
        seen.retain(|seen| texts.with_item(&seen.row, |item| has_id(item, &wanted.ids, 3)).unwrap_or(false));
    } else if let Some((list, index)) = wanted.index {
        seen = at_index(id, bytes, lint, &seen, list, index)?;
    }
    seen.sort_by_key(|seen| (seen.row.at.start, seen.history));
    // Branches share what comes before their fork.
    seen.dedup_by_key(|seen| seen.row.at);
    let places: Vec<(Place, Flags)> = seen.iter().map(|seen| (seen.row.at, seen.row.flags)).collect();
    let locations = locate_places(id, bytes, lint.container, &lint.lines, &places)?;
    let one = |seen: CandidateRow| NamedItem {
        row: seen.row,
        history: seen.history,
        index: seen.index,
        location: locations.get(&seen.row.at).cloned().unwrap_or_default(),
        name: name(&texts, &seen.row),
    };
    Ok(seen.into_iter().map(one).collect())
}

/// Items whose pointer has the index. In a log no pointer has it: there the item's number in its history is meant.
fn at_index(
    id: DocId,
    bytes: &dyn ReadAt,
    lint: &JudgedDoc<Vec<CandidateRow>>,
    seen: &[CandidateRow],
    list: &str,
    index: u32,
) -> io::Result<Vec<CandidateRow>> {
    let places: Vec<(Place, Flags)> = seen.iter().map(|seen| (seen.row.at, seen.row.flags)).collect();
    let pointers = pointers(id, bytes, lint.container, &places)?;
    let step = format!("/{list}/{index}");
    let points_to = |seen: &&CandidateRow| {
        let pointer = pointers.get(&seen.row.at).map(|pointer| format!("{}/", pointer.outer)).unwrap_or_default();
        pointer.contains(&format!("{step}/"))
    };
    let pointed: Vec<CandidateRow> = seen.iter().filter(points_to).copied().collect();
    if pointed.is_empty() && list == "input" {
        return Ok(seen.iter().filter(|seen| seen.index == index).copied().collect());
    }
    Ok(pointed)
}

/// True if a member of an item, or of its blocks to a number of levels, is one of the ids.
fn has_id(item: Val<'_>, ids: &[String], levels: u32) -> bool {
    let is_one = |val: Val<'_>| val.text().is_some_and(|text| ids.iter().any(|id| id.as_bytes() == &*text));
    item.members().any(|member| is_one(member.val))
        || levels > 0
            && item
                .members()
                .map(|member| member.val)
                .chain(item.elements())
                .any(|val| has_id(val, ids, levels - 1))
}

fn name(texts: &TextReader<'_>, row: &Row) -> String {
    let text = |val: Option<Val<'_>>, mask: fn(&str) -> String| {
        val.and_then(|val| val.text()).map(|text| mask(&String::from_utf8_lossy(&text)))
    };
    let parts = texts.with_item(row, |item| {
        let kind = text(item.get("type"), mask::word)
            .or_else(|| text(item.get("role"), mask::word).map(|role| format!("{role} message")));
        let kind = kind.unwrap_or_else(|| row.kind.name().to_owned());
        [Some(kind), text(item.get("id"), mask::id), text(item.get("call_id"), mask::id)]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
    });
    parts.unwrap_or_default().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_read_in_every_form() {
        for (text, index) in [
            ("Invalid 'input[3].id': 'x'", Some(("input", 3))),
            ("[ObjectParam] [input[12].status] [unknown_parameter]", Some(("input", 12))),
            ("param: messages.[6].role", Some(("messages", 6))),
            ("messages.33: `tool_use` ids", Some(("messages", 33))),
            ("* GenerateContentRequest.contents[2].parts[0]", Some(("contents", 2))),
            ("messages with role 'tool'", None),
            ("input 3", None),
            ("input[] and input3", None),
        ] {
            assert_eq!(ErrorReference::find_index(text), index, "{text}");
        }
    }
}
