//! The engine of the field rules: one pass over the members of an item finds every row of the table that it breaks. The
//! rows say where a member lies, what must not stand there, which rule and variant that is, and what heals it; the
//! rules' own files hold only their pages and words.
//!
//! Every item of a log comes through here, so the rows are sorted by kind and key once: a member that no row speaks of
//! costs one test of a bit.

mod table;

use std::sync::OnceLock;

use crate::dialect::Item;
use crate::history::{Act, Code, Finding, Flags, History, ItemFlags, Kind, KindSet, Remedy, Role};
use crate::json::spot::{EACH, Is, Other, PRIVATE, Spot, To};
use crate::json::{ByName, Name, Val};
use crate::rule::Out;

pub use table::ROWS;

/// A row of the table.
#[derive(Debug)]
pub struct Field {
    pub kinds: KindSet,
    /// Only in messages of these roles; empty: any.
    pub roles: &'static [Role],
    pub spot: Spot,
    pub code: Code,
    pub variant: u8,
    pub cure: Cure,
    /// Not on items with any of these: another rule says it.
    pub unless: ItemFlags,
    /// Most targets do not care. The item gets this flag as it passes by, and a finding only where the target minds.
    pub note: ItemFlags,
}

/// What heals it.
#[derive(Debug)]
pub enum Cure {
    /// Nothing does, and this is why.
    Never(&'static str),
    Change(To),
    Act(Act),
    /// One of several acts does.
    Any(Remedy),
}

impl Field {
    fn finding(&'static self, row: crate::history::Row, number: u16) -> Finding {
        let remedy = match &self.cure {
            Cure::Never(why) => Remedy::Never(why),
            Cure::Change(_) => Remedy::One(Act::Spot(number)),
            Cure::Act(act) => Remedy::One(*act),
            Cure::Any(remedy) => *remedy,
        };
        Finding { field: number, ..Finding::new(self.code, row).variant(self.variant).remedy(remedy) }
    }
}

/// Whether the rows speak of items of a dialect.
pub fn judge(dialect: &str) -> bool {
    dialect == "responses"
}

/// The row with this number.
pub fn row(number: u16) -> Option<&'static Field> {
    ROWS.get(usize::from(number))
}

/// Rows that speak of members of one object, by key.
#[derive(Default)]
struct Keys {
    keys: Vec<Key>,
    /// Where each of them is.
    places: ByName<usize>,
    /// Rows about keys that begin with an underscore.
    private: Vec<u16>,
}

struct Key {
    name: &'static str,
    /// Rows about the value.
    rows: Vec<u16>,
    /// Values that none of these rows speaks of.
    other: Other,
    /// Rows about a missing member.
    absent: Vec<u16>,
    /// Members of the value.
    below: Keys,
    /// Members of the value's elements.
    each: Keys,
}

impl Keys {
    fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.private.is_empty()
    }

    fn add(&mut self, path: &'static [&'static str], row: u16) {
        let Some((&name, rest)) = path.split_first() else { return };
        if name == PRIVATE {
            self.private.push(row);
            return;
        }
        if self.keys.iter().all(|key| key.name != name) {
            let (below, each) = (Keys::default(), Keys::default());
            let (rows, absent, other) = (Vec::new(), Vec::new(), Other::ALL);
            self.keys.push(Key { name, rows, other, absent, below, each });
        }
        let Some(key) = self.keys.iter_mut().find(|key| key.name == name) else { return };
        let Some(is) = ROWS.get(usize::from(row)).map(|row| row.spot.is) else { return };
        match rest {
            [] if is == Is::Missing => key.absent.push(row),
            [] => {
                key.rows.push(row);
                key.other = key.other.and(is.other());
            }
            [first, rest @ ..] if *first == EACH => key.each.add(rest, row),
            _ => key.below.add(rest, row),
        }
    }

    /// Notes where each key is.
    fn index(&mut self) {
        let places = self.keys.iter().enumerate().map(|(at, key)| (Name::find(key.name.as_bytes()), at));
        self.places = ByName::new(places.collect());
        for key in &mut self.keys {
            key.below.index();
            key.each.index();
        }
    }
}

/// The rows of each kind.
fn by_kind() -> &'static [Keys] {
    static BY_KIND: OnceLock<Vec<Keys>> = OnceLock::new();
    BY_KIND.get_or_init(|| {
        let of_kind = |kind: Kind| {
            let mut keys = Keys::default();
            for (number, row) in ROWS.iter().enumerate().filter(|(_, row)| row.kinds.has(kind)) {
                keys.add(row.spot.path, number as u16);
            }
            keys.index();
            keys
        };
        Kind::all().map(of_kind).collect()
    })
}

/// Finds the rows that an item breaks, each once.
pub fn check(item: &Item<'_>, out: &mut Out) {
    let Some(keys) = by_kind().get(item.row.kind as usize) else { return };
    if keys.is_empty() || !item.val.is_object() || item.row.has(Flags::SYNTHETIC) {
        return;
    }
    Pass { item, out }.object(keys, item.val, None);
}

struct Pass<'p, 't> {
    item: &'p Item<'t>,
    out: &'p mut Out,
}

impl<'t> Pass<'_, 't> {
    /// `element` is the element of a list that the object is or lies in.
    fn object(&mut self, keys: &Keys, object: Val<'t>, element: Option<Val<'t>>) {
        let mut seen: u64 = 0;
        for (name, val) in object.named() {
            if !name.is_some() {
                if !keys.private.is_empty() && val.key().is_some_and(|key| key.raw.starts_with(b"_")) {
                    self.test(&keys.private, Some(val), element);
                }
                continue;
            }
            let Some(&at) = keys.places.get(name) else { continue };
            let Some(key) = keys.keys.get(at) else { continue };
            seen |= 1 << at;
            if !key.other.is(val) {
                self.test(&key.rows, Some(val), element);
            }
            if !key.below.is_empty() && val.is_object() {
                self.object(&key.below, val, element);
            }
            if !key.each.is_empty() {
                for element in val.elements().filter(Val::is_object) {
                    self.object(&key.each, element, Some(element));
                }
            }
        }
        for (at, key) in keys.keys.iter().enumerate() {
            if !key.absent.is_empty() && seen >> at & 1 == 0 {
                self.test(&key.absent, None, element);
            }
        }
    }

    fn test(&mut self, rows: &[u16], val: Option<Val<'t>>, element: Option<Val<'t>>) {
        for &number in rows {
            let Some(row) = ROWS.get(usize::from(number)) else { continue };
            let item = &self.item.row;
            if row.spot.is.holds(val)
                && (row.roles.is_empty() || row.roles.contains(&item.role))
                && item.item.only(row.unless) == ItemFlags::NONE
                && element.is_none_or(|element| row.spot.takes(element))
            {
                if row.note != ItemFlags::NONE {
                    self.out.noted.set(row.note);
                } else if self.out.findings.iter().all(|finding| finding.field != number) {
                    self.out.add(row.finding(*item, number));
                }
            }
        }
    }
}

/// Raises what was only noted on items, where the target minds.
pub fn raise_noted(history: &History, minds: &dyn Fn(Code, u8) -> bool, out: &mut Out) {
    let noted = ROWS.iter().enumerate().filter(|(_, row)| row.note != ItemFlags::NONE);
    let mut raised = ItemFlags::NONE;
    for (number, field) in noted.filter(|(_, row)| minds(row.code, row.variant)) {
        // Several rows may note the same.
        if raised.has(field.note) {
            continue;
        }
        raised.set(field.note);
        let broken = history.rows.iter().filter(|row| row.has(field.note) && field.kinds.has(row.kind));
        out.findings.extend(broken.map(|row| field.finding(*row, number as u16)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_fit_the_engine() {
        for kind in Kind::all() {
            assert!(by_kind()[kind as usize].keys.len() <= 64, "{kind:?}");
        }
        assert!(by_kind()[Kind::Unknown as usize].is_empty(), "unknown items are passed through untouched");
        assert!(ROWS.len() < usize::from(crate::history::NO_FIELD));
        for row in ROWS {
            for key in row.spot.path.iter().filter(|key| **key != EACH && **key != PRIVATE) {
                assert!(Name::find(key.as_bytes()).is_some(), "the table of names lacks {key}");
            }
            // What is noted is raised without its role and its neighbours: the flag must say it all.
            assert!(row.note == ItemFlags::NONE || row.unless == ItemFlags::NONE, "{row:?}");
            assert!(row.spot.path.iter().filter(|step| **step == EACH).count() <= 1, "{row:?}");
        }
    }
}
