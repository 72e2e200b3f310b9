//! `fix` on bytes.

use std::borrow::Cow;

use serde::Serialize;

use crate::judge;
use crate::place::Pieces;
use crate::repair::fix as repair_doc;
use crate::report::ContentDisplay;
use crate::report::change_counts::ChangeCounts;
use crate::report::changes;
use crate::report::contract::{Change, Repaired};
use crate::source::{BorrowedBytes, GrowableBytes, PatchedView, ReadAt};

use super::error::Error;
use super::options::Options;
use super::report::{DOC, Report};

/// A document after its repair. It serialises to the output of `fix --output-format json`, without the text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fixed<'t> {
    /// The repaired text; parts without a change are byte-identical. Borrowed if nothing was changed.
    #[serde(skip)]
    pub text: Cow<'t, [u8]>,
    /// The changes, with locations in the original.
    pub changes: Vec<Change>,
    /// Counts of the changes.
    pub fixed: Repaired,
    /// The remaining diagnostics, with locations in the repaired text.
    #[serde(flatten)]
    pub report: Report,
}

impl Fixed<'_> {
    /// True if anything was changed.
    pub fn is_changed(&self) -> bool {
        !self.changes.is_empty()
    }
}

/// Repairs a document as far as its target allows.
///
/// ```
/// use replaylint::{Options, Orphans, fix};
///
/// # fn main() -> Result<(), replaylint::Error> {
/// let body = br#"{"messages": [
///     {"role": "user", "content": "What is the weather in Rome?"},
///     {"role": "tool", "tool_call_id": "call_1", "content": "22 degrees"}
/// ]}"#;
/// let fixed = fix(body, &Options::new().target("chat")?)?;
/// assert_eq!((fixed.changes[0].rule.as_str(), fixed.changes[0].pointer.as_str()), ("RL502", "/messages/1"));
/// assert_eq!(&*fixed.text, br#"{"messages": [
///     {"role": "user", "content": "What is the weather in Rome?"}
/// ]}"#);
/// assert!(!fixed.report.has_errors());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If the history has another dialect than the target (convert it first), or if the document is larger than the address
/// space.
pub fn fix<'t>(document: &'t [u8], options: &Options) -> Result<Fixed<'t>, Error> {
    let Some(dialect) = options.list else { return fix_document(document, options) };
    let request = dialect.request(document);
    let Fixed { text, mut changes, fixed, mut report } = fix_document(&request, options)?;
    let text = match text {
        Cow::Borrowed(_) => Cow::Borrowed(document),
        Cow::Owned(text) => Cow::Owned(dialect.list(&text)?),
    };
    dialect.relocate(&mut report.diagnostics);
    dialect.relocate_changes(&mut changes);
    Ok(Fixed { text, changes, fixed, report })
}

fn fix_document<'t>(document: &'t [u8], options: &Options) -> Result<Fixed<'t>, Error> {
    let bytes = GrowableBytes::new(BorrowedBytes(document));
    let done = repair_doc(DOC, &bytes, &options.judge, &options.fix, 1)?;
    if let Some(format) = done.before.format
        && let Some(target) = options.judge.named_target(format.info())
        && !judge::shares_dialect(format.info(), target)
    {
        let why = format!("the history is not in the dialect of the target {}: convert it first", target.name);
        return Err(Error::new(why));
    }
    if let Some(bug) = done.bug {
        return Err(Error::new(bug));
    }
    let notes = changes::notes(DOC, &options.name, &bytes, &done)?;
    let left = changes::remaining_diagnostics(DOC, &options.name, &bytes, &done, ContentDisplay::None)?;
    let report = Report::new(done.remaining(), &options.name, left);
    let text = match done.patch.is_empty() {
        true => Cow::Borrowed(document),
        false => {
            let patched = PatchedView::new(&bytes, Pieces::new(done.patch.edits(DOC), DOC, bytes.len()));
            let mut text = Vec::new();
            patched.read_into(0, patched.len() as usize, &mut text)?;
            Cow::Owned(text)
        }
    };
    let mut counts = ChangeCounts::default();
    counts.add(&done);
    Ok(Fixed { text, changes: notes.iter().map(Change::from).collect(), fixed: (&counts).into(), report })
}
