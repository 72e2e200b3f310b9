//! The fuzz targets: each takes any bytes, and panics if they violate an invariant. Where there are options, the first byte
//! of the input chooses them, and the rest is the text.

use std::io;
use std::path::Path;
use std::sync::LazyLock;

use replaylint::internals::diff::compare::{DiffScope, DiffSide, DocDiff, compare};
use replaylint::internals::formats::FORMATS;
use replaylint::internals::json::{
    Tape, scan as scan_json,
    scan::{LaneWidth, scan_prefix_by},
    scan_prefix,
};
use replaylint::internals::judge::{self, FindingsOnly, Options};
use replaylint::internals::options::{self, Config};
use replaylint::internals::place::Place;
use replaylint::internals::read;
use replaylint::internals::report::recognise::Recogniser;
use replaylint::internals::report::{self, ContentDisplay};
use replaylint::internals::source::ReadAt;
use replaylint::internals::source::damage::{self, EscapedText, RecoveredPart};
use serde::de::IgnoredAny;

use crate::fuzz::invariants::{
    FuzzOptions, InvariantViolation, check_conversion, check_predictions, check_repair, check_self_diff,
    check_slim, check_tree,
};
use crate::support::memory::{DOC, growable_text, is_json};
use crate::support::rng::Rng;

/// Panics if an input violates an invariant.
type Target = fn(&[u8]);

/// The targets by their names.
pub const TARGETS: [(&str, Target); 8] = [
    ("scan", scan),
    ("read", read),
    ("fix", fix),
    ("convert", convert),
    ("diff", diff),
    ("recover", recover),
    ("explain", explain),
    ("config", config),
];

fn assert_none(violations: Vec<InvariantViolation>) {
    assert!(violations.is_empty(), "{violations:#?}");
}

/// The byte that chooses options, and the text.
fn split_options(input: &[u8]) -> (u8, &[u8]) {
    input.split_first().map_or((0, input), |(options, text)| (*options, text))
}

/// The options that a byte chooses; 0 means the defaults.
fn fuzz_options(options: u8) -> FuzzOptions {
    let mut fuzz_options = FuzzOptions::pick(&mut Rng(u64::from(options)));
    if options == 0 {
        fuzz_options.options = Options::default();
        fuzz_options.flag_sets.truncate(1);
    }
    fuzz_options
}

pub fn scan(text: &[u8]) {
    let (mut own, mut twin) = (Tape::new(), Tape::new());
    let taken = scan_json(text, &mut own).is_ok();
    // serde_json has a limit of depth, and requires UTF-8.
    let depth = text.iter().filter(|byte| matches!(byte, b'[' | b'{')).count();
    if depth < 120 && std::str::from_utf8(text).is_ok() {
        assert_eq!(taken, serde_json::from_slice::<IgnoredAny>(text).is_ok());
    }
    assert!(!taken || !own.is_ascii() || text.is_ascii());
    let widest = scan_prefix(text, &mut own);
    for lanes in LaneWidth::ALL {
        assert_eq!(scan_prefix_by(lanes, text, &mut twin), widest, "{lanes:?}");
    }
}

pub fn read(input: &[u8]) {
    let (which, text) = split_options(input);
    let format = usize::from(which).checked_sub(1).and_then(|n| FORMATS.get(n % FORMATS.len())).copied();
    let options = Options { read: read::Options { format, ..Default::default() }, ..Options::default() };
    let bytes = growable_text(text);
    let found = judge::judge(DOC, &bytes, &options, 1, &FindingsOnly).expect("memory reads");
    let is_inside = |at: Place| bytes.origin(at).end() <= text.len() as u64;
    assert!(found.findings.iter().all(|judged| is_inside(judged.finding.row.at)), "a finding outside of the text");
    let diagnostics = report::diagnose(DOC, "case", &bytes, &found, ContentDisplay::Shown).expect("memory reads");
    assert!(diagnostics.iter().all(|one| !one.message.is_empty()), "a finding without words");
    assert_none(check_tree(text, &options));
    if format.is_none() {
        assert_none(check_predictions(text, &options));
    }
}

pub fn fix(input: &[u8]) {
    let (which, text) = split_options(input);
    let fuzz_options = fuzz_options(which);
    if let Some((_, wanted)) = fuzz_options.flag_sets.last() {
        assert_none(check_repair(text, &fuzz_options.options, wanted));
    }
}

pub fn convert(input: &[u8]) {
    let (which, text) = split_options(input);
    let fuzz_options = fuzz_options(which);
    fuzz_options.to.iter().for_each(|to| assert_none(check_conversion(text, to, &fuzz_options.options)));
    assert_none(check_slim(text, &fuzz_options.options));
}

/// Separates the two texts; it occurs in no valid UTF-8.
const SEPARATOR: u8 = 0xff;

pub fn diff(input: &[u8]) {
    let mut texts = input.splitn(2, |byte| *byte == SEPARATOR);
    let (a, b) = (texts.next().unwrap_or_default(), texts.next().unwrap_or_default());
    let options = Options::default();
    let (from, to) = (growable_text(a), growable_text(b));
    let compared = |a: &dyn ReadAt, b: &dyn ReadAt| -> io::Result<DocDiff> {
        let side = |bytes| DiffSide { id: DOC, bytes, options: &options };
        compare(side(a), side(b), DiffScope::All)
    };
    let differ = |compared: &DocDiff| compared.differences.iter().any(|one| one.count().has_differences());
    let (there, back) = (compared(&from, &to).expect("memory reads"), compared(&to, &from).expect("memory reads"));
    assert_eq!(differ(&there), differ(&back), "whether two texts differ depends on their order");
    assert_none(check_self_diff(a, &options));
    assert_none(check_self_diff(b, &options));
}

pub fn recover(input: &[u8]) {
    let (which, text) = split_options(input);
    let is_end = which % 2 == 0;
    let found = damage::recover(text, is_end, &|val| val.is_object());
    assert!(found.len <= text.len() && !(found.needs_more && is_end));
    let mut end = 0;
    for part in &found.parts {
        let (span, json) = match part {
            RecoveredPart::Value(span, Some(escaped)) => (span, Some(&escaped.text[..])),
            RecoveredPart::Value(span, None) => (span, text.get(span.clone())),
            RecoveredPart::Unreadable(span, _) => (span, None),
        };
        assert!(end <= span.start && span.start <= span.end && span.end <= text.len(), "{:?}", found.parts);
        assert!(json.is_none_or(is_json), "a value that was recovered is not valid JSON");
        end = span.end;
    }
    for damage in &found.damages {
        assert!(damage.span.start <= damage.first && damage.span.end <= text.len(), "{damage:?}");
        let mut end = damage.span.start;
        for (span, _) in damage::edits(text, damage) {
            assert!(end <= span.start && span.start <= span.end && span.end <= damage.span.end, "{damage:?}");
            end = span.end;
        }
    }
    if let Some(escaped) = EscapedText::of(text) {
        assert!(is_json(&escaped.text));
    }
    // Also the damage that is repaired only on request.
    let mut fuzz_options = fuzz_options(0);
    fuzz_options.flag_sets.iter_mut().for_each(|(_, wanted)| wanted.warnings = which & 2 != 0);
    fuzz_options
        .flag_sets
        .iter()
        .for_each(|(_, wanted)| assert_none(check_repair(text, &fuzz_options.options, wanted)));
}

pub fn explain(text: &[u8]) {
    static RECOGNISER: LazyLock<Recogniser> = LazyLock::new(Recogniser::new);
    let text = String::from_utf8_lossy(text);
    for found in RECOGNISER.recognise(&text) {
        assert!(!found.template.is_empty());
        assert!(found.ids().iter().all(|id| !id.is_empty()));
    }
    assert!(RECOGNISER.nearest(&text).iter().all(|(template, _)| !template.is_empty()));
}

pub fn config(text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    // A schema would be a file that is read.
    match Config::parse(&text, Path::new("/data")) {
        Ok(config) => {
            assert!(config.settings.iter().all(|setting| setting.line <= text.lines().count()));
            let path = Path::new("/data/a/b.jsonl");
            let fitting = config.files.iter().filter(|section| section.applies_to(path)).count();
            assert!(
                fitting <= config.files.len() && config.waivers.iter().all(|waiver| !waiver.reason.is_empty())
            );
        }
        Err(misuse) => assert!(misuse.message.starts_with("replaylint.toml:"), "{}", misuse.message),
    }
    for words in text.lines() {
        let _ = (
            options::parse_size(words),
            options::parse_time(words),
            options::parse_pointer(words),
            options::format(words),
        );
        let known = options::target(words).map(|target| target.name);
        assert!(known.is_err() || !words.is_empty());
    }
}
