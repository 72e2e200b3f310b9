//! What is recovered of damaged text is in the text, in order, and can be parsed.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| replaylint_fuzz::targets::recover(input));
