#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| rejoinder_fuzz::request(bytes));
