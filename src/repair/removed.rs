//! What a repair takes away: the values of the original bytes that the patch removes and that nothing it writes keeps. It
//! is found in the patch alone, whoever made the edits, so that none of them can take something out unlisted.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::io;

use crate::json::edit::Base;
use crate::json::{Tape, Val, scan};
use crate::place::{DocId, Edit, Place, With};
use crate::rule::Loss;
use crate::source::split::{Piece, SplitError, split};
use crate::source::{Container, ReadAt, framing, lines};

use super::fixed::Fixed;
use super::{Action, Change, Removed};

/// Lists what the patch of a doc takes away besides the items that are dropped. An item that goes whole is dropped.
pub(super) fn list(id: DocId, bytes: &dyn ReadAt, fixed: &mut Fixed) -> io::Result<()> {
    let edits = fixed.patch.edits(id);
    let Some(gone) = Gone::of(edits, &fixed.changes, bytes)? else { return Ok(()) };
    let found = gone.found(id, bytes, fixed.before.container)?;
    let moves = fixed.changes.iter().filter(|change| change.action == Action::Move);
    let moved: HashSet<Place> = moves.map(|change| change.row.at).collect();
    for (at, owner) in owners(&fixed.changes, &found) {
        let Some(change) = fixed.changes.get_mut(owner) else { continue };
        let item = change.row.at;
        // A name that gives way to another one says no less.
        if change.loss != Loss::Lossy && gone.gives_way(at) || moved.contains(&at) {
            continue;
        }
        let stays = gone.gives_way(at) || !at.contains(&item);
        if !stays && matches!(change.action, Action::Rewrite | Action::Strip) {
            change.action = Action::Drop;
            change.loss = Loss::Lossy;
        }
        fixed.removed.push(Removed { at, item });
    }
    Ok(())
}

/// For each place, in order, the change that takes it away: to the smallest item that holds it, to one in it, to one with
/// which it is edited, or to the last item before it.
fn owners(changes: &[Change], found: &[Place]) -> Vec<(Place, usize)> {
    let mut order: Vec<(Place, usize)> = changes.iter().enumerate().map(|(ix, one)| (one.row.at, ix)).collect();
    order.sort_by_key(|(at, _)| (at.start, Reverse(at.len)));
    let others = changes.iter().enumerate().filter_map(|(ix, one)| Some((one.other?, ix)));
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

/// What is removed, and what is written.
struct Gone {
    /// Stretches that are removed, in order, and whether something is written in their place.
    ranges: Vec<(u64, u64, bool)>,
    /// Items that are dropped as such, in order.
    dropped: Vec<Place>,
    /// Items that are written in another place, in order.
    moved: Vec<Place>,
    /// Stretches that are copied to another place, in order.
    copied: Vec<Place>,
    /// Strings in what is written.
    written: HashSet<Box<[u8]>>,
}

impl Gone {
    fn of(edits: &[Edit], changes: &[Change], bytes: &dyn ReadAt) -> io::Result<Option<Gone>> {
        let items = |action: Action| -> Vec<Place> {
            let changed = changes.iter().filter(|change| change.action == action);
            let mut items: Vec<Place> = changed.map(|change| change.row.at).collect();
            items.sort_by_key(Place::order);
            items
        };
        let mut gone = Gone {
            ranges: Vec::new(),
            dropped: items(Action::Drop),
            moved: items(Action::Move),
            copied: Vec::new(),
            written: HashSet::new(),
        };
        for edit in edits {
            let (start, end) = (edit.at.start, edit.at.end());
            let mut text = Vec::new();
            for with in &edit.with {
                match with {
                    With::Text(new) => text.extend_from_slice(new),
                    With::Copy(at) => {
                        gone.copied.push(*at);
                        // What is long is kept by its place.
                        if start < end && at.len <= SHORT {
                            let mut copy = Vec::new();
                            bytes.read_into(at.start, at.len as usize, &mut copy)?;
                            text.extend_from_slice(&copy);
                        }
                    }
                }
            }
            let writes = !edit.with.is_empty();
            strings(&text, &mut gone.written);
            match gone.ranges.last_mut() {
                Some((_, last, both)) if *last == start => (*last, *both) = (end, *both || writes),
                _ if start < end => gone.ranges.push((start, end, writes)),
                _ => {}
            }
        }
        gone.copied.sort_by_key(Place::order);
        Ok((!gone.ranges.is_empty()).then_some(gone))
    }

    /// The places of the values that go, in order.
    fn found(&self, id: DocId, bytes: &dyn ReadAt, container: Container) -> io::Result<Vec<Place>> {
        let (mut found, mut tape, mut text) = (Vec::new(), Tape::new(), Vec::new());
        match container {
            Container::Document { start } if bytes.len() - start > framing::WHOLE_DOCUMENT => {
                let done = split(bytes, id, start, u64::MAX / 2, |piece, tape| {
                    let (Piece::Element { bytes, base, .. } | Piece::Head { bytes, base }) = piece;
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
                    root.into_iter().for_each(|val| self.walk(val, Base::new(id, start), None, &mut found));
                }
            }
            Container::Lines { start } => {
                let mut next = start;
                for (from, to, _) in &self.ranges {
                    let mut at = next.max(*from);
                    while at < *to {
                        let line = lines::around(bytes, id, start, at)?;
                        bytes.read_into(line.start, line.len as usize, &mut text)?;
                        if scan(&text, &mut tape).is_ok() {
                            let root = tape.root(&text);
                            let base = Base::new(id, line.start);
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

    fn walk(&self, val: Val<'_>, base: Base<'_>, key: Option<&[u8]>, found: &mut Vec<Place>) {
        let at = base.of(val);
        let first = self.ranges.partition_point(|(_, to, _)| *to <= at.start);
        let Some((from, to, writes)) = self.ranges.get(first).filter(|(from, ..)| *from < at.end()) else {
            return;
        };
        if self.is_dropped(at) {
            return;
        }
        let goes = *from <= at.start && at.end() <= *to;
        let surrounds = goes && holds(&self.dropped, at);
        let writes = *writes || holds(&self.moved, at);
        if goes && !surrounds {
            let mut leaves = Leaves::default();
            self.leaves(val, base, writes, key, &mut leaves);
            if !leaves.lost {
                return;
            }
            if !writes || !leaves.kept {
                found.push(at);
                return;
            }
        }
        // Around an item that is dropped, what is said of it alone goes with it.
        for member in val.members().filter(|member| !(surrounds && member.val.is_string())) {
            self.walk(member.val, base, Some(&member.key.decode()), found);
        }
        val.elements().for_each(|element| self.walk(element, base, key, found));
    }

    /// Something is written in the place of just this.
    fn gives_way(&self, at: Place) -> bool {
        let ix = self.ranges.partition_point(|(from, ..)| *from < at.start);
        self.ranges.get(ix).is_some_and(|(from, to, writes)| *writes && *from == at.start && *to == at.end())
    }

    fn is_dropped(&self, at: Place) -> bool {
        // A dropped item holds none that is dropped by itself, but for those that begin where it does.
        let upto = self.dropped.partition_point(|own| own.start <= at.start);
        self.dropped.iter().take(upto).rev().take(4).any(|own| own.contains(&at))
    }

    /// Whether strings of a value are lost, and whether some are kept.
    fn leaves(&self, val: Val<'_>, base: Base<'_>, writes: bool, key: Option<&[u8]>, out: &mut Leaves) {
        if let Some(text) = val.text() {
            // What kind of thing it is, is in what is written instead.
            if text.is_empty() || writes && key.is_some_and(|key| KINDS.contains(&key)) {
                return;
            }
            let copied = self.is_copied(base.of(val));
            let kept = copied || self.is_written(&text);
            out.lost |= !kept;
            // A name is in many things.
            out.kept |= kept && (copied || !key.is_some_and(|key| KINDS.contains(&key) || NAMES.contains(&key)));
            return;
        }
        for member in val.members() {
            self.leaves(member.val, base, writes, Some(&member.key.decode()), out);
        }
        val.elements().for_each(|element| self.leaves(element, base, writes, key, out));
    }

    fn is_copied(&self, at: Place) -> bool {
        let upto = self.copied.partition_point(|own| own.start <= at.start);
        self.copied.iter().take(upto).rev().take(4).any(|own| own.contains(&at))
    }

    /// Whether a text is written, or, of JSON in a string, all that it says.
    fn is_written(&self, text: &[u8]) -> bool {
        if self.written.contains(text) {
            return true;
        }
        let mut tape = Tape::new();
        let Some(inner) = inner(text, &mut tape) else { return false };
        let mut all = true;
        each_string(inner, &mut |text| all &= text.is_empty() || self.written.contains(text));
        all
    }
}

/// Whether a place holds one of these items, which are in order.
fn holds(items: &[Place], at: Place) -> bool {
    let from = items.partition_point(|own| own.start < at.start);
    items.get(from).is_some_and(|own| at.contains(own))
}

#[derive(Default)]
struct Leaves {
    lost: bool,
    kept: bool,
}

/// Keys of values that say what kind of thing it is in which they are.
const KINDS: [&[u8]; 6] = [b"type", b"role", b"kind", b"part_kind", b"status", b"state"];
/// Keys of values that name what many things may share.
const NAMES: [&[u8]; 2] = [b"name", b"tool_name"];

/// A copy of so many bytes is read.
const SHORT: u32 = 1 << 20;

/// The JSON in a string.
fn inner<'t>(text: &'t [u8], tape: &'t mut Tape) -> Option<Val<'t>> {
    let is_like = matches!(text.trim_ascii().first(), Some(b'{' | b'['));
    scan(text, tape).ok().filter(|()| is_like)?;
    tape.root(text)
}

fn each_string(val: Val<'_>, see: &mut dyn FnMut(&[u8])) {
    if let Some(text) = val.text() {
        see(&text);
    }
    val.members().for_each(|member| each_string(member.val, see));
    val.elements().for_each(|element| each_string(element, see));
}

/// The strings in a piece of JSON, which need not be a whole value; and those of the JSON in them.
fn strings(piece: &[u8], out: &mut HashSet<Box<[u8]>>) {
    let mut rest = piece;
    let mut tape = Tape::new();
    while let Some(open) = memchr::memchr(b'"', rest) {
        let from = rest.get(open + 1..).unwrap_or_default();
        let mut end = 0;
        while let Some(byte) = from.get(end).filter(|byte| **byte != b'"') {
            end += if *byte == b'\\' { 2 } else { 1 };
        }
        let text = crate::json::string::decode(from.get(..end).unwrap_or(from));
        if let Some(inner) = inner(&text, &mut tape) {
            each_string(inner, &mut |text| {
                out.insert(text.into());
            });
        }
        out.insert(text.into_boxed_slice());
        rest = from.get(end + 1..).unwrap_or_default();
    }
}
