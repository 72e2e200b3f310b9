//! After its repair a log of requests is judged again only where it changed: that finds the same as judging all of it, and
//! reads less.

use replaylint::internals::judge::{JudgedDoc, Options};
use replaylint::internals::place::Pieces;
use replaylint::internals::repair;
use replaylint::internals::repair::{DocRepair, FixOptions, Reasoning};
use replaylint::internals::report::{self, ContentDisplay};
use replaylint::internals::source::{PatchedView, ReadAt};

use crate::generate::LogShape;
use crate::report::reads::{generate_text, logs};
use crate::support::{DOC, growable_text};

fn fix_doc(bytes: &dyn ReadAt, wanted: &FixOptions) -> DocRepair {
    repair::fix(DOC, bytes, &Options::default(), wanted, 1).expect("memory reads")
}

/// A description of all findings of a doc, with the reasons why some are not repaired.
fn describe_findings<T>(bytes: &dyn ReadAt, doc: &JudgedDoc<T>, repaired: &DocRepair) -> Vec<String> {
    let diagnostics = report::diagnose(DOC, "case", bytes, doc, ContentDisplay::Shown).expect("memory reads");
    let reason = repaired.refusal_reasons();
    let JudgedDoc { records, histories, items, container, .. } = doc;
    let mut lines = vec![format!("{records} records, {histories} histories, {items} items, {container:?}")];
    lines.extend(doc.findings.iter().zip(diagnostics).map(|(judged, diagnostic)| {
        let why = if judged.has_fix() { reason(judged) } else { None };
        let at =
            (judged.finding, judged.severity, judged.target.name, judged.history, judged.loss, judged.flattens);
        format!("{at:?} {} {:?} {why:?}", diagnostic.message, diagnostic.location)
    }));
    lines
}

#[test]
fn remaining_findings_are_those_of_a_full_check() {
    let strip = FixOptions { reasoning: Reasoning::Strip, ..FixOptions::default() };
    let lossless = FixOptions { lossless: true, ..FixOptions::default() };
    let warnings = FixOptions { warnings: true, ..FixOptions::default() };
    // Its plans predict what remains.
    let preview = FixOptions { is_preview: true, ..FixOptions::default() };
    for (name, text) in logs() {
        for wanted in [&FixOptions::default(), &strip, &lossless, &warnings, &preview] {
            let bytes = growable_text(&text);
            let repaired = fix_doc(&bytes, wanted);
            let Some(after) = &repaired.after else { continue };
            let edits = repaired.patch.edits(DOC);
            let view = PatchedView::new(&bytes, Pieces::new(edits, DOC, bytes.len()));
            let full = fix_doc(&view, wanted);
            assert!(full.patch.is_empty(), "{name}");
            assert_eq!(
                describe_findings(&view, after, &repaired),
                describe_findings(&view, &full.before, &full),
                "{name}"
            );
        }
    }
}

#[test]
fn unchanged_records_are_judged_once() {
    let text = generate_text(12 << 20, LogShape::Requests, 1000);
    let repaired = fix_doc(&text, &FixOptions::default());
    assert!(repaired.changes.len() > 1, "{} changes", repaired.changes.len());
    // The log is judged, and compared with the result except where it is copied.
    let (_, bytes) = text.take_counts();
    assert!(bytes < text.len() * 2, "{bytes} bytes of {}", text.len());
}
