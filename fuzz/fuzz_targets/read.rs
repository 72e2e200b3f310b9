//! A text is read as what it looks like, or as any format that it is said to be.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| replaylint_fuzz::targets::read(input));
