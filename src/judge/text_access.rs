//! Access of rules to the text of items.

use crate::history::Row;
use crate::json::{Val, canonical};
use crate::place::Place;
use crate::read::{ScannedRecord, TextReader};
use crate::rule::ItemText;
use crate::source::ReadAt;

impl ItemText for TextReader<'_> {
    fn with_item(&self, row: &Row, see: &mut dyn FnMut(Val<'_>)) {
        self.with_item(row, see);
    }

    fn with_value(&self, at: Place, see: &mut dyn FnMut(Val<'_>)) {
        self.with_value(at, false, see);
    }

    fn same_content(&self, a: &Row, b: &Row) -> bool {
        self.with_item(a, |a| self.with_item(b, |b| canonical::is_equal(a, b))).flatten().unwrap_or(false)
    }

    fn same_id(&self, a: &Row, b: &Row) -> bool {
        let id = |row: &Row| self.with_item(row, |val| self.id_of(val).map(|id| id.decode().into_owned()));
        id(a).flatten().is_some_and(|a| id(b).flatten() == Some(a))
    }

    fn scanned(&self) -> Option<ScannedRecord<'_>> {
        TextReader::scanned(self)
    }

    fn bytes(&self) -> &dyn ReadAt {
        TextReader::bytes(self)
    }
}
