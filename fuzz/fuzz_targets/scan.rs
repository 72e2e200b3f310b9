//! The scanner takes and refuses what serde_json does, at any depth, and its two twins read every text alike.
#![no_main]

use libfuzzer_sys::fuzz_target;
use replaylint::internals::json::{Tape, scan, scan::scan_prefix_portable, scan_prefix};
use serde::Deserialize;
use serde::de::IgnoredAny;

fn serde_takes(text: &[u8]) -> bool {
    let mut reader = serde_json::Deserializer::from_slice(text);
    reader.disable_recursion_limit();
    IgnoredAny::deserialize(&mut reader).and_then(|_| reader.end()).is_ok()
}

fuzz_target!(|text: &[u8]| {
    let (mut own, mut twin) = (Tape::new(), Tape::new());
    let taken = scan(text, &mut own).is_ok();
    if std::str::from_utf8(text).is_ok() {
        assert_eq!(taken, serde_takes(text));
    }
    assert_eq!(scan_prefix(text, &mut own), scan_prefix_portable(text, &mut twin));
});
