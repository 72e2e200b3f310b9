//! What the fuzz targets do. The crate's own tests include `targets` too, and run it over the inputs that once failed.
#![allow(dead_code)]

#[path = "../../tests/it/fuzz_hold.rs"]
mod fuzz_hold;
#[path = "../../tests/it/memory.rs"]
mod memory;
#[path = "../../tests/it/rng.rs"]
mod rng;
pub mod targets;
