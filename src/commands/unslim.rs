//! Restoring slimmed logs before they are judged: an item whose partner is replaced with a reference is not missing it.

use std::io;

use crate::judge::{JudgedDoc, Options};
use crate::rebuild::slim::restore::{has_references, restore};
use crate::report::command_line::CommandLine;
use crate::report::words::count;
use crate::source::{Doc, display_name};

use super::{Run, print_note};

/// True if a document contains references. Most documents contain none, so they are searched only if the document has
/// findings and possible references.
pub(super) fn is_slimmed<T>(doc: &Doc, found: &JudgedDoc<T>) -> io::Result<bool> {
    // `slim` does not write logs in several files.
    let may =
        doc.segments.is_empty() && (found.slimmed || found.may_have_references && !found.findings.is_empty());
    Ok(may && has_references(&*doc.bytes)?)
}

/// Restores all references of a document in memory, and returns their number.
///
/// # Errors
///
/// If a reference cannot be resolved.
pub(super) fn restore_references(doc: &mut Doc, options: &Options) -> io::Result<u64> {
    let restored = restore(doc.id, &*doc.bytes, &options.read)?;
    if let Some((record, why)) = restored.unresolved.first() {
        return Err(io::Error::other(format!("record {record}: {why}")));
    }
    doc.bytes = restored.bytes;
    Ok(restored.references)
}

/// Reports that columns in the report are not those of the file.
pub(super) fn report_restored(run: &Run, label: &str, references: u64) {
    // A member with the name of a reference may not be one.
    if references > 0 && !run.quiet {
        let references = count(references, "reference");
        let restore = CommandLine::new("slim").flag("--restore").on_input(label);
        print_note(&format!(
            "{}: resolved {references}; columns refer to the output of `{restore}`",
            display_name(label)
        ));
    }
}
