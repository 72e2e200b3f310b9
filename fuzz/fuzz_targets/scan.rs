//! The scanner takes and refuses what serde_json does, and its two twins read every text alike.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| replaylint_fuzz::targets::scan(input));
