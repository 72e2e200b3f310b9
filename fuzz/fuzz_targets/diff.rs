//! A text does not differ from itself, and differs from another as much as that from it.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| replaylint_fuzz::targets::diff(input));
