//! The replacements that a repair would make for each finding, for outputs that offer fixes to an editor.
//!
//! One repair serves a whole group, and one edit may serve two findings: they share all edits that touch each other, so
//! that each proposal can be applied alone and results in JSON. What would copy content of the conversation into the
//! report is not proposed, unless content may be shown: removals contain none, nor do ids, which every report prints.

use std::io;

use foldhash::{HashMap, HashSet};

use crate::history::{Code, Kind};
use crate::message::pair_results::STUB;
use crate::place::{DocId, Edit, Place, ReplacementPart};
use crate::repair::{Cause, DisjointSets, DocRepair};
use crate::source::{ReadAt, append_piece};

use super::diagnostic::{Diagnostic, Location, Replacement};
use super::locator::positions;

/// Edits of a proposal, at most: a person reviews it. Larger repairs are left to `fix`.
const MAX_EDITS: usize = 100;
/// The longest text that is copied into a report, in bytes.
const MAX_TEXT: usize = 4 << 10;

/// Adds to each diagnostic the replacements of the default repair. `diagnostics` are those of `fixed.before`, in order.
pub fn propose(
    id: DocId,
    bytes: &dyn ReadAt,
    fixed: &DocRepair,
    content: bool,
    diagnostics: &mut [Diagnostic],
) -> io::Result<()> {
    let edits = fixed.patch.edits(id);
    let of_cause = edits_by_finding(fixed, edits, bytes);
    let ids: HashSet<&str> = diagnostics
        .iter()
        .flat_map(|diagnostic| diagnostic.id.iter().chain(&diagnostic.call_id))
        .map(String::as_str)
        .collect();
    let mut texts: Vec<Option<String>> = Vec::with_capacity(edits.len());
    for edit in edits {
        let text = text(edit, bytes)?;
        let shown =
            text.filter(|text| content || is_free_of_content(text, edit, &ids) || replaces_id(edit, bytes, &ids));
        texts.push(shown);
    }
    let offsets = edits.iter().flat_map(|edit| [edit.at.start, edit.at.end()]).collect();
    let positions = positions(bytes, &fixed.before.lines, offsets)?;
    let mut proposals = Vec::new();
    for judged in &fixed.before.findings {
        let finding = &judged.finding;
        let own = of_cause.get(&(finding.code, finding.variant, finding.row.at));
        let replacement = |ix: &usize| {
            let text = texts.get(*ix)?.clone()?;
            Some(Replacement { location: Location::new(edits.get(*ix)?.at, &positions), text })
        };
        let whole = own.filter(|own| own.len() <= MAX_EDITS).map(|own| own.iter().map(replacement).collect());
        proposals.push(whole.flatten().unwrap_or_default());
    }
    for (diagnostic, proposal) in diagnostics.iter_mut().zip(proposals) {
        diagnostic.proposal = proposal;
    }
    Ok(())
}

/// Identity of a finding: its rule, its variant and its place.
type ProposalKey = (Code, u8, Place);

/// The edits that each finding needs, by their index: those on the items that were changed for it, and those
/// connected with them.
fn edits_by_finding(fixed: &DocRepair, edits: &[Edit], bytes: &dyn ReadAt) -> HashMap<ProposalKey, Vec<usize>> {
    let mut sets = DisjointSets::new(edits.len() + fixed.changes.len());
    let of_change = |n: usize| edits.len() + n;
    let mut touched: Vec<(Place, usize)> = Vec::new();
    for (n, change) in fixed.changes.iter().enumerate() {
        // Synthesised text is not in the file: the record that it was made of is what was edited.
        let places = [Some(change.row.at), change.anchor].into_iter().flatten();
        touched.extend(places.map(|place| (bytes.origin(place), of_change(n))));
    }
    touched.sort_by_key(|(place, _)| place.order());
    let mut next = 0;
    let mut open: Vec<(Place, usize)> = Vec::new();
    let mut nearest = None;
    for (ix, edit) in edits.iter().enumerate() {
        while let Some(found) = touched.get(next).filter(|(place, _)| place.start <= edit.at.end()) {
            open.push(*found);
            nearest = Some(found.1);
            next += 1;
        }
        open.retain(|(place, _)| place.end() >= edit.at.start);
        open.iter().for_each(|(_, change)| sets.join(ix, *change));
        // An answer comes after all calls of its message: it belongs to a change before it.
        if let (true, Some(change)) = (open.is_empty(), nearest.or(touched.first().map(|first| first.1))) {
            sets.join(ix, change);
        }
    }
    let mut first: HashMap<ProposalKey, usize> = HashMap::default();
    for (n, change) in fixed.changes.iter().enumerate() {
        let Cause::Rule(code, variant, at) = change.cause else { continue };
        let other = *first.entry((code, variant, at)).or_insert(of_change(n));
        sets.join(of_change(n), other);
    }
    let mut members: HashMap<usize, Vec<usize>> = HashMap::default();
    for ix in 0..edits.len() {
        members.entry(sets.find(ix)).or_default().push(ix);
    }
    let of = |change: usize, sets: &mut DisjointSets| members.get(&sets.find(change)).cloned().unwrap_or_default();
    first.into_iter().map(|(finding, change)| (finding, of(change, &mut sets))).collect()
}

/// The text that an edit inserts; `None` if it is too long for a report, or not UTF-8.
fn text(edit: &Edit, bytes: &dyn ReadAt) -> io::Result<Option<String>> {
    if edit.with.iter().map(ReplacementPart::len).sum::<u64>() > MAX_TEXT as u64 {
        return Ok(None);
    }
    let mut out = Vec::new();
    edit.with.iter().try_for_each(|piece| append_piece(bytes, piece, &mut out))?;
    Ok(String::from_utf8(out).ok())
}

/// True if an inserted text contains nothing but names of members, types, roles and known ids.
fn is_free_of_content(text: &str, edit: &Edit, ids: &HashSet<&str>) -> bool {
    let copies = edit.with.iter().any(|with| matches!(with, ReplacementPart::Copy(_)));
    !copies && tokens(text).all(|token| token.is_harmless() || token.string && ids.contains(token.text))
}

/// True if an edit replaces an id.
fn replaces_id(edit: &Edit, bytes: &dyn ReadAt, ids: &HashSet<&str>) -> bool {
    let mut old = Vec::new();
    let short = edit.at.len as usize <= MAX_TEXT;
    let read = short && bytes.read_into(edit.at.start, edit.at.len as usize, &mut old).is_ok();
    read && serde_json::from_slice::<String>(&old).is_ok_and(|old| ids.contains(old.as_str()))
}

/// A string or another scalar in a fragment of JSON.
struct JsonToken<'t> {
    text: &'t str,
    string: bool,
    key: bool,
}

impl JsonToken<'_> {
    fn is_harmless(&self) -> bool {
        match (self.string, self.key) {
            (true, true) => {
                self.text.len() <= 40 && self.text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
            }
            (true, false) => {
                let known =
                    ROLES.contains(&self.text) || INSERTED_TEXTS.contains(&self.text) || self.text == RESULT_TYPE;
                known || Kind::of_type(self.text.as_bytes()) != Kind::Unknown
            }
            (false, _) => matches!(self.text, "null" | "true" | "false"),
        }
    }
}

const ROLES: [&str; 7] = ["assistant", "developer", "function", "model", "system", "tool", "user"];

/// The type of the blocks that repairs add.
const RESULT_TYPE: &str = "tool_result";

/// Texts that repairs insert, and the states that they set.
const INSERTED_TEXTS: [&str; 3] = [STUB, "output-error", "The tool call was interrupted and has no result."];

fn tokens(text: &str) -> impl Iterator<Item = JsonToken<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || "[]{},:".contains(c));
        if let Some(inner) = rest.strip_prefix('"') {
            let mut escaped = false;
            let end = inner.find(|c: char| {
                let ends = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                ends
            });
            let end = end.unwrap_or(inner.len());
            rest = inner.get(end + 1..).unwrap_or("");
            return Some(JsonToken { text: &inner[..end], string: true, key: rest.trim_start().starts_with(':') });
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace() || "[]{},:\"".contains(c)).unwrap_or(rest.len());
        let text = &rest[..end];
        rest = &rest[end..];
        (!text.is_empty()).then_some(JsonToken { text, string: false, key: false })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn harmless(text: &str) -> bool {
        is_free_of_content(text, &Edit::replace(Place::default(), text), &HashSet::from_iter(["call_1"]))
    }

    #[test]
    fn keys_types_and_roles_are_no_content() {
        assert!(harmless(""));
        assert!(harmless(", "));
        assert!(harmless(r#", "summary": []"#));
        assert!(harmless(r#"{"type":"message","role":"assistant","content":[]}"#));
        assert!(harmless(r#"{"call_id":"call_1"}"#) && !harmless(r#"{"call_id":"call_2"}"#));
        assert!(!harmless(r#""output": "secret""#));
        assert!(!harmless(r#"{"pass word": null}"#));
        assert!(!harmless("42"));
        assert!(!harmless(r#"cut in a str"ing"#));
    }

    #[test]
    fn connected_edits_are_one_set() {
        let mut sets = DisjointSets::new(5);
        sets.join(3, 4);
        sets.join(1, 3);
        assert_eq!(sets.find(4), sets.find(1));
        assert_ne!(sets.find(0), sets.find(1));
    }
}
