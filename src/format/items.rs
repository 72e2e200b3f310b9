//! Reading of items from a record: a single item, a list of items, or an element of a list in a large document.

use crate::dialect::{Dialect, Item, ItemOrigin};
use crate::history::{Finding, Flags, Row, codes};
use crate::json::Val;

use super::info::{FormatInfo, RecordPart};
use super::mark::{Mark, Sink};
use super::record::{Record, Slice, is_reference};

/// Reads an element of a large document. Returns false if the record is none.
pub fn read_slice(info: &FormatInfo, record: &Record<'_>, flags: Flags, sink: &mut dyn Sink) -> bool {
    let Slice::Element { section } = record.slice else { return false };
    let holds = |part: &RecordPart| match part.path {
        [] => section.is_empty(),
        [key] => *key == section,
        _ => false,
    };
    if let Some(part) = info.parts.iter().position(holds) {
        read_element(info.dialect, record.val, record, part as u8, flags, sink);
    }
    true
}

/// Reads the items of an array as part `part` of a record.
pub fn read_array(
    dialect: &dyn Dialect,
    array: Val<'_>,
    record: &Record<'_>,
    part: u8,
    flags: Flags,
    sink: &mut dyn Sink,
) {
    array.elements().for_each(|element| read_element(dialect, element, record, part, flags, sink));
}

/// Reads an element of an array of items as part `part` of a record.
fn read_element(
    dialect: &dyn Dialect,
    element: Val<'_>,
    record: &Record<'_>,
    part: u8,
    flags: Flags,
    sink: &mut dyn Sink,
) {
    if is_reference(element) {
        // Partners may be among the referenced elements.
        sink.mark(Mark::Settings(
            |settings, _| (settings.broken, settings.slimmed) = (true, true),
            Box::default(),
        ));
    } else if element.is_object() {
        read_item(dialect, element, record, part, flags, sink);
    } else {
        read_literal(element, record, part, flags, sink);
    }
}

/// Reports a null, a number, a string or a list in the place of an item. It remains a row that pairs with nothing.
fn read_literal(val: Val<'_>, record: &Record<'_>, part: u8, flags: Flags, sink: &mut dyn Sink) {
    let mut row = Row::of_place(record.base.of(val), record.number);
    (row.part, row.flags) = (part, flags);
    sink.report(Finding::new(codes::NOT_AN_ITEM, row).never("the intended value is unknown"));
    sink.item(Item { row, val, id: None, key: None });
}

/// Reads one item as part `part` of a record.
pub fn read_item(
    dialect: &dyn Dialect,
    val: Val<'_>,
    record: &Record<'_>,
    part: u8,
    flags: Flags,
    sink: &mut dyn Sink,
) {
    let origin = ItemOrigin { base: record.base, record: record.number, turn: 0, part, flags };
    dialect.rows(val, origin, &mut |item| sink.item(item));
}
