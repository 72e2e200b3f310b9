//! Logs that `slim` went over, put together before anything is said about them: an item whose partner a reference stands
//! for lacks nothing.

use std::io;

use crate::judge::{JudgedDoc, Options};
use crate::rebuild::slim::restore::{has_references, restore};
use crate::report::command_line::CommandLine;
use crate::report::words::count;
use crate::source::{Doc, display_name};

use super::{Run, talk};

/// Whether what was found of a doc may come of references in it. Most docs hold none, so they are looked for only where
/// something was found and the reader met what may be one.
pub(super) fn is_slimmed<T>(doc: &Doc, found: &JudgedDoc<T>) -> io::Result<bool> {
    // A log in several files is none that `slim` makes.
    let may = doc.segments.is_empty() && (found.slimmed || found.may_refer && !found.judged.is_empty());
    Ok(may && has_references(&*doc.bytes)?)
}

/// Puts all references of a doc back, and says how many there were; its file stays as it is. What leads nowhere is an
/// error.
pub(super) fn put_together(doc: &mut Doc, options: &Options) -> io::Result<u64> {
    let restored = restore(doc.id, &*doc.bytes, &options.read)?;
    if let Some((record, why)) = restored.broken.first() {
        return Err(io::Error::other(format!("record {record}: {why}")));
    }
    doc.bytes = restored.bytes;
    Ok(restored.references)
}

/// Warns that places in the report differ from those in the file.
pub(super) fn tell(run: &Run, label: &str, references: u64) {
    // What is called like a reference need not be one.
    if references > 0 && !run.quiet {
        let references = count(references, "reference");
        let restore = CommandLine::new("slim").flag("--restore").on(label);
        talk(&format!("{}: {references} resolved; columns are those of `{restore}`", display_name(label)));
    }
}
