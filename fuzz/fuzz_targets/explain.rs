//! Any text can be pasted as an error.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| replaylint_fuzz::targets::explain(input));
