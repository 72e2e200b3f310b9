//! Ids that are others on the other side, and tie the same items together there.

use std::collections::hash_map::Entry as Slot;
use std::collections::{HashMap, HashSet};

use super::said::{Id, Said};
use super::same::Tie;

/// An id and what it became.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rename {
    pub tie: Tie,
    pub before: String,
    pub after: String,
    /// The first entry that carries it, by its index before and after.
    pub first: (usize, usize),
    /// How many entries carry it.
    pub places: usize,
}

/// Which id became which. Each has one name on either side.
#[derive(Default)]
pub struct Renames {
    after: HashMap<Id, Id>,
    before: HashMap<Id, Id>,
    list: Vec<Rename>,
    /// Where in the list a renamed id is.
    listed: HashMap<Id, usize>,
}

impl Renames {
    /// Takes ids that stay what they are.
    pub fn keep(&mut self, ids: &[Id]) {
        for id in ids {
            self.after.insert(id.clone(), id.clone());
            self.before.insert(id.clone(), id.clone());
        }
    }

    /// Whether an id may still become another one.
    pub fn is_open(&self, before: bool, ids: &[Id]) -> bool {
        let known = if before { &self.after } else { &self.before };
        ids.iter().all(|id| !known.contains_key(id))
    }

    /// Takes what the ids of an entry became. `false`: they tie other items together than before.
    pub fn take(&mut self, before: &Said, after: &Said, at: (usize, usize)) -> bool {
        let pairs = || before.ids.iter().zip(&after.ids);
        let fits = |(old, new): (&Id, &Id)| {
            self.after.get(old).is_none_or(|known| known == new)
                && self.before.get(new).is_none_or(|known| known == old)
        };
        if before.ids.len() != after.ids.len() || !pairs().all(fits) {
            return false;
        }
        let mut counted: HashSet<usize> = HashSet::new();
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

    /// What an id became.
    pub fn of(&self, id: &str) -> Option<String> {
        let ties = [Tie::Call, Tie::Item];
        let found = ties.iter().find_map(|tie| self.after.get(&(*tie, id.as_bytes().into())));
        found.map(|(_, id)| String::from_utf8_lossy(id).into_owned())
    }

    pub fn into_list(self) -> Vec<Rename> {
        self.list
    }
}
