//! What the fuzz targets do. The crate's own tests include `targets` too, and run it over the inputs that once failed.
#![allow(dead_code)]

#[path = "../../tests/it/fuzz"]
mod fuzz {
    pub mod invariants;
}
#[path = "../../tests/it/support"]
mod support {
    pub mod memory;
    pub mod rng;
}
pub mod targets;
