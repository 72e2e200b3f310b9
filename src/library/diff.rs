//! `diff` on bytes.

use crate::diff::compare::{DiffScope, DiffSide, compare};
use crate::place::DocId;
use crate::report::diff_contract::Diff;
use crate::report::words::count;
use crate::report::{diff_json, history_diff};
use crate::source::{BorrowedBytes, GrowableBytes};

use super::error::Error;
use super::options::Options;
use super::report::DOC;

const OTHER: DocId = DocId(1);

/// Compares two documents item by item, and the settings of their requests. Items are paired by id and call id, then by
/// content. Histories of different dialects are compared by their content.
///
/// ```
/// use replaylint::{Options, diff};
///
/// # fn main() -> Result<(), replaylint::Error> {
/// let before = br#"{"input": [{"role": "user", "content": "Hello"}]}"#;
/// let after = br#"{"input": [{"role": "user", "content": "Hello"}, {"role": "user", "content": "Are you there?"}]}"#;
/// let diff = diff(before, after, &Options::new())?;
/// assert_eq!((diff.summary.same, diff.summary.added), (1, 1));
/// assert_eq!(diff.histories[0].entries[0].after.as_ref().unwrap().pointer, "/input/1");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If one of the documents contains no conversation, or records that cannot be read.
pub fn diff(before: &[u8], after: &[u8], options: &Options) -> Result<Diff, Error> {
    let Some(dialect) = options.list else { return diff_documents(before, after, options) };
    let mut diff = diff_documents(&dialect.request(before), &dialect.request(after), options)?;
    let pointers = diff.histories.iter_mut().flat_map(|history| {
        let sides = history.entries.iter_mut().flat_map(|entry| entry.before.iter_mut().chain(&mut entry.after));
        let cache = history.cache.iter_mut().filter_map(|cache| cache.pointer.as_mut());
        sides.map(|side| &mut side.pointer).chain(cache)
    });
    dialect.relocate_sides(pointers);
    Ok(diff)
}

fn diff_documents(before: &[u8], after: &[u8], options: &Options) -> Result<Diff, Error> {
    let (old, new) = (GrowableBytes::new(BorrowedBytes(before)), GrowableBytes::new(BorrowedBytes(after)));
    let side = |id, bytes| DiffSide { id, bytes, options: &options.judge };
    let mut compared = compare(side(DOC, &old), side(OTHER, &new), DiffScope::All)?;
    for (which, (histories, unread)) in
        ["first", "second"].iter().zip(compared.histories.into_iter().zip(compared.unread))
    {
        if histories == 0 {
            return Err(Error::new(format!("the {which} document contains no conversation")));
        }
        if unread > 0 {
            return Err(Error::new(format!(
                "{} of the {which} document could not be read",
                count(u64::from(unread), "record")
            )));
        }
    }
    history_diff::locate(&mut compared.differences, (DOC, &old), (OTHER, &new))?;
    Ok(diff_json::diff(&compared.differences, compared.reordered, false))
}
