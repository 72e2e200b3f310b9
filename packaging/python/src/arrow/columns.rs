//! What was found and changed, as columns of lists.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, ListArray, StringArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, Field, Fields};
use replaylint::internals::report::contract::{Change, Diagnostic};

/// A list for each row, null for a row without one. `column` makes one column of the items of all lists.
pub fn lists<T, L: IntoIterator<Item = T>>(
    rows: impl Iterator<Item = Option<L>>,
    column: impl Fn(&[T]) -> Result<ArrayRef, ArrowError>,
) -> Result<ArrayRef, ArrowError> {
    let (mut items, mut lengths, mut valid) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let before = items.len();
        valid.push(row.is_some());
        items.extend(row.into_iter().flatten());
        lengths.push(items.len() - before);
    }
    let items = column(&items)?;
    let item = Arc::new(Field::new_list_field(items.data_type().clone(), true));
    let lists =
        ListArray::try_new(item, OffsetBuffer::from_lengths(lengths), items, Some(NullBuffer::from(valid)))?;
    Ok(Arc::new(lists))
}

pub fn strings(all: &[&str]) -> Result<ArrayRef, ArrowError> {
    Ok(Arc::new(StringArray::from_iter_values(all)))
}

/// A member of a struct: its name, and its text in an item.
type Member<T> = (&'static str, fn(&T) -> &str);

/// What a finding has in a table: no text of a conversation.
static FINDING: [Member<Diagnostic>; 5] = [
    ("rule", |found| &found.rule),
    ("severity", |found| found.severity),
    ("pointer", |found| &found.pointer),
    ("message", |found| &found.message),
    ("evidence", |found| found.evidence),
];

/// What a change has beside its bytes.
static CHANGE: [Member<Change>; 5] = [
    ("rule", |change| &change.rule),
    ("pointer", |change| &change.pointer),
    ("action", |change| change.action),
    ("what", |change| change.what),
    ("loss", |change| change.loss),
];

pub fn findings(all: &[&Diagnostic]) -> Result<ArrayRef, ArrowError> {
    structs(all, &FINDING, None)
}

pub fn changes(all: &[&Change]) -> Result<ArrayRef, ArrowError> {
    let bytes = all.iter().map(|change| i64::from(change.bytes));
    structs(all, &CHANGE, Some(("bytes", Arc::new(Int64Array::from_iter_values(bytes)))))
}

/// A struct for each item, of the members in a table, and of one more.
fn structs<T>(
    all: &[&T],
    members: &[Member<T>],
    last: Option<(&'static str, ArrayRef)>,
) -> Result<ArrayRef, ArrowError> {
    let texts = members.iter().map(|(name, text)| {
        let column: ArrayRef = Arc::new(StringArray::from_iter_values(all.iter().map(|item| text(item))));
        (*name, column)
    });
    let (fields, columns): (Vec<Field>, Vec<ArrayRef>) = texts
        .chain(last)
        .map(|(name, column)| (Field::new(name, column.data_type().clone(), true), column))
        .unzip();
    Ok(Arc::new(StructArray::try_new(Fields::from(fields), columns, None)?))
}
