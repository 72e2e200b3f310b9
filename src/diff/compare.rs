//! Two docs, history by history: what became of the items of one in the other, and of the settings around them.

use std::io;

use crate::judge::Options;
use crate::place::DocId;
use crate::source::ReadAt;

use super::align::{Aligned, Became, align};
use super::entries::{self, Left, Told, Words};
use super::entry::Entry;
use super::partners;
use super::renames::Rename;
use super::settings::{self, Change};

/// A doc that is compared, and how it is read.
#[derive(Clone, Copy)]
pub struct Side<'s> {
    pub id: DocId,
    pub bytes: &'s dyn ReadAt,
    pub options: &'s Options,
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scope {
    /// Items, instructions, and the settings of requests.
    #[default]
    All,
    /// No settings.
    Items,
}

/// A history on one side.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its number in the doc, from 0.
    pub number: usize,
    /// What the doc calls it.
    pub label: Option<Box<str>>,
    pub is_branch: bool,
}

/// Two histories and what became of their entries. One of them may be missing.
#[derive(Debug, Default)]
pub struct Difference {
    pub histories: (Option<Found>, Option<Found>),
    pub before: Vec<Entry>,
    pub after: Vec<Entry>,
    pub fates: Vec<Became>,
    /// Ids that are others now, and are so everywhere.
    pub renames: Vec<Rename>,
    pub settings: Vec<Change>,
    /// What each side holds and its agent does not send. It makes no difference.
    pub unsent: [Vec<Left>; 2],
}

/// What came of the comparison of two docs.
pub struct Compared {
    /// History by history; one that has no partner is compared with nothing.
    pub differences: Vec<Difference>,
    /// Records of each side that could not be read: what they hold may differ.
    pub unread: [u32; 2],
    /// Histories of each side.
    pub histories: [usize; 2],
    /// Histories without names come in another order.
    pub reordered: bool,
}

/// Compares two docs.
pub fn compare(before: Side<'_>, after: Side<'_>, scope: Scope) -> io::Result<Compared> {
    let read = |side: Side<'_>, words| entries::read(side.id, side.bytes, side.options, words);
    let ((mut old, unread_old), (mut new, unread_new)) = (read(before, Words::Own)?, read(after, Words::Own)?);
    let histories = [old.len(), new.len()];
    let mut dialects = old.iter().chain(&new).map(|told| told.dialect);
    let first = dialects.next();
    if dialects.any(|other| Some(other) != first) {
        // Of two dialects nothing is equal byte by byte: what they say is compared.
        (old, new) = (read(before, Words::Shared)?.0, read(after, Words::Shared)?.0);
    }
    let (pairs, reordered) = partners::pair(&old, &new);
    let (mut old, mut new) = (numbered(old), numbered(new));
    let mut differences = Vec::new();
    for (a, b) in pairs {
        let (a, b) = (a.and_then(|a| old.get_mut(a)?.take()), b.and_then(|b| new.get_mut(b)?.take()));
        differences.push(differ(a, b, scope));
    }
    Ok(Compared { differences, unread: [unread_old, unread_new], histories, reordered })
}

fn numbered(told: Vec<Told>) -> Vec<Option<(usize, Told)>> {
    told.into_iter().enumerate().map(Some).collect()
}

fn differ(before: Option<(usize, Told)>, after: Option<(usize, Told)>, scope: Scope) -> Difference {
    let found = |told: &Option<(usize, Told)>| {
        let (number, told) = told.as_ref()?;
        Some(Found { number: *number, label: told.label.clone(), is_branch: told.is_branch })
    };
    let histories = (found(&before), found(&after));
    let parts = |told: Option<(usize, Told)>| told.map(|(_, told)| (told.members, told.entries, told.unsent));
    // What is only on one side has no settings that differ.
    let both = before.is_some() && after.is_some();
    let ((old, before, old_unsent), (new, after, new_unsent)) =
        (parts(before).unwrap_or_default(), parts(after).unwrap_or_default());
    let settings = if both && scope == Scope::All { settings::changes(&old, &new) } else { Vec::new() };
    let Aligned { fates, renames } = align(&before, &after);
    let unsent = [old_unsent, new_unsent];
    Difference { histories, before, after, fates, renames, settings, unsent }
}

/// How many entries met which fate, and what differs beside them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fates {
    pub same: u64,
    pub changed: u64,
    pub moved: u64,
    pub added: u64,
    pub removed: u64,
    /// Ids.
    pub renamed: u64,
    pub settings: u64,
    /// Histories that are only on one side.
    pub unpaired: u64,
}

impl Difference {
    pub fn count(&self) -> Fates {
        let (renamed, settings) = (self.renames.len() as u64, self.settings.len() as u64);
        let unpaired = u64::from(!self.is_paired());
        let mut count = Fates { renamed, settings, unpaired, ..Fates::default() };
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

    pub fn is_paired(&self) -> bool {
        self.histories.0.is_some() && self.histories.1.is_some()
    }
}

impl Fates {
    pub fn differ(&self) -> bool {
        self.items_differ() || self.renamed + self.settings + self.unpaired > 0
    }

    pub fn items_differ(&self) -> bool {
        self.changed + self.moved + self.added + self.removed > 0
    }

    pub fn add(&mut self, other: Fates) {
        self.same += other.same;
        self.changed += other.changed;
        self.moved += other.moved;
        self.added += other.added;
        self.removed += other.removed;
        self.renamed += other.renamed;
        self.settings += other.settings;
        self.unpaired += other.unpaired;
    }
}
