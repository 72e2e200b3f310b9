//! What a conversion writes is valid JSON that is recognised and legal, or it says that it failed.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| replaylint_fuzz::targets::convert(input));
