//! A log of requests is judged again, after its repair, where it was changed: that finds what judging all of it does, and
//! reads less.

use replaylint::internals::judge::{JudgedDoc, Options};
use replaylint::internals::place::Pieces;
use replaylint::internals::repair;
use replaylint::internals::repair::{FixOptions, Fixed, Reasoning};
use replaylint::internals::report::{self, Content};
use replaylint::internals::source::{Patched, ReadAt};

use crate::generate::Shape;
use crate::report::reads::{logs, of_size};
use crate::support::{DOC, roomy};

fn fixed(bytes: &dyn ReadAt, wanted: &FixOptions) -> Fixed {
    repair::fix(DOC, bytes, &Options::default(), wanted, 1).expect("memory reads")
}

/// All that is known of a doc that was judged, and of why something stays as it is.
fn known<T>(bytes: &dyn ReadAt, doc: &JudgedDoc<T>, fixed: &Fixed) -> Vec<String> {
    let told = report::diagnose(DOC, "case", bytes, doc, Content::Shown).expect("memory reads");
    let reason = fixed.reasons();
    let JudgedDoc { records, histories, items, container, .. } = doc;
    let mut known = vec![format!("{records} records, {histories} histories, {items} items, {container:?}")];
    known.extend(doc.judged.iter().zip(told).map(|(judged, told)| {
        let why = if judged.has_fix() { reason(judged) } else { None };
        let at =
            (judged.finding, judged.severity, judged.target.name, judged.history, judged.loss, judged.flattens);
        format!("{at:?} {} {:?} {why:?}", told.message, told.spot)
    }));
    known
}

#[test]
fn what_is_left_is_what_judging_all_of_it_finds() {
    let strip = FixOptions { reasoning: Reasoning::Strip, ..FixOptions::default() };
    let lossless = FixOptions { lossless: true, ..FixOptions::default() };
    let warnings = FixOptions { warnings: true, ..FixOptions::default() };
    for (name, text) in logs() {
        for wanted in [&FixOptions::default(), &strip, &lossless, &warnings] {
            let bytes = roomy(&text);
            let done = fixed(&bytes, wanted);
            let Some(after) = &done.after else { continue };
            let edits = done.patch.edits(DOC);
            let view = Patched::new(&bytes, Pieces::new(edits, DOC, bytes.len()));
            let all = fixed(&view, wanted);
            assert!(all.patch.is_empty(), "{name}");
            assert_eq!(known(&view, after, &done), known(&view, &all.before, &all), "{name}");
        }
    }
}

#[test]
fn what_was_not_changed_is_judged_once() {
    let text = of_size(12 << 20, Shape::Requests, 1000);
    let done = fixed(&text, &FixOptions::default());
    assert!(done.changes.len() > 1, "{} changes", done.changes.len());
    // The log is judged, and compared with what is written where no copy is.
    let (_, bytes) = text.take();
    assert!(bytes < text.len() * 2, "{bytes} bytes of {}", text.len());
}
