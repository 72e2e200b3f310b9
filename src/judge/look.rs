//! What rules read again of items, by the texts of a doc.

use crate::history::Row;
use crate::json::{Val, canonical};
use crate::place::Place;
use crate::read::{Scanned, Texts};
use crate::rule::Look;
use crate::source::ReadAt;

impl Look for Texts<'_> {
    fn look(&self, row: &Row, see: &mut dyn FnMut(Val<'_>)) {
        self.item(row, see);
    }

    fn value(&self, at: Place, see: &mut dyn FnMut(Val<'_>)) {
        self.see(at, false, see);
    }

    fn same(&self, a: &Row, b: &Row) -> bool {
        self.item(a, |a| self.item(b, |b| canonical::same(a, b))).flatten().unwrap_or(false)
    }

    fn same_id(&self, a: &Row, b: &Row) -> bool {
        let id = |row: &Row| self.item(row, |val| self.id_of(val).map(|id| id.decode().into_owned()));
        id(a).flatten().is_some_and(|a| id(b).flatten() == Some(a))
    }

    fn scanned(&self) -> Option<Scanned<'_>> {
        Texts::scanned(self)
    }

    fn bytes(&self) -> &dyn ReadAt {
        Texts::bytes(self)
    }
}
