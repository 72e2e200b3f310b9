//! Files that nobody named: a walk met them, and they may be anything. What is not a conversation is skipped and counted;
//! what begins like JSON and cannot be read is reported, for it may be a conversation that was damaged.

use std::io;

use crate::judge::{JudgedDoc, Options};
use crate::read::broken;
use crate::report::words::count;
use crate::report::{Content, Diagnostic, Summary, diagnose};
use crate::rules::container::invalid_json;
use crate::source::{Doc, display_name};
use crate::target::Severity;

use crate::commands::{Run, talk};

/// What is said about a file that was not recognised, of all that was found in it; `None` if it is skipped. It is an
/// error if the part that can be read looks like a conversation.
pub(in crate::commands) fn damage<T>(
    doc: &Doc,
    options: &Options,
    found: &mut JudgedDoc<T>,
    content: Content,
) -> io::Result<Option<Vec<Diagnostic>>> {
    found.judged.retain(|judged| judged.finding.code == invalid_json::RULE.code);
    // The first is enough: of a file of another kind, nobody wants to know all.
    found.judged.truncate(1);
    let Some(first) = found.judged.first_mut().filter(|_| doc.segments.is_empty()) else { return Ok(None) };
    if !broken::begins_like_json(&*doc.bytes)? {
        return Ok(None);
    }
    let looks_like_one = broken::looks_like_conversation(&*doc.bytes, &options.read.pointer)?;
    if !looks_like_one {
        first.severity = Severity::Warning;
        first.finding = first.finding.never("the readable part does not look like a conversation");
    }
    Ok(Some(diagnose(doc.id, &doc.label, &*doc.bytes, found, content)?))
}

/// Whether a file that was not recognised is known to have been a conversation.
pub(in crate::commands) fn was_one(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Says that a file was skipped, to who wants to know each.
pub(in crate::commands) fn say_skipped(run: &Run, label: &str) {
    if run.verbose {
        talk(&format!("{}: skipped, unknown format", display_name(label)));
    }
}

/// How many files were skipped and ignored, at the end of a summary.
pub(in crate::commands) fn skipped_in_words(summary: &Summary) -> String {
    let skipped = match summary.skipped {
        0 => String::new(),
        n => format!(" {} skipped (-v lists {}).", count(n, "file"), if n == 1 { "it" } else { "them" }),
    };
    let ignored =
        summary.ignored.words().map(|words| format!(" {words} ignored (--no-ignore).")).unwrap_or_default();
    skipped + &ignored
}
