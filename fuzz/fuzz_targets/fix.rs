//! A repair never panics, is one for good, leaves JSON that was JSON, and never an empty file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use replaylint::internals::fix::{FixOptions, Orphans, fix};
use replaylint::internals::json::{Tape, scan};
use replaylint::internals::judge::Options;
use replaylint::internals::place::{DocId, Pieces};
use replaylint::internals::source::{Patched, ReadAt};

const DOC: DocId = DocId(0);

fn is_json(text: &[u8]) -> bool {
    scan(text, &mut Tape::new()).is_ok()
}

/// JSON, or lines of it: a log of one record looks like a document until it has another.
fn is_readable(text: &[u8]) -> bool {
    is_json(text) || text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).all(is_json)
}

fn repaired(text: &[u8], wanted: &FixOptions) -> Vec<u8> {
    let bytes = text.to_vec();
    let fixed = fix(DOC, &bytes, &Options::default(), wanted, 1).expect("memory reads");
    let view = Patched::new(&bytes, Pieces::new(fixed.patch.edits(DOC), DOC, ReadAt::len(&bytes)));
    let mut out = Vec::new();
    view.read_into(0, view.len() as usize, &mut out).expect("memory reads");
    out
}

fuzz_target!(|input: (bool, &[u8])| {
    let (stub, text) = input;
    let orphans = if stub { Orphans::Stub } else { Orphans::Drop };
    let wanted = FixOptions { orphans, ..FixOptions::default() };
    let once = repaired(text, &wanted);
    assert!(!is_json(text) || is_readable(&once));
    assert!(text.trim_ascii().is_empty() || !once.trim_ascii().is_empty());
    assert_eq!(once, repaired(&once, &wanted));
});
