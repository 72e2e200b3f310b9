//! Ids that are renamed consistently between two histories.

use std::collections::hash_map::Entry as Slot;

use foldhash::{HashMap, HashSet};

use super::equivalence::IdKind;
use super::meaning::{Id, Meaning};

/// An id before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    pub tie: IdKind,
    pub before: String,
    pub after: String,
    /// The index, before and after, of the first entry with the id.
    pub first: (usize, usize),
    /// Number of entries with the id.
    pub places: usize,
}

/// Pairs of ids, before and after, that are renamed.
#[derive(Default)]
pub struct RenamedIds<'r>(HashSet<(&'r [u8], &'r [u8])>);

impl<'r> RenamedIds<'r> {
    pub fn of(renames: &'r [Rename]) -> Self {
        RenamedIds(renames.iter().map(|rename| (rename.before.as_bytes(), rename.after.as_bytes())).collect())
    }

    pub fn contains(&self, before: &[u8], after: &[u8]) -> bool {
        self.0.contains(&(before, after))
    }
}

/// A one-to-one mapping of ids.
#[derive(Default)]
pub struct Renames {
    after: HashMap<Id, Id>,
    before: HashMap<Id, Id>,
    list: Vec<Rename>,
    /// Index in the list of each renamed id.
    listed: HashMap<Id, usize>,
}

impl Renames {
    /// Records ids that do not change.
    pub fn keep(&mut self, ids: &[Id]) {
        for id in ids {
            self.after.insert(id.clone(), id.clone());
            self.before.insert(id.clone(), id.clone());
        }
    }

    /// True if none of the ids is recorded yet.
    pub fn is_open(&self, before: bool, ids: &[Id]) -> bool {
        let known = if before { &self.after } else { &self.before };
        ids.iter().all(|id| !known.contains_key(id))
    }

    /// Records the ids of an entry before and after; false if they are inconsistent with the mapping.
    pub fn record(&mut self, before: &Meaning, after: &Meaning, at: (usize, usize)) -> bool {
        let pairs = || before.ids.iter().zip(&after.ids);
        let fits = |(old, new): (&Id, &Id)| {
            self.after.get(old).is_none_or(|known| known == new)
                && self.before.get(new).is_none_or(|known| known == old)
        };
        if before.ids.len() != after.ids.len() || !pairs().all(fits) {
            return false;
        }
        let mut counted: HashSet<usize> = HashSet::default();
        for (old, new) in pairs() {
            self.after.insert(old.clone(), new.clone());
            self.before.insert(new.clone(), old.clone());
            if old == new {
                continue;
            }
            let n = match self.listed.entry(old.clone()) {
                Slot::Occupied(slot) => *slot.get(),
                Slot::Vacant(slot) => {
                    let text = |id: &Id| String::from_utf8_lossy(&id.1).into_owned();
                    let rename = Rename { tie: old.0, before: text(old), after: text(new), first: at, places: 0 };
                    self.list.push(rename);
                    *slot.insert(self.list.len() - 1)
                }
            };
            if counted.insert(n)
                && let Some(rename) = self.list.get_mut(n)
            {
                rename.places += 1;
            }
        }
        true
    }

    /// The id after, of a recorded id before.
    pub fn of(&self, id: &str) -> Option<String> {
        let ties = [IdKind::Call, IdKind::Item];
        let found = ties.iter().find_map(|tie| self.after.get(&(*tie, id.as_bytes().into())));
        found.map(|(_, id)| String::from_utf8_lossy(id).into_owned())
    }

    /// The renamed ids.
    pub fn into_list(self) -> Vec<Rename> {
        self.list
    }
}
