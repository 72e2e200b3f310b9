//! The structure of the crate: layers, import cycles, versions.

pub mod import_cycles;
pub mod layers;
pub mod npm;
pub mod versions;
