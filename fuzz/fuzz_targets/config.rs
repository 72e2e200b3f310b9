//! Any text can be a config file, and any words options.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| replaylint_fuzz::targets::config(input));
