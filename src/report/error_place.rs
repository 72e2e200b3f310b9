//! Finds the items that an error names: by their id or the id that pairs them, or by their path in the request. Sessions
//! contain no request: the path is that in the request that continues the session.

use std::io;

use crate::dialect::BLOCK;
use crate::history::{Flags, Row};
use crate::json::{Val, fingerprint_of};
use crate::judge::{JudgedDoc, Options};
use crate::place::{DocId, Place};
use crate::read::TextReader;
use crate::rebuild::resume::{ResumedHistory, ResumedRequest, resume_doc};
use crate::source::ReadAt;
use crate::target::Target;

use super::Location;
use super::locator::locate_places;
use super::locator::pointers;
use super::mask;
use super::request_path::RequestPath;

/// The items that an error names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorReference {
    pub ids: Vec<String>,
    /// The path in the request.
    pub path: Option<RequestPath>,
}

impl ErrorReference {
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.path.is_none()
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
    /// The file, if the document consists of several.
    pub path: Option<String>,
    /// Number of its record, from 1.
    pub record: u32,
    pub location: Location,
    /// Type and ids.
    pub name: String,
    /// The error names the result that the agent adds to this call.
    pub is_added: bool,
}

/// The items that an error names, and the requests that were searched.
#[derive(Clone, Default)]
pub struct NamedItems {
    pub items: Vec<NamedItem>,
    /// The items if the request began with instructions that the session does not contain.
    pub after_instructions: Vec<NamedItem>,
    /// The number of items of the longest request that continues the document, if any does.
    pub request_len: Option<usize>,
}

/// A row that is meant, its history, and its index there.
#[derive(Clone, Copy)]
struct FoundRow {
    row: Row,
    history: u32,
    index: u32,
    is_added: bool,
}

/// Finds the items that are meant, in the order of the document. `target` is that of the message, if only one uses it.
pub fn find_items(
    id: DocId,
    bytes: &dyn ReadAt,
    options: &Options,
    wanted: &ErrorReference,
    target: Option<&'static Target>,
) -> io::Result<NamedItems> {
    let choose = |own| wanted.path.as_ref().map_or(own, |path| path.target(own, target));
    let lint = resume_doc(id, bytes, options, None, &choose)?;
    let search = ItemSearch { id, bytes, lint: &lint };
    if !wanted.ids.is_empty() {
        return Ok(NamedItems { items: search.named(search.with_ids(&wanted.ids))?, ..NamedItems::default() });
    }
    let Some(path) = &wanted.path else { return Ok(NamedItems::default()) };
    let requests = || lint.outputs.iter().filter_map(|own| Some((own, own.request.as_ref().ok()?.as_ref()?)));
    let at_index = |index: u32| requests().flat_map(move |(own, request)| rows_at(own, request, path, index));
    let mut found: Vec<FoundRow> = at_index(path.index).collect();
    found.extend(search.at_pointer(path)?);
    let lacks = |own: &ResumedHistory, request: &ResumedRequest| {
        request.list_key() == path.list && own.target.dialect == "chat" && !request.has_instructions
    };
    let shifted: Vec<FoundRow> = match path.index.checked_sub(1) {
        Some(before) if requests().any(|(own, request)| lacks(own, request)) => at_index(before).collect(),
        _ => Vec::new(),
    };
    Ok(NamedItems {
        items: search.named(found)?,
        after_instructions: search.named(shifted)?,
        request_len: requests().map(|(_, request)| request.item_count()).max(),
    })
}

/// The rows of a history that a part of its request was made from.
fn rows_at(own: &ResumedHistory, request: &ResumedRequest, path: &RequestPath, index: u32) -> Vec<FoundRow> {
    if request.list_key() != path.list {
        return Vec::new();
    }
    let Some(part) = request.part(index as usize, &path.steps) else { return Vec::new() };
    let found =
        |(row, index): (&Row, u32)| FoundRow { row: *row, history: own.number, index, is_added: part.is_added };
    let rows = || own.rows.iter().zip(0..);
    let mut all = Vec::new();
    if part.places.is_empty() {
        // A log that only names its requests: its rows are their last messages.
        let messages: Vec<(&Row, u32)> = rows().filter(|(row, _)| row.part != BLOCK).collect();
        let first = request.item_count().saturating_sub(messages.len());
        all.extend((index as usize).checked_sub(first).and_then(|ix| messages.get(ix)).copied().map(found));
    }
    for at in &part.places {
        let around = || rows().filter(|(row, _)| row.at.contains(at));
        match around().min_by_key(|(row, _)| row.at.len) {
            // A message and its blocks; inside of the message the block alone.
            Some(_) if !path.is_inside() => all.extend(around().map(found)),
            Some(smallest) => all.push(found(smallest)),
            None => all.extend(rows().filter(|(row, _)| at.contains(&row.at)).map(found)),
        }
    }
    all
}

struct ItemSearch<'s> {
    id: DocId,
    bytes: &'s dyn ReadAt,
    lint: &'s JudgedDoc<ResumedHistory>,
}

impl ItemSearch<'_> {
    fn texts(&self) -> TextReader<'_> {
        TextReader::new(self.bytes, super::diagnose::dialect_of(self.lint))
    }

    /// All rows, history by history.
    fn rows(&self) -> impl Iterator<Item = FoundRow> {
        self.lint.outputs.iter().flat_map(|own| {
            let found =
                |(row, index): (&Row, u32)| FoundRow { row: *row, history: own.number, index, is_added: false };
            own.rows.iter().zip(0..).map(found)
        })
    }

    fn with_ids(&self, ids: &[String]) -> Vec<FoundRow> {
        let prints: Vec<u64> = ids.iter().map(|id| fingerprint_of(id.as_bytes())).collect();
        let texts = self.texts();
        // Fingerprints may collide; texts decide.
        self.rows()
            .filter(|seen| prints.contains(&seen.row.id) || prints.contains(&seen.row.key))
            .filter(|seen| texts.with_item(&seen.row, |item| has_id(item, ids, 3)).unwrap_or(false))
            .collect()
    }

    /// Rows of requests in the document, by their pointers.
    fn at_pointer(&self, path: &RequestPath) -> io::Result<Vec<FoundRow>> {
        let stored = |own: &&ResumedHistory| matches!(own.request, Ok(None));
        let numbers: Vec<u32> = self.lint.outputs.iter().filter(stored).map(|own| own.number).collect();
        let seen: Vec<FoundRow> = self.rows().filter(|seen| numbers.contains(&seen.history)).collect();
        if seen.is_empty() {
            return Ok(Vec::new());
        }
        let places: Vec<(Place, Flags)> = seen.iter().map(|seen| (seen.row.at, seen.row.flags)).collect();
        let pointers = pointers(self.id, self.bytes, self.lint.container, &places)?;
        let below = |step: &str| -> Vec<FoundRow> {
            let pointer =
                |seen: &FoundRow| pointers.get(&seen.row.at).map(|pointer| format!("{}/", pointer.outer));
            let is_below = |seen: &&FoundRow| pointer(seen).is_some_and(|pointer| pointer.contains(step));
            seen.iter().filter(is_below).copied().collect()
        };
        let item = format!("/{}/{}/", path.list, path.index);
        let inner = format!("{item}{}/", path.steps.iter().take(2).cloned().collect::<Vec<_>>().join("/"));
        let inside = if path.is_inside() { below(&inner) } else { Vec::new() };
        Ok(if inside.is_empty() { below(&item) } else { inside })
    }

    /// The items of rows, in the order of the document.
    fn named(&self, mut seen: Vec<FoundRow>) -> io::Result<Vec<NamedItem>> {
        let texts = self.texts();
        seen.sort_by_key(|seen| (seen.row.at.start, seen.history));
        // Branches share what comes before their fork.
        seen.dedup_by_key(|seen| seen.row.at);
        let places: Vec<(Place, Flags)> = seen.iter().map(|seen| (seen.row.at, seen.row.flags)).collect();
        let locations = locate_places(self.id, self.bytes, self.lint.container, &self.lint.lines, &places)?;
        let one = |seen: FoundRow| NamedItem {
            row: seen.row,
            history: seen.history,
            index: seen.index,
            path: None,
            record: seen.row.record + 1,
            location: locations.get(&seen.row.at).cloned().unwrap_or_default(),
            name: name(&texts, &seen.row),
            is_added: seen.is_added,
        };
        Ok(seen.into_iter().map(one).collect())
    }
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
