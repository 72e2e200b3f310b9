//! The engine of the field rules: one pass over the members of an item finds every row of the table that it violates. A
//! row has the path of a member, the forbidden value, the rule and variant that report it, and the fix; the rules' own
//! files contain only their pages and messages.
//!
//! Every item of a log is checked here, so the rows are indexed by kind and key once: a member without a row costs one
//! bit test.

mod table;

use std::sync::OnceLock;

use crate::dialect::Item;
use crate::history::{Code, Finding, Flags, History, ItemFlags, Kind, KindSet, Remedy, RepairAct, Role};
use crate::json::member_match::{EACH, MemberEdit, MemberMatch, PRIVATE, ValueExclusion, ValueTest};
use crate::json::{ByName, KeyName, Val};
use crate::rule::FindingSink;

pub use table::ROWS;

/// A row of the table.
#[derive(Debug)]
pub struct FieldRule {
    pub kinds: KindSet,
    /// Only for messages of these roles; empty for any.
    pub roles: &'static [Role],
    pub spot: MemberMatch,
    pub code: Code,
    pub variant: u8,
    pub fix: FieldFix,
    /// Not for items with any of these flags: another rule reports them.
    pub unless: ItemFlags,
    /// For rules that few targets enforce: the item gets this flag during reading, and a finding only if the target
    /// enforces the rule.
    pub flag: ItemFlags,
}

/// The fix of a violation.
#[derive(Debug)]
pub enum FieldFix {
    /// There is none, for this reason.
    Never(&'static str),
    Change(MemberEdit),
    Act(RepairAct),
    /// One of several acts.
    Any(Remedy),
}

impl FieldRule {
    fn finding(&'static self, row: crate::history::Row, number: u16) -> Finding {
        let remedy = match &self.fix {
            FieldFix::Never(why) => Remedy::Never(why),
            FieldFix::Change(_) => Remedy::One(RepairAct::FixField(number)),
            FieldFix::Act(act) => Remedy::One(*act),
            FieldFix::Any(remedy) => *remedy,
        };
        Finding { field: number, ..Finding::new(self.code, row).variant(self.variant).remedy(remedy) }
    }
}

/// True if the rows apply to items of a dialect.
pub fn applies_to(dialect: &str) -> bool {
    dialect == "responses"
}

/// The row with this number.
pub fn row(number: u16) -> Option<&'static FieldRule> {
    ROWS.get(usize::from(number))
}

/// Rows about the members of one object, by key.
#[derive(Default)]
struct MemberIndex {
    members: Vec<MemberRules>,
    /// Index of each member in the list.
    places: ByName<usize>,
    /// Rows about keys that begin with an underscore.
    private: Vec<u16>,
}

struct MemberRules {
    name: &'static str,
    /// Rows about the value.
    rows: Vec<u16>,
    /// Values that violate none of these rows.
    other: ValueExclusion,
    /// Rows about a missing member.
    absent: Vec<u16>,
    /// Members of the value.
    nested: MemberIndex,
    /// Members of the value's elements.
    elements: MemberIndex,
}

impl MemberIndex {
    fn is_empty(&self) -> bool {
        self.members.is_empty() && self.private.is_empty()
    }

    fn add(&mut self, path: &'static [&'static str], row: u16) {
        let Some((&name, rest)) = path.split_first() else { return };
        if name == PRIVATE {
            self.private.push(row);
            return;
        }
        if self.members.iter().all(|key| key.name != name) {
            let (below, each) = (MemberIndex::default(), MemberIndex::default());
            let (rows, absent, other) = (Vec::new(), Vec::new(), ValueExclusion::ALL);
            self.members.push(MemberRules { name, rows, other, absent, nested: below, elements: each });
        }
        let Some(key) = self.members.iter_mut().find(|key| key.name == name) else { return };
        let Some(is) = ROWS.get(usize::from(row)).map(|row| row.spot.is) else { return };
        match rest {
            [] if is == ValueTest::Missing => key.absent.push(row),
            [] => {
                key.rows.push(row);
                key.other = key.other.and(is.exclusion());
            }
            [first, rest @ ..] if *first == EACH => key.elements.add(rest, row),
            _ => key.nested.add(rest, row),
        }
    }

    /// Builds the index by name.
    fn index(&mut self) {
        let places = self.members.iter().enumerate().map(|(at, key)| (KeyName::find(key.name.as_bytes()), at));
        self.places = ByName::new(places.collect());
        for key in &mut self.members {
            key.nested.index();
            key.elements.index();
        }
    }
}

/// The rows by kind.
fn by_kind() -> &'static [MemberIndex] {
    static BY_KIND: OnceLock<Vec<MemberIndex>> = OnceLock::new();
    BY_KIND.get_or_init(|| {
        let of_kind = |kind: Kind| {
            let mut keys = MemberIndex::default();
            for (number, row) in ROWS.iter().enumerate().filter(|(_, row)| row.kinds.has(kind)) {
                keys.add(row.spot.path, number as u16);
            }
            keys.index();
            keys
        };
        Kind::all().map(of_kind).collect()
    })
}

/// Reports the rows that an item violates, each once.
pub fn check(item: &Item<'_>, out: &mut FindingSink) {
    let Some(keys) = by_kind().get(item.row.kind as usize) else { return };
    if keys.is_empty() || !item.val.is_object() || item.row.has(Flags::SYNTHETIC) {
        return;
    }
    FieldVisitor { item, out }.object(keys, item.val, None);
}

struct FieldVisitor<'p, 't> {
    item: &'p Item<'t>,
    out: &'p mut FindingSink,
}

impl<'t> FieldVisitor<'_, 't> {
    /// `element` is the list element that the object is or is inside of.
    fn object(&mut self, keys: &MemberIndex, object: Val<'t>, element: Option<Val<'t>>) {
        let mut seen: u64 = 0;
        for (name, val) in object.named_members() {
            if !name.is_some() {
                if !keys.private.is_empty() && val.key().is_some_and(|key| key.raw.starts_with(b"_")) {
                    self.test(&keys.private, Some(val), element);
                }
                continue;
            }
            let Some(&at) = keys.places.get(name) else { continue };
            let Some(key) = keys.members.get(at) else { continue };
            seen |= 1 << at;
            if !key.other.is(val) {
                self.test(&key.rows, Some(val), element);
            }
            if !key.nested.is_empty() && val.is_object() {
                self.object(&key.nested, val, element);
            }
            if !key.elements.is_empty() {
                for element in val.elements().filter(Val::is_object) {
                    self.object(&key.elements, element, Some(element));
                }
            }
        }
        for (at, key) in keys.members.iter().enumerate() {
            if !key.absent.is_empty() && seen >> at & 1 == 0 {
                self.test(&key.absent, None, element);
            }
        }
    }

    fn test(&mut self, rows: &[u16], val: Option<Val<'t>>, element: Option<Val<'t>>) {
        for &number in rows {
            let Some(row) = ROWS.get(usize::from(number)) else { continue };
            let item = &self.item.row;
            if row.spot.is.passes(val)
                && (row.roles.is_empty() || row.roles.contains(&item.role))
                && item.item_flags.only(row.unless) == ItemFlags::NONE
                && element.is_none_or(|element| row.spot.accepts_element(element))
            {
                if row.flag != ItemFlags::NONE {
                    self.out.item_flags.set(row.flag);
                } else if self.out.findings.iter().all(|finding| finding.field != number) {
                    self.out.add(row.finding(*item, number));
                }
            }
        }
    }
}

/// Reports items that were flagged during reading, for the rules that the target enforces.
pub fn report_flagged(history: &History, minds: &dyn Fn(Code, u8) -> bool, out: &mut FindingSink) {
    let noted = ROWS.iter().enumerate().filter(|(_, row)| row.flag != ItemFlags::NONE);
    let mut raised = ItemFlags::NONE;
    for (number, field) in noted.filter(|(_, row)| minds(row.code, row.variant)) {
        // Several rows may set the same flag.
        if raised.has(field.flag) {
            continue;
        }
        raised.set(field.flag);
        let broken = history.rows.iter().filter(|row| row.has(field.flag) && field.kinds.has(row.kind));
        out.findings.extend(broken.map(|row| field.finding(*row, number as u16)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_fit_the_engine() {
        for kind in Kind::all() {
            assert!(by_kind()[kind as usize].members.len() <= 64, "{kind:?}");
        }
        assert!(by_kind()[Kind::Unknown as usize].is_empty(), "unknown items are not checked");
        assert!(ROWS.len() < usize::from(crate::history::NO_FIELD));
        for row in ROWS {
            for key in row.spot.path.iter().filter(|key| **key != EACH && **key != PRIVATE) {
                assert!(KeyName::find(key.as_bytes()).is_some(), "the table of names lacks {key}");
            }
            // Flagged items are reported without their role and other flags, so the flag must suffice.
            assert!(row.flag == ItemFlags::NONE || row.unless == ItemFlags::NONE, "{row:?}");
            assert!(row.spot.path.iter().filter(|step| **step == EACH).count() <= 1, "{row:?}");
        }
    }
}
