//! Values that a repair removes: those of the original bytes that the patch removes and does not write elsewhere.
//! They are found in the patch alone, whoever made the edits, so that no edit can remove something unlisted.

use std::cmp::Reverse;
use std::io;

use foldhash::HashSet;

use crate::json::edit::RecordBase;
use crate::json::{Tape, Val, fingerprint_of, scan};
use crate::place::{DocId, Edit, Place, ReplacementPart};
use crate::rule::Loss;
use crate::source::split::{DocumentPiece, SplitError, split};
use crate::source::{Container, ReadAt, framing, lines};

use super::doc_repair::DocRepair;
use super::{Action, ItemChange, RemovedValue};

/// Lists the values that the patch of a doc removes, besides items that are dropped as a whole.
pub(super) fn list_removed(id: DocId, bytes: &dyn ReadAt, fixed: &mut DocRepair) -> io::Result<()> {
    let edits = fixed.patch.edits(id);
    let Some(gone) = RemovedText::of(edits, &fixed.changes, bytes)? else { return Ok(()) };
    let found = gone.values(id, bytes, fixed.before.container)?;
    let moves = fixed.changes.iter().filter(|change| change.action == Action::Move);
    let moved: HashSet<Place> = moves.map(|change| change.row.at).collect();
    for (at, owner) in find_owners(&fixed.changes, &found) {
        let Some(change) = fixed.changes.get_mut(owner) else { continue };
        let item = change.row.at;
        // A name that is replaced by another one is no loss.
        if change.loss != Loss::Lossy && gone.is_replaced(at) || moved.contains(&at) {
            continue;
        }
        let stays = gone.is_replaced(at) || !at.contains(&item);
        if !stays && matches!(change.action, Action::Rewrite | Action::Strip) {
            change.action = Action::Drop;
            change.loss = Loss::Lossy;
        }
        fixed.removed.push(RemovedValue { at, item });
    }
    Ok(())
}

/// For each place, in order, the index of the change that removes it: the one on the smallest item that contains
/// it, on an item in it, on an item that is edited with it, or on the last item before it.
fn find_owners(changes: &[ItemChange], found: &[Place]) -> Vec<(Place, usize)> {
    let mut order: Vec<(Place, usize)> = changes.iter().enumerate().map(|(ix, one)| (one.row.at, ix)).collect();
    order.sort_by_key(|(at, _)| (at.start, Reverse(at.len)));
    let others = changes.iter().enumerate().filter_map(|(ix, one)| Some((one.anchor?, ix)));
    let mut others: Vec<(Place, usize)> = others.collect();
    others.sort_by_key(|(at, _)| at.start);
    let mut open: Vec<(Place, usize)> = Vec::new();
    let (mut next, mut owners) = (0, Vec::with_capacity(found.len()));
    for at in found {
        while let Some(one) = order.get(next).filter(|(own, _)| own.start <= at.start) {
            while open.pop_if(|(own, _)| own.end() <= one.0.start).is_some() {}
            open.push(*one);
            next += 1;
        }
        let holder = open.iter().rev().find(|(own, _)| own.contains(at) || at.contains(own) && own.len > 0);
        let inside = || order.get(next).filter(|(own, _)| at.contains(own));
        let upto = others.partition_point(|(other, _)| other.start <= at.start);
        let beside = || others.get(upto.checked_sub(1)?).filter(|(other, _)| other.contains(at));
        let last = || order.get(next.saturating_sub(1));
        owners.extend(holder.or_else(inside).or_else(beside).or_else(last).map(|(_, ix)| (*at, *ix)));
    }
    owners
}

/// The text that a patch removes, and what it writes.
struct RemovedText {
    /// Removed stretches (start, end), in order, and whether something is written in their place.
    ranges: Vec<(u64, u64, bool)>,
    /// Items that are dropped as a whole, in order.
    dropped: Vec<Place>,
    /// Items that are moved, in order.
    moved: Vec<Place>,
    /// Stretches that are copied elsewhere, in order.
    copied: Vec<Place>,
    /// Fingerprints of the strings in the written text.
    written: HashSet<u64>,
}

impl RemovedText {
    fn of(edits: &[Edit], changes: &[ItemChange], bytes: &dyn ReadAt) -> io::Result<Option<RemovedText>> {
        let items = |action: Action| -> Vec<Place> {
            let changed = changes.iter().filter(|change| change.action == action);
            let mut items: Vec<Place> = changed.map(|change| change.row.at).collect();
            items.sort_by_key(Place::order);
            items
        };
        let mut gone = RemovedText {
            ranges: Vec::new(),
            dropped: items(Action::Drop),
            moved: items(Action::Move),
            copied: Vec::new(),
            written: HashSet::default(),
        };
        let (mut text, mut tape) = (Vec::new(), Tape::new());
        for edit in edits {
            let (start, end) = (edit.at.start, edit.at.end());
            text.clear();
            for with in &edit.with {
                match with {
                    ReplacementPart::Text(new) => text.extend_from_slice(new),
                    ReplacementPart::Copy(at) => {
                        gone.copied.push(*at);
                        // A long copy is compared by its place.
                        if start < end && at.len <= MAX_READ_COPY {
                            let mut copy = Vec::new();
                            bytes.read_into(at.start, at.len as usize, &mut copy)?;
                            text.extend_from_slice(&copy);
                        }
                    }
                }
            }
            let writes = !edit.with.is_empty();
            collect_strings(&text, &mut tape, &mut gone.written);
            match gone.ranges.last_mut() {
                Some((_, last, both)) if *last == start => (*last, *both) = (end, *both || writes),
                _ if start < end => gone.ranges.push((start, end, writes)),
                _ => {}
            }
        }
        gone.copied.sort_by_key(Place::order);
        Ok((!gone.ranges.is_empty()).then_some(gone))
    }

    /// The places of the removed values, in order.
    fn values(&self, id: DocId, bytes: &dyn ReadAt, container: Container) -> io::Result<Vec<Place>> {
        let (mut found, mut tape, mut text) = (Vec::new(), Tape::new(), Vec::new());
        match container {
            Container::Document { start } if bytes.len() - start > framing::MAX_WHOLE_DOCUMENT => {
                let done = split(bytes, id, start, u64::MAX / 2, |piece, tape| {
                    let (DocumentPiece::Element { bytes, base, .. } | DocumentPiece::Head { bytes, base }) = piece;
                    tape.root(bytes).into_iter().for_each(|val| self.walk(val, base, None, &mut found));
                    true
                });
                if let Err(SplitError::Io(error)) = done {
                    return Err(error);
                }
            }
            Container::Document { start } => {
                bytes.read_into(start, (bytes.len() - start) as usize, &mut text)?;
                if scan(&text, &mut tape).is_ok() {
                    let root = tape.root(&text);
                    root.into_iter().for_each(|val| self.walk(val, RecordBase::new(id, start), None, &mut found));
                }
            }
            Container::Lines { start } => {
                let mut next = start;
                for (from, to, _) in &self.ranges {
                    let mut at = next.max(*from);
                    while at < *to {
                        let line = lines::line_at(bytes, id, start, at)?;
                        bytes.read_into(line.start, line.len as usize, &mut text)?;
                        if scan(&text, &mut tape).is_ok() {
                            let root = tape.root(&text);
                            let base = RecordBase::new(id, line.start);
                            root.into_iter().for_each(|val| self.walk(val, base, None, &mut found));
                        }
                        at = line.end().max(at + 1);
                        next = at;
                    }
                }
            }
            _ => {}
        }
        found.sort_by_key(Place::order);
        Ok(found)
    }

    fn walk(&self, val: Val<'_>, base: RecordBase<'_>, key: Option<&[u8]>, found: &mut Vec<Place>) {
        let at = base.of(val);
        let first = self.ranges.partition_point(|(_, to, _)| *to <= at.start);
        let Some((from, to, writes)) = self.ranges.get(first).filter(|(from, ..)| *from < at.end()) else {
            return;
        };
        if is_within(&self.dropped, at) {
            return;
        }
        let goes = *from <= at.start && at.end() <= *to;
        let surrounds = goes && contains_any(&self.dropped, at);
        let writes = *writes || contains_any(&self.moved, at) || is_within(&self.moved, at);
        if goes && !surrounds {
            let mut leaves = StringSummary::default();
            self.summarize(val, base, writes, key, &mut leaves);
            if !leaves.has_lost {
                return;
            }
            if !writes || !leaves.has_kept {
                found.push(at);
                return;
            }
        }
        // Strings around a dropped item that are only about the item are removed with it.
        for member in val.members().filter(|member| !(surrounds && member.val.is_string())) {
            self.walk(member.val, base, Some(&member.key.decode()), found);
        }
        val.elements().for_each(|element| self.walk(element, base, key, found));
    }

    /// True if exactly this place is replaced.
    fn is_replaced(&self, at: Place) -> bool {
        let ix = self.ranges.partition_point(|(from, ..)| *from < at.start);
        self.ranges.get(ix).is_some_and(|(from, to, writes)| *writes && *from == at.start && *to == at.end())
    }

    /// Notes whether strings of a value are lost, and whether some are kept.
    fn summarize(
        &self,
        val: Val<'_>,
        base: RecordBase<'_>,
        writes: bool,
        key: Option<&[u8]>,
        out: &mut StringSummary,
    ) {
        if let Some(text) = val.text() {
            // The replacement states the kind.
            if text.is_empty() || writes && key.is_some_and(|key| KINDS.contains(&key)) {
                return;
            }
            let copied = is_within(&self.copied, base.of(val));
            let kept = copied || self.is_written(&text);
            out.has_lost |= !kept;
            // A name may occur in many items.
            out.has_kept |=
                kept && (copied || !key.is_some_and(|key| KINDS.contains(&key) || NAMES.contains(&key)));
            return;
        }
        for member in val.members() {
            self.summarize(member.val, base, writes, Some(&member.key.decode()), out);
        }
        val.elements().for_each(|element| self.summarize(element, base, writes, key, out));
    }

    /// True if a text is written, or, of JSON in a string, all of its strings.
    fn is_written(&self, text: &[u8]) -> bool {
        let is_found = |text: &[u8]| self.written.contains(&fingerprint_of(text));
        if is_found(text) {
            return true;
        }
        let mut tape = Tape::new();
        let Some(inner) = parse_embedded(text, &mut tape) else { return false };
        let mut all = true;
        visit_strings(inner, &mut |text| all &= text.is_empty() || is_found(text));
        all
    }
}

/// True if a place contains one of these items, which are in order.
fn contains_any(items: &[Place], at: Place) -> bool {
    let from = items.partition_point(|own| own.start < at.start);
    items.get(from).is_some_and(|own| at.contains(own))
}

/// True if a place is in one of these items, which are in order and contain each other only if they begin alike.
fn is_within(items: &[Place], at: Place) -> bool {
    let upto = items.partition_point(|own| own.start <= at.start);
    items.iter().take(upto).rev().take(4).any(|own| own.contains(&at))
}

#[derive(Default)]
struct StringSummary {
    has_lost: bool,
    has_kept: bool,
}

/// Keys whose values state the kind of the object that they are in.
const KINDS: [&[u8]; 6] = [b"type", b"role", b"kind", b"part_kind", b"status", b"state"];
/// Keys whose values are names that many objects may share.
const NAMES: [&[u8]; 2] = [b"name", b"tool_name"];

/// Longest copy, in bytes, whose text is read.
const MAX_READ_COPY: u32 = 1 << 20;

/// The JSON in a string.
fn parse_embedded<'t>(text: &'t [u8], tape: &'t mut Tape) -> Option<Val<'t>> {
    let is_like = matches!(text.trim_ascii().first(), Some(b'{' | b'['));
    (is_like && scan(text, tape).is_ok()).then(|| tape.root(text)).flatten()
}

fn visit_strings(val: Val<'_>, see: &mut dyn FnMut(&[u8])) {
    if let Some(text) = val.text() {
        see(&text);
    }
    val.members().for_each(|member| visit_strings(member.val, see));
    val.elements().for_each(|element| visit_strings(element, see));
}

/// Collects the strings in a piece of JSON, which need not be a complete value, and those of JSON in them.
fn collect_strings(piece: &[u8], tape: &mut Tape, out: &mut HashSet<u64>) {
    let mut rest = piece;
    while let Some(open) = memchr::memchr(b'"', rest) {
        let from = rest.get(open + 1..).unwrap_or_default();
        let mut end = 0;
        while let Some(byte) = from.get(end).filter(|byte| **byte != b'"') {
            end += if *byte == b'\\' { 2 } else { 1 };
        }
        let text = crate::json::string::decode(from.get(..end).unwrap_or(from));
        if let Some(inner) = parse_embedded(&text, tape) {
            visit_strings(inner, &mut |text| {
                out.insert(fingerprint_of(text));
            });
        }
        out.insert(fingerprint_of(&text));
        rest = from.get(end + 1..).unwrap_or_default();
    }
}
