//! What the tests share: linting and repairing a text in memory, with the guards that every repair must pass.

use std::collections::BTreeSet;

use replaylint::internals::fix::{self, Action, FixOptions, Fixed};
use replaylint::internals::json::{Tape, scan};
use replaylint::internals::judge::{self, Findings, JudgedDoc, Options};
use replaylint::internals::place::{DocId, Pieces, Place};
use replaylint::internals::report::repair::{self, ChangeNote};
use replaylint::internals::report::{self, Content, Diagnostic, Seen, Style, Summary};
use replaylint::internals::rule::Loss;
use replaylint::internals::source::{Patched, ReadAt, Roomy, framing};
use replaylint::internals::target::Severity;

pub const DOC: DocId = DocId(0);

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

/// A text with room for what its events add up to.
pub fn roomy(text: &[u8]) -> Roomy<Vec<u8>> {
    Roomy::new(text.to_vec())
}

pub fn check(text: &[u8], options: &Options) -> JudgedDoc<()> {
    check_of(&roomy(text), options)
}

pub fn check_of(bytes: &dyn ReadAt, options: &Options) -> JudgedDoc<()> {
    judge::judge(DOC, bytes, options, 1, &Findings).expect("memory reads")
}

pub fn diagnostics(text: &[u8], options: &Options) -> Vec<Diagnostic> {
    let bytes = roomy(text);
    let found = check_of(&bytes, options);
    report::diagnose(DOC, "case", &bytes, &found, Content::Shown).expect("memory reads")
}

/// The whole text report.
pub fn printed(diagnostics: &[Diagnostic]) -> String {
    let mut out = Vec::new();
    let mut sheet = (report::OUTPUTS[0].1)(STYLE);
    let seen = Seen { diagnostics: diagnostics.to_vec(), ..Seen::default() };
    sheet.doc(&seen, &mut out).expect("memory writes");
    sheet.finish(&Summary::default(), &mut out).expect("memory writes");
    String::from_utf8(out).expect("UTF-8")
}

/// Codes of errors and warnings, in order, each once.
pub fn codes(diagnostics: &[Diagnostic]) -> Vec<String> {
    let loud = diagnostics.iter().filter(|d| d.severity != Severity::Info);
    loud.map(|d| d.rule.to_string()).collect::<BTreeSet<_>>().into_iter().collect()
}

pub struct Repaired {
    pub fixed: Fixed,
    pub text: Vec<u8>,
    pub notes: Vec<ChangeNote>,
    pub left: Vec<Diagnostic>,
}

pub fn repair(text: &[u8], options: &Options, wanted: &FixOptions) -> Repaired {
    repair_of(&roomy(text), options, wanted)
}

pub fn repair_of(bytes: &dyn ReadAt, options: &Options, wanted: &FixOptions) -> Repaired {
    let fixed = fix::fix(DOC, bytes, options, wanted, 1).expect("memory reads");
    let view = Patched::new(bytes, Pieces::new(fixed.patch.edits(DOC), DOC, bytes.len()));
    let mut out = Vec::new();
    view.read_into(0, view.len() as usize, &mut out).expect("memory reads");
    let notes = repair::notes(DOC, "case", bytes, &fixed).expect("memory reads");
    let left = repair::left(DOC, "case", bytes, &fixed, Content::None).expect("memory reads");
    Repaired { fixed, text: out, notes, left }
}

/// A repair, and everything that must hold of one.
pub fn guarded_repair(name: &str, text: &[u8], options: &Options, wanted: &FixOptions) -> Repaired {
    let repaired = repair(text, options, wanted);
    // It converges: a second run changes nothing.
    let again = repair(&repaired.text, options, wanted);
    assert!(again.fixed.patch.is_empty(), "{name}: a second run still edits: {:?}", again.notes);
    // No finding is left whose fix applies and was not refused with a reason.
    for (judged, diagnostic) in repaired.fixed.left().judged.iter().zip(&repaired.left) {
        let refused = diagnostic.no_fix.is_some();
        assert!(refused || !wanted.wants(judged), "{name}: left with a fix: {}", diagnostic.message);
    }
    // Whatever was JSON still is.
    let records = |text: &[u8]| framing::sniff(&text.to_vec()).expect("memory reads");
    if let framing::Container::Document { .. } = records(text)
        && is_json(text)
        && !repaired.text.trim_ascii().is_empty()
    {
        assert!(is_readable(&repaired.text), "{name}: the repair broke the JSON");
    }
    crate::proposals::guard(name, text, options, &repaired.fixed);
    // Bytes change only in and around the items that the changes name.
    for edit in repaired.fixed.patch.edits(DOC) {
        let named = repaired.notes.iter().any(|note| is_near(note, edit.at, text));
        assert!(named, "{name}: an edit at {:?} lies on no item that a change names", edit.at);
    }
    // A rule that promises to lose nothing loses nothing.
    for note in &repaired.notes {
        let lossless = replaylint::internals::rules::RULES
            .iter()
            .filter(|rule| rule.code.to_string() == note.rule)
            .all(|rule| rule.variants.iter().all(|v| v.fix.is_empty() || v.loss == Loss::Lossless));
        assert!(
            !lossless
                || note.rule.starts_with("--")
                || note.loss == Loss::Lossless
                || drops_hosted(note)
                || unbinds(note),
            "{name}: {} promises to lose nothing, and does: {}",
            note.rule,
            note.what
        );
    }
    repaired
}

/// A hosted call lives by its id: where a wrong id must go, it goes with it, and the page of the rule says so.
fn drops_hosted(note: &ChangeNote) -> bool {
    note.action == Action::Drop && ["RL302", "RL311"].contains(&note.rule.as_str())
}

/// Thinking that is signed together with what changed in front of it goes, whatever rule the change was for.
fn unbinds(note: &ChangeNote) -> bool {
    note.action == Action::Drop && note.what.contains("whose signature covers what was changed")
}

pub fn is_json(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    scan(text, &mut Tape::new()).is_ok()
}

/// JSON, or lines of it: a log of one record looks like a document until it has another.
pub fn is_readable(text: &[u8]) -> bool {
    is_json(text) || text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).all(is_json)
}

/// Where the message ends that holds the list in which an item ends at an offset.
fn end_of_message(text: &[u8], from: u64) -> u64 {
    let (mut depth, mut in_string, mut escaped) = (2, false, false);
    for (at, byte) in text.iter().enumerate().skip(from as usize) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at as u64 + 1;
        }
    }
    text.len() as u64
}

/// An edit lies in the item, between it and its neighbours, on its line, or behind the item that it comes to follow.
pub fn is_near(note: &ChangeNote, at: Place, text: &[u8]) -> bool {
    let line = |offset: u64| {
        let before = text[..offset as usize].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
        let after = text[offset as usize..]
            .iter()
            .position(|b| *b == b'\n')
            .map_or(text.len(), |n| offset as usize + n + 1);
        (before as u64, after as u64)
    };
    let spans = std::iter::once(note.at.start..note.at.end())
        .chain(note.other.iter().map(|other| other.span.0..other.span.1));
    for span in spans {
        let mut from = span.start.min(line(span.start).0);
        let mut to = span.end.max(line(span.end.saturating_sub(1)).1);
        // White space, commas and the neighbours' brackets.
        while from > 0 && (text[from as usize - 1].is_ascii_whitespace() || text[from as usize - 1] == b',') {
            from -= 1;
        }
        // What is moved comes to stand after the message that holds the other.
        if note.action == Action::Move {
            to = to.max(end_of_message(text, span.end));
        }
        while (to as usize) < text.len() && text[to as usize].is_ascii_whitespace() {
            to += 1;
        }
        if from <= at.start && at.end() <= to {
            return true;
        }
    }
    // Several neighbours that go are one edit.
    note.at.start >= at.start && note.at.end() <= at.end() || note.action == Action::Stub
}
