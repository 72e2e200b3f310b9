//! Two docs, history by history: what became of the items of one in the other.

use std::collections::HashSet;
use std::io;

use crate::judge::Options;
use crate::place::DocId;
use crate::source::ReadAt;

use super::align::{Became, align};
use super::entries::{self, Entry, Told, Words};

/// A doc that is compared, and how it is read.
#[derive(Clone, Copy)]
pub struct Side<'s> {
    pub id: DocId,
    pub bytes: &'s dyn ReadAt,
    pub options: &'s Options,
}

/// Two histories and what became of their entries.
pub struct Difference {
    pub before: Vec<Entry>,
    pub after: Vec<Entry>,
    pub fates: Vec<Became>,
}

/// What came of the comparison of two docs.
pub struct Compared {
    /// History by history; one that has no partner is compared with nothing.
    pub differences: Vec<Difference>,
    /// Records of each side that could not be read: what they hold may differ.
    pub unread: [u32; 2],
    /// Histories of each side.
    pub histories: [usize; 2],
}

/// Compares two docs.
pub fn compare(before: Side<'_>, after: Side<'_>) -> io::Result<Compared> {
    let read = |side: Side<'_>, words| entries::read(side.id, side.bytes, side.options, words);
    let ((mut old, unread_old), (mut new, unread_new)) = (read(before, Words::Own)?, read(after, Words::Own)?);
    let histories = [old.len(), new.len()];
    let dialect = |told: &[Told]| told.first().map(|told| told.dialect);
    if dialect(&old) != dialect(&new) {
        // Of two dialects nothing is equal byte by byte: what they say is compared.
        (old, new) = (read(before, Words::Shared)?.0, read(after, Words::Shared)?.0);
    }
    let mut differences = Vec::new();
    let (mut old, mut new) = (old.into_iter(), new.into_iter());
    loop {
        let (before, after) = (old.next(), new.next());
        if before.is_none() && after.is_none() {
            break;
        }
        let (before, after) = unequal_members(before, after);
        let fates = align(&before, &after);
        differences.push(Difference { before, after, fates });
    }
    Ok(Compared { differences, unread: [unread_old, unread_new], histories })
}

/// The items of both sides, after those members of the requests around them that are not the same on both.
fn unequal_members(before: Option<Told>, after: Option<Told>) -> (Vec<Entry>, Vec<Entry>) {
    let parts = |told: Option<Told>| told.map(|told| (told.members, told.entries)).unwrap_or_default();
    let ((old, before), (new, after)) = (parts(before), parts(after));
    let differs = |others: &[Entry]| {
        let others: HashSet<(u64, u64)> = others.iter().map(|other| (other.key, other.hash)).collect();
        move |member: &&Entry| !others.contains(&(member.key, member.hash))
    };
    let (gone, come) = (differs(&new), differs(&old));
    let before = old.iter().filter(gone).cloned().chain(before).collect();
    let after = new.iter().filter(come).cloned().chain(after).collect();
    (before, after)
}

/// How many entries met which fate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fates {
    pub same: u64,
    pub changed: u64,
    pub moved: u64,
    pub added: u64,
    pub removed: u64,
}

impl Difference {
    pub fn count(&self) -> Fates {
        let mut count = Fates::default();
        for fate in &self.fates {
            match fate {
                Became::Same(..) => count.same += 1,
                Became::Changed(..) => count.changed += 1,
                Became::Moved(..) => count.moved += 1,
                Became::Removed(_) => count.removed += 1,
                Became::Added(_) => count.added += 1,
            }
        }
        count
    }
}

impl Fates {
    pub fn differ(&self) -> bool {
        self.changed + self.moved + self.added + self.removed > 0
    }

    pub fn add(&mut self, other: Fates) {
        self.same += other.same;
        self.changed += other.changed;
        self.moved += other.moved;
        self.added += other.added;
        self.removed += other.removed;
    }
}
