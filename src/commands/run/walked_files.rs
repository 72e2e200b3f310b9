//! Files that were found in a folder, and may be anything. Files without a conversation are skipped and counted; a file
//! that begins like JSON and cannot be parsed is reported, because it may be a damaged conversation.

use std::io;

use crate::history::codes;
use crate::judge::{JudgedDoc, Options};
use crate::read::invalid_json;
use crate::report::words::count;
use crate::report::{ContentDisplay, Diagnostic, RunSummary, diagnose};
use crate::source::{Doc, display_name};
use crate::target::Severity;

use crate::commands::{Run, print_note};

/// The diagnostic of a file that was not recognised; `None` if the file is skipped. It is an error if the readable part
/// looks like a conversation.
pub(in crate::commands) fn damage<T>(
    doc: &Doc,
    options: &Options,
    found: &mut JudgedDoc<T>,
    content: ContentDisplay,
) -> io::Result<Option<Vec<Diagnostic>>> {
    found.findings.retain(|judged| judged.finding.code == codes::INVALID_JSON);
    // One finding is enough for a file that may be of another kind.
    found.findings.truncate(1);
    let Some(first) = found.findings.first_mut().filter(|_| doc.segments.is_empty()) else { return Ok(None) };
    if !invalid_json::begins_like_json(&*doc.bytes)? {
        return Ok(None);
    }
    let looks_like_one = invalid_json::looks_like_conversation(&*doc.bytes, &options.read.pointer)?;
    if !looks_like_one {
        first.severity = Severity::Warning;
        first.finding = first.finding.never("the readable part does not look like a conversation");
    }
    Ok(Some(diagnose(doc.id, &doc.label, &*doc.bytes, found, content)?))
}

/// True if a file that was not recognised is a damaged conversation.
pub(in crate::commands) fn was_conversation(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Reports a skipped file with `--verbose`.
pub(in crate::commands) fn report_skipped(run: &Run, label: &str) {
    if run.verbose {
        print_note(&format!("{}: skipped (unknown format)", display_name(label)));
    }
}

/// The sentences about skipped and ignored files at the end of a summary.
pub(in crate::commands) fn describe_skipped(summary: &RunSummary) -> String {
    let skipped = match summary.skipped {
        0 => String::new(),
        n => format!(" {} skipped (-v lists {}).", count(n, "file"), if n == 1 { "it" } else { "them" }),
    };
    let ignored =
        summary.ignored.words().map(|words| format!(" {words} ignored (--no-ignore).")).unwrap_or_default();
    skipped + &ignored
}
