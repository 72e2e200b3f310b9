//! Helpers of the tests: lint and repair a text in memory, with the guards that every repair must pass.

#[cfg(feature = "sqlite")]
pub mod databases;
pub mod essence;
pub mod memory;
pub mod rng;
pub mod snapshots;
pub mod tally;
pub mod tokens;
pub mod turns;
pub mod work;

use std::collections::BTreeSet;

use replaylint::internals::judge::Options;
use replaylint::internals::place::Pieces;
use replaylint::internals::repair;
use replaylint::internals::repair::{Action, DocRepair, FixOptions};
use replaylint::internals::report::changes;
use replaylint::internals::report::changes::ChangeNote;
use replaylint::internals::report::preview::{Preview, RepairView};
use replaylint::internals::report::{self, ContentDisplay, Diagnostic, DocReport, RunSummary, Style};
use replaylint::internals::rule::Loss;
use replaylint::internals::source::{Container, PatchedView, ReadAt, framing};
use replaylint::internals::target::Severity;

pub use crate::support::memory::{
    DOC, check, check_of, growable_text, is_batch_line, is_json, is_near, is_readable, is_training_line,
};

pub const STYLE: Style = Style {
    color: false,
    unicode: true,
    width: 100,
    info: true,
    grouped: false,
    quiet: true,
    statistics: false,
    denies_warnings: false,
    limit: None,
};

pub fn diagnostics(text: &[u8], options: &Options) -> Vec<Diagnostic> {
    let bytes = growable_text(text);
    let found = check_of(&bytes, options);
    report::diagnose(DOC, "case", &bytes, &found, ContentDisplay::Shown).expect("memory reads")
}

/// The whole text report.
pub fn print_report(diagnostics: &[Diagnostic]) -> String {
    let mut out = Vec::new();
    let mut sheet = (report::OUTPUTS[0].1)(STYLE);
    let seen = DocReport { diagnostics: diagnostics.to_vec(), ..DocReport::default() };
    sheet.write_doc(&seen, &mut out).expect("memory writes");
    sheet.finish(&RunSummary::default(), &mut out).expect("memory writes");
    String::from_utf8(out).expect("UTF-8")
}

/// The diff of a repair, all of it, with its content.
pub fn preview(bytes: &dyn ReadAt, fixed: &DocRepair, notes: &[ChangeNote], style: Style) -> String {
    let mut out = Vec::new();
    let mut preview = Preview::new(style, true);
    preview.doc(&RepairView { fixed, notes, bytes }, ContentDisplay::Shown, &mut out).expect("memory writes");
    preview.finish(&mut out).expect("memory writes");
    String::from_utf8(out).expect("UTF-8")
}

/// Codes of errors and warnings, in order, each once.
pub fn codes(diagnostics: &[Diagnostic]) -> Vec<String> {
    let loud = diagnostics.iter().filter(|d| d.severity != Severity::Info);
    loud.map(|d| d.rule.to_string()).collect::<BTreeSet<_>>().into_iter().collect()
}

pub struct RepairResult {
    pub fixed: DocRepair,
    pub text: Vec<u8>,
    pub notes: Vec<ChangeNote>,
    pub remaining: Vec<Diagnostic>,
}

pub fn repair(text: &[u8], options: &Options, wanted: &FixOptions) -> RepairResult {
    repair_of(&growable_text(text), options, wanted)
}

pub fn repair_of(bytes: &dyn ReadAt, options: &Options, wanted: &FixOptions) -> RepairResult {
    let fixed = repair::fix(DOC, bytes, options, wanted, 1).expect("memory reads");
    let view = PatchedView::new(bytes, Pieces::new(fixed.patch.edits(DOC), DOC, bytes.len()));
    let mut out = Vec::new();
    view.read_into(0, view.len() as usize, &mut out).expect("memory reads");
    let notes = changes::notes(DOC, "case", bytes, &fixed).expect("memory reads");
    let remaining =
        changes::remaining_diagnostics(DOC, "case", bytes, &fixed, ContentDisplay::None).expect("memory reads");
    RepairResult { fixed, text: out, notes, remaining }
}

/// Repairs a text, and asserts the invariants of repairs.
pub fn guarded_repair(name: &str, text: &[u8], options: &Options, wanted: &FixOptions) -> RepairResult {
    let repaired = repair(text, options, wanted);
    // It converges: a second run changes nothing.
    let again = repair(&repaired.text, options, wanted);
    assert!(again.fixed.patch.is_empty(), "{name}: a second run still edits: {:?}", again.notes);
    // No finding remains whose fix applies and was not refused with a reason.
    for (judged, diagnostic) in repaired.fixed.remaining().findings.iter().zip(&repaired.remaining) {
        let refused = diagnostic.no_fix.is_some();
        assert!(refused || !wanted.selects(judged), "{name}: left with a fix: {}", diagnostic.message);
    }
    // JSON is still JSON.
    let records = |text: &[u8]| framing::sniff(&text.to_vec()).expect("memory reads");
    if let Container::Document { .. } = records(text)
        && is_json(text)
        && !repaired.text.trim_ascii().is_empty()
    {
        assert!(is_readable(&repaired.text), "{name}: the repair broke the JSON");
    }
    crate::repair::proposals::assert_sound(name, text, options, &repaired.fixed);
    // Bytes change only in and around the items that the changes name.
    for edit in repaired.fixed.patch.edits(DOC) {
        let named = repaired.notes.iter().any(|note| is_near(note, edit.at, text));
        assert!(named, "{name}: an edit at {:?} is on no item that a change names", edit.at);
    }
    // A rule that promises lossless fixes is lossless.
    for note in &repaired.notes {
        // Acts other than the described fix have their own descriptions, and so have its consequences.
        let rules = replaylint::internals::rules::RULES;
        let lossless = rules.iter().filter(|rule| rule.code.to_string() == note.rule).all(|rule| {
            let says_it = rule.variants.iter().any(|v| v.fix == note.description);
            says_it && rule.variants.iter().all(|v| v.fix.is_empty() || v.loss == Loss::Lossless)
        });
        let others = rules.iter().flat_map(|rule| rule.variants);
        let follows = others.into_iter().any(|v| v.fix == note.description && v.loss == Loss::Lossy);
        let lossless = lossless && !follows;
        assert!(
            !lossless
                || note.rule.starts_with("--")
                || note.loss == Loss::Lossless
                || drops_hosted(note)
                || unbinds(note),
            "{name}: {} promises to lose nothing, and does: {}",
            note.rule,
            note.description
        );
    }
    repaired
}

/// A hosted call depends on its id: it is removed with a wrong id, as documented on the rule's page.
fn drops_hosted(note: &ChangeNote) -> bool {
    note.action == Action::Drop && ["RL302", "RL311"].contains(&note.rule.as_str())
}

/// Thinking whose signature covers a change before it is removed, whatever rule the change was for.
fn unbinds(note: &ChangeNote) -> bool {
    note.action == Action::Drop && note.description.contains("whose signature covers the changed text")
}
