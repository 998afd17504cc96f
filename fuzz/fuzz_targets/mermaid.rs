#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| catalog_fuzz::run("mermaid", data));
