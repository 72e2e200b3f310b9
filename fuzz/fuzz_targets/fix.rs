//! A repair is one for good, leaves JSON that was JSON, touches nothing that it does not name, and never panics.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| replaylint_fuzz::targets::fix(input));
